//! What a person sees while a run lives: a live line on a terminal, plain lines elsewhere.

use crate::printer::Printer;
use fairtrial_engine::{Ending, JobGroup, RunEvent, StopReason};
use fairtrial_journal::OutcomeCounts;
use fairtrial_model::{Outcome, TrialKey};
use fairtrial_plan::Plan;
use fairtrial_spec::Work;
use fairtrial_text::count::{count, counted};
use fairtrial_text::duration::span;
use fairtrial_text::escape::terminal_line_painted;
use fairtrial_text::significant::short;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::sync::Arc;
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
    plan: Arc<Plan>,
    begun: Instant,
    /// Ends that this process saw.
    seen: u64,
    trials: u64,
    ended: u64,
    failures: u64,
    last_plain: Instant,
    partial: HashMap<(String, bool), Vec<u8>>,
    /// Warnings, in the order in which they came, and how often.
    warned: Vec<(String, u64)>,
}

impl Progress {
    /// A display that has not begun.
    pub(crate) fn new(printer: Printer, detail: Detail, plan: Arc<Plan>) -> Self {
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
            plan,
            begun: last_plain,
            seen: 0,
            trials: 0,
            ended: 0,
            failures: 0,
            last_plain,
            partial: HashMap::new(),
            warned: Vec::new(),
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
                self.begun = Instant::now();
                self.say(&format!("output: {}", dir.display()));
                let where_to = slots.map_or(String::new(), |slots| {
                    format!(" on {}", counted(slots as u64, "slot"))
                });
                let known = if done > 0 {
                    format!(" ({done} are done already)")
                } else {
                    String::new()
                };
                self.say(&format!(
                    "starting {due} of {}{where_to}{known}",
                    counted(trials, "trial")
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
            RunEvent::Jobs(groups) => self.bar.set_prefix(job_words(&groups)),
            RunEvent::Ended(endings) => self.ended(&endings),
            RunEvent::Stopping(reason) => self.stopping(&reason),
            // For the caller, who reads what there is.
            RunEvent::Closed(..) => {}
            RunEvent::Note(text) => self.say(&text),
            RunEvent::Warning(text) => self.warn(text),
        }
    }

    /// Takes the live line away.
    pub(crate) fn finish(mut self) {
        let left: Vec<_> = self.partial.drain().collect();
        for ((name, stderr), rest) in left {
            self.output_line(&name, stderr, &rest);
        }
        self.bar.finish_and_clear();
        for (text, times) in self.warned.iter().filter(|(_, times)| *times > 1) {
            self.printer
                .warn(format!("{} times: {text}", count(*times)));
        }
    }

    /// A warning that comes again is counted, and told of once more at the end.
    fn warn(&mut self, text: String) {
        if let Some((_, times)) = self.warned.iter_mut().find(|(known, _)| *known == text) {
            *times += 1;
            return;
        }
        let printer = self.printer;
        self.bar.suspend(|| printer.warn(&text));
        self.warned.push((text, 1));
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
            self.seen += 1;
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
        let key = self.plan.trial(ending.index).map(|trial| trial.key.clone());
        let task = self.plan.task(ending.index);
        let who = key.map_or_else(|| name.clone(), |key| self.who(&key));
        let value = self.value_words(ending);
        if task.is_some_and(|task| matches!(task.work, Work::Prepared { .. })) {
            return format!(
                "{mark} Task {name} completed ({outcome}{cause}){again}: {who}{took}{value} {}",
                self.place(&ending.counts)
            );
        }
        let outcome = if failed {
            format!(" {outcome}{cause}")
        } else {
            String::new()
        };
        format!(
            "{mark} {who}{outcome}{again}{took}{value} {}",
            self.place(&ending.counts)
        )
    }

    /// What tells a trial from the others: `candidate seed 1072 (train)`.
    fn who(&self, key: &TrialKey) -> String {
        let spec = self.plan.spec();
        let mut parts: Vec<String> = Vec::new();
        parts.extend(key.arm.clone());
        if !key.point.is_empty() {
            parts.push(key.point.to_string());
        }
        parts.push(format!("seed {}", key.seed));
        if key.rollout > 0 {
            parts.push(format!("rollout {}", key.rollout));
        }
        if spec.tasks.len() > 1 || key.arm.is_none() {
            parts.push(format!("({})", key.task));
        }
        parts.join(" ")
    }

    /// `, reward 1.45`.
    fn value_words(&self, ending: &Ending) -> String {
        let metric = self.plan.spec().primary_metric();
        match (metric, ending.value) {
            (Some(metric), Some(value)) => format!(", {metric} {}", short(value)),
            _ => String::new(),
        }
    }

    /// `[12/30, 1 failed, 2m left]`.
    fn place(&self, counts: &OutcomeCounts) -> String {
        let mut parts = vec![format!("{}/{}", self.ended, self.trials)];
        let trouble = trouble(counts);
        if !trouble.is_empty() {
            parts.push(trouble);
        }
        parts.extend(self.left());
        format!("[{}]", parts.join(", "))
    }

    /// How long it will take at the pace so far: `40 s left`; nothing where that would be no help.
    fn left(&self) -> Option<String> {
        let rest = self.trials.saturating_sub(self.ended);
        let pace = self.begun.elapsed().as_secs_f64() / self.seen.max(1) as f64;
        let left = (pace * rest as f64).round();
        let words = if left < 120.0 {
            format!("{left} s left")
        } else {
            format!("{} left", span(left))
        };
        (self.seen > 0 && left >= 1.0).then_some(words)
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
            StopReason::Detach => "leaving: the jobs run on without this terminal".to_owned(),
            StopReason::Unsubmitted => "stopping: nothing was submitted".to_owned(),
            StopReason::Cancel => "stopping: trials in flight are being ended".to_owned(),
            StopReason::Budget(cap) => {
                let key = cap.key();
                format!(
                    "stopping: the {key} budget is spent; trials in flight may finish \
                     (a larger `budget.{key}` and --resume continue it)"
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

/// What a scheduler says of the jobs: `3 running, 9 pending (Resources)`.
pub(crate) fn job_words(groups: &[JobGroup]) -> String {
    let words = groups.iter().map(|group| {
        let reason = group.reason.as_ref();
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        format!("{} {}{reason}", group.jobs.len(), group.state)
    });
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
