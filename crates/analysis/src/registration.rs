//! Registered plans: what was decided before the data, under a hash, and where an analysis deviates from it.
//!
//! The frozen plan is plain JSON with sorted keys. Two plans are compared leaf by leaf, so that a deviation names the
//! very value that changed.

use crate::summary::MISSING_RULE;
use crate::validity::Floor;
use fairtrial_journal::Opened;
use fairtrial_model::{Sha256, UtcTime, hex};
use fairtrial_spec::Spec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Version of the registration's form.
pub const REGISTRATION_SCHEMA: u32 = 1;

/// A plan as it was registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    /// [`REGISTRATION_SCHEMA`].
    pub schema: u32,
    /// When.
    pub registered_at: UtcTime,
    /// Version of Fairtrial.
    pub fairtrial: String,
    /// SHA-256 of the plan's canonical text.
    pub hash: String,
    /// The plan: metric, arms, margin, alpha, stopping rule, exclusions, and what is run.
    pub plan: Value,
}

/// Why a registration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    /// Not the form.
    #[error("not a registered plan: {0}")]
    Form(String),
    /// A later version's.
    #[error("its form is {0}, this version reads {REGISTRATION_SCHEMA}")]
    Schema(u32),
    /// The plan was edited after it was registered.
    #[error(
        "the plan in it was changed after it was registered: its hash is {found}, it says {said}"
    )]
    Hash {
        /// The hash of the plan that is there.
        found: String,
        /// The hash that it says.
        said: String,
    },
}

/// Whether an analysis is the registered one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Registered {
    /// Nothing was registered.
    No,
    /// Everything is as registered.
    AsRegistered {
        /// The plan's hash.
        hash: String,
        /// When it was registered.
        registered_at: UtcTime,
    },
    /// Something is not.
    Deviates {
        /// The plan's hash.
        hash: String,
        /// When it was registered.
        registered_at: UtcTime,
        /// What.
        deviations: Vec<Deviation>,
    },
    /// There was a registration, and it cannot be trusted.
    Broken {
        /// Why.
        why: String,
    },
}

/// One thing that is not as registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deviation {
    /// What.
    pub what: String,
    /// As registered; absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered: Option<String>,
    /// As used; absent where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<String>,
}

impl Registration {
    /// Freezes a spec's plan.
    pub fn new(spec: &Spec, registered_at: UtcTime, version: &str) -> Self {
        let plan = frozen(spec);
        Self {
            schema: REGISTRATION_SCHEMA,
            registered_at,
            fairtrial: version.to_owned(),
            hash: hash(&plan),
            plan,
        }
    }

    /// Reads a registration and checks that its plan is the one that was hashed.
    pub fn read(text: &[u8]) -> Result<Self, RegistrationError> {
        let read: Self = serde_json::from_slice(text)
            .map_err(|error| RegistrationError::Form(error.to_string()))?;
        if read.schema > REGISTRATION_SCHEMA {
            return Err(RegistrationError::Schema(read.schema));
        }
        let found = hash(&read.plan);
        if found != read.hash {
            return Err(RegistrationError::Hash {
                found,
                said: read.hash,
            });
        }
        Ok(read)
    }

    /// Where a spec's plan differs.
    pub fn deviations(&self, spec: &Spec) -> Vec<Deviation> {
        differences(&self.plan, &frozen(spec))
    }
}

/// Where one value differs from another, leaf by leaf.
pub(crate) fn differences(registered: &Value, used: &Value) -> Vec<Deviation> {
    let (registered, used) = (leaves(registered), leaves(used));
    let mut names: Vec<&String> = registered.keys().chain(used.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differ = |name: &&String| registered.get(*name) != used.get(*name);
    names
        .into_iter()
        .filter(differ)
        .map(|name| Deviation {
            what: name.clone(),
            registered: registered.get(name).cloned(),
            used: used.get(name).cloned(),
        })
        .collect()
}

/// What a run made of the registration that it was started with.
pub fn registered(file: Option<&[u8]>, spec: &Spec, opened: Option<&Opened>) -> Registered {
    let said = opened.and_then(|opened| opened.registration_sha256.as_deref());
    let broken = |why: String| Registered::Broken { why };
    let text = match (file, said) {
        (None, None) => return Registered::No,
        (None, Some(_)) => {
            return broken("the run was started with a registered plan, which is gone".to_owned());
        }
        (Some(text), Some(said)) if digest(text) != said => {
            return broken("the registered plan was changed after the run was started".to_owned());
        }
        (Some(_), None) => {
            return broken("the registered plan was added after the run was started".to_owned());
        }
        (Some(text), Some(_)) => text,
    };
    match Registration::read(text) {
        Err(error) => broken(error.to_string()),
        Ok(registration) => judged(&registration, spec, opened),
    }
}

fn judged(registration: &Registration, spec: &Spec, opened: Option<&Opened>) -> Registered {
    let mut deviations = registration.deviations(spec);
    if let Some(only) = opened.and_then(|opened| opened.only.as_deref()) {
        deviations.push(Deviation {
            what: "trials that were run".to_owned(),
            registered: Some("all".to_owned()),
            used: Some(format!("only {only}")),
        });
    }
    if let Some(opened) = opened.filter(|opened| opened.created_at < registration.registered_at) {
        deviations.push(Deviation {
            what: "time of registration".to_owned(),
            registered: Some(registration.registered_at.to_string()),
            used: Some(format!("the run began before, at {}", opened.created_at)),
        });
    }
    let (hash, registered_at) = (registration.hash.clone(), registration.registered_at);
    if deviations.is_empty() {
        Registered::AsRegistered {
            hash,
            registered_at,
        }
    } else {
        Registered::Deviates {
            hash,
            registered_at,
            deviations,
        }
    }
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hash(plan: &Value) -> String {
    digest(sorted(plan).to_string().as_bytes())
}

/// The part of a spec that decides what is measured, compared and concluded. Paths, notes and the number of slots are
/// not in it.
fn frozen(spec: &Spec) -> Value {
    let arms: Map<String, Value> = spec
        .arms
        .iter()
        .map(|arm| (arm.name.clone(), json!(arm.params)))
        .collect();
    let metrics: Map<String, Value> = spec
        .metrics
        .iter()
        .map(|metric| (metric.name.clone(), json!(metric)))
        .collect();
    let tasks: Vec<Value> = spec.tasks.iter().map(task).collect();
    let mut plan = json!({
        "name": spec.name,
        "arms": arms,
        "control": spec.control(),
        "metric": spec.primary_metric(),
        "metrics": metrics,
        "alpha": spec.analysis.alpha(),
        "stop": spec.analysis.stop,
        "confirm": spec.analysis.confirm,
        "equal": spec.equal,
        "seeds": spec.seeds,
        "sweep": spec.sweep,
        "order": spec.order,
        "order_seed": spec.order_seed,
        "budget": spec.budget,
        "tasks": tasks,
        "exclusions": { "missing": MISSING_RULE },
    });
    if let Some(floor) = Floor::of(spec) {
        plan["exclusions"]["valid"] = floor.share.into();
    }
    sorted(&plan)
}

fn task(task: &fairtrial_spec::Task) -> Value {
    json!({
        "id": task.id,
        "work": task.work,
        "arm": task.arm,
        "arms": task.arms,
        "rollouts": task.rollouts,
        "seeds": task.seeds,
        "params": task.params,
        "sweep": task.sweep,
        "env": task.env,
        "limits": task.limits,
        "retries": task.retries,
        "needs": task.needs,
    })
}

/// The same value with sorted keys: the text of a value must not depend on how it was read.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<&String, Value> = map
                .iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            let entries = ordered.into_iter().map(|(key, value)| (key.clone(), value));
            Value::Object(entries.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Every leaf by its path, `metrics.reward.margin.relative`; a list is one leaf where its items are plain.
fn leaves(value: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(value, "", &mut found);
    found
}

fn collect(value: &Value, path: &str, found: &mut BTreeMap<String, String>) {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match value {
        Value::Null => {}
        Value::Object(map) => {
            for (name, value) in map {
                collect(value, &below(name), found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (place, value) in items.iter().enumerate() {
                collect(value, &below(&place.to_string()), found);
            }
        }
        Value::String(text) => {
            found.insert(path.to_owned(), text.clone());
        }
        other => {
            found.insert(path.to_owned(), other.to_string());
        }
    }
}
