//! The filter language of `--only`.

use fairtrial_model::{Params, TrialKey};
use fairtrial_spec::{Filter, FilterError, filter_word};
use proptest::prelude::*;
use serde_json::json;

fn trial(index: u64, task: &str, arm: &str, seed: u64) -> TrialKey {
    let point = [("lr".to_owned(), json!(0.001))].into_iter().collect();
    TrialKey {
        index,
        task: task.into(),
        arm: Some(arm.into()),
        point,
        seed,
        rollout: 2,
    }
}

fn matches(filter: &str) -> bool {
    let params: Params = [
        ("arch".to_owned(), json!("vit, large")),
        ("deep".to_owned(), json!(true)),
    ]
    .into_iter()
    .collect();
    Filter::parse(filter)
        .unwrap()
        .matches(&trial(5, "train", "candidate", 1072), &params)
}

#[test]
fn what_matches() {
    for filter in [
        "train",
        "cand*",
        "t????",
        "task=train",
        "arm=c*e",
        "seed=1072",
        "rollout=2",
        "lr=0.001",
        "lr=1e-3",
        "deep=true",
        "task=train, seed=1072",
        "task=train and lr=1e-3",
        "seed=1|1072",
        "seed=1, seed=1072",
        "train,candidate",
        "arch=\"vit, large\"",
        "arch=vit*",
        "5",
        "0,3,5:8",
        ":6",
        "5:",
        "all",
        ":",
        "ALL",
        "task=train,4:6",
        "x|train",
        " task = train ",
        "arm=\"candidate\" and 5",
        "arch=\"vit, \"l*",
        "arch=x|\"vit, large\"",
    ] {
        assert!(matches(filter), "{filter}");
    }
}

#[test]
fn what_does_not_match() {
    for filter in [
        "eval",
        "task=candidate",
        "arm=train",
        "seed=107",
        "rollout=0",
        "lr=0.01",
        "width=3",
        "train,control",
        "4",
        "6:",
        ":5",
        "0,3",
        "task=train,4",
        "TRAIN",
        "task=train and seed=1",
        "arch=\"vit*\"",
        "\"5\"",
        "arch=\"\"",
    ] {
        assert!(!matches(filter), "{filter}");
    }
}

#[test]
fn what_is_wrong_is_said_with_the_grammar() {
    for (filter, start) in [
        ("", "the filter is empty"),
        (" , ", "the filter is empty"),
        (
            "task=a,,arm=b",
            "a condition is missing near `task=a,,arm=b`",
        ),
        ("task=", "`task=` is not a condition"),
        ("=3", "`=3` is not a condition"),
        ("task=a|", "`task=a|` is not a condition"),
        ("seed=many", "`seed` is a whole number, `many` is not"),
        ("a=\"b", "a quotation mark is not closed"),
        ("1:2:3", "1:2:3 is not a valid selection."),
    ] {
        let message = Filter::parse(filter).unwrap_err().to_string();
        assert!(message.starts_with(start), "{filter}: {message}");
        assert!(message.contains("task=GLOB"), "{message}");
    }
}

#[test]
fn places_are_checked_against_the_plan() {
    let filter = Filter::parse("task=train,8:12").unwrap();
    assert!(matches!(
        filter.check_places(10),
        Err(FilterError::Places(_))
    ));
    assert_eq!(filter.check_places(12), Ok(()));
    assert_eq!(
        Filter::parse("lr=3,task=a")
            .unwrap()
            .parameter_names()
            .collect::<Vec<_>>(),
        ["lr"]
    );
}

/// Whether a filter for exactly this value of `w` finds it, and another one.
fn finds(value: &str, other: &str) -> (bool, bool) {
    let filter = Filter::parse(&format!("{}={}", filter_word("w"), filter_word(value))).unwrap();
    let found = |value: &str| {
        let params = [("w".to_owned(), json!(value))].into_iter().collect();
        filter.matches(&trial(1, "a", "b", 1), &params)
    };
    (found(value), found(other))
}

#[test]
fn a_word_for_a_filter_means_itself() {
    for (value, other) in [
        ("relu|gelu", "relu"),
        ("a,b", "a"),
        ("it's, \"a|b\" and *", "x"),
        ("*", "x"),
        ("a?", "ab"),
        ("C:\\", "C:"),
        ("\\\"", "\""),
        ("", "x"),
        (" x ", "x"),
        ("x and y", "x"),
        ("k=v", "v"),
    ] {
        assert_eq!(finds(value, other), (true, false), "{value}");
    }
    assert_eq!(filter_word("relu"), "relu");
    assert_eq!(filter_word("0.001"), "0.001");
}

proptest! {
    #[test]
    fn any_word_finds_itself(word in "[a-z,|*?=\"\\\\ ]{0,12}") {
        prop_assert!(finds(&word, "").0, "{} as {}", word, filter_word(&word));
    }

    #[test]
    fn any_text_is_a_filter_or_an_error(text in "\\PC{0,40}", places in "[0-9:, aland=|\"]{0,20}") {
        for text in [text, places] {
            if let Ok(filter) = Filter::parse(&text) {
                let _ = filter.matches(&trial(1, "a", "b", 1), &Params::new());
                let _ = filter.check_places(10);
            }
        }
    }
}
