//! Which commit changed a metric: each candidate is built once, measured beside both ends of the range, and the search goes on
//! from what was seen. What was measured is kept, so that the same question goes on where it was left.

mod answer;
pub(crate) mod commit;
mod kept;
mod prepared;
mod question;
mod range;
mod rule;

pub use commit::BisectCommit;
pub use prepared::PreparedBisect;
pub use question::BisectQuestion;

use crate::bench::{BenchStep, Benched};
use crate::error::SessionError;
use crate::events::{BisectEvent, Event};
use crate::session::Session;
use fairtrial_analysis::bench::BenchEnd;
use fairtrial_analysis::bisect::{Evidence, Finding, Next, next};
use fairtrial_engine::Controls;
use kept::Kept;
use range::Range;
use rule::StepRule;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the benchmark that the steps of a bisect are runs of.
pub(crate) const BISECT: &str = "bisect";

/// What a bisect came to.
#[derive(Debug)]
pub struct Bisected {
    /// The commits of the range, from the good end to the bad one; findings name places in it.
    commits: Vec<BisectCommit>,
    /// The answer, in the order of the range; empty where it was interrupted.
    findings: Vec<Finding>,
    /// Whether the user ended it.
    interrupted: bool,
    /// Why commits were skipped, by their place.
    skipped: BTreeMap<usize, String>,
    /// Commits that were built, or tried to be.
    builds: usize,
    /// Runs of the command that count.
    trials: usize,
    /// The runs in which they were measured.
    runs: Vec<String>,
    /// What was asked.
    question: BisectQuestion,
}

impl Session {
    /// Looks at what is asked; nothing is built or run.
    pub fn prepare_bisect(&self, question: BisectQuestion) -> Result<PreparedBisect, SessionError> {
        question.check()?;
        let range = Range::of(&question, &self.caller().folder)?;
        let prepared = PreparedBisect { question, range };
        // What a bench of the ends refuses is refused before anything is built.
        self.prepare_bench(prepared.bench_of(&[0, prepared.range.last()], 0))?;
        Ok(prepared)
    }

    /// Builds and measures until it is known which commit it is, or that it cannot be.
    pub fn bisect(
        &self,
        bisect: &PreparedBisect,
        controls: &Controls,
    ) -> Result<Bisected, SessionError> {
        let mut kept = Kept::open(&self.data_root(), bisect)?;
        let (trials, skipped) = (kept.trials(), kept.skipped.len());
        if trials > 0 || skipped > 0 {
            self.hear(Event::Bisect(BisectEvent::GoesOn { trials, skipped }));
        }
        let rules = bisect.rules();
        loop {
            let arms = match next(&kept.evidence, &rules) {
                Next::Answer(findings) => return Ok(bisect.came_to(kept, Some(findings))),
                Next::Measure(arms) => arms,
            };
            let before = (kept.trials(), kept.skipped.len());
            match self.step(bisect, &mut kept, (&arms, controls)) {
                Ok(Stepped::On) if before == (kept.trials(), kept.skipped.len()) => {
                    let why = "a step of the bisect measured nothing";
                    return Err(SessionError::Machine(why.to_owned()));
                }
                Ok(Stepped::On) => {}
                Ok(Stepped::Interrupted) | Err(SessionError::BenchInterrupted { .. }) => {
                    return Ok(bisect.came_to(kept, None));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Builds what is not built yet and measures these commits in turns.
    fn step(
        &self,
        bisect: &PreparedBisect,
        kept: &mut Kept,
        (arms, controls): (&[usize], &Controls),
    ) -> Result<Stepped, SessionError> {
        let commits = &bisect.range.commits;
        let is_end = |place: usize| place == 0 || place == bisect.range.last();
        for place in arms.iter().copied() {
            let commit = &commits[place];
            let building = || self.hear(Event::Bisect(BisectEvent::Building(commit)));
            let made = self.build_first(&bisect.bench_of(&[place], 0), (controls, &building));
            if controls.is_asked() {
                return Ok(Stepped::Interrupted);
            }
            match made {
                Ok(()) => {}
                Err(SessionError::Engine(error)) if !is_end(place) => {
                    return self.skip(kept, (place, commit), &error.to_string());
                }
                Err(error) => return Err(of_end(commit, error)),
            }
        }
        let measured: Vec<&BisectCommit> = arms.iter().map(|place| &commits[*place]).collect();
        self.hear(Event::Bisect(BisectEvent::Measuring {
            commits: &measured,
            blocks: kept.blocks_of(arms),
        }));
        let prepared = self.prepare_bench(bisect.bench_of(arms, kept.blocks_of(arms)))?;
        let rule = StepRule::new(kept, (arms, prepared.names()), bisect.rules());
        let step = BenchStep {
            name: BISECT,
            rule: Box::new(rule.clone()),
        };
        let benched = self.bench_as(&prepared, controls, Some(step));
        *kept = rule.into_kept()?;
        let (failed, why, said) = match benched {
            Ok(benched) if benched.end == Some(BenchEnd::Interrupted) => {
                return Ok(Stepped::Interrupted);
            }
            Ok(Benched {
                failure: Some(failure),
                ..
            }) => {
                let how = format!("ended with {}", failure.how);
                (failure.command, how, failure.said)
            }
            Ok(_) => return Ok(Stepped::On),
            Err(SessionError::BenchFailed { command, how, said }) => (command, how, said),
            Err(error) => return Err(error),
        };
        let place = measured.iter().position(|it| it.is_named(&failed));
        match place.map(|place| arms[place]) {
            Some(place) if !is_end(place) => self.skip(kept, (place, &commits[place]), &why),
            end => Err(SessionError::BenchFailed {
                command: end.map_or(failed, |end| commits[end].named()),
                how: why,
                said,
            }),
        }
    }

    /// A commit that cannot be measured takes no further part.
    fn skip(
        &self,
        kept: &mut Kept,
        (place, commit): (usize, &BisectCommit),
        why: &str,
    ) -> Result<Stepped, SessionError> {
        self.hear(Event::Bisect(BisectEvent::Skipped { commit, why }));
        kept.skip(place, why)?;
        Ok(Stepped::On)
    }
}

/// How a step ended.
enum Stepped {
    On,
    Interrupted,
}

/// An end that does not build leaves nothing to compare with.
fn of_end(commit: &BisectCommit, error: SessionError) -> SessionError {
    match error {
        SessionError::Engine(error) => SessionError::Input(format!(
            "{}, an end of the range, does not build: {error}",
            commit.named()
        )),
        error => error,
    }
}

impl PreparedBisect {
    fn came_to(&self, kept: Kept, findings: Option<Vec<Finding>>) -> Bisected {
        Bisected {
            commits: self.range.commits.clone(),
            interrupted: findings.is_none(),
            findings: findings.unwrap_or_default(),
            builds: builds(&kept.evidence),
            trials: kept.trials(),
            runs: kept.runs.clone(),
            skipped: kept.skipped,
            question: self.question.clone(),
        }
    }
}

/// Commits that were built, or tried to be.
fn builds(evidence: &Evidence) -> usize {
    let measured = evidence.blocks.iter().flat_map(|block| block.keys());
    let all: BTreeSet<&usize> = measured.chain(&evidence.skipped).collect();
    all.len()
}
