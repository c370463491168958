//! May a change go in? A run against its baseline, or its arms against its control.

mod baseline;

pub use baseline::{Recorded, SavedBaseline};

use crate::error::SessionError;
use crate::session::Session;
use crate::source::Trials;
use fairtrial_analysis::compare::Pairing;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::gate::{Gate, GateOptions, GateRule, gate, gate_sequential};
use fairtrial_analysis::{CompareOptions, Dataset, Inputs, Unfinished};
use fairtrial_journal::{RunDir, RunState};

/// What a gate is asked.
#[derive(Debug, Clone)]
pub struct GateQuestion {
    /// The run to judge; absent for the newest.
    pub run: Option<String>,
    /// What to judge it against; absent for the control arm of the same run.
    pub baseline: Option<String>,
    /// Rules; empty for every declared metric that has a direction.
    pub rules: Vec<GateRule>,
    /// Two-sided error rate of all rules together; absent for the spec's.
    pub alpha: Option<f64>,
    /// The share of trials that the machine may break before nothing is concluded.
    pub most_infra: f64,
    /// The share of each side's trials that must count for a verdict; absent for the spec's.
    pub valid: Option<f64>,
    /// Whether units are compared in pairs.
    pub pairing: Pairing,
    /// Differences between the sides to accept.
    pub accept: Vec<FactKind>,
}

/// What a run with a stopping rule has settled before its gate is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledOption {
    /// The rules.
    Rules,
    /// The error rate.
    Alpha,
    /// The pairing.
    Pairing,
}

impl SettledOption {
    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rules => "the rules",
            Self::Alpha => "the error rate",
            Self::Pairing => "the pairing",
        }
    }
}

impl Session {
    /// Judges a run. One that is not finished is refused ([`SessionError::Unfinished`]).
    pub fn gate(&self, question: &GateQuestion) -> Result<Gate, SessionError> {
        let candidate = self.gated_run(question.run.as_deref())?;
        finished(&candidate)?;
        let trials = self.open_run(&candidate)?;
        let Some(name) = &question.baseline else {
            return self.gate_arms(&candidate, &trials, question);
        };
        let baseline = self.baseline(name, &candidate)?;
        let options = options(&trials, question);
        let shared =
            Dataset::with_shared_tasks(&baseline.data, &trials.data, &options.compare.accept)?;
        let (before, now) = match &shared {
            Some((before, now)) => (before, now),
            None => (&baseline.data, &trials.data),
        };
        Ok(gate(Inputs::Two(before, now), &options)?)
    }

    /// The run that a gate judges, or that is kept as a baseline.
    fn gated_run(&self, name: Option<&str>) -> Result<RunDir, SessionError> {
        match name {
            None => self.newest_run(),
            Some(name) => self.known_run(name),
        }
    }

    /// The arms of one run; one with a stopping rule has its answer already.
    fn gate_arms(
        &self,
        run: &RunDir,
        trials: &Trials,
        question: &GateQuestion,
    ) -> Result<Gate, SessionError> {
        if trials.spec.as_ref().is_none_or(|spec| spec.arms.len() < 2) {
            return Err(SessionError::NoArms(trials.data.label.clone()));
        }
        let report = self.report_data(run, Some(Vec::new()))?;
        let options = options(trials, question);
        let Some(trajectory) = report.sequential else {
            return Ok(gate(Inputs::Arms(&trials.data), &options)?);
        };
        match settled_before(question) {
            None => Ok(gate_sequential(trajectory, &trials.data, &options)?),
            Some(option) => Err(SessionError::SettledBefore(option)),
        }
    }
}

/// An option about what a run with a stopping rule has settled already.
fn settled_before(question: &GateQuestion) -> Option<SettledOption> {
    [
        (!question.rules.is_empty(), SettledOption::Rules),
        (question.alpha.is_some(), SettledOption::Alpha),
        (question.pairing != Pairing::Auto, SettledOption::Pairing),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}

fn options(trials: &Trials, question: &GateQuestion) -> GateOptions {
    let declared = trials
        .spec
        .as_ref()
        .map(CompareOptions::declared)
        .unwrap_or_default();
    GateOptions {
        rules: question.rules.clone(),
        most_infra: question.most_infra,
        compare: CompareOptions {
            alpha: question.alpha.unwrap_or(declared.alpha),
            pairing: question.pairing,
            valid: question.valid,
            accept: question.accept.clone(),
            ..declared
        },
    }
}

/// Refuses a run that must not be judged.
fn finished(run: &RunDir) -> Result<(), SessionError> {
    let state = RunState::read(&run.journal())?;
    match Unfinished::of_state(&state) {
        None => Ok(()),
        Some(why) => Err(SessionError::Unfinished {
            run: run.into(),
            why,
            half_scored: state.is_half_scored(),
        }),
    }
}
