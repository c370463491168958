//! What `check` accepts, `run` runs: random specs made from the schema, with `true` as every program.
//!
//! `FAIRTRIAL_SPECS=10000 cargo test -p fairtrial --test it random_specs -- --nocapture` makes more of them. A spec that is
//! refused by both is no news; one that passes `check` may end with exit code 1 only where its trials did, and with 2 only
//! for what `check` said is missing on this machine.

use crate::common::Project;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many are made where nobody says.
const USUAL: usize = 200;
const WORKERS: usize = 2;
/// Keys that need what is not here (agents, clusters, other files), or that decide what runs.
const NOT_HERE: [&str; 20] = [
    "include",
    "experiment",
    "experiments",
    "prepared_dir",
    "agent",
    "sandbox",
    "scoring",
    "setup",
    "setup_timeout",
    "judge",
    "verify_timeout",
    "pass_score",
    "apply_overrides",
    "overrides",
    "iterations",
    "instrumentation",
    "python",
    "slurm",
    "template",
    "skypilot",
];
/// Texts that a key may get which has no better example.
const TEXTS: [&str; 8] = ["a", "b", "{seed}", "{task}", "x y", "data", "1h", "é"];

/// A sequence of choices that a number begins: the same number makes the same spec.
struct Choices(u64);

impl Choices {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Makes values from the schema.
struct Maker<'a> {
    schema: &'a Value,
    choices: Choices,
}

impl Maker<'_> {
    /// A whole spec, with a program that is there.
    fn spec(&mut self) -> Value {
        let root = self.schema.clone();
        let mut spec = self.object(&root, 6);
        spec.insert("name".to_owned(), json!("random"));
        for wild in ["seeds", "seed", "rollouts", "samples"] {
            // As many trials as somebody would wait for.
            if let Some(value) = spec.get_mut(wild) {
                *value = json!(1 + self.choices.below(3));
            }
        }
        if !spec.contains_key("tasks") || spec.contains_key("command") {
            spec.remove("tasks");
            spec.insert("command".to_owned(), json!("true"));
        }
        let mut spec = Value::Object(spec);
        harmless(&mut spec);
        spec
    }

    fn value(&mut self, schema: &Value) -> Value {
        let examples = schema["examples"].as_array();
        if let Some(examples) = examples.filter(|_| self.choices.below(2) == 0) {
            return self.choices.one(examples).clone();
        }
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap();
            let of = self.schema["$defs"][name].clone();
            return Value::Object(self.object(&of, 3));
        }
        if let Some(ways) = schema["anyOf"].as_array() {
            let way = self.choices.one(ways).clone();
            return self.value(&way);
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.choices.one(words).clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => self.choices.one(kinds).clone(),
            kind => kind.clone(),
        };
        match kind.as_str().unwrap_or("string") {
            "object" => Value::Object(self.object(schema, 2)),
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(0);
                let items = usize::try_from(least).unwrap() + self.choices.below(2);
                (0..items).map(|_| self.value(&schema["items"])).collect()
            }
            "integer" => json!(schema["minimum"].as_u64().unwrap_or(0) + self.choices.next() % 3),
            "number" => json!(*self.choices.one(&[0.5, 1.0, 0.25])),
            "boolean" => json!(self.choices.below(2) == 0),
            "null" => Value::Null,
            _ => json!(*self.choices.one(&TEXTS)),
        }
    }

    /// A table with some of its keys, at most so many.
    fn object(&mut self, schema: &Value, most: usize) -> Map<String, Value> {
        let mut made = Map::new();
        let known: Vec<(String, Value)> = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| !NOT_HERE.contains(&key.as_str()))
            .map(|(key, of)| (key.clone(), of.clone()))
            .collect();
        for _ in 0..=self.choices.below(most) {
            if known.is_empty() {
                break;
            }
            let (key, of) = self.choices.one(&known).clone();
            made.insert(key, self.value(&of));
        }
        for needed in schema["required"].as_array().into_iter().flatten() {
            let key = needed.as_str().unwrap();
            if !made.contains_key(key) {
                let value = self.value(&schema["properties"][key]);
                made.insert(key.to_owned(), value);
            }
        }
        let others = &schema["additionalProperties"];
        if others.is_object() && made.is_empty() {
            for name in ["a", "b"].iter().take(1 + self.choices.below(2)) {
                made.insert((*name).to_owned(), self.value(others));
            }
        }
        made
    }
}

/// Every program is `true`, and nothing asks for another machine or for more than a moment.
fn harmless(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !NOT_HERE.contains(&key.as_str()));
            for (key, value) in map.iter_mut() {
                match key.as_str() {
                    "command" | "on_finish" | "on_failure" => *value = json!("true"),
                    "engine" => *value = json!("local"),
                    // A folder that depends on the trial may be made by a task before it, which nobody can know.
                    "workdir" | "cwd" => *value = json!("{dir}"),
                    // A metric that `true` does not report is no fault of the spec.
                    "required" => *value = json!(false),
                    "from" if value.is_string() => {}
                    _ => harmless(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(harmless),
        _ => {}
    }
}

/// What came of one spec.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    Refused,
    NotHere,
    Ran,
}

/// Whether everything that `run` refuses was a warning of `check`.
fn was_told(refused: &str, warned: &str) -> bool {
    let errors = refused
        .lines()
        .filter_map(|line| line.strip_prefix("error: "));
    let mut errors = errors.filter(|error| !error.ends_with("nothing was run"));
    let told = |error: &str| warned.contains(error);
    errors.next().is_some_and(told) && errors.all(told)
}

fn try_one(schema: &Value, seed: u64) -> Came {
    let mut maker = Maker {
        schema,
        choices: Choices(seed),
    };
    let spec = serde_json::to_string_pretty(&maker.spec()).unwrap();
    let project = Project::new();
    project.write("spec.json", &spec);
    let checked = project.run(&["check", "spec.json"]);
    if checked.code != 0 {
        assert_eq!(checked.code, 2, "spec {seed}\n{spec}\n{}", checked.err);
        return Came::Refused;
    }
    let ran = project.run(&["run", "spec.json"]);
    if ran.code == 2 && was_told(&ran.err, &checked.err) {
        return Came::NotHere;
    }
    assert!(
        ran.code <= 1,
        "`check` accepts it, `run` ends with {} (spec {seed}):\n{spec}\n{}\n{}",
        ran.code,
        ran.out,
        ran.err
    );
    Came::Ran
}

#[test]
fn what_check_accepts_runs() {
    let wanted = std::env::var("FAIRTRIAL_SPECS").ok();
    let wanted = wanted.map_or(USUAL, |text| text.parse().expect("a number of specs"));
    let schema = crate::docs::repository("docs/reference/spec.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let (next, ran) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= wanted {
                        return;
                    }
                    if try_one(&schema, seed as u64) == Came::Ran {
                        ran.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let ran = ran.into_inner();
    println!("{wanted} specs, of which check accepts {ran}, and all of these run");
    assert!(
        ran * 10 >= wanted,
        "of {wanted} specs only {ran} are accepted"
    );
}
