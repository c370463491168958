//! The word for what was found, and the sentence that says why.

use super::case::{Case, Scale};
use super::method::Answer;
use super::units::UnitKind;
use super::verdict::Word;
use super::{missing, parts};
use crate::validity::MOST_BROKEN;
use fairtrial_stats::{Outcome, Undefined};

/// Why it is identical.
const SAME: &str = "every value is the same on both sides";

/// Tasks that a reason names.
const MOST_NAMED: usize = 5;

/// A word and why.
pub(super) struct Judged {
    pub(super) word: Word,
    pub(super) reason: String,
    /// See [`super::Verdict::withheld`].
    pub(super) withheld: bool,
}

impl Judged {
    fn plain(word: Word, reason: impl Into<String>) -> Self {
        Self {
            word,
            reason: reason.into(),
            withheld: false,
        }
    }
}

/// The word for what a method said or could not say, after what is missing had its say.
pub(super) fn judged(case: &Case, answered: &Outcome<Answer>, alpha: f64) -> Judged {
    let found = match answered {
        // Rates have an interval and a p value even then.
        Ok(_) if case.sample.is_same() => Judged::plain(Word::Identical, SAME),
        Ok(answer) => {
            let word = answer.word(&case.rule());
            Judged::plain(word, reason(case, word, answer))
        }
        Err(why) => undefined(case, why),
    };
    if found.word == Word::Insufficient {
        return found;
    }
    if found.word == Word::Identical && case.rows.not_reached() != [0, 0] {
        return Judged::plain(
            Word::Insufficient,
            "up to the last step of a trial that did not reach the threshold, there is no difference to see",
        );
    }
    if let Some(flag) = parts::of_records(&case.rows, &case.declaration)
        .filter(|_| parts::must_be_alike(&case.declaration))
    {
        return Judged {
            word: Word::Inconclusive,
            reason: format!(
                "{flag}; `step_min` and `step_max` of its summary take the same steps of all"
            ),
            withheld: true,
        };
    }
    let broken = broken_share(case);
    if case.units.paired && broken > MOST_BROKEN {
        let percent = (100.0 * broken).round();
        let reason = format!(
            "{percent} % of the pairs have a side missing{}",
            groups_hint(case)
        );
        return Judged::plain(Word::Insufficient, reason);
    }
    match missing::worst_case(case, found.word, alpha) {
        Some(reason) => Judged {
            word: Word::Inconclusive,
            reason: format!("missing data: {reason}"),
            withheld: true,
        },
        None => found,
    }
}

fn broken_share(case: &Case) -> f64 {
    let units = case.units.rows.len();
    if units == 0 {
        0.0
    } else {
        case.units.dropped().len() as f64 / units as f64
    }
}

fn reason(case: &Case, word: Word, answer: &Answer) -> String {
    let (rule, interval) = (case.rule(), &answer.interval);
    let zero = if case.scale == Scale::Ratio {
        "a ratio of 1"
    } else {
        "0"
    };
    match word {
        Word::Improved | Word::Regressed if rule.beyond_margin => {
            "the whole interval lies beyond the threshold".to_owned()
        }
        Word::Improved | Word::Regressed => format!("the interval leaves {zero} outside"),
        Word::Equivalent if interval.contains(0.0) => {
            "the whole interval lies inside the margin".to_owned()
        }
        Word::Equivalent => {
            "there is a difference, but the whole interval lies inside the margin".to_owned()
        }
        Word::NotWorse => "the interval rules out a loss as large as the margin".to_owned(),
        Word::Inconclusive if rule.direction.is_none() && !interval.contains(0.0) => {
            format!("the interval leaves {zero} outside, but which way is better is not declared")
        }
        Word::Inconclusive if rule.beyond_margin && !interval.contains(0.0) => {
            format!("the interval leaves {zero} outside, but is not wholly beyond the threshold")
        }
        Word::Inconclusive if rule.word(interval, None) != word => {
            let p = answer.p.unwrap_or(f64::NAN);
            let needed = (interval.level.alpha * 1e4).round() / 1e4;
            format!(
                "the interval leaves {zero} outside, but the test does not rule it out (p = {p:.3}, needed {needed})"
            )
        }
        _ => format!("the interval holds {zero} and differences that matter"),
    }
}

/// Which side it is that has no value. Of pairs, both sides are gone where one is.
fn no_value(case: &Case) -> String {
    let rows = || case.units.rows.iter();
    let control = rows().any(|row| row.control.has_value());
    let candidate = rows().any(|row| row.candidate.has_value());
    match (control, candidate) {
        (false, false) => "neither side has a usable value".to_owned(),
        (false, true) => "the control has no usable value".to_owned(),
        (true, false) => "the candidate has no usable value".to_owned(),
        (true, true) if case.units.paired => {
            let hint = groups_hint(case);
            format!("no unit has a usable value on both sides{hint}")
        }
        (true, true) => "no task has a usable value on both sides".to_owned(),
    }
}

/// What is left to compare without pairs. Of tasks, that would be other tasks: nothing.
fn groups_hint(case: &Case) -> &'static str {
    if case.units.kind == UnitKind::Task {
        ""
    } else if case.units.has_several_tasks() {
        "; --pairing none compares the groups in the tasks that both sides have"
    } else {
        "; --pairing none compares the groups"
    }
}

/// The word where there is no interval.
fn undefined(case: &Case, why: &Undefined) -> Judged {
    let (control, candidate) = case.sample.sizes();
    match why {
        Undefined::ZeroVariance { .. } if case.sample.is_same() => {
            Judged::plain(Word::Identical, SAME)
        }
        Undefined::ZeroVariance { .. } => Judged::plain(Word::Insufficient, constant(case)),
        _ if control == 0 || candidate == 0 => Judged::plain(Word::Insufficient, no_value(case)),
        _ if case.sample.is_constant() => Judged::plain(Word::Identical, SAME),
        _ if control.min(candidate) == 1 => Judged::plain(
            Word::Insufficient,
            "one value on a side has no spread; at least two are needed",
        ),
        why => Judged::plain(Word::Insufficient, why.to_string()),
    }
}

/// How the sides differ where nothing varies.
fn constant(case: &Case) -> String {
    let ratio = case.scale == Scale::Ratio;
    let what = if ratio { "ratio" } else { "difference" };
    let shown = |value: f64| {
        let value = if ratio { value.exp() } else { value };
        match value.abs() {
            size if size != 0.0 && !(1e-5..1e9).contains(&size) => format!("{value:e}"),
            _ => value.to_string(),
        }
    };
    let strata = case.sample.strata.iter();
    let by_task: Vec<f64> = strata
        .filter_map(|of| Some(of.candidate.first()? - of.control.first()?))
        .collect();
    let first = by_task.first().copied().unwrap_or(0.0);
    let where_it_is = if by_task.iter().all(|value| *value == first) {
        format!("{} in every unit", shown(first))
    } else {
        let named = case.units.used_task_names().zip(&by_task);
        let mut named: Vec<String> = named
            .map(|(task, value)| format!("{} in {task}", shown(*value)))
            .collect();
        let more = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        let more = match more {
            0 => String::new(),
            _ => format!(" and {more} more"),
        };
        format!(
            "the same in every unit of a task: {}{more}",
            named.join(", ")
        )
    };
    let rounding = if case.sample.has_one_difference() {
        ""
    } else {
        ", but for the rounding of numbers of this size"
    };
    format!(
        "the {what} is {where_it_is}{rounding}, so chance has no measure (is the metric deterministic?)"
    )
}
