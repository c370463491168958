//! What the bootstrap refuses, flags and falls back to, and that its drawn and exact routes agree.

use fairtrial_stats::bootstrap::{
    BootstrapInterval, Contrast, Design, Flag, Method, Plan, Resampling, Statistic, contrast,
    exact, mean, mean_difference, statistic,
};
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::{Explain, Level, Side, Undefined};

fn skewed(n: usize, block: u64) -> Vec<f64> {
    let mut stream = Stream::new(12, Purpose::new("test/bootstrap"), block);
    (0..n).map(|_| stream.normal().exp()).collect()
}

fn many(method: Method) -> Plan {
    Plan {
        resamples: 400_000,
        ..Plan::new(method, 3)
    }
}

/// Five times the Monte Carlo error of a 2.5 % quantile from 400,000 draws, with room for a skewed tail.
fn agree(drawn: &BootstrapInterval, exact: &BootstrapInterval) {
    let slack = 0.05 * exact.standard_error;
    assert!(
        (drawn.interval.low - exact.interval.low).abs() < slack,
        "{drawn:?} {exact:?}"
    );
    assert!(
        (drawn.interval.high - exact.interval.high).abs() < slack,
        "{drawn:?} {exact:?}"
    );
    assert!((drawn.standard_error / exact.standard_error - 1.0).abs() < 0.01);
}

#[test]
fn many_draws_approach_the_exact_distribution() {
    let sample = skewed(25, 0);
    for method in [
        Method::Percentile,
        Method::Basic,
        Method::Bca,
        Method::BcaMetta,
    ] {
        agree(
            &mean(&sample, &many(method)).unwrap(),
            &exact::mean(&sample, method, Level::TWO_SIDED_95).unwrap(),
        );
    }
    let (control, candidate) = (skewed(12, 1), skewed(30, 2));
    for method in [Method::Percentile, Method::Bca] {
        let drawn = mean_difference(&control, &candidate, Design::Unpaired, &many(method)).unwrap();
        let request = (method, Level::TWO_SIDED_95);
        agree(
            &drawn,
            &exact::mean_difference(&control, &candidate, Design::Unpaired, request).unwrap(),
        );
    }
}

#[test]
fn the_exact_median_is_the_limit_of_drawn_medians() {
    for n in [15, 16] {
        let sample = skewed(n, 4);
        let drawn = statistic(&sample, &Statistic::Median, &many(Method::Percentile)).unwrap();
        let exact = exact::median(&sample, Level::TWO_SIDED_95).unwrap();
        assert_eq!(exact.resampling, Resampling::Exact);
        agree(&drawn, &exact);
    }
}

#[test]
fn a_large_sample_is_drawn_without_bias() {
    let sample: Vec<f64> = (0..70_000).map(f64::from).collect();
    let got = mean(
        &sample,
        &Plan {
            resamples: 200,
            ..Plan::new(Method::Percentile, 1)
        },
    )
    .unwrap();
    let error = 70_000.0 / 12f64.sqrt() / 70_000f64.sqrt();
    assert!(
        (got.standard_error / error - 1.0).abs() < 4.0 / 400f64.sqrt(),
        "{}",
        got.standard_error
    );
    assert!(got.interval.contains(got.estimate));
}

#[test]
fn wrong_combinations_are_refused() {
    let sample = skewed(20, 5);
    for one in [
        Statistic::Median,
        Statistic::Min,
        Statistic::Max,
        Statistic::Quantile(0.9),
    ] {
        assert!(matches!(
            statistic(&sample, &one, &Plan::new(Method::Bca, 1)),
            Err(Undefined::NoSolution(_))
        ));
    }
    for p in [f64::NAN, -0.1, 1.1] {
        assert!(
            statistic(
                &sample,
                &Statistic::Quantile(p),
                &Plan::new(Method::Percentile, 1)
            )
            .is_err()
        );
        assert!(exact::quantile(&sample, p, Level::TWO_SIDED_95).is_err());
    }
    let studentised = Plan::new(Method::Studentised, 1);
    assert!(statistic(&sample, &Statistic::Iqm, &studentised).is_err());
    assert!(
        contrast(
            [&sample, &sample],
            &Contrast::MeanRatio,
            Design::Unpaired,
            &studentised
        )
        .is_err()
    );
    assert!(exact::mean(&sample, Method::Studentised, Level::TWO_SIDED_95).is_err());
    let short = mean_difference(&sample, &sample[1..], Design::Paired, &studentised);
    assert!(matches!(
        short,
        Err(Undefined::UnequalLengths {
            left: 20,
            right: 19
        })
    ));
    assert!(matches!(
        mean(&[1.0], &studentised),
        Err(Undefined::TooFew {
            have: 1,
            need: 2,
            ..
        })
    ));
    assert!(matches!(
        mean(&[], &studentised),
        Err(Undefined::Empty { .. })
    ));
    assert!(
        mean(
            &sample,
            &Plan {
                resamples: 1,
                ..studentised
            }
        )
        .is_err()
    );
    assert!(
        mean(
            &sample,
            &Plan {
                level: Level::two_sided(1.0),
                ..studentised
            }
        )
        .is_err()
    );
}

#[test]
fn constant_data_give_their_point_and_say_so() {
    // 0.1 summed six times is not 0.6: rounding must not look like spread.
    let constant = [0.1; 6];
    for method in [
        Method::Percentile,
        Method::Basic,
        Method::Bca,
        Method::BcaMetta,
        Method::Studentised,
    ] {
        let got = mean(&constant, &Plan::new(method, 1)).unwrap();
        assert_eq!(got.flags[0], Flag::Degenerate, "{method:?}");
        assert!((got.interval.high - got.interval.low).abs() < 1e-15);
        assert!(got.reading().contains("single point"));
    }
    let exact = exact::mean(&constant, Method::Bca, Level::TWO_SIDED_95).unwrap();
    assert_eq!(exact.flags[0], Flag::Degenerate);
}

#[test]
fn an_infinite_bias_correction_falls_back_to_percentiles() {
    // Zero on the data, where all values differ, and above zero on every resample, where some repeat: nothing lies below.
    let sample = skewed(30, 6);
    let repeats = |x: &[f64]| {
        let mut sorted = x.to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.len() == 30 && sorted.windows(2).all(|w| w[0] < w[1]) {
            0.0
        } else {
            1.0 + x[0]
        }
    };
    let statistic_of = Statistic::Custom {
        name: "repeats",
        function: &repeats,
    };
    let plan = |method| Plan {
        resamples: 500,
        ..Plan::new(method, 1)
    };
    let got = statistic(&sample, &statistic_of, &plan(Method::Bca)).unwrap();
    assert_eq!(
        (got.flags[0], got.bias_correction),
        (Flag::FellBackToPercentile, None)
    );
    let percentile = statistic(&sample, &statistic_of, &plan(Method::Percentile)).unwrap();
    assert_eq!(got.interval, percentile.interval);
    assert!(got.reading().contains("percentile method"));
}

#[test]
fn extreme_levels_reach_the_ends_of_the_range() {
    // Far in the tails the divisor of BCa reaches zero; a level with an infinite score is refused.
    let sample = skewed(11, 9);
    let range = |got: BootstrapInterval| {
        let [low, high] = [got.interval.low, got.interval.high];
        assert!(
            low < got.estimate && got.estimate < high && low.is_finite() && high.is_finite(),
            "{got:?}"
        );
    };
    assert!(exact::mean(&sample, Method::Bca, Level::two_sided(5e-324)).is_err());
    for alpha in [2e-12, 1e-9, 1e-4] {
        for method in [Method::Percentile, Method::Bca, Method::BcaMetta] {
            range(exact::mean(&sample, method, Level::two_sided(alpha)).unwrap());
            range(
                mean(
                    &sample,
                    &Plan {
                        level: Level::two_sided(alpha),
                        ..Plan::new(method, 1)
                    },
                )
                .unwrap(),
            );
        }
    }
}

#[test]
fn undefined_resamples_are_counted_and_many_are_refused() {
    let sample = skewed(25, 7);
    let first = sample[0];
    let rare = |x: &[f64]| {
        if x.iter().filter(|v| **v == first).count() > 4 {
            f64::NAN
        } else {
            x[0]
        }
    };
    let got = statistic(
        &sample,
        &Statistic::Custom {
            name: "rare",
            function: &rare,
        },
        &Plan::new(Method::Percentile, 1),
    );
    assert!(got.unwrap().dropped[0].count > 0);
    let often = |x: &[f64]| {
        if x[0] == x[1] || x[0] > 1.0 {
            f64::NAN
        } else {
            x[0]
        }
    };
    let plan = Plan::new(Method::Percentile, 1);
    assert!(
        statistic(
            &sample,
            &Statistic::Custom {
                name: "often",
                function: &often
            },
            &plan
        )
        .is_err()
    );
}

#[test]
fn one_sided_levels_leave_one_end_open() {
    let sample = skewed(40, 8);
    let at = |side| {
        let plan = Plan {
            level: Level { alpha: 0.025, side },
            ..Plan::new(Method::Bca, 1)
        };
        mean(&sample, &plan).unwrap().interval
    };
    let both = mean(&sample, &Plan::new(Method::Bca, 1)).unwrap().interval;
    assert_eq!(
        (at(Side::Greater).low, at(Side::Greater).high),
        (both.low, f64::INFINITY)
    );
    assert_eq!(
        (at(Side::Less).low, at(Side::Less).high),
        (f64::NEG_INFINITY, both.high)
    );
}
