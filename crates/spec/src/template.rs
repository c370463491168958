//! Placeholders: `{name}` filled in by the plan, `${NAME}` filled in from the environment when a trial starts.
//!
//! Commands often carry braces of their own (`awk '{print $1}'`, JSON, `find -exec {}`), so only `{identifier}` is a
//! placeholder; any other brace is plain text, and `{{` and `}}` are literal braces. `{name...}` stands for every value of a
//! list, `{name?--flag=}` for nothing where the name has no value, and `{name:q}` is the value as one word of a shell.

use fairtrial_model::{ParamValue, Params};
use fairtrial_text::shell_word::shell_word;
use std::borrow::Cow;
use std::ops::Range;

/// Placeholders that every trial defines.
pub const BUILTIN_NAMES: [&str; 9] = [
    "seed", "rollout", "dir", "trial", "run", "task", "arm", "index", "attempt",
];

/// Those of them that each attempt decides anew.
pub(crate) const OF_THE_ATTEMPT: [&str; 4] = ["dir", "trial", "run", "attempt"];

/// A text with placeholders, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template<'a> {
    pieces: Vec<Piece<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Placeholder(Placeholder<'a>),
}

/// One `{name}` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The name between the braces.
    pub name: &'a str,
    /// Where it stands in the text, braces included.
    pub range: Range<usize>,
    /// What becomes of its value.
    pub form: PlaceholderForm<'a>,
    raw: &'a str,
}

/// What becomes of a placeholder's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceholderForm<'a> {
    /// `{name}`: it stands there.
    Plain,
    /// `{name...}`: each value of a list stands in a word of its own.
    Splat,
    /// `{name:q}`: it stands there as one word of a shell.
    Quoted,
    /// `{name?prefix}`: it stands behind the prefix; where there is none, nothing does.
    Optional(&'a str),
}

impl Placeholder<'_> {
    /// Whether the name can only be meant as a placeholder. A name with dots, slashes or dashes may as well be plain
    /// text, so it is one only where such a key is defined.
    pub fn is_plain_name(&self) -> bool {
        self.name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_')
    }
}

/// A placeholder that nothing defines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing defines the placeholder `{{{name}}}`")]
pub struct UndefinedPlaceholder {
    /// Its name.
    pub name: String,
}

impl<'a> Template<'a> {
    /// Takes a text apart; every text is a template.
    pub fn parse(text: &'a str) -> Self {
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut at = 0;
        while let Some(found) = text[at..].find(['{', '}', '$']).map(|offset| at + offset) {
            let token = Token::at(text, found);
            let (plain_end, piece) = match token.kind {
                TokenKind::Plain => {
                    at = token.end;
                    continue;
                }
                TokenKind::Brace => (found + 1, None),
                TokenKind::Name => {
                    let range = found..token.end;
                    let (name, form) = PlaceholderForm::of(&text[found + 1..token.end - 1]);
                    let raw = &text[range.clone()];
                    let placeholder = Placeholder {
                        name,
                        range,
                        form,
                        raw,
                    };
                    (found, Some(Piece::Placeholder(placeholder)))
                }
            };
            push_text(&mut pieces, &text[start..plain_end]);
            pieces.extend(piece);
            at = token.end;
            start = at;
        }
        push_text(&mut pieces, &text[start..]);
        Self { pieces }
    }

    /// The placeholders in order.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder<'a>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder(placeholder) => Some(placeholder),
            Piece::Text(_) => None,
        })
    }

    /// The names of the placeholders in order, repeats included.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.placeholders().map(|placeholder| placeholder.name)
    }

    /// The text with each placeholder replaced by what `value` gives for its name.
    pub fn expand<'v>(
        &self,
        value: impl Fn(&str) -> Option<Cow<'v, str>>,
    ) -> Result<String, UndefinedPlaceholder> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Placeholder(placeholder) => match value(placeholder.name) {
                    Some(text) => {
                        if let PlaceholderForm::Optional(prefix) = placeholder.form {
                            out.push_str(prefix);
                        }
                        if placeholder.form == PlaceholderForm::Quoted {
                            out.push_str(&shell_word(&text));
                        } else {
                            out.push_str(&text);
                        }
                    }
                    None if matches!(placeholder.form, PlaceholderForm::Optional(_)) => {}
                    None if !placeholder.is_plain_name() => out.push_str(placeholder.raw),
                    None => {
                        let name = placeholder.name.to_owned();
                        return Err(UndefinedPlaceholder { name });
                    }
                },
            }
        }
        Ok(out)
    }
}

/// A word of a command that may become several, or none.
impl Template<'_> {
    /// The words that this one stands for. A list behind `{name...}` gives one word for each of its values, with what stands
    /// around it; a word that is nothing but an optional placeholder without a value is left out.
    pub fn words<'v>(
        &self,
        value: impl Fn(&str) -> Option<Cow<'v, ParamValue>>,
    ) -> Result<Vec<String>, UndefinedPlaceholder> {
        if let [Piece::Placeholder(placeholder)] = &self.pieces[..]
            && let PlaceholderForm::Optional(prefix) = placeholder.form
        {
            let value = value(placeholder.name);
            return Ok(optional(prefix, value.as_deref()).into_iter().collect());
        }
        let Some(splat) = self
            .placeholders()
            .find(|one| one.form == PlaceholderForm::Splat)
        else {
            return Ok(vec![self.filled(&value, &|_| String::new())?]);
        };
        let Some(list) = value(splat.name) else {
            let name = splat.name.to_owned();
            return Err(UndefinedPlaceholder { name });
        };
        let words = items(&list);
        let words = words
            .iter()
            .map(|item| self.filled(&value, &|_| Params::display(item)));
        words.collect()
    }

    /// A script with its placeholders filled in: of a list each value is a word of the shell.
    pub fn script<'v>(
        &self,
        value: impl Fn(&str) -> Option<Cow<'v, ParamValue>>,
    ) -> Result<String, UndefinedPlaceholder> {
        let quoted = |list: &ParamValue| {
            let words = items(list).iter();
            let words: Vec<String> = words
                .map(|item| shell_word(&Params::display(item)))
                .collect();
            words.join(" ")
        };
        self.filled(&value, &quoted)
    }

    /// The text with all placeholders filled in, lists by `splat`.
    fn filled<'v>(
        &self,
        value: &impl Fn(&str) -> Option<Cow<'v, ParamValue>>,
        splat: &dyn Fn(&ParamValue) -> String,
    ) -> Result<String, UndefinedPlaceholder> {
        let mut out = String::new();
        for piece in &self.pieces {
            let placeholder = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Placeholder(placeholder) => placeholder,
            };
            match (placeholder.form, value(placeholder.name)) {
                (PlaceholderForm::Optional(prefix), found) => {
                    out.push_str(&optional(prefix, found.as_deref()).unwrap_or_default());
                }
                (PlaceholderForm::Splat, Some(list)) => out.push_str(&splat(&list)),
                (PlaceholderForm::Plain, Some(found)) => match found.as_ref() {
                    ParamValue::String(text) => out.push_str(text),
                    other => out.push_str(&Params::display(other)),
                },
                (PlaceholderForm::Quoted, Some(found)) => {
                    out.push_str(&shell_word(&Params::display(&found)));
                }
                (PlaceholderForm::Plain, None) if !placeholder.is_plain_name() => {
                    out.push_str(placeholder.raw);
                }
                (_, None) => {
                    let name = placeholder.name.to_owned();
                    return Err(UndefinedPlaceholder { name });
                }
            }
        }
        Ok(out)
    }
}

/// The values of a list; anything else is its only one, and nothing is none.
fn items(value: &ParamValue) -> &[ParamValue] {
    match value {
        ParamValue::Array(items) => items,
        ParamValue::Null => &[],
        one => std::slice::from_ref(one),
    }
}

/// An optional value behind its prefix. A switch (`true`) is its prefix alone, unless that ends in `=`; `false` leaves it out
/// in the same way.
fn optional(prefix: &str, value: Option<&ParamValue>) -> Option<String> {
    let is_switch = !prefix.is_empty() && !prefix.ends_with('=');
    match value? {
        ParamValue::Null => None,
        ParamValue::Bool(on) if is_switch => on.then(|| prefix.to_owned()),
        value => Some(format!("{prefix}{}", Params::display(value))),
    }
}

impl<'a> PlaceholderForm<'a> {
    /// The name and the form of what stands between braces.
    fn of(inside: &'a str) -> (&'a str, Self) {
        if let Some(name) = inside.strip_suffix("...") {
            return (name, Self::Splat);
        }
        if let Some(name) = inside.strip_suffix(QUOTED) {
            return (name, Self::Quoted);
        }
        match inside.split_once('?') {
            Some((name, prefix)) => (name, Self::Optional(prefix)),
            None => (inside, Self::Plain),
        }
    }
}

fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}

struct Token {
    kind: TokenKind,
    end: usize,
}

enum TokenKind {
    /// Text that stands for itself.
    Plain,
    /// A doubled brace, which stands for one.
    Brace,
    /// `{name}`.
    Name,
}

impl Token {
    fn at(text: &str, at: usize) -> Self {
        let rest = &text[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            return Self {
                kind: TokenKind::Brace,
                end: at + 2,
            };
        }
        // `${NAME}` belongs to the environment (or to the shell), not to the plan.
        if let Some(length) = rest.strip_prefix('$').and_then(braced_name) {
            return Self {
                kind: TokenKind::Plain,
                end: at + 1 + length,
            };
        }
        // A shell's `${NAME?message}` is the shell's.
        if let Some(length) = rest.strip_prefix('$').and_then(braced_option) {
            return Self {
                kind: TokenKind::Plain,
                end: at + 1 + length,
            };
        }
        let named = braced_name(rest).or_else(|| braced_quoted(rest));
        match named.or_else(|| braced_option(rest)) {
            Some(length) => Self {
                kind: TokenKind::Name,
                end: at + length,
            },
            None => Self {
                kind: TokenKind::Plain,
                end: at + 1,
            },
        }
    }
}

/// Length of a leading `{identifier}`.
fn braced_name(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('{')?;
    let close = inside.find(|c: char| !(c.is_ascii_alphanumeric() || "_./-".contains(c)))?;
    let starts_well = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts_well && inside[close..].starts_with('}')).then_some(close + 2)
}

/// What stands after a name whose value is quoted for a shell.
const QUOTED: &str = ":q";

/// Length of a leading `{identifier:q}`.
fn braced_quoted(text: &str) -> Option<usize> {
    let colon = text.find(QUOTED)?;
    braced_name(&format!("{}}}", &text[..colon]))?;
    let end = colon + QUOTED.len();
    text[end..].starts_with('}').then_some(end + 1)
}

/// The text with `${` as a literal: whoever looks up references in it afterwards finds none.
pub fn without_references(text: &str) -> String {
    text.replace("${", "$${")
}

/// Length of a leading `{identifier?prefix}`.
fn braced_option(text: &str) -> Option<usize> {
    let question = text.find('?')?;
    braced_name(&format!("{}}}", &text[..question]))?;
    let prefix = &text[question + 1..];
    let close = prefix.find(['{', '}'])?;
    let end = question + 1 + close + 1;
    prefix[close..].starts_with('}').then_some(end)
}

/// An environment variable that a text refers to and that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment variable `{name}` is not set")]
pub struct MissingVariable {
    /// Its name.
    pub name: String,
}

/// The names that `${NAME}` references in a text ask for, in order; `$${NAME}` is literal text.
pub fn env_references(text: &str) -> Vec<&str> {
    let found = env_pieces(text)
        .into_iter()
        .filter_map(|piece| match piece {
            EnvPiece::Reference(name) => Some(name),
            EnvPiece::Text(_) => None,
        });
    found.collect()
}

/// The text with each `${NAME}` replaced by what `value` gives, and `$${` by `${`.
pub fn expand_env<'v>(
    text: &str,
    value: impl Fn(&str) -> Option<Cow<'v, str>>,
) -> Result<String, MissingVariable> {
    let mut out = String::new();
    for piece in env_pieces(text) {
        match piece {
            EnvPiece::Text(text) => out.push_str(text),
            EnvPiece::Reference(name) => {
                let found = value(name).ok_or_else(|| MissingVariable {
                    name: name.to_owned(),
                })?;
                out.push_str(&found);
            }
        }
    }
    Ok(out)
}

enum EnvPiece<'a> {
    Text(&'a str),
    Reference(&'a str),
}

fn env_pieces(text: &str) -> Vec<EnvPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(found) = text[at..].find('$').map(|offset| at + offset) {
        let rest = &text[found + 1..];
        if rest.starts_with("${") {
            pieces.push(EnvPiece::Text(&text[start..found]));
            start = found + 1;
            at = found + 3;
        } else if let Some(name) = env_name(rest) {
            pieces.push(EnvPiece::Text(&text[start..found]));
            pieces.push(EnvPiece::Reference(name));
            at = found + name.len() + 3;
            start = at;
        } else {
            at = found + 1;
        }
    }
    pieces.push(EnvPiece::Text(&text[start..]));
    pieces
}

fn env_name(text: &str) -> Option<&str> {
    let name = &text[1..braced_name(text)? - 1];
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{Template, env_references, expand_env};
    use serde_json::json;
    use std::borrow::Cow;

    fn fill(text: &str) -> String {
        let values = |name: &str| match name {
            "seed" => Some(Cow::Borrowed("7")),
            "a/b.c" => Some(Cow::Borrowed("x")),
            _ => None,
        };
        Template::parse(text).expand(values).unwrap()
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(fill("--seed {seed}{seed}"), "--seed 77");
        assert_eq!(fill("{a/b.c}"), "x");
        assert_eq!(fill("{{seed}}"), "{seed}");
        assert_eq!(fill("{{{seed}}}"), "{7}");
    }

    fn words(text: &str) -> Vec<String> {
        let values = |name: &str| {
            let value = match name {
                "seed" => json!(7),
                "list" => json!(["a=1", "b=two words"]),
                "none" => json!([]),
                "on" => json!(true),
                "off" => json!(false),
                "algo.lr" => json!(0.5),
                _ => return None,
            };
            Some(Cow::Owned(value))
        };
        Template::parse(text).words(values).unwrap()
    }

    #[test]
    fn a_list_splats_and_what_is_optional_may_be_absent() {
        assert_eq!(words("{list...}"), ["a=1", "b=two words"]);
        assert_eq!(words("--set={list...}"), ["--set=a=1", "--set=b=two words"]);
        assert_eq!(words("{none...}"), Vec::<String>::new());
        assert_eq!(words("{seed...}"), ["7"]);
        assert_eq!(words("{seed?--seed=}"), ["--seed=7"]);
        assert_eq!(words("{clip?--clip=}"), Vec::<String>::new());
        assert_eq!(words("x{clip?--clip=}"), ["x"]);
        assert_eq!(words("{on?--fast}"), ["--fast"]);
        assert_eq!(words("{off?--fast}"), Vec::<String>::new());
        assert_eq!(words("{on?fast=}"), ["fast=true"]);
        assert_eq!(words("{algo.lr?algo.lr=}"), ["algo.lr=0.5"]);
        // Braces of a shell or of awk stay theirs.
        assert_eq!(words("${X?not set}"), ["${X?not set}"]);
        assert_eq!(words("{print x?1:2}"), ["{print x?1:2}"]);
    }

    #[test]
    fn other_braces_stay_as_they_are() {
        for text in [
            "awk '{print $1}'",
            "find . -exec {} +",
            "{\"a\": {\"b\": 1}}x{",
            "${HOME}/x",
            "{no/such.key}",
            "{ seed }",
            "{1}",
            "é{é}é",
        ] {
            let expected = text.replace("}}", "}").replace("{{", "{");
            assert_eq!(fill(text), expected);
        }
    }

    #[test]
    fn an_undefined_name_is_an_error_with_its_place() {
        let template = Template::parse("x {sed} y");
        assert_eq!(template.placeholders().next().unwrap().range, 2..7);
        let error = template.expand(|_| None).unwrap_err();
        assert_eq!(error.to_string(), "nothing defines the placeholder `{sed}`");
    }

    #[test]
    fn environment_references() {
        assert_eq!(env_references("${A}/$B/${C}$${D}"), ["A", "C"]);
        let value = |name: &str| (name == "A").then_some(Cow::Borrowed("1"));
        assert_eq!(expand_env("${A}-$B-$${A}-$", value).unwrap(), "1-$B-${A}-$");
        assert_eq!(expand_env("${Z}", value).unwrap_err().name, "Z");
    }
}
