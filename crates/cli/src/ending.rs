//! How a run ends for the user: its table, its verdict, the views on disk and the exit code.

use crate::commands::{compare, summarize};
use crate::exit::{Exit, Failure};
use crate::hooks::{self, Told};
use crate::printer::Printer;
use crate::progress::outcome_words;
use crate::report_of::report_of;
use crate::sequential::Watched;
use crate::sources;
use crate::typed::Typed;
use fairtrial_analysis::compare::{SweepChoice, choose_declared};
use fairtrial_analysis::confirm::Confirmation;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_analysis::{Comparison, Dataset, RunSummary, Unfinished, summarize_run};
use fairtrial_engine::{Cap, RunReport, RunRequest, StopReason};
use fairtrial_journal::RunStatus;
use fairtrial_spec::{Budget, Spec};
use serde_json::{Value, json};

/// How the end is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As tables and sentences.
    Text,
    /// As one JSON object, printed by the caller.
    Json,
}

/// What a run came to.
pub(crate) struct Ending<'a> {
    report: &'a RunReport,
    spec: &'a Spec,
    summary: RunSummary,
    trajectory: Option<Trajectory>,
    comparison: Option<Comparison>,
    choice: Option<SweepChoice>,
    data: Option<Dataset>,
    confirmation: Value,
    exit: Exit,
}

impl<'a> Ending<'a> {
    /// Reads the records (unless their summary is there already), writes the views, and finds the verdict.
    pub(crate) fn new(
        (report, summary): (&'a RunReport, Option<RunSummary>),
        request: &'a RunRequest,
        watched: Option<&Watched>,
        printer: Printer,
    ) -> Result<Self, Failure> {
        let spec = request.plan.spec();
        if report.status == RunStatus::Error {
            let why = stop_words(report, "");
            return Err(
                Failure::machine(why).hint("what was recorded is kept: make room and `--resume`")
            );
        }
        let summary = match summary {
            Some(summary) => summary,
            None => summarize_run(&report.run, spec)?,
        };
        summarize::write_views(&report.run, spec, &summary)?;
        let trajectory = watched
            .map(|watched| watched.trajectory(&report.run))
            .transpose()?;
        let judged = Unfinished::of(Some(report.status)).is_none();
        let swept = spec.is_swept();
        let data = (judged && (swept || spec.arms.len() > 1))
            .then(|| sources::open_run(&report.run, printer).map(|source| source.data))
            .transpose()?;
        let comparison = data
            .as_ref()
            .and_then(|data| compare::arms(data, spec, printer))
            .map(|comparison| match &trajectory {
                // Its verdict is in the trajectory; a plain interval would ignore the looks.
                Some(trajectory) => comparison.beside_the_looks(&trajectory.metric),
                None => comparison,
            });
        let choice = data
            .as_ref()
            .filter(|_| swept)
            .and_then(|data| chosen(data, spec, printer));
        Ok(Self {
            exit: exit(report),
            report,
            spec,
            summary,
            trajectory,
            comparison,
            choice,
            data,
            confirmation: Value::Null,
        })
    }

    /// The records as a dataset, where a sweep or arms need one.
    pub(crate) fn data(&self) -> Option<&Dataset> {
        self.data.as_ref()
    }

    /// Prints what a reader wants, unless JSON was asked for.
    pub(crate) fn print(&self, shown: Shown, typed: &Typed, printer: Printer) {
        if shown == Shown::Json {
            return;
        }
        let terminal = printer.terminal();
        printer.page(fairtrial_report::console::summary(&self.summary, terminal));
        if let Some(trajectory) = &self.trajectory {
            printer.page(fairtrial_report::console::trajectory(trajectory, terminal));
        }
        if let Some(comparison) = &self.comparison {
            printer.page(fairtrial_report::console::comparison(
                comparison, None, terminal,
            ));
        }
        if let Some(choice) = &self.choice {
            let alpha = self.spec.analysis.alpha();
            printer.page(fairtrial_report::console::sweep(
                Some(choice),
                &[],
                alpha,
                terminal,
            ));
            if self.spec.analysis.confirm.is_none() {
                let file = typed.spec.display().to_string();
                printer.tell(fairtrial_report::sweep::confirm_sentence(
                    choice,
                    &Confirmation::NotAsked,
                    (self.report.run.name(), Some(&file)),
                ));
            }
        }
        closing_words(self.report, &self.spec.budget, typed, printer);
    }

    /// The whole as JSON.
    pub(crate) fn json(&self) -> Value {
        let report = self.report;
        json!({
            "name": report.run.name(), "stamp": report.run.stamp(), "dir": report.run.path(),
            "status": report.status, "trials": report.trials, "ran": report.ran, "kept": report.kept,
            "counts": report.counts, "summary": self.summary, "sequential": self.trajectory,
            "comparison": self.comparison, "choice": self.choice, "confirmation": self.confirmation,
        })
    }

    /// Whether every trial has its answer.
    pub(crate) fn is_complete(&self) -> bool {
        let report = self.report;
        report.status == RunStatus::Finished && report.counts.total() == report.trials
    }

    /// The records and what was chosen from them, where that is so.
    pub(crate) fn chosen(&self) -> Option<(&Dataset, &SweepChoice)> {
        self.data.as_ref().zip(self.choice.as_ref())
    }

    /// The run.
    pub(crate) fn report(&self) -> &RunReport {
        self.report
    }

    /// Hands the result to the spec's reporters, and tells those who want to know how the run ended.
    pub(crate) fn hand_on(&self, printer: Printer) {
        let (spec, report) = (self.spec, self.report);
        // A run that goes on without us has not ended.
        if report.status == RunStatus::Detached {
            return;
        }
        if !spec.reporters.is_empty() && report.status == RunStatus::Finished {
            match report_of(&report.run, None, printer) {
                Ok(data) => hooks::report_all(&report.run, spec, &data, printer),
                Err(failure) => {
                    printer.warn(format!("no report for the reporters: {}", failure.message));
                }
            }
        }
        let ended = matches!(report.status, RunStatus::Finished | RunStatus::Budget);
        if ended && spec.on_finish.is_some() {
            hooks::tell(spec, Told::Finish, &self.json(), printer);
        }
        if (!ended || self.exit != Exit::Fine) && spec.on_failure.is_some() {
            hooks::tell(spec, Told::Failure, &self.json(), printer);
        }
    }

    /// Takes in how the confirmation ended.
    pub(crate) fn confirmed_by(&mut self, second: &Ending<'_>) {
        self.confirmation = second.json();
        if self.exit == Exit::Fine {
            self.exit = second.exit;
        }
    }

    /// Says that the confirmation which the spec asks for was not made.
    pub(crate) fn not_confirmed(&mut self, why: &str, printer: Printer) {
        printer.warn(format!("the choice was not confirmed: {why}"));
        self.confirmation = json!({ "error": why });
        if self.exit == Exit::Fine {
            self.exit = Exit::Failed;
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }
}

/// The best point of a sweep; where none can be named, why is said.
fn chosen(data: &Dataset, spec: &Spec, printer: Printer) -> Option<SweepChoice> {
    choose_declared(data, spec)
        .map_err(|error| printer.tell(format!("no point is named best: {error}")))
        .ok()
}

fn closing_words(report: &RunReport, budget: &Budget, typed: &Typed, printer: Printer) {
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
            "{why}: {answered} of {} trials have their answer",
            report.trials
        ));
        printer.tell(going_on(report, budget, typed));
    } else {
        let mark = if report.counts.ok == report.trials {
            "✓"
        } else {
            "✗"
        };
        printer.tell(format!(
            "{mark} All {} tasks completed! ({})",
            report.trials,
            outcome_words(&report.counts)
        ));
    }
}

/// Why a run stopped, or another word where it does not say.
fn stop_words(report: &RunReport, else_word: &str) -> String {
    let reason = report.stopped.as_ref();
    reason.map_or_else(|| else_word.to_owned(), ToString::to_string)
}

/// How a run goes on. Caps but that on time are of the whole run, however often it is resumed.
fn going_on(report: &RunReport, budget: &Budget, typed: &Typed) -> String {
    match &report.stopped {
        Some(StopReason::Budget(cap)) if *cap != Cap::Time => {
            let key = cap_key(*cap, budget);
            let command = typed.resume(Some(&format!("{key}=N")));
            format!("raise `{key}` to go on, as by `{command}`")
        }
        _ => format!("`{}` goes on", typed.resume(None)),
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
        "{answered} of {} trials have their answer; the jobs go on without this terminal",
        report.trials
    ));
    printer.tell(format!(
        "`fairtrial watch {name}`, `wait {name}`, `status {name}`, `cancel {name}` from anywhere"
    ));
}

fn exit(report: &RunReport) -> Exit {
    let counts = &report.counts;
    match report.status {
        RunStatus::Cancelled => Exit::Interrupted,
        RunStatus::Detached => Exit::Fine,
        _ if counts.failed + counts.timeout + counts.oom > 0 => Exit::Failed,
        _ if counts.infra > 0 => Exit::Machine,
        // By somebody else, at the scheduler.
        _ if counts.cancelled > 0 => Exit::Interrupted,
        _ if counts.skipped > 0 => Exit::Failed,
        _ => Exit::Fine,
    }
}
