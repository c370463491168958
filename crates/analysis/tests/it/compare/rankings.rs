//! Rankings: the scale and the tests of the comparison, and an error rate that knows that the best was picked.

use super::lab::{DOWN, UP, dataset, run};
use crate::common::{measured, record};
use fairtrial_analysis::CompareOptions;
use fairtrial_analysis::compare::{Ranking, Scale, Standing, Word, choose};
use fairtrial_model::Record;
use fairtrial_stats::Level;
use fairtrial_stats::one_arm::{Proportion, ProportionMethod, proportion_interval};
use fairtrial_stats::rng::{Purpose, Stream};

/// One trial per seed of each arm.
fn arms(values: &[(&str, &[f64])]) -> Vec<Record> {
    let mut records = Vec::new();
    for (arm, values) in values {
        for (seed, value) in (0..).zip(*values) {
            let one = record(records.len() as u64, "train", arm, seed);
            records.push(measured(one, &[("score", *value)]));
        }
    }
    records
}

fn arm<'a>(ranking: &'a Ranking, name: &str) -> &'a Standing {
    let found = ranking.arms.iter().find(|arm| arm.arm == name);
    &found.unwrap().standing
}

#[test]
fn pass_and_fail_are_ranked_by_rates_and_the_exact_test() {
    let control = [1.0; 10];
    let mut b = control;
    b[9] = 0.0;
    let c = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let records = arms(&[("control", &control), ("b", &b), ("c", &c)]);
    let found = run(&dataset(UP, None, &records), &CompareOptions::default());
    let ranking = &found.rankings[0];
    for (name, successes) in [("control", 10), ("b", 9), ("c", 3)] {
        let counts = Proportion {
            successes,
            trials: 10,
        };
        let wilson = proportion_interval(counts, ProportionMethod::Wilson, Level::TWO_SIDED_95);
        let (got, want) = (
            arm(ranking, name).interval.unwrap(),
            wilson.unwrap().interval,
        );
        assert!((got.low - want.low).abs() < 1e-12, "{name}: {got:?}");
        assert!((got.high - want.high).abs() < 1e-12, "{name}: {got:?}");
    }
    // The same pair, by the same test: three times the p value of the comparison, for three pairs.
    let contrast = found
        .contrasts
        .iter()
        .find(|of| of.candidate.arm.as_deref() == Some("c"));
    let p = contrast.unwrap().metrics[0].effect.as_ref().unwrap().p;
    let against_best = arm(ranking, "c").p_against_best().unwrap();
    assert!((against_best - 3.0 * p.unwrap()).abs() < 1e-12);
    assert!(against_best > 0.02, "{against_best}");
}

#[test]
fn an_arm_of_zeros_and_ones_among_scores_is_no_pass_or_fail() {
    let records = arms(&[
        ("control", &[0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
        ("b", &[0.2, 1.4, 0.7, 0.1, 1.2, 0.9]),
        ("c", &[2.2, 2.4, 1.7, 2.1, 2.2, 1.9]),
    ]);
    let found = run(&dataset(UP, None, &records), &CompareOptions::default());
    let interval = arm(&found.rankings[0], "control").interval.unwrap();
    assert!(interval.high > 1.0, "{interval:?}");
}

#[test]
fn timings_are_ranked_on_the_scale_of_their_verdicts() {
    // Mostly a third faster, and one seed that hangs: arithmetic means say the opposite of the verdict.
    let control: Vec<f64> = (0..30).map(|seed| 90.0 + f64::from(seed % 7)).collect();
    let mut b: Vec<f64> = control.iter().map(|value| value * 0.6).collect();
    b[4] = 2_000.0;
    let c: Vec<f64> = (0..30).map(|seed| 92.0 + f64::from(seed % 5)).collect();
    let records = arms(&[("control", &control), ("b", &b), ("c", &c)]);
    let mut data = dataset(DOWN, None, &records);
    data.declared[0].unit = Some("ms".into());
    let found = run(&data, &CompareOptions::default());
    let effect = found.contrasts.iter().find_map(|of| {
        let is_b = of.candidate.arm.as_deref() == Some("b");
        is_b.then(|| &of.metrics[0])
    });
    assert_eq!(effect.unwrap().verdict.word, Word::Improved);
    let ranking = &found.rankings[0];
    assert_eq!(ranking.scale, Scale::Ratio);
    assert_eq!(ranking.arms[0].arm, "b");
    let means = effect.unwrap().effect.as_ref().unwrap();
    assert!((arm(ranking, "b").mean - means.candidate).abs() < 1e-9);
    let p = arm(ranking, "control").p_against_best().unwrap();
    assert!((p - 3.0 * means.p.unwrap()).abs() < 1e-9, "{p}");
    let interval = arm(ranking, "b").interval.unwrap();
    assert!(interval.low > 0.0 && interval.high < 100.0, "{interval:?}");
}

#[test]
fn one_timing_of_zero_takes_the_ratio_from_all() {
    // As logarithms of seconds beside seconds, the arm with the zero would win whatever it took.
    let control = [90.0, 91.0, 92.0, 93.0, 94.0, 95.0];
    let fast = [3.0, 3.1, 3.2, 3.3, 3.4, 3.5];
    let zero = [0.0, 2.0, 2.1, 400.0, 410.0, 420.0];
    let records = arms(&[("control", &control), ("fast", &fast), ("zero", &zero)]);
    let mut data = dataset(DOWN, None, &records);
    data.declared[0].unit = Some("ms".into());
    let found = run(&data, &CompareOptions::default());
    let ranking = &found.rankings[0];
    assert_eq!(ranking.scale, Scale::Difference);
    let order: Vec<&str> = ranking.arms.iter().map(|arm| arm.arm.as_str()).collect();
    assert_eq!(order, ["fast", "control", "zero"]);
}

/// Ten equal arms, ten seeds each: the one that looks best was picked for it.
#[test]
fn equal_arms_are_told_apart_no_more_often_than_alpha_says() {
    let names: Vec<String> = (0..10).map(|arm| format!("arm{arm}")).collect();
    let tables = 300;
    let mut wrong = 0;
    for table in 0..tables {
        let mut stream = Stream::new(20_261_117, Purpose::new("equal arms"), table);
        let values: Vec<Vec<f64>> = (names.iter())
            .map(|_| (0..10).map(|_| stream.normal()).collect())
            .collect();
        let named: Vec<(&str, &[f64])> = (names.iter().zip(&values))
            .map(|(name, values)| (name.as_str(), &values[..]))
            .collect();
        let found = run(
            &dataset(UP, None, &arms(&named)),
            &CompareOptions::default(),
        );
        let mut ranked = found.rankings[0].arms.iter();
        wrong += u64::from(ranked.any(|arm| {
            arm.standing
                .against_best
                .as_ref()
                .is_some_and(|of| of.separable)
        }));
    }
    // Three standard errors above 5 %.
    let most = 0.05 + 3.0 * (0.05 * 0.95 / tables as f64).sqrt();
    let share = wrong as f64 / tables as f64;
    assert!(share <= most, "{share} of the tables tell equal arms apart");
}

#[test]
fn two_points_of_a_sweep_are_one_pair() {
    let mut records = arms(&[
        ("", &[1.0, 1.1, 0.9, 1.2, 1.0, 0.8]),
        ("", &[1.4, 1.3, 1.5, 1.6, 1.1, 1.4]),
    ]);
    for (place, record) in records.iter_mut().enumerate() {
        record.trial.point.set("lr", ((place / 6) as u64).into());
    }
    let choice = choose(&dataset(UP, None, &records), &CompareOptions::default(), 3).unwrap();
    assert_eq!((choice.pairs, choice.scale), (1, Scale::Difference));
    let differences = [0.4, 0.2, 0.6, 0.4, 0.1, 0.6];
    let t = fairtrial_stats::two_arm::t_test(
        &[0.0; 6],
        &differences,
        fairtrial_stats::two_arm::Design::Paired,
        Level::TWO_SIDED_95,
    );
    let p = choice.points[1].standing.p_against_best().unwrap();
    assert!((p - t.unwrap().p).abs() < 1e-9, "{p}");
}

#[test]
fn arms_that_never_vary_between_seeds_are_told_apart_by_the_exact_test() {
    let records = arms(&[
        ("control", &[50.0; 8]),
        ("b", &[51.0; 8]),
        ("c", &[52.0; 8]),
    ]);
    let found = run(&dataset(UP, None, &records), &CompareOptions::default());
    let ranking = &found.rankings[0];
    assert_eq!(ranking.arms[0].arm, "c");
    for name in ["b", "control"] {
        let against = arm(ranking, name).against_best.as_ref().unwrap();
        assert!(against.separable, "{name}: {against:?}");
        assert_eq!(against.verdict.word, Word::Regressed);
        // 8 pairs of one sign, either way, and three pairs of arms.
        assert!((against.p.unwrap() - 3.0 / 128.0).abs() < 1e-12);
    }
}

#[test]
fn one_seed_ranks_arms_by_a_deterministic_metric() {
    let records = arms(&[("control", &[900.0]), ("b", &[800.0]), ("c", &[700.0])]);
    let mut data = dataset(DOWN, None, &records);
    data.declared[0].deterministic = true;
    let found = run(&data, &CompareOptions::default());
    let ranking = &found.rankings[0];
    assert_eq!(ranking.arms[0].arm, "c");
    for name in ["b", "control"] {
        let against = arm(ranking, name).against_best.as_ref().unwrap();
        assert!(against.separable, "{name}: {against:?}");
        assert_eq!(against.p, None);
    }
}
