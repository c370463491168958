//! What one iteration reports, each name once: the word of the experiment comes before that of an instrument.

use fairtrial_experiment::protocol::Sample;
use fairtrial_model::{CPU, DURATION, Leaf, WORKER_CLOCKS, each_leaf, is_cases};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Goes before the name of an instrument's value that the experiment uses already.
const OF_INSTRUMENT: &str = "instrument.";
/// More remarks than this say the same.
const MOST_REMARKS: usize = 5;

/// Numbers by name, in the order in which they were reported.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) found: Vec<(Cow<'static, str>, f64)>,
    /// What a reader of them should know: names that came twice, values that are no numbers.
    pub(crate) remarks: Vec<String>,
}

impl Numbers {
    /// Adds every number of a table under its path. Where a name comes twice the first counts: a mean over both would be
    /// of neither.
    pub(crate) fn take(&mut self, path: &str, table: &Map<String, Value>) {
        each_leaf(path, table, &mut |name, leaf| match leaf {
            Leaf::Number(number) => self.add(name, number),
            Leaf::Other(Value::Array(items)) if is_cases(&name) && !items.is_empty() => {
                let remark = format!("{name}: not used, each needs its labels: \"case\": {{…}}");
                self.remarks.push(remark);
            }
            // Rows of a table are there to be read, not to be averaged.
            Leaf::Other(Value::Array(items)) if !items.iter().all(Value::is_object) => {
                let remark = format!("{name}: a list, which is no number");
                self.remarks.push(remark);
            }
            Leaf::Other(_) => {}
        });
    }

    fn add(&mut self, name: String, value: f64) {
        // A plain key cannot come twice from one table.
        if (name.contains('.') || name.ends_with('}')) && self.has(&name) {
            let remark = format!("{name}: reported twice in one iteration, the first value counts");
            self.remarks.push(remark);
        } else {
            self.found.push((name.into(), value));
        }
    }

    fn has(&self, name: &str) -> bool {
        self.found.iter().any(|(known, _)| known == name)
    }
}

/// The numbers of one sample. The duration is what the worker measured, unless the experiment itself reports one.
pub(crate) fn numbers_of(sample: &Sample) -> Numbers {
    let mut numbers = Numbers::default();
    numbers.take("", &sample.metrics);
    if !numbers.has(DURATION) {
        numbers.found.insert(0, (DURATION.into(), sample.wall_s()));
    }
    if let Some(cpu) = sample.cpu_s()
        && !numbers.has(CPU)
    {
        numbers.found.push((CPU.into(), cpu));
    }
    let (instruments, shared) = of_instruments(sample);
    numbers.take("", &instruments);
    let shared = shared.iter().map(|name| beside(name));
    numbers.remarks.extend(shared);
    numbers
}

/// What instruments inside the worker found, and which of their names they share with the experiment or its times. Those
/// go under another name: an instrument observes and does not answer for the experiment.
pub(crate) fn of_instruments(sample: &Sample) -> (Cow<'_, Map<String, Value>>, Vec<&str>) {
    if sample.instruments.is_empty() {
        return (Cow::Borrowed(&sample.instruments), Vec::new());
    }
    let mut own = Numbers::default();
    own.take("", &sample.metrics);
    let is_taken = |name: &str, value: &Value| {
        let mut theirs = Numbers::default();
        theirs.take("", &Map::from_iter([(name.to_owned(), value.clone())]));
        let mut names = theirs.found.iter().map(|(name, _)| name.as_ref());
        WORKER_CLOCKS.contains(&name)
            || sample.metrics.contains_key(name)
            || names.any(|name| own.has(name))
    };
    let mut shared = Vec::new();
    let mut settled = Map::new();
    for (name, value) in &sample.instruments {
        if is_taken(name, value) {
            shared.push(name.as_str());
            settled.insert(format!("{OF_INSTRUMENT}{name}"), value.clone());
        } else {
            settled.insert(name.clone(), value.clone());
        }
    }
    (Cow::Owned(settled), shared)
}

/// That a name is the experiment's, and what an instrument's value of that name is called.
fn beside(name: &str) -> String {
    format!("{name}: the experiment's own, an instrument's is {OF_INSTRUMENT}{name}")
}

/// Puts what an instrument outside of the worker found into what the experiment reports, under a name of its own; that is
/// told where it is not the one that it came with.
pub(crate) fn put_beside(
    metrics: &mut Map<String, Value>,
    name: String,
    value: Value,
) -> Option<String> {
    if !metrics.contains_key(&name) {
        metrics.insert(name, value);
        return None;
    }
    metrics.insert(format!("{OF_INSTRUMENT}{name}"), value);
    Some(beside(&name))
}

/// What a reader of the numbers should know, each remark once.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    told: Vec<String>,
    more: bool,
}

impl Remarks {
    /// Adds those of an iteration.
    pub(crate) fn take(&mut self, remarks: Vec<String>) {
        for remark in remarks {
            if self.told.contains(&remark) {
                continue;
            }
            if self.told.len() < MOST_REMARKS {
                self.told.push(remark);
            } else {
                self.more = true;
            }
        }
    }

    /// In words; nothing where all is as it seems.
    pub(crate) fn words(mut self) -> Option<String> {
        if self.more {
            self.told.push("and more of the kind".to_owned());
        }
        (!self.told.is_empty()).then(|| self.told.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::numbers_of;
    use crate::aggregate::Described;
    use fairtrial_experiment::protocol::Sample;
    use serde_json::{Value, json};

    fn sample(metrics: &Value, instruments: &Value) -> Sample {
        let table = |value: &Value| value.as_object().cloned().unwrap_or_default();
        Sample {
            wall_ns: 2_000_000_000,
            metrics: table(metrics),
            instruments: table(instruments),
            ..Sample::default()
        }
    }

    fn mean(samples: &[Sample], name: &str) -> Option<f64> {
        let all = Described::of(samples).metrics;
        all.iter()
            .find(|(known, _)| known == name)
            .map(|(_, of)| of.mean)
    }

    #[test]
    fn a_case_that_comes_twice_counts_once_and_one_without_labels_is_told() {
        let twice = json!({"cases": [
            {"case": {"size": 1}, "rows": 5}, {"case": {"size": 1.0}, "rows": 9},
        ]});
        let samples = [sample(&twice, &json!({}))];
        assert_eq!(mean(&samples, "rows{size=1}"), Some(5.0));
        let said = numbers_of(&samples[0]).remarks;
        assert!(said[0].contains("reported twice"), "{said:?}");
        let unlabelled = json!({"cases": [{"case": "small", "rows": 5}]});
        let said = numbers_of(&sample(&unlabelled, &json!({}))).remarks;
        assert!(said[0].starts_with("cases: not used"), "{said:?}");
    }

    #[test]
    fn an_instrument_does_not_answer_for_the_experiment() {
        let metrics = json!({"items": 10, "deep": {"x": 1}});
        let found = json!({"items": 1000, "duration_s": 77, "cpu_s": 5, "deep.x": 9, "free": 3});
        let samples = [sample(&metrics, &found)];
        let values = [
            ("items", 10.0),
            ("instrument.items", 1000.0),
            ("duration_s", 2.0),
            ("instrument.duration_s", 77.0),
            ("deep.x", 1.0),
            ("instrument.deep.x", 9.0),
            ("free", 3.0),
        ];
        for (name, value) in values {
            assert_eq!(mean(&samples, name), Some(value), "{name}");
        }
        // The worker did not measure it, and the instrument's is not its.
        assert_eq!(mean(&samples, "cpu_s"), None);
        let told = Described::of(&samples).remarks.unwrap_or_default();
        let first =
            "items: the experiment's own, an instrument's is instrument.items; duration_s: ";
        assert!(told.starts_with(first), "{told}");
    }

    #[test]
    fn of_a_name_that_comes_twice_the_first_counts() {
        let samples = [sample(&json!({"a.b": 1, "a": {"b": 2}}), &json!({}))];
        assert_eq!(mean(&samples, "a.b"), Some(1.0));
        assert_eq!(
            Described::of(&samples).remarks.as_deref(),
            Some("a.b: reported twice in one iteration, the first value counts")
        );
    }

    #[test]
    fn a_list_is_told_and_words_are_not() {
        let samples = [sample(&json!({"l": [1, 2], "mode": "fast"}), &json!({}))];
        assert_eq!(numbers_of(&samples[0]).found.len(), 1);
        assert_eq!(
            Described::of(&samples).remarks.as_deref(),
            Some("l: a list, which is no number")
        );
    }
}
