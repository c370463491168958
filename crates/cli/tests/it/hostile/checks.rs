//! What each reader of an output must not be made to do by the words of a trial: each check gives what it found.

use fairtrial_text::escape;

/// A sentence with something for every reader: a formula, a picture, a script, a mention, codes of terminals, characters
/// that XML does not have, marks of Markdown, and a line of its own.
pub const EVIL: &str = "=cmd|' /C calc'!A0 ![x](https://evil.example/t.png) <img src=x onerror=alert(1)></script>]]> \
    @org-team #12 \u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{1b}[8m\u{202e}\u{fffe}\u{1} `*_~|&\"'\r\nFORGED: line";
/// The same as far as names of tasks and arms allow it.
pub const NAME: &str = "=1+1 ![x](https:evil.example) <img src=x onerror=alert(1)> @org-team #12 \u{202e}\u{fffe} `*_~|&\"'";

/// The codes of our own colours.
const COLOURS: [&str; 15] = [
    "0", "1", "2", "31", "32", "33", "34", "35", "36", "31;1", "33;1", "36;1", "32;1", "91", "94",
];

type Found = Vec<String>;

/// A finding with what is around it.
fn finding(what: &str, text: &str, at: usize, words: &str) -> String {
    let start = text[..at]
        .char_indices()
        .rev()
        .nth(60)
        .map_or(0, |(place, _)| place);
    let around: String = text[start..].chars().take(160).collect();
    let what: String = what.chars().filter(|c| !c.is_control()).take(70).collect();
    format!("- {what}: {words}: {around:?}")
}

/// Whether a character is obeyed by a terminal, or by the eye of its reader.
fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

pub fn terminal(what: &str, text: &str) -> Found {
    let mut rest = text.to_owned();
    for code in COLOURS {
        rest = rest.replace(&format!("\u{1b}[{code}m"), "");
    }
    let obeyed = rest
        .find(is_obeyed)
        .map(|at| finding(what, &rest, at, "obeyed"));
    let forged = rest
        .find("\nFORGED")
        .map(|at| finding(what, &rest, at, "a line of its own"));
    obeyed.into_iter().chain(forged).collect()
}

pub fn markdown(what: &str, text: &str) -> Found {
    let text = &without_code(text);
    let mut found = terminal(what, text);
    for active in ["https://evil", "@org-team", "<img", "](https", "</script"] {
        let place = text
            .match_indices(active)
            .find(|(at, _)| !is_escaped(text, *at));
        found.extend(place.map(|(at, _)| finding(what, text, at, active)));
    }
    let mut cells = None;
    for line in text.lines() {
        if line.starts_with('|') {
            let borders = line
                .match_indices('|')
                .filter(|(at, _)| !is_escaped(line, *at))
                .count();
            if *cells.get_or_insert(borders) != borders {
                found.push(finding(what, line, 0, "other cells"));
            }
        } else {
            cells = None;
        }
    }
    found
}

/// Without code, in which nothing means anything.
fn without_code(text: &str) -> String {
    let mut fence: Option<String> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let marks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if marks.len() >= 3 => fence = Some(marks),
            None => {
                kept.push_str(&without_spans(line));
                kept.push('\n');
            }
            Some(open) if marks.len() >= open.len() && line.trim_end() == marks => fence = None,
            Some(_) => {}
        }
    }
    kept
}

fn without_spans(line: &str) -> String {
    let marks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    let marks: Vec<usize> = marks
        .into_iter()
        .filter(|at| !is_escaped(line, *at))
        .collect();
    let mut kept = line.to_owned();
    for pair in marks.chunks_exact(2).rev() {
        kept.replace_range(pair[0]..=pair[1], "");
    }
    kept
}

fn is_escaped(text: &str, at: usize) -> bool {
    let backslashes = text[..at].chars().rev().take_while(|c| *c == '\\').count();
    backslashes % 2 == 1
}

pub fn html(what: &str, text: &str) -> Found {
    let lower = text.to_lowercase();
    let picture = lower
        .find("<img src=x")
        .map(|at| finding(what, &lower, at, "markup"));
    let scripts = lower.matches("<script").count() == lower.matches("</script").count();
    let bad = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{fffe}';
    let bad = text
        .find(bad)
        .map(|at| finding(what, text, at, "no character of XML"));
    let scripts = (!scripts).then(|| format!("- {what}: the end of a script"));
    picture.into_iter().chain(bad).chain(scripts).collect()
}

pub fn xml(what: &str, text: &str) -> Found {
    let mut found = html(what, text);
    match roxmltree::Document::parse(text) {
        Err(error) => found.push(format!("- {what}: {error}")),
        Ok(page) => {
            let mut names = page.descendants().map(|node| node.tag_name().name());
            found.extend(
                names
                    .find(|name| matches!(*name, "img" | "script"))
                    .map(|name| format!("- {what}: <{name}>")),
            );
        }
    }
    found
}

pub fn csv(what: &str, text: &str) -> Found {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cells = rows.iter().flatten();
    let formulas = cells.filter(|cell| escape::csv(cell) != *cell);
    formulas
        .map(|cell| finding(what, cell, 0, "a formula"))
        .collect()
}

/// JSON is data, and stays what it is; a terminal that shows its text obeys nothing.
pub fn json(what: &str, text: &str) -> Found {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let broken = values.find_map(|value| Some(format!("- {what}: {}", value.err()?)));
    terminal(what, text).into_iter().chain(broken).collect()
}
