//! What is packed is read back to the last bit, whatever a program wrote.

use crate::lab::Trial;
use fairtrial_series::Reading;
use proptest::prelude::*;

/// What programs write for a number.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => any::<f64>().prop_filter("JSON has no word for others", |it| it.is_finite()).prop_map(|it| format!("{it:?}")),
        8 => (-1000i32..1000).prop_map(|it| it.to_string()),
        1 => Just("NaN".to_owned()),
        1 => Just("\"NaN\"".to_owned()),
        1 => Just("\"-inf\"".to_owned()),
        1 => Just("\"words\"".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("-0.0".to_owned()),
        1 => Just("1e400".to_owned()),
        1 => Just("[1, {\"step\": 2}]".to_owned()),
    ]
}

fn key() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        8 => Just("step"),
        8 => Just("loss"),
        8 => Just("reward"),
        1 => Just("global_step"),
        1 => Just("epoch"),
        1 => Just("l\\u006fss"),
        1 => Just("other"),
    ]
}

fn line() -> impl Strategy<Value = String> {
    let object = proptest::collection::vec((key(), number()), 0..5).prop_map(|cells| {
        let cells: Vec<String> = cells
            .iter()
            .map(|(key, it)| format!("\"{key}\": {it}"))
            .collect();
        format!("{{{}}}\n", cells.join(", "))
    });
    let point = (0u32..500, number())
        .prop_map(|(step, it)| format!("{{\"step\": {step}, \"loss\": {it}}}\n"));
    prop_oneof![
        6 => object,
        6 => point,
        1 => Just("\n".to_owned()),
        1 => Just("half a line {\"step\": 3\n".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn packed_and_unpacked_are_the_same(lines in proptest::collection::vec(line(), 1..40)) {
        // Words that are nobody's metric make the file long.
        let long = format!("{{\"words\": \"{}\"}}\n", "x".repeat(70_000));
        let text = lines.concat() + &long;
        let metrics = ["loss", "reward", "step", "absent"];
        let trial = Trial::reported(&text, &metrics);
        let files = trial.read(&metrics, Reading::Files);
        trial.curves().pack();
        prop_assert_eq!(&trial.read(&metrics, Reading::Columns), &files);
        prop_assert_eq!(&trial.read(&metrics, Reading::Columns), &files);
    }
}
