//! Sentences of ours that may hold words of others: what stands between backticks is something to type, and is shown as
//! code.

use super::markdown::markdown;
use super::terminal::terminal_line;
use super::xml::xml;

/// A sentence in HTML.
pub fn xml_sentence(text: &str) -> String {
    coded(text, xml, |code| format!("<code>{}</code>", xml(code)))
}

/// A sentence in Markdown, within one line.
pub fn markdown_sentence(text: &str) -> String {
    coded(text, markdown, |code| {
        format!("`{}`", terminal_line(code).replace('|', "\\|"))
    })
}

fn coded(text: &str, plain: fn(&str) -> String, code: impl Fn(&str) -> String) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (inside, after))) = rest
        .split_once('`')
        .and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
        .filter(|(_, (inside, _))| !inside.is_empty())
    {
        written.push_str(&plain(before));
        written.push_str(&code(inside));
        rest = after;
    }
    written + &plain(rest)
}

#[cfg(test)]
mod tests {
    use super::{markdown_sentence, xml_sentence};

    #[test]
    fn backticks_become_code() {
        assert_eq!(
            xml_sentence("`--only 7` runs <it> again, `x"),
            "<code>--only 7</code> runs &lt;it&gt; again, `x"
        );
        assert_eq!(
            markdown_sentence("`a_b|c` runs <it> again, `x"),
            "`a_b\\|c` runs \\<it\\> again, \\`x"
        );
        assert_eq!(markdown_sentence("``x``"), "\\`\\`x\\`\\`");
    }
}
