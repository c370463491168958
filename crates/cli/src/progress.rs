//! What a person sees while a run lives: a live line on a terminal, plain lines elsewhere.

use crate::printer::Printer;
use fairtrial_engine::{Ending, RunEvent, StopReason};
use fairtrial_journal::OutcomeCounts;
use fairtrial_model::Outcome;
use fairtrial_text::duration::span;
use fairtrial_text::escape::terminal_line_painted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// The live line, ends of trials in small runs, failures in large ones.
    Quiet,
    /// Every start and end.
    Lines,
    /// And everything that trials write.
    Output,
}

/// In runs of more trials than this, quiet mode shows only failures one by one.
const SMALL: u64 = 200;
/// Failures shown one by one in a large run.
const SHOWN_FAILURES: u64 = 20;
/// How often a large run that is not on a terminal says where it is.
const PLAIN_STEP: Duration = Duration::from_secs(10);

/// The display of one run.
pub(crate) struct Progress {
    printer: Printer,
    detail: Detail,
    bar: ProgressBar,
    trials: u64,
    ended: u64,
    failures: u64,
    last_plain: Instant,
    partial: HashMap<(String, bool), Vec<u8>>,
}

impl Progress {
    /// A display that has not begun.
    pub(crate) fn new(printer: Printer, detail: Detail) -> Self {
        let live = detail == Detail::Quiet && io::stderr().is_terminal();
        let bar = if live {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        let last_plain = Instant::now();
        Self {
            printer,
            detail,
            bar,
            trials: 0,
            ended: 0,
            failures: 0,
            last_plain,
            partial: HashMap::new(),
        }
    }

    /// Shows an event.
    pub(crate) fn show(&mut self, event: RunEvent) {
        match event {
            RunEvent::Opened {
                dir,
                trials,
                done,
                due,
                slots,
            } => {
                self.trials = trials;
                self.ended = done;
                self.say(&format!("output: {}", dir.display()));
                let where_to = slots.map_or(String::new(), |slots| format!(" on {slots} slots"));
                let known = if done > 0 {
                    format!(" ({done} have their answer already)")
                } else {
                    String::new()
                };
                self.say(&format!(
                    "starting {due} of {trials} trials{where_to}{known}"
                ));
                self.begin_bar();
            }
            RunEvent::Started {
                slot,
                key,
                attempt,
                name,
            } => {
                if self.detail >= Detail::Lines {
                    let again = if attempt > 1 {
                        format!(" attempt {attempt}")
                    } else {
                        String::new()
                    };
                    self.say(&format!(
                        "{name} started on slot {slot}: {}{again}",
                        key.label()
                    ));
                }
            }
            RunEvent::Output {
                name,
                stderr,
                bytes,
            } => self.output(name, stderr, &bytes),
            RunEvent::Submitted {
                engine,
                handle,
                jobs,
                trials,
            } => self.say(&format!(
                "submitted {trials} trials in {jobs} jobs to {engine} as {handle}"
            )),
            RunEvent::Jobs(states) => self.bar.set_prefix(job_words(&states)),
            RunEvent::Ended(endings) => self.ended(&endings),
            RunEvent::Stopping(reason) => self.stopping(&reason),
            // For the caller, who reads what there is.
            RunEvent::Closed(..) => {}
            RunEvent::Note(text) => self.say(&text),
            RunEvent::Warning(text) => {
                let printer = self.printer;
                self.bar.suspend(|| printer.warn(text));
            }
        }
    }

    /// Takes the live line away.
    pub(crate) fn finish(mut self) {
        let left: Vec<_> = self.partial.drain().collect();
        for ((name, stderr), rest) in left {
            self.output_line(&name, stderr, &rest);
        }
        self.bar.finish_and_clear();
    }

    fn begin_bar(&self) {
        let template =
            "{spinner} Running tasks... {pos}/{len} completed  {msg}  {prefix}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
        }
        self.bar.set_length(self.trials);
        self.bar.set_position(self.ended);
        self.bar.reset_eta();
        // The bar's own thread is not worth a failure: it is for a terminal, and where another one can be had.
        let can_start = || std::thread::Builder::new().spawn(|| {}).is_ok();
        if !self.bar.is_hidden() && can_start() {
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
    }

    fn ended(&mut self, endings: &[Ending]) {
        for ending in endings {
            self.end(ending);
        }
        self.bar.set_position(self.ended);
        if let Some(last) = endings.last() {
            self.bar.set_message(trouble(&last.counts));
        }
    }

    fn end(&mut self, ending: &Ending) {
        if !ending.retried {
            self.ended += 1;
        }
        let failed = ending.outcome != Outcome::Ok;
        self.failures += u64::from(failed);
        let shown = match self.detail {
            Detail::Quiet if self.trials <= SMALL => true,
            Detail::Quiet => failed && self.failures <= SHOWN_FAILURES,
            Detail::Lines | Detail::Output => true,
        };
        if shown {
            self.say(&self.end_line(ending, failed));
        } else {
            self.plain_progress(&ending.counts);
        }
    }

    fn end_line(&self, ending: &Ending, failed: bool) -> String {
        let took = ending
            .wall
            .map(|wall| format!(" in {}", span(wall)))
            .unwrap_or_default();
        let cause = ending
            .cause
            .as_ref()
            .map(|cause| format!(": {cause}"))
            .unwrap_or_default();
        let again = if ending.retried { ", trying again" } else { "" };
        let (name, outcome) = (&ending.name, ending.outcome);
        if self.detail >= Detail::Lines {
            return format!(
                "{name} {outcome}{took}{cause}{again} ({}/{})",
                self.ended, self.trials
            );
        }
        let mark = if failed { "✗" } else { "✓" };
        format!("{mark} Task {name} completed ({outcome}{cause}){again}")
    }

    /// Without a terminal a large run says now and then where it is.
    fn plain_progress(&mut self, counts: &OutcomeCounts) {
        if self.bar.is_hidden() && self.last_plain.elapsed() >= PLAIN_STEP {
            self.last_plain = Instant::now();
            self.say(&format!(
                "{}/{} completed{}",
                self.ended,
                self.trials,
                prefixed(&trouble(counts))
            ));
        }
    }

    fn stopping(&mut self, reason: &StopReason) {
        let text = match reason {
            StopReason::Drain => {
                "stopping: trials in flight may finish; Ctrl-C again ends them".to_owned()
            }
            StopReason::Detach => "leaving: the jobs go on without this terminal".to_owned(),
            StopReason::Cancel => "stopping: trials in flight are being ended".to_owned(),
            StopReason::Budget(cap) => {
                let key = cap.key();
                format!(
                    "stopping: the {key} budget is spent; trials in flight may finish \
                     (a larger `budget.{key}` and --resume go on)"
                )
            }
            StopReason::Decided(why) => format!("stopping: {why}; trials in flight may finish"),
            StopReason::Broken(error) => format!("stopping: {error}"),
        };
        self.say(&text);
    }

    /// Output of trials, whole lines only, each behind its trial's name.
    fn output(&mut self, name: String, stderr: bool, bytes: &[u8]) {
        let key = (name, stderr);
        let mut text = self.partial.remove(&key).unwrap_or_default();
        text.extend_from_slice(bytes);
        let mut rest = text.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.output_line(&key.0, stderr, &rest[..end]);
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.partial.insert(key, rest.to_vec());
        }
    }

    fn output_line(&self, name: &str, stderr: bool, line: &[u8]) {
        let mark = if stderr { "!" } else { "|" };
        let line = String::from_utf8_lossy(line);
        let line = terminal_line_painted(&line);
        self.printer.tell_raw(&format!("{name} {mark} {line}"));
    }

    fn say(&self, text: &str) {
        let printer = self.printer;
        self.bar.suspend(|| printer.tell(text));
    }
}

/// The outcomes that there are, in words.
pub(crate) fn outcome_words(counts: &OutcomeCounts) -> String {
    let present = Outcome::ALL
        .into_iter()
        .filter(|outcome| counts.get(*outcome) > 0);
    let words: Vec<String> = present
        .map(|outcome| format!("{} {outcome}", counts.get(outcome)))
        .collect();
    if words.is_empty() {
        "none yet".to_owned()
    } else {
        words.join(", ")
    }
}

/// What a scheduler says of the jobs: `3 running, 9 pending`.
pub(crate) fn job_words(states: &BTreeMap<&'static str, u64>) -> String {
    let words = states.iter().map(|(state, jobs)| format!("{jobs} {state}"));
    words.collect::<Vec<_>>().join(", ")
}

fn trouble(counts: &OutcomeCounts) -> String {
    let bad = Outcome::ALL
        .into_iter()
        .filter(|outcome| *outcome != Outcome::Ok && counts.get(*outcome) > 0);
    bad.map(|outcome| format!("{} {outcome}", counts.get(outcome)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn prefixed(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("  {text}")
    }
}
