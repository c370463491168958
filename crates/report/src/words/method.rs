//! How numbers were made, and why some were not.

use super::objection::too_few_count;
use fairtrial_analysis::compare::{
    MethodNote, MetricComparison, NoRelative, NoScores, NotRanked, UnitCount,
};

/// `paired t on logarithms, 15 pairs by seed (a note)`; absent where there is no interval.
pub(crate) fn method(metric: &MetricComparison) -> Option<String> {
    let used = metric.method.as_ref()?;
    let on = if used.logarithms {
        " on logarithms"
    } else {
        ""
    };
    let of = if used.between_points {
        " of scores between the reference points"
    } else {
        ""
    };
    let note = used
        .note
        .map_or(String::new(), |of| format!(" ({})", note(of)));
    Some(format!(
        "{}{on}{of}, {}{note}",
        used.name,
        units(&metric.count)
    ))
}

const fn note(note: MethodNote) -> &'static str {
    match note {
        MethodNote::NotPaired => {
            "the units are no pairs whose signs could be flipped, so their means are compared by t"
        }
        MethodNote::NoRatio => "a ratio needs values above 0, so the difference is compared",
        MethodNote::NotPassOrFail => {
            "the units are not all 0 or 1, so their means are compared by t"
        }
        MethodNote::TasksAsUnits => {
            "it cannot average fixed tasks, so each of them is one observation"
        }
        MethodNote::NoPointsNeeded => "pass and fail are on one scale without reference points",
    }
}

/// `15 pairs by seed`, `12 against 14 trials`.
pub(crate) fn units(count: &UnitCount) -> String {
    if count.control == 0 && count.candidate == 0 {
        return "no values".to_owned();
    }
    let word = count.unit.word();
    let of_tasks = if count.tasks > 1 {
        format!(" in {} tasks", count.tasks)
    } else {
        String::new()
    };
    if count.paired {
        let s = if count.control == 1 { "" } else { "s" };
        format!("{} pair{s} by {word}{of_tasks}", count.control)
    } else {
        format!(
            "{} against {} {word}s{of_tasks}",
            count.control, count.candidate
        )
    }
}

/// Why no change in percent is given.
pub(crate) fn no_relative(why: &NoRelative) -> String {
    match why {
        NoRelative::ControlIsZero => "the control's mean is 0".to_owned(),
        NoRelative::Unbounded { why } => why.to_string(),
        NoRelative::OtherMethod => "this method has no interval for a ratio of means".to_owned(),
        NoRelative::TooFewUnits => "so few units do not bound a ratio".to_owned(),
    }
}

/// Why there is no score over the tasks.
pub(crate) fn no_scores(why: &NoScores) -> String {
    match why {
        NoScores::NoPoints { task } => format!("task `{task}` has no reference points"),
        NoScores::Undefined { why } => why.to_string(),
    }
}

/// Why a side cannot be the best.
pub(crate) fn not_ranked(side: &str, why: &NotRanked) -> String {
    match why {
        NotRanked::Missing {
            without_value,
            trials,
        } => format!("{without_value} of {trials} trials have no value"),
        NotRanked::LacksTasks { tasks } => {
            let s = if *tasks == 1 { "" } else { "s" };
            format!("nothing in {tasks} task{s} that others have")
        }
        NotRanked::TooFewCount {
            counted,
            trials,
            share,
            can_resume,
        } => too_few_count(side, (*counted, *trials), *share, *can_resume),
    }
}
