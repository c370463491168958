//! Sequential methods against large simulations and reference values of others.

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::sequential::{
    AnytimeDesign, Decision, Design, Schedule, Spending, look_anytime, t_boundaries, t_multiplier,
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
fn the_sequence_of_the_t_e_process_holds_to_ten_digits() {
    for case in Golden::load("sequential_e_process.json").cases() {
        if case.get("logE_at_t").is_some() {
            let (n, tau2) = (case["n"].as_u64().unwrap() as usize, number(&case["tau2"]));
            let alpha = number(&case["alpha"]);
            assert_close(
                "multiplier",
                t_multiplier(n, tau2, alpha),
                number(&case["cs_t_multiplier"]),
                1e-10,
            );
        } else if let Some(steps) = case.get("steps") {
            let sequence = numbers(&case["sequence"]);
            assert_eq!(number(&case["tau2"]), 1.0);
            let design = AnytimeDesign {
                schedule: Schedule::every(1, 2, sequence.len()).unwrap(),
                alpha: number(&case["alpha"]),
            };
            for (n, want) in (1..).zip(steps.as_array().unwrap()).skip(1) {
                let Ok(got) = look_anytime(&design, &sequence[..n]) else {
                    assert!(want.get("t").is_none(), "{n}: {want}");
                    continue;
                };
                assert_close("low", got.interval.low, number(&want["low"]), 1e-10);
                assert_close("high", got.interval.high, number(&want["high"]), 1e-10);
                // The process has reached 1/alpha exactly where the sequence excludes zero.
                let reached = number(&want["logE"]) >= -design.alpha.ln();
                let decided = matches!(got.decision, Decision::Greater | Decision::Less);
                assert_eq!(decided, reached, "{n}");
            }
        }
    }
}
