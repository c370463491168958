//! Which runs stand on which side, and which of them belong together.

use super::History;
use crate::AnalysisError;
use crate::compare::Pairing;
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
        for side in [&arranged.control, &arranged.candidate] {
            no_repeats(side)?;
        }
        Ok(arranged)
    }
}

fn from_pairs(pairs: Vec<(Pair, History, History)>) -> Result<Arranged, AnalysisError> {
    let mut arranged = Arranged {
        design: Design::Paired,
        control: Vec::new(),
        candidate: Vec::new(),
        notes: Vec::new(),
    };
    for (pair, control, candidate) in pairs {
        arranged
            .notes
            .extend(pair.check_seed(&control, &candidate)?);
        arranged.control.push(control);
        arranged.candidate.push(candidate);
    }
    Ok(arranged)
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
    let by_seed = match (seeds(&control), seeds(&candidate)) {
        (Some(a), Some(b)) if a == b => sorted_by_seed(&control, &candidate),
        _ => None,
    };
    match (pairing, by_seed) {
        (Pairing::Auto, Some((control, candidate))) => Ok(Arranged {
            design: Design::Paired,
            notes: vec![format!(
                "both sides ran on the same {} seeds, so they are compared seed by seed (--pairing none compares the groups)",
                control.len()
            )],
            control,
            candidate,
        }),
        (Pairing::Paired, Some((control, candidate))) => Ok(Arranged {
            design: Design::Paired,
            control,
            candidate,
            notes: Vec::new(),
        }),
        (Pairing::Paired, None) => Err(AnalysisError::Question(
            "the two sides cannot be paired by seed: every run needs a recorded seed, the same ones on both sides; \
             --pairs says which runs belong together"
                .to_owned(),
        )),
        (_, _) => Ok(Arranged {
            design: Design::Unpaired,
            control,
            candidate,
            notes: Vec::new(),
        }),
    }
}

/// The sorted seeds, where every run has one and none comes twice.
fn seeds(runs: &[History]) -> Option<Vec<u64>> {
    let mut seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect::<Option<_>>()?;
    seeds.sort_unstable();
    let distinct = seeds.windows(2).all(|two| two[0] != two[1]);
    distinct.then_some(seeds)
}

/// The candidate's runs in the order of the control's seeds.
fn sorted_by_seed(
    control: &[History],
    candidate: &[History],
) -> Option<(Vec<History>, Vec<History>)> {
    let partner = |run: &History| {
        candidate
            .iter()
            .find(|other| other.seed == run.seed)
            .cloned()
    };
    let partners = control.iter().map(partner).collect::<Option<Vec<_>>>()?;
    Some((control.to_vec(), partners))
}

/// One run twice on a side would count as two independent ones.
fn no_repeats(runs: &[History]) -> Result<(), AnalysisError> {
    let mut seen = std::collections::HashSet::new();
    match runs.iter().find(|run| !seen.insert(&run.id)) {
        Some(twice) => Err(AnalysisError::Question(format!(
            "the run `{}` is given twice",
            twice.id
        ))),
        None => Ok(()),
    }
}
