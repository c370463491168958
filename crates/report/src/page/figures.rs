//! The charts of a report, from its data.

use super::Block;
use super::forests::forests;
use crate::number::{counted, level};
use crate::sequential;
use fairtrial_analysis::report::{
    ArmCurve, MetricCurves, MetricDistribution, MetricHistory, MetricProfile, MetricShares,
    ReportData,
};
use fairtrial_analysis::sequential::{ArmAnswer, Trajectory};
use fairtrial_chart::Figure;
use fairtrial_chart::charts::{
    self, Counted, Curve, Curves, Distribution, Group, Heading, History, HistoryPoint, LookPoint,
    Profile, ProfileLine, Radial, RadialArm, Shift, with_unit,
};
use fairtrial_model::Direction;

/// All charts as blocks of a page.
pub(super) fn charts(data: &ReportData) -> Vec<Block> {
    let named = named(data).into_iter();
    named
        .map(|(name, figure)| Block::Chart(name, Box::new(figure)))
        .collect()
}

/// All charts with their names, the differences first.
pub(super) fn named(data: &ReportData) -> Vec<(String, Figure)> {
    let mut found: Vec<Figure> = data.comparison.iter().flat_map(forests).collect();
    found.extend(data.sequential.iter().flat_map(trajectories));
    found.extend(data.curves.iter().map(curves));
    found.extend(data.distributions.iter().map(distribution));
    found.extend(data.shares.as_ref().map(radial));
    found.extend(
        data.profile
            .as_ref()
            .map(|found| profile(found, data.summary.alpha)),
    );
    found.extend(data.history.iter().map(history));
    // A page lays charts out itself: one panel below the other is right at every width.
    found.extend((!data.sensitivity.is_empty()).then(|| Figure {
        columns: 1,
        ..crate::sweep::figure(&data.sensitivity)
    }));
    let named = found.into_iter().enumerate();
    named
        .map(|(place, figure)| {
            let name = format!("{:02}-{}", place + 1, slug(&figure.title));
            (name.trim_end_matches('-').to_owned(), figure)
        })
        .collect()
}

/// A title as part of a file's name.
fn slug(title: &str) -> String {
    let mut words = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            words.push(c);
        } else if !words.ends_with('-') {
            words.push('-');
        }
    }
    let cut: String = words.trim_matches('-').chars().take(40).collect();
    cut.trim_matches('-').to_owned()
}

fn trajectories(trajectory: &Trajectory) -> Vec<Figure> {
    let of = |answer: &ArmAnswer| {
        let arm = &answer.arm;
        let looks: Vec<LookPoint> = trajectory
            .looks
            .iter()
            .filter_map(|look| {
                let found = look.arms.iter().find(|of| of.arm == *arm)?;
                let result = found.result.as_ref()?;
                let range = [result.interval.low, result.estimate, result.interval.high];
                Some(LookPoint {
                    pairs: look.n,
                    range: range.map(|difference| sequential::shown(trajectory, difference)),
                })
            })
            .collect();
        let stop = answer.reason.clone();
        let last = looks.last().map_or(0, |look| look.pairs);
        let pairs = answer.stop.map_or(last, |_| answer.pairs);
        charts::trajectory(&charts::Trajectory {
            heading: Heading {
                title: format!(
                    "{}: {arm} against {}, look by look",
                    trajectory.metric, trajectory.control
                ),
                subtitle: format!(
                    "{} repeated intervals: valid at every look.",
                    level(trajectory.arm_alpha)
                ),
                notes: Vec::new(),
            },
            value: sequential::quantity(trajectory),
            looks,
            margin: last_margin(trajectory, arm),
            stop: stop.map(|why| (pairs, why)),
            budget: trajectory.planned.last().copied().unwrap_or(0),
        })
    };
    trajectory.answers.iter().map(of).collect()
}

/// The smallest difference that matters, as the last look knew it.
fn last_margin(trajectory: &Trajectory, arm: &str) -> Option<f64> {
    let margin = trajectory.last_look(arm)?.margin?;
    Some(sequential::shown(trajectory, margin))
}

fn curves(found: &MetricCurves) -> Figure {
    let mut title = found.metric.clone();
    if !found.point.is_empty() {
        title = format!("{title} at {}", found.point);
    }
    let confidence = level(found.alpha);
    charts::curves(&Curves {
        heading: Heading {
            title: format!("{title}: {}", found.task),
            subtitle: format!(
                "Mean with its pointwise {confidence} interval; faint lines are single trials."
            ),
            notes: found
                .arms
                .iter()
                .filter_map(|arm| curve_note(arm, &found.task))
                .collect(),
        },
        step: "step".to_owned(),
        value: with_unit(&found.metric, found.unit.as_deref()),
        band: format!("{confidence} interval, pointwise"),
        arms: found
            .arms
            .iter()
            .map(|arm| Curve {
                name: arm.arm.clone().unwrap_or_else(|| found.task.clone()),
                runs: arm.runs,
                mean: arm
                    .mean
                    .iter()
                    .map(|point| {
                        let [low, high] = point.interval.unwrap_or([f64::NAN; 2]);
                        [point.step, low, point.mean.unwrap_or(f64::NAN), high]
                    })
                    .collect(),
                traces: arm.traces.clone(),
            })
            .collect(),
    })
}

/// `candidate: mean of 4 of 8 trials; ...`: a mean that is not of all trials at all steps says so beside it.
fn curve_note(arm: &ArmCurve, task: &str) -> Option<String> {
    let mut said = Vec::new();
    match (arm.runs, arm.trials) {
        (0, trials) => said.push(format!(
            "no mean of its {}",
            counted(trials as u64, "trial")
        )),
        (runs, trials) if runs < trials => said.push(format!("mean of {runs} of {trials} trials")),
        _ => {}
    }
    said.extend(arm.notes.iter().cloned());
    let name = arm.arm.as_deref().unwrap_or(task);
    (!said.is_empty()).then(|| format!("{name}: {}.", said.join("; ")))
}

fn distribution(found: &MetricDistribution) -> Figure {
    charts::distribution(&Distribution {
        heading: Heading {
            title: format!("{}: every trial", found.metric),
            subtitle: "Points are trials; the box holds the middle half, the line in it is the median, whiskers reach \
                       the smallest and the largest."
                .to_owned(),
            notes: without_value(found).into_iter().collect(),
        },
        value: with_unit(&found.metric, found.unit.as_deref()),
        groups: found
            .groups
            .iter()
            .map(|group| Group {
                name: group.name.clone(),
                values: group.values.clone(),
                five: group.five,
            })
            .collect(),
    })
}

/// `Without a value: 2 of 15 trials of candidate.`
fn without_value(found: &MetricDistribution) -> Option<String> {
    let missing: Vec<String> = found
        .groups
        .iter()
        .filter(|group| group.values.len() < group.of)
        .map(|group| {
            let without = group.of - group.values.len();
            format!("{without} of {} trials of {}", group.of, group.name)
        })
        .collect();
    (!missing.is_empty()).then(|| format!("Without a value: {}.", missing.join("; ")))
}

fn radial(found: &MetricShares) -> Figure {
    charts::radial(&Radial {
        heading: Heading {
            title: if found.more == 0 {
                "All metrics at once".to_owned()
            } else {
                "Several metrics at once".to_owned()
            },
            subtitle: "As a share of the control's, turned so that more is better.".to_owned(),
            notes: (found.more > 0)
                .then(|| {
                    let shown = found.metrics.len();
                    let all = shown + found.more;
                    format!("The first {shown} of {all} metrics that say which way is better.")
                })
                .into_iter()
                .collect(),
        },
        spokes: found.metrics.clone(),
        arms: found
            .arms
            .iter()
            .map(|arm| RadialArm {
                name: arm.arm.clone(),
                values: arm.shares.clone(),
            })
            .collect(),
    })
}

fn profile(found: &MetricProfile, alpha: f64) -> Figure {
    charts::profile(&Profile {
        heading: Heading {
            title: format!("{}: performance profile", found.metric),
            subtitle: format!(
                "Over {} tasks, scores {}; the band holds for one score at a time.",
                found.tasks,
                if found.normalised {
                    "between their reference points"
                } else {
                    "as they were reported"
                }
            ),
            notes: Vec::new(),
        },
        threshold: with_unit(&found.metric, found.unit.as_deref()),
        counted: match found.direction {
            Direction::Up => Counted::Above,
            Direction::Down => Counted::Below,
        },
        band: format!("{} interval", level(alpha)),
        arms: found
            .arms
            .iter()
            .map(|arm| ProfileLine {
                name: arm.arm.clone(),
                points: found
                    .thresholds
                    .iter()
                    .zip(&arm.share)
                    .map(|(at, [share, low, high])| [*at, *low, *share, *high])
                    .collect(),
            })
            .collect(),
    })
}

fn history(found: &MetricHistory) -> Figure {
    let arm = found
        .arm
        .as_ref()
        .map_or(String::new(), |arm| format!(", {arm}"));
    let ends = match (found.runs.first(), found.runs.last()) {
        (Some(first), Some(last)) => format!("From {} to {}. ", first.stamp, last.stamp),
        _ => String::new(),
    };
    charts::history(&History {
        heading: Heading {
            title: format!("{}{arm}: run by run", found.metric),
            subtitle: format!(
                "{ends}Of histories without any change, {} would show one.",
                crate::number::percent(found.false_alarms)
            ),
            notes: made_differently(found).into_iter().collect(),
        },
        value: with_unit(&found.metric, found.unit.as_deref()),
        points: found
            .runs
            .iter()
            .map(|run| {
                let [low, high] = run.interval.unwrap_or([f64::NAN; 2]);
                HistoryPoint {
                    name: run.stamp.to_string(),
                    range: [low, run.mean, high],
                }
            })
            .collect(),
        shifts: found
            .changes
            .iter()
            .map(|change| Shift {
                at: change.index,
                before: change.mean_before,
                after: change.mean_after,
            })
            .collect(),
    })
}

/// The runs that have no place in a history, because their numbers mean something else.
fn made_differently(found: &MetricHistory) -> Option<String> {
    let (first, last) = (
        found.made_differently.first()?,
        found.made_differently.last()?,
    );
    let left_out = crate::number::counted(found.made_differently.len() as u64, "run");
    Some(format!(
        "{left_out} from {first} to {last} left out: {} was made in another way there (source, summary, conversion, rounding \
         or unit).",
        found.metric
    ))
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn file_names_are_plain() {
        assert_eq!(
            slug("overview/reward: every trial"),
            "overview-reward-every-trial"
        );
        assert_eq!(slug("../ä"), "");
    }
}
