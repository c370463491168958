//! The last lines of a run: what is done, and how it goes on.

use crate::printer::Printer;
use crate::progress::outcome_words;
use crate::resume_words::ResumeWords;
use fairtrial_engine::{Cap, RunReport, StopReason};
use fairtrial_journal::RunStatus;
use fairtrial_spec::{Budget, Spec, Work};

/// Says how a run ended.
pub(crate) fn closing_words(
    report: &RunReport,
    spec: &Spec,
    typed: &ResumeWords,
    printer: Printer,
) {
    let ended = report.counts.total();
    // One that was ended in the middle has none.
    let answered = ended - report.counts.cancelled;
    if report.status == RunStatus::Detached {
        detached_words(report, printer);
    } else if report.status == RunStatus::Finished && ended < report.trials {
        let why = stop_words(report, "decided");
        printer.tell(format!("✓ {why} ({})", outcome_words(&report.counts)));
    } else if answered < report.trials {
        let why = stop_words(report, "stopped");
        printer.tell(format!(
            "{why}: {answered} of {} trials are done",
            report.trials
        ));
        printer.tell(going_on(report, &spec.budget, typed));
    } else {
        let mark = if report.counts.ok == report.trials {
            "✓"
        } else {
            "✗"
        };
        let (trials, outcomes) = (report.trials, outcome_words(&report.counts));
        printer.tell(if has_rollouts(spec) {
            format!("{mark} All {trials} tasks completed! ({outcomes})")
        } else {
            match trials {
                1 => format!("{mark} the trial has ended ({outcomes})"),
                _ => format!("{mark} all {trials} trials have ended ({outcomes})"),
            }
        });
    }
}

/// Whether the run has tasks of agents, whose progress is told in the words that their users' scripts look for.
pub(crate) fn has_rollouts(spec: &Spec) -> bool {
    let mut tasks = spec.tasks.iter();
    tasks.any(|task| matches!(task.work, Work::Prepared { .. }))
}

/// Why a run stopped, or another word where it does not say.
fn stop_words(report: &RunReport, else_word: &str) -> String {
    let reason = report.stopped.as_ref();
    reason.map_or_else(|| else_word.to_owned(), ToString::to_string)
}

/// How a run goes on. Caps but that on time are of the whole run, however often it is resumed.
fn going_on(report: &RunReport, budget: &Budget, typed: &ResumeWords) -> String {
    match &report.stopped {
        Some(StopReason::Budget(cap)) if *cap != Cap::Time => {
            let key = cap_key(*cap, budget);
            let command = typed.resume(Some(&format!("{key}=N")));
            format!("raise `{key}` to continue, as by `{command}`")
        }
        _ => format!("`{}` resumes it", typed.resume(None)),
    }
}

/// The key that raises a cap. Where the spec names the metric that is counted, the cap is a part of a table: a number in
/// the place of the whole would drop the name.
fn cap_key(cap: Cap, budget: &Budget) -> String {
    let (sum, usual) = match cap {
        Cap::Cost => (budget.cost.as_ref(), Budget::COST_METRIC),
        Cap::Tokens => (budget.tokens.as_ref(), Budget::TOKENS_METRIC),
        Cap::Time | Cap::Trials => (None, ""),
    };
    let names_metric = sum.is_some_and(|sum| sum.metric != usual);
    let part = if names_metric { ".max" } else { "" };
    format!("budget.{}{part}", cap.key())
}

/// A run that goes on elsewhere, and how to come back to it.
fn detached_words(report: &RunReport, printer: Printer) {
    let name = report.run.name();
    let answered = report.counts.total() - report.counts.cancelled;
    printer.tell(format!(
        "{answered} of {} trials are done; the jobs run on without this terminal",
        report.trials
    ));
    printer.tell(format!(
        "`fairtrial watch {name}`, `wait {name}`, `status {name}`, `cancel {name}` from anywhere"
    ));
}
