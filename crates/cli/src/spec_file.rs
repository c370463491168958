//! Reading a spec as every command does: all problems shown at once, then a plan.

use crate::agents;
use crate::environment;
use crate::exit::{Exit, Failure};
use crate::experiment;
use crate::printer::Printer;
use crate::sequential;
use fairtrial_journal::redact::Redactor;
use fairtrial_model::Params;
use fairtrial_plan::Plan;
use fairtrial_spec::{
    Diagnostic, FileCheck, LoadOptions, Loaded, Severity, Spec, Style, load_with, render,
    written_secrets,
};
use fairtrial_text::count::counted;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments that say which spec, and what of it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SpecArgs {
    /// The spec: TOML, YAML or JSON
    pub(crate) spec: PathBuf,
    /// Replace a value of the spec, as `tasks.0.timeout=1h` or `seeds=5`
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

impl SpecArgs {
    /// Reads the spec.
    pub(crate) fn load(&self, files: FileCheck) -> Loaded {
        load_with(
            &self.spec,
            &LoadOptions {
                set: self.set.clone(),
                files,
            },
            &experiment::catalogue(),
        )
    }

    /// Reads a spec that must be valid; its problems are shown.
    pub(crate) fn spec(&self, files: FileCheck, printer: Printer) -> Result<Arc<Spec>, Failure> {
        let loaded = self.load(files);
        show(&loaded, printer);
        let errors = count_errors(&loaded.diagnostics);
        match loaded.spec {
            Some(mut spec) if errors == 0 => {
                agents::look(&mut spec, printer)?;
                Ok(Arc::new(spec))
            }
            _ => Err(Failure {
                exit: Exit::Input,
                message: invalid(&self.spec, errors),
                hint: None,
            }),
        }
    }

    /// Reads a spec and expands it.
    pub(crate) fn plan(
        &self,
        files: FileCheck,
        only: Option<&str>,
        printer: Printer,
    ) -> Result<Plan, Failure> {
        let spec = sequential::with_seeds(self.spec(files, printer)?)?;
        Ok(Plan::new(spec, only)?)
    }
}

/// Shows the problems of a spec as text.
pub(crate) fn show(loaded: &Loaded, printer: Printer) {
    if !loaded.diagnostics.is_empty() {
        let style = Style {
            color: printer.color_err(),
            width: printer.width(),
        };
        printer.tell_painted(render(&loaded.diagnostics, &loaded.sources, style));
    }
    // Not as a problem with its place in the file, which would print the line.
    for name in loaded.spec.iter().flat_map(written_secrets) {
        printer.warn(format!(
            "the value of `{name}` looks like a secret, and the spec is copied into every run's folder; write \
             {name} = \"${{{name}}}\" and set the variable where you start fairtrial"
        ));
    }
    for text in loaded.spec.iter().flat_map(held_secrets) {
        printer.warn(format!(
            "`{text}` holds a secret of your environment as the name or value of a parameter or metric, and the spec is \
             copied into every run's folder; hand it over in `env` instead"
        ));
    }
}

/// Names and values of a spec that hold the value of a secret variable, masked.
fn held_secrets(spec: &Spec) -> BTreeSet<String> {
    let redactor = Redactor::from_env(environment::read());
    let tasks = spec.tasks.iter().map(|task| &task.params);
    let params = tasks.chain(spec.arms.iter().map(|arm| &arm.params));
    let texts = params
        .flat_map(Params::iter)
        .flat_map(|(name, value)| [name.to_owned(), Params::display(value)]);
    let axes = spec
        .tasks
        .iter()
        .map(|task| &task.sweep)
        .chain([&spec.sweep]);
    let axes = axes.flat_map(|sweep| &sweep.axes);
    let axes = axes.flat_map(|axis| {
        axis.values
            .iter()
            .map(Params::display)
            .chain([axis.name.clone()])
    });
    let metrics = spec.metrics.iter().map(|metric| metric.name.clone());
    let texts = texts.chain(axes).chain(metrics);
    texts
        .filter_map(|text| match redactor.redact(&text) {
            Cow::Owned(masked) => Some(masked),
            Cow::Borrowed(_) => None,
        })
        .collect()
}

/// How many of the problems are errors.
pub(crate) fn count_errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .count()
}

/// The closing line for an invalid spec.
pub(crate) fn invalid(spec: &Path, errors: usize) -> String {
    let problems = counted(errors, "problem");
    format!("{} has {problems}; nothing was run", spec.display())
}
