//! What speaks against a verdict, each in a sentence without its full stop.

use fairtrial_analysis::compare::{
    ConstantDifference, DefinitionChange, Groups, MissingKind, Objection, ObjectionKind, Turned,
    UnfairKey, WithoutValue,
};
use fairtrial_text::count::first_of;
use fairtrial_text::share;

/// Tasks, units and keys that a sentence names.
const MOST_NAMED: usize = 5;

/// The sentence for an objection, without a full stop.
pub(crate) fn objection(objection: &Objection) -> String {
    match &objection.kind {
        ObjectionKind::NoValue { whose, groups } => no_value(*whose, *groups),
        ObjectionKind::OneValue => {
            "one value on a side has no spread; at least two are needed".to_owned()
        }
        ObjectionKind::NoInterval { why } => why.to_string(),
        ObjectionKind::ConstantDifference(constant) => constant_difference(constant),
        ObjectionKind::MissingPairs { broken, of, groups } => {
            let missing = share::percent_to(*broken as f64 / (*of).max(1) as f64, 0);
            format!("{missing} of the pairs have a side missing{}", compare_groups(*groups))
        }
        ObjectionKind::OtherMachine {
            name,
            control,
            candidate,
        } => format!(
            "the sides ran on different machines ({name}: {} and {}), which changes timings; --accept machine overrides",
            control.as_deref().unwrap_or("unknown"),
            candidate.as_deref().unwrap_or("unknown")
        ),
        ObjectionKind::BusyMachine {
            per_second,
            clock,
            change,
        } => format!(
            "busy machine: other programs took the CPU {per_second:.0} times per second of CPU time, and {clock}, which they disturb less, \
             changed by {} only; compare that (`--metric {clock}`), or run both sides as arms of one run, in turns",
            share::percent_to(change.abs(), 1)
        ),
        ObjectionKind::OtherImplementation { control, candidate } => format!(
            "another implementation (control: {control}; candidate: {candidate}): the two experiments have the same name and are \
             different programs, so the difference says nothing about a change to either"
        ),
        ObjectionKind::OtherDefinition { changes } => format!(
            "its numbers are made differently on the two sides ({}), so that they say nothing about the candidate; \
             --accept definition overrides",
            definition_changes(changes)
        ),
        ObjectionKind::SameRecords { shared, of } => format!(
            "{shared} of {of} trials are the same record on both sides: one run took them over from the other (`--reuse`), \
             so that they are compared with themselves and say nothing"
        ),
        ObjectionKind::MixedCode(mixture) => format!(
            "mixed code: {}, so that a difference may come from that; --accept code overrides",
            mixture.sentence()
        ),
        ObjectionKind::NothingReached => {
            "up to the last step of a trial that did not reach the threshold, there is no difference to see"
                .to_owned()
        }
        ObjectionKind::TooFewCount {
            side,
            counted,
            trials,
            share,
            can_resume,
        } => too_few_count(side, (*counted, *trials), *share, *can_resume),
        ObjectionKind::StoppedEarly => {
            "the run stopped early by looking at this metric, so that an interval that looks once does not hold; the run's \
             own answer does (`fairtrial report`)"
                .to_owned()
        }
        ObjectionKind::MissingData { missing, turned } => missing_data(*missing, *turned),
        ObjectionKind::OtherParts { control, candidate } => format!(
            "other parts: the control's numbers are about {} of the curves, the candidate's about {}; `step_min` and \
             `step_max` of the summary take the same steps of all",
            steps(*control),
            steps(*candidate)
        ),
        ObjectionKind::OnlyFinalValues {
            control,
            candidate,
            of,
        } => format!(
            "{} of {of} trials gave one final value and no series ({control} of the control, {candidate} of the candidate), \
             which stands for the declared summary; have them log values with steps, or remove `summary`",
            control + candidate
        ),
        ObjectionKind::OneProcess => {
            "one process per side: the noise between processes is in none of its iterations, so nothing is concluded; run each \
             side in several processes (`processes` or `seeds`; at least 6), interleaved"
                .to_owned()
        }
        ObjectionKind::WarmUp {
            candidate,
            first,
            of,
        } => format!(
            "warm-up: the first {first} of the {}'s {of} timings are far from the later ones; run something first that is \
             not measured (`warmup` of `iterations`)",
            side(*candidate)
        ),
        ObjectionKind::Drift {
            candidate,
            change,
            of,
        } => format!(
            "drift: the {}'s {of} timings {} by {} from the first to the last; run the sides interleaved, and nothing else \
             on the machine",
            side(*candidate),
            if *change > 0.0 { "rise" } else { "fall" },
            share::percent_to(change.abs(), 1)
        ),
        ObjectionKind::Autocorrelated {
            candidate,
            lag1,
            worth,
            of,
        } => format!(
            "autocorrelated: the {}'s neighbouring timings resemble each other (correlation {lag1:.2}), so that {of} of them \
             are worth about {worth:.0}; take more processes instead of more iterations",
            side(*candidate)
        ),
        ObjectionKind::Fragile { unit, becomes } => {
            format!("fragile: without {unit} the verdict would be {becomes}")
        }
        ObjectionKind::ShapeSensitive { sign_flip_p } => format!(
            "shape-sensitive: the sign-flip test, which assumes no shape, disagrees ({})",
            share::p_value(*sign_flip_p)
        ),
        ObjectionKind::TDisagrees { t_p } => format!(
            "t disagrees: by the t test, which takes the differences for normal, p would be {}",
            fairtrial_text::share::p_value(*t_p).trim_start_matches("p = ")
        ),
        ObjectionKind::LabelsDisagree { p, needed } => format!(
            "permutation test disagrees: exchanging the sides' labels gives this often by chance ({}, needed {needed}); \
             the groups are too skewed or of too unlike sizes for this interval",
            fairtrial_text::share::p_value(*p)
        ),
        ObjectionKind::SignsDisagree { p, needed } => format!(
            "sign-flip test disagrees: flipping the signs of the differences gives this often by chance ({}, needed \
             {needed}); bootstrap intervals are too short where a few differences are large; without --method the \
             verdict goes by this test",
            fairtrial_text::share::p_value(*p)
        ),
        ObjectionKind::FewResampled { units, enough } => format!(
            "few resampled: bootstrap intervals of {units} units are too short, at least {enough} are needed; without \
             --method the verdict goes by a method that holds"
        ),
        ObjectionKind::Contradiction { unit, values } => format!(
            "contradicts itself: the metric is declared deterministic, but {unit} reports {} and {}; take the \
             declaration away, or find what differs",
            values[0], values[1]
        ),
        ObjectionKind::VariesBySeed => {
            "varies by seed: the metric is declared deterministic, but its difference is not the same in every unit, so \
             these are judged as a sample"
                .to_owned()
        }
        ObjectionKind::MissingUnits {
            broken,
            of,
            candidate,
        } => {
            let side = side(*candidate);
            format!("{broken} of {of} units of the {side} have no value, too many to judge the others by")
        }
        ObjectionKind::TwoUnits => {
            "n=2: two units say very little about their spread".to_owned()
        }
        ObjectionKind::FewUnits => {
            "few units: with fewer than 6 the sign of the difference is often wrong and a found effect is overstated"
                .to_owned()
        }
        ObjectionKind::NoSharedUnits => {
            "no shared seeds: the sides are compared as two independent groups".to_owned()
        }
        ObjectionKind::NoDirection => {
            "no direction: which way is better is not declared (`direction` in the spec, or `--direction up|down`)".to_owned()
        }
        ObjectionKind::Undeclared => {
            "undeclared: the spec says nothing about this metric".to_owned()
        }
        ObjectionKind::TasksLeftOut { tasks } => format!(
            "tasks left out: in {} values are missing on a side or on both, so the numbers are about the other tasks",
            tasks.join(", ")
        ),
        ObjectionKind::TasksAsUnits { tasks } => format!(
            "tasks as units: one value on a side has no spread (in {}), so every task is one observation and the result \
             is about tasks like these",
            first_of(tasks, MOST_NAMED)
        ),
        ObjectionKind::Unfair { keys } => {
            let key = |key: &UnfairKey| {
                let unknown = if key.known { "" } else { " (not known)" };
                format!("{}{unknown}", key.key)
            };
            let keys: Vec<String> = keys.iter().map(key).collect();
            format!("unfair: the sides are not alike in {}", keys.join(", "))
        }
        ObjectionKind::RoundedIntegers => {
            "large whole numbers: above 9,007,199,254,740,992 (2^53) their last digits are not kept, and values that \
             differ in those alone are the same here; subtract what they have in common before reporting them"
                .to_owned()
        }
        ObjectionKind::NotReached { control, candidate } => format!(
            "not reached: {control} of the control's trials and {candidate} of the candidate's did not get to the \
             threshold; steps are counted up to the smallest last step of these, so the means are restricted ones"
        ),
        ObjectionKind::Skewed => {
            "skewed: all values are above 0 and skewed; --method log-ratio would fit better".to_owned()
        }
    }
}

const fn side(candidate: bool) -> &'static str {
    if candidate { "candidate" } else { "control" }
}

fn no_value(whose: WithoutValue, groups: Groups) -> String {
    let what = match whose {
        WithoutValue::Both => "neither side has a usable value",
        WithoutValue::Control => "the control has no usable value",
        WithoutValue::Candidate => "the candidate has no usable value",
        WithoutValue::SharedUnit => "no unit has a usable value on both sides",
        WithoutValue::SharedTask => "no task has a usable value on both sides",
    };
    format!("{what}{}", compare_groups(groups))
}

const fn compare_groups(groups: Groups) -> &'static str {
    match groups {
        Groups::None => "",
        Groups::OneTask => "; --pairing none compares the groups",
        Groups::SeveralTasks => {
            "; --pairing none compares the groups in the tasks that both sides have"
        }
    }
}

fn constant_difference(constant: &ConstantDifference) -> String {
    let what = if constant.ratio {
        "ratio"
    } else {
        "difference"
    };
    let shown = |value: f64| match value.abs() {
        size if size != 0.0 && !(1e-5..1e9).contains(&size) => format!("{value:e}"),
        _ => value.to_string(),
    };
    let first = constant.by_task.first().map_or(0.0, |task| task.value);
    let where_it_is = if constant.by_task.iter().all(|task| task.value == first) {
        format!("{} in every unit", shown(first))
    } else {
        let tasks = constant.by_task.iter();
        let tasks = tasks.map(|of| format!("{} in {}", shown(of.value), of.task));
        let tasks: Vec<String> = tasks.collect();
        format!(
            "the same in every unit of a task: {}",
            first_of(&tasks, MOST_NAMED)
        )
    };
    let rounding = if constant.rounded {
        ", but for the rounding of numbers of this size"
    } else {
        ""
    };
    format!(
        "the {what} is {where_it_is}{rounding}, so chance has no measure in so few units; if the metric is the same for the same code and seed, declare \
         `deterministic = true`"
    )
}

/// `summary.type: max and auc, round: none and 2`.
fn definition_changes(changes: &[DefinitionChange]) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let words = |change: &DefinitionChange| {
        let (control, candidate) = (side(&change.control), side(&change.candidate));
        format!("{}: {control} and {candidate}", change.what)
    };
    changes.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// Why so few trials do not suffice, and what to do.
pub(super) fn too_few_count(
    side: &str,
    (counted, trials): (usize, usize),
    share: f64,
    can_resume: bool,
) -> String {
    let again = if can_resume {
        "; `--resume` runs the others again, and `valid` of [analysis] lowers the floor"
    } else {
        ""
    };
    format!(
        "only {counted} of {trials} trials of {side} count, fewer than {}: nothing is concluded{again}",
        fairtrial_text::share::percent(share)
    )
}

fn missing_data(missing: MissingKind, turned: Option<Turned>) -> String {
    let Some(turned) = turned else {
        let but = match missing {
            MissingKind::Failures => "trials failed",
            MissingKind::Values => "others are missing",
        };
        return format!(
            "missing data: the values that are there are the same on both sides, but {but}"
        );
    };
    let what = match missing {
        MissingKind::Failures => "failures",
        MissingKind::Values => "missing values",
    };
    if turned.from == turned.becomes {
        return format!("missing data: with {what} counted, the difference would not be sure");
    }
    format!(
        "missing data: with {what} counted against it, {} would become {}",
        turned.from, turned.becomes
    )
}

fn steps([from, to]: [f64; 2]) -> String {
    let [from, to] = [from, to].map(|step| (10.0 * step).round() / 10.0);
    if from == to {
        format!("step {to}")
    } else {
        format!("steps {from} to {to}")
    }
}
