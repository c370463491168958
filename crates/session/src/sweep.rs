//! What a sweep found: its points in order, and what each parameter does to each metric.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_analysis::compare::{SweepChoice, choose, or_cases, ranked_by};
use fairtrial_analysis::confirm::Confirmation;
use fairtrial_analysis::sensitivity::{Sensitivity, sensitivity};
use fairtrial_analysis::{AnalysisError, CompareOptions, Dataset};
use fairtrial_journal::RunDir;
use fairtrial_spec::DEFAULT_ALPHA;

/// What is asked of a sweep.
#[derive(Debug, Clone, Default)]
pub struct SweepQuestion {
    /// The metrics; the first one ranks the points. Empty for the declared ones, else all.
    pub metrics: Vec<String>,
    /// Only the trials of this task.
    pub task: Option<String>,
    /// The control arm; absent for the spec's.
    pub control: Option<String>,
    /// Two-sided error rate; absent for the spec's.
    pub alpha: Option<f64>,
    /// Fresh seeds in the confirmation that is proposed.
    pub confirm: usize,
}

/// What a sweep found.
#[derive(Debug)]
pub struct SweepFound {
    /// The best point, where one can be named; of a metric that is in cases alone, by each case.
    pub choices: Vec<SweepChoice>,
    /// What the parameters do to each metric.
    pub sensitivity: Vec<Sensitivity>,
    /// Two-sided error rate.
    pub alpha: f64,
    /// What is wrong with the run.
    pub problems: Vec<String>,
    /// The spec's file, as it was named.
    pub spec: Option<String>,
    /// Whether the choice was run again.
    pub confirmation: Option<Confirmation>,
}

impl Session {
    /// Ranks the points of a sweep and shows what each parameter does.
    pub fn sweep(
        &self,
        run: &RunDir,
        question: &SweepQuestion,
    ) -> Result<SweepFound, SessionError> {
        let mut trials = self.open_run(run)?;
        self.tell_problems(&trials.data.label, trials.data.problems.clone());
        if let Some(task) = &question.task {
            trials.data = trials.data.of_task(task)?;
        }
        let spec = trials.spec.as_ref();
        let options = CompareOptions {
            alpha: question
                .alpha
                .or(spec.map(|spec| spec.analysis.alpha()))
                .unwrap_or(DEFAULT_ALPHA),
            control: question.control.clone(),
            metrics: question.metrics.clone(),
            primary: spec.and_then(|spec| spec.analysis.metric.clone()),
            ..CompareOptions::default()
        };
        let sensitivity = effects(&trials.data, &question.metrics, options.alpha)?;
        let mut choices = Vec::new();
        match ranked_by(&trials.data, &options) {
            Ok(names) => {
                for name in names {
                    let by_one = CompareOptions {
                        metrics: vec![name],
                        ..options.clone()
                    };
                    choices.extend(self.best_point(&trials.data, &by_one, question.confirm)?);
                }
            }
            Err(AnalysisError::Question(why)) => self.tell(Notice::NoBest(why)),
            Err(error) => return Err(error.into()),
        }
        let confirmation = spec
            .filter(|_| choices.len() == 1)
            .map(|spec| Confirmation::of(run, spec))
            .transpose()?;
        Ok(SweepFound {
            choices,
            sensitivity,
            alpha: options.alpha,
            problems: trials.data.problems.clone(),
            spec: spec.map(|spec| spec.source.clone()),
            confirmation,
        })
    }

    /// The best point by one metric; where none can be named, why is told.
    fn best_point(
        &self,
        data: &Dataset,
        options: &CompareOptions,
        confirm: usize,
    ) -> Result<Option<SweepChoice>, SessionError> {
        match choose(data, options, confirm) {
            Ok(choice) => Ok(Some(choice)),
            Err(AnalysisError::Question(why)) => {
                self.tell(Notice::NoBest(why));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What the parameters do to each metric that was asked for, or to its cases where it is in them alone; where none was, to
/// the declared ones, else to all.
fn effects(data: &Dataset, asked: &[String], alpha: f64) -> Result<Vec<Sensitivity>, SessionError> {
    let reported = data.metric_names();
    let mut names: Vec<String> = if asked.is_empty() {
        let declared = data.declared.iter().map(|metric| &metric.name);
        let names = declared.flat_map(|name| or_cases(name, &reported));
        names.filter(|name| reported.contains(name)).collect()
    } else {
        let asked = asked.iter();
        asked.flat_map(|name| or_cases(name, &reported)).collect()
    };
    if names.is_empty() {
        names = reported;
    }
    let effects = names
        .iter()
        .map(|name| sensitivity(data, Some(name), alpha))
        .collect::<Result<_, _>>();
    Ok(effects?)
}
