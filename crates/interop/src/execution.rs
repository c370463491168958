//! What another tool recorded, in words that all tools share: an execution with its fields, its numbers and its end.

use fairtrial_model::{Cause, Direction, Outcome, ParamValue, Params, Sha256, UtcTime};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A metric as its source has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// The unit that its numbers are given in here.
    pub unit: Option<String>,
    /// The unit that stands in the file, where that is another one.
    pub original_unit: Option<String>,
    /// Which way is better, where the tool's meaning of the number says so.
    pub direction: Option<Direction>,
    /// Whether it is what the tool is asked for; others are there for those who name them.
    pub headline: bool,
}

impl Metric {
    /// A metric of which only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: None,
            original_unit: None,
            direction: None,
            headline: false,
        }
    }

    /// Which way is better.
    #[must_use]
    pub fn better(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }

    /// What the tool is asked for.
    #[must_use]
    pub fn headline(mut self) -> Self {
        self.headline = true;
        self
    }
}

/// A metric by its place among those of a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricId(pub u32);

/// The numbers of one metric, one for each measured iteration inside an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Which metric.
    pub metric: MetricId,
    /// Its values in the order in which they were measured.
    pub values: Vec<f64>,
}

/// One execution: a process, a training run, an attempt at a task. Iterations inside it share its luck and its faults, so
/// that it is the cluster they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// The file it stands in.
    pub source: PathBuf,
    /// Everything that tells it from others or says how it was made (command, parameters, config, model, sample). Which
    /// of them is the arm, the task or the seed is decided later, see [`crate::Roles`].
    pub fields: ExecutionFields,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where it is not `ok`.
    pub cause: Option<Cause>,
    /// Numbers of the whole.
    pub metrics: Vec<(MetricId, f64)>,
    /// Numbers of the iterations inside it.
    pub samples: Vec<Samples>,
    /// When it began.
    pub started_at: Option<UtcTime>,
    /// When it ended.
    pub ended_at: Option<UtcTime>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The fields of an execution: those of its whole file, which all of its executions share, and then its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecutionFields {
    shared: Arc<SharedFields>,
    own: Params,
}

/// The fields of a whole file.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedFields {
    fields: Params,
    /// The beginning of the identity of each of its executions.
    hashed: OnceLock<Sha256>,
}

impl PartialEq for SharedFields {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl SharedFields {
    /// Names and values in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        self.fields.iter()
    }
}

/// Texts on their way into a hash, which takes them in at once, so that no two lists of texts are alike.
#[derive(Default)]
pub(crate) struct HashedTexts {
    bytes: Vec<u8>,
    digits: String,
}

impl HashedTexts {
    /// One more.
    pub(crate) fn add(&mut self, text: &str) {
        let length = text.len() as u64;
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// The bits of a number as digits.
    pub(crate) fn add_bits(&mut self, value: f64) {
        let mut digits = std::mem::take(&mut self.digits);
        digits.clear();
        // A string takes every write.
        let _ = write!(digits, "{}", value.to_bits());
        self.add(&digits);
        self.digits = digits;
    }

    /// Puts them into the hash.
    pub(crate) fn go_into(self, hash: &mut Sha256) {
        hash.update(self.bytes);
    }
}

fn with_fields<'a>(
    mut hash: Sha256,
    fields: impl Iterator<Item = (&'a str, &'a ParamValue)>,
) -> Sha256 {
    let mut texts = HashedTexts::default();
    for (name, value) in fields {
        texts.add(name);
        texts.add(&Params::text(value));
    }
    texts.go_into(&mut hash);
    hash
}

impl ExecutionFields {
    /// What is there by now, to be shared by others.
    pub(crate) fn into_shared(self) -> Self {
        let mut fields = Arc::unwrap_or_clone(self.shared).fields;
        fields.merge(&self.own);
        let hashed = OnceLock::new();
        Self {
            shared: Arc::new(SharedFields { fields, hashed }),
            own: Params::new(),
        }
    }

    /// What it shares with others.
    pub(crate) fn shared(&self) -> &Arc<SharedFields> {
        &self.shared
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&ParamValue> {
        self.own.get(name).or_else(|| self.shared.fields.get(name))
    }

    /// Adds or replaces a value.
    pub fn set(&mut self, name: impl Into<String>, value: ParamValue) {
        self.own.set(name, value);
    }

    /// Those that are its own.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        self.own.iter()
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        let replaces = self.replaces();
        let shared = self.shared.iter();
        let shared = shared.filter(move |(name, _)| !replaces || self.own.get(name).is_none());
        shared.chain(self.own.iter())
    }

    /// Whether any of its own is in the place of one that it shares.
    fn replaces(&self) -> bool {
        self.own
            .iter()
            .any(|(name, _)| self.shared.fields.get(name).is_some())
    }

    /// A hash of names and values in order. What many executions share is worked out once.
    pub(crate) fn hashed(&self) -> Sha256 {
        if self.replaces() {
            return with_fields(Sha256::new(), self.iter());
        }
        let shared = &self.shared;
        let before = || with_fields(Sha256::new(), shared.iter());
        let hash = shared.hashed.get_or_init(before).clone();
        with_fields(hash, self.own.iter())
    }
}

impl Execution {
    /// One that ended well, of which nothing else is known yet.
    pub fn of(source: impl Into<PathBuf>) -> Self {
        Self {
            source: source.into(),
            fields: ExecutionFields::default(),
            outcome: Outcome::Ok,
            cause: None,
            metrics: Vec::new(),
            samples: Vec::new(),
            started_at: None,
            ended_at: None,
            notes: Vec::new(),
        }
    }

    /// Sets a field that has text.
    pub(crate) fn set(&mut self, field: &str, text: impl Into<String>) {
        self.fields.set(field, text.into().into());
    }

    /// Sets a field that has text, where it has.
    pub(crate) fn set_some(&mut self, field: &str, text: Option<impl Into<String>>) {
        if let Some(text) = text {
            self.set(field, text);
        }
    }

    /// It failed for this reason.
    pub(crate) fn fail(&mut self, outcome: Outcome, message: impl Into<String>) {
        self.outcome = outcome;
        self.cause = Some(Cause::Said {
            message: message.into(),
            permanent: false,
        });
    }

    /// It ended with this exit code.
    pub(crate) fn exit(&mut self, code: i32) {
        if code != 0 {
            self.outcome = Outcome::Failed;
            self.cause = Some(Cause::ExitCode { code });
        }
    }
}

/// What kind of thing a [`Fact`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactKind {
    /// The machine.
    Machine,
    /// The state of the source that was measured.
    Source,
    /// The tool and how it was used.
    Tool,
}

/// Something about how a whole file was made, which two sides of a comparison should share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// What it is about.
    pub kind: FactKind,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::ExecutionFields;

    fn fields(of: &[(&str, i64)]) -> ExecutionFields {
        let mut fields = ExecutionFields::default();
        for (name, value) in of {
            fields.set(*name, (*value).into());
        }
        fields
    }

    #[test]
    fn what_is_shared_makes_no_difference_to_a_hash() {
        let mut shares = fields(&[("a", 1), ("b", 2)]).into_shared();
        shares.set("c", 3.into());
        let alone = fields(&[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!(shares.hashed().finalize(), alone.hashed().finalize());
        shares.set("a", 4.into());
        let alone = fields(&[("b", 2), ("c", 3), ("a", 4)]);
        assert_eq!(shares.hashed().finalize(), alone.hashed().finalize());
    }
}
