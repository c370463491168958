//! Makes a spec from the schema and a number: the same number makes the same spec.

use fairtrial_spec::PROFILES;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Keys that need other files, other machines or a model behind an address.
const NEVER: [&str; 6] = [
    "include",
    "experiments",
    "judge",
    "python",
    "overrides",
    "apply_overrides",
];
/// Keys of tasks with an agent alone.
const AGENT: [&str; 7] = [
    "agent",
    "sandbox",
    "scoring",
    "setup",
    "setup_timeout",
    "verify_timeout",
    "pass_score",
];
/// Keys of registered experiments alone.
const EXPERIMENT: [&str; 2] = ["iterations", "instrumentation"];
/// Texts that a key may get which has no better example.
const TEXTS: [&str; 8] = ["a", "b", "{seed}", "{task}", "x y", "data", "1h", "é"];

/// What a task of the spec is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Command,
    Experiment,
    Agent,
}

/// Where its trials run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Engine {
    Local,
    /// A scheduler of plain shell.
    Template,
    /// Not here, so that only what would be submitted is made.
    Elsewhere,
}

/// A sequence of choices that a number begins.
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
pub(super) struct Maker<'a> {
    schema: &'a Value,
    choices: Choices,
    pub(super) kind: Kind,
    pub(super) engine: Engine,
}

impl<'a> Maker<'a> {
    pub(super) fn new(schema: &'a Value, seed: u64) -> Self {
        let mut choices = Choices(seed);
        let kind = match choices.below(20) {
            0 => Kind::Agent,
            1 | 2 => Kind::Experiment,
            _ => Kind::Command,
        };
        let engine = match choices.below(40) {
            0 => Engine::Template,
            1..=3 => Engine::Elsewhere,
            _ => Engine::Local,
        };
        Self {
            schema,
            choices,
            kind,
            engine,
        }
    }

    /// A whole spec, with a program that is there.
    pub(super) fn spec(&mut self) -> Value {
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
            spec.insert("command".to_owned(), Value::Null);
        }
        self.place(&mut spec);
        let mut spec = Value::Object(spec);
        self.harmless(&mut spec);
        spec
    }

    /// The engine that was chosen, with some of its keys.
    fn place(&mut self, spec: &mut Map<String, Value>) {
        let table = self.schema["$defs"]["engine"].clone();
        let mut engine = self.object(&table, 3);
        let elsewhere = ["slurm", "template", "skypilot", "kubernetes"];
        let elsewhere: Vec<&str> = elsewhere.into_iter().chain(PROFILES).collect();
        engine.retain(|key, _| !elsewhere.contains(&key.as_str()));
        let kind = match self.engine {
            Engine::Local if !spec.contains_key("engine") => return,
            Engine::Local => "local",
            Engine::Template => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR"));
                let script = script.join("tests/it/template_engine/scheduler.sh");
                let call = |rest: &str| format!("{} {rest}", script.display());
                let own = json!({
                    "submit": call("submit {key} {script} {count}"), "handle": "job (\\d+)",
                    "find": call("find {key}"), "poll": call("poll {handles}"), "cancel": call("cancel {handle}"),
                    "states": {"R": "running", "D": "done", "E": "failed"},
                });
                engine.insert("template".to_owned(), own);
                engine.insert("poll".to_owned(), json!("200ms"));
                "template"
            }
            Engine::Elsewhere => {
                let kind = *self.choices.one(&["slurm", "skypilot", "kubernetes"]);
                let table = self.schema["$defs"][kind].clone();
                let mut own = self.object(&table, 3);
                if kind == "kubernetes" {
                    own.insert("image".to_owned(), json!("bench:1"));
                    own.insert("volume".to_owned(), json!({ "claim": "c", "path": "/c" }));
                }
                engine.insert(kind.to_owned(), Value::Object(own));
                kind
            }
        };
        engine.remove("program");
        engine.insert("kind".to_owned(), json!(kind));
        spec.insert("engine".to_owned(), Value::Object(engine));
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
            .filter(|(key, _)| self.may_have(key))
            .map(|(key, of)| (key.clone(), of.clone()))
            .collect();
        for _ in 0..=self.choices.below(most) {
            if known.is_empty() {
                break;
            }
            let (key, of) = self.choices.one(&known).clone();
            let value = self.value(&of);
            // A process measures for as long as that says.
            let is_wait = key == "min_time";
            made.insert(key, if is_wait { json!("20ms") } else { value });
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

    fn may_have(&self, key: &str) -> bool {
        let of_another = (self.kind != Kind::Agent && AGENT.contains(&key))
            || (self.kind != Kind::Experiment && EXPERIMENT.contains(&key));
        !of_another && !NEVER.contains(&key)
    }

    /// Every program is `true`, and nothing asks for more than a moment.
    fn harmless(&mut self, value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|key, _| self.may_have(key));
                self.work(map);
                for (key, value) in map.iter_mut() {
                    match key.as_str() {
                        "on_finish" | "on_failure" | "setup" => *value = json!("true"),
                        // The kinds of work and of engine are chosen once for the whole spec.
                        "engine" | "prepared_dir" | "experiment" | "command" => {}
                        "agent" => *value = json!({"command": "true"}),
                        "reporters" => *value = json!([{"command": "true"}]),
                        "sandbox" => *value = json!("process"),
                        // A metric that `true` does not report is no fault of the spec.
                        "required" => *value = json!(false),
                        "from" if value.is_string() => {}
                        _ => self.harmless(value),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.harmless(item)),
            _ => {}
        }
    }

    /// Puts work of the chosen kind in the place of a command.
    fn work(&mut self, map: &mut Map<String, Value>) {
        let named = ["command", "experiment", "prepared_dir"];
        let has = named.into_iter().any(|key| map.contains_key(key));
        if !has {
            return;
        }
        for key in named {
            map.remove(key);
        }
        let (key, value) = match self.kind {
            Kind::Command => ("command", self.command(map)),
            Kind::Experiment => ("experiment", json!("noop")),
            Kind::Agent => {
                map.insert("agent".to_owned(), Value::Null);
                map.insert("sandbox".to_owned(), Value::Null);
                ("prepared_dir", json!("tasks/sum"))
            }
        };
        map.insert(key.to_owned(), value);
    }

    /// A command that does nothing, with placeholders of every form.
    fn command(&mut self, map: &mut Map<String, Value>) -> Value {
        let words = [
            "{seed}",
            "{list...}",
            "--l={list...}",
            "{maybe?--maybe=}",
            "{seed:q}",
            "{arm}",
            "{dir}/x",
            "${HOME}",
        ];
        let mut command = vec![json!("true")];
        for _ in 0..self.choices.below(4) {
            let word = *self.choices.one(&words);
            if word.contains("list") {
                let params = map.entry("params").or_insert_with(|| json!({}));
                if !params.is_object() {
                    *params = json!({});
                }
                params["list"] = json!([1, "a b"]);
            }
            command.push(json!(word));
        }
        match self.choices.below(2) {
            0 => json!(command),
            _ => json!("true"),
        }
    }
}
