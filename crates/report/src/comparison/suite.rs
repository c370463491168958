//! A suite of tasks in sentences: what a run of one side has against a run of the other, and both on one scale.

use fairtrial_analysis::compare::{MetricComparison, Ranged, SuiteOpinion, SuiteScore};
use fairtrial_text::count::count;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;

/// What the tasks together say.
pub(crate) fn suite_sentences(metric: &MetricComparison) -> Vec<String> {
    let Some(suite) = &metric.second_opinions.suite else {
        return Vec::new();
    };
    let mut said: Vec<String> = Vec::new();
    if let Some(chance) = suite.improvement {
        let better = if metric.direction.is_some() {
            "better"
        } else {
            "larger"
        };
        said.push(format!(
            "Over the {} tasks, a run of the candidate is {better} than one of the control with probability {}.",
            suite.tasks,
            chance_words(chance, metric.family.alpha),
        ));
    }
    if !suite.scores.is_empty() {
        let scores: Vec<String> = suite.scores.iter().map(score_words).collect();
        said.push(format!(
            "Scores between the reference points, over the tasks: {} ({} intervals of {} resamples).",
            scores.join("; "),
            share::level(metric.family.alpha),
            count(suite.resamples as u64)
        ));
    }
    said.extend(no_scores_words(suite));
    said
}

fn no_scores_words(suite: &SuiteOpinion) -> Option<String> {
    let why = suite.no_scores.as_ref()?;
    let why = crate::words::no_scores(why);
    Some(format!("No score over the tasks: {why}."))
}

/// Where every run of one side beats every run of the other, resampling them shows no spread; that is no certainty.
fn chance_words(Ranged { value, low, high }: Ranged, alpha: f64) -> String {
    if low == high {
        return format!("{value:.2} (in every draw, so that there is no interval)");
    }
    let level = share::level(alpha);
    let format = NumberFormat::Fixed(2).apart(&[low, high], 0.5);
    let (value, range) = (format.number(value), format.range(low, high));
    format!("{value} {range} ({level}; 0.5 is no difference)")
}

/// `interquartile mean 0.334 [0.301, 0.372] → 0.412 [0.380, 0.449], +0.078 [+0.021, +0.131]`.
fn score_words(score: &SuiteScore) -> String {
    let SuiteScore {
        statistic,
        control,
        candidate,
        difference,
    } = score;
    let half_width = (difference.high - difference.low) / 2.0;
    let digits = NumberFormat::choose(&[control.value, candidate.value], &[half_width], None);
    format!(
        "{statistic} {} {} → {} {}, {} {}",
        digits.number(control.value),
        digits.range(control.low, control.high),
        digits.number(candidate.value),
        digits.range(candidate.low, candidate.high),
        digits.signed(difference.value),
        digits.signed_range(difference.low, difference.high)
    )
}

#[cfg(test)]
mod tests {
    use super::{Ranged, SuiteScore, score_words};

    #[test]
    fn each_side_stands_with_its_interval() {
        let ranged = |value, low, high| Ranged { value, low, high };
        let score = SuiteScore {
            statistic: "mean",
            control: ranged(0.334, 0.301, 0.372),
            candidate: ranged(0.412, 0.380, 0.449),
            difference: ranged(0.078, 0.021, 0.131),
        };
        assert_eq!(
            score_words(&score),
            "mean 0.334 [0.301, 0.372] → 0.412 [0.380, 0.449], +0.078 [+0.021, +0.131]"
        );
    }
}
