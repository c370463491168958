//! A report as one HTML page: nothing to load, whole without its script, light and dark, from a telephone to a wide screen.

use crate::grid::{Align, Grid, Section, Tone};
use crate::history::{RunRows, figure, headline, notes, sections};
use crate::page::{Block, Page, compared, page, whole_trial};
use crate::seal::{self, SealFacts};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fairtrial_analysis::Comparison;
use fairtrial_analysis::history::BenchmarkHistory;
use fairtrial_analysis::report::{ReportData, WholeTrial};
use fairtrial_chart::{Layout, page_style};
use fairtrial_model::Sha256;
use fairtrial_text::escape::{self, xml, xml_sentence};
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, context};
use std::fmt::Write as _;

/// The template that is used where the user brings none.
pub const TEMPLATE: &str = include_str!("page.html.jinja");
const STYLE: &str = include_str!("page.css");
/// The style of a trial's own page: there may be a hundred thousand of them.
const TRIAL_STYLE: &str = include_str!("trial.css");
/// What lets a reader explore a page: plain JavaScript, which loads nothing and sends nothing.
pub const SCRIPT: &str = include_str!("explore.js");
/// Letters of a word that may be broken where there is no room.
const LONG_WORD: usize = 20;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// The template is wrong.
    #[error("the template: {0:#}")]
    Template(#[from] minijinja::Error),
    /// The data cannot be written.
    #[error("the report's data: {0}")]
    Data(#[from] serde_json::Error),
}

/// The report as HTML, sealed. `template` is the user's own, where there is one.
pub fn report(
    data: &ReportData,
    template: Option<&str>,
    facts: &SealFacts<'_>,
) -> Result<String, HtmlError> {
    let json = serde_json::to_string(data)?;
    let page = page(data);
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| {
        let raw = value.is_safe() || *state.auto_escape() == AutoEscape::None;
        let text = value.to_string();
        Ok(out.write_str(&if raw { text } else { xml(&text) })?)
    });
    environment.add_filter("code", |text: &str| {
        Value::from_safe_string(xml_sentence(text))
    });
    environment.add_template("report.html", template.unwrap_or(TEMPLATE))?;
    let parts: Vec<Value> = page
        .parts
        .iter()
        .map(|part| {
            context! {
                id => part.id,
                title => part.title,
                html => Value::from_safe_string(part.blocks.iter().map(block_html).collect::<String>()),
            }
        })
        .collect();
    let text = environment.get_template("report.html")?.render(context! {
        title => page.title.clone(),
        headline => page.headline.clone(),
        warnings => page.warnings.clone(),
        verdicts => verdicts(&page),
        registered => registered(&page),
        parts => parts,
        notes => data.run.notes.clone(),
        bundle => facts.bundle,
        style => Value::from_safe_string(style()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        policy => Value::from_safe_string(policy()),
        // By way of the JSON: a template and a script see the same.
        data => Value::from(Serde(serde_json::from_str::<serde_json::Value>(&json)?)),
        data_json => Value::from_safe_string(in_script(&json)),
        seal => Value::from_safe_string(seal::open(facts, &json)),
    })?;
    Ok(seal::close(text))
}

/// The page of one trial, for a folder of pages: `back` leads to the report, `run` is what it is called.
pub fn trial(trial: &WholeTrial, run: &str, back: &str) -> String {
    let (title, blocks) = whole_trial(trial);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'\">\n<title>{0}</title>\n<style>\n{TRIAL_STYLE}</style>\n</head>\n\
         <body>\n<main>\n<p><a href=\"{1}\">{2}</a></p>\n<h1>{0}</h1>\n{3}</main>\n</body>\n</html>\n",
        xml(&title),
        xml(back),
        xml(run),
        blocks.iter().map(block_html).collect::<String>()
    )
}

/// The style sheet of a page with parts of a report.
pub fn style() -> String {
    page_style() + STYLE
}

/// What a report may do, as a content security policy: show itself, and run the one script in it, known by its hash.
pub fn policy() -> String {
    let hash = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{hash}'; base-uri 'none'; \
         form-action 'none'"
    )
}

/// Charts of a history at most.
const MOST_LINES: usize = 24;

/// A benchmark over its runs as a part of a page: a chart for each metric, where its level changed, and all lines.
pub fn history(found: &BenchmarkHistory) -> String {
    let mut html = format!("<p class=\"headline\">{}</p>\n", xml(&headline(found)));
    html.push_str("<div id=\"charts\"><div class=\"blocks\">\n");
    let lines = found.lines.iter().take(MOST_LINES).enumerate();
    html.extend(lines.map(|(place, line)| {
        let figure = Box::new(figure(found, line));
        block_html(&Block::Chart(format!("history-{place}"), figure))
    }));
    html.push_str("</div></div>\n");
    let tables = sections(found, RunRows::InLines).into_iter();
    html.extend(tables.map(|section| block_html(&Block::Table(section))));
    let mut notes = notes(found);
    if found.lines.len() > MOST_LINES {
        notes.push(format!(
            "{MOST_LINES} charts are shown; the table has every line."
        ));
    }
    for note in notes {
        let _ = writeln!(html, "<p class=\"note\">{}</p>", xml_sentence(&note));
    }
    html
}

/// A comparison as a part of a page: its verdicts, tables and charts.
pub fn comparison(comparison: &Comparison) -> String {
    let (verdicts, blocks) = compared(comparison);
    let mut html = String::new();
    for problem in &comparison.problems {
        let _ = writeln!(html, "<p class=\"warning\">{}</p>", xml_sentence(problem));
    }
    for verdict in &verdicts {
        let _ = writeln!(
            html,
            "<article class=\"verdict {}\">\n<p class=\"about\">{}</p>\n<p class=\"word\">{}</p>\n\
             <p class=\"sentence\">{}</p>",
            tone_class(verdict.tone),
            xml(&verdict.about),
            xml(&verdict.word),
            xml_sentence(&verdict.sentence)
        );
        if !verdict.details.is_empty() {
            html.push_str("<details>\n<summary>How this verdict was made</summary>\n<ul>\n");
            for detail in &verdict.details {
                let _ = writeln!(html, "<li>{}</li>", xml_sentence(detail));
            }
            html.push_str("</ul>\n</details>\n");
        }
        html.push_str("</article>\n");
    }
    html.extend(blocks.iter().map(block_html));
    html
}

fn verdicts(page: &Page) -> Vec<Value> {
    let one = |verdict: &crate::page::VerdictLine| {
        context! {
            word => verdict.word.clone(),
            tone => tone_class(verdict.tone),
            about => verdict.about.clone(),
            sentence => verdict.sentence.clone(),
            details => verdict.details.clone(),
        }
    };
    page.verdicts.iter().map(one).collect()
}

fn registered(page: &Page) -> Value {
    let line = &page.registered;
    context! { sentence => line.sentence.clone(), tone => tone_class(line.tone), deviations => line.deviations.clone() }
}

/// JSON that cannot end the script element it stands in.
fn in_script(json: &str) -> String {
    escape::json(json).replace('<', "\\u003c")
}

const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Caution => "caution",
        Tone::Faint => "faint",
    }
}

fn block_html(block: &Block) -> String {
    match block {
        Block::Words(words) => format!("<p>{}</p>\n", xml_sentence(words)),
        Block::Table(section) => table_section(section),
        Block::Folded(note, sections) => format!(
            "<details class=\"folded\">\n<summary>{}</summary>\n{}</details>\n",
            xml_sentence(note),
            sections.iter().map(table_section).collect::<String>()
        ),
        Block::Chart(name, figure) => format!(
            "<figure id=\"chart-{}\">\n{}</figure>\n",
            xml(name),
            figure.svg_in(&Layout::in_page())
        ),
        Block::Log { title, lines } => format!(
            "<p class=\"log-title\">{}</p>\n<pre class=\"log\">{}</pre>\n",
            xml(title),
            log_lines(title, lines)
        ),
        Block::AllTrials(words) => format!(
            "<div id=\"trial-table\"></div>\n<p class=\"ft-plain note\">{}</p>\n",
            xml_sentence(words)
        ),
        Block::Trial {
            index,
            title,
            inside,
        } => format!(
            "<details class=\"folded trial\" id=\"trial-{index}\">\n<summary>{}</summary>\n{}</details>\n",
            xml(title),
            inside.iter().map(block_html).collect::<String>()
        ),
        Block::Commands(commands) => {
            format!(
                "<pre class=\"commands\">{}</pre>\n",
                xml(&commands.join("\n"))
            )
        }
    }
}

/// The lines of a log; those of a change with what was added and taken away in colours.
fn log_lines(title: &str, lines: &[String]) -> String {
    if !title.contains(".patch") {
        return xml(&lines.join("\n"));
    }
    let coloured = lines.iter().map(|line| {
        let heads = ["+++", "---", "@@", "diff "];
        let class = match line.chars().next() {
            _ if heads.iter().any(|head| line.starts_with(head)) => "diff-at",
            Some('+') => "diff-add",
            Some('-') => "diff-del",
            _ => return xml(line),
        };
        format!("<span class=\"{class}\">{}</span>", xml(line))
    });
    coloured.collect::<Vec<_>>().join("\n")
}

fn table_section(section: &Section) -> String {
    let mut html = String::from("<div class=\"table\">\n");
    if !section.title.is_empty() {
        let _ = writeln!(html, "<h3>{}</h3>", xml(&section.title));
    }
    if !section.grid.rows.is_empty() {
        html.push_str(&table(&section.grid));
    }
    for note in &section.notes {
        let _ = writeln!(html, "<p class=\"note\">{}</p>", xml_sentence(note));
    }
    html.push_str("</div>\n");
    html
}

/// A table whose cells carry their column's title: on a narrow screen each row becomes a card.
fn table(grid: &Grid) -> String {
    let mut html = String::from("<table>\n<thead><tr>");
    for column in &grid.columns {
        let _ = write!(
            html,
            "<th scope=\"col\"{}>{}</th>",
            classes(column.align, Tone::Plain, &column.title),
            breakable(&column.title)
        );
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &grid.rows {
        html.push_str("<tr>");
        for (column, cell) in grid.columns.iter().zip(row) {
            let _ = write!(
                html,
                "<td{} data-of=\"{}\">{}</td>",
                classes(column.align, cell.tone, &cell.text),
                xml(&column.title),
                folded(&cell.text)
            );
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
    html
}

/// The class attribute of a cell. Only names that no column has room for may be broken inside of a word: a number or a
/// verdict on two lines is read as another.
fn classes(align: Align, tone: Tone, text: &str) -> String {
    let number = (align == Align::Right).then_some("n");
    let tone = (tone != Tone::Plain).then(|| tone_class(tone));
    let all: Vec<&str> = [number, tone, is_long(text).then_some("long")]
        .into_iter()
        .flatten()
        .collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(" class=\"{}\"", all.join(" "))
    }
}

fn is_long(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.any(|word| word.chars().count() > LONG_WORD)
}

/// Text in HTML; of a list of many places only the beginning is seen until it is opened. A browser lays out what it shows,
/// and thousands of numbers took it as long as the rest of the page.
fn folded(text: &str) -> String {
    let all = breakable(text);
    let is_list = text.len() > WHOLE_LIST && !text.contains(' ');
    let start: String = text.chars().take(SEEN_OF_LIST).collect();
    let Some((start, _)) = start.rsplit_once(',').filter(|_| is_list) else {
        return all;
    };
    format!(
        "<details class=\"folded\"><summary>{} …</summary>{all}</details>",
        breakable(start)
    )
}

/// Text in HTML; a long name or list says where it is best broken: `13` on two lines would be another trial.
fn breakable(text: &str) -> String {
    let safe = xml(text);
    if !is_long(text) {
        return safe;
    }
    // Thousands of places in one list are thousands of elements for the browser.
    let apart = if safe.len() > LONG_LIST {
        BETWEEN_BREAKS
    } else {
        0
    };
    let mut html = String::with_capacity(2 * safe.len());
    let mut since = 0;
    for c in safe.chars() {
        html.push(c);
        since += 1;
        if matches!(c, ',' | '/' | '_') && since > apart {
            html.push_str("<wbr>");
            since = 0;
        }
    }
    html
}

/// Letters of a list that is seen whole, and of another while it is folded.
const WHOLE_LIST: usize = 200;
const SEEN_OF_LIST: usize = 24;
/// Letters of a list that is broken at some of its places only, and letters between these.
const LONG_LIST: usize = 1000;
const BETWEEN_BREAKS: usize = 12;

#[cfg(test)]
mod tests {
    use super::{breakable, classes, folded, in_script};
    use crate::grid::{Align, Tone};

    #[test]
    fn only_long_names_may_be_broken_inside_of_a_word() {
        assert_eq!(classes(Align::Right, Tone::Plain, "13"), " class=\"n\"");
        assert_eq!(
            classes(Align::Left, Tone::Caution, "inconclusive"),
            " class=\"caution\""
        );
        assert_eq!(classes(Align::Left, Tone::Plain, "two words"), "");
        assert_eq!(
            classes(
                Align::Left,
                Tone::Plain,
                "overview/reward/averaged_over_agents"
            ),
            " class=\"long\""
        );
    }

    #[test]
    fn long_lists_are_broken_between_their_numbers() {
        assert_eq!(breakable("1,2"), "1,2");
        let list = breakable("1:3,5,7,9,11,13:15,17,19:21");
        assert!(list.starts_with("1:3,<wbr>5,<wbr>") && list.ends_with(",<wbr>19:21"));
        let many: Vec<String> = (1000..6000).step_by(2).map(|n| n.to_string()).collect();
        let many = breakable(&many.join(","));
        assert!(many.starts_with("1000,1002,1004,<wbr>1006,"));
        assert_eq!(many.matches("<wbr>").count(), 2500 / 3);
    }

    #[test]
    fn a_list_of_many_places_is_folded() {
        assert_eq!(folded("1:3,5"), "1:3,5");
        let sentence = "no file, no word, nothing; ".repeat(20);
        assert_eq!(folded(&sentence), sentence);
        let many: Vec<String> = (1000..6000).step_by(2).map(|n| n.to_string()).collect();
        let many = many.join(",");
        let some = &many[..many.len() / 40];
        assert!(folded(some).starts_with("<details"), "{}", some.len());
        let html = folded(&many);
        let start = "<details class=\"folded\"><summary>1000,1002,1004,1006 …</summary>";
        assert!(html.starts_with(start), "{html:.200}");
        assert_eq!(
            html.replace("<wbr>", ""),
            format!("{start}{many}</details>")
        );
    }

    #[test]
    fn text_from_users_cannot_break_the_page() {
        assert_eq!(in_script("\"</script>\""), "\"\\u003c/script>\"");
    }
}
