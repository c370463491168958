//! Whatever trials report, a comparison and its tables come out: no input may cause a panic.

use fairtrial_analysis::compare::{
    CompareOptions, Inputs, Method, Pairing, TaskRole, choose, compare,
};
use fairtrial_analysis::dataset::Origin;
use fairtrial_analysis::{Dataset, Observation, SummaryOptions, summarize};
use fairtrial_model::{
    Direction, Margin, MetricDeclaration, Number, Outcome, Params, RECORD_SCHEMA, Record,
    Resources, TrialId, TrialKey, UtcTime,
};
use fairtrial_report::{Terminal, console, csv, markdown};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        4 => (-5_i32..5).prop_map(|whole| Some(f64::from(whole))),
        4 => any::<f64>().prop_map(Some),
        2 => prop_oneof![Just(0.0), Just(1.0)].prop_map(Some),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)].prop_map(Some),
        1 => Just(None),
    ]
}

fn trial() -> impl Strategy<Value = Record> {
    let place = (0_u32..3, 0_u32..3, 0_u64..6, 0_u32..2, 0_u32..2);
    let outcome =
        prop_oneof![8 => Just(0_usize), 2 => 1_usize..7].prop_map(|place| Outcome::ALL[place]);
    (place, outcome, value(), value()).prop_map(
        |((task, arm, seed, rollout, point), outcome, first, second)| {
            let mut params = Params::new();
            params.set("lr", point.into());
            let metrics = [("score", first), ("wall", second)];
            let metrics = metrics
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), Number(value?))));
            Record {
                schema: RECORD_SCHEMA,
                trial: TrialKey {
                    index: 0,
                    task: format!("task|{task}"),
                    arm: Some(format!("arm{arm}")),
                    point: params,
                    seed,
                    rollout,
                },
                id: TrialId("0".repeat(32)),
                attempt: 1,
                outcome,
                cause: None,
                exit: None,
                started_at: None,
                ended_at: UtcTime::from_micros(0),
                dir: String::new(),
                packed: None,
                host: None,
                resources: Resources::default(),
                metrics: metrics.collect(),
                series: std::collections::BTreeMap::new(),
                checkpoint: None,
                notes: vec![],
                samples: std::collections::BTreeMap::new(),
                facts: std::collections::BTreeMap::new(),
                reused_from: None,
                code: None,
            }
        },
    )
}

fn options() -> impl Strategy<Value = CompareOptions> {
    let methods = [
        Method::Auto,
        Method::T,
        Method::LogRatio,
        Method::Rank,
        Method::Proportion,
        Method::Percentile,
        Method::Bca,
    ];
    let pairings = [Pairing::Auto, Pairing::Paired, Pairing::Unpaired];
    let margins = [
        None,
        Some(Margin::Absolute(0.5)),
        Some(Margin::Relative(0.02)),
        Some(Margin::Absolute(0.0)),
    ];
    (
        0_usize..7,
        0_usize..3,
        0_usize..4,
        any::<bool>(),
        0.001_f64..0.5,
    )
        .prop_map(
            move |(method, pairing, margin, random, alpha)| CompareOptions {
                alpha,
                method: Some(methods[method]),
                pairing: pairings[pairing],
                margin: margins[margin],
                tasks: if random {
                    TaskRole::Random
                } else {
                    TaskRole::Fixed
                },
                equal: vec!["wall=1%".parse().unwrap()],
                ..CompareOptions::default()
            },
        )
}

fn declared(name: &str, direction: Direction, unit: Option<&str>) -> MetricDeclaration {
    MetricDeclaration {
        direction: Some(direction),
        unit: unit.map(str::to_owned),
        required: false,
        ..MetricDeclaration::named(name)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_trials_can_be_compared_and_shown(records in prop::collection::vec(trial(), 0..60), options in options()) {
        let metrics = vec![declared("score", Direction::Up, None), declared("wall", Direction::Down, Some("s"))];
        let mut data = Dataset::new("any", Origin::Records);
        data.declared.clone_from(&metrics);
        let numbered = records.into_iter().zip(0..).map(|(mut record, index)| {
            record.trial.index = index;
            record
        });
        let records: Vec<Record> = numbered.collect();
        for record in &records {
            data.push(&Observation::from(record));
        }
        if let Ok(found) = compare(Inputs::Arms(&data), &options) {
            let text = console::comparison(&found, None, Terminal::plain(80));
            prop_assert!(!text.contains("NaN"), "{}", text);
            prop_assert!(markdown::comparison(&found, None).starts_with("# Comparison"));
            prop_assert!(csv::comparison(&found).is_ok());
            prop_assert!(serde_json::to_string(&found).is_ok());
        }
        let chosen = choose(&data, &options, 3);
        prop_assert!(chosen.is_err() || !chosen.unwrap().points.is_empty());
        let options = SummaryOptions { metrics, ..SummaryOptions::default() };
        let summary = summarize(records, options).unwrap();
        prop_assert!(!console::summary(&summary, Terminal::plain(60)).is_empty());
    }
}
