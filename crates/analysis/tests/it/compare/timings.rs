//! Timings: ratios, thresholds, machines.

use super::lab::{DOWN, UP, dataset, held_back, only_contrast, paired, run};
use crate::common::{measured, record};
use fairtrial_analysis::compare::{
    DataKind, Inputs, Method, MethodNote, ObjectionKind, Reason, Scale, Word,
};
use fairtrial_analysis::dataset::{Fact, FactKind, Interruptions};
use fairtrial_analysis::{CompareOptions, Dataset, Observation, compare};
use fairtrial_model::{Margin, MetricDeclaration, Record};
use fairtrial_stats::rng::{Purpose, Stream};

#[test]
fn timings_are_ratios_against_a_threshold() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| {
            let base = 1.0 + f64::from(i) * 0.3;
            (base, base * (1.10 + 0.01 * f64::from(i % 3)))
        })
        .collect();
    let mut data = dataset(DOWN, None, &paired(&pairs));
    data.declared[0].unit = Some("s".into());
    let comparison = run(&data, &CompareOptions::default());
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(
        (found.kind, found.verdict.word),
        (DataKind::Timing, Word::Regressed)
    );
    let effect = found.effect.clone().unwrap();
    assert_eq!(effect.scale, Scale::Ratio);
    let relative = effect.relative.unwrap();
    assert!((relative.value - 0.11).abs() < 0.001, "{relative:?}");
    assert!(relative.low > 0.01);
    // Half a percent is inside the default threshold of one percent.
    let pairs: Vec<(f64, f64)> = pairs
        .iter()
        .zip([1.004, 1.005, 1.006].iter().cycle())
        .map(|((a, _), r)| (*a, a * r))
        .collect();
    let mut data = dataset(DOWN, None, &paired(&pairs));
    data.declared[0].unit = Some("s".into());
    let comparison = run(&data, &CompareOptions::default());
    assert_eq!(
        only_contrast(&comparison).metrics[0].verdict.word,
        Word::Equivalent
    );
}

#[test]
fn a_sure_change_that_may_be_within_the_threshold_is_said_as_such() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| {
            let base = 1.0 + f64::from(i) * 0.3;
            (base, base * (1.002 + 0.008 * f64::from(i % 3)))
        })
        .collect();
    let mut data = dataset(DOWN, None, &paired(&pairs));
    data.declared[0].unit = Some("s".into());
    let comparison = run(&data, &CompareOptions::default());
    let found = &only_contrast(&comparison).metrics[0];
    assert!(found.effect.as_ref().unwrap().absolute.low > 0.0);
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert_eq!(found.verdict.reason, Reason::NotBeyondMargin);
}

#[test]
fn a_timing_between_two_machines_is_not_judged() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| (1.0 + f64::from(i % 4) * 0.01, 1.3 + f64::from(i % 5) * 0.01))
        .collect();
    let records = paired(&pairs);
    let side = |arm: &str, host: &str| {
        let mut mine: Vec<Record> = records
            .iter()
            .filter(|record| record.trial.arm.as_deref() == Some(arm))
            .cloned()
            .collect();
        for record in &mut mine {
            record.trial.arm = None;
        }
        let mut data = dataset(DOWN, None, &mine);
        data.declared[0].unit = Some("s".into());
        data.label = arm.to_owned();
        data.facts = vec![
            Fact {
                kind: FactKind::Machine,
                name: "host".into(),
                value: host.into(),
            },
            Fact {
                kind: FactKind::Parameters,
                name: "lr".into(),
                value: "0.1".into(),
            },
        ];
        data
    };
    let (control, candidate) = (side("control", "box"), side("candidate", "other"));
    let comparison = compare(
        Inputs::Two(&control, &candidate),
        &CompareOptions::default(),
    )
    .unwrap();
    assert_eq!(comparison.mismatches.len(), 1);
    assert_eq!(comparison.mismatches[0].candidate.as_deref(), Some("other"));
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(found.verdict.word, Word::Insufficient);
    assert!(matches!(
        held_back(&found.verdict),
        ObjectionKind::OtherMachine { name, .. } if name == "host"
    ));
    let accept = CompareOptions {
        accept: vec![FactKind::Machine],
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&control, &candidate), &accept).unwrap();
    assert_eq!(
        only_contrast(&comparison).metrics[0].verdict.word,
        Word::Regressed
    );
    assert!(
        only_contrast(&comparison).metrics[0].count.paired,
        "two runs share their seeds"
    );
}

/// Two runs of an experiment, by the clocks of its worker: the candidate's times are so many times the control's.
fn two_runs(wall: f64, cpu: f64, paced: Option<f64>, switches: u64) -> [Dataset; 2] {
    let sides = [(1, 1.0, 1.0, paced.map(|_| 1.0)), (2, wall, cpu, paced)];
    sides.map(|(side, wall, cpu, paced)| {
        let mut data = dataset(None, None, &[]);
        data.declared = Vec::new();
        data.measured = MetricDeclaration::worker_clocks().into();
        for seed in 0..5_u32 {
            let noise = 1.0 + 0.001 * f64::from(side * seed % 5);
            let mut record = record(u64::from(seed), "sums", "", u64::from(seed));
            record.trial.arm = None;
            let mut values = vec![("duration_s", wall * noise), ("cpu_s", cpu * noise)];
            values.extend(paced.map(|paced| ("paced_s", paced * noise)));
            data.push(&Observation::from(&measured(record, &values)));
        }
        data.interruptions = Interruptions { switches, cpu: 1.0 };
        data
    })
}

#[test]
fn what_ran_beside_two_runs_is_no_change_of_the_code() {
    let judged = |wall, cpu, paced, switches, metric: &str| {
        let [control, candidate] = two_runs(wall, cpu, paced, switches);
        let options = CompareOptions {
            metrics: vec![metric.to_owned()],
            ..CompareOptions::default()
        };
        let inputs = Inputs::Two(&control, &candidate);
        let comparison = compare(inputs, &options).unwrap();
        only_contrast(&comparison).metrics[0].verdict.word
    };
    let word = |wall, cpu, switches, metric| judged(wall, cpu, None, switches, metric);
    // The machine was busy, and CPU time is the same.
    assert_eq!(word(1.2, 1.01, 500, "duration_s"), Word::Inconclusive);
    // CPU time shows it too; nobody else was at work; CPU time is asked for.
    assert_eq!(word(1.2, 1.2, 500, "duration_s"), Word::Regressed);
    assert_eq!(word(1.2, 1.01, 20, "duration_s"), Word::Regressed);
    assert_eq!(word(1.2, 1.2, 500, "cpu_s"), Word::Regressed);
    // CPU time is longer, too, beside others; at the same pace it is not, and that is what can be asked for.
    let paced = |paced, switches, metric| judged(1.2, 1.2, Some(paced), switches, metric);
    assert_eq!(paced(1.01, 500, "duration_s"), Word::Inconclusive);
    assert_eq!(paced(1.01, 500, "cpu_s"), Word::Inconclusive);
    assert_eq!(paced(1.01, 20, "cpu_s"), Word::Regressed);
    assert_eq!(paced(1.2, 500, "cpu_s"), Word::Regressed);
    assert_eq!(paced(1.2, 500, "paced_s"), Word::Regressed);
}

#[test]
fn the_pace_of_another_python_is_another_one() {
    let [mut control, mut candidate] = two_runs(1.2, 1.2, Some(1.01), 500);
    for (side, python) in [(&mut control, "3.11"), (&mut candidate, "3.13")] {
        side.facts.push(Fact {
            kind: FactKind::Definition,
            name: "paced_s".to_owned(),
            value: format!("Python {python}"),
        });
    }
    let word = |metric: &str| {
        let options = CompareOptions {
            metrics: vec![metric.to_owned()],
            ..CompareOptions::default()
        };
        let comparison = compare(Inputs::Two(&control, &candidate), &options).unwrap();
        only_contrast(&comparison).metrics[0].verdict.word
    };
    assert_eq!(word("paced_s"), Word::Insufficient);
    assert_eq!(word("cpu_s"), Word::Regressed);
    assert_eq!(word("duration_s"), Word::Regressed);
}

/// Pairs whose second side is `ratio` times the first, give or take half a thousandth.
fn slower_by(ratio: f64) -> Vec<(f64, f64)> {
    (0..12)
        .map(|i| {
            let base = 80.0 + 4.0 * f64::from(i);
            (base, base * (ratio + 5e-4 * f64::from(i % 3 - 1)))
        })
        .collect()
}

#[test]
fn a_margin_in_percent_is_as_many_percent_downwards() {
    let word = |direction, margin, ratio| {
        let margin = Some(Margin::Relative(margin));
        let mut data = dataset(direction, margin, &paired(&slower_by(ratio)));
        data.declared[0].unit = Some("s".into());
        let comparison = run(&data, &CompareOptions::default());
        let found = &only_contrast(&comparison).metrics[0];
        assert_eq!(found.effect.as_ref().unwrap().scale, Scale::Ratio);
        (
            found.verdict.word,
            found.effect.as_ref().unwrap().clears_margin,
        )
    };
    assert_eq!(word(UP, 0.25, 0.778), (Word::Equivalent, Some(false)));
    assert_eq!(word(UP, 0.25, 0.74), (Word::Regressed, Some(true)));
    assert_eq!(word(DOWN, 0.1, 0.905), (Word::Equivalent, Some(false)));
    assert_eq!(word(DOWN, 0.1, 0.89), (Word::Improved, Some(true)));
}

#[test]
fn the_threshold_of_timings_holds_without_ratios_too() {
    let judged = |pairs: &[(f64, f64)], method: Method| {
        let mut data = dataset(DOWN, None, &paired(pairs));
        data.declared[0].unit = Some("ms".into());
        let options = CompareOptions {
            method: Some(method),
            ..CompareOptions::default()
        };
        only_contrast(&run(&data, &options)).metrics[0].clone()
    };
    let pairs = slower_by(1.002);
    for method in [Method::Auto, Method::T, Method::SignFlip, Method::Rank] {
        let found = judged(&pairs, method);
        assert_eq!(found.verdict.word, Word::Equivalent, "{method:?}");
    }
    // One timing of 0, and there are no ratios: what matters is still 1 % of the control.
    let mut with_zero = pairs;
    with_zero[0] = (0.0, 0.0);
    let found = judged(&with_zero, Method::Auto);
    assert_eq!(found.kind, DataKind::Timing);
    assert_eq!(found.verdict.word, Word::Equivalent);
    let effect = found.effect.unwrap();
    assert_eq!(effect.scale, Scale::Difference);
    assert!((effect.margin.unwrap() / effect.control - 0.01).abs() < 1e-12);
    assert_eq!(found.method.unwrap().note, Some(MethodNote::NoRatio));
    let found = judged(&slower_by(1.05), Method::T);
    assert_eq!(found.verdict.word, Word::Regressed);
    assert_eq!(found.verdict.reason, Reason::BeyondMargin);
}

#[test]
fn times_that_are_all_zero_are_not_pass_or_fail() {
    let mut data = dataset(DOWN, None, &paired(&[(0.0, 0.0); 5]));
    data.declared[0].unit = Some("s".into());
    let comparison = run(&data, &CompareOptions::default());
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(
        (found.kind, found.verdict.word),
        (DataKind::Timing, Word::Identical)
    );
}

#[test]
fn two_pairs_say_nothing_about_what_pairing_does() {
    let correlation = |pairs: &[(f64, f64)]| {
        let data = dataset(DOWN, None, &paired(pairs));
        let comparison = run(&data, &CompareOptions::default());
        only_contrast(&comparison).metrics[0]
            .second_opinions
            .correlation
    };
    assert_eq!(correlation(&[(1.0, 2.5), (1.7, 2.1)]), None);
    assert!(correlation(&[(1.0, 2.5), (1.7, 2.1), (1.2, 2.2)]).is_some());
}

/// A result file with these iterations, in the order in which they ran.
fn process(id: &str, seconds: &[f64]) -> Dataset {
    let iterations: Vec<String> = (0..)
        .zip(seconds)
        .map(|(index, seconds): (u32, _)| {
            format!("{{\"index\": {index}, \"duration_s\": {seconds}, \"metrics\": {{}}}}")
        })
        .collect();
    let text = format!(
        "{{\"run_id\": \"{id}\", \"name\": \"bench\", \"iteration_metrics\": [{}]}}",
        iterations.join(", ")
    );
    Dataset::from_result_json(id, &text).unwrap()
}

/// What the order of time says about each side.
fn unsteady(before: &[f64], after: &[f64]) -> Vec<ObjectionKind> {
    let (before, after) = (process("before", before), process("after", after));
    let found = compare(Inputs::Two(&before, &after), &CompareOptions::default()).unwrap();
    let objections = found.primary().next().unwrap().verdict.objections.clone();
    let of_time = |kind: &ObjectionKind| {
        matches!(
            kind,
            ObjectionKind::WarmUp { .. }
                | ObjectionKind::Drift { .. }
                | ObjectionKind::Autocorrelated { .. }
        )
    };
    let kinds = objections.into_iter().map(|objection| objection.kind);
    kinds.filter(of_time).collect()
}

#[test]
fn timings_that_were_not_steady_are_noted_on_their_side() {
    let noise = |number: u64| {
        let mut stream = Stream::new(8, Purpose::new("steady"), number);
        let mut made = Vec::new();
        made.resize_with(30, || (0.02 * stream.normal()).exp());
        made
    };
    let (steady, mut cold, mut hot) = (noise(1), noise(2), noise(3));
    assert_eq!(unsteady(&steady, &noise(4)), []);
    (cold[0], cold[1]) = (4.0, 2.0);
    assert_eq!(
        unsteady(&cold, &steady),
        [ObjectionKind::WarmUp {
            candidate: false,
            first: 2,
            of: 30
        }]
    );
    for (i, seconds) in (0..).zip(&mut hot) {
        *seconds *= 1.0 + 0.2 * f64::from(i) / 29.0;
    }
    let found = unsteady(&steady, &hot);
    assert!(
        matches!(found[..], [ObjectionKind::Drift { candidate: true, change, of: 30 }] if (change - 0.2).abs() < 0.05),
        "{found:?}"
    );
    let alarms = (0..300)
        .filter(|number| !unsteady(&noise(100 + number), &noise(1_000 + number)).is_empty())
        .count();
    assert!(alarms < 15, "{alarms} of 300");
}
