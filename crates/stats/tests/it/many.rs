//! Many arms, many tests, and the assumption checks: goldens of `k_arms.json`, `multiplicity.json`, `metta_ttests.json`,
//! the Shapiro-Wilk column of `descriptive.json`, and the edges.

use crate::common::{Golden, assert_close, close, number, numbers};
use fairtrial_stats::assumptions::{Centre, levene, shapiro_wilk};
use fairtrial_stats::multiplicity::{Adjustment, adjust};
use fairtrial_stats::two_arm::{Design, t_test};
use fairtrial_stats::{Explain, Level, Undefined};
use serde_json::Value;

fn rows(case: &Value) -> Vec<Vec<f64>> {
    case["Y_rows_seeds_cols_arms"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect()
}

fn columns(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..rows[0].len())
        .map(|arm| rows.iter().map(|row| row[arm]).collect())
        .collect()
}

#[test]
fn families_of_paired_tests_match_statsmodels() {
    let golden = Golden::load("k_arms.json");
    for case in golden.cases() {
        let rows = rows(case);
        let columns = columns(&rows);
        paired_family(case, &columns);
    }
    assert_eq!(golden.cases().len(), 4);
}

fn paired_family(case: &Value, columns: &[Vec<f64>]) {
    let p = |a: usize, b: usize| {
        t_test(
            &columns[a],
            &columns[b],
            Design::Paired,
            Level::TWO_SIDED_95,
        )
        .unwrap()
        .p
    };
    let pairs = case["paired_t_pairs"].as_array().unwrap();
    let all: Vec<f64> = pairs
        .iter()
        .map(|pair| {
            p(
                pair[0].as_u64().unwrap() as usize,
                pair[1].as_u64().unwrap() as usize,
            )
        })
        .collect();
    let control: Vec<f64> = (1..columns.len()).map(|arm| p(0, arm)).collect();
    for (raw, raw_key, holm_key) in [
        (all, "paired_t_p", "paired_t_holm"),
        (control, "vs_control_paired_p", "vs_control_holm"),
    ] {
        let holm = adjust(&raw, Adjustment::Holm).unwrap().adjusted;
        for (i, (raw_want, holm_want)) in numbers(&case[raw_key])
            .iter()
            .zip(numbers(&case[holm_key]))
            .enumerate()
        {
            assert!(close(raw[i], *raw_want, 1e-8));
            assert!(close(holm[i].unwrap(), holm_want, 1e-8));
        }
    }
}

#[test]
fn multiplicity_goldens() {
    let golden = Golden::load("multiplicity.json");
    for case in golden.cases() {
        let p = numbers(&case["p"]);
        for (key, method) in [
            ("bonferroni", Adjustment::Bonferroni),
            ("sidak", Adjustment::Sidak),
            ("holm", Adjustment::Holm),
            ("holm-sidak", Adjustment::HolmSidak),
            ("simes-hochberg", Adjustment::Hochberg),
            ("hommel", Adjustment::Hommel),
            ("fdr_bh", Adjustment::BenjaminiHochberg),
            ("fdr_by", Adjustment::BenjaminiYekutieli),
        ] {
            let family = adjust(&p, method).unwrap();
            for (got, want) in family.adjusted.iter().zip(numbers(&case[key]["adjusted"])) {
                assert!(
                    (got.unwrap() - want).abs() <= 1e-12,
                    "{key}: {got:?} {want}"
                );
            }
            let rejected: Vec<Value> = family.rejected(0.05).into_iter().map(Value::from).collect();
            assert_eq!(
                &Value::from(rejected),
                &case[key]["reject_0.05"],
                "{key} {p:?}"
            );
        }
    }
    assert_eq!(golden.cases().len(), 7);
}

#[test]
fn a_test_without_a_p_value_does_not_count() {
    let family = adjust(&[0.01, f64::NAN, 0.04], Adjustment::Holm).unwrap();
    assert_eq!(family.adjusted, vec![Some(0.02), None, Some(0.04)]);
    assert_eq!((family.n, family.dropped.as_ref().unwrap().count), (2, 1));
    assert!(family.reading().contains("1 without a p value"));
    assert!(adjust(&[1.5], Adjustment::Holm).is_err());
    assert!(adjust(&[f64::NAN], Adjustment::Holm).is_err());
}

#[test]
fn shapiro_goldens() {
    let golden = Golden::load("descriptive.json");
    let mut checked = 0;
    for case in golden.cases() {
        let got = shapiro_wilk(&numbers(&case["x"]));
        if case["shapiro"].is_null() {
            assert!(got.is_err());
            continue;
        }
        let (got, want) = (got.unwrap(), numbers(&case["shapiro"]));
        assert!((got.p - want[1]).abs() < 1e-4, "{} {want:?}", got.p);
        assert!(close(got.w, want[0], 1e-8), "{} {want:?}", got.w);
        checked += 1;
    }
    assert_eq!(checked, 4);
}

/// The original's t-test block: normality, Levene around the mean, paired and Welch t. Where the original hides the t
/// result behind a failed normality check, ours is there all the same.
#[test]
fn original_t_test_goldens() {
    let golden = Golden::load("metta_ttests.json");
    for case in golden.cases() {
        let (a, b) = (numbers(&case["control"]), numbers(&case["candidate"]));
        let result = &case["result"];
        let paired = case["paired"].as_bool().unwrap();
        let assumption = |key: &str| result["assumptions"].get(key).map(number);
        let check =
            |name: &str, got: Option<f64>, want: Option<f64>, tolerance: f64| match (got, want) {
                (Some(got), Some(want)) => assert_close(name, got, want, tolerance),
                // A constant difference: SciPy says W = 1, p = 1 with a warning.
                (None, Some(want)) => assert!(
                    want.is_nan() || want == 1.0,
                    "{} {name}: nothing, want {want}",
                    case["name"]
                ),
                (_, None) => {}
            };
        if paired && a.len() == b.len() {
            let d: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
            let normality = shapiro_wilk(&d).ok();
            check(
                "W",
                normality.as_ref().map(|s| s.w),
                assumption("normality_shapiro_W"),
                1e-8,
            );
            check("p", normality.map(|s| s.p), assumption("normality_p"), 1e-4);
        } else {
            for (xs, arm) in [(&a, "control"), (&b, "candidate")] {
                let normality = shapiro_wilk(xs).ok();
                let want = |what: &str| assumption(&format!("normality_{arm}_{what}"));
                check("W", normality.as_ref().map(|s| s.w), want("W"), 1e-8);
                check("p", normality.map(|s| s.p), want("p"), 1e-4);
            }
            let spread = levene(&[&a, &b], Centre::Mean).ok();
            check(
                "Levene",
                spread.as_ref().map(|l| l.statistic),
                assumption("levene_stat"),
                1e-10,
            );
            check(
                "Levene p",
                spread.map(|l| l.p),
                assumption("levene_p"),
                1e-10,
            );
        }
        let test = if paired {
            t_test(&a, &b, Design::Paired, Level::TWO_SIDED_95)
        } else {
            t_test(&a, &b, Design::Unpaired, Level::TWO_SIDED_95)
        };
        match (test, result["ttest"].get("t_stat").map(number)) {
            (Ok(test), Some(t)) => {
                assert_close("t", test.t, t, 1e-10);
                assert!(
                    close(test.p, number(&result["ttest"]["p_value"]), 1e-8),
                    "{} p",
                    case["name"]
                );
            }
            // The original prints t = inf, p = 0 for a constant difference; here that has a name.
            (Err(Undefined::ZeroVariance { .. }), Some(t)) => {
                assert!(t.is_infinite() || t.is_nan());
            }
            (_, None) => {
                assert!(
                    !result["warnings"].as_array().unwrap().is_empty(),
                    "{}",
                    case["name"]
                );
            }
            (Err(reason), Some(t)) => panic!("{}: {reason}, want {t}", case["name"]),
        }
    }
    assert!(golden.cases().len() > 3);
}

#[test]
fn levene_around_the_median_matches_scipy() {
    // scipy.stats.levene documentation example
    let a = [8.88, 9.12, 9.04, 8.98, 9.00, 9.08, 9.01, 8.85, 9.06, 8.99];
    let b = [8.88, 8.95, 9.29, 9.44, 9.15, 9.58, 8.36, 9.18, 8.67, 9.05];
    let c = [8.95, 9.12, 8.95, 8.85, 9.03, 8.84, 9.07, 8.98, 8.86, 8.98];
    let got = levene(&[&a, &b, &c], Centre::Median).unwrap();
    assert!(
        close(got.statistic, 7.584952754501659, 1e-10),
        "{}",
        got.statistic
    );
    assert!(close(got.p, 0.002431505967249681, 1e-9), "{}", got.p);
    assert!(levene(&[&[1.0, 1.0], &[2.0, 2.0]], Centre::Mean).is_err());
}

#[test]
fn degenerate_arms_are_reasons() {
    assert!(levene(&[&[1.0, 2.0]], Centre::Mean).is_err());
    assert!(levene(&[&[1.0], &[2.0]], Centre::Mean).is_err());
    assert!(levene(&[], Centre::Median).is_err());
    assert!(shapiro_wilk(&[1.0, 1.0, 1.0]).is_err());
}
