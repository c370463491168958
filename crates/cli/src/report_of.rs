//! The report of a run, made for showing, for checking and for reporters alike.

use crate::environment;
use crate::exit::Failure;
use crate::printer::Printer;
use fairtrial_analysis::report::{ReportData, ReportOptions, report};
use fairtrial_journal::provenance::Environment;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{RunDir, read_if_there, resolved_spec};
use fairtrial_model::Stamp;

/// Makes the report of a run from its evidence, for showing: without the secrets of this environment. `history` names the
/// runs of one that is made again.
pub(crate) fn report_of(
    run: &RunDir,
    history: Option<Vec<Stamp>>,
    printer: Printer,
) -> Result<ReportData, Failure> {
    let mut data = unmasked_report_of(run, history, printer)?;
    data.mask(&Redactor::from_env(environment::read()));
    Ok(data)
}

/// The same with the logs' lines as the programs wrote them, for comparing.
pub(crate) fn unmasked_report_of(
    run: &RunDir,
    history: Option<Vec<Stamp>>,
    printer: Printer,
) -> Result<ReportData, Failure> {
    let spec = resolved_spec(run)?;
    let environment = recorded_environment(run, printer);
    Ok(report(run, &spec, environment, &ReportOptions { history })?)
}

/// The run's `environment.json`; why it cannot be read is said.
pub(crate) fn recorded_environment(run: &RunDir, printer: Printer) -> Option<Environment> {
    read_environment(run).unwrap_or_else(|failure| {
        printer.warn(failure.message);
        None
    })
}

/// The run's `environment.json`, where it has one.
pub(crate) fn read_environment(run: &RunDir) -> Result<Option<Environment>, Failure> {
    let path = run.environment();
    let Some(text) = read_if_there(&path)? else {
        return Ok(None);
    };
    let read = serde_json::from_slice(&text).map(Some);
    read.map_err(|error| Failure::machine(format!("{}: {error}", path.display())))
}
