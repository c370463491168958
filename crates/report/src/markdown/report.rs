//! A report as Markdown, with its charts as files beside it.

use super::table::{folded, section, table};
use crate::grid::{Section, Tone};
use crate::page::{Block, Page, Part, page};
use crate::seal::{self, SealFacts};
use fairtrial_analysis::report::ReportData;
use fairtrial_chart::Theme;
use fairtrial_text::escape::markdown;
use std::fmt::Write as _;

/// A report in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownReport {
    /// The page.
    pub text: String,
    /// The charts: file name and SVG text.
    pub charts: Vec<(String, String)>,
}

/// The report as Markdown, sealed. The charts' files are called `<stem>-NN-title.svg`.
pub fn report(
    data: &ReportData,
    stem: &str,
    facts: &SealFacts<'_>,
) -> Result<MarkdownReport, serde_json::Error> {
    let json = serde_json::to_string(data)?;
    let page = page(data);
    let mut charts = Vec::new();
    let mut parts = vec![head(&page)];
    let is_written = |part: &&Part| !part.blocks.iter().all(Block::is_for_screens);
    for part in page.parts.iter().filter(is_written) {
        parts.push(format!("## {}\n", markdown(part.title)));
        let blocks = part.blocks.iter();
        parts.extend(blocks.map(|block| text_of(block, stem, &mut charts)));
    }
    parts.push(format!("<!-- {} -->\n", seal::open(facts, &json)));
    Ok(MarkdownReport {
        text: seal::close(parts.join("\n")),
        charts,
    })
}

fn head(page: &Page) -> String {
    let mut text = format!("# {}\n", markdown(&page.title));
    for verdict in &page.verdicts {
        let about = if verdict.about.is_empty() {
            String::new()
        } else {
            format!(" {}", markdown(&verdict.about))
        };
        let _ = write!(
            text,
            "\n{} **{}**{about}\n\n{}\n",
            mark(verdict.tone),
            markdown(&verdict.word),
            markdown(&verdict.sentence)
        );
        if !verdict.details.is_empty() {
            text.push('\n');
        }
        for detail in &verdict.details {
            let _ = writeln!(text, "- {}", markdown(detail));
        }
    }
    let _ = write!(text, "\n{}\n", markdown(&page.registered.sentence));
    if !page.registered.deviations.is_empty() {
        text.push('\n');
    }
    for deviation in &page.registered.deviations {
        let _ = writeln!(text, "- {}", markdown(deviation));
    }
    for warning in &page.warnings {
        let _ = write!(text, "\n> ⚠️ {}\n", markdown(warning));
    }
    let _ = write!(text, "\n{}\n", markdown(&page.headline));
    text
}

const fn mark(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "✅",
        Tone::Bad => "❌",
        Tone::Caution => "❔",
        Tone::Plain | Tone::Faint => "⬜",
    }
}

/// A table with its heading one level below that of the part.
fn below(found: &Section) -> String {
    format!("#{}", section(found))
}

fn text_of(block: &Block, stem: &str, charts: &mut Vec<(String, String)>) -> String {
    match block {
        Block::Words(words) => format!("{}\n", markdown(words)),
        Block::Table(found) if found.title.is_empty() => table(&found.grid),
        Block::Table(found) => below(found),
        Block::Folded(note, tables) => folded(note, tables.iter().map(below)),
        Block::Chart(name, figure) => {
            let file = format!("{stem}-{name}.svg");
            charts.push((file.clone(), figure.svg(Theme::Auto)));
            let notes = figure.notes.iter();
            let notes = notes.map(|note| format!("\n{}\n", markdown(note)));
            format!(
                "![{}]({})\n{}",
                markdown(&figure.title),
                link(&file),
                notes.collect::<String>()
            )
        }
        Block::Log { title, lines } => {
            format!("{}\n\n{}", markdown(title), fenced(&lines.join("\n")))
        }
        // A table of any length, and what one opens to see, are for a screen.
        Block::AllTrials(_) | Block::Trial { .. } => String::new(),
        Block::Commands(commands) => fenced(&commands.join("\n")),
    }
}

/// A file's name as the target of a link, which blanks and brackets would end.
fn link(file: &str) -> String {
    let mut target = String::with_capacity(file.len());
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            target.push(char::from(byte));
        } else {
            let _ = write!(target, "%{byte:02X}");
        }
    }
    target
}

/// Text as it stands, between fences that it cannot hold.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{fenced, link};

    #[test]
    fn blanks_and_brackets_do_not_end_a_link() {
        assert_eq!(link("report-01-a.svg"), "report-01-a.svg");
        assert_eq!(
            link("my report (1)-ä.svg"),
            "my%20report%20%281%29-%C3%A4.svg"
        );
    }

    #[test]
    fn a_log_cannot_end_its_fence() {
        assert_eq!(fenced("a ``` b"), "````text\na ``` b\n````\n");
    }
}
