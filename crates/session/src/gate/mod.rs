//! May a change go in? A run against its baseline, or its arms against its control.

mod baseline;
mod finished;
pub(crate) mod recorded;
pub(crate) mod settled;

pub use baseline::SavedBaseline;
pub(crate) use baseline::baselines_dir;
pub use recorded::Recorded;
pub use settled::SettledOption;

use self::finished::finished;
use crate::error::SessionError;
use crate::foreign::Curves;
use crate::session::Session;
use crate::source::Trials;
use fairtrial_analysis::compare::{Method, Pairing};
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::gate::{Gate, GateOptions, GateRule, gate, gate_sequential};
use fairtrial_analysis::{CompareOptions, Dataset, Inputs};
use fairtrial_interop::{Scope, format_named};
use fairtrial_journal::RunDir;
use fairtrial_spec::{Filter, Work};

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
    /// How intervals are made, instead of what the spec declares.
    pub method: Option<Method>,
    /// The trials that count; absent for all.
    pub only: Option<Filter>,
    /// Differences between the sides to accept.
    pub accept: Vec<FactKind>,
}

impl GateQuestion {
    /// The trials that count.
    fn part(&self, mut trials: Trials) -> Result<Trials, SessionError> {
        if let Some(only) = &self.only {
            trials.data = trials.data.only(only)?;
        }
        Ok(trials)
    }
}

impl Session {
    /// Judges a run. One that is not finished is refused ([`SessionError::Unfinished`]).
    pub fn gate(&self, question: &GateQuestion) -> Result<Gate, SessionError> {
        // What names nothing else may be a baseline that a tool keeps beside what is new.
        let scope = match &question.baseline {
            Some(name) if self.is_baseline(name)? => Scope::Side,
            _ => Scope::Alone,
        };
        let candidate = self.gated_run(question.run.as_deref(), scope)?;
        finished(&candidate)?;
        let trials = question.part(self.open_run(&candidate)?)?;
        let Some(name) = &question.baseline else {
            return self.gate_arms(&candidate, &trials, question);
        };
        if self.in_place().holds(&candidate) && trials.data.arm_names().contains(name) {
            return gate_own_baseline(&trials, name, question);
        }
        let baseline = self.baseline(name, &candidate);
        let baseline = baseline.map_err(|error| match error {
            SessionError::Absent(absent) if self.in_place().holds(&candidate) => {
                absent.beside(trials.data.arm_names()).into()
            }
            other => other,
        });
        let baseline = question.part(baseline?)?;
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
    fn gated_run(&self, name: Option<&str>, scope: Scope) -> Result<RunDir, SessionError> {
        let Some(name) = name else {
            return self.newest_run();
        };
        if let Some(run) = self.run_named(name)? {
            return Ok(run);
        }
        let foreign = self.foreign_run(name, scope, Curves::Ends)?;
        foreign.map_or_else(|| self.known_run(name), Ok)
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

/// What is new in a folder of another tool, against a baseline that the tool keeps there.
fn gate_own_baseline(
    trials: &Trials,
    baseline: &str,
    question: &GateQuestion,
) -> Result<Gate, SessionError> {
    let mut options = options(trials, question);
    options.compare.control = Some(baseline.to_owned());
    options.compare.candidates = newest_arm(trials).into_iter().collect();
    Ok(gate(Inputs::Arms(&trials.data), &options)?)
}

/// What the tool calls the measurements of its last run, where it keeps others beside them.
fn newest_arm(trials: &Trials) -> Option<String> {
    let work = &trials.spec.as_ref()?.tasks.first()?.work;
    let Work::Imported { format, .. } = work else {
        return None;
    };
    let (_, newest) = format_named(format).ok()?.rules().newest?;
    let mut arms = trials.data.arm_names().into_iter();
    arms.find(|arm| arm == newest)
}

/// An option about what a run with a stopping rule has settled already.
fn settled_before(question: &GateQuestion) -> Option<SettledOption> {
    [
        (!question.rules.is_empty(), SettledOption::Rules),
        (question.alpha.is_some(), SettledOption::Alpha),
        (question.pairing != Pairing::Auto, SettledOption::Pairing),
        (question.method.is_some(), SettledOption::Method),
        (question.only.is_some(), SettledOption::Only),
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
            method: question.method,
            valid: question.valid,
            accept: question.accept.clone(),
            ..declared
        },
    }
}
