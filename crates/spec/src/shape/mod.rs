//! The shape of a spec as data: every key with its type, default and meaning.
//!
//! One table serves four readers: the checker (unknown keys, wrong types), the JSON Schema, the reference page and
//! the canonical names behind aliases. What is not in the table does not exist.

mod agent_keys;
mod analysis_keys;
mod budget_keys;
pub(crate) mod canonical;
pub(crate) mod check;
mod engine_keys;
mod hook_keys;
mod keys;
mod reference;
mod schema;
pub(crate) mod suggest;
mod table_keys;
mod task_keys;

pub(crate) use analysis_keys::SUMMARY_KINDS;
pub(crate) use keys::ROOT;
pub use reference::reference;
pub use schema::schema;
pub(crate) use table_keys::{MEASURE_KEYS, REDUCE_KEYS};
pub(crate) use task_keys::{WORK_KEYS, is_task_key};

/// A table of the spec.
#[derive(Debug)]
pub(crate) struct Section {
    /// Name of its definition in the schema and of its heading in the reference.
    pub(crate) name: &'static str,
    /// How it is called in a message: "a task".
    pub(crate) noun: &'static str,
    /// What it is for.
    pub(crate) doc: &'static str,
    /// Its keys, in groups that sections share.
    pub(crate) keys: &'static [&'static [Key]],
    /// Whether further keys with any value are allowed.
    pub(crate) open: bool,
}

/// A key of a section.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// Other spellings.
    pub(crate) aliases: &'static [&'static str],
    pub(crate) ty: Type,
    /// The default in words; empty where there is none.
    pub(crate) default: &'static str,
    pub(crate) doc: &'static str,
    /// An example value, as JSON.
    pub(crate) example: &'static str,
    pub(crate) presence: Presence,
}

/// Whether a key must or may be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Optional,
    /// `null` means the same as leaving it out.
    Nullable,
    Required,
}

/// What a value may be.
#[derive(Debug)]
pub(crate) enum Type {
    /// Any text.
    Text,
    /// Text that is not empty.
    FilledText,
    /// A name that is safe as a file name.
    Name,
    /// A benchmark's name: `[A-Za-z0-9._-]+`.
    PlainName,
    Bool,
    /// A whole number in a range, both ends included.
    Whole(u64, u64),
    /// Any number, of at least this.
    Number(f64),
    /// Above 0 and below 1.
    OpenFraction,
    /// Above 0, at most 1.
    Fraction,
    Duration(Zero),
    Bytes,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `2%` or a number.
    Margin,
    /// `exact`, `1%` or a number.
    Tolerance,
    /// Names of environment variables; `*` at the end stands for any rest.
    VariablePattern,
    /// A number that may end in `+`, for at least.
    Amount,
    /// Text, number or boolean.
    Scalar,
    /// Any value.
    Any,
    /// Axes of a sweep, with `strategy` and `samples` beside them.
    Sweep,
    /// A list with at least this many values.
    List(&'static Type, usize),
    /// A table with free keys that are names.
    Map(&'static Type, Keys),
    Section(&'static Section),
    /// The first that fits the kind of value.
    Either(&'static [Type]),
}

/// Whether a duration may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zero {
    Allowed,
    Refused,
}

/// What the free keys of a map may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Anything that is not empty.
    Free,
    /// Names that are safe as file names.
    Names,
    /// Names of environment variables.
    Variables,
}

impl Section {
    pub(crate) fn all_keys(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().flat_map(|group| group.iter())
    }

    /// The key with this name or alias.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.all_keys()
            .find(|key| key.name == name || key.aliases.contains(&name))
    }
}
