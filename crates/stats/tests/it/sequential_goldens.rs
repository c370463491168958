//! Sequential methods against published tables, large simulations of others, and confseq.

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::sequential::{
    BoundedMethod, Design, Schedule, Spending, anytime_t, bounded_sequence, crossing_probability,
    mcnemar_log_e, normal_boundaries, radius_over_sd, sign_flip_process, t_boundaries, t_log_e,
    t_multiplier,
};

fn spending(name: &str) -> Spending {
    match name {
        "lan_demets_obf" => Spending::ObrienFleming,
        "lan_demets_pocock" => Spending::Pocock,
        "power_rho2" => Spending::default(),
        other => panic!("unknown spending {other}"),
    }
}

#[test]
fn normal_boundaries_are_those_of_the_tables() {
    let mut classical = 0;
    for case in Golden::load("group_sequential_normal.json").cases() {
        let k = case["K"].as_u64().unwrap() as usize;
        if let Some(pocock) = case.get("classical_pocock_constant") {
            let fractions: Vec<f64> = (1..=k).map(|i| i as f64 / k as f64).collect();
            let flat = vec![number(pocock); k];
            assert_close(
                "Pocock",
                crossing_probability(&fractions, &flat).unwrap(),
                0.05,
                5e-5,
            );
            let obf = number(&case["classical_obrien_fleming_constant"]);
            let falling: Vec<f64> = fractions.iter().map(|f| obf / f.sqrt()).collect();
            assert_close(
                "O'Brien-Fleming",
                crossing_probability(&fractions, &falling).unwrap(),
                0.05,
                5e-5,
            );
            classical += 1;
            continue;
        }
        let fractions = numbers(&case["fractions"]);
        let got = normal_boundaries(
            &fractions,
            0.05,
            spending(case["spending"].as_str().unwrap()),
        )
        .unwrap();
        for (a, b) in got
            .cumulative_alpha
            .iter()
            .zip(numbers(&case["cumulative_alpha"]))
        {
            assert_close("spent", *a, b, 1e-10);
        }
        for (a, b) in got.critical.iter().zip(numbers(&case["z_bounds"])) {
            assert!((a - b).abs() < 5e-4, "{} K {k}: {a} {b}", case["spending"]);
        }
    }
    assert_eq!(classical, 4);
}

#[test]
fn t_boundaries_are_those_of_a_large_simulation() {
    for case in Golden::load("group_sequential_t.json").cases() {
        let looks: Vec<usize> = numbers(&case["looks_pairs"])
            .into_iter()
            .map(|n| n as usize)
            .collect();
        let budget = *looks.last().unwrap();
        let design = Design {
            schedule: Schedule::new(looks, budget).unwrap(),
            spending: spending(case["spending"].as_str().unwrap()),
            alpha: 0.05,
        };
        let got = t_boundaries(&design, 1 << 20, 1).unwrap();
        let want = numbers(&case["t_bounds"]);
        assert_close("first look", got.critical[0], want[0], 1e-9);
        for (a, b) in got.critical.iter().zip(want) {
            assert!((a / b - 1.0).abs() < 3e-3, "{}: {a} {b}", case["spending"]);
        }
    }
}

#[test]
fn the_t_e_process_and_its_sequence_hold_to_ten_digits() {
    for case in Golden::load("sequential_e_process.json").cases() {
        if let Some(at_t) = case.get("logE_at_t") {
            let (n, tau2) = (case["n"].as_u64().unwrap() as usize, number(&case["tau2"]));
            let alpha = number(&case["alpha"]);
            assert_close(
                "multiplier",
                t_multiplier(n, tau2, alpha),
                number(&case["cs_t_multiplier"]),
                1e-10,
            );
            for (t, want) in at_t.as_object().unwrap() {
                assert_close(
                    "log E",
                    t_log_e(t.parse().unwrap(), n, tau2),
                    number(want),
                    1e-10,
                );
            }
        } else if let Some(steps) = case.get("steps") {
            let got = anytime_t(
                &numbers(&case["sequence"]),
                number(&case["tau2"]),
                number(&case["alpha"]),
            )
            .unwrap();
            for (a, b) in got.steps.iter().zip(steps.as_array().unwrap()) {
                assert_close("log E", a.log_e, number(&b["logE"]), 1e-10);
                assert_close("low", a.interval.low, number(&b["low"]), 1e-10);
                assert_close("high", a.interval.high, number(&b["high"]), 1e-10);
                assert_eq!(a.t.is_some(), b.get("t").is_some());
            }
        } else if let Some(want) = case.get("signflip_e_process_logE") {
            let got = sign_flip_process(&numbers(&case["sequence"]), 0.05).unwrap();
            for (a, b) in got.log_e.iter().zip(numbers(want)) {
                assert_close("sign-flip log E", *a, b, 1e-10);
            }
        } else {
            let rho2 = number(&case["rho2_for_t15"]);
            for (n, want) in case["radius_over_sd"].as_object().unwrap() {
                assert_close(
                    "radius",
                    radius_over_sd(n.parse().unwrap(), rho2, 0.05),
                    number(want),
                    1e-10,
                );
            }
        }
    }
}

#[test]
fn the_sequential_mcnemar_is_the_beta_binomial_mixture() {
    for case in Golden::load("paired_binary.json").cases() {
        let Some(want) = case.get("seq_mcnemar_logE_beta_half") else {
            continue;
        };
        let get = |key: &str| case[key].as_u64().unwrap();
        let got = mcnemar_log_e(get("candidate_only"), get("control_only"), 0.5);
        assert_close("log E", got, number(want), 1e-10);
    }
}

#[test]
fn bounded_sequences_are_those_of_confseq() {
    let methods = [
        (
            BoundedMethod::EmpiricalBernstein,
            "predmix_empirical_bernstein",
            1e-9,
        ),
        (BoundedMethod::Hoeffding, "predmix_hoeffding", 1e-9),
        (
            BoundedMethod::Betting,
            "betting_cs_default_breaks1000",
            1e-3 + 1e-9,
        ),
    ];
    for case in Golden::load("confseq_bounded.json").cases() {
        let x = numbers(&case["x"]);
        for (method, key, tolerance) in methods {
            let got = bounded_sequence(&x, [0.0, 1.0], method, 0.05).unwrap();
            let (low, high) = (numbers(&case[key]["lower"]), numbers(&case[key]["upper"]));
            for (i, interval) in got.intervals.iter().enumerate() {
                let name = format!("{} {key} {i}", case["name"]);
                assert!(
                    (interval.low - low[i]).abs() <= tolerance,
                    "{name} low: {} {}",
                    interval.low,
                    low[i]
                );
                assert!(
                    (interval.high - high[i]).abs() <= tolerance,
                    "{name} high: {} {}",
                    interval.high,
                    high[i]
                );
            }
        }
    }
}
