//! Two sides against each other: arms of a run, two runs, result files or tables.

use crate::absent::is_path;
use crate::error::SessionError;
use crate::session::Session;
use crate::source::{TrialSource, Trials};
use fairtrial_analysis::compare::Pairing;
use fairtrial_analysis::dataset::Origin;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_analysis::watch::{Watch, WatchReport, watch};
use fairtrial_analysis::{CompareOptions, Comparison, Dataset, Inputs, compare};
use fairtrial_interop::Scope;
use fairtrial_journal::newest_run;
use fairtrial_model::EqualRule;
use fairtrial_spec::{Analysis, DEFAULT_ALPHA, Filter, Spec};
use std::path::Path;

/// What is compared, and how.
#[derive(Debug, Clone)]
pub struct CompareQuestion {
    /// The control first: runs, arms, result files or tables. None: the arms of `arms_of`, or of the newest run.
    pub sides: Vec<String>,
    /// The run or table whose arms the sides are; absent for the newest run, where they are no sources.
    pub arms_of: Option<String>,
    /// Two-sided error rate; absent for the spec's.
    pub alpha: Option<f64>,
    /// The trials that count; absent for all.
    pub only: Option<Filter>,
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
        if let Some(only) = &question.only {
            for trials in sides.trials_mut() {
                trials.data = trials.data.only(only)?;
            }
        }
        let options = options(question, &sides);
        let all: Vec<&Dataset> = sides.trials().map(|trials| &trials.data).collect();
        let shared = match all[..] {
            [control, candidate] => {
                Dataset::with_shared_tasks(control, candidate, &options.accept)?
            }
            _ => None,
        };
        let inputs = match (&shared, &all[..]) {
            (Some((control, candidate)), _) => Inputs::Two(control, candidate),
            (None, [only]) => Inputs::Arms(only),
            (None, [control, candidate]) => Inputs::Two(control, candidate),
            (None, several) => Inputs::Several(several),
        };
        let mut comparison = compare(inputs, &options)?;
        if let (Inputs::Arms(data), true) = (inputs, asks_as_declared(question))
            && let Some(trajectory) = self.own_looks(data)?
        {
            comparison = comparison.answered_by(&trajectory);
        }
        Ok(Compared {
            comparison,
            watched: self.watched_paths(&sides),
        })
    }

    /// The looks of the run that trials are of, where it has a stopping rule.
    fn own_looks(&self, data: &Dataset) -> Result<Option<Trajectory>, SessionError> {
        let (Origin::Run { name, stamp }, Some(_)) = (&data.origin, &data.looked_at) else {
            return Ok(None);
        };
        let run = self.run_named(&format!("{name}/{stamp}"))?;
        let report = run.map(|run| self.report_data(&run, Some(Vec::new())));
        Ok(report.transpose()?.and_then(|report| report.sequential))
    }

    fn sides(&self, question: &CompareQuestion) -> Result<Sides, SessionError> {
        // Where a run is named the sides are its arms, whatever else has their names.
        let source = |side: &String| match question.arms_of {
            Some(_) => Ok(None),
            None => self.side_named(side),
        };
        let sources: Vec<Option<NamedSide>> = question
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
        let found: Option<Vec<NamedSide>> = sources.into_iter().collect();
        match (found.as_deref(), &question.sides[..]) {
            (Some([only]), _) => Ok(Sides::alone(
                only.part(self.open(&only.source, Scope::Alone)?)?,
            )),
            (Some([control, candidate]), _) => self.two(control, candidate),
            (Some([control, others @ ..]), _) => self.several(control, others),
            (None, [control, candidates @ ..]) if !candidates.is_empty() => {
                self.arms(question, &absent, (control, candidates))
            }
            (Some([]), []) => {
                let source = self.arms_source(question, &[])?;
                Ok(Sides::alone(self.open(&source, Scope::Alone)?))
            }
            (None | Some([]), sides) => {
                let side = sides.first().map_or("", String::as_str);
                Err(self.names_nothing(side))
            }
        }
    }

    /// What a word names: a source, or an arm of one as `SOURCE:ARM`.
    fn side_named(&self, side: &str) -> Result<Option<NamedSide>, SessionError> {
        if let Some(source) = self.source_named(side)? {
            return Ok(Some(NamedSide { source, arm: None }));
        }
        let Some((name, arm)) = side.split_once(':').filter(|(_, arm)| !arm.is_empty()) else {
            return Ok(None);
        };
        let source = self.source_named(name)?;
        Ok(source.map(|source| NamedSide {
            source,
            arm: Some(arm.to_owned()),
        }))
    }

    /// Two sources, or two arms: those of one source are read once and belong together.
    fn two(&self, control: &NamedSide, candidate: &NamedSide) -> Result<Sides, SessionError> {
        if control.source == candidate.source
            && let (Some(first), Some(second)) = (&control.arm, &candidate.arm)
        {
            return Ok(Sides {
                control: Some(first.clone()),
                candidates: vec![second.clone()],
                ..Sides::alone(self.open(&control.source, Scope::Alone)?)
            });
        }
        let (first, second) = self.open_both(&control.source, &candidate.source)?;
        Ok(Sides {
            others: vec![candidate.part(second)?],
            ..Sides::alone(control.part(first)?)
        })
    }

    /// Three sources or more: all others against the first.
    fn several(&self, control: &NamedSide, others: &[NamedSide]) -> Result<Sides, SessionError> {
        let open = |side: &NamedSide| side.part(self.open(&side.source, Scope::Side)?);
        Ok(Sides {
            others: others.iter().map(open).collect::<Result<_, _>>()?,
            ..Sides::alone(open(control)?)
        })
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
        let first = self.open(&self.arms_source(question, absent)?, Scope::Alone)?;
        if let Some(side) = no_arm(question, absent, first.spec.as_ref()) {
            return Err(self.names_nothing(side));
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
            return source.ok_or_else(|| self.names_nothing(name));
        }
        if let (Some(side), None) = (absent.first(), newest_run(&root)?) {
            return Err(self.names_nothing(side));
        }
        self.newest_run().map(TrialSource::Run)
    }

    /// What changed in the paths that the spec watches, from the control's commit to the candidate's.
    fn watched_paths(&self, sides: &Sides) -> Option<WatchReport> {
        // Between several sources there is no one change to show.
        let [candidate] = &sides.others[..] else {
            return None;
        };
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

/// Whether nothing was said that a run with a stopping rule had settled before it began.
fn asks_as_declared(question: &CompareQuestion) -> bool {
    let asked = &question.options;
    question.alpha.is_none()
        && question.only.is_none()
        && asked.method.is_none()
        && asked.margin.is_none()
        && asked.direction.is_none()
        && asked.reference.is_none()
        && asked.pairing == Pairing::default()
}

/// A side as it was named: a source, or one of its arms.
struct NamedSide {
    source: TrialSource,
    arm: Option<String>,
}

impl NamedSide {
    /// The trials that are meant.
    fn part(&self, mut trials: Trials) -> Result<Trials, SessionError> {
        if let Some(arm) = &self.arm {
            trials.data = trials.data.of_arm(arm)?;
        }
        Ok(trials)
    }
}

/// What the sides of a question mean.
struct Sides {
    first: Trials,
    others: Vec<Trials>,
    control: Option<String>,
    candidates: Vec<String>,
}

impl Sides {
    fn alone(first: Trials) -> Self {
        Self {
            first,
            others: Vec::new(),
            control: None,
            candidates: Vec::new(),
        }
    }

    fn trials_mut(&mut self) -> impl Iterator<Item = &mut Trials> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    fn trials(&self) -> impl Iterator<Item = &Trials> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The spec that says what is declared.
    fn latest_spec(&self) -> Option<&Spec> {
        self.others.last().unwrap_or(&self.first).spec.as_ref()
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

/// The side that can only be meant as a file or a run that is not there: it is no arm, and either looks like a path, is
/// there and holds nothing, or stands beside a side that is a file or a run.
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
    let means_a_source = |side: &str| is_path(side) || Path::new(side).exists();
    others.find(|side| question.arms_of.is_none() && (beside_a_source || means_a_source(side)))
}
