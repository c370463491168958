//! Intervals for one arm: goldens of `proportion_ci.json`, `clustered_se.json`, and the edges.

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::one_arm::{
    Proportion, ProportionMethod, clustered_mean, clustered_share, mean_interval,
    proportion_interval, share_interval,
};
use fairtrial_stats::variance_components::variance_components;
use fairtrial_stats::{Explain, Level, Side, Undefined};

#[test]
fn proportion_goldens() {
    let golden = Golden::load("proportion_ci.json");
    for case in golden.cases() {
        let counts = Proportion {
            successes: case["k"].as_u64().unwrap(),
            trials: case["n"].as_u64().unwrap(),
        };
        for (key, method) in [
            ("wilson", ProportionMethod::Wilson),
            ("wilson_cc", ProportionMethod::WilsonContinuity),
            ("clopper_pearson", ProportionMethod::ClopperPearson),
            ("jeffreys", ProportionMethod::Jeffreys),
            ("agresti_coull", ProportionMethod::AgrestiCoull),
        ] {
            let got = proportion_interval(counts, method, Level::TWO_SIDED_95).unwrap();
            let mut want = numbers(&case[key]);
            if method == ProportionMethod::Jeffreys {
                // The golden's note: statsmodels does not set the ends at the edges, the tool does.
                want[0] = if counts.successes == 0 { 0.0 } else { want[0] };
                want[1] = if counts.successes == counts.trials {
                    1.0
                } else {
                    want[1]
                };
            }
            let off = (got.interval.low - want[0])
                .abs()
                .max((got.interval.high - want[1]).abs());
            assert!(
                off <= 1e-10,
                "{key} {counts:?}: {:?} against {want:?}",
                got.interval
            );
            assert!(got.interval.high > got.interval.low);
        }
    }
    assert_eq!(golden.cases().len(), 13);
}

#[test]
fn one_sided_proportion_bounds_spend_all_of_alpha_on_one_side() {
    let counts = Proportion {
        successes: 3,
        trials: 10,
    };
    let level = Level {
        alpha: 0.025,
        side: Side::Greater,
    };
    let one = proportion_interval(counts, ProportionMethod::ClopperPearson, level).unwrap();
    let two = proportion_interval(
        counts,
        ProportionMethod::ClopperPearson,
        Level::TWO_SIDED_95,
    )
    .unwrap();
    assert_eq!(
        (one.interval.low, one.interval.high),
        (two.interval.low, 1.0)
    );
}

#[test]
fn clustered_goldens() {
    let golden = Golden::load("clustered_se.json");
    for case in golden.cases() {
        let (y, cluster) = (numbers(&case["y"]), numbers(&case["cluster"]));
        let cluster: Vec<i64> = cluster.iter().map(|c| *c as i64).collect();
        let got = clustered_mean(&y, &cluster, Level::TWO_SIDED_95).unwrap();
        let want = |key: &str| number(&case[key]);
        assert_close("mean", got.mean, want("mean"), 1e-10);
        assert_close(
            "naive",
            got.naive_standard_error,
            want("naive_se_ddof1"),
            1e-10,
        );
        assert_close(
            "no correction",
            got.uncorrected_standard_error,
            want("clustered_se_no_correction"),
            1e-10,
        );
        assert_close(
            "Miller",
            got.uncorrected_standard_error,
            want("clustered_se_miller_formula"),
            1e-10,
        );
        let cr1 = want("clustered_se_CR1_G_over_Gminus1_times_(n-1)_over_(n-1)");
        assert_close("CR1", got.standard_error, cr1, 1e-10);
        assert_eq!(got.clusters as f64, want("n_clusters"));
        let multiplier = (got.interval.high - got.mean) / got.standard_error;
        assert_close("t", multiplier, want("t_crit_df_G_minus_1"), 1e-10);
        if let Some(effect) = case.get("design_effect_from_se") {
            assert_close("design effect", got.design_effect, number(effect), 1e-10);
        }
        match case.get("icc_anova") {
            Some(icc) => assert_close("icc", got.components.unwrap().icc, number(icc), 1e-10),
            None => assert!(got.components.is_none()),
        }
        let means: Vec<f64> = cluster_means(&y, &cluster);
        let of_means = mean_interval(&means, Level::TWO_SIDED_95).unwrap();
        assert_close(
            "mean of means",
            of_means.mean,
            want("cluster_mean_of_means"),
            1e-10,
        );
        assert_close(
            "se of means",
            of_means.standard_error,
            want("cluster_means_se"),
            1e-10,
        );
    }
    assert_eq!(golden.cases().len(), 6);
}

fn cluster_means(y: &[f64], cluster: &[i64]) -> Vec<f64> {
    let mut keys = cluster.to_vec();
    keys.sort_unstable();
    keys.dedup();
    let of = |key: &i64| -> Vec<f64> {
        y.iter()
            .zip(cluster)
            .filter(|(_, c)| *c == key)
            .map(|(y, _)| *y)
            .collect()
    };
    keys.iter()
        .map(|key| fairtrial_stats::descriptive::mean(&of(key)).unwrap())
        .collect()
}

#[test]
fn edges_are_reasons() {
    let level = Level::TWO_SIDED_95;
    assert!(matches!(
        mean_interval(&[], level),
        Err(Undefined::Empty { .. })
    ));
    assert!(matches!(
        mean_interval(&[1.0], level),
        Err(Undefined::TooFew {
            have: 1,
            need: 2,
            ..
        })
    ));
    assert!(matches!(
        mean_interval(&[0.1; 9], level),
        Err(Undefined::ZeroVariance { .. })
    ));
    assert!(matches!(
        mean_interval(&[1.0, f64::NAN], level),
        Err(Undefined::NotFinite { index: 1, .. })
    ));
    assert!(mean_interval(&[1.0, 2.0], Level::two_sided(0.0)).is_err());
    assert!(
        mean_interval(&[1.0, 2.0], level)
            .unwrap()
            .reading()
            .contains("very little")
    );
    let none = Proportion {
        successes: 0,
        trials: 0,
    };
    assert!(proportion_interval(none, ProportionMethod::Wilson, level).is_err());
    let over = Proportion {
        successes: 3,
        trials: 2,
    };
    assert!(proportion_interval(over, ProportionMethod::Wilson, level).is_err());
    assert!(clustered_mean(&[1.0, 2.0], &["a", "a"], level).is_err());
    assert!(clustered_mean(&[1.0, 2.0], &["a"], level).is_err());
    assert!(variance_components(&[1.0, 2.0], &["a", "b"]).is_err());
    let negative = variance_components(&[1.0, 3.0, 1.1, 2.9], &["a", "a", "b", "b"]).unwrap();
    assert!(negative.between_set_to_zero && negative.between == 0.0 && negative.icc < 0.0);
}

#[test]
fn single_outcomes_have_the_interval_of_wilson() {
    for passed in 0..=10 {
        let units: Vec<f64> = (0..10).map(|place| f64::from(place < passed)).collect();
        let counts = Proportion {
            successes: passed as u64,
            trials: 10,
        };
        let wilson = proportion_interval(counts, ProportionMethod::Wilson, Level::TWO_SIDED_95);
        let got = share_interval(&units, Level::TWO_SIDED_95).unwrap();
        assert_eq!(got.interval, wilson.unwrap().interval);
    }
}

#[test]
fn shares_of_groups_solve_the_score_equation_with_the_effective_number() {
    // 20 groups of three, one of which passes none: t says 0.95 - 0.10 to 0.95 + 0.10.
    let groups: Vec<usize> = (0..60).map(|place| place / 3).collect();
    let values: Vec<f64> = groups.iter().map(|group| f64::from(*group > 0)).collect();
    let got = clustered_share(&values, &groups, Level::TWO_SIDED_95).unwrap();
    let mean = clustered_mean(&values, &groups, Level::TWO_SIDED_95).unwrap();
    assert!(mean.interval.high > 1.0 && got.interval.high < 1.0);
    assert_close("effective", got.effective, 19.0, 1e-12);
    // The t quantile with 19 degrees of freedom.
    let q = 2.093_024_054_408_263_f64;
    for end in [got.interval.low, got.interval.high] {
        let off = (got.estimate - end).powi(2) - q * q * end * (1.0 - end) / got.effective;
        assert!(off.abs() < 1e-12, "{end}: {off}");
    }
    // Where all pass, each group counts as one; where no group differs, there is no measure.
    let all = clustered_share(&[1.0; 60], &groups, Level::TWO_SIDED_95).unwrap();
    let single = share_interval(&[1.0; 20], Level::TWO_SIDED_95).unwrap();
    assert_eq!(all.interval, single.interval);
    assert!(matches!(
        share_interval(&[0.5; 4], Level::TWO_SIDED_95),
        Err(Undefined::ZeroVariance { .. })
    ));
    assert!(share_interval(&[0.5, 1.5], Level::TWO_SIDED_95).is_err());
}
