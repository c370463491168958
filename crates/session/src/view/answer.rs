//! What a run says so far: its report, with the curves of the trials that run, and, before it has ended, an interval that
//! holds at any time, so that looking does not mislead.

use super::row::TrialRow;
use super::run_view::RunView;
use super::trial::SeriesPoints;
use crate::error::SessionError;
use crate::run::stopping_rule::WatchedRule;
use crate::session::Session;
use fairtrial_analysis::report::{ArmCurve, MetricCurves, ReportData};
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_journal::{RunDir, RunState};
use fairtrial_model::Params;
use fairtrial_spec::{Spec, StopRule};
use std::sync::Arc;

/// Pairs before the first look at a run that has no rule of its own.
const FIRST_LOOK: u32 = 5;
/// Charts of curves at most.
const MOST_CHARTS: usize = 12;

/// What a report is made of, taken at a moment: making it takes longer than others may wait for the view.
pub struct Snapshot {
    run: RunDir,
    spec: Option<Arc<Spec>>,
    state: RunState,
    live: bool,
    /// The curves of the trials that ran.
    in_flight: Vec<(TrialRow, Vec<SeriesPoints>)>,
}

impl Session {
    /// The report of a run as it was then, secrets masked. The runs before it are shown where it has ended.
    pub fn report_so_far(&self, seen: &Snapshot) -> Result<ReportData, SessionError> {
        let history = seen.live.then(Vec::new);
        let mut data = self.report_data(&seen.run, history)?;
        add_curves(&mut data, seen);
        if data.sequential.is_none() && seen.state.closed().is_none_or(|_| seen.live) {
            // Where no such interval can be made, the report says what there is.
            data.sequential = seen.looked_at_any_time().unwrap_or_default();
        }
        Ok(data)
    }
}

impl RunView {
    /// What a report is made of, as it is now.
    pub fn snapshot(&self) -> Result<Snapshot, SessionError> {
        let live = self.is_live()?;
        let curves = if live {
            self.curves_in_flight()
        } else {
            Vec::new()
        };
        let in_flight = curves
            .into_iter()
            .map(|(row, curves)| (row.clone(), curves));
        Ok(Snapshot {
            run: self.run.clone(),
            spec: self.spec.clone(),
            state: self.state.clone(),
            live,
            in_flight: in_flight.collect(),
        })
    }
}

impl Snapshot {
    /// The primary metric as if the run had a rule whose looks hold at any time.
    fn looked_at_any_time(&self) -> Result<Option<Trajectory>, SessionError> {
        let Some(spec) = self.spec.as_deref().filter(|spec| spec.arms.len() > 1) else {
            return Ok(None);
        };
        let mut spec = spec.clone();
        let pairs = u32::try_from(spec.seeds.len()).unwrap_or(u32::MAX).max(2);
        spec.analysis.stop = Some(StopRule::decided(FIRST_LOOK.min(pairs), pairs).at_any_time());
        let Some(rule) = WatchedRule::new(&spec)? else {
            return Ok(None);
        };
        rule.recall(&self.run, &self.state)?;
        let trajectory = rule.so_far();
        Ok((!trajectory.looks.is_empty()).then_some(trajectory))
    }
}

/// Adds the curves of the trials that run.
fn add_curves(data: &mut ReportData, seen: &Snapshot) {
    for (row, curves) in &seen.in_flight {
        for curve in curves {
            if let Some(of) = chart_of(&mut data.curves, row, &curve.metric, data.summary.alpha) {
                of.traces.push(curve.points.clone());
            }
        }
    }
}

/// The arm's curves in the chart that a trial's curve belongs into.
fn chart_of<'a>(
    charts: &'a mut Vec<MetricCurves>,
    row: &TrialRow,
    metric: &str,
    alpha: f64,
) -> Option<&'a mut ArmCurve> {
    let point = |chart: &MetricCurves| {
        if chart.point.is_empty() {
            String::new()
        } else {
            chart.point.to_string()
        }
    };
    let is_it = |chart: &MetricCurves| {
        chart.metric == metric && chart.task == row.task && point(chart) == row.point
    };
    let place = charts.iter().position(is_it);
    let place = match place {
        Some(place) => place,
        // Before any trial of its kind has ended; a sweep's point waits for that.
        None if charts.len() < MOST_CHARTS && row.point.is_empty() => {
            charts.push(MetricCurves {
                metric: metric.to_owned(),
                unit: None,
                task: row.task.clone(),
                point: Params::new(),
                alpha,
                arms: Vec::new(),
            });
            charts.len() - 1
        }
        None => return None,
    };
    let arms = &mut charts.get_mut(place)?.arms;
    let arm = arms.iter().position(|arm| arm.arm == row.arm);
    let arm = arm.unwrap_or_else(|| {
        arms.push(ArmCurve {
            arm: row.arm.clone(),
            runs: 0,
            trials: 0,
            mean: Vec::new(),
            traces: Vec::new(),
            thinned: None,
            notes: Vec::new(),
        });
        arms.len() - 1
    });
    arms.get_mut(arm)
}
