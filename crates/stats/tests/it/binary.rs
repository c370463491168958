//! Pass/fail of two arms: goldens of `paired_binary.json` and `two_proportions.json`, and the edges.

use crate::common::{Golden, assert_close, close, number, numbers};
use fairtrial_stats::binary::{
    DifferenceMethod, McNemarMethod, PairedCounts, PairedDifferenceMethod, barnard, fisher,
    mcnemar, paired_proportion_difference, proportion_difference, stratified_fisher,
};
use fairtrial_stats::one_arm::Proportion;
use fairtrial_stats::rank::Continuity;
use fairtrial_stats::{Explain, Level, Side};
use serde_json::Value;

fn counts(case: &Value) -> PairedCounts {
    let n = |key: &str| case[key].as_u64().unwrap();
    PairedCounts {
        both_pass: n("both_pass"),
        candidate_only: n("candidate_only"),
        control_only: n("control_only"),
        both_fail: n("both_fail"),
    }
}

#[test]
fn paired_goldens() {
    let golden = Golden::load("paired_binary.json");
    for case in golden.cases() {
        let counts = counts(case);
        let interval =
            |method| paired_proportion_difference(counts, method, Level::TWO_SIDED_95).unwrap();
        let tango = interval(PairedDifferenceMethod::Tango);
        assert_close("difference", tango.estimate, number(&case["diff"]), 1e-12);
        let want = numbers(&case["tango_ci95"]);
        assert_close("Tango low", tango.interval.low, want[0], 1e-8);
        assert_close("Tango high", tango.interval.high, want[1], 1e-8);
        if case.get("mcnemar_midp").is_none() {
            continue;
        }
        let p = |method| mcnemar(counts, method, Side::TwoSided).unwrap().p;
        assert_close(
            "exact",
            p(McNemarMethod::Exact),
            number(&case["mcnemar_exact_p"]),
            1e-10,
        );
        assert_close(
            "mid-p",
            p(McNemarMethod::MidP),
            number(&case["mcnemar_midp"]),
            1e-10,
        );
        let want = numbers(&case["bonett_price_ci95"]);
        let wald = interval(PairedDifferenceMethod::BonettPrice);
        assert_close("Bonett-Price low", wald.interval.low, want[0], 1e-10);
        assert_close("Bonett-Price high", wald.interval.high, want[1], 1e-10);
        for (key, continuity) in [
            ("mcnemar_chi2", Continuity::Plain),
            ("mcnemar_cc_chi2", Continuity::Corrected),
        ] {
            let got = mcnemar(counts, McNemarMethod::ChiSquare(continuity), Side::TwoSided);
            if counts.discordant() == 0 {
                // statsmodels says NaN, and infinity with p = 0 for the corrected form; we say why there is none.
                assert!(got.is_err());
                continue;
            }
            let got = got.unwrap();
            assert_close(key, got.statistic.unwrap(), number(&case[key]), 1e-10);
            let p_key = if continuity == Continuity::Plain {
                "mcnemar_chi2_p"
            } else {
                "mcnemar_cc_p"
            };
            assert_close(p_key, got.p, number(&case[p_key]), 1e-10);
        }
    }
    assert_eq!(golden.cases().len(), 10);
}

/// SciPy compares the statistics of tables without any tolerance, and so loses tables that are exactly as extreme as
/// 9 of 10 against 3 of 10. Counting with rational numbers gives 0.00795..., at a common rate of one half.
fn true_barnard_p(case: &Value) -> f64 {
    if case["k1"] == 9 && case["k2"] == 3 {
        0.007955551147460938
    } else {
        number(&case["barnard_p"])
    }
}

#[test]
fn unpaired_goldens() {
    let golden = Golden::load("two_proportions.json");
    for case in golden.cases() {
        let of = |k: &str, n: &str| Proportion {
            successes: case[k].as_u64().unwrap(),
            trials: case[n].as_u64().unwrap(),
        };
        let (candidate, control) = (of("k1", "n1"), of("k2", "n2"));
        for (key, method, tolerance) in [
            ("diff_ci_newcomb", DifferenceMethod::Newcombe, 1e-7),
            (
                "diff_ci_agresti-caffo",
                DifferenceMethod::AgrestiCaffo,
                1e-7,
            ),
        ] {
            let got =
                proportion_difference(control, candidate, method, Level::TWO_SIDED_95).unwrap();
            assert!(got.interval.contains(got.estimate), "{key} {case}");
            // Differences of shares lie in [-1, 1]; statsmodels does not say so for Agresti-Caffo.
            let want: Vec<f64> = numbers(&case[key])
                .iter()
                .map(|x| x.clamp(-1.0, 1.0))
                .collect();
            assert_close(key, got.interval.low, want[0], tolerance);
            assert_close(key, got.interval.high, want[1], tolerance);
        }
        let p = fisher(control, candidate, Side::TwoSided).unwrap().p;
        assert!(
            close(p, number(&case["fisher_p"]), 1e-7),
            "Fisher {p} {case}"
        );
        if case["barnard_p"].is_null() {
            continue; // the reference was not run for these sizes
        }
        let got = barnard(control, candidate, Side::TwoSided).unwrap();
        assert!(
            close(got.p, true_barnard_p(case), 1e-7),
            "Barnard {} {case}",
            got.p
        );
    }
    assert_eq!(golden.cases().len(), 6);
}

/// The golden's `diff_ci_score` is not met on purpose: statsmodels 0.15 maximises a wrong likelihood there (a cubic with
/// a count in place of a sample size), and fails outright in three of the six cases. These values come from maximising the
/// constrained likelihood numerically (SciPy `minimize_scalar`, then `brentq` on the score statistic).
#[test]
fn score_interval_matches_the_constrained_likelihood() {
    for ([k1, n1, k2, n2], [low, high]) in [
        (
            [15, 30, 10, 30],
            [-0.08430453101911903, 0.39814285341679556],
        ),
        ([56, 70, 48, 80], [0.05282971323324649, 0.33817294004773235]),
        (
            [500, 1000, 460, 1000],
            [-0.003801710328754835, 0.0836487578704877],
        ),
    ] {
        let (candidate, control) = (
            Proportion {
                successes: k1,
                trials: n1,
            },
            Proportion {
                successes: k2,
                trials: n2,
            },
        );
        let got = proportion_difference(
            control,
            candidate,
            DifferenceMethod::Score,
            Level::TWO_SIDED_95,
        )
        .unwrap();
        assert_close("low", got.interval.low, low, 1e-6);
        assert_close("high", got.interval.high, high, 1e-6);
    }
}

#[test]
fn score_interval_inverts_its_own_test_where_the_reference_fails() {
    // 9 of 10 against 3 of 10: exchanging the arms mirrors the interval.
    let (a, b) = (
        Proportion {
            successes: 9,
            trials: 10,
        },
        Proportion {
            successes: 3,
            trials: 10,
        },
    );
    let run = |control, candidate| {
        proportion_difference(
            control,
            candidate,
            DifferenceMethod::Score,
            Level::TWO_SIDED_95,
        )
        .unwrap()
        .interval
    };
    let (there, back) = (run(b, a), run(a, b));
    assert_close("mirror", there.low, -back.high, 1e-12);
    assert_close("mirror", there.high, -back.low, 1e-12);
    assert!(there.low > 0.0 && there.high < 1.0);
    let extreme = run(
        Proportion {
            successes: 0,
            trials: 10,
        },
        Proportion {
            successes: 10,
            trials: 10,
        },
    );
    assert!(extreme.high == 1.0 && extreme.low > 0.5);
}

#[test]
fn one_sided_tests_point_the_right_way() {
    let better = PairedCounts {
        both_pass: 3,
        candidate_only: 6,
        control_only: 0,
        both_fail: 1,
    };
    let p = mcnemar(better, McNemarMethod::Exact, Side::Greater)
        .unwrap()
        .p;
    assert_close("one-sided", p, 1.0 / 64.0, 1e-14);
    assert_eq!(
        mcnemar(better, McNemarMethod::Exact, Side::Less).unwrap().p,
        1.0
    );
    let (low, high) = (
        Proportion {
            successes: 1,
            trials: 10,
        },
        Proportion {
            successes: 9,
            trials: 10,
        },
    );
    for p in [
        fisher(low, high, Side::Greater).unwrap().p,
        barnard(low, high, Side::Greater).unwrap().p,
    ] {
        assert!(p < 0.01);
    }
    assert!(fisher(low, high, Side::Less).unwrap().p > 0.99);
}

/// Counted over all tables with whole numbers, and maximised over the rate of disagreement on a fine grid.
#[test]
fn the_unconditional_form_of_mcnemar_is_the_largest_chance_of_tables_as_extreme() {
    for ((n, candidate_only, control_only), want) in [
        ((10, 4, 0), 0.052_924_825_653_317_23),
        ((10, 5, 0), 0.026_460_008_684_915_78),
        ((10, 6, 0), 0.021_484_375),
        ((10, 8, 1), 0.026_105_959_511_338_81),
        ((5, 5, 0), 0.0625),
        ((20, 9, 2), 0.041_389_465_332_031_25),
        ((20, 2, 9), 0.041_389_465_332_031_25),
        ((30, 12, 4), 0.048_856_304_676_557_91),
        ((12, 12, 0), 0.000_488_281_25),
        ((12, 3, 3), 1.0),
        ((12, 0, 0), 1.0),
    ] {
        let counts = PairedCounts {
            both_pass: n - candidate_only - control_only,
            candidate_only,
            control_only,
            both_fail: 0,
        };
        let got = mcnemar(counts, McNemarMethod::Unconditional, Side::TwoSided).unwrap();
        assert_close("unconditional", got.p, want, 1e-9);
    }
}

#[test]
fn the_exact_test_over_strata_is_fishers_with_one_and_counts_tables_with_two() {
    let of = |successes, trials| Proportion { successes, trials };
    for (a, b) in [(1, 7), (0, 3), (4, 4)] {
        let alone = fisher(of(a, 8), of(b, 9), Side::TwoSided).unwrap().p;
        let got = stratified_fisher(&[(of(a, 8), of(b, 9))]).unwrap();
        assert_close("one stratum", got.p, alone, 1e-12);
    }
    // 0 of 3 against 3 of 3, twice: the one total among C(6,3)^2 = 400 tables, and its mirror image.
    let twice = [(of(0, 3), of(3, 3)); 2];
    let got = stratified_fisher(&twice).unwrap();
    assert_close("two strata", got.p, 2.0 / 400.0, 1e-12);
    assert!(got.reading().contains("2 strata"));
    // Opposite strata cancel.
    let got = stratified_fisher(&[(of(0, 3), of(3, 3)), (of(3, 3), of(0, 3))]).unwrap();
    assert_close("opposite", got.p, 1.0, 1e-12);
    assert!(stratified_fisher(&[]).is_err());
    assert!(stratified_fisher(&[(of(1, 20_000), of(1, 20_000))]).is_err());
}

#[test]
fn edges_are_reasons() {
    let none = PairedCounts::from_pairs([]);
    assert!(mcnemar(none, McNemarMethod::MidP, Side::TwoSided).is_err());
    let counted = PairedCounts::from_pairs([
        (true, true),
        (false, true),
        (true, false),
        (false, false),
        (false, true),
    ]);
    assert_eq!(
        counted,
        PairedCounts {
            both_pass: 1,
            candidate_only: 2,
            control_only: 1,
            both_fail: 1
        }
    );
    assert!(
        mcnemar(counted, McNemarMethod::MidP, Side::TwoSided)
            .unwrap()
            .reading()
            .contains("disagree on 3")
    );
    assert!(mcnemar(counted, McNemarMethod::Unconditional, Side::Greater).is_err());
    let many = PairedCounts {
        both_pass: 1_000,
        ..counted
    };
    assert!(mcnemar(many, McNemarMethod::Unconditional, Side::TwoSided).is_err());
    let big = Proportion {
        successes: 500,
        trials: 5000,
    };
    assert!(barnard(big, big, Side::TwoSided).is_err());
    let empty = Proportion {
        successes: 0,
        trials: 0,
    };
    assert!(fisher(empty, big, Side::TwoSided).is_err());
}
