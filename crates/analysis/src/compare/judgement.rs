//! One metric of one contrast: estimate and interval, what speaks against a verdict, and the verdict.

use crate::compare::advice::Advice;
use crate::compare::data::sample::Stratum;
use crate::compare::method::answer::Answer;
use crate::compare::method::choose::Case;
use crate::compare::method::family::FamilyPlace;
use crate::compare::method::kind::Scale;
use crate::compare::method::{plan, relative};
use crate::compare::objections::collect::{About, about_the_data, about_the_opinions};
use crate::compare::objections::objection::Objection;
use crate::compare::options::Role;
use crate::compare::ranged::Ranged;
use crate::compare::result::{Centres, Effect, MethodUsed, MetricComparison, UnitCount};
use crate::compare::second_opinions::leave_one_out::leave_one_out;
use crate::compare::second_opinions::opinion::SecondOpinions;
use crate::compare::second_opinions::{gather, suite};
use crate::compare::verdict::{Verdict, unopposed, verdict};
use crate::compare::word::Word;
use crate::summary::Numbers;
use fairtrial_model::Method;

/// Judges a case at its place in the family.
pub(crate) fn judge(case: &Case, family: FamilyPlace, about: &About<'_>) -> MetricComparison {
    let alpha = family.alpha;
    let options = about.options;
    let answered = case.answer(&case.sample, alpha);
    let (evidence, rule) = (case.evidence(&answered), case.rule());
    let mut objections = about.the_contrast(case);
    objections.extend(about_the_data(case, &answered, alpha));
    let held_back = objections.iter().any(Objection::holds_back);
    let hidden = objections.iter().any(Objection::hides_numbers);
    // What holds a verdict back decided, not the units that are there: none of them carries it.
    let decided = Some(unopposed(&evidence, &rule)).filter(|_| !held_back);
    let left_out = decided.and_then(|word| leave_one_out(case, word, alpha));
    let mut opinions = gather::opinions(case, alpha, options.power);
    opinions.leave_one_out = left_out;
    let answer = answered.as_ref().ok();
    if !hidden {
        let p = answer.and_then(|answer| answer.p);
        objections.extend(about_the_opinions(case, &opinions, p, alpha));
    }
    let mut verdict = verdict(&evidence, &rule, objections);
    if let (Word::Inconclusive, Some(answer), false) = (verdict.word, answer, held_back) {
        let advice = plan::advice(case, answer.value, alpha, options.power);
        verdict.advice = advice.map(|advice| Advice {
            until_decided: about.inputs.can_run_again(),
            ..advice
        });
    }
    let effect = answer.and_then(|answer| effect(case, answer));
    if case.role == Role::Primary && effect.is_some() {
        opinions.suite = suite::suite(case, alpha, options.seed);
    }
    let found = MetricComparison {
        metric: case.declaration.name.clone(),
        role: case.role,
        direction: case.declaration.direction,
        unit: case.declaration.unit.clone(),
        precision: case.declaration.precision,
        kind: case.kind,
        verdict,
        control: numbers(case, |stratum| &stratum.control),
        candidate: numbers(case, |stratum| &stratum.candidate),
        effect,
        count: count(case),
        dropped: case.units.dropped(),
        method: answer.map(|answer| method_used(case, answer)),
        family,
        second_opinions: opinions,
        control_trials: case.units.control_trials.clone(),
        candidate_trials: case.units.candidate_trials.clone(),
        centres: Centres {
            sides: centres(case),
            medians: case.method == Method::Rank,
            between_points: case.normalised,
        },
    };
    if hidden {
        without_numbers(found)
    } else {
        found
    }
}

/// The same without a difference, where that means nothing.
fn without_numbers(found: MetricComparison) -> MetricComparison {
    MetricComparison {
        effect: None,
        second_opinions: SecondOpinions::default(),
        family: FamilyPlace {
            adjusted_p: None,
            ..found.family
        },
        ..found
    }
}

/// Verdict and effect of a part of `whole`: what is held back for the whole is held back for the part.
pub(crate) fn judge_part(case: &Case, alpha: f64, whole: &Verdict) -> (Verdict, Option<Effect>) {
    let answered = case.answer(&case.sample, alpha);
    let mut objections: Vec<_> = whole.inherited().collect();
    for own in about_the_data(case, &answered, alpha) {
        if !objections.contains(&own) {
            objections.push(own);
        }
    }
    let hidden = objections.iter().any(Objection::hides_numbers);
    let verdict = verdict(&case.evidence(&answered), &case.rule(), objections);
    let answer = answered.ok().filter(|_| !hidden);
    (verdict, answer.and_then(|answer| effect(case, &answer)))
}

fn centres(case: &Case) -> Option<[f64; 2]> {
    Some([case.control_centre()?, case.candidate_centre()?])
}

/// Candidate against control by an answer.
pub(crate) fn effect(case: &Case, answer: &Answer) -> Option<Effect> {
    let [control, candidate] = centres(case)?;
    let (rule, interval) = (case.rule(), &answer.interval);
    let own = Ranged {
        value: answer.value,
        low: interval.low,
        high: interval.high,
    };
    let (absolute, relative) = match case.scale {
        Scale::Difference => (own, relative::change(case, own, interval.level)),
        Scale::Ratio => {
            let relative = own.map(f64::exp_m1);
            (relative.map(|share| share * control), Ok(relative))
        }
    };
    let margin_size = rule.margin.map(|margin| match case.scale {
        Scale::Difference => margin.above,
        Scale::Ratio => margin.above.exp_m1() * control,
    });
    Some(Effect {
        scale: case.scale,
        control,
        candidate,
        absolute,
        no_relative: relative.as_ref().err().cloned(),
        relative: relative.ok(),
        alpha: interval.level.alpha,
        p: answer.p,
        df: answer.df,
        margin: margin_size,
        clears_margin: rule
            .margin
            .map(|margin| interval.low > margin.above || interval.high < -margin.below),
    })
}

fn numbers(case: &Case, side: fn(&Stratum) -> &Vec<f64>) -> Option<Numbers> {
    let strata = case.sample.strata.iter();
    let values = strata.flat_map(|stratum| side(stratum).iter());
    let values: Vec<f64> = values.map(|x| case.scale.in_own_unit(*x)).collect();
    Numbers::of(&values)
}

/// What was counted.
pub(crate) fn count(case: &Case) -> UnitCount {
    let (control, candidate) = case.sample.sizes();
    UnitCount {
        unit: case.units.kind,
        paired: case.units.paired,
        control,
        candidate,
        tasks: case.sample.strata.len(),
    }
}

fn method_used(case: &Case, answer: &Answer) -> MethodUsed {
    MethodUsed {
        name: answer.method.clone(),
        logarithms: case.scale == Scale::Ratio,
        between_points: case.normalised,
        medians: case.method == Method::Rank,
        note: case.note,
    }
}
