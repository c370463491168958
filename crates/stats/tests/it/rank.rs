//! Rank and permutation tests: goldens of `wilcoxon.json`, `mannwhitney.json`, `signflip_exact.json`,
//! `permutation_2sample_exact.json`, and the edges.
#![allow(clippy::approx_constant)]

use crate::common::{Golden, assert_close, close, number, numbers};
use fairtrial_stats::permutation::{Options, sign_flip_of};
use fairtrial_stats::rank::{
    Continuity, RankMethod, SignedRankOptions, Zeros, mann_whitney, paired_location,
    signed_rank_of, unpaired_location,
};
use fairtrial_stats::{Explain, Level, Side, Undefined};

const SIDES: [(&str, Side); 3] = [
    ("two-sided", Side::TwoSided),
    ("greater", Side::Greater),
    ("less", Side::Less),
];

#[test]
fn wilcoxon_goldens() {
    let golden = Golden::load("wilcoxon.json");
    for case in golden.cases() {
        let name = case["name"].as_str().unwrap();
        let d = numbers(&case["diff"]);
        if case.get("note").is_some() {
            let outcome = signed_rank_of(&d, SignedRankOptions::default());
            assert!(
                matches!(outcome, Err(Undefined::ZeroVariance { value, .. }) if value == 0.0),
                "{name}"
            );
            continue;
        }
        let location = paired_location(&d, Level::TWO_SIDED_95).unwrap();
        assert_close(
            name,
            location.estimate,
            number(&case["hodges_lehmann"]),
            1e-12,
        );
        for (key, side) in SIDES {
            let run = |method, zeros| {
                signed_rank_of(
                    &d,
                    SignedRankOptions {
                        method,
                        zeros,
                        side,
                    },
                )
                .unwrap()
            };
            let exact = run(RankMethod::Exact, Zeros::Drop);
            let want = &case[format!("exact_dropzero_{key}")];
            assert_eq!(exact.w_plus, number(&want["W_plus"]), "{name}");
            assert_eq!(exact.n as f64, number(&want["n_nonzero"]), "{name}");
            assert!(
                close(exact.p, number(&want["p"]), 1e-12),
                "{name} {key}: {} {want}",
                exact.p
            );
            if let Some(want) = case.get(format!("scipy_exact_{key}")) {
                assert!(
                    close(exact.p, number(&want["p"]), 1e-12),
                    "{name} {key} scipy: {} {want}",
                    exact.p
                );
            }
            for (zeros_key, zeros) in [
                ("wilcox", Zeros::Drop),
                ("pratt", Zeros::Pratt),
                ("zsplit", Zeros::Split),
            ] {
                let plain = run(RankMethod::Asymptotic(Continuity::Plain), zeros);
                let want = &case[format!("asym_{zeros_key}_{key}")];
                let statistic = if side == Side::TwoSided {
                    plain.w_plus.min(plain.w_minus)
                } else {
                    plain.w_plus
                };
                assert_eq!(statistic, number(&want["stat"]), "{name} {zeros_key}");
                assert!(
                    close(plain.p, number(&want["p"]), 1e-9),
                    "{name} {zeros_key} {key}: {} {want}",
                    plain.p
                );
                assert_close(name, plain.z.unwrap().abs(), number(&want["z"]).abs(), 1e-9);
                let corrected = run(RankMethod::Asymptotic(Continuity::Corrected), zeros);
                let want = number(&case[format!("asym_cc_{zeros_key}_{key}")]["p"]);
                assert!(
                    close(corrected.p, want, 1e-9),
                    "{name} {zeros_key} {key} cc: {} {want}",
                    corrected.p
                );
            }
        }
    }
    assert_eq!(golden.cases().len(), 16);
}

#[test]
fn mann_whitney_goldens() {
    let golden = Golden::load("mannwhitney.json");
    for (index, case) in golden.cases().iter().enumerate() {
        // The golden tests x against y: x is our candidate.
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        let run = |method, side| mann_whitney(&y, &x, method, side).unwrap();
        if case.get("note").is_some() {
            for method in [
                RankMethod::Exact,
                RankMethod::Asymptotic(Continuity::Corrected),
            ] {
                let tied = run(method, Side::TwoSided);
                assert_eq!((tied.superiority, tied.p), (0.5, 1.0));
            }
            continue;
        }
        if let Some(want) = case.get("exact_with_ties") {
            for (key, side) in [
                ("p_two", Side::TwoSided),
                ("p_greater", Side::Greater),
                ("p_less", Side::Less),
            ] {
                let exact = run(RankMethod::Exact, side);
                assert_eq!(exact.u, number(&want["U_x"]));
                assert!(
                    close(exact.p, number(&want[key]), 1e-12),
                    "case {index} {key}: {} {want}",
                    exact.p
                );
            }
        }
        for (key, side) in SIDES {
            for (prefix, continuity) in [
                ("asym_cc", Continuity::Corrected),
                ("asym", Continuity::Plain),
            ] {
                let want = &case[format!("{prefix}_{key}")];
                let got = run(RankMethod::Asymptotic(continuity), side);
                assert_eq!(got.u, number(&want["U"]));
                assert!(
                    close(got.p, number(&want["p"]), 1e-9),
                    "case {index} {prefix} {key}: {} {want}",
                    got.p
                );
            }
            if let Some(want) = case.get(format!("scipy_exact_{key}")) {
                let got = run(RankMethod::Exact, side);
                assert!(
                    close(got.p, number(&want["p"]), 1e-12),
                    "case {index} scipy {key}: {} {want}",
                    got.p
                );
            }
        }
        let got = run(RankMethod::Auto, Side::TwoSided);
        assert_close("A12", got.superiority, number(&case["A12_x_over_y"]), 1e-12);
        assert_close(
            "delta",
            got.cliffs_delta,
            number(&case["cliffs_delta"]),
            1e-12,
        );
        let shift = unpaired_location(&x, &y, Level::TWO_SIDED_95).unwrap();
        assert_close(
            "shift",
            shift.estimate,
            number(&case["hodges_lehmann_shift_y_minus_x"]),
            1e-12,
        );
    }
    assert_eq!(golden.cases().len(), 11);
}

#[test]
fn sign_flip_goldens_are_exact() {
    let golden = Golden::load("signflip_exact.json");
    for case in golden.cases() {
        let d = numbers(&case["diff"]);
        for (key, side) in [
            ("p_two", Side::TwoSided),
            ("p_greater", Side::Greater),
            ("p_less", Side::Less),
        ] {
            let got = sign_flip_of(
                &d,
                Options {
                    side,
                    ..Options::default()
                },
            )
            .unwrap();
            assert_eq!(got.p, number(&case[key]), "{} {key}", case["name"]);
            assert_eq!(got.patterns as f64, number(&case["n_patterns"]));
            assert!(got.exact);
        }
    }
    assert_eq!(golden.cases().len(), 7);
}

/// Gray code over all patterns, as a second way to the same count.
fn gray_code_two_sided(d: &[f64]) -> f64 {
    let (mut sum, total): (f64, f64) = (d.iter().sum(), d.iter().sum());
    let slack = 1e-9 * d.iter().map(|x| x.abs()).sum::<f64>();
    let mut signs = vec![1.0; d.len()];
    let mut hits = 1u64;
    for step in 1u64..1 << d.len() {
        let flip = step.trailing_zeros() as usize;
        signs[flip] = -signs[flip];
        sum += 2.0 * signs[flip] * d[flip];
        hits += u64::from(sum.abs() >= total.abs() - slack);
    }
    hits as f64 / (1u64 << d.len()) as f64
}

#[test]
fn meeting_in_the_middle_counts_what_gray_code_enumerates() {
    let d: Vec<f64> = (0..18).map(|i| (f64::from(i) * 1.7).sin() + 0.4).collect();
    assert_eq!(
        sign_flip_of(&d, Options::default()).unwrap().p,
        gray_code_two_sided(&d)
    );
}

#[test]
fn random_patterns_agree_with_the_exact_count_and_repeat_bit_for_bit() {
    let d: Vec<f64> = (0..41).map(|i| (f64::from(i) * 1.7).sin() + 0.25).collect();
    let options = Options {
        draws: 200_000,
        seed: 7,
        ..Options::default()
    };
    let drawn = sign_flip_of(&d, options).unwrap();
    assert!(!drawn.exact);
    assert_eq!(drawn, sign_flip_of(&d, options).unwrap());
    // A zero difference in front changes nothing but the number of patterns: the exact p of the other 40.
    let near = sign_flip_of(&d[..40], Options::default()).unwrap();
    assert!(near.exact && (near.p - drawn.p).abs() < 0.05);
    let z = (d.iter().sum::<f64>() / d.iter().map(|x| x * x).sum::<f64>().sqrt()).abs();
    let normal = 2.0 * fairtrial_stats::dist::normal::sf(z);
    assert!((drawn.p - normal).abs() < 0.01, "{} {normal}", drawn.p);
}

#[test]
fn hodges_lehmann_intervals_match_r() {
    // R: wilcox.test(x, conf.int = TRUE, exact = TRUE), Hollander & Wolfe depression data
    let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let d: Vec<f64> = before.iter().zip(after).map(|(a, b)| a - b).collect();
    let got = paired_location(&d, Level::TWO_SIDED_95).unwrap();
    assert_close("estimate", got.estimate, 0.46, 1e-9);
    // by hand: with n = 9 and alpha/2 = 0.025 the count is 6 (P(W <= 5) = 0.0195)
    let mut walsh: Vec<f64> = Vec::new();
    (0..9).for_each(|i| (i..9).for_each(|j| walsh.push(0.5 * d[i] + 0.5 * d[j])));
    walsh.sort_by(f64::total_cmp);
    let interval = got.interval.unwrap();
    assert_eq!((interval.low, interval.high), (walsh[5], walsh[45 - 6]));
    assert!(
        paired_location(&[1.0, 2.0], Level::TWO_SIDED_95)
            .unwrap()
            .interval
            .is_none()
    );
}

#[test]
fn too_few_pairs_say_so() {
    let five = sign_flip_of(&[1.0, 2.0, 3.0, 4.0, 5.0], Options::default()).unwrap();
    assert_eq!(five.p, 2.0 / 32.0);
    assert!(five.reading().contains("no result can reach 0.05"));
    let rank = signed_rank_of(&[1.0, 2.0, 3.0, 4.0, 5.0], SignedRankOptions::default()).unwrap();
    assert!(rank.reading().contains("no result can reach 0.05"));
}

#[test]
fn balanced_zeros_give_no_evidence() {
    // scipy #10223: pratt on perfectly balanced data must not be significant
    let d = [0.0, 0.0, 0.0, 1.0, -1.0, 2.0, -2.0];
    for zeros in [Zeros::Drop, Zeros::Pratt, Zeros::Split] {
        for method in [RankMethod::Exact, RankMethod::Asymptotic(Continuity::Plain)] {
            let got = signed_rank_of(
                &d,
                SignedRankOptions {
                    method,
                    zeros,
                    side: Side::TwoSided,
                },
            )
            .unwrap();
            assert!(got.p > 0.95, "{zeros:?} {method:?} {}", got.p);
        }
    }
}
