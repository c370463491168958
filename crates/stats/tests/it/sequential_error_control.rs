//! The promises of the sequential methods, checked by simulation: fixed seeds, tolerances from the binomial error.

use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::sequential::{
    AnytimeDesign, Decision, Design, Futility, LookResult, LookTest, Schedule, Spending, look,
    look_anytime, t_boundaries,
};

const PURPOSE: Purpose = Purpose::new("test/error-control");

fn stream(path: u64) -> Stream {
    Stream::new(20_240_611, PURPOSE, path)
}

/// Normal differences with unit variance.
fn normal(path: u64, n: usize, effect: f64) -> Vec<f64> {
    let mut s = stream(path);
    (0..n).map(|_| s.normal() + effect).collect()
}

/// Four binomial standard errors.
fn slack(rate: f64, trials: u64) -> f64 {
    4.0 * (rate * (1.0 - rate) / trials as f64).sqrt()
}

fn design(schedule: Schedule) -> Design {
    Design {
        schedule,
        spending: Spending::default(),
        alpha: 0.05,
    }
}

struct Stops {
    rejected: f64,
    mean_n: f64,
    covered: f64,
}

/// Runs the group-sequential t over simulated paths until it stops.
fn group_sequential(
    schedule: &Schedule,
    effect: f64,
    trials: u64,
    futility: Option<&Futility>,
) -> Stops {
    let boundaries = t_boundaries(&design(schedule.clone()), 1 << 18, 3).unwrap();
    let (mut rejected, mut total, mut covered) = (0u32, 0usize, 0u32);
    for path in 0..trials {
        let data = normal(path, schedule.budget(), effect);
        for &n in schedule.looks() {
            let result = look(&boundaries, &data[..n], futility, LookTest::T).unwrap();
            if result.decision == Decision::Continue {
                continue;
            }
            rejected += u32::from(matches!(
                result.decision,
                Decision::Greater | Decision::Less
            ));
            covered += u32::from(result.interval.contains(effect));
            total += n;
            break;
        }
    }
    let share = |count: u32| f64::from(count) / trials as f64;
    Stops {
        rejected: share(rejected),
        mean_n: total as f64 / trials as f64,
        covered: share(covered),
    }
}

#[test]
fn group_sequential_t_spends_exactly_its_alpha() {
    let trials = 20_000;
    for schedule in [
        Schedule::every(5, 5, 20).unwrap(),
        Schedule::every(1, 4, 15).unwrap(),
    ] {
        let got = group_sequential(&schedule, 0.0, trials, None);
        let off = (got.rejected - 0.05).abs();
        // The boundaries come from 2^18 paths and add their own error.
        assert!(
            off < slack(0.05, trials) + slack(0.05, 1 << 18),
            "{schedule:?}: {}",
            got.rejected
        );
        assert!(
            (got.covered - (1.0 - got.rejected)).abs() < 1e-12,
            "the repeated interval is the test turned around"
        );
    }
}

#[test]
fn group_sequential_t_saves_pairs_and_keeps_its_coverage_under_an_effect() {
    let schedule = Schedule::every(1, 5, 30).unwrap();
    let trials = 4000;
    let got = group_sequential(&schedule, 0.8, trials, Some(&Futility::default()));
    // The design page: power .979 with 16.1 pairs on average.
    assert!(
        (got.rejected - 0.979).abs() < slack(0.979, trials) + 0.005,
        "{}",
        got.rejected
    );
    assert!((got.mean_n - 16.1).abs() < 0.7, "{}", got.mean_n);
    assert!(got.covered > 0.95);
    let none = group_sequential(&schedule, 0.0, trials, Some(&Futility::default()));
    assert!(none.rejected < 0.05 + slack(0.05, trials));
    assert!(
        none.mean_n < 24.0,
        "futility stops early when there is nothing: {}",
        none.mean_n
    );
}

#[test]
fn plain_tests_at_every_look_are_caught_by_this_simulation() {
    let trials = 4000u64;
    let fixed: Vec<f64> = (3..=15)
        .map(|n| fairtrial_stats::dist::student_t::inverse_sf(0.025, f64::from(n) - 1.0))
        .collect();
    let mut rejected = 0;
    for path in 0..trials {
        let data = normal(path, 15, 0.0);
        let crosses = (3..=15).any(|n| {
            let part = &data[..n];
            let mean = part.iter().sum::<f64>() / n as f64;
            let sd =
                (part.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
            (mean / (sd / (n as f64).sqrt())).abs() >= fixed[n - 3]
        });
        rejected += u64::from(crosses);
    }
    let rate = rejected as f64 / trials as f64;
    assert!((rate - 0.204).abs() < slack(0.204, trials), "{rate}");
}

/// A look after every pair from the second on.
fn looks_at_any_time(differences: &[f64]) -> impl Iterator<Item = LookResult> + '_ {
    let design = AnytimeDesign {
        schedule: Schedule::every(1, 2, differences.len()).unwrap(),
        alpha: 0.05,
    };
    (2..=differences.len()).filter_map(move |n| look_anytime(&design, &differences[..n]).ok())
}

fn is_decided(look: &LookResult) -> bool {
    matches!(look.decision, Decision::Greater | Decision::Less)
}

#[test]
fn looks_at_any_time_never_exceed_their_level() {
    let trials = 3000u64;
    let rate = |draw: fn(&mut Stream) -> f64| {
        let decided = |path: &u64| {
            let mut stream = Stream::new(11, Purpose::new("anytime"), *path);
            let data: Vec<f64> = (0..60).map(|_| draw(&mut stream)).collect();
            looks_at_any_time(&data).any(|look| is_decided(&look))
        };
        (0..trials).filter(decided).count() as f64 / trials as f64
    };
    let limit = 0.05 + slack(0.05, trials);
    let normal = rate(Stream::normal);
    assert!(normal < limit && normal > 0.01, "normal: {normal}");
    // Signs alone, where runs of one sign never vary.
    let signs = rate(|stream| if stream.unit() < 0.5 { -1.0 } else { 1.0 });
    assert!(signs < limit, "signs: {signs}");
    let pass = |stream: &mut Stream| f64::from(u8::from(stream.unit() < 0.5));
    let mut passes = 0;
    for path in 0..trials {
        let mut stream = Stream::new(12, Purpose::new("anytime"), path);
        let data: Vec<f64> = (0..60)
            .map(|_| pass(&mut stream) - pass(&mut stream))
            .collect();
        passes += u64::from(looks_at_any_time(&data).any(|look| is_decided(&look)));
    }
    let passes = passes as f64 / trials as f64;
    assert!(passes < limit, "pass or fail: {passes}");
}

#[test]
fn the_confidence_sequence_covers_at_all_times_together() {
    let trials = 3000u64;
    let misses = |path: &u64| {
        let data = normal(*path, 60, 0.5);
        looks_at_any_time(&data).any(|look| !look.interval.contains(0.5))
    };
    let rate = (0..trials).filter(misses).count() as f64 / trials as f64;
    assert!(rate < 0.05 + slack(0.05, trials), "{rate}");
}

#[test]
fn edges_are_refused_with_a_reason() {
    assert!(Schedule::new(vec![], 10).is_err());
    assert!(Schedule::new(vec![5, 5], 10).is_err());
    assert!(Schedule::new(vec![5, 11], 10).is_err());
    assert!(Schedule::new(vec![1, 5], 10).is_err());
    let plan = design(Schedule::every(5, 5, 10).unwrap());
    let boundaries = t_boundaries(&plan, 2000, 1).unwrap();
    assert!(
        look(&boundaries, &[1.0; 4], None, LookTest::T).is_err(),
        "not a planned look"
    );
    assert!(
        look(&boundaries, &[1.0; 5], None, LookTest::T).is_err(),
        "no variation"
    );
    assert!(
        look(
            &boundaries,
            &[1.0, f64::NAN, 2.0, 3.0, 4.0],
            None,
            LookTest::T
        )
        .is_err()
    );
    assert!(t_boundaries(&plan, 10, 1).is_err());
    assert!(
        t_boundaries(
            &Design {
                alpha: 0.0,
                ..plan.clone()
            },
            2000,
            1
        )
        .is_err()
    );
    assert!(
        t_boundaries(
            &Design {
                spending: Spending::Power { rho: -1.0 },
                ..plan
            },
            2000,
            1
        )
        .is_err()
    );
    let anytime = AnytimeDesign {
        schedule: Schedule::every(1, 2, 10).unwrap(),
        alpha: 0.05,
    };
    assert!(look_anytime(&anytime, &[]).is_err());
    assert!(look_anytime(&anytime, &[1.0]).is_err());
    assert!(
        look_anytime(&anytime, &[0.0; 9]).is_err(),
        "nothing differs"
    );
    // Of a difference that never varies, signs decide: 2 of 2^8 patterns.
    let constant = |n: usize| look_anytime(&anytime, &vec![2.0; n]).unwrap();
    assert_eq!(constant(7).decision, Decision::Continue);
    assert_eq!(constant(8).decision, Decision::Greater);
    assert_eq!(constant(8).interval.low, 2.0);
}

/// Looks that grow apart, as `bench` makes them.
fn growing(budget: usize) -> Design {
    Design {
        schedule: Schedule::growing(1.15, 5, budget).unwrap(),
        spending: Spending::Power { rho: 1.0 },
        alpha: 0.05,
    }
}

#[test]
fn sums_drawn_at_once_give_the_boundaries_of_single_values() {
    // The last looks are 32 and more values apart, so that their sums are drawn at once.
    let apart = t_boundaries(&growing(400), 1 << 17, 1).unwrap();
    let again = t_boundaries(&growing(400), 1 << 17, 2).unwrap();
    let looks = apart.design.schedule.looks();
    assert!(
        looks.windows(2).any(|pair| pair[1] - pair[0] >= 32),
        "{looks:?}"
    );
    // Of the first few pairs hardly anything is spent, so that few paths say where.
    let known = apart.critical.iter().zip(&again.critical).zip(looks);
    for ((one, other), _) in known.filter(|(_, pairs)| **pairs >= 50) {
        assert!((one - other).abs() < 0.03 * one, "{one} {other}");
    }
    // From independent increments of a normal path, the other extreme, the last boundary is near the same.
    let last = apart.critical.last().unwrap();
    assert!((2.2..3.0).contains(last), "{last}");
}

#[test]
fn signed_ranks_keep_the_error_rate_over_growing_looks_also_with_slow_runs() {
    let boundaries = t_boundaries(&growing(300), 1 << 16, 3).unwrap();
    let trials = 600;
    let rejected = |effect: f64| {
        let rejects = |path: &u64| {
            let mut s = stream(*path);
            // Symmetric around the effect, with one value in ten far out.
            let draw = |_| {
                let slow = if s.unit() < 0.1 { 20.0 } else { 1.0 };
                s.normal() * slow + effect
            };
            let data: Vec<f64> = (0..300).map(draw).collect();
            let looks = boundaries.design.schedule.looks().iter();
            let mut looks = looks.map(|&n| {
                let test = if n < 10 {
                    LookTest::T
                } else {
                    LookTest::SignedRank
                };
                look(&boundaries, &data[..n], None, test).unwrap()
            });
            looks.any(|seen| {
                let decided = matches!(seen.decision, Decision::Greater | Decision::Less);
                assert_eq!(decided, !seen.interval.contains(0.0), "{seen:?}");
                decided
            })
        };
        (0..trials).filter(rejects).count() as f64 / trials as f64
    };
    let false_alarms = rejected(0.0);
    assert!(false_alarms < 0.05 + slack(0.05, trials), "{false_alarms}");
    // The mean would need sixteen times the pairs.
    let found = rejected(0.35);
    assert!(found > 0.9, "{found}");
}
