//! Cases of one experiment: many settings inside one iteration, each with the same metrics. The setting is a label of a
//! metric and no part of its name, so that tables, charts and comparisons can put the same metric side by side.

use crate::params::Params;
use crate::worker_clock::{CPU, DURATION, PACED};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The key under which an iteration reports its cases: a list of tables, each with its labels under [`LABELS`].
const CASES: &str = "cases";
/// The key of a case's labels.
const LABELS: &str = "case";

/// Whether a name is the one under which cases are reported, by itself or at the end of a path.
pub fn is_cases(name: &str) -> bool {
    name.rsplit('.').next() == Some(CASES)
}

/// The cases that stand under a key, each with its labels and its metrics; nothing where it holds something else.
pub(crate) fn cases_under<'a>(key: &str, value: &'a Value) -> Option<Vec<Case<'a>>> {
    let list = value.as_array().filter(|_| is_cases(key))?;
    let case = |item: &'a Value| {
        let table = item.as_object()?;
        let labels = table.get(LABELS)?.as_object()?;
        Some(Case { labels, table })
    };
    list.iter().map(case).collect()
}

/// One case of an iteration.
pub(crate) struct Case<'a> {
    labels: &'a Map<String, Value>,
    table: &'a Map<String, Value>,
}

impl<'a> Case<'a> {
    /// What it reports besides its labels.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.table.iter().filter(|(name, _)| *name != LABELS)
    }

    /// The name of one of its metrics: `rows_per_s{storage=disk size=100}`.
    pub(crate) fn name(&self, metric: &str) -> String {
        let label = |(name, value): (&String, &Value)| match value.as_f64() {
            // 1.0 is the case 1; whole numbers keep all their digits.
            Some(number) if value.is_f64() => format!("{}={number}", word(name)),
            _ => format!("{}={}", word(name), word(&Params::display(value))),
        };
        let labels: Vec<String> = self.labels.iter().map(label).collect();
        format!("{metric}{{{}}}", labels.join(" "))
    }
}

/// A text as one word of a case: in quotation marks where it could be read as several, or as a label of its own.
fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |of: char| !(of.is_whitespace() || of.is_control() || "=\"".contains(of));
    match text {
        "" => "\"\"".into(),
        plain if plain.chars().all(is_plain) => plain.into(),
        odd => Value::from(odd).to_string().into(),
    }
}

/// A metric's name without its case, and the case: `rows_per_s` and `storage=disk size=100`.
pub fn without_case(name: &str) -> (&str, Option<&str>) {
    let parts = name.strip_suffix('}').and_then(|it| it.split_once('{'));
    match parts {
        Some((metric, case)) if !metric.is_empty() => (metric, Some(case)),
        _ => (name, None),
    }
}

/// Whether a metric without a declared unit is a time, by its name: those that a worker measures.
pub fn is_time_name(name: &str) -> bool {
    let (name, _) = without_case(name);
    name.ends_with(DURATION) || [CPU, PACED].contains(&name)
}

/// What names of times end in.
const TIME_ENDS: [&str; 8] = ["s", "sec", "seconds", "ms", "us", "ns", "min", "hours"];

/// Whether the name of a metric says that it is a time, as `latency_ms` does and `rows_per_s` does not. A comparison still
/// asks for a declared unit, which nobody chose by accident.
pub fn ends_in_time_unit(name: &str) -> bool {
    let (name, _) = without_case(name);
    let end = name.rsplit_once('_').map(|(_, end)| end);
    end.is_some_and(|end| TIME_ENDS.contains(&end)) && !name.contains("_per_")
}

#[cfg(test)]
mod tests {
    use super::{cases_under, ends_in_time_unit, is_time_name, without_case};

    #[test]
    fn different_cases_have_different_names() {
        let name = |labels: serde_json::Value| {
            let cases = serde_json::json!([{"case": labels, "n": 1}]);
            cases_under("cases", &cases).unwrap()[0].name("n")
        };
        let one = name(serde_json::json!({"a": "x b=y"}));
        let two = name(serde_json::json!({"a": "x", "b": "y"}));
        assert_eq!(one, r#"n{a="x b=y"}"#);
        assert_eq!(two, "n{a=x b=y}");
        let odd = name(serde_json::json!({"a": "", "the size": 1.0, "of": [1, 2], "is": true}));
        assert_eq!(odd, r#"n{a="" "the size"=1 of=[1,2] is=true}"#);
    }

    #[test]
    fn a_name_is_split_from_its_case() {
        let split = ("rows_per_s", Some("storage=disk size=100"));
        assert_eq!(without_case("rows_per_s{storage=disk size=100}"), split);
        assert_eq!(without_case("plain"), ("plain", None));
        assert_eq!(without_case("{a=1}"), ("{a=1}", None));
        assert!(is_time_name("duration_s{size=1}") && is_time_name("cpu_s"));
        assert!(!is_time_name("rows{unit=duration_s}"));
        assert!(ends_in_time_unit("latency_ms{size=1}") && ends_in_time_unit("cpu_s"));
        assert!(!ends_in_time_unit("rows_per_s") && !ends_in_time_unit("items"));
    }
}
