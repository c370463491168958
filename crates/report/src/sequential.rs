//! A sequential run as text: why it ended, what it saved, and what every look saw.

use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::words::{arm_reason, no_result, stop_reason, why};
use fairtrial_analysis::compare::Scale;
use fairtrial_analysis::sequential::{ArmAnswer, ArmFailures, ArmLook, Stop, Trajectory};
use fairtrial_stats::sequential::Decision;
use fairtrial_text::count::{capitalised, count};
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share::level;

/// The answer for one arm with the numbers of the look that it rests on, or of the last one where there is none:
/// `Improved after 10 pairs; difference in score +2.1 [+1.2, +3.0] (97.5 % repeated interval).`
pub(crate) fn arm_sentence(trajectory: &Trajectory, answer: &ArmAnswer) -> String {
    let why = answer.reason.as_ref().map(arm_reason);
    let why = capitalised(why.as_deref().unwrap_or("not decided yet"));
    let look = trajectory.look(&answer.arm, answer.pairs);
    let result = look
        .or_else(|| trajectory.last_look(&answer.arm))
        .and_then(|look| look.result.as_ref());
    let Some(result) = result.filter(|result| result.interval.low.is_finite()) else {
        return format!("{why}.");
    };
    let show = |difference: f64| shown(trajectory, difference);
    let [low, value, high] = [result.interval.low, result.estimate, result.interval.high].map(show);
    let format = NumberFormat::choose(&[value], &[(high - low) / 2.0], None);
    format!(
        "{why}; {} {} {} ({} {} interval).",
        quantity(trajectory),
        format.signed(value),
        format.signed_range(low, high),
        level(trajectory.arm_alpha),
        interval_word(trajectory)
    )
}

/// What a run with a stopping rule knows at this moment: one line, and one for each arm with a look.
pub fn looks_so_far(trajectory: &Trajectory) -> Vec<String> {
    let mut lines = vec![headline(trajectory)];
    let several = trajectory.answers.len() > 1;
    for answer in &trajectory.answers {
        if trajectory.last_look(&answer.arm).is_some() {
            let arm = if several {
                format!("{}: ", answer.arm)
            } else {
                String::new()
            };
            lines.push(format!("{arm}{}", arm_sentence(trajectory, answer)));
        }
    }
    lines
}

/// Why it ended, and what that saved.
pub(crate) fn headline(trajectory: &Trajectory) -> String {
    let budget = trajectory.planned.last().copied().unwrap_or(0);
    let why = stop_reason(trajectory).unwrap_or_else(|| {
        let next = trajectory
            .planned
            .iter()
            .find(|look| **look > trajectory.pairs);
        let next = next.map_or(String::new(), |next| {
            format!("; the next look is at {next}")
        });
        format!(
            "not decided after {} of {budget} pairs{next}",
            trajectory.pairs
        )
    });
    let saved = if trajectory.trials_saved > 0 && trajectory.stop.is_some() {
        format!(
            "; {} of {} planned trials were not needed",
            count(trajectory.trials_saved),
            count(trajectory.trials_planned)
        )
    } else {
        String::new()
    };
    let open = trajectory.is_anytime() && trajectory.stop == Some(Stop::Exhausted);
    let more = if open {
        " With more seeds, `run SPEC --reuse --until decided --anytime` continues it, and the error rate holds."
    } else {
        ""
    };
    format!("Sequential: {why}{saved}.{}{more}", failing(trajectory))
}

/// What its intervals are called.
pub(crate) const fn interval_word(trajectory: &Trajectory) -> &'static str {
    if trajectory.is_anytime() {
        "anytime"
    } else {
        "repeated"
    }
}

/// ` Failed: 13 of 18 trials of b, 0 of 18 of a.`
fn failing(trajectory: &Trajectory) -> String {
    let failures = &trajectory.failures;
    if failures.iter().all(|of| of.count.failed == 0) {
        return String::new();
    }
    let of = |arm: &ArmFailures| {
        format!(
            "{} of {} trials of {}",
            arm.count.failed, arm.count.trials, arm.arm
        )
    };
    let each: Vec<String> = failures.iter().map(of).collect();
    format!(" Failed: {}.", each.join(", "))
}

/// A difference as it is shown: a ratio as the change in per cent.
pub(crate) fn shown(trajectory: &Trajectory, difference: f64) -> f64 {
    match trajectory.scale {
        Scale::Difference => difference,
        Scale::Ratio => 100.0 * difference.exp_m1(),
    }
}

/// What the differences are: `difference in loss (nats)`, `change of time (%)`.
pub(crate) fn quantity(trajectory: &Trajectory) -> String {
    let metric = &trajectory.metric;
    match (trajectory.scale, &trajectory.unit) {
        (Scale::Ratio, _) => format!("change of {metric} (%)"),
        (Scale::Difference, Some(unit)) => format!("difference in {metric} ({unit})"),
        (Scale::Difference, None) => format!("difference in {metric}"),
    }
}

pub(crate) const fn tone(stop: Option<Stop>) -> Tone {
    match stop {
        Some(Stop::Improved) => Tone::Good,
        Some(Stop::Regressed) => Tone::Bad,
        Some(Stop::Futile | Stop::Exhausted) => Tone::Caution,
        _ => Tone::Plain,
    }
}

/// One row per look and arm.
pub(crate) fn section(trajectory: &Trajectory) -> Section {
    let results = || {
        trajectory
            .looks
            .iter()
            .flat_map(|look| &look.arms)
            .filter_map(|arm| arm.result.as_ref())
    };
    let show = |difference: f64| shown(trajectory, difference);
    let estimates: Vec<f64> = results().map(|result| show(result.estimate)).collect();
    let errors: Vec<f64> = results()
        .map(|result| show(result.standard_error))
        .collect();
    let format = NumberFormat::choose(&estimates, &errors, None);
    let mut grid = Grid::new(vec![
        Column::numbers("pairs"),
        Column::words("arm"),
        Column::numbers(match trajectory.scale {
            Scale::Difference => "difference",
            Scale::Ratio => "change (%)",
        }),
        Column::numbers(format!(
            "{} {} interval",
            level(trajectory.arm_alpha),
            interval_word(trajectory)
        )),
        Column::numbers("t").may_go(1),
        Column::numbers("boundary").may_go(2),
        Column::words("answer"),
    ]);
    for look in &trajectory.looks {
        for arm in &look.arms {
            grid.push(row(look.n, arm, (trajectory, format)));
        }
    }
    let what_holds = if trajectory.is_anytime() {
        "An anytime interval holds the truth whenever you look, also where seeds are added later; it is wider than one of \
         planned looks."
    } else {
        "A repeated interval holds the truth at every look and when stopping; it is wider than one of a run that looks \
         only once."
    };
    let mut notes = vec![what_holds.to_owned()];
    if trajectory.candidates.len() > 1 {
        notes.push(format!(
            "Each of the {} arms has an equal share of the error rate: all intervals hold together at {}.",
            trajectory.candidates.len(),
            level(trajectory.alpha)
        ));
    }
    if trajectory.broken > 0 {
        notes.push(format!(
            "{} complete blocks have a side without a value and take no part.",
            trajectory.broken
        ));
    }
    for answer in trajectory
        .answers
        .iter()
        .filter(|answer| answer.stop.is_none())
    {
        let last = trajectory.last_look(&answer.arm);
        if let Some(look) = last.filter(|look| is_held_back(look)) {
            notes.push(format!(
                "The answer for {} does not count: {}.",
                answer.arm,
                why(&look.verdict, Some(trajectory.scale))
            ));
        }
    }
    Section {
        title: format!(
            "Looks at {} against {}",
            trajectory.metric, trajectory.control
        ),
        grid: if trajectory.candidates.len() > 1 {
            grid
        } else {
            without_arm(grid)
        },
        notes,
    }
}

fn row(n: usize, arm: &ArmLook, (trajectory, format): (&Trajectory, NumberFormat)) -> Vec<Cell> {
    let show = |difference: f64| shown(trajectory, difference);
    let Some(result) = &arm.result else {
        let why = match arm.answer {
            Some(stop) if !is_held_back(arm) => stop.word().to_owned(),
            _ => arm.why_none.as_ref().map_or(String::new(), no_result),
        };
        let blank = Cell::default;
        return vec![
            n.to_string().into(),
            arm.arm.as_str().into(),
            blank(),
            blank(),
            blank(),
            blank(),
            why.into(),
        ];
    };
    let interval = if result.interval.low.is_finite() {
        format.signed_range(show(result.interval.low), show(result.interval.high))
    } else {
        "without bounds".to_owned()
    };
    vec![
        n.to_string().into(),
        arm.arm.as_str().into(),
        format.signed(show(result.estimate)).into(),
        interval.into(),
        format!("{:.2}", result.t).into(),
        if result.critical.is_finite() {
            format!("±{:.2}", result.critical)
        } else {
            "none".to_owned()
        }
        .into(),
        answer(arm, result.decision).into(),
    ]
}

fn answer(arm: &ArmLook, decision: Decision) -> &'static str {
    match decision {
        _ if is_held_back(arm) => "withheld",
        _ if arm.answer == Some(Stop::Equivalent) => "inside the margin",
        Decision::Greater | Decision::Less if arm.answer.is_none() => {
            "inside and beyond the margin"
        }
        Decision::Greater => "above 0",
        Decision::Less => "below 0",
        Decision::Continue => "open",
        Decision::Futile => "hopeless",
        Decision::Exhausted => "budget used up",
    }
}

/// Whether a look has an answer that does not count.
fn is_held_back(look: &ArmLook) -> bool {
    look.answer.is_some_and(Stop::is_verdict) && look.verdict.is_held_back()
}

fn without_arm(mut grid: Grid) -> Grid {
    grid.columns.remove(1);
    for row in &mut grid.rows {
        row.remove(1);
    }
    grid
}
