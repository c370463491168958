//! Differences, effects, margins: goldens of `ttests.json` and `tost.json`, and the edges.

use crate::common::{Golden, assert_close, close, number, numbers};
use fairtrial_stats::two_arm::{
    Design, TTest, fieller, hedges_correction, paired_effect, t_test, unpaired_effect,
};
use fairtrial_stats::{Level, Outcome, Side, Undefined};
use serde_json::Value;

/// The golden's tolerances: t, df and interval; p.
struct Tolerance {
    statistic: f64,
    p: f64,
}

fn tolerance(name: &str) -> Tolerance {
    if name.starts_with("offset_1e9") {
        // SciPy loses digits here on purpose; see `large_offset_keeps_its_digits` for the exact values.
        Tolerance {
            statistic: 1e-6,
            p: 1e-6,
        }
    } else {
        Tolerance {
            statistic: 1e-10,
            p: 1e-8,
        }
    }
}

fn compare(case: &Value, got: &Outcome<TTest>, want: &Value) {
    let name = case["name"].as_str().unwrap();
    let mean_difference = number(&case["mean_diff"]);
    let (t, p) = (number(&want["t"]), number(&want["p"]));
    let got = match got {
        Ok(test) => test,
        Err(reason) => {
            // What SciPy reports as NaN or as t = inf, p = 0 has a name here.
            assert!(t.is_nan() || t.is_infinite(), "{name}: {reason}");
            let Undefined::ZeroVariance { value, .. } = reason else {
                panic!("{name}: {reason}")
            };
            assert_close(name, *value, mean_difference, 1e-12);
            return;
        }
    };
    let tolerance = tolerance(name);
    assert!(
        close(got.t, t, tolerance.statistic) || (got.t - t).abs() < 1e-12,
        "{name}: t {} against {t}",
        got.t
    );
    assert!(
        close(got.df, number(&want["df"]), tolerance.statistic),
        "{name}: df {}",
        got.df
    );
    assert!(
        close(got.p, p, tolerance.p),
        "{name}: p {} against {p}",
        got.p
    );
    if let Some(ci) = want.get("ci95") {
        let ends = [
            (got.interval.low, number(&ci[0])),
            (got.interval.high, number(&ci[1])),
        ];
        for (end, want) in ends {
            let scale = if want.is_finite() {
                (got.estimate.abs() + got.standard_error) * tolerance.statistic
            } else {
                0.0
            };
            assert!(
                end == want || (end - want).abs() <= scale,
                "{name}: end {end} against {want}"
            );
        }
    }
}

#[test]
fn t_test_goldens() {
    let golden = Golden::load("ttests.json");
    for case in golden.cases() {
        let name = case["name"].as_str().unwrap();
        let (a, b) = (numbers(&case["control"]), numbers(&case["candidate"]));
        for (key, side) in [
            ("two-sided", Side::TwoSided),
            ("greater", Side::Greater),
            ("less", Side::Less),
        ] {
            let level = Level { alpha: 0.05, side };
            for (test, design) in [("paired", Design::Paired), ("welch", Design::Unpaired)] {
                compare(
                    case,
                    &t_test(&a, &b, design, level),
                    &case[format!("{test}_{key}")],
                );
            }
        }
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
        compare(
            case,
            &t_test(
                &vec![0.0; differences.len()],
                &differences,
                Design::Paired,
                Level::TWO_SIDED_95,
            ),
            &case["one_sample_on_diff"],
        );
        effect_goldens(name, &a, &b, case);
    }
    assert_eq!(golden.cases().len(), 18);
}

fn effect_goldens(name: &str, a: &[f64], b: &[f64], case: &Value) {
    let effect = paired_effect(a, b).unwrap();
    let tolerance = tolerance(name).statistic;
    let check = |what: &str, got: Option<f64>, key: &str| {
        let want = number(&case[key]);
        match got {
            Some(got) => assert!(
                close(got, want, tolerance) || (got - want).abs() < 1e-13,
                "{name} {what}: {got} {want}"
            ),
            None => assert!(want.is_nan(), "{name} {what}: nothing, want {want}"),
        }
    };
    check("mean", Some(effect.mean_difference), "mean_diff");
    check("sd", Some(effect.sd_difference), "sd_diff");
    check("d_z", effect.d_z, "cohens_dz");
    check("d_av", effect.d_av, "cohens_d_av");
    check("r", effect.correlation, "pearson_r");
    check(
        "variance ratio",
        effect.variance_ratio,
        "variance_ratio_paired_over_unpaired",
    );
    let n = a.len() as f64;
    check(
        "J(n-1)",
        hedges_correction(n - 1.0).ok(),
        "hedges_correction_dz",
    );
    check(
        "J(2n-2)",
        hedges_correction(2.0 * n - 2.0).ok(),
        "hedges_correction_2n_minus_2",
    );
    let corrected = effect
        .d_z
        .zip(hedges_correction(n - 1.0).ok())
        .map(|(d, j)| d * j);
    assert_eq!(effect.g_z, corrected, "{name}");
}

/// Exact rational arithmetic on the binary64 inputs (Python fractions). The decimals of the golden file themselves lie
/// up to 2e-8 away, because binary64 cannot hold them at this offset.
#[test]
fn large_offset_keeps_its_digits() {
    let golden = Golden::load("ttests.json");
    let case = golden
        .cases()
        .iter()
        .find(|c| c["name"] == "offset_1e9_n15")
        .unwrap();
    let effect = paired_effect(&numbers(&case["control"]), &numbers(&case["candidate"])).unwrap();
    assert_close("mean", effect.mean_difference, 0.7895800034205119, 1e-12);
    assert_close("sd", effect.sd_difference, 0.502142752066718, 1e-12);
    let sd = fairtrial_stats::descriptive::sd(&numbers(&case["control"])).unwrap();
    assert_close("sd control", sd, 0.9683672193229249, 1e-12);
}

/// Two one-sided tests: t tests of the candidate moved by each edge of the margin.
#[test]
fn tests_against_the_edges_of_a_margin_match_statsmodels() {
    let golden = Golden::load("tost.json");
    for case in golden.cases() {
        let (a, b) = (numbers(&case["control"]), numbers(&case["candidate"]));
        let against = |edge: f64, design, side| {
            let moved: Vec<f64> = b.iter().map(|x| x - edge).collect();
            t_test(&a, &moved, design, Level { alpha: 0.05, side }).unwrap()
        };
        let (low, high) = (number(&case["low"]), number(&case["upp"]));
        for (key, design) in [("paired", Design::Paired), ("welch", Design::Unpaired)] {
            let want = &case[key];
            let tests = [
                (against(low, design, Side::Greater), "lower_test"),
                (against(high, design, Side::Less), "upper_test"),
            ];
            for (test, side) in &tests {
                let want = numbers(&want[*side]);
                assert_close("t", test.t, want[0], 1e-9);
                assert!(close(test.p, want[1], 1e-9), "{side} p");
                assert_close("df", test.df, want[2], 1e-9);
            }
            let p = tests[0].0.p.max(tests[1].0.p);
            assert_close("p", p, number(&want["p"]), 1e-9);
        }
        let want = number(&case["noninferiority_paired_p(H0: diff<=low)"]);
        let not_worse = against(low, Design::Paired, Side::Greater);
        assert!(close(not_worse.p, want, 1e-9));
    }
    assert_eq!(golden.cases().len(), 4);
}

#[test]
fn degenerate_pairs_have_names() {
    let a = [1.0, 2.0, 3.0];
    let shifted = [3.0, 4.0, 5.0];
    let level = Level::TWO_SIDED_95;
    assert!(
        matches!(t_test(&a, &a, Design::Paired, level), Err(Undefined::ZeroVariance { value, .. }) if value == 0.0)
    );
    assert!(
        matches!(t_test(&a, &shifted, Design::Paired, level), Err(Undefined::ZeroVariance { value, .. }) if value == 2.0)
    );
    // 0.1 + 0.2 style rounding in the differences is not a spread.
    let noisy: Vec<f64> = a.iter().map(|x| x + 0.3).collect();
    assert!(matches!(
        t_test(&a, &noisy, Design::Paired, level),
        Err(Undefined::ZeroVariance { .. })
    ));
    assert!(matches!(
        t_test(&a, &[1.0], Design::Paired, level),
        Err(Undefined::UnequalLengths { left: 3, right: 1 })
    ));
    assert!(matches!(
        t_test(&a, &[1.0], Design::Unpaired, level),
        Err(Undefined::TooFew { .. })
    ));
    assert!(t_test(&[3.0; 4], &a, Design::Unpaired, level).is_ok());
    assert!(
        matches!(t_test(&[3.0; 4], &[4.0; 4], Design::Unpaired, level), Err(Undefined::ZeroVariance { value, .. }) if value == 1.0)
    );
    assert!(unpaired_effect(&[3.0; 4], &[4.0; 4]).is_err());
    assert!(matches!(
        t_test(&[], &[], Design::Paired, level),
        Err(Undefined::Empty { .. })
    ));
}

#[test]
fn hedges_correction_is_exact_for_small_and_large_df() {
    assert!(hedges_correction(1.0).is_err());
    // J(2) = Γ(1) / Γ(1/2) = 1 / sqrt(pi)
    assert_close(
        "J(2)",
        hedges_correction(2.0).unwrap(),
        0.5641895835477563,
        1e-14,
    );
    // 1 - 3/(4 df) - 7/(32 df^2) + O(df^-3)
    for df in [1e6, 1e9] {
        assert_close(
            "J",
            hedges_correction(df).unwrap(),
            1.0 - 0.75 / df - 7.0 / 32.0 / df / df,
            1e-14,
        );
    }
}

#[test]
fn fieller_says_when_there_is_no_bounded_interval() {
    let near_zero = [-1.0, 1.2, 0.3, -0.4];
    let far = [5.0, 5.1, 5.2, 4.9];
    assert!(matches!(
        fieller(&[(&near_zero, &far)], Design::Unpaired, Level::TWO_SIDED_95),
        Err(Undefined::NoSolution(_))
    ));
    let flat = fieller(
        &[(&[2.0, 2.0, 2.0], &[4.0, 4.1, 3.9])],
        Design::Unpaired,
        Level::TWO_SIDED_95,
    )
    .unwrap();
    // A constant control leaves the t interval of the candidate, divided by 2.
    let half = 4.302652729749464 * 0.1 / 3f64.sqrt() / 2.0;
    assert_close("low", flat.interval.low, 2.0 - half, 1e-12);
}

#[test]
fn fieller_ends_solve_their_equation_and_agree_with_t_about_no_change() {
    let control = [2.0, 3.1, 2.7, 4.4, 3.6];
    let candidate = [2.6, 3.5, 3.4, 5.3, 3.7];
    let got = fieller(
        &[(&control, &candidate)],
        Design::Paired,
        Level::TWO_SIDED_95,
    )
    .unwrap();
    // At either end r, the mean of candidate - r control is just as far from 0 as its own t interval reaches.
    for r in [got.interval.low, got.interval.high] {
        let rest: Vec<f64> = control
            .iter()
            .zip(candidate)
            .map(|(a, b)| b - r * a)
            .collect();
        let t = t_test(&[0.0; 5], &rest, Design::Paired, Level::TWO_SIDED_95).unwrap();
        let nearest = t.interval.low.abs().min(t.interval.high.abs());
        assert!(nearest < 1e-12, "{r}: {t:?}");
    }
    assert_close("ratio", got.estimate, 18.5 / 15.8, 1e-14);
    assert_eq!(got.df, 4.0);
    // The level at which the paired t interval touches 0 is the one at which this touches 1.
    let t = t_test(&control, &candidate, Design::Paired, Level::TWO_SIDED_95).unwrap();
    let touching = Level::two_sided(t.p);
    let got = fieller(&[(&control, &candidate)], Design::Paired, touching).unwrap();
    assert_close("no change", got.interval.low, 1.0, 1e-9);
    // Strata: twice the same task has the same ratio, and two tasks' worth of precision.
    let both = [(&control[..], &candidate[..]); 2];
    let twice = fieller(&both, Design::Paired, Level::TWO_SIDED_95).unwrap();
    assert_eq!((twice.estimate, twice.n_control), (got.estimate, 10));
    assert_close("df", twice.df, 8.0, 1e-12);
}

#[test]
fn differences_at_the_ends_of_the_range_of_numbers_vary_as_others_do() {
    let (control, candidate) = ([1.0, 2.0, 4.0, 3.0], [1.5, 2.25, 5.0, 3.5]);
    let level = Level::TWO_SIDED_95;
    for design in [Design::Paired, Design::Unpaired] {
        let plain = t_test(&control, &candidate, design, level).unwrap();
        let ratio = fieller(&[(&control, &candidate)], Design::Unpaired, level);
        for unit in [1e-250, 1e-170, 1e160, 1e300] {
            let (a, b) = (control.map(|x| x * unit), candidate.map(|x| x * unit));
            let found = t_test(&a, &b, design, level).unwrap();
            assert_close("estimate", found.estimate / unit, plain.estimate, 1e-12);
            assert_close(
                "error",
                found.standard_error / unit,
                plain.standard_error,
                1e-12,
            );
            assert_close("p", found.p, plain.p, 1e-12);
            assert_close("df", found.df, plain.df, 1e-12);
            let scaled = fieller(&[(&a, &b)], Design::Unpaired, level);
            match (&ratio, scaled) {
                (Ok(ratio), Ok(scaled)) => {
                    assert_close("ratio", scaled.estimate, ratio.estimate, 1e-12);
                    assert_close("low", scaled.interval.low, ratio.interval.low, 1e-9);
                }
                (ratio, scaled) => assert_eq!(ratio.is_err(), scaled.is_err()),
            }
        }
    }
}
