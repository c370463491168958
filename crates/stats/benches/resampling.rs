//! Resampling, timed by process CPU time (the minimum of several runs), one JSON line per case.
//!
//! `benches/stats/compare.py` writes the data, runs this with one thread, and prints it beside SciPy, NumPy and rliable.
//! Without an argument the data are drawn here, to look at one's own changes: `cargo bench -p fairtrial-stats`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;

use fairtrial_stats::bootstrap::{Method, Plan, Statistic, exact, mean, statistic};
use fairtrial_stats::permutation;
use fairtrial_stats::rng::{Purpose, SmallRange, Stream};
use fairtrial_stats::suite::{self, Metric, Scores, SuitePlan};
use fairtrial_stats::{Level, Side};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The smallest CPU time of `runs` runs, in milliseconds.
fn fastest<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    let one = |_| {
        let start = cpu_seconds();
        black_box(work());
        1e3 * (cpu_seconds() - start)
    };
    (0..runs).map(one).fold(f64::INFINITY, f64::min)
}

fn report(name: &str, milliseconds: f64, draws: f64) {
    let per_second = if draws > 0.0 {
        draws / milliseconds * 1e3
    } else {
        0.0
    };
    println!(
        "{}",
        serde_json::json!({ "case": name, "ms": milliseconds, "draws_per_s": per_second })
    );
}

struct Data {
    samples: Vec<Vec<f64>>,
    suites: [Vec<Vec<f64>>; 2],
}

impl Data {
    fn load(path: &str) -> Self {
        let value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let numbers = |v: &Value| -> Vec<f64> {
            v.as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect()
        };
        let rows =
            |v: &Value| -> Vec<Vec<f64>> { v.as_array().unwrap().iter().map(numbers).collect() };
        Self {
            samples: rows(&value["samples"]),
            suites: [rows(&value["suites"][0]), rows(&value["suites"][1])],
        }
    }

    fn drawn() -> Self {
        let mut stream = Stream::new(1, Purpose::new("bench"), 0);
        let mut sample = |n: usize| -> Vec<f64> { (0..n).map(|_| stream.normal()).collect() };
        let samples = [15, 100, 1000, 100_000].map(&mut sample).to_vec();
        let suites = [0, 1].map(|_| (0..57).map(|_| sample(5)).collect());
        Self { samples, suites }
    }
}

fn bootstraps(data: &Data) {
    for sample in &data.samples {
        let n = sample.len();
        let runs = if n > 10_000 { 2 } else { 15 };
        let draws = 10_000.0 * n as f64;
        for (name, method) in [("percentile", Method::Percentile), ("BCa", Method::Bca)] {
            let plan = Plan::new(method, 1);
            report(
                &format!("{name} n={n}"),
                fastest(runs, || mean(sample, &plan)),
                draws,
            );
        }
        let with_exact = fastest(15, || exact::mean(sample, Method::Bca, Level::TWO_SIDED_95));
        report(&format!("exact BCa n={n}"), with_exact, 0.0);
    }
    let closure = Statistic::Custom {
        name: "mean",
        function: &|x| x.iter().sum::<f64>() / x.len() as f64,
    };
    let plan = Plan::new(Method::Percentile, 1);
    report(
        "closure percentile n=1000",
        fastest(5, || statistic(&data.samples[2], &closure, &plan)),
        1e7,
    );
}

fn suites(data: &Data) {
    let [control, candidate] = [0, 1].map(|arm| Scores::new(&data.suites[arm]).unwrap());
    let draws = 50_000.0 * (control.count() + candidate.count()) as f64;
    let plan = SuitePlan::new(Metric::Iqm, 1);
    let both = || {
        (
            suite::interval(&control, &plan),
            suite::interval(&candidate, &plan),
        )
    };
    report("IQM 50,000 x 2 arms", fastest(5, both), draws);
    let metrics = [
        Metric::Median,
        Metric::Iqm,
        Metric::Mean,
        Metric::OptimalityGap { target: 1.0 },
    ];
    let all = || {
        let with = |metric| {
            [&control, &candidate].map(|arm| suite::interval(arm, &SuitePlan::new(metric, 1)))
        };
        metrics.map(with)
    };
    report("four metrics 50,000 x 2 arms", fastest(3, all), 4.0 * draws);
    let improvement = || suite::probability_of_improvement(&control, &candidate, &plan);
    report("P(improvement) 50,000", fastest(5, improvement), draws);
}

fn permutations(data: &Data) {
    let differences = &data.samples[1][..50];
    let options = permutation::Options {
        side: Side::TwoSided,
        draws: 10_000,
        seed: 1,
    };
    let test = || permutation::sign_flip_of(differences, options);
    report(
        "sign-flips of 50, 10,000",
        fastest(9, test),
        10_000.0 * 50.0,
    );
}

/// The bare generator: two indices per draw, summed up so that nothing is left out.
fn generator() {
    let range = SmallRange::new(1000).unwrap();
    let pairs = 50_000_000;
    let time = fastest(3, || {
        let mut stream = Stream::new(1, Purpose::new("bench"), 1);
        let mut total = 0usize;
        for _ in 0..pairs {
            let (a, b) = stream.index_pair(range);
            total = total.wrapping_add(a ^ b);
        }
        total
    });
    report("bare generator", time, 2.0 * f64::from(pairs));
}

fn main() {
    let path = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let data = path.map_or_else(Data::drawn, |path| Data::load(&path));
    generator();
    bootstraps(&data);
    suites(&data);
    permutations(&data);
}
