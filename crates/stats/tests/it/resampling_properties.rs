//! Over arbitrary numbers (NaN, infinities, extremes, ties, nothing at all): never a panic, never a NaN in a result, and
//! the same bits whatever the number of threads.

use std::fmt::Debug;

use fairtrial_stats::bootstrap::{
    Contrast, Design, Method, Plan, Statistic, contrast, exact, given, statistic,
};
use fairtrial_stats::history::{Options, change_points};
use fairtrial_stats::one_arm::Proportion;
use fairtrial_stats::passk::{Attempts, suite as pass_suite, task};
use fairtrial_stats::sequential::{
    AnytimeDesign, Design as SequentialDesign, Futility, LookTest, Schedule, Spending, TBoundaries,
    look, look_anytime, t_boundaries,
};
use fairtrial_stats::series::original::{Logged, OriginalWindow};
use fairtrial_stats::series::{
    CommonGrid, Curve, Direction, Scale, Threshold, Window, auc, last_n, max, mean, slope,
    time_to_threshold, value_at,
};
use fairtrial_stats::suite::{self, Correction, Metric, ProfileKind, Scores, SuitePlan};
use fairtrial_stats::two_arm;
use fairtrial_stats::{Explain, Level, Outcome, Side};
use proptest::prelude::*;

/// Numbers of every kind, with many ties and some that are no numbers.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -10.0..10.0f64,
        3 => (-3i8..4).prop_map(f64::from),
        1 => any::<f64>(),
        1 => prop_oneof![
            Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::MAX), Just(f64::MIN),
            Just(5e-324), Just(-0.0), Just(1e-300), Just(1e160)
        ],
    ]
}

/// Mostly finite samples, so that the methods get past their first check.
fn sample() -> impl Strategy<Value = Vec<f64>> {
    let finite = prop_oneof![
        4 => -10.0..10.0f64,
        2 => (-2i8..3).prop_map(f64::from),
        1 => prop_oneof![Just(f64::MAX), Just(-f64::MAX), Just(5e-324), Just(1e160), Just(-1e-200)],
    ];
    prop_oneof![
        prop::collection::vec(-5.0..5.0f64, 0..30),
        prop::collection::vec(finite, 0..30),
        prop::collection::vec(any_number(), 0..30),
        (any_number(), 0..12usize).prop_map(|(x, n)| vec![x; n]),
    ]
}

/// A result may be refused, but what is given must hold no NaN and must have a reading.
fn sound<T: Debug + Explain>(outcome: &Outcome<T>) {
    if let Ok(value) = outcome {
        let text = format!("{value:?}");
        assert!(!text.contains("NaN"), "a NaN leaked: {text}");
        let reading = value.reading();
        assert!(!reading.is_empty() && !reading.contains("NaN"), "{reading}");
    }
}

fn number(outcome: &Outcome<f64>) {
    if let Ok(value) = outcome {
        assert!(value.is_finite(), "{value}");
    }
}

const METHODS: [Method; 5] = [
    Method::Percentile,
    Method::Basic,
    Method::Bca,
    Method::BcaMetta,
    Method::Studentised,
];
const SIDES: [Side; 3] = [Side::TwoSided, Side::Greater, Side::Less];

fn plan(method: Method, side: Side) -> Plan {
    Plan {
        method,
        level: Level { alpha: 0.1, side },
        resamples: 60,
        seed: 5,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn bootstraps_of_one_sample(x in sample(), p in any_number()) {
        let ratio = |v: &[f64]| v[0] / v[v.len() - 1];
        let custom = Statistic::Custom { name: "ratio", function: &ratio };
        let statistics = [
            Statistic::Mean, Statistic::Median, Statistic::Quantile(p), Statistic::Min, Statistic::Max, Statistic::Sd,
            Statistic::Iqm, custom,
        ];
        for method in METHODS {
            for side in SIDES {
                for one in &statistics {
                    sound(&statistic(&x, one, &plan(method, side)));
                }
                sound(&exact::mean(&x, method, Level { alpha: 0.1, side }));
            }
        }
        sound(&exact::median(&x, Level::TWO_SIDED_95));
        sound(&exact::quantile(&x, p, Level::TWO_SIDED_95));
        sound(&exact::mean(&x, Method::Bca, Level::two_sided(p)));
    }

    #[test]
    fn bootstraps_of_two_samples(x in sample(), y in sample()) {
        let custom = |a: &[f64], b: &[f64]| b[0].ln() - a[0].ln();
        let contrasts = [
            Contrast::MeanDifference, Contrast::MeanRatio, Contrast::IqmDifference,
            Contrast::Custom { name: "log ratio", function: &custom },
        ];
        for method in METHODS {
            for design in [Design::Paired, Design::Unpaired] {
                for one in &contrasts {
                    sound(&contrast([&x, &y], one, design, &plan(method, Side::TwoSided)));
                }
                sound(&exact::mean_difference(&x, &y, design, (method, Level::TWO_SIDED_95)));
            }
        }
        let half = x.len().min(y.len());
        sound(&contrast([&x[..half], &y[..half]], &contrasts[0], Design::Paired, &plan(Method::Bca, Side::Less)));
    }

    #[test]
    fn given_indices(x in sample(), lists in prop::collection::vec(prop::collection::vec(0..40usize, 0..6), 0..20)) {
        for method in METHODS {
            sound(&given::statistic(&x, &lists, &Statistic::Mean, &plan(method, Side::TwoSided)));
            let both = [&lists[..], &lists[..]];
            sound(&given::contrast([&x, &x], both, &Contrast::MeanDifference, &plan(method, Side::TwoSided)));
        }
    }

    #[test]
    fn suites(control in prop::collection::vec(sample(), 0..14), candidate in prop::collection::vec(sample(), 0..14), tau in any_number()) {
        let (Ok(a), Ok(b)) = (Scores::new(&control), Scores::new(&candidate)) else { return Ok(()) };
        for metric in [Metric::Mean, Metric::Median, Metric::Iqm, Metric::OptimalityGap { target: tau }] {
            for correction in [Correction::None, Correction::Stretched] {
                let plan = SuitePlan { correction, resamples: 40, ..SuitePlan::new(metric, 2) };
                number(&suite::point(&a, metric));
                sound(&suite::interval(&a, &plan));
                sound(&suite::difference(&a, &b, two_arm::Design::Unpaired, &plan));
                sound(&suite::difference(&a, &b, two_arm::Design::Paired, &plan));
                sound(&suite::probability_of_improvement(&a, &b, &plan));
                sound(&suite::profile_band(&a, &[tau, 0.0, 1.0], &plan));
            }
        }
        sound(&suite::profile(&a, &[tau], ProfileKind::TaskMeans));
        sound(&suite::mean_t(&a, Level::TWO_SIDED_95));
        sound(&suite::mean_difference_t(&a, &b, Level::TWO_SIDED_95));
    }

    #[test]
    fn attempts(counts in prop::collection::vec((0..60u64, 0..60u64), 0..8), k in 0..70u64, alpha in any_number()) {
        let tasks: Vec<Proportion> = counts.iter().map(|&(successes, trials)| Proportion { successes, trials }).collect();
        for kind in [Attempts::AnyOf, Attempts::AllOf] {
            sound(&pass_suite(&tasks, k, kind, Level::two_sided(alpha)));
            for &one in &tasks {
                sound(&task(one, k, kind, Level::TWO_SIDED_95));
            }
        }
    }

    #[test]
    fn curves(steps in sample(), values in sample(), share in any_number(), at in any_number()) {
        let n = steps.len().min(values.len());
        let windows = [
            Window::All, Window::LastPoints(share), Window::FirstPoints(share), Window::LastSteps(share),
            Window::FirstSteps(share), Window::Steps { from: at, to: share },
        ];
        if let Ok(curve) = Curve::new(&steps[..n], &values[..n]) {
            for window in windows {
                sound(&auc(&curve, window, Scale::Raw));
                sound(&auc(&curve, window, Scale::Normalised));
                sound(&mean(&curve, window));
                sound(&max(&curve, window));
                sound(&slope(&curve, window));
            }
            sound(&last_n(&curve, n / 2));
            sound(&value_at(&curve, at));
            sound(&time_to_threshold(&curve, Threshold { value: at, direction: Direction::AtMost }));
            let rows: Vec<&Curve> = std::iter::repeat_n(&curve, 12).collect();
            if let Ok(grid) = CommonGrid::new(&rows, 5) {
                assert!(grid.rows.iter().flatten().all(|v| v.is_finite()));
                sound(&grid.band(Level::TWO_SIDED_95));
            }
        }
        if let Ok(logged) = Logged::new(&steps[..n], &values[..n]) {
            let window = OriginalWindow::Steps { min: at, max: share };
            for window in [OriginalWindow::All, OriginalWindow::Last(share), OriginalWindow::First(share), window] {
                number(&logged.auc(window, Scale::Raw));
                number(&logged.auc(window, Scale::Normalised));
            }
            number(&logged.eval_last_n(n / 3));
            number(&logged.derivative());
        }
    }

    #[test]
    fn sequences(x in sample(), alpha in any_number()) {
        for alpha in [alpha, 0.05] {
            let schedule = Schedule::every(1, 2, x.len().max(2)).unwrap();
            sound(&look_anytime(&AnytimeDesign { schedule, alpha }, &x));
        }
    }

    #[test]
    fn looks(x in sample(), effect in any_number()) {
        let boundaries = small_boundaries();
        for n in 0..=x.len() {
            for min_effect in [None, Some(effect)] {
                sound(&look(&boundaries, &x[..n], Some(&Futility { min_effect, below: 0.2 }), LookTest::T));
            }
        }
    }

    #[test]
    fn histories(x in sample(), max_p in any_number(), magnitude in any_number()) {
        sound(&change_points(&x, &Options::new(0.01)));
        sound(&change_points(&x.repeat(4), &Options::otava()));
        sound(&change_points(&x, &Options { max_p, min_magnitude: magnitude, ..Options::new(0.01) }));
    }
}

fn small_boundaries() -> TBoundaries {
    static ONCE: std::sync::OnceLock<TBoundaries> = std::sync::OnceLock::new();
    let make = || {
        let schedule = Schedule::new((2..=25).collect(), 25).unwrap();
        let design = SequentialDesign {
            schedule,
            spending: Spending::ObrienFleming,
            alpha: 0.05,
        };
        t_boundaries(&design, 5000, 1).unwrap()
    };
    ONCE.get_or_init(make).clone()
}

/// The same call on one and on four threads.
fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let x: Vec<f64> = (0..300).map(|i| f64::from(i * 7919 % 301).sqrt()).collect();
    let y: Vec<f64> = x.iter().map(|v| v * 1.01 + 0.1).collect();
    let tasks: Vec<Vec<f64>> = x.chunks(6).map(<[f64]>::to_vec).collect();
    let everything = || {
        let scores = Scores::new(&tasks).unwrap();
        let suite_plan = SuitePlan {
            resamples: 5000,
            ..SuitePlan::new(Metric::Iqm, 4)
        };
        let schedule = Schedule::every(5, 5, 20).unwrap();
        let design = SequentialDesign {
            schedule,
            spending: Spending::default(),
            alpha: 0.05,
        };
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            statistic(&x, &Statistic::Mean, &Plan::new(Method::Bca, 4)),
            statistic(&x, &Statistic::Median, &Plan::new(Method::Percentile, 4)),
            contrast(
                [&x, &y],
                &Contrast::MeanDifference,
                Design::Unpaired,
                &Plan::new(Method::Studentised, 4)
            ),
            suite::interval(&scores, &suite_plan),
            suite::probability_of_improvement(&scores, &scores, &suite_plan),
            t_boundaries(&design, 20_000, 4),
        )
    };
    assert_eq!(on_threads(1, everything), on_threads(4, everything));
}
