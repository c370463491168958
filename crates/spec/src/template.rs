//! Placeholders: `{name}` filled in by the plan, `${NAME}` filled in from the environment when a trial starts.
//!
//! Commands often carry braces of their own (`awk '{print $1}'`, JSON, `find -exec {}`), so only `{identifier}` is a
//! placeholder; any other brace is plain text, and `{{` and `}}` are literal braces. `{identifier:q}` is the value as one
//! word of a shell.

use fairtrial_text::shell_word::shell_word;
use std::borrow::Cow;
use std::ops::Range;

/// Placeholders that every trial defines.
pub const BUILTIN_NAMES: [&str; 9] = [
    "seed", "rollout", "dir", "trial", "run", "task", "arm", "index", "attempt",
];

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
    /// Whether its value is quoted for a shell: `{name:q}`.
    pub quoted: bool,
    raw: &'a str,
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
                    let inside = &text[found + 1..token.end - 1];
                    let name = inside.strip_suffix(QUOTED).unwrap_or(inside);
                    let placeholder = Placeholder {
                        name,
                        quoted: name.len() < inside.len(),
                        raw: &text[range.clone()],
                        range,
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
        self.fill(value, |text| Ok(text.to_owned()))
    }

    /// The same with each `${NAME}` of the text replaced by what `variable` gives. A value that holds one is a value: what
    /// the spec's author did not write is not looked up.
    pub fn expand_in<'v>(
        &self,
        value: impl Fn(&str) -> Option<Cow<'v, str>>,
        variable: impl Fn(&str) -> Option<Cow<'v, str>>,
    ) -> Result<String, Unfilled> {
        self.fill(value, |text| Ok(expand_env(text, &variable)?))
    }

    fn fill<'v, E: From<UndefinedPlaceholder>>(
        &self,
        value: impl Fn(&str) -> Option<Cow<'v, str>>,
        text_of: impl Fn(&str) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(&text_of(text)?),
                Piece::Placeholder(placeholder) => match value(placeholder.name) {
                    Some(text) if placeholder.quoted => out.push_str(&shell_word(&text)),
                    Some(text) => out.push_str(&text),
                    None if !placeholder.is_plain_name() => out.push_str(placeholder.raw),
                    None => {
                        let name = placeholder.name.to_owned();
                        return Err(UndefinedPlaceholder { name }.into());
                    }
                },
            }
        }
        Ok(out)
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
        if let Some(length) = rest.strip_prefix('$').and_then(placeholder) {
            return Self {
                kind: TokenKind::Plain,
                end: at + 1 + length,
            };
        }
        match placeholder(rest) {
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

/// What stands after a name whose value is quoted for a shell.
const QUOTED: &str = ":q";

/// Length of a leading `{identifier}` or `{identifier:q}`.
fn placeholder(text: &str) -> Option<usize> {
    let end = name_end(text)?;
    let rest = &text[end..];
    let close = if rest.starts_with(QUOTED) {
        QUOTED.len()
    } else {
        0
    };
    rest[close..].starts_with('}').then_some(end + close + 1)
}

/// Length of a leading `{identifier}`.
fn braced_name(text: &str) -> Option<usize> {
    let end = name_end(text)?;
    text[end..].starts_with('}').then_some(end + 1)
}

/// Where a name after a leading brace ends.
fn name_end(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('{')?;
    let length = inside.find(|c: char| !(c.is_ascii_alphanumeric() || "_./-".contains(c)))?;
    let starts_well = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well.then_some(length + 1)
}

/// An environment variable that a text refers to and that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment variable `{name}` is not set")]
pub struct MissingVariable {
    /// Its name.
    pub name: String,
}

/// Why a text of a spec cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// By the plan.
    #[error(transparent)]
    Placeholder(#[from] UndefinedPlaceholder),
    /// From the environment.
    #[error(transparent)]
    Variable(#[from] MissingVariable),
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
fn expand_env<'v>(
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
    fn a_value_is_one_word_of_a_shell_where_that_is_asked_for() {
        let value = |name: &str| (name == "word").then_some(Cow::Borrowed("a; rm -r 'x'"));
        let filled = Template::parse("echo {word:q} {{word:q}} ${x:q}").expand(value);
        let quoted = r"'a; rm -r '\''x'\'''";
        assert_eq!(
            filled.unwrap(),
            format!("echo {quoted} {{word:q}} ${{x:q}}")
        );
        let template = Template::parse("x{word:q}");
        let found = template.placeholders().next().unwrap();
        assert_eq!(
            (found.name, &found.range, found.quoted),
            ("word", &(1..9), true)
        );
    }

    #[test]
    fn a_reference_in_a_value_is_not_looked_up() {
        let value = |name: &str| (name == "word").then_some(Cow::Borrowed("${TOKEN} {seed} $${A}"));
        let variable = |name: &str| (name == "HOME").then_some(Cow::Borrowed("/h {word}"));
        let filled = Template::parse("{word} ${HOME}").expand_in(value, variable);
        assert_eq!(filled.unwrap(), "${TOKEN} {seed} $${A} /h {word}");
        let missing = Template::parse("${TOKEN}").expand_in(value, variable);
        let missing = missing.unwrap_err().to_string();
        assert_eq!(missing, "environment variable `TOKEN` is not set");
    }

    #[test]
    fn environment_references() {
        assert_eq!(env_references("${A}/$B/${C}$${D}"), ["A", "C"]);
        let value = |name: &str| (name == "A").then_some(Cow::Borrowed("1"));
        assert_eq!(expand_env("${A}-$B-$${A}-$", value).unwrap(), "1-$B-${A}-$");
        assert_eq!(expand_env("${Z}", value).unwrap_err().name, "Z");
    }
}
