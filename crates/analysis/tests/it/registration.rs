//! Registered plans: what is frozen, what is a deviation, and what cannot be trusted.

use crate::common::{NOON_MICROS, metric, spec};
use fairtrial_analysis::registration::{
    Registered, Registration, RegistrationError, digest, registered,
};
use fairtrial_journal::Opened;
use fairtrial_model::{Direction, Margin, Stamp, UtcTime};

fn opened(registration: &[u8]) -> Opened {
    let at = UtcTime::from_micros(NOON_MICROS);
    Opened {
        schema: 1,
        name: "bench".into(),
        stamp: Stamp::of(at),
        config: "bench.toml".into(),
        spec_sha256: String::new(),
        plan_hash: String::new(),
        trials: 2,
        set: vec![],
        only: None,
        registration_sha256: Some(digest(registration)),
        takes_over: None,
        imported: false,
        parallel: 1,
        version: "0.1.0".into(),
        created_at: at,
        host: "box".into(),
    }
}

fn written() -> (fairtrial_spec::Spec, Vec<u8>) {
    let spec = spec(&[metric("reward", Some(Direction::Up))]);
    let before = UtcTime::from_micros(NOON_MICROS - 1_000_000);
    let registration = Registration::new(&spec, before, "0.1.0");
    (spec, serde_json::to_vec_pretty(&registration).unwrap())
}

#[test]
fn a_plan_that_was_kept_is_as_registered() {
    let (spec, text) = written();
    let status = registered(Some(&text), &spec, Some(&opened(&text)));
    assert!(
        matches!(status, Registered::AsRegistered { .. }),
        "{status:?}"
    );
    assert_eq!(registered(None, &spec, None), Registered::No);
}

#[test]
fn every_deviation_is_named_with_both_values() {
    let (mut spec, text) = written();
    spec.analysis.alpha = Some(0.1);
    spec.metrics[0].margin = Some(Margin::Relative(0.02));
    spec.seeds.push(5);
    spec.notes = "a note is no part of the plan".to_owned();
    let mut run = opened(&text);
    run.only = Some("seed=1".to_owned());
    run.created_at = UtcTime::from_micros(NOON_MICROS - 2_000_000);
    let Registered::Deviates { deviations, .. } = registered(Some(&text), &spec, Some(&run)) else {
        panic!("not found");
    };
    let names: Vec<&str> = deviations
        .iter()
        .map(|deviation| deviation.what.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "alpha",
            "metrics.reward.margin.relative",
            "seeds",
            "trials that were run",
            "time of registration"
        ]
    );
    assert_eq!(deviations[0].registered.as_deref(), Some("0.05"));
    assert_eq!(deviations[0].used.as_deref(), Some("0.1"));
}

#[test]
fn a_registration_that_was_edited_or_exchanged_cannot_be_trusted() {
    let (spec, text) = written();
    let edited = String::from_utf8(text.clone())
        .unwrap()
        .replace("0.05", "0.2")
        .into_bytes();
    assert!(matches!(
        Registration::read(&edited),
        Err(RegistrationError::Hash { .. })
    ));
    let broken = |file: Option<&[u8]>, run: &Opened| {
        matches!(
            registered(file, &spec, Some(run)),
            Registered::Broken { .. }
        )
    };
    assert!(broken(Some(&edited), &opened(&text)));
    assert!(broken(None, &opened(&text)));
    let mut without = opened(&text);
    without.registration_sha256 = None;
    assert!(broken(Some(&text), &without));
}
