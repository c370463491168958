//! Sequential methods against large simulations and reference values of others.

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::sequential::{
    Design, Schedule, Spending, anytime_t, t_boundaries, t_log_e, t_multiplier,
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
        }
    }
}
