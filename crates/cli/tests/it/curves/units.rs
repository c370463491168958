//! Margins and numbers in one unit.

use super::lab::{COMMAND, analyzed, compared, fairtrial, json, ran, verdict};

/// A share that loses 0.008 for the candidate: 0.8 percent points.
const SHARE: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    level = 0.5 + (seed * 7 % 11) / 1000 - (arm == "candidate" ? 0.008 + (seed * 5 % 7) / 10000 : 0)
    for (step = 1; step <= 20; step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, level + step / 1000) > file
}
"#;

#[test]
fn a_margin_is_held_against_numbers_in_its_own_unit() {
    let spec = |more: &str| {
        format!(
            "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nsummary = \"auc\"\n{more}"
        )
    };
    let folder = ran(SHARE, &spec("convert = \"share to %\"\nmargin = 0.5"));
    assert_eq!(verdict(&compared(folder.path(), &[])), "regressed");
    let found = json(&analyzed(folder.path(), &[]));
    assert_eq!(verdict(&found["comparison"]), "regressed");
    let effect = found["comparison"]["effect"]["absolute"]["value"]
        .as_f64()
        .unwrap();
    assert!((effect + 0.83).abs() < 0.05, "{effect}");
    // A slope is far below 0.5 whatever happens.
    let slope = json(&fairtrial(
        folder.path(),
        &[
            "analyze",
            "--json",
            "--metric",
            "reward",
            "--summary.type",
            "slope",
            "--control-run-ids",
            "t:control",
            "--candidate-run-ids",
            "t:candidate",
        ],
    ));
    assert_ne!(verdict(&slope["comparison"]), "equivalent");
    let notes = slope["notes"].to_string();
    assert!(
        notes.contains("the declared margin 0.5 is about the metric's values"),
        "{notes}"
    );
}

#[test]
fn all_numbers_of_a_page_are_on_one_scale() {
    let spec = format!(
        "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nsummary = \"auc\"\n\
         reference = [0.0, 20.0]"
    );
    let folder = ran(SHARE, &spec);
    let found = json(&analyzed(folder.path(), &[]));
    let [verdict, bootstrap] = [
        &found["comparison"]["effect"]["absolute"]["value"],
        &found["bootstrap"]["estimate"],
    ]
    .map(|value| value.as_f64().unwrap());
    assert!((verdict - bootstrap).abs() < 1e-12, "{verdict} {bootstrap}");
}
