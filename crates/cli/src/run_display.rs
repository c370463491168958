//! A run as a person sees it: its progress while it lives, then what it came to.

use crate::closing_words::closing_words;
use crate::console::Console;
use crate::printer::Printer;
use crate::progress::{Detail, Progress, outcome_words};
use crate::resume_words::ResumeWords;
use crate::words::show_notice;
use fairtrial_analysis::confirm::Confirmation;
use fairtrial_engine::RunRequest;
use fairtrial_journal::RunStatus;
use fairtrial_report::RunAnswer;
use fairtrial_session::{Event, Listener, Notice, RunEvent, RunResult};
use std::sync::{Arc, Mutex, PoisonError};

/// How the result is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As tables and sentences.
    Text,
    /// As one JSON object, printed by the caller.
    Json,
}

impl Shown {
    /// By the flag that asks for JSON.
    pub(crate) const fn json(asked: bool) -> Self {
        if asked { Self::Json } else { Self::Text }
    }
}

/// Shows runs.
pub(crate) struct RunDisplay {
    printer: Printer,
    /// What a command needs so that it finds the run.
    data_words: String,
    shown: Shown,
    /// What is shown meanwhile; absent for warnings alone.
    detail: Option<Detail>,
    /// What was typed to have the run; absent where the run itself says it.
    typed: Option<ResumeWords>,
    progress: Mutex<Option<Progress>>,
}

impl RunDisplay {
    /// A display of runs.
    pub(crate) fn new(console: &Console, shown: Shown, detail: Option<Detail>) -> Self {
        Self {
            printer: console.printer,
            data_words: console.data_words(),
            shown,
            detail,
            typed: None,
            progress: Mutex::new(None),
        }
    }

    /// The same, with what was typed to have the run.
    pub(crate) fn typed(self, typed: ResumeWords) -> Self {
        Self {
            typed: Some(typed),
            ..self
        }
    }

    fn starting(&self, request: &RunRequest) {
        let spec = request.plan.spec();
        if let Some(detail) = self.detail {
            self.printer.tell(format!(
                "config={} name={} tasks={} trials={} parallel={}",
                spec.source,
                spec.name,
                spec.tasks.len(),
                request.plan.len(),
                request.slots
            ));
            let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            *progress = Some(Progress::new(
                self.printer,
                detail,
                Arc::clone(&request.plan),
            ));
        }
    }

    fn happened(&self, event: RunEvent) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        match (progress.as_mut(), event) {
            (Some(progress), event) => progress.show(event),
            (None, RunEvent::Warning(text)) => self.printer.warn(text),
            (None, _) => {}
        }
    }

    /// Takes the live line away.
    fn left(&self) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(progress) = progress.take() {
            progress.finish();
        }
    }

    fn notice(&self, notice: &Notice) {
        let Notice::Elsewhere {
            holder,
            counts,
            trials,
        } = notice
        else {
            return show_notice(notice, self.printer);
        };
        if self.detail.is_none() {
            return;
        }
        if let Some(holder) = holder {
            self.printer
                .tell(format!("this run is controlled by {holder}"));
        }
        self.printer.tell(format!(
            "{}/{trials} completed ({})",
            counts.total(),
            outcome_words(counts)
        ));
    }

    /// Prints what a reader wants, unless JSON was asked for.
    fn result(&self, result: &RunResult) {
        if self.shown == Shown::Json {
            return;
        }
        let printer = self.printer;
        let terminal = printer.terminal();
        let typed = self.typed.clone().unwrap_or_else(|| ResumeWords {
            spec: result.spec.source.clone().into(),
            set: result.set.clone(),
            as_recorded: false,
            data_words: self.data_words.clone(),
        });
        // Of a finished run the verdict is the last thing on the screen; of another how it goes on.
        let finished = result.report.status == RunStatus::Finished;
        let close = || closing_words(&result.report, &result.spec, &typed, printer);
        if finished {
            close();
        }
        if self.detail.is_some_and(|detail| detail >= Detail::Lines) {
            tables(result, printer);
        }
        let answer = RunAnswer {
            summary: &result.summary,
            trajectory: result.trajectory.as_ref(),
            comparison: result.comparison.as_ref(),
            choice: result.choice.as_ref(),
            failures: &result.failures,
            data_words: &self.data_words,
        };
        printer.page(fairtrial_report::console::answer(&answer, terminal));
        if let Some(choice) = &result.choice
            && result.spec.analysis.confirm.is_none()
        {
            let file = typed.spec.display().to_string();
            printer.tell(fairtrial_report::sweep::confirm_sentence(
                choice,
                &Confirmation::NotAsked,
                (result.report.run.name(), Some(&file)),
            ));
        }
        if !finished {
            close();
        }
    }
}

/// What the answer rests on, for those who asked for more.
fn tables(result: &RunResult, printer: Printer) {
    let terminal = printer.terminal();
    printer.page(fairtrial_report::console::summary(
        &result.summary,
        terminal,
    ));
    if let Some(trajectory) = &result.trajectory {
        printer.page(fairtrial_report::console::trajectory(trajectory, terminal));
    }
    if let Some(comparison) = &result.comparison {
        printer.page(fairtrial_report::console::comparison(
            comparison, None, terminal,
        ));
    }
    if let Some(choice) = &result.choice {
        let alpha = result.spec.analysis.alpha();
        printer.page(fairtrial_report::console::sweep(
            std::slice::from_ref(choice),
            &[],
            alpha,
            terminal,
        ));
    }
}

impl Listener for RunDisplay {
    fn hear(&self, event: Event<'_>) {
        match event {
            Event::Starting(request) => self.starting(request),
            Event::Run(event) => self.happened(event),
            Event::Looked(_) | Event::Bisect(_) => {}
            Event::Left => self.left(),
            Event::Result(result) => self.result(result),
            Event::Notice(notice) => self.notice(&notice),
        }
    }
}
