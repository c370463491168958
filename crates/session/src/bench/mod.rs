//! Commands timed against each other: a spec made from what was typed, a real run of it, and its answer.

mod blocks;
mod command;
mod core;
mod counter;
mod expand;
mod parameter;
mod question;
mod refusals;
mod rehearse;
pub(crate) mod revision;
mod rule;
mod spec;
mod step;
mod throttling;

pub use command::{BenchCommand, ShellChoice};
pub use core::quiet_cpu;
pub use counter::Counter;
pub use parameter::BenchParameter;
pub use question::{BenchMetric, BenchQuestion, Runs};
pub use rehearse::Warmth;
pub use spec::BENCH;
pub(crate) use step::BenchStep;

use crate::error::SessionError;
use crate::run::RunResult;
use crate::session::Session;
use blocks::{blocks, waits};
use command::Programs;
use fairtrial_analysis::bench::{
    BenchEnd, CommandAnswer, Noticed, NoticedIn, Timing, noticed, timings,
};
use fairtrial_engine::{Controls, Verbosity, task_cache};
use fairtrial_journal::{DataRoot, RunStatus};
use fairtrial_model::Record;
use refusals::check;
use rehearse::Rehearsing;
use revision::Revisions;
use rule::BenchRule;
use spec::Made;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

/// A bench that can be run: what was asked makes sense, and its programs are there.
#[derive(Debug)]
pub struct PreparedBench {
    question: BenchQuestion,
    runs: RunsWhat,
}

impl PreparedBench {
    /// What its commands are called.
    pub(crate) fn names(&self) -> Vec<String> {
        match &self.runs {
            RunsWhat::Programs(programs) => {
                programs.arms.iter().map(|arm| arm.name.clone()).collect()
            }
            RunsWhat::Revisions(revisions) => {
                revisions.all.iter().map(|it| it.name.clone()).collect()
            }
        }
    }
}

/// What a bench runs.
#[derive(Debug)]
enum RunsWhat {
    /// Programs that are there.
    Programs(Programs),
    /// One command in revisions that are still to be made ready.
    Revisions(Revisions),
}

impl RunsWhat {
    fn commands(&self) -> usize {
        match self {
            Self::Programs(programs) => programs.arms.len(),
            Self::Revisions(revisions) => revisions.all.len(),
        }
    }
}

/// What a bench came to.
#[derive(Debug)]
pub struct Benched {
    /// Its run.
    pub run: RunResult,
    /// The numbers of each command.
    pub timings: Vec<Timing>,
    /// Each command but the first against the first.
    pub answers: Vec<CommandAnswer>,
    /// What a reader should know.
    pub noticed: Vec<NoticedIn>,
    /// What was seen before the first measured run.
    pub warmth: Warmth,
    /// Why it ended before its answer, where it did.
    pub end: Option<BenchEnd>,
    /// The run that ended it by failing.
    pub failure: Option<BenchFailure>,
    /// Why what cleans up failed, where it did.
    pub not_cleaned_up: Option<SessionError>,
    /// What was compared.
    pub metric: BenchMetric,
    /// What counted, where instructions were compared.
    pub counter: Option<Counter>,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// How long the measured runs took, from the first to the last.
    pub took: Duration,
    /// Where the run is, where it is not kept: it goes with this.
    #[allow(
        dead_code,
        reason = "held so that the folder lives as long as the result"
    )]
    nowhere: Option<tempfile::TempDir>,
}

/// A run of a command that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchFailure {
    /// The command.
    pub command: String,
    /// How it ended.
    pub how: String,
    /// What it said on standard error.
    pub said: String,
}

impl Benched {
    /// What its run is called where a run is named.
    pub fn run_name(&self) -> String {
        let run = &self.run.report.run;
        format!("{}/{}", run.name(), run.stamp())
    }
}

impl Session {
    /// Looks at what is asked; nothing is run.
    pub fn prepare_bench(&self, question: BenchQuestion) -> Result<PreparedBench, SessionError> {
        let mut question = expand::expanded(question)?;
        if question.counter.is_some() {
            // Counting again gives the same number.
            question.warmup = Some(0);
            question.runs = Runs::exactly(1);
        }
        let caller = self.caller();
        let runs = if let Some(revisions) = Revisions::of(&question, caller, self.revision_cache())?
        {
            RunsWhat::Revisions(revisions)
        } else {
            let programs = Programs::of(&question.commands, &question.shell, caller)?;
            RunsWhat::Programs(programs.counted_by(question.counter, caller)?)
        };
        check(&question, runs.commands())?;
        Ok(PreparedBench { question, runs })
    }

    /// Sets up, warms up, measures and cleans up, whatever happened.
    pub fn bench(
        &self,
        bench: &PreparedBench,
        controls: &Controls,
    ) -> Result<Benched, SessionError> {
        self.bench_as(bench, controls, None)
    }

    /// The same as a step of something larger, which says by its own rule when it ends.
    pub(crate) fn bench_as(
        &self,
        bench: &PreparedBench,
        controls: &Controls,
        step: Option<BenchStep>,
    ) -> Result<Benched, SessionError> {
        let question = &bench.question;
        // Checked-out revisions are held until the end, so that no other bench removes them.
        let (programs, _held) = match &bench.runs {
            RunsWhat::Programs(programs) => (programs.clone(), Vec::new()),
            RunsWhat::Revisions(revisions) => {
                let ready = self.make_ready(question, revisions, controls);
                if controls.is_asked() {
                    return Err(SessionError::BenchInterrupted { during: "build" });
                }
                ready?
            }
        };
        let rehearsing = Rehearsing {
            session: self,
            question,
            timed: &spec::timed(question, &programs),
            programs: &programs,
            controls,
        };
        let benched = rehearsing
            .run()
            .and_then(|warmth| self.time(&rehearsing, warmth, step));
        let cleaned = rehearsing.once("cleanup", &question.cleanup);
        if let RunsWhat::Revisions(revisions) = &bench.runs {
            revisions.forget_old();
        }
        // What was measured is not lost by what comes after it.
        let mut benched = benched?;
        benched.not_cleaned_up = cleaned.err();
        Ok(benched)
    }

    /// Checks revisions out and builds them, one after the other.
    fn make_ready(
        &self,
        question: &BenchQuestion,
        revisions: &Revisions,
        controls: &Controls,
    ) -> Result<(Programs, Vec<File>), SessionError> {
        let caller = self.caller();
        let (mut folders, mut held) = (Vec::new(), Vec::new());
        for revision in &revisions.all {
            let build = question.build.as_deref();
            let (folder, lock) = revisions.ready(revision, build, (caller, controls, &|| ()))?;
            folders.push((revision.name.clone(), folder));
            held.extend(lock);
        }
        let command = &question.commands[0];
        let programs = Programs::in_folders(command, &question.shell, (&folders, caller))?;
        Ok((programs.counted_by(question.counter, caller)?, held))
    }

    /// Checks out and builds the first revision of a question, unless that was done; says so before.
    pub(crate) fn build_first(
        &self,
        question: &BenchQuestion,
        (controls, building): (&Controls, &dyn Fn()),
    ) -> Result<(), SessionError> {
        let (caller, build) = (self.caller(), question.build.as_deref());
        let revisions = Revisions::of(question, caller, self.revision_cache())?;
        let first = revisions
            .as_ref()
            .and_then(|it| Some((it, it.all.first()?)));
        first.map_or(Ok(()), |(revisions, first)| {
            let ready = revisions.ready(first, build, (caller, controls, building));
            ready.map(drop)
        })
    }

    /// Where revisions are checked out.
    fn revision_cache(&self) -> PathBuf {
        task_cache(&self.data_root()).join("revisions")
    }

    fn time(
        &self,
        bench: &Rehearsing<'_>,
        warmth: Warmth,
        step: Option<BenchStep>,
    ) -> Result<Benched, SessionError> {
        let Rehearsing {
            question,
            programs,
            timed,
            controls,
            ..
        } = *bench;
        let made = Made {
            question,
            programs,
            timed,
            shell: warmth.shell,
            blocks: blocks(question, &warmth),
            name: step.as_ref().map_or(BENCH, |step| step.name),
            ends_by_looks: step.is_none(),
        };
        let spec = made.spec(self.caller())?;
        let asked = serde_json::to_vec_pretty(question)
            .map_err(|error| SessionError::Machine(error.to_string()))?;
        let verbosity = if question.shows_output {
            Verbosity::Output
        } else {
            Verbosity::Ends
        };
        let nowhere = (!question.saves).then(tempfile::tempdir).transpose();
        let nowhere = nowhere.map_err(|error| {
            SessionError::Machine(format!("cannot make a temporary folder: {error}"))
        })?;
        let root = nowhere.as_ref().map(|dir| DataRoot::passing(dir.path()));
        let root = root.unwrap_or_else(|| self.data_root());
        let run = self.prepare_made(spec, asked, (root.clone(), verbosity))?;
        let rule = BenchRule::new(waits(question, programs.arms.len() as u64, made.blocks));
        let throttled = throttling::events();
        let run = self.run_watched(run, controls, Some(step::rule_of(rule.clone(), step)))?;
        let took = rule.took();
        let timings = timings(&run.report.run, &run.spec)?;
        let counts = question.counter.is_some() || question.metric.counter().is_some();
        let mut noticed = if counts {
            Vec::new()
        } else {
            all_noticed(&run, &timings, &warmth)
        };
        let throttled = throttled.zip(throttling::events());
        let times = throttled.map_or(0, |(before, after)| after.saturating_sub(before));
        noticed.extend((times > 0).then_some(NoticedIn {
            command: None,
            what: Noticed::Throttled { times },
        }));
        let answers = run
            .trajectory
            .as_ref()
            .map(|it| CommandAnswer::all(it, took))
            .or_else(|| run.comparison.as_ref().map(CommandAnswer::exact));
        let interrupted = controls.is_asked() && run.report.status != RunStatus::Finished;
        let interrupted = interrupted.then_some(BenchEnd::Interrupted);
        let failed = rule.failed().filter(|_| interrupted.is_none());
        Ok(Benched {
            answers: answers.unwrap_or_default(),
            run,
            timings,
            noticed,
            warmth,
            end: interrupted.or(rule.end()),
            failure: failed.map(|record| failure_of(&record, &root)),
            not_cleaned_up: None,
            metric: question.metric,
            counter: question.counter,
            margin: question.margin,
            took,
            nowhere,
        })
    }
}

fn failure_of(record: &Record, root: &DataRoot) -> BenchFailure {
    let log = root.path().join(&record.dir).join("logs/stderr.log");
    let said = match std::fs::read(log) {
        Ok(text) if !record.dir.is_empty() => String::from_utf8_lossy(&text).into_owned(),
        _ => String::new(),
    };
    let cause = record.cause.as_ref().map(ToString::to_string);
    BenchFailure {
        command: record
            .trial
            .arm
            .as_ref()
            .unwrap_or(&record.trial.task)
            .clone(),
        how: cause.unwrap_or_else(|| record.outcome.to_string()),
        said: said.trim_end().to_owned(),
    }
}

/// What is to be noticed in each command, and between them.
fn all_noticed(run: &RunResult, timings: &[Timing], warmth: &Warmth) -> Vec<NoticedIn> {
    let none = Vec::new();
    let each = timings.iter().enumerate();
    let each =
        each.flat_map(|(place, timing)| noticed(timing, warmth.times.get(place).unwrap_or(&none)));
    let mut found: Vec<NoticedIn> = each.collect();
    if warmth.outputs_differ == Some(true) {
        found.push(NoticedIn {
            command: None,
            what: Noticed::OutputDiffers,
        });
    }
    found.extend(mean_disagrees(run, timings));
    found
}

/// Where the typical pair and the means differ by more than what matters, rare slow runs are in one of them.
fn mean_disagrees(run: &RunResult, timings: &[Timing]) -> Vec<NoticedIn> {
    let Some(trajectory) = &run.trajectory else {
        return Vec::new();
    };
    let mean_of = |name: &str| {
        timings
            .iter()
            .find(|timing| timing.name == name)
            .map(|timing| timing.mean)
    };
    let of = |arm: &String| {
        let look = trajectory.last_look(arm)?;
        let typical = look.result.as_ref()?.estimate;
        let mean = (mean_of(arm)? / mean_of(&trajectory.control)?).ln();
        let margin = look.margin?;
        ((mean - typical).abs() > margin).then(|| NoticedIn {
            command: Some(arm.clone()),
            what: Noticed::MeanDisagrees {
                typical: typical.exp(),
                mean: mean.exp(),
            },
        })
    };
    trajectory.candidates.iter().filter_map(of).collect()
}
