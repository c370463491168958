//! Data without a difference, and what is found in them.

use fairtrial_analysis::Dataset;
use fairtrial_analysis::Observation;
use fairtrial_analysis::compare::{CompareOptions, Inputs, MetricComparison, Word, compare};
use fairtrial_analysis::dataset::Origin;
use fairtrial_model::{
    Direction, MetricDeclaration, Number, Outcome, Params, RECORD_SCHEMA, Record, Resources,
    TrialId, TrialKey, UtcTime,
};
use fairtrial_stats::rng::{Purpose, Stream};

/// A shape of single numbers with mean 0 and spread about 1.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) draw: fn(&mut Stream) -> f64,
}

pub(crate) const NORMAL: Shape = Shape {
    name: "normal",
    draw: |stream| stream.normal(),
};
pub(crate) const HEAVY: Shape = Shape {
    name: "heavy tails (t with 3 df)",
    draw: |stream| {
        let squares: f64 = (0..3).map(|_| stream.normal().powi(2)).sum();
        stream.normal() / (squares / 3.0).sqrt() / 3.0_f64.sqrt()
    },
};
pub(crate) const OUTLIERS: Shape = Shape {
    name: "one in ten far out",
    draw: |stream| {
        let size = if stream.unit() < 0.1 { 5.0 } else { 1.0 };
        size * stream.normal()
    },
};
pub(crate) const SKEWED: Shape = Shape {
    name: "skewed (log-normal)",
    draw: |stream| stream.normal().exp(),
};

pub(crate) fn record(index: usize, task: &str, arm: &str, seed: u64, value: f64) -> Record {
    Record {
        schema: RECORD_SCHEMA,
        trial: TrialKey {
            index: index as u64,
            task: task.into(),
            arm: Some(arm.to_owned()),
            point: Params::new(),
            seed,
            rollout: 0,
        },
        id: TrialId(format!("{index:032x}")),
        attempt: 1,
        outcome: Outcome::Ok,
        cause: None,
        exit: None,
        started_at: None,
        ended_at: UtcTime::from_micros(0),
        dir: String::new(),
        packed: None,
        host: None,
        resources: Resources::default(),
        samples: std::collections::BTreeMap::new(),
        metrics: [("score".to_owned(), Number(value))].into(),
        series: std::collections::BTreeMap::new(),
        checkpoint: None,
        notes: vec![],
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
        code: None,
    }
}

pub(crate) fn declared() -> MetricDeclaration {
    MetricDeclaration {
        direction: Some(Direction::Up),
        ..MetricDeclaration::named("score")
    }
}

/// Pairs by seed: what a seed has in common, and what each side adds.
pub(crate) fn pairs(stream: &mut Stream, n: usize, shape: Shape, shift: f64) -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 0..n as u64 {
        let shared = 3.0 * stream.normal();
        let halves = [(shape.draw)(stream), (shape.draw)(stream)];
        for ((arm, add), own) in [("control", 0.0), ("candidate", shift)]
            .into_iter()
            .zip(halves)
        {
            let value = 50.0 + shared + add + own * std::f64::consts::FRAC_1_SQRT_2;
            records.push(record(records.len(), "train", arm, seed, value));
        }
    }
    records
}

/// Two groups without a seed in common.
pub(crate) fn groups(
    stream: &mut Stream,
    sizes: [usize; 2],
    shape: Shape,
    spread: f64,
) -> Vec<Record> {
    let control = (0..sizes[0]).map(|seed| (seed, "control", 1.0));
    let candidate = (0..sizes[1]).map(|seed| (10_000 + seed, "candidate", spread));
    let numbered = control.chain(candidate).enumerate();
    numbered
        .map(|(index, (seed, arm, size))| {
            record(
                index,
                "train",
                arm,
                seed as u64,
                50.0 + size * (shape.draw)(stream),
            )
        })
        .collect()
}

/// The judged primary metric of every contrast.
pub(crate) fn judged(
    records: &[Record],
    unit: Option<&str>,
    options: &CompareOptions,
) -> Vec<MetricComparison> {
    let mut data = Dataset::new("simulated", Origin::Records);
    let mut metric = declared();
    metric.unit = unit.map(str::to_owned);
    data.declared = vec![metric];
    data.arm_order = vec!["control".into()];
    for record in records {
        data.push(&Observation::from(record));
    }
    let found = compare(Inputs::Arms(&data), options);
    found.map_or(Vec::new(), |found| found.primary().cloned().collect())
}

pub(crate) fn is_verdict(metric: &MetricComparison) -> bool {
    matches!(metric.verdict.word, Word::Improved | Word::Regressed)
}

/// The share of simulated cases in which something is so.
pub(crate) fn share(name: &str, cases: u64, is_so: impl Fn(&mut Stream) -> bool + Sync) -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let of_thread = |thread: u64| {
        let mine = (0..cases).filter(|case| case % threads == thread);
        let hit = |case: &u64| is_so(&mut Stream::new(20_261_118, Purpose::new(name), *case));
        mine.filter(hit).count()
    };
    let hits: usize = std::thread::scope(|scope| {
        let of_thread = &of_thread;
        let all: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || of_thread(thread)))
            .collect();
        all.into_iter().filter_map(|one| one.join().ok()).sum()
    });
    hits as f64 / cases as f64
}
