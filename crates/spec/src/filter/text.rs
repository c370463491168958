//! The characters of a filter, each with whether it stands between quotation marks and so means itself alone.

use super::error::FilterError;

/// A character; an opening quotation mark has none, so that `""` is not nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) c: Option<char>,
    pub(super) quoted: bool,
}

impl Sign {
    fn is_plain(self, c: char) -> bool {
        !self.quoted && self.c == Some(c)
    }

    fn is_blank(self) -> bool {
        !self.quoted && self.c.is_some_and(char::is_whitespace)
    }
}

/// Takes the quotation marks off. Between them `\"` is a quotation mark and `\\` a backslash.
pub(super) fn signs(text: &str) -> Result<Vec<Sign>, FilterError> {
    let mut found = Vec::new();
    let mut quoted = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let c = match c {
            '"' => {
                quoted = !quoted;
                None
            }
            '\\' if quoted => rest.next_if(|next| matches!(next, '"' | '\\')).or(Some(c)),
            c => Some(c),
        };
        // A closing mark leaves nothing behind.
        if c.is_some() || quoted {
            found.push(Sign { c, quoted });
        }
    }
    if quoted {
        return Err(FilterError::Quote(text.to_owned()));
    }
    Ok(found)
}

/// The text without its quotation marks.
pub(super) fn text(signs: &[Sign]) -> String {
    signs.iter().filter_map(|sign| sign.c).collect()
}

/// Without the blanks around it.
pub(super) fn trimmed(signs: &[Sign]) -> &[Sign] {
    let start = signs.iter().position(|sign| !sign.is_blank());
    let end = signs.iter().rposition(|sign| !sign.is_blank());
    match (start, end) {
        (Some(start), Some(end)) => &signs[start..=end],
        _ => &[],
    }
}

/// The parts between separators outside quotation marks.
pub(super) fn split(signs: &[Sign], separator: char) -> impl Iterator<Item = &[Sign]> {
    signs.split(move |sign| sign.is_plain(separator))
}

/// The parts before and after the first separator outside quotation marks.
pub(super) fn split_once(signs: &[Sign], separator: char) -> Option<(&[Sign], &[Sign])> {
    let at = signs.iter().position(|sign| sign.is_plain(separator))?;
    Some((&signs[..at], &signs[at + 1..]))
}

/// The parts around the word `and` where it stands between spaces and outside quotation marks.
pub(super) fn split_at_and(signs: &[Sign]) -> Vec<&[Sign]> {
    const AND: [char; 5] = [' ', 'a', 'n', 'd', ' '];
    let is_and = |at: usize| {
        let here = signs[at..].iter().zip(AND);
        signs.len() - at >= AND.len() && here.clone().all(|(sign, c)| sign.is_plain(c))
    };
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < signs.len() {
        if is_and(at) {
            parts.push(&signs[start..at]);
            at += AND.len();
            start = at;
        } else {
            at += 1;
        }
    }
    parts.push(&signs[start..]);
    parts
}

/// A name or a value as a filter takes it literally: as it stands where that is safe, else between quotation marks.
pub fn filter_word(word: &str) -> String {
    let special = |c: char| "\",|*?=\\".contains(c);
    let safe = !word.is_empty()
        && word.trim() == word
        && !word.contains(special)
        && !word.contains(" and ");
    if safe {
        word.to_owned()
    } else {
        let escaped = word.replace('\\', r"\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    }
}
