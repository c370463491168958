//! Curves in another tool's files: W&B runs, TensorBoard event files, MLflow stores.

use super::curve::History;
use super::histories::{ForeignCurves, Histories};
use crate::error::AnalysisError;
use fairtrial_interop::{
    Collected, Foreign, InteropError, Keep, Online, Reading, Recognised, Scope, Source,
};
use fairtrial_model::Outcome;
use fairtrial_series::{CurvePoints, CurveSeries};
use fairtrial_text::count::first_of;
use std::path::Path;

/// Names of metrics that a message lists.
const LISTED: usize = 20;

impl Histories {
    /// The curves that another tool keeps under a path or an address; nothing where it is none.
    pub(super) fn foreign(
        &mut self,
        id: &str,
        metric: &str,
    ) -> Result<Option<Vec<History>>, AnalysisError> {
        let Some(how) = self.foreign.as_ref().filter(|how| may_be_foreign(id, how)) else {
            return Ok(None);
        };
        let source = match Source::of(&[id.to_owned()], &how.mapping) {
            Err(InteropError::Unknown(_)) if how.mapping.format.is_none() => return Ok(None),
            found => found?,
        };
        let reading = Reading {
            mapping: &how.mapping,
            scope: Scope::Side,
            access: &how.access,
        };
        let into = Collected::keeping(Keep::Points(metric.to_owned()));
        let foreign = Foreign::read(id, source, into, reading)?;
        let histories = curves(&foreign, metric)?;
        self.recognised.push(foreign.recognised()?);
        Ok(Some(histories))
    }

    /// What was recognised since this was asked last.
    pub fn take_recognised(&mut self) -> Vec<Recognised> {
        std::mem::take(&mut self.recognised)
    }
}

/// Whether a word may name another tool's results. Tables and JSON lines are histories of their own, unless the user says
/// otherwise, and so are trials and runs of ours.
fn may_be_foreign(id: &str, how: &ForeignCurves) -> bool {
    let path = Path::new(id);
    if Online::parse(id).is_some() || how.mapping.format.is_some() {
        return true;
    }
    let own = ["csv", "jsonl", "ndjson"];
    let ending = path.extension().and_then(|ending| ending.to_str());
    let ours = ["record.json", "journal.jsonl"];
    path.exists()
        && ending.is_none_or(|ending| !own.contains(&ending))
        && ours.iter().all(|file| !path.join(file).exists())
}

fn curves(foreign: &Foreign, metric: &str) -> Result<Vec<History>, AnalysisError> {
    let (found, roles) = (&foreign.found, &foreign.roles);
    let Some(id) = found.metric_named(metric) else {
        let names = found.metrics.iter().map(|metric| &metric.name);
        return Err(AnalysisError::Content {
            label: foreign.name.clone(),
            message: format!(
                "no run has `{metric}`; there are {}",
                first_of(names, LISTED)
            ),
        });
    };
    let several = found.executions.len() > 1;
    let numbered = found.executions.iter().zip(&found.curves).enumerate();
    let histories = numbered.map(|(place, (execution, curves))| {
        let points = curves.get(&id).map_or(&[][..], |curve| &curve.points);
        let mut notes = execution.notes.clone();
        if execution.outcome != Outcome::Ok {
            notes.push(format!("the run ended as {}", execution.outcome));
        }
        History {
            id: if several {
                format!("{}#{place}", foreign.name)
            } else {
                foreign.name.clone()
            },
            task: None,
            point: None,
            arm: roles.arm_of(execution),
            seed: roles.seed_of(execution),
            rollout: None,
            rollouts: Vec::new(),
            place: Some((execution.source.clone(), Some(place.to_string()))),
            outcome: execution.outcome,
            series: CurveSeries::held(CurvePoints {
                steps: points.iter().map(|(step, _)| *step).collect(),
                values: points.iter().map(|(_, value)| *value).collect(),
                notes: Vec::new(),
            }),
            declaration: None,
            recorded: None,
            run: None,
            notes,
        }
    });
    Ok(histories.collect())
}
