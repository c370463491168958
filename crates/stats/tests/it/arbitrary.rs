//! No input makes a method panic, and no NaN comes out of a result: properties over arbitrary numbers, with NaN, infinity,
//! subnormal and huge values, ties and empty samples.
#![allow(clippy::needless_pass_by_value)]

use std::fmt::Debug;

use fairtrial_stats::assumptions::{Centre, levene, shapiro_wilk};
use fairtrial_stats::binary::{
    DifferenceMethod, McNemarMethod, PairedCounts, PairedDifferenceMethod, barnard, fisher,
    mcnemar, paired_proportion_difference, proportion_difference,
};
use fairtrial_stats::multiplicity::{Adjustment, adjust};
use fairtrial_stats::one_arm::{
    Proportion, ProportionMethod, clustered_mean, clustered_share, mean_interval,
    proportion_interval,
};
use fairtrial_stats::permutation::{self, sign_flip};
use fairtrial_stats::planning::{
    CvRule, OriginalQuestion, OriginalScale, ProportionPlanMethod, TDesign, cv_curve,
    original_sample_size, paired_proportions_sample_size, power, precision_curve,
    proportions_power, proportions_sample_size, sample_size, smallest_effect,
};
use fairtrial_stats::rank::{
    Continuity, RankMethod, SignedRankOptions, Zeros, mann_whitney, paired_location,
    signed_rank_of, unpaired_location,
};
use fairtrial_stats::timing::time_order;
use fairtrial_stats::two_arm::{Design, fieller, paired_effect, t_test, unpaired_effect};
use fairtrial_stats::variance_components::variance_components;
use fairtrial_stats::{Explain, Level, Outcome, Side, descriptive as d, sample};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A result that is there has no NaN in any field and none in its reading.
#[track_caller]
fn sound<T: Debug + Explain>(outcome: Outcome<T>) {
    if let Ok(result) = outcome {
        let fields = format!("{result:?}");
        assert!(!fields.contains("NaN"), "{fields}");
        let reading = result.reading();
        assert!(!reading.contains("NaN") && !reading.is_empty(), "{reading}");
    }
}

#[track_caller]
fn finite(outcome: Outcome<f64>) {
    if let Ok(value) = outcome {
        assert!(value.is_finite(), "{value}");
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -100.0..100.0f64,
        4 => (-3i32..4).prop_map(f64::from),
        1 => any::<f64>(),
        1 => select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX,
                         f64::MIN, 1e308, -1e-300, 1e154, 1e-160]),
    ]
}

/// Mostly usable samples, so that the methods get past their checks; else anything.
fn sample_of(largest: usize) -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        3 => vec(-100.0..100.0f64, 0..largest),
        3 => vec((-3i32..4).prop_map(f64::from), 0..largest),
        2 => vec(any_number().prop_filter("finite", |x| x.is_finite()), 0..largest),
        1 => vec(any_number(), 0..largest),
        1 => vec((-3i32..4).prop_map(|x| 1e9 + f64::from(x) * 1e-7), 0..largest),
    ]
}

fn level() -> impl Strategy<Value = Level> {
    let alpha = prop_oneof![6 => 0.001..0.5f64, 1 => select(vec![0.0, 1.0, 1e-300, 1e-12, 0.999_999, f64::NAN, -1.0])];
    (
        alpha,
        select(vec![Side::TwoSided, Side::Greater, Side::Less]),
    )
        .prop_map(|(alpha, side)| Level { alpha, side })
}

fn paired_samples() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop_oneof![
        4 => sample_of(14).prop_flat_map(|a| { let n = a.len(); (Just(a), vec(any_number(), n)) }),
        2 => sample_of(14).prop_map(|a| { let b = a.iter().map(|x| x + 0.5).collect(); (a, b) }),
        1 => (sample_of(14), sample_of(14)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn describing(xs in sample_of(20), p in any_number(), level in level()) {
        sound(d::describe(&xs));
        sound(d::coefficient_of_variation(&xs, level));
        for f in [d::mean, d::variance, d::sd, d::median, d::mad, d::geometric_mean, d::skewness, d::excess_kurtosis] {
            finite(f(&xs));
        }
        for rule in [d::QuantileRule::Linear, d::QuantileRule::RoundHalfEven, d::QuantileRule::Inverse] {
            if let Ok(q) = d::quantile(&xs, p, rule) { assert!(!q.is_nan()); }
        }
        let accumulator: d::Accumulator = xs.iter().copied().collect();
        for f in [d::Accumulator::mean, d::Accumulator::variance, d::Accumulator::sd, d::Accumulator::min] {
            finite(f(&accumulator));
        }
        if let Ok(found) = time_order(&xs) { assert!(found.warm_up <= xs.len() / 2); }
        sound(shapiro_wilk(&xs));
        let (kept, dropped) = sample::keep_finite(&xs);
        assert_eq!(kept.len() + dropped.map_or(0, |d| d.count), xs.len());
    }

    #[test]
    fn one_arm(xs in sample_of(16), groups in vec(0u8..4, 16), level in level(), k in any::<u64>(), n in any::<u64>()) {
        sound(mean_interval(&xs, level));
        sound(clustered_mean(&xs, &groups[..xs.len()], level));
        let shares: Vec<f64> = xs.iter().map(|x| x.abs().min(1.0)).collect();
        sound(clustered_share(&shares, &groups[..xs.len()], level));
        sound(variance_components(&xs, &groups[..xs.len()]));
        for shift in [0, 40, 58] {
            let counts = Proportion { successes: k >> shift, trials: n >> shift };
            for method in [ProportionMethod::Wilson, ProportionMethod::WilsonContinuity, ProportionMethod::ClopperPearson,
                           ProportionMethod::Jeffreys, ProportionMethod::AgrestiCoull] {
                if shift > 0 { sound(proportion_interval(counts, method, level)); }
            }
        }
    }

    #[test]
    fn two_arms((a, b) in paired_samples(), level in level(), margin in any_number()) {
        for design in [Design::Paired, Design::Unpaired] {
            sound(t_test(&a, &b, design, level));
            sound(fieller(&[(&a, &b)], design, level));
        }
        sound(paired_effect(&a, &b));
        sound(unpaired_effect(&a, &b));
        sound(levene(&[&a, &b], Centre::Mean));
        sound(levene(&[&a, &b], Centre::Median));
        for scale in [OriginalScale::Paired, OriginalScale::Unpaired] {
            sound(original_sample_size(&a, &b, OriginalQuestion { scale, target: margin, power: 0.8, level }));
        }
    }

    #[test]
    fn ranks_and_permutations((a, b) in paired_samples(), level in level(), seed in any::<u64>()) {
        for method in [RankMethod::Auto, RankMethod::Exact, RankMethod::Asymptotic(Continuity::Plain)] {
            for zeros in [Zeros::Drop, Zeros::Pratt, Zeros::Split] {
                sound(signed_rank_of(&a, SignedRankOptions { method, zeros, side: level.side }));
            }
            sound(mann_whitney(&a, &b, method, level.side));
        }
        sound(paired_location(&a, level));
        sound(unpaired_location(&a, &b, level));
        let options = permutation::Options { side: level.side, draws: 200, seed };
        sound(sign_flip(&a, &b, options));
    }

    #[test]
    fn pass_and_fail(c in proptest::array::uniform4(0u64..60), big in any::<u64>(), level in level()) {
        for scale in [1, 1 << 30] {
            let counts = PairedCounts { both_pass: c[0] * scale, candidate_only: c[1] * scale, control_only: c[2] * scale, both_fail: c[3] };
            for method in [McNemarMethod::MidP, McNemarMethod::Exact, McNemarMethod::ChiSquare(Continuity::Corrected)] {
                sound(mcnemar(counts, method, level.side));
            }
            for method in [PairedDifferenceMethod::Tango, PairedDifferenceMethod::BonettPrice] {
                sound(paired_proportion_difference(counts, method, level));
            }
        }
        let (control, candidate) = (Proportion { successes: c[0], trials: c[1] }, Proportion { successes: c[2], trials: c[3] });
        for method in [DifferenceMethod::Newcombe, DifferenceMethod::AgrestiCaffo, DifferenceMethod::Score] {
            sound(proportion_difference(control, candidate, method, level));
        }
        sound(fisher(control, candidate, level.side));
        sound(fisher(Proportion { successes: c[0], trials: big }, candidate, level.side));
        let huge = PairedCounts { both_pass: big, candidate_only: big, control_only: 0, both_fail: big };
        sound(mcnemar(huge, McNemarMethod::MidP, level.side));
    }

    #[test]
    fn families(p in vec(prop_oneof![5 => 0.0..1.0f64, 1 => Just(f64::NAN), 1 => any_number()], 0..12)) {
        for method in [Adjustment::Holm, Adjustment::Hochberg, Adjustment::Hommel, Adjustment::Bonferroni, Adjustment::Sidak,
                       Adjustment::HolmSidak, Adjustment::BenjaminiHochberg, Adjustment::BenjaminiYekutieli] {
            if let Ok(family) = adjust(&p, method) {
                assert!(family.adjusted.iter().zip(&p).all(|(a, p)| a.is_none_or(|a| a >= *p - 1e-15 && a <= 1.0)), "{family:?}");
            }
            sound(adjust(&p, method));
        }
    }

    #[test]
    fn plans(values in sample_of(12), a in any_number(), b in any_number(), c in any_number(), n in 0usize..2000, level in level()) {
        sound(cv_curve(&values, CvRule::Below, a));
        sound(cv_curve(&values, CvRule::Change, a));
        sound(precision_curve(&values, None, a, 30, level));
        sound(precision_curve(&values, Some(b), a, 30, level));
        for (p, q) in [(0.3, 0.4), (a, b)] {
            for method in [ProportionPlanMethod::Score, ProportionPlanMethod::Arcsine, ProportionPlanMethod::McNemar] {
                sound(proportions_sample_size(p, q, method, 0.8, level));
            }
            finite(proportions_power(p, q, n as u64, level));
            sound(paired_proportions_sample_size(p, q, c, level));
        }
    }
}

/// Pairs that vary, far from any limit of the numbers.
fn ordinary_pairs() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (3usize..12).prop_flat_map(|n| (vec(-100.0..100.0f64, n), vec(-100.0..100.0f64, n)))
}

proptest! {
    #[test]
    fn the_interval_and_the_p_value_agree((a, b) in ordinary_pairs(), alpha in 0.01..0.4f64) {
        for side in [Side::TwoSided, Side::Greater, Side::Less] {
            for design in [Design::Paired, Design::Unpaired] {
                let test = t_test(&a, &b, design, Level { alpha, side }).unwrap();
                prop_assert_eq!(test.p < alpha, !test.interval.contains(0.0));
            }
        }
    }

    #[test]
    fn swapping_the_arms_mirrors_the_result((a, b) in ordinary_pairs()) {
        let level = Level::TWO_SIDED_95;
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-9 * (1.0 + x.abs());
        for design in [Design::Paired, Design::Unpaired] {
            let (there, back) = (t_test(&a, &b, design, level).unwrap(), t_test(&b, &a, design, level).unwrap());
            prop_assert!(near(there.estimate, -back.estimate) && near(there.p, back.p));
            prop_assert!(near(there.interval.low, -back.interval.high));
        }
        let rank = |x: &[f64], y: &[f64]| mann_whitney(x, y, RankMethod::Exact, Side::TwoSided).unwrap();
        prop_assert!(near(rank(&a, &b).superiority, 1.0 - rank(&b, &a).superiority));
        prop_assert!(near(rank(&a, &b).p, rank(&b, &a).p));
        let (there, back) = (unpaired_location(&a, &b, level).unwrap(), unpaired_location(&b, &a, level).unwrap());
        prop_assert!(near(there.estimate, -back.estimate));
        let options = permutation::Options::default();
        prop_assert!(near(sign_flip(&a, &b, options).unwrap().p, sign_flip(&b, &a, options).unwrap().p));
    }

    #[test]
    fn the_unit_does_not_matter((a, b) in ordinary_pairs(), unit in 1e-6..1e6f64) {
        let scaled = |xs: &[f64]| xs.iter().map(|x| x * unit).collect::<Vec<f64>>();
        let (c, d) = (scaled(&a), scaled(&b));
        let level = Level::TWO_SIDED_95;
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-8 * (1e-3 + x.abs());
        for design in [Design::Paired, Design::Unpaired] {
            let (plain, other) = (t_test(&a, &b, design, level).unwrap(), t_test(&c, &d, design, level).unwrap());
            prop_assert!(near(plain.p, other.p) && near(plain.estimate * unit, other.estimate));
        }
        let options = permutation::Options::default();
        prop_assert_eq!(sign_flip(&a, &b, options).unwrap().p, sign_flip(&c, &d, options).unwrap().p);
        prop_assert!(near(shapiro_wilk(&a).unwrap().w, shapiro_wilk(&c).unwrap().w));
    }
}

proptest! {
    // The non-central t and Barnard's test cost thousands of times more than the rest.
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn costly_plans(effect in any_number(), chance in 0.0..1.0f64, n in 0usize..500, level in level()) {
        for design in [TDesign::Paired, TDesign::Unpaired] {
            sound(power(design, effect, n, level));
            sound(sample_size(design, effect, chance, level));
            sound(smallest_effect(design, n, chance, level));
        }
    }

    #[test]
    fn costly_tables(alpha in 0.001..0.5f64) {
        let (a, b) = (Proportion { successes: 2, trials: 5 }, Proportion { successes: (alpha * 20.0) as u64, trials: 9 });
        sound(barnard(a, b, Side::TwoSided));
    }
}
