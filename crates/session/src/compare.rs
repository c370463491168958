//! Two sides against each other: arms of a run, two runs, result files or tables.

use crate::absent::{is_path, no_source};
use crate::error::SessionError;
use crate::session::Session;
use crate::source::{TrialSource, Trials};
use fairtrial_analysis::watch::{Watch, WatchReport, watch};
use fairtrial_analysis::{CompareOptions, Comparison, Dataset, Inputs, compare};
use fairtrial_journal::newest_run;
use fairtrial_model::EqualRule;
use fairtrial_spec::{Analysis, DEFAULT_ALPHA, Spec};
use std::path::Path;

/// What is compared, and how.
#[derive(Debug, Clone)]
pub struct CompareQuestion {
    /// The control first: runs, arms, result files or tables.
    pub sides: Vec<String>,
    /// The run or table whose arms the sides are; absent for the newest run, where they are no sources.
    pub arms_of: Option<String>,
    /// Two-sided error rate; absent for the spec's.
    pub alpha: Option<f64>,
    /// How they are compared. The error rate above wins over the one here; the control, the primary metric and rules
    /// that are not said are the spec's.
    pub options: CompareOptions,
}

/// A comparison, and what changed in the paths that the spec watches.
#[derive(Debug, serde::Serialize)]
pub struct Compared {
    /// The comparison.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// What changed between the commits of the sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchReport>,
}

impl Session {
    /// Compares two sides, metric by metric, each ending in a verdict.
    pub fn compare(&self, question: &CompareQuestion) -> Result<Compared, SessionError> {
        let mut sides = self.sides(question)?;
        let options = options(question, &sides);
        if let Some(second) = &mut sides.second {
            let (first, accept) = (&mut sides.first, &options.accept);
            if let Some(shared) = Dataset::with_shared_tasks(&first.data, &second.data, accept)? {
                (first.data, second.data) = shared;
            }
        }
        let inputs = match (&sides.first, &sides.second) {
            (control, Some(candidate)) => Inputs::Two(&control.data, &candidate.data),
            (only, None) => Inputs::Arms(&only.data),
        };
        let comparison = compare(inputs, &options)?;
        Ok(Compared {
            comparison,
            watched: self.watched_paths(&sides),
        })
    }

    fn sides(&self, question: &CompareQuestion) -> Result<Sides, SessionError> {
        // Where a run is named the sides are its arms, whatever else has their names.
        let source = |side: &String| match question.arms_of {
            Some(_) => Ok(None),
            None => self.source_named(side),
        };
        let sources: Vec<Option<TrialSource>> = question
            .sides
            .iter()
            .map(source)
            .collect::<Result<_, _>>()?;
        let absent: Vec<&str> = question
            .sides
            .iter()
            .zip(&sources)
            .filter(|(_, source)| source.is_none())
            .map(|(side, _)| side.as_str())
            .collect();
        let found: Option<Vec<TrialSource>> = sources.into_iter().collect();
        match (found.as_deref(), &question.sides[..]) {
            (Some([only]), _) => Ok(Sides::alone(self.open(only)?)),
            (Some([control, candidate]), _) => {
                let (first, second) = self.open_both(control, candidate)?;
                Ok(Sides {
                    second: Some(second),
                    ..Sides::alone(first)
                })
            }
            (Some(_), sides) => Err(SessionError::Input(format!(
                "two sources at most can be compared, these are {}",
                sides.len()
            ))),
            (None, [control, candidates @ ..]) if !candidates.is_empty() => {
                self.arms(question, &absent, (control, candidates))
            }
            (None, sides) => {
                let side = sides.first().map_or("", String::as_str);
                Err(no_source(side, &self.data_root()).into())
            }
        }
    }

    /// Sides that are arms of one run or table.
    fn arms(
        &self,
        question: &CompareQuestion,
        absent: &[&str],
        (control, candidates): (&String, &[String]),
    ) -> Result<Sides, SessionError> {
        if let Some(other) = question
            .options
            .control
            .as_ref()
            .filter(|other| *other != control)
        {
            return Err(SessionError::TwoControls {
                first: control.clone(),
                other: other.clone(),
            });
        }
        let first = self.open(&self.arms_source(question, absent)?)?;
        if let Some(side) = no_arm(question, absent, first.spec.as_ref()) {
            return Err(no_source(side, &self.data_root()).into());
        }
        Ok(Sides {
            control: Some(control.clone()),
            candidates: candidates.to_vec(),
            ..Sides::alone(first)
        })
    }

    /// The run, or the table, whose arms were named.
    fn arms_source(
        &self,
        question: &CompareQuestion,
        absent: &[&str],
    ) -> Result<TrialSource, SessionError> {
        let root = self.data_root();
        if let Some(name) = &question.arms_of {
            let source = self.source_named(name)?;
            return source.ok_or_else(|| no_source(name, &root).into());
        }
        if newest_run(&root)?.is_none() {
            return Err(no_source(absent.first().unwrap_or(&""), &root).into());
        }
        self.newest_run().map(TrialSource::Run)
    }

    /// What changed in the paths that the spec watches, from the control's commit to the candidate's.
    fn watched_paths(&self, sides: &Sides) -> Option<WatchReport> {
        let candidate = sides.second.as_ref()?;
        let spec = candidate
            .spec
            .as_ref()
            .filter(|spec| !spec.provenance.watch.is_empty())?;
        let question = Watch {
            folder: Path::new(&spec.base_dir),
            paths: &spec.provenance.watch,
            from: sides.first.commit.as_deref()?,
            to: candidate.commit.as_deref(),
        };
        watch(question)
            .map_err(|error| self.warn(format!("watched paths: {error}")))
            .ok()
    }
}

/// What the sides of a question mean.
struct Sides {
    first: Trials,
    second: Option<Trials>,
    control: Option<String>,
    candidates: Vec<String>,
}

impl Sides {
    fn alone(first: Trials) -> Self {
        Self {
            first,
            second: None,
            control: None,
            candidates: Vec::new(),
        }
    }

    /// The spec that says what is declared.
    fn latest_spec(&self) -> Option<&Spec> {
        self.second.as_ref().unwrap_or(&self.first).spec.as_ref()
    }
}

fn options(question: &CompareQuestion, sides: &Sides) -> CompareOptions {
    let analysis = sides.latest_spec().map(|spec| &spec.analysis);
    let asked = question.options.clone();
    CompareOptions {
        alpha: question
            .alpha
            .or(analysis.map(Analysis::alpha))
            .unwrap_or(DEFAULT_ALPHA),
        control: sides.control.clone().or(asked.control),
        candidates: sides.candidates.clone(),
        primary: analysis.and_then(|analysis| analysis.metric.clone()),
        equal: equal_rules(sides.latest_spec(), &asked.equal),
        ..asked
    }
}

/// The spec's rules; one of the question wins over the spec's about the same key.
fn equal_rules(spec: Option<&Spec>, given: &[EqualRule]) -> Vec<EqualRule> {
    let declared = spec.map_or(&[][..], |spec| &spec.equal);
    let kept = declared
        .iter()
        .filter(|rule| given.iter().all(|other| other.key != rule.key));
    kept.chain(given).cloned().collect()
}

/// The side that can only be meant as a file or a run that is not there: it is no arm, and either looks like a path or
/// stands beside a side that is a file or a run.
fn no_arm<'a>(
    question: &CompareQuestion,
    absent: &[&'a str],
    spec: Option<&Spec>,
) -> Option<&'a str> {
    let arms = spec.map_or(&[][..], |spec| &spec.arms);
    let is_arm = |side: &str| arms.iter().any(|arm| arm.name == side);
    let beside_a_source = question
        .sides
        .iter()
        .any(|side| !absent.contains(&side.as_str()) && !is_arm(side));
    let mut others = absent.iter().copied().filter(|side| !is_arm(side));
    others.find(|side| question.arms_of.is_none() && (beside_a_source || is_path(side)))
}
