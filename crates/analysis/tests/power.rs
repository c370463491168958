//! Plans from a pilot and from a stated spread, and whether what they promise holds.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{ended, measured, metric, record};
use fairtrial_analysis::dataset::Origin;
use fairtrial_analysis::power::{Basis, Pilot, PilotQuestion, PowerOptions, plan};
use fairtrial_analysis::{Dataset, Observation};
use fairtrial_model::{Direction, Margin, Outcome, Record};
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::two_arm::paired_t;

fn options(effect: Option<Margin>) -> PowerOptions {
    PowerOptions {
        effect,
        power: 0.8,
        alpha: 0.05,
        sizes: vec![],
    }
}

fn dataset(records: &[Record]) -> Dataset {
    let mut data = Dataset::new("pilot", Origin::Records);
    data.declared = vec![metric("score", Some(Direction::Up))];
    data.arm_order = vec!["control".into(), "candidate".into()];
    data.control = Some("control".into());
    for record in records {
        data.push(&Observation::from(record));
    }
    data
}

/// Ten seeds that move both arms together.
fn pilot_records() -> Vec<Record> {
    let mut stream = Stream::new(3, Purpose::new("pilot"), 0);
    let mut records = Vec::new();
    for seed in 0..10 {
        let shared = 2.0 * stream.normal();
        for arm in ["control", "candidate"] {
            let value = 50.0 + shared + 0.5 * stream.normal();
            let index = records.len() as u64;
            records.push(measured(
                record(index, "train", arm, seed),
                &[("score", value)],
            ));
        }
    }
    records
}

#[test]
fn a_stated_spread_gives_the_textbook_numbers() {
    let basis = |correlation| Basis::Stated {
        sd: 1.0,
        correlation,
    };
    let report = plan(&basis(None), &options(Some(Margin::Absolute(0.8)))).unwrap();
    assert_eq!(report.unpaired.required.unwrap().n, 26);
    assert!(report.paired.is_none());
    // A correlation of one half makes the difference as noisy as one run: d = 0.8 takes 15 pairs.
    let report = plan(&basis(Some(0.5)), &options(Some(Margin::Absolute(0.8)))).unwrap();
    assert_eq!(report.paired.unwrap().required.unwrap().n, 15);
    assert!((report.pairing.unwrap().variance_saved - 0.5).abs() < 1e-12);
}

#[test]
fn a_pilot_shows_what_its_pairs_save() {
    let pilot = Pilot::from_dataset(&dataset(&pilot_records()), &PilotQuestion::default()).unwrap();
    assert!(pilot.paired);
    let report = plan(&Basis::Pilot(pilot), &options(Some(Margin::Relative(0.02)))).unwrap();
    let (paired, unpaired) = (report.paired.unwrap(), report.unpaired);
    assert!(report.pairing.unwrap().variance_saved > 0.7);
    assert!(paired.required.as_ref().unwrap().n * 3 < unpaired.required.as_ref().unwrap().n);
    let [low, high] = paired.required_range.unwrap();
    let n = paired.required.unwrap().n;
    assert!(low <= n && n < high, "{low} {n} {high}");
    // The curve: more runs see smaller effects, with more power.
    let points = &paired.points;
    assert!(
        points
            .windows(2)
            .all(|two| two[0].detectable > two[1].detectable)
    );
    assert!(points.windows(2).all(|two| two[0].power <= two[1].power));
}

#[test]
fn failures_and_lonely_seeds_are_counted() {
    let mut records = pilot_records();
    records[0] = ended(records[0].clone(), Outcome::Failed);
    let pilot = Pilot::from_dataset(&dataset(&records), &PilotQuestion::default()).unwrap();
    assert_eq!(pilot.control.len(), 9);
    assert_eq!(pilot.notes.len(), 2, "{:?}", pilot.notes);
    let wrong = PilotQuestion {
        metric: Some("loss".into()),
        ..PilotQuestion::default()
    };
    let error = Pilot::from_dataset(&dataset(&records), &wrong).unwrap_err();
    assert!(error.to_string().contains("there are score"), "{error}");
}

#[test]
fn wrong_questions_are_refused() {
    let stated = |sd: f64, correlation| {
        plan(&Basis::Stated { sd, correlation }, &options(None))
            .unwrap_err()
            .to_string()
    };
    assert!(stated(0.0, None).contains("--sd"));
    assert!(stated(1.0, Some(1.0)).contains("--correlation"));
    let relative = plan(
        &Basis::Stated {
            sd: 1.0,
            correlation: None,
        },
        &options(Some(Margin::Relative(0.1))),
    );
    assert!(
        relative
            .unwrap_err()
            .to_string()
            .contains("relative effect")
    );
}

/// With the planned number of pairs, a true effect of twice the margin is found as often as the plan promised.
#[test]
fn the_promised_power_is_kept() {
    let (margin, sd, rho) = (0.25, 1.0, 0.5_f64);
    let basis = Basis::Stated {
        sd,
        correlation: Some(rho),
    };
    let report = plan(&basis, &options(Some(Margin::Absolute(2.0 * margin)))).unwrap();
    let required = report.paired.unwrap().required.unwrap();
    let n = required.n as usize;
    let experiments = 4000;
    let mut found = 0;
    for number in 0..experiments {
        let mut stream = Stream::new(11, Purpose::new("power-promise"), number);
        let (mut control, mut candidate) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let shared = rho.sqrt() * stream.normal();
            control.push(shared + (1.0 - rho).sqrt() * stream.normal());
            candidate.push(2.0 * margin + shared + (1.0 - rho).sqrt() * stream.normal());
        }
        let test = paired_t(&control, &candidate, fairtrial_stats::Level::TWO_SIDED_95).unwrap();
        found += u32::from(test.p < 0.05 && test.estimate > 0.0);
    }
    let share = f64::from(found) / experiments as f64;
    let slack = 3.0 * (0.8_f64 * 0.2 / experiments as f64).sqrt();
    assert!(
        (share - required.achieved_power).abs() < slack,
        "{share} for {}",
        required.achieved_power
    );
}
