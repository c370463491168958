//! What describes a section of a spec: its keys, their types and their defaults.

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

pub(super) const fn key(
    name: &'static str,
    ty: Type,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        name,
        aliases: &[],
        ty,
        default,
        doc,
        example: "",
        presence: Presence::Optional,
    }
}

impl Key {
    pub(super) const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(super) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    pub(super) const fn nullable(mut self) -> Self {
        self.presence = Presence::Nullable;
        self
    }

    pub(super) const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }
}

/// More than anybody counts up to in a spec.
pub(super) const MANY: u64 = 1_000_000;

pub(super) const TEXTS: Type = Type::List(&Type::FilledText, 0);

pub(super) const ANY_MAP: Type = Type::Map(&Type::Any, Keys::Free);

pub(super) const SEEDS: Type = Type::Either(&[
    Type::Whole(1, MANY),
    Type::List(&Type::Whole(0, u64::MAX), 1),
]);

pub(super) const SEEDS_DOC: &str = "A count (the first N of the documented seeds: 1072, 2043, 3014, ...) or the seeds themselves. All arms run with the same seeds. `seed = 42` is short for `seeds = [42]`.";

pub(super) const SWEEP_DOC: &str = "Parameters to vary: each key is an axis, each value a list. `strategy` and `samples` may stand inside (a list under one of these two names is an axis).";
