//! Before the first measured run: what the shell costs by itself, and warm-ups until the times are stable.

use super::command::Programs;
use super::question::{BenchQuestion, for_command};
use super::spec;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_engine::{Controls, Printed, Rehearsal, Rehearsed, run_beside};
use fairtrial_model::{Exit, Timed, TimedOutput};
use fairtrial_process::Program;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rounds of warm-ups at most, where their number is left to us.
const MOST_ROUNDS: u32 = 5;
/// And so long at most.
const LONGEST: Duration = Duration::from_secs(3);
/// Two runs that differ by less than this share are alike.
const ALIKE: f64 = 0.05;
/// Or by less than so many seconds.
const ALIKE_S: f64 = 0.0002;
/// Bytes printed that take no time worth a word to read.
const MUCH_PRINTED: u64 = 64 << 10;
/// Runs of an empty shell.
const SHELL_RUNS: usize = 20;

/// What was seen before the first measured run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Warmth {
    /// What an empty shell takes of what is compared (seconds, of times), where commands run in one.
    pub shell: Option<f64>,
    /// Wall seconds of the warm-ups, by command.
    pub times: Vec<Vec<f64>>,
    /// Whether the commands print different things; absent where that was not seen.
    pub outputs_differ: Option<bool>,
}

impl Warmth {
    /// Seconds that one run of each command takes together at the quickest; absent where none was made.
    pub(super) fn round(&self) -> Option<f64> {
        let quickest = |times: &Vec<f64>| times.iter().copied().min_by(f64::total_cmp);
        let times: Option<Vec<f64>> = self.times.iter().map(quickest).collect();
        times
            .filter(|times| !times.is_empty())
            .map(|times| times.iter().sum())
    }
}

/// Everything that is run before the first measured run.
pub(super) struct Rehearsing<'a> {
    pub(super) session: &'a Session,
    pub(super) question: &'a BenchQuestion,
    pub(super) programs: &'a Programs,
    pub(super) timed: &'a [Timed],
    pub(super) controls: &'a Controls,
}

impl Rehearsing<'_> {
    /// Sets up, measures the shell and warms up.
    pub(super) fn run(&self) -> Result<Warmth, SessionError> {
        let set_up = self.once("setup", &self.question.setup);
        self.unless_asked("setup")?;
        set_up?;
        let warmth = self.warm_up();
        self.unless_asked("warm-up")?;
        warmth
    }

    /// Whatever went wrong after an end was asked for went wrong because of it.
    fn unless_asked(&self, during: &'static str) -> Result<(), SessionError> {
        if self.controls.is_asked() {
            return Err(SessionError::BenchInterrupted { during });
        }
        Ok(())
    }

    fn warm_up(&self) -> Result<Warmth, SessionError> {
        if self.question.warmup == Some(0) && self.programs.shell.is_none() {
            return Ok(Warmth::default());
        }
        let caller = self.session.caller();
        let mut stage = Rehearsal::start(
            &caller.program,
            &caller.environment,
            (caller.now, self.controls),
        )?
        .measuring(spec::resource(self.question.metric, 0.0));
        let mut warmth = Warmth {
            shell: self.shell(&mut stage)?,
            times: vec![Vec::new(); self.programs.arms.len()],
            outputs_differ: None,
        };
        let began = Instant::now();
        let rounds = self.question.warmup.unwrap_or(MOST_ROUNDS);
        let mut printed = Vec::new();
        for round in 0..rounds {
            let looks = round == 0;
            let seen = self.round(&mut stage, looks, &mut warmth.times)?;
            if looks {
                printed = seen;
            }
            let unasked = self.question.warmup.is_none();
            if unasked
                && (began.elapsed() >= LONGEST || warmth.times.iter().all(|it| is_stable(it)))
            {
                break;
            }
        }
        if printed.len() > 1 {
            warmth.outputs_differ = Some(printed.iter().any(|other| *other != printed[0]));
        }
        for (times, printed) in warmth.times.iter_mut().zip(&printed) {
            // Where much is printed, reading it is a part of the time of the round that is looked at.
            if printed.bytes > MUCH_PRINTED && times.len() > 1 {
                times.remove(0);
            }
        }
        Ok(warmth)
    }

    /// One run of each command; gives what each printed, where that is looked at.
    fn round(
        &self,
        stage: &mut Rehearsal,
        looks: bool,
        times: &mut [Vec<f64>],
    ) -> Result<Vec<Printed>, SessionError> {
        let mut printed = Vec::new();
        for (place, arm) in self.programs.arms.iter().enumerate() {
            self.unless_asked("warm-up")?;
            let timed = &self.timed[place];
            self.helper("prepare", &timed.prepare, &arm.folder)?;
            let piped = Timed {
                output: match &timed.output {
                    TimedOutput::Discard if looks => TimedOutput::Pipe,
                    output => output.clone(),
                },
                ..timed.clone()
            };
            let rehearsed = stage.run(&arm.argv, &piped, &arm.folder);
            self.helper("conclude", &timed.conclude, &arm.folder)?;
            check(&arm.name, &rehearsed, timed)?;
            times[place].extend(rehearsed.resources.wall);
            printed.push(rehearsed.stdout);
        }
        Ok(printed)
    }

    /// What an empty shell takes, typically.
    fn shell(&self, stage: &mut Rehearsal) -> Result<Option<f64>, SessionError> {
        let Some(shell) = &self.programs.shell else {
            return Ok(None);
        };
        let argv: Vec<String> = shell
            .iter()
            .cloned()
            .chain(["-c".to_owned(), String::new()])
            .collect();
        let folder = &self.session.caller().folder;
        let plain = Timed {
            quiet: self.question.quiet,
            ..Timed::default()
        };
        let mut spent = Vec::new();
        for run in 0..=SHELL_RUNS {
            let done = stage.run(&argv, &plain, folder);
            check("an empty shell", &done, &plain)?;
            // The first one finds cold caches.
            if run > 0 {
                spent.extend(done.resources.field(self.question.metric.field()));
            }
        }
        spent.sort_unstable_by(f64::total_cmp);
        Ok(spent.get(spent.len() / 2).copied())
    }

    /// Runs a command of the user beside the measured ones.
    fn helper(
        &self,
        what: &'static str,
        argv: &[String],
        folder: &Path,
    ) -> Result<(), SessionError> {
        if argv.is_empty() {
            return Ok(());
        }
        let caller = self.session.caller();
        let program = Program::with_only(&caller.environment, argv, None).dir(folder);
        Ok(run_beside(what, program, self.controls)?)
    }

    /// Runs what belongs before the first or after the last run of each command.
    pub(super) fn once(&self, what: &'static str, list: &[String]) -> Result<(), SessionError> {
        for (place, arm) in self.programs.arms.iter().enumerate() {
            if let Some(text) = for_command(list, place) {
                self.helper(what, &self.programs.helper(text), &arm.folder)?;
            }
            if list.len() == 1 && self.question.revisions.is_empty() {
                // One for all commands is run once: they run in turns, not one after the other. Revisions each have a
                // folder of their own.
                break;
            }
        }
        Ok(())
    }
}

fn is_stable(times: &[f64]) -> bool {
    let [.., before, last] = times else {
        return false;
    };
    (last - before).abs() <= (ALIKE * before).max(ALIKE_S)
}

/// A command that fails is said to, with what it said, before anything is measured.
fn check(name: &str, done: &Rehearsed, timed: &Timed) -> Result<(), SessionError> {
    let how = match done.exit {
        Some(Exit::Code(code)) if timed.accepts.code(code) => return Ok(()),
        Some(Exit::Code(code)) => format!("ended with exit code {code}"),
        Some(Exit::Signal(signal)) => format!("was ended by signal {signal}"),
        None => done
            .cause
            .clone()
            .unwrap_or_else(|| "could not be run".to_owned()),
    };
    Err(SessionError::BenchFailed {
        command: name.to_owned(),
        how,
        said: String::from_utf8_lossy(&done.stderr).trim_end().to_owned(),
    })
}
