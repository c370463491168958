//! Reading golden files: numbers with their non-finite spellings, and closeness.

use std::path::Path;

use serde_json::Value;

/// One golden file.
pub struct Golden(pub Value);

impl Golden {
    pub fn load(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/goldens")
            .join(name);
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self(serde_json::from_str(&text).unwrap())
    }

    pub fn cases(&self) -> &Vec<Value> {
        self.0["cases"].as_array().unwrap()
    }
}

/// A number as the goldens write it: JSON, or the strings NaN, Infinity, -Infinity.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Number(n) => n.as_f64().unwrap(),
        Value::String(s) => match s.as_str() {
            "NaN" | "nan" => f64::NAN,
            "Infinity" | "inf" => f64::INFINITY,
            "-Infinity" | "-inf" => f64::NEG_INFINITY,
            other => panic!("not a number: {other}"),
        },
        other => panic!("not a number: {other}"),
    }
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// Equal within a relative tolerance (absolute below 1e-300; equal infinities and NaNs count as equal).
pub fn close(got: f64, want: f64, relative: f64) -> bool {
    if got == want || (got.is_nan() && want.is_nan()) {
        return true;
    }
    (got - want).abs() <= relative * want.abs().max(1e-300)
}

/// Asserts relative closeness with a name in the message; differences below 1e-13 are rounding: a zero
/// that the reference wrote as 1e-15.
#[track_caller]
pub fn assert_close(name: &str, got: f64, want: f64, tolerance: f64) {
    let ok = close(got, want, tolerance) || (got - want).abs() <= 1e-13;
    assert!(
        ok,
        "{name}: got {got:e}, want {want:e}, off by {:e}",
        (got - want).abs()
    );
}
