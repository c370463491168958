//! Markdown, as pull requests and files show it: no link, picture, mention, reference, markup or cell border of others.

use super::terminal::terminal_line;

/// What keeps a site from making a link or a mention of the letters around it; it takes no room. A backslash does not:
/// sites look for those in the finished page.
const APART: &str = "&#8203;";

/// Text that stands for itself in Markdown, within one line and within a cell of a table.
pub fn markdown(text: &str) -> String {
    let text = text.replace(['\n', '\r', '\t'], " ");
    let text = terminal_line(&text);
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    let mut before = ' ';
    let starts_list = list_mark(&text);
    let links = may_link(&text);
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        match c {
            '|' | '*' | '_' | '`' | '<' | '>' | '\\' | '~' | '$' => backslashed(c, &mut safe),
            '[' | ']' if links => backslashed(c, &mut safe),
            '!' if after.starts_with('[') => backslashed(c, &mut safe),
            '&' if is_entity(after) => safe.push_str("&amp;"),
            '#' if at == 0 => backslashed(c, &mut safe),
            '#' if after.starts_with(|c: char| c.is_ascii_digit()) => joined('#', &mut safe),
            '@' if is_mention(before, after) => joined('@', &mut safe),
            ':' if after.starts_with("//") => joined(':', &mut safe),
            '.' if ends_with_www(&text[..at]) => {
                safe.push_str(APART);
                safe.push('.');
            }
            c if starts_list == Some(at) => backslashed(c, &mut safe),
            c => safe.push(c),
        }
        before = c;
    }
    safe
}

fn backslashed(c: char, safe: &mut String) {
    safe.push('\\');
    safe.push(c);
}

/// Whether brackets in a text could make a link, a picture or a footnote; those of an interval cannot.
fn may_link(text: &str) -> bool {
    let marks = ["](", "][", "![", "[^", "[ ]", "[x]", "[X]"];
    let defines = text.trim_start().starts_with('[') && text.contains("]:");
    defines || marks.iter().any(|mark| text.contains(mark))
}

fn joined(c: char, safe: &mut String) {
    safe.push(c);
    safe.push_str(APART);
}

/// Where a text begins like an item of a list (`- a`, `1. a`): the place of the mark.
fn list_mark(text: &str) -> Option<usize> {
    let start = text.len() - text.trim_start().len();
    let rest = text[start..].trim_start_matches(|c: char| c.is_ascii_digit());
    let at = text.len() - rest.len();
    let marks: &[char] = if at == start {
        &['-', '+']
    } else {
        &['.', ')']
    };
    let after = rest.strip_prefix(marks)?;
    (after.is_empty() || after.starts_with(' ')).then_some(at)
}

/// Whether what follows makes a `&` the beginning of an entity.
fn is_entity(after: &str) -> bool {
    let name = after.split(';').next().unwrap_or_default();
    let letters = name.strip_prefix('#').unwrap_or(name);
    name.len() < after.len()
        && !letters.is_empty()
        && letters.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether an `@` names a person or an address; in `pass@8` it does not.
fn is_mention(before: char, after: &str) -> bool {
    let name = after
        .split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))
        .next()
        .unwrap_or_default();
    let person = !before.is_alphanumeric() && !name.is_empty();
    let address = name.trim_end_matches('.').contains('.') && name.parse::<f64>().is_err();
    person || address
}

fn ends_with_www(text: &str) -> bool {
    let start = text.len().checked_sub(3).and_then(|at| text.get(at..));
    start.is_some_and(|word| word.eq_ignore_ascii_case("www"))
}

#[cfg(test)]
mod tests {
    use super::markdown;
    use proptest::prelude::*;

    #[test]
    fn nothing_of_others_is_a_link_a_picture_or_a_mention() {
        assert_eq!(
            markdown("![x](https://evil/t.png) @org-team"),
            "\\!\\[x\\](https:&#8203;//evil/t.png) @&#8203;org-team"
        );
        assert_eq!(
            markdown("see #12, www.evil.com"),
            "see #&#8203;12, www&#8203;.evil.com"
        );
        assert_eq!(markdown("me@evil.com"), "me@&#8203;evil.com");
        assert_eq!(markdown("<img src=x> &lt;"), "\\<img src=x\\> &amp;lt;");
        assert_eq!(markdown("a\u{1b}[2J"), "a\\\\u{1b}[2J");
    }

    #[test]
    fn it_stays_in_its_cell_and_in_its_line() {
        assert_eq!(markdown("a|b\nc_d"), "a\\|b c\\_d");
        assert_eq!(markdown("# head"), "\\# head");
        assert_eq!(markdown("- a"), "\\- a");
        assert_eq!(markdown("12. a"), "12\\. a");
    }

    #[test]
    fn ordinary_names_and_numbers_stay_readable() {
        for plain in [
            "-0.5",
            "+2.1 %",
            "pass@8",
            "1.5",
            "a & b",
            "run 3: 2/5",
            "R&D",
            "fast!",
            "(a)",
            "0.70 [0.40, 0.89] (95 %)",
            "[+0.1, +0.2]",
        ] {
            assert_eq!(markdown(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn every_active_character_is_escaped(text in any::<String>()) {
            let safe = markdown(&text);
            let mut letters = safe.chars();
            while let Some(c) = letters.next() {
                match c {
                    '\\' => drop(letters.next()),
                    c => prop_assert!(!"|*_`<>~$".contains(c) && !c.is_control(), "{safe}"),
                }
            }
            for mark in ["://", "](", "][", "![", "[^"] {
                let mut found = safe.match_indices(mark);
                prop_assert!(found.all(|(at, _)| safe[..at].ends_with('\\')), "{safe}");
            }
        }
    }
}
