//! The episode grammar against the recorded behaviour of the program it comes from.

use fairtrial_spec::{EpisodeError, EpisodeSet};

#[test]
fn every_golden_case() {
    let text = include_str!("../goldens/golden_episode_spec.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    assert!(cases.len() >= 20);
    for case in cases {
        let spec = case["spec"].as_str().unwrap_or("");
        let found = EpisodeSet::parse(spec, case["total"].as_u64().unwrap());
        if let Some(error) = case["error"].as_str() {
            let message = found.unwrap_err().to_string();
            assert!(message.starts_with(error), "{spec}: {message}");
        } else {
            let expected: Vec<u64> = serde_json::from_value(case["result"].clone()).unwrap();
            assert_eq!(
                found.unwrap().iter().collect::<Vec<_>>(),
                expected,
                "{spec}"
            );
        }
    }
}

#[test]
fn ranges_are_merged_and_stay_small() {
    let set = EpisodeSet::parse("0:1000000, 5, 1000000:2000000", 10_000_000_000).unwrap();
    let merged = 0..2_000_000;
    assert_eq!(set.ranges(), [merged]);
    assert!(set.contains(1_999_999) && !set.contains(2_000_000));
}

#[test]
fn what_is_wrong_is_said_with_the_grammar() {
    let message = EpisodeSet::parse("1:2:3", 10).unwrap_err().to_string();
    assert!(message.contains("`5:8` (5, 6, 7)"), "{message}");
    assert_eq!(
        EpisodeSet::parse(" , ", 3),
        Err(EpisodeError::Selection(",".into()))
    );
    assert!(matches!(
        EpisodeSet::parse("8:3", 10),
        Err(EpisodeError::Range { .. })
    ));
    assert!(EpisodeSet::parse("99999999999999999999", 10).is_err());
    assert!(EpisodeSet::parse(":", 0).unwrap().iter().next().is_none());
}
