//! The charts of a report, from its data.

use super::content::Block;
use super::densities::density;
use super::forests::forests;
use super::histories::history;
use super::suites;
use crate::sequential;
use crate::words::arm_reason;
use fairtrial_analysis::report::{
    ArmCurve, ArmPairs, MetricCurves, MetricDistribution, MetricProfile, MetricShares, ReportData,
};
use fairtrial_analysis::sequential::{ArmAnswer, Trajectory};
use fairtrial_chart::Figure;
use fairtrial_chart::charts::{
    self, Counted, Curve, Curves, Distribution, DistributionGroup, Heading, LookPoint, Profile,
    ProfileLine, Radial, RadialArm, with_unit,
};
use fairtrial_model::Direction;
use fairtrial_text::count::{count, counted};
use fairtrial_text::share::level;

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
    found.extend(across(data));
    found.extend(data.pairs.iter().map(pairs));
    found.extend(data.sequential.iter().flat_map(trajectories));
    found.extend(data.curves.iter().map(curves));
    found.extend(data.distributions.iter().map(distribution));
    found.extend(data.densities.iter().map(density));
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

/// What arms come to over several tasks.
fn across(data: &ReportData) -> Vec<Figure> {
    let place = |arm: &str| {
        let found = data.arms.iter().position(|name| name == arm);
        found.unwrap_or(data.arms.len())
    };
    let rankings = data.comparison.iter().flat_map(|found| &found.rankings);
    let mut found: Vec<Figure> = rankings
        .map(|ranking| suites::leaderboard(ranking, place))
        .collect();
    found.extend(data.grid.as_ref().map(suites::grid));
    let chances = data.comparison.as_ref();
    found.extend(chances.and_then(|found| suites::chances(found, place)));
    let frontier = data.frontier.as_ref();
    found.extend(frontier.map(|of| suites::frontier(of, data.summary.alpha)));
    found
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

fn pairs(found: &ArmPairs) -> Figure {
    let better = match found.direction {
        Some(Direction::Up) => " Above 0 is better.",
        Some(Direction::Down) => " Below 0 is better.",
        None => "",
    };
    let broken = (found.broken > 0).then(|| {
        let pairs = counted(found.broken as u64, "pair");
        format!("Without a value on one side: {pairs}.")
    });
    charts::pairs(&charts::Pairs {
        heading: Heading {
            title: format!(
                "{}: {} minus {}, pair by pair",
                found.metric, found.arm, found.control
            ),
            subtitle: format!("Each point is a pair, the smallest difference first.{better}"),
            notes: broken.into_iter().collect(),
        },
        pair: "pair (seed)".to_owned(),
        value: with_unit("difference", found.unit.as_deref()),
        differences: found.differences.clone(),
    })
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
        let stop = answer.reason.as_ref().map(arm_reason);
        let last = looks.last().map_or(0, |look| look.pairs);
        let pairs = answer.stop.map_or(last, |_| answer.pairs);
        charts::trajectory(&charts::Trajectory {
            heading: Heading {
                title: format!(
                    "{}: {arm} against {}, look by look",
                    trajectory.metric, trajectory.control
                ),
                subtitle: format!(
                    "{} {} intervals: valid at every look.",
                    level(trajectory.arm_alpha),
                    sequential::interval_word(trajectory)
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
                .chain(thinned_lines(found))
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

/// How long lines are drawn.
fn thinned_lines(found: &MetricCurves) -> Option<String> {
    let parts = found.arms.iter().find_map(|arm| arm.thinned)?;
    Some(format!(
        "Long lines are drawn by the first, lowest, highest and last point of each of {} parts of their steps.",
        count(parts as u64)
    ))
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
    let groups = found.groups.iter();
    let groups = groups.map(|group| (group.name.as_str(), group.values.len(), group.of));
    charts::distribution(&Distribution {
        heading: Heading {
            title: format!("{}: every trial", found.metric),
            subtitle: "Points are trials; the box holds the middle half, the line in it is the median, whiskers reach \
                       the smallest and the largest."
                .to_owned(),
            notes: without_value(groups)
                .into_iter()
                .chain(thinned(found))
                .collect(),
        },
        value: with_unit(&found.metric, found.unit.as_deref()),
        groups: found
            .groups
            .iter()
            .map(|group| DistributionGroup {
                name: group.name.clone(),
                values: by_rank(&group.values),
                five: group.five,
            })
            .collect(),
    })
}

/// Points of a group that can be told apart in a picture.
const POINTS: usize = 600;

/// Values that stand for all of them: as many small as large ones, the smallest and the largest among them.
fn by_rank(values: &[f64]) -> Vec<f64> {
    if values.len() <= POINTS {
        return values.to_vec();
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len() - 1;
    let ranks = (0..POINTS).map(|place| place * last / (POINTS - 1));
    ranks.filter_map(|rank| sorted.get(rank).copied()).collect()
}

/// That not all points are drawn.
fn thinned(found: &MetricDistribution) -> Option<String> {
    let many = found.groups.iter().any(|group| group.values.len() > POINTS);
    many.then(|| {
        format!(
            "Of a group with more than {POINTS} trials as many points are drawn, evenly by rank."
        )
    })
}

/// `Without a value: 2 of 15 trials of candidate.` From names with how many values there are, of how many trials.
fn without_value<'a>(groups: impl Iterator<Item = (&'a str, usize, usize)>) -> Option<String> {
    let missing: Vec<String> = groups
        .filter(|(_, values, of)| values < of)
        .map(|(name, values, of)| format!("{} of {of} trials of {name}", of - values))
        .collect();
    (!missing.is_empty()).then(|| format!("Without a value: {}.", missing.join("; ")))
}

/// Arms whose profile is not drawn, and trials that are in none.
fn profile_notes(found: &MetricProfile) -> Vec<String> {
    let arms = found.arms.iter();
    let values = arms.map(|arm| (arm.arm.as_str(), arm.values, arm.trials));
    let mut notes: Vec<String> = without_value(values).into_iter().collect();
    let undrawn = found.arms.iter().filter(|arm| arm.share.is_empty());
    notes.extend(undrawn.map(|arm| format!("{}: no profile, a task has no value.", arm.arm)));
    notes
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
            notes: shares_notes(found),
        },
        spokes: found.metrics.clone(),
        arms: found
            .arms
            .iter()
            .map(|arm| RadialArm {
                name: arm.arm.clone(),
                look: arm.place,
                values: arm.shares.clone(),
            })
            .collect(),
    })
}

/// Metrics that there is no room for, or no share of.
fn shares_notes(found: &MetricShares) -> Vec<String> {
    let more = (found.more > 0).then(|| {
        let shown = found.metrics.len();
        let all = shown + found.more;
        format!("The first {shown} of {all} metrics that say which way is better.")
    });
    let without = found.without_share.iter();
    let without: Vec<String> = without
        .map(|(metric, arm)| format!("{metric} ({arm})"))
        .collect();
    let without = (!without.is_empty()).then(|| {
        format!(
            "Left out, because an arm has no share of the control's (one of the means is not above zero, or not known): \
             {}.",
            without.join(", ")
        )
    });
    more.into_iter().chain(without).collect()
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
            notes: profile_notes(found),
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
            .filter(|arm| !arm.share.is_empty())
            .map(|arm| ProfileLine {
                name: arm.arm.clone(),
                look: arm.place,
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
