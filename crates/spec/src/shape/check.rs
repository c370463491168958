//! The checker: a document tree against the table of keys. It reports everything it finds and never stops early.

use super::section::{Key, Keys, Presence, Section, Type, Zero};
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Kind, Map, Node};
use crate::metric::{parse_margin, parse_tolerance};
use crate::source::Span;
use fairtrial_text::bytes::{BYTES_FORM, parse_bytes};
use fairtrial_text::duration::{DURATION_FORM, parse_duration};
use fairtrial_text::nearest::{did_you_mean, nearest};

/// Keys that are named in the design and come with a later version: refused rather than ignored.
const LATER: [(&str, &str); 1] = [("task", "engine")];

/// Checks a table of the spec.
pub(crate) fn check_section(node: &Node, section: &'static Section, problems: &mut Problems) {
    let Some(map) = node.map() else {
        return wrong_type(node, &Type::Section(section), section.name, problems);
    };
    for entry in &map.entries {
        match section.key(&entry.key) {
            Some(key) if entry.value.is_null() => null_value(entry, key, problems),
            Some(key) => check(&entry.value, &key.ty, key.name, problems),
            None if section.open || problems.is_full() => {}
            None => problems.push(unknown_key(entry, section)),
        }
    }
    for key in section
        .all_keys()
        .filter(|key| key.presence == Presence::Required)
    {
        if map.get(key.name).is_none() {
            let message = format!("{} needs the key `{}`", section.noun, key.name);
            problems.push(error(node.span, message).help(key.doc));
        }
    }
}

fn null_value(entry: &Entry, key: &Key, problems: &mut Problems) {
    if key.presence != Presence::Nullable {
        let message = format!(
            "`{}` has no value, expected {}",
            entry.key,
            key.ty.expected()
        );
        let help = "leave the key out to get its default";
        problems.push(error(entry.key_span, message).help(help));
    }
}

fn unknown_key(entry: &Entry, section: &'static Section) -> Diagnostic {
    let name = entry.key.as_str();
    if LATER.contains(&(section.name, name)) {
        let message = format!("`{name}` comes with a later version");
        return error(entry.key_span, message)
            .help("remove it for now: a key that does nothing would mislead");
    }
    let names = section
        .all_keys()
        .flat_map(|key| key.aliases.iter().chain([&key.name]).copied());
    let known = || {
        section
            .all_keys()
            .map(|key| key.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let meant = nearest(name, names);
    let help = meant.map_or_else(
        || format!("known keys: {}", known()),
        |key| format!("did you mean `{key}`?"),
    );
    error(
        entry.key_span,
        format!("{} has no key `{name}`", section.noun),
    )
    .help(help)
    .meant(meant)
}

/// A name with dots that was written without quotes, and so became tables in tables: `[metrics.eval.score]`.
fn unquoted(entry: &Entry, section: &'static Section) -> Option<Diagnostic> {
    let nested = |entry: &'_ Entry| -> Option<usize> {
        let inside = &entry.value.map()?.entries;
        inside
            .iter()
            .position(|it| section.key(&it.key).is_none() && it.value.map().is_some())
    };
    let (mut name, mut last) = (entry.key.clone(), entry);
    while let Some(place) = nested(last) {
        last = &last.value.map()?.entries[place];
        name = format!("{name}.{}", last.key);
    }
    (!std::ptr::eq(last, entry)).then(|| {
        error(
            last.key_span,
            format!("{} has no key `{}`", section.noun, last.key),
        )
        .help(format!(
            "a name with dots needs quotes: `\"{name}\"`, as in `[metrics.\"{name}\"]`"
        ))
    })
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, span, message)
}

fn wrong_type(node: &Node, ty: &Type, name: &str, problems: &mut Problems) {
    let message = format!(
        "`{name}`: expected {}, found {}",
        ty.expected(),
        node.found()
    );
    problems.push(error(node.span, message));
}

fn check(node: &Node, ty: &'static Type, name: &str, problems: &mut Problems) {
    if !ty.fits(node) {
        return wrong_type(node, ty, name, problems);
    }
    match ty {
        Type::Section(section) => check_section(node, section, problems),
        Type::List(inner, least) => check_list(node, inner, *least, name, problems),
        Type::Map(inner, keys) => check_map(node, inner, *keys, problems),
        Type::Either(types) => {
            if let Some(ty) = types.iter().find(|ty| ty.fits(node)) {
                check(node, ty, name, problems);
            }
        }
        Type::Sweep => check_sweep(node, problems),
        _ => {
            if let Err(message) = check_scalar(node, ty) {
                problems.push(error(node.span, format!("`{name}`: {message}")));
            }
        }
    }
}

fn check_list(
    node: &Node,
    inner: &'static Type,
    least: usize,
    name: &str,
    problems: &mut Problems,
) {
    let items = node.list().unwrap_or_default();
    if items.len() < least {
        let expected = Type::List(inner, least).expected();
        problems.push(error(
            node.span,
            format!("`{name}`: expected {expected}, found an empty list"),
        ));
    }
    for item in items {
        check(item, inner, name, problems);
    }
}

fn check_map(node: &Node, inner: &'static Type, keys: Keys, problems: &mut Problems) {
    for entry in node.map().map_or(&[][..], |map| &map.entries) {
        if let Err(message) = keys.check(&entry.key) {
            problems.push(error(entry.key_span, message));
        }
        if let (Keys::Free, Type::Section(section)) = (keys, inner)
            && let Some(problem) = unquoted(entry, section)
        {
            problems.push(problem);
            continue;
        }
        check(&entry.value, inner, &entry.key, problems);
    }
}

fn check_sweep(node: &Node, problems: &mut Problems) {
    let none = Map::default();
    let map = node.map().unwrap_or(&none);
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value.kind) {
            ("strategy", Kind::Text(_)) | ("samples", Kind::Int(_)) => {
                if let Some(key) = super::keys::ROOT.key(&entry.key) {
                    check(&entry.value, &key.ty, key.name, problems);
                }
            }
            (name, Kind::List(items)) if items.is_empty() => {
                let problem = error(
                    entry.value.span,
                    format!("the sweep over `{name}` has no values"),
                );
                problems.push(problem.help("give at least one value, or remove the axis"));
            }
            (_, Kind::List(items)) => repeated_values(items, problems),
            (name, _) => {
                let problem = error(
                    entry.value.span,
                    format!("expected a list of values, found {}", entry.value.found()),
                );
                problems.push(problem.help(format!(
                    "an axis is a list, like `{name} = [1, 2]`; a fixed value belongs into `params`"
                )));
            }
        }
    }
}

/// Two equal values in one list would make the same trial twice.
pub(crate) fn repeated_values(items: &[Node], problems: &mut Problems) {
    let mut seen = std::collections::HashMap::new();
    for item in items {
        if let Some(first) = seen.insert(item.to_param().to_string(), item.span) {
            let problem = error(item.span, "the same value stands in this list twice");
            problems.push(
                problem
                    .label("again here")
                    .related(first, "first here")
                    .help("remove one of the two"),
            );
        }
    }
}

fn check_scalar(node: &Node, ty: &Type) -> Result<(), String> {
    let number = node.number();
    match ty {
        Type::FilledText => filled(node.text()),
        Type::Name => node.text().map_or(Ok(()), check_name),
        Type::PlainName => node.text().map_or(Ok(()), check_plain_name),
        Type::Whole(min, max) => whole(node, *min, *max),
        Type::Number(min) => in_range(number, |n| n.is_finite() && n >= *min, ty),
        Type::OpenFraction => in_range(number, |n| n > 0.0 && n < 1.0, ty),
        Type::Fraction => in_range(number, |n| n > 0.0 && n <= 1.0, ty),
        Type::Duration(zero) => duration(node, *zero),
        Type::Bytes => bytes(node),
        Type::Word(words) => word(node.text().unwrap_or(""), words),
        Type::Margin => parse_margin(node).map(|_| ()),
        Type::Tolerance => parse_tolerance(node).map(|_| ()),
        Type::VariablePattern => variable_pattern(node.text().unwrap_or("")),
        Type::Amount => amount(node),
        _ => Ok(()),
    }
}

fn filled(text: Option<&str>) -> Result<(), String> {
    match text {
        Some(text) if text.trim().is_empty() => Err("expected text, found an empty one".to_owned()),
        Some(text) if text.contains('\0') => Err("a zero byte cannot stand here".to_owned()),
        _ => Ok(()),
    }
}

/// File systems take 255 bytes; the rest is for endings like `.html`.
const MOST_NAME_BYTES: usize = 200;

fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("a name cannot be empty".to_owned());
    }
    if matches!(name, "." | "..")
        || name.contains(['/', '\\'])
        || name.chars().any(char::is_control)
    {
        return Err(format!(
            "`{}` cannot be a name: names hold no `/`, `\\` or control characters",
            name.escape_debug()
        ));
    }
    if name.len() > MOST_NAME_BYTES {
        return Err(format!(
            "a name of {} bytes is too long for the name of a file: {MOST_NAME_BYTES} at most",
            name.len()
        ));
    }
    Ok(())
}

fn check_plain_name(name: &str) -> Result<(), String> {
    check_name(name)?;
    if name.starts_with('.') {
        return Err(format!(
            "`{name}` cannot be the name of a benchmark: it names a folder, and one that begins with `.` is hidden"
        ));
    }
    match name.chars().find(|c| !is_plain(*c)) {
        Some(bad) => Err(format!(
            "`{}` cannot stand in the name of a benchmark: letters, digits, `.`, `_` and `-` can",
            bad.escape_debug()
        )),
        None => Ok(()),
    }
}

/// Whether a character may stand in the name of a benchmark.
pub(crate) fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn whole(node: &Node, min: u64, max: u64) -> Result<(), String> {
    match node.whole() {
        Some(value) if value > max => {
            Err(format!("expected at most {max}, found {}", node.found()))
        }
        Some(value) if value >= min => Ok(()),
        _ => Err(format!(
            "expected a whole number from {min}, found {}",
            node.found()
        )),
    }
}

fn in_range(number: Option<f64>, holds: impl Fn(f64) -> bool, ty: &Type) -> Result<(), String> {
    match number {
        Some(value) if !holds(value) => Err(format!("expected {}, found `{value}`", ty.expected())),
        _ => Ok(()),
    }
}

fn duration(node: &Node, zero: Zero) -> Result<(), String> {
    let seconds = node_duration(node)?;
    if zero == Zero::Refused && seconds == 0.0 {
        return Err("expected a duration above zero".to_owned());
    }
    Ok(())
}

/// Seconds from a text or a number.
pub(crate) fn node_duration(node: &Node) -> Result<f64, String> {
    let text = node.text().map(str::to_owned);
    let text = text.or_else(|| node.number().map(|number| number.to_string()));
    parse_duration(&text.unwrap_or_default())
        .map_err(|error| format!("{error}: expected {DURATION_FORM}"))
}

fn bytes(node: &Node) -> Result<(), String> {
    match node_bytes(node)? {
        0 => Err("expected a size above zero".to_owned()),
        _ => Ok(()),
    }
}

/// Bytes from a text or a number.
pub(crate) fn node_bytes(node: &Node) -> Result<u64, String> {
    match (node.text(), node.whole()) {
        (Some(text), _) => {
            parse_bytes(text).map_err(|error| format!("{error}: expected {BYTES_FORM}"))
        }
        (_, Some(bytes)) => Ok(bytes),
        _ => Err(format!("expected {BYTES_FORM}, found {}", node.found())),
    }
}

fn word(text: &str, words: &'static [&'static str]) -> Result<(), String> {
    if words.contains(&text) {
        return Ok(());
    }
    let hint = did_you_mean(text, words.iter().copied())
        .map_or(String::new(), |hint| format!(" ({hint})"));
    Err(format!(
        "expected {}, found `{}`{hint}",
        Type::Word(words).expected(),
        text.escape_debug()
    ))
}

/// A pattern that matches no name would silently pass, or keep, nothing.
fn variable_pattern(text: &str) -> Result<(), String> {
    filled(Some(text))?;
    let name = text.strip_suffix('*').unwrap_or(text);
    if name.contains('=') {
        return Err("the name of an environment variable holds no `=`".to_owned());
    }
    if let Some(start) = name.split_once('*').map(|(start, _)| start) {
        return Err(format!(
            "`{}` matches no name: `*` stands for the rest of a name, at the end, as in `{start}*`",
            text.escape_debug()
        ));
    }
    Ok(())
}

fn amount(node: &Node) -> Result<(), String> {
    let positive = |number: f64| number.is_finite() && number > 0.0;
    let fits = match (node.number(), node.text()) {
        (Some(number), _) => positive(number),
        (None, Some(text)) => {
            let number = text.strip_suffix('+').unwrap_or(text);
            let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
            plain && number.parse().is_ok_and(positive)
        }
        (None, None) => false,
    };
    if fits {
        return Ok(());
    }
    Err(format!(
        "expected {}, found {}",
        Type::Amount.expected(),
        node.found()
    ))
}

impl Keys {
    fn check(self, key: &str) -> Result<(), String> {
        match self {
            Self::Names => check_name(key),
            Self::Variables if key.contains('=') => {
                Err("the name of an environment variable holds no `=`".to_owned())
            }
            Self::Free | Self::Variables => filled(Some(key)),
        }
    }
}

impl Type {
    /// Whether a value is of the right kind, whatever its content.
    pub(crate) fn fits(&self, node: &Node) -> bool {
        match self {
            Self::Text
            | Self::FilledText
            | Self::Name
            | Self::PlainName
            | Self::Word(_)
            | Self::VariablePattern => node.text().is_some(),
            Self::Bool => node.bool().is_some(),
            Self::Whole(..) => matches!(node.kind, Kind::Int(_)),
            Self::Number(_) | Self::OpenFraction | Self::Fraction => node.number().is_some(),
            Self::Duration(_) | Self::Bytes | Self::Margin | Self::Tolerance | Self::Amount => {
                node.text().is_some() || node.number().is_some()
            }
            Self::Scalar => {
                node.text().is_some() || node.number().is_some() || node.bool().is_some()
            }
            Self::Any => true,
            Self::List(..) => node.list().is_some(),
            Self::Sweep | Self::Map(..) | Self::Section(_) => node.map().is_some(),
            Self::Either(types) => types.iter().any(|ty| ty.fits(node)),
        }
    }

    /// What is expected, for messages.
    pub(crate) fn expected(&self) -> String {
        match self {
            Self::Text | Self::FilledText => "text".to_owned(),
            Self::Name | Self::PlainName => "a name".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Whole(min, 1_000_000..) => format!("a whole number from {min}"),
            Self::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Self::Number(min) if min.is_finite() => format!("a number of at least {min}"),
            Self::Number(_) => "a number".to_owned(),
            Self::OpenFraction => "a number between 0 and 1".to_owned(),
            Self::Fraction => "a number above 0 and at most 1".to_owned(),
            Self::Duration(_) => DURATION_FORM.to_owned(),
            Self::Bytes => BYTES_FORM.to_owned(),
            Self::Word(words) => format!("one of `{}`", words.join("`, `")),
            Self::Margin => "a number or a share like \"2%\"".to_owned(),
            Self::Tolerance => "`exact`, a share like \"1%\", or a number".to_owned(),
            Self::VariablePattern => {
                "the name of an environment variable, `*` at its end allowed".to_owned()
            }
            Self::Amount => "a number above 0, `+` behind it for at least".to_owned(),
            Self::Scalar => "text, a number, true or false".to_owned(),
            Self::Any => "any value".to_owned(),
            Self::Sweep => "a table of lists".to_owned(),
            Self::List(inner, 0) => format!("a list of {}", inner.plural()),
            Self::List(inner, _) => format!("a list of {} with at least one", inner.plural()),
            Self::Map(..) => "a table".to_owned(),
            Self::Section(section) => format!("a table ({})", section.noun),
            Self::Either(types) => {
                let all: Vec<String> = types.iter().map(Self::expected).collect();
                all.join(", or ")
            }
        }
    }

    fn plural(&self) -> &'static str {
        match self {
            Self::Text | Self::FilledText => "texts",
            Self::VariablePattern => "names of environment variables",
            Self::Whole(..) => "whole numbers",
            Self::Section(_) => "tables",
            _ => "values",
        }
    }
}
