//! Declared metrics: where their values come from, and what margin matters.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Node};
use crate::source::Span;
use crate::{episode_file, metric_summary, reference_points};
use fairtrial_model::{
    Conversion, ConversionError, Direction, EpisodeFile, HardwareCounter, Margin, Method,
    MetricDeclaration, MetricSource, Tolerance, TrackerKind,
};
use fairtrial_text::nearest::did_you_mean;

const SCHEMES: [&str; 12] = [
    "jsonl",
    "csv",
    "json",
    "stdout",
    "stderr",
    "block",
    "episodes",
    "size",
    "resource",
    "tensorboard",
    "wandb",
    "mlflow",
];
const RESOURCE_FIELDS: [&str; 9] = [
    "wall",
    "user",
    "sys",
    "cpu",
    "peak_memory",
    HardwareCounter::Instructions.field(),
    HardwareCounter::Cycles.field(),
    HardwareCounter::CacheMisses.field(),
    HardwareCounter::BranchMisses.field(),
];

/// The wall time of trials: what they are about where none of them reports a metric.
pub fn wall_time() -> MetricDeclaration {
    let source = MetricSource::Resource {
        field: "wall".to_owned(),
        less: 0.0,
    };
    MetricDeclaration {
        direction: Some(Direction::Down),
        unit: resource_unit(&source).map(str::to_owned),
        source,
        ..MetricDeclaration::named("wall")
    }
}

/// The unit that a field of the resource record is in; counts have none.
fn resource_unit(source: &MetricSource) -> Option<&'static str> {
    match source {
        MetricSource::Resource { field, .. } if field == "peak_memory" => Some("B"),
        MetricSource::Resource { field, .. } if HardwareCounter::named(field).is_some() => None,
        MetricSource::Resource { .. } => Some("s"),
        _ => None,
    }
}

/// One entry of `[metrics]`; its shape has been checked.
pub(crate) fn declaration(
    entry: &Entry,
    files: &[EpisodeFile],
    problems: &mut Problems,
) -> MetricDeclaration {
    let node = &entry.value;
    let from = node.get("from").and_then(|from| Some((from, from.text()?)));
    let over_episodes = from.and_then(|(from, text)| Some((from, text.strip_prefix("episodes:")?)));
    let source = match (over_episodes, from) {
        (Some((from, name)), _) => Some(episodes(from, name, entry, files, problems)),
        (None, from) => {
            episode_file::misplaced(entry, problems);
            from.map(|(from, text)| {
                source(&entry.key, text).map_err(|problem| problems.push(problem.at(from.span)))
            })
        }
    };
    let source = source
        .and_then(Result::ok)
        .unwrap_or(MetricSource::Reported);
    let known_unit = resource_unit(&source);
    // Less of every resource is better.
    let known_direction =
        matches!(source, MetricSource::Resource { .. }).then_some(Direction::Down);
    let convert = conversion(node, problems);
    let declared = MetricDeclaration {
        name: entry.key.clone(),
        direction: node
            .get("direction")
            .and_then(Node::text)
            .and_then(direction)
            .or(known_direction),
        unit: node
            .get("unit")
            .and_then(Node::text)
            .or(known_unit.filter(|_| convert.is_none()))
            .map(str::to_owned),
        source,
        precision: node
            .get("precision")
            .and_then(Node::whole)
            .and_then(|n| u8::try_from(n).ok()),
        margin: node
            .get("margin")
            .and_then(|margin| parse_margin(margin).ok()),
        reference: node
            .get("reference")
            .and_then(|node| reference_points::read(node, problems)),
        summary: node
            .get("summary")
            .and_then(|node| metric_summary::summary(node, problems)),
        step: node.get("step").and_then(Node::text).map(str::to_owned),
        required: node.get("required").and_then(Node::bool).unwrap_or(true),
        convert,
        round: node
            .get("round")
            .and_then(Node::whole)
            .and_then(|n| u8::try_from(n).ok()),
        deterministic: node
            .get("deterministic")
            .and_then(Node::bool)
            .unwrap_or(false),
        method: method(node),
        beyond: None,
    };
    metric_summary::of_no_use(node, &declared, problems);
    if let (Some(step), None) = (node.get("step"), series_file(&declared.source)) {
        let message = "this source gives one number and no series, so `step` has no use";
        problems.push(Diagnostic::new(Severity::Error, step.span, message).help("remove it"));
    }
    declared
}

/// The file that a series is read from, where the source gives one.
fn series_file(source: &MetricSource) -> Option<&str> {
    match source {
        MetricSource::Reported => Some(""),
        MetricSource::Csv { file, .. } | MetricSource::Jsonl { file, .. } => Some(file),
        MetricSource::Tracked { folder, .. } => Some(folder),
        _ => None,
    }
}

/// Steps that are named for one metric of a file are those of the others too, where these name none.
pub(crate) fn share_steps(metrics: &mut [MetricDeclaration]) {
    for place in 0..metrics.len() {
        let (Some(file), None) = (series_file(&metrics[place].source), &metrics[place].step) else {
            continue;
        };
        let of_file = |metric: &&MetricDeclaration| series_file(&metric.source) == Some(file);
        let mut named = metrics
            .iter()
            .filter(of_file)
            .filter_map(|m| m.step.as_ref());
        let first = named.next();
        let step = first.filter(|first| named.all(|other| other == *first));
        metrics[place].step = step.cloned();
    }
}

/// `method = "sign-flip"`.
pub(crate) fn method(node: &Node) -> Option<Method> {
    node.get("method")
        .and_then(Node::text)
        .and_then(Method::of_word)
}

/// `convert = "s to min"`.
pub(crate) fn conversion(node: &Node, problems: &mut Problems) -> Option<Conversion> {
    let node = node.get("convert")?;
    let parsed = node.text()?.parse();
    parsed
        .map_err(|problem: ConversionError| {
            let units: Vec<&str> = Conversion::unit_names().collect();
            let help = format!("the units are {}", units.join(", "));
            problems
                .push(Diagnostic::new(Severity::Error, node.span, problem.to_string()).help(help));
        })
        .ok()
}

/// `from = "episodes:NAME"`: the file's declaration and the measure, together.
fn episodes(
    from: &Node,
    name: &str,
    entry: &Entry,
    files: &[EpisodeFile],
    problems: &mut Problems,
) -> Result<MetricSource, ()> {
    let measure = episode_file::measure(entry, problems);
    let Some(file) = files.iter().find(|file| file.name == name) else {
        let names = || files.iter().map(|file| file.name.as_str());
        let help = match did_you_mean(name, names()) {
            Some(help) => help,
            None if files.is_empty() => format!("declare it: [episode_files.{name}]"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("there is no episode file `{name}`");
        problems.push(Diagnostic::new(Severity::Error, from.span, message).help(help));
        return Err(());
    };
    Ok(MetricSource::Episodes {
        episodes: Box::new(file.clone()),
        measure: measure.ok_or(())?,
    })
}

fn direction(word: &str) -> Option<Direction> {
    match word {
        "up" | "higher" => Some(Direction::Up),
        "down" | "lower" => Some(Direction::Down),
        _ => None,
    }
}

/// `2%`, `0.5`, or a number.
pub(crate) fn parse_margin(node: &Node) -> Result<Margin, String> {
    let bad = || {
        format!(
            "expected a number or a share like \"2%\", found {}",
            node.found()
        )
    };
    let margin = match (node.number(), node.text().map(str::trim)) {
        (Some(number), _) => Margin::Absolute(number),
        (_, Some(text)) => match text.strip_suffix('%') {
            Some(share) => {
                Margin::Relative(share.trim().parse::<f64>().map_err(|_| bad())? / 100.0)
            }
            None => Margin::Absolute(text.parse().map_err(|_| bad())?),
        },
        _ => return Err(bad()),
    };
    let (Margin::Absolute(size) | Margin::Relative(size)) = margin;
    if size.is_finite() && size >= 0.0 {
        Ok(margin)
    } else {
        Err("a margin is zero or more, and finite".to_owned())
    }
}

/// `exact`, `1%`, or a number.
pub(crate) fn parse_tolerance(node: &Node) -> Result<Tolerance, String> {
    match node.number() {
        Some(number) => number.to_string().parse(),
        None => node.text().unwrap_or_default().parse(),
    }
}

struct SourceProblem {
    message: String,
    help: Option<String>,
}

impl SourceProblem {
    fn new(message: impl Into<String>, help: Option<String>) -> Self {
        Self {
            message: message.into(),
            help,
        }
    }

    fn at(self, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, span, self.message).maybe_help(self.help)
    }
}

fn source(name: &str, text: &str) -> Result<MetricSource, SourceProblem> {
    let known = || {
        Some(format!(
            "write one of {}: and what follows it",
            SCHEMES.join(":, ")
        ))
    };
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(SourceProblem::new(
            "a source has the form `kind:what`",
            known(),
        ));
    };
    if let Some(tracker) = TrackerKind::ALL
        .into_iter()
        .find(|it| it.scheme() == scheme)
    {
        return Ok(tracked(tracker, rest, name));
    }
    if rest.trim().is_empty() {
        return Err(SourceProblem::new(
            format!("nothing follows `{scheme}:`"),
            known(),
        ));
    }
    let split = || {
        rest.split_once('#')
            .map_or((rest, name), |(file, key)| (file, key))
    };
    let (file, key) = (split().0.to_owned(), split().1.to_owned());
    Ok(match scheme {
        "jsonl" => MetricSource::Jsonl { file, key },
        "csv" => MetricSource::Csv { file, column: key },
        "json" => MetricSource::Json { file, pointer: key },
        "stdout" => MetricSource::Stdout {
            pattern: pattern(rest)?,
        },
        "stderr" => MetricSource::Stderr {
            pattern: pattern(rest)?,
        },
        "block" => MetricSource::Block {
            marker: file,
            column: key,
        },
        "size" => MetricSource::Size {
            file: rest.to_owned(),
        },
        "resource" => MetricSource::Resource {
            field: resource_field(rest)?,
            less: 0.0,
        },
        _ => {
            let help = did_you_mean(scheme, SCHEMES).or_else(known);
            return Err(SourceProblem::new(
                format!("`{scheme}:` is not a source of metrics"),
                help,
            ));
        }
    })
}

/// `wandb:`, `wandb:FOLDER` or `wandb:FOLDER#KEY`.
fn tracked(tracker: TrackerKind, rest: &str, name: &str) -> MetricSource {
    let (folder, key) = rest.split_once('#').unwrap_or((rest, name));
    let folder = match folder.trim().trim_end_matches('/') {
        "" => tracker.folder(),
        folder => folder,
    };
    MetricSource::Tracked {
        tracker,
        folder: folder.to_owned(),
        key: key.to_owned(),
    }
}

fn pattern(text: &str) -> Result<String, SourceProblem> {
    let regex = regex::Regex::new(text).map_err(|error| {
        let message = error.to_string();
        let last = message
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        SourceProblem::new(format!("not a regular expression: {last}"), None)
    })?;
    if regex.captures_len() < 2 {
        let help = "put the number into a group, like `loss=([0-9.]+)`".to_owned();
        return Err(SourceProblem::new(
            "the regular expression has no group",
            Some(help),
        ));
    }
    Ok(text.to_owned())
}

fn resource_field(field: &str) -> Result<String, SourceProblem> {
    if RESOURCE_FIELDS.contains(&field) {
        return Ok(field.to_owned());
    }
    let help = did_you_mean(field, RESOURCE_FIELDS);
    let help = help.unwrap_or_else(|| format!("known fields: {}", RESOURCE_FIELDS.join(", ")));
    Err(SourceProblem::new(
        format!("`{field}` is not a field of the resource record"),
        Some(help),
    ))
}
