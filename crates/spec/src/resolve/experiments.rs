//! Registered experiments: whether the spec's slugs, parameters and instruments exist and fit, before anything runs.

use super::draft::Draft;
use super::parts::{error, texts};
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Node};
use crate::spec::task::Task;
use crate::spec::work::Work;
use fairtrial_experiment::{
    Better, Catalogue, Description, Headline, ImportedModule, InstrumentInfo, Lookup, LookupError,
    Origin, ParamSchema, Sources,
};
use fairtrial_model::{Direction, MetricDeclaration};
use fairtrial_text::nearest::did_you_mean;
use std::path::Path;

/// The spec's `[experiments]`.
pub(super) fn sources(root: &Node) -> Sources {
    let list = |key| texts(root.get("experiments").and_then(|node| node.get(key)));
    let interpreter = root
        .get("experiments")
        .and_then(|node| node.get("interpreter"));
    Sources {
        python: list("python"),
        rust: list("rust"),
        interpreter: interpreter.and_then(Node::text).map(str::to_owned),
        reporters: list("reporters"),
    }
}

/// What is known about experiments; nothing where there is no catalogue, or no task that needs one.
pub(super) struct Known {
    lookup: Option<Lookup>,
    /// Whether a source could not be read: what is not found may be there.
    partly: bool,
}

impl Known {
    /// Asks the catalogue, where a task needs it.
    pub(super) fn look_up(
        root: &Node,
        drafts: &[Draft],
        catalogue: Option<&dyn Catalogue>,
        base: &Path,
        problems: &mut Problems,
    ) -> Self {
        let needed = drafts
            .iter()
            .any(|draft| draft.node.get("experiment").is_some());
        let Some(catalogue) = catalogue.filter(|_| needed) else {
            return Self {
                lookup: None,
                partly: false,
            };
        };
        let (lookup, broken) = catalogue.look_up(&sources(root), base);
        let partly = !broken.is_empty();
        for imported in &lookup.imported {
            problems.push(told_import(root, imported));
        }
        for LookupError {
            source_name,
            message,
            help,
        } in broken
        {
            let span = source_node(root, &source_name).map_or(root.span, |node| node.span);
            problems.push(error(span, message).help(help));
        }
        Self {
            lookup: Some(lookup),
            partly,
        }
    }

    fn find(&self, slug: &str) -> Option<&(Description, Origin)> {
        let lookup = self.lookup.as_ref()?;
        lookup
            .experiments
            .iter()
            .find(|(found, _)| found.slug == slug)
    }

    /// Where an experiment comes from.
    pub(super) fn origin(&self, slug: &str) -> Option<&Origin> {
        self.find(slug).map(|(_, origin)| origin)
    }

    /// The metrics that the experiments of tasks are about; how long they take where they do not say.
    pub(super) fn headlines(&self, tasks: &[Task]) -> Vec<MetricDeclaration> {
        let mut found: Vec<MetricDeclaration> = Vec::new();
        for task in tasks {
            let Work::Experiment { slug, .. } = &task.work else {
                continue;
            };
            let about = self.find(slug).map(|(description, _)| &description.metrics);
            let duration = [Headline::duration()];
            let about = about.filter(|about| !about.is_empty());
            for metric in about.map_or(&duration[..], Vec::as_slice) {
                let new = declaration(metric);
                match found.iter_mut().find(|known| known.name == new.name) {
                    None => found.push(new),
                    // Two experiments that mean different things by one name: nobody can say which way is better.
                    Some(known) if (&known.unit, known.direction) != (&new.unit, new.direction) => {
                        (known.unit, known.direction) = (None, None);
                    }
                    Some(_) => {}
                }
            }
        }
        found
    }

    /// The parameters of a task's experiment.
    pub(super) fn schema(&self, draft: &Draft) -> Option<&ParamSchema> {
        self.find(draft.text("experiment")?)
            .map(|(description, _)| &description.params)
    }

    /// Checks every task with an experiment.
    pub(super) fn check(&self, root: &Node, drafts: &[Draft], problems: &mut Problems) {
        let Some(lookup) = &self.lookup else { return };
        for draft in drafts {
            let Some(node) = draft.node.get("experiment") else {
                continue;
            };
            match node.text().and_then(|slug| self.find(slug)) {
                Some((description, origin)) => {
                    check_params(root, draft, description, problems);
                    if lookup.replaced.contains(&description.slug) {
                        problems.push(replaces_builtin(node, description, origin));
                    }
                }
                None if self.partly => {}
                None => problems.push(unknown(node, lookup)),
            }
            if !self.partly {
                check_instruments(draft, &lookup.instruments, problems);
            }
        }
    }
}

fn declaration(metric: &Headline) -> MetricDeclaration {
    MetricDeclaration {
        unit: metric.unit.clone(),
        direction: metric.direction.map(|better| match better {
            Better::Up => Direction::Up,
            Better::Down => Direction::Down,
        }),
        ..MetricDeclaration::named(metric.name.as_str())
    }
}

/// The place that names a source.
fn source_node<'a>(root: &'a Node, name: &str) -> Option<&'a Node> {
    let experiments = root.get("experiments")?;
    let lists = ["python", "rust"]
        .into_iter()
        .filter_map(|key| experiments.get(key)?.list());
    let named = lists.flatten().find(|item| item.text() == Some(name));
    let interpreter = || experiments.get("interpreter");
    named.or_else(interpreter).or(Some(experiments))
}

/// Nothing is run to list experiments, but for this.
fn told_import(root: &Node, of: &ImportedModule) -> Diagnostic {
    let span = source_node(root, &of.module).map_or(root.span, |node| node.span);
    let ImportedModule {
        module,
        why,
        failed,
    } = of;
    let message = match failed {
        None => format!("the module `{module}` was imported to see what it offers: {why}"),
        Some(failed) => format!(
            "the module `{module}` could not be imported to see what it offers ({why}): {failed}"
        ),
    };
    Diagnostic::new(Severity::Warning, span, message)
        .help("slugs as plain texts, and `param_schema` or `__init__` in the class itself, can be read without running anything")
}

/// Whoever names an experiment as a built-in one should know which of the two runs.
fn replaces_builtin(node: &Node, found: &Description, origin: &Origin) -> Diagnostic {
    let slug = &found.slug;
    let message =
        format!("`{slug}` is your own experiment ({origin}), not the built-in one of that name");
    Diagnostic::new(Severity::Warning, node.span, message)
        .help("give it another slug where you mean the built-in one")
}

fn unknown(node: &Node, lookup: &Lookup) -> Diagnostic {
    let slug = node.text().unwrap_or_default();
    let known = || {
        lookup
            .experiments
            .iter()
            .map(|(description, _)| description.slug.as_str())
    };
    let listing =
        "`fairtrial list experiments` shows what there is; your own are named under [experiments]";
    let has_own = |(_, origin): &(_, Origin)| *origin == Origin::Builtin;
    let small_build = "this build of Fairtrial has no built-in experiments (it lacks the feature `suite`); your own are \
                       named under [experiments]";
    let help = did_you_mean(slug, known()).unwrap_or_else(|| {
        let complete = lookup.experiments.iter().any(has_own);
        if complete { listing } else { small_build }.to_owned()
    });
    let message = format!("there is no experiment `{}`", slug.escape_debug());
    error(node.span, message).help(help)
}

fn entries(node: Option<&Node>) -> &[Entry] {
    node.and_then(Node::map).map_or(&[][..], |map| &map.entries)
}

/// Every value that a trial of this task may get, wherever the spec says it.
fn check_params(root: &Node, draft: &Draft, of: &Description, problems: &mut Problems) {
    let schema = &of.params;
    let mut given: Vec<&str> = Vec::new();
    for entry in entries(draft.node.get("params")) {
        given.push(&entry.key);
        let takes_list = schema
            .get(&entry.key)
            .is_some_and(fairtrial_experiment::Param::is_list);
        let alone = std::slice::from_ref(&entry.value);
        let values = entry.value.list().filter(|_| !takes_list).unwrap_or(alone);
        check_values(entry, values, of, problems);
    }
    let sweeps = [draft.node.get("sweep"), root.get("sweep")];
    for entry in sweeps.into_iter().flat_map(entries) {
        // What is no list is the strategy or the number of samples, or a mistake that is reported.
        if let Some(values) = entry.value.list() {
            given.push(&entry.key);
            check_values(entry, values, of, problems);
        }
    }
    let own = draft.node.get("in_arms").map(|node| texts(Some(node)));
    let arms = entries(root.get("arms")).iter();
    for arm in arms.filter(|arm| own.as_ref().is_none_or(|own| own.contains(&arm.key))) {
        for entry in entries(Some(&arm.value)) {
            given.push(&entry.key);
            check_values(entry, std::slice::from_ref(&entry.value), of, problems);
        }
    }
    for param in &schema.params {
        if param.required && !given.contains(&param.name.as_str()) {
            let place = draft.node.get("params").unwrap_or(&draft.node);
            let message = format!(
                "the experiment `{}` needs the parameter `{}`",
                of.slug, param.name
            );
            problems.push(error(place.span, message).help(param.expected(&param.ty)));
        }
    }
}

fn check_values(entry: &Entry, values: &[Node], of: &Description, problems: &mut Problems) {
    let Some(param) = of.params.get(&entry.key) else {
        if !of.params.open && !problems.is_full() {
            problems.push(unknown_param(entry, of));
        }
        return;
    };
    for value in values {
        if let Err(message) = param.fit(&value.to_param()) {
            let message = format!("`{}`: {message}", entry.key);
            problems.push(error(value.span, message));
        }
    }
}

fn unknown_param(entry: &Entry, of: &Description) -> Diagnostic {
    let message = format!(
        "the experiment `{}` has no parameter `{}`",
        of.slug,
        entry.key.escape_debug()
    );
    let all = || of.params.names().collect::<Vec<_>>().join(", ");
    let help = did_you_mean(&entry.key, of.params.names()).unwrap_or_else(|| match all() {
        names if names.is_empty() => "it has no parameters".to_owned(),
        names => format!("its parameters: {names}"),
    });
    error(entry.key_span, message).help(help)
}

fn check_instruments(draft: &Draft, known: &[InstrumentInfo], problems: &mut Problems) {
    let asked = draft.node.get("instrumentation").and_then(Node::list);
    for node in asked.unwrap_or_default() {
        let Some(name_node) = (match node.text() {
            Some(_) => Some(node),
            None => node.get("name"),
        }) else {
            continue;
        };
        let name = name_node.text().unwrap_or_default();
        let Some(instrument) = known.iter().find(|instrument| instrument.name == name) else {
            problems.push(unknown_instrument(name_node, known));
            continue;
        };
        check_options(node, instrument, problems);
    }
}

fn unknown_instrument(node: &Node, known: &[InstrumentInfo]) -> Diagnostic {
    let name = node.text().unwrap_or_default();
    let names = || known.iter().map(|instrument| instrument.name.as_str());
    let all = || {
        format!(
            "the instruments are {}",
            names().collect::<Vec<_>>().join(", ")
        )
    };
    let help = did_you_mean(name, names()).unwrap_or_else(all);
    let message = format!("there is no instrument `{}`", name.escape_debug());
    error(node.span, message).help(help)
}

fn check_options(node: &Node, instrument: &InstrumentInfo, problems: &mut Problems) {
    let options = entries(Some(node))
        .iter()
        .filter(|entry| entry.key != "name");
    for entry in options {
        let Some(option) = instrument.options.get(&entry.key) else {
            if !instrument.options.open {
                problems.push(unknown_option(entry, instrument));
            }
            continue;
        };
        if let Err(message) = option.fit(&entry.value.to_param()) {
            problems.push(error(
                entry.value.span,
                format!("`{}`: {message}", entry.key),
            ));
        }
    }
}

fn unknown_option(entry: &Entry, instrument: &InstrumentInfo) -> Diagnostic {
    let message = format!(
        "the instrument `{}` has no option `{}`",
        instrument.name,
        entry.key.escape_debug()
    );
    let all = || instrument.options.names().collect::<Vec<_>>().join(", ");
    let help =
        did_you_mean(&entry.key, instrument.options.names()).unwrap_or_else(|| match all() {
            names if names.is_empty() => "it has no options".to_owned(),
            names => format!("its options: {names}"),
        });
    error(entry.key_span, message).help(help)
}
