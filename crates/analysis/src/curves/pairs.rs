//! Which runs stand on which side, and which of them belong together.

use super::history::History;
use super::kind::{given_once, one_kind};
use crate::compare::data::unit::Pairing;
use crate::error::AnalysisError;
use serde::{Deserialize, Serialize};

/// One object of `--pairs`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The control's run id.
    pub control: String,
    /// The candidate's run id.
    pub candidate: String,
    /// The seed that both must have.
    #[serde(default)]
    pub seed: Option<u64>,
}

impl Pair {
    /// Reads `--pairs` arguments: each is a JSON object, or an array of them.
    pub fn parse(arguments: &[String]) -> Result<Vec<Self>, AnalysisError> {
        let mut pairs = Vec::new();
        for argument in arguments {
            let wrong = |error: serde_json::Error| {
                AnalysisError::Question(format!(
                    "--pairs '{argument}': {error}; a pair is {{\"control\": RUN, \"candidate\": RUN}}, with \"seed\" if you like"
                ))
            };
            if argument.trim_start().starts_with('[') {
                pairs.extend(serde_json::from_str::<Vec<Self>>(argument).map_err(wrong)?);
            } else {
                pairs.push(serde_json::from_str(argument).map_err(wrong)?);
            }
        }
        if pairs.is_empty() {
            return Err(AnalysisError::Question("--pairs holds no pair".to_owned()));
        }
        Ok(pairs)
    }

    /// Refuses a pair whose runs do not have the seed it names; says what could not be checked.
    fn check_seed(
        &self,
        control: &History,
        candidate: &History,
    ) -> Result<Option<String>, AnalysisError> {
        let Some(seed) = self.seed else {
            return Ok(match (control.seed, candidate.seed) {
                (Some(a), Some(b)) if a != b => Some(format!(
                    "{} ran with seed {a} and {} with seed {b}: a pair without a shared seed saves no variance",
                    control.id, candidate.id
                )),
                _ => None,
            });
        };
        for run in [control, candidate] {
            if let Some(recorded) = run.seed.filter(|recorded| *recorded != seed) {
                return Err(AnalysisError::Question(format!(
                    "--pairs says seed {seed}, but {} ran with seed {recorded}",
                    run.id
                )));
            }
        }
        let unknown: Vec<&str> = [control, candidate]
            .into_iter()
            .filter(|run| run.seed.is_none())
            .map(|run| run.id.as_str())
            .collect();
        Ok((!unknown.is_empty()).then(|| {
            format!(
                "seed {seed} could not be checked: no seed is recorded for {}",
                unknown.join(", ")
            )
        }))
    }
}

/// The runs in question.
#[derive(Debug, Clone, PartialEq)]
pub enum Runs {
    /// Pairs as the user gave them, with the curves of both sides.
    Pairs(Vec<(Pair, History, History)>),
    /// Two lists.
    Lists {
        /// The control's runs.
        control: Vec<History>,
        /// The candidate's runs.
        candidate: Vec<History>,
    },
}

/// How the runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// Run by run.
    Paired,
    /// As two independent groups.
    Unpaired,
}

/// Runs in order: in a paired design, run i of both sides belongs together.
#[derive(Debug)]
pub(super) struct Arranged {
    pub(super) design: Design,
    pub(super) control: Vec<History>,
    pub(super) candidate: Vec<History>,
    /// Runs without a partner, of the control and of the candidate: broken pairs.
    pub(super) alone: [Vec<History>; 2],
    pub(super) notes: Vec<String>,
}

impl Runs {
    /// Checks seeds and decides the design.
    pub(super) fn arrange(self, pairing: Pairing) -> Result<Arranged, AnalysisError> {
        let mut arranged = match self {
            Self::Pairs(pairs) => from_pairs(pairs)?,
            Self::Lists { control, candidate } => from_lists(control, candidate, pairing)?,
        };
        if pairing == Pairing::Unpaired {
            arranged.design = Design::Unpaired;
        }
        Ok(arranged)
    }
}

impl Arranged {
    /// Pairs, none yet.
    fn in_pairs() -> Self {
        Self {
            design: Design::Paired,
            control: Vec::new(),
            candidate: Vec::new(),
            alone: [Vec::new(), Vec::new()],
            notes: Vec::new(),
        }
    }
}

fn from_pairs(pairs: Vec<(Pair, History, History)>) -> Result<Arranged, AnalysisError> {
    let mut arranged = Arranged::in_pairs();
    let (mut control, mut candidate) = (Vec::new(), Vec::new());
    for (pair, one, other) in pairs {
        arranged.notes.extend(pair.check_seed(&one, &other)?);
        control.push(one);
        candidate.push(other);
    }
    fit(&control)?;
    fit(&candidate)?;
    let averaged = several_seeds(&control, &candidate);
    let trials = control.len();
    for (one, other) in control.into_iter().zip(candidate) {
        let together = |place: &usize| {
            arranged.control[*place].shares_seed(&one)
                && arranged.candidate[*place].shares_seed(&other)
        };
        let known = (0..arranged.control.len()).find(together);
        if let Some(place) = known.filter(|_| averaged) {
            arranged.control[place].rollouts.push(one);
            arranged.candidate[place].rollouts.push(other);
        } else {
            arranged.control.push(one);
            arranged.candidate.push(other);
        }
    }
    let note = averaged_note(trials, arranged.control.len());
    arranged.notes.extend(note);
    Ok(arranged)
}

/// Refuses a side whose runs are no repetitions of each other.
fn fit(runs: &[History]) -> Result<(), AnalysisError> {
    given_once(runs)?;
    one_kind(runs)
}

/// Whether there is more than one seed. Rollouts of the only seed are all that there is, so that they stay runs.
fn several_seeds(control: &[History], candidate: &[History]) -> bool {
    let mut seeds = control.iter().chain(candidate).map(|run| run.seed);
    let first = seeds.next();
    seeds.any(|seed| Some(seed) != first)
}

/// The trials of one seed as one run: they share what the seed fixes, and would count as independent runs.
fn by_rollouts(trials: Vec<History>) -> Vec<History> {
    let mut runs: Vec<History> = Vec::new();
    for trial in trials {
        match runs.iter_mut().find(|run| run.shares_seed(&trial)) {
            Some(run) => run.rollouts.push(trial),
            None => runs.push(trial),
        }
    }
    runs
}

fn averaged_note(trials: usize, runs: usize) -> Option<String> {
    (trials > runs).then(|| {
        format!("the rollouts of a seed are averaged, because they are not independent: {trials} trials are {runs} runs")
    })
}

fn from_lists(
    control: Vec<History>,
    candidate: Vec<History>,
    pairing: Pairing,
) -> Result<Arranged, AnalysisError> {
    for (side, runs) in [("control", &control), ("candidate", &candidate)] {
        if runs.is_empty() {
            return Err(AnalysisError::Question(format!("there are no {side} runs")));
        }
    }
    fit(&control)?;
    fit(&candidate)?;
    let trials = control.len() + candidate.len();
    let (control, candidate) = if several_seeds(&control, &candidate) {
        (by_rollouts(control), by_rollouts(candidate))
    } else {
        (control, candidate)
    };
    let averaged = averaged_note(trials, control.len() + candidate.len());
    let mut arranged = arranged_lists(control, candidate, pairing)?;
    arranged.notes.extend(averaged);
    Ok(arranged)
}

fn arranged_lists(
    control: Vec<History>,
    candidate: Vec<History>,
    pairing: Pairing,
) -> Result<Arranged, AnalysisError> {
    let unknown = [&control, &candidate].map(|side| without_own_seed(side));
    let known = unknown.iter().all(Vec::is_empty);
    let shares = |run: &History| candidate.iter().any(|other| other.seed == run.seed);
    let shared = known && control.iter().any(shares);
    match (pairing, shared) {
        (Pairing::Auto | Pairing::Paired, true) => Ok(by_seed(control, candidate, pairing)),
        (Pairing::Paired, false) => Err(AnalysisError::Question(format!(
            "the two sides cannot be paired by seed: {}; --pairs says which runs belong together",
            match unknown.concat().first() {
                Some(run) =>
                    format!("every run needs a recorded seed of its own, and `{run}` has none"),
                None => "they have no seed in common".to_owned(),
            }
        ))),
        (Pairing::Auto | Pairing::Unpaired, _) => {
            // Where some seeds are known, the reader expects pairs.
            let expected = control
                .iter()
                .chain(&candidate)
                .any(|run| run.seed.is_some());
            let unknown = unknown.concat();
            let note = (pairing == Pairing::Auto && expected && !unknown.is_empty()).then(|| {
                let runs = unknown.join(", ");
                format!("nothing is paired, because these runs have no recorded seed of their own: {runs}")
            });
            Ok(Arranged {
                design: Design::Unpaired,
                control,
                candidate,
                alone: [Vec::new(), Vec::new()],
                notes: note.into_iter().collect(),
            })
        }
    }
}

/// Runs that have no recorded seed, or one that an earlier run of the side has too.
fn without_own_seed(runs: &[History]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let own = |run: &&History| !run.seed.is_some_and(|seed| seen.insert(seed));
    runs.iter().filter(own).map(|run| run.id.clone()).collect()
}

/// The seeds that both sides have, in the control's order; the others are broken pairs.
fn by_seed(control: Vec<History>, candidate: Vec<History>, pairing: Pairing) -> Arranged {
    let mut partners: Vec<Option<History>> = candidate.into_iter().map(Some).collect();
    let mut arranged = Arranged::in_pairs();
    for run in control {
        let is_partner = |other: &&mut Option<History>| {
            other.as_ref().is_some_and(|other| other.seed == run.seed)
        };
        match partners.iter_mut().find(is_partner).and_then(Option::take) {
            Some(partner) => {
                arranged.control.push(run);
                arranged.candidate.push(partner);
            }
            None => arranged.alone[0].push(run),
        }
    }
    arranged.alone[1] = partners.into_iter().flatten().collect();
    let pairs = arranged.control.len();
    let alone: Vec<&str> = arranged
        .alone
        .iter()
        .flatten()
        .map(|run| run.id.as_str())
        .collect();
    if !alone.is_empty() {
        arranged.notes.push(format!(
            "{pairs} seeds were run on both sides and are compared seed by seed (--pairing none compares the groups); \
             without a partner: {}",
            alone.join(", ")
        ));
    } else if pairing == Pairing::Auto {
        arranged.notes.push(format!(
            "both sides ran on the same {pairs} seeds, so they are compared seed by seed (--pairing none compares the groups)"
        ));
    }
    arranged
}
