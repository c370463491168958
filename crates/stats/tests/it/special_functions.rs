//! The distribution functions against `special_functions.json`, every case within its own tolerance.
#![allow(clippy::excessive_precision)]

use crate::common::{Golden, close};
use fairtrial_stats::dist;
use serde_json::Value;

fn number(case: &Value, key: &str) -> f64 {
    crate::common::number(&case[key])
}

fn computed(case: &Value) -> f64 {
    let n = |key| number(case, key);
    match case["f"].as_str().unwrap() {
        "t_sf" => dist::student_t::sf(n("x"), n("df")),
        "t_ppf" => dist::student_t::quantile(n("x"), n("df")),
        "norm_sf" => dist::normal::sf(n("x")),
        "norm_ppf" => dist::normal::quantile(n("x")),
        "nct_sf" => dist::noncentral_t::sf(n("x"), n("df"), n("nc")),
        "betainc" => dist::beta::cdf(n("x"), n("a"), n("b")),
        "f_sf" => dist::fisher_f::sf(n("x"), n("d1"), n("d2")),
        "chi2_sf" => dist::chi_square::sf(n("x"), n("df")),
        other => panic!("no function for {other}"),
    }
}

fn tolerance(function: &str) -> f64 {
    match function {
        "nct_sf" => 1e-9,
        _ => 1e-12,
    }
}

#[test]
fn every_golden_point_is_met() {
    let golden = Golden::load("special_functions.json");
    let mut failures = Vec::new();
    // The file has a distribution that nothing here needs.
    let cases = golden.cases().iter();
    for case in cases.filter(|case| case["f"] != "studentized_range_sf") {
        let (got, want) = (computed(case), number(case, "value"));
        if !close(got, want, tolerance(case["f"].as_str().unwrap())) {
            failures.push(format!(
                "{case}: got {got:e}, relative error {:e}",
                (got / want - 1.0).abs()
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{} misses:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(golden.cases().len(), 117);
}

#[test]
fn t_tails_are_right_on_both_sides_of_the_switch_to_hills_transformation() {
    // mpmath, 40 digits
    for (x, df, want) in [
        (0.3, 20000.0, 0.382090136723300475),
        (1.96, 19999.0, 0.0250048278458442409),
        (5.0, 20000.0, 2.8907570738290256e-7),
        (12.0, 19999.0, 2.30754886255420675e-33),
        (12.0, 20000.0, 2.30751882918679025e-33),
    ] {
        assert!(close(dist::student_t::sf(x, df), want, 1e-12), "{x} {df}");
    }
}

#[test]
fn quantiles_invert_their_distribution_functions() {
    for p in [1e-12, 1e-3, 0.2, 0.5, 0.77, 0.999] {
        for a in [0.02, 0.5, 3.0, 40.0, 2500.0] {
            let x = dist::beta::quantile(p, a, 2.5);
            assert!(
                close(dist::beta::cdf(x, a, 2.5), p, 1e-9) || x < 1e-300 || 1.0 - x < 1e-9,
                "beta {p} {a}"
            );
            let x = dist::chi_square::quantile(p, a);
            assert!(
                close(dist::chi_square::cdf(x, a), p, 1e-10) || x < 1e-300,
                "chi {p} {a}"
            );
            let x = dist::fisher_f::quantile(p, a, 7.0);
            assert!(
                close(dist::fisher_f::cdf(x, a, 7.0), p, 1e-10) || x < 1e-300,
                "F {p} {a} {x}"
            );
        }
    }
}

#[test]
fn arguments_outside_the_domain_give_nan_and_never_panic() {
    for bad in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        assert!(dist::student_t::sf(1.0, bad).is_nan());
        assert!(dist::student_t::quantile(0.3, bad).is_nan());
        assert!(dist::normal::quantile(bad).is_nan());
        assert!(dist::beta::cdf(0.5, bad, 1.0).is_nan());
        assert!(dist::chi_square::sf(1.0, bad).is_nan());
        assert!(dist::noncentral_t::sf(1.0, bad, 0.5).is_nan());
    }
    assert_eq!(dist::student_t::quantile(1.0, 3.0), f64::INFINITY);
    assert_eq!(dist::student_t::sf(f64::INFINITY, 3.0), 0.0);
    assert_eq!(dist::student_t::sf(f64::NEG_INFINITY, 3.0), 1.0);
}

#[test]
fn without_a_shift_the_noncentral_t_is_the_t() {
    for df in [1.0, 2.0, 5.5, 30.0, 1e3, 1e6] {
        for t in [0.1, 1.5, 6.0] {
            let p = dist::student_t::two_sided(t, df);
            assert!(
                (dist::noncentral_t::sf(t, df, 1e-300) - 0.5 * p).abs() < 1e-12,
                "nct {t} {df}"
            );
        }
    }
}

#[test]
fn error_and_gamma_functions() {
    // mpmath
    for (got, want) in [
        (dist::erf(1.0), 0.84270079294971487),
        (dist::erfc(5.0), 1.5374597944280349e-12),
        (dist::ln_gamma(0.5), 0.57236494292470009),
        (dist::ln_gamma(1e5), 1051287.7089736569),
        (dist::ln_beta(0.5, 1e6), -6.335390211057437),
        (dist::ln_beta(2500.0, 60.0), -285.61138088569846),
        (dist::ln_binomial(100.0, 50.0), 66.783841652017426),
    ] {
        assert!(close(got, want, 1e-13), "{got:e} {want:e}");
    }
}

/// Large and small shapes, both tails (`tests/goldens/mpmath_distributions.py`).
#[test]
fn hard_places_against_mpmath() {
    let golden = Golden::load("mpmath_distributions.json");
    for case in golden.cases() {
        let n = |key| number(case, key);
        let (got, tolerance) = match case["f"].as_str().unwrap() {
            "beta_cdf" => (dist::beta::cdf(n("x"), n("a"), n("b")), 1e-12),
            "gamma_lower" => (dist::regularized_gamma_lower(n("a"), n("x")), 1e-12),
            "gamma_upper" => (dist::regularized_gamma_upper(n("a"), n("x")), 1e-12),
            "t_sf" => (dist::student_t::sf(n("x"), n("df")), 1e-12),
            "nct_sf" => (dist::noncentral_t::sf(n("x"), n("df"), n("nc")), 1e-10),
            other => panic!("no function for {other}"),
        };
        assert!(
            close(got, n("value"), tolerance),
            "{case}: got {got:e}, off by {:e}",
            got / n("value") - 1.0
        );
    }
    assert!(golden.cases().len() > 100);
}
