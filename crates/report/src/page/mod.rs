//! A report before it has a look: the verdict, then the evidence. HTML and Markdown are both made from this, so that
//! they cannot say different things.

mod content;
mod densities;
mod evidence;
mod figures;
mod forests;
mod histories;
mod origin;
mod suites;
mod trials;
mod verdicts;

pub use content::{Block, Page, Part, RegisteredLine, VerdictLine};

use crate::summary::{Detail, headline, tables};
#[cfg(feature = "html")]
use fairtrial_analysis::Comparison;
use fairtrial_analysis::report::ReportData;
#[cfg(feature = "html")]
use fairtrial_analysis::report::WholeTrial;
use fairtrial_chart::Figure;

/// Builds the page of a report.
pub fn page(data: &ReportData) -> Page {
    let parts = [
        Part {
            id: "comparison",
            title: "Comparison",
            blocks: evidence::comparison(data),
        },
        Part {
            id: "charts",
            title: "Charts",
            blocks: figures::charts(data),
        },
        Part {
            id: "failures",
            title: "Failures",
            blocks: evidence::failures(data),
        },
        Part {
            id: "results",
            title: "Results",
            blocks: results(data),
        },
        Part {
            id: "trials-all",
            title: "Trials",
            blocks: trials::trials(data),
        },
        Part {
            id: "trials",
            title: "Which trials each number came from",
            blocks: origin::trials(data),
        },
        Part {
            id: "provenance",
            title: "Provenance",
            blocks: origin::provenance(data),
        },
        Part {
            id: "reproduce",
            title: "How to reproduce",
            blocks: origin::reproduce(data),
        },
    ];
    Page {
        title: format!("{} {}", data.run.name, data.run.stamp),
        headline: bare(&headline(&data.summary)),
        warnings: verdicts::warnings(data),
        verdicts: verdicts::verdicts(data),
        registered: verdicts::registered(&data.registered),
        parts: parts
            .into_iter()
            .filter(|part| !part.blocks.is_empty())
            .collect(),
    }
}

/// A comparison that is no part of a report: its verdicts, and its tables and charts.
#[cfg(feature = "html")]
pub(crate) fn compared(comparison: &Comparison) -> (Vec<VerdictLine>, Vec<Block>) {
    let contrasts = comparison.contrasts.iter();
    let verdicts = contrasts.flat_map(verdicts::of_contrast).collect();
    let mut blocks = evidence::tables(comparison);
    let figures = forests::forests(comparison).into_iter().enumerate();
    blocks.extend(
        figures
            .map(|(place, figure)| Block::Chart(format!("difference-{place}"), Box::new(figure))),
    );
    (verdicts, blocks)
}

/// A trial with its title and what is known of it.
#[cfg(feature = "html")]
pub(crate) fn whole_trial(trial: &WholeTrial) -> (String, Vec<Block>) {
    trials::parts(trial)
}

/// The charts of a report as its pages show them, each with the name of its file.
pub fn charts(data: &ReportData) -> Vec<(String, Figure)> {
    figures::named(data)
}

/// The headline without the run's name, which stands above it.
fn bare(headline: &str) -> String {
    headline
        .split_once(": ")
        .map_or(headline, |(_, counts)| counts)
        .to_owned()
}

fn results(data: &ReportData) -> Vec<Block> {
    let tables = tables(&data.summary, Detail::File);
    let mut blocks: Vec<Block> = tables.shown.into_iter().map(Block::Table).collect();
    blocks.extend(tables.folded.map(|(note, of)| Block::Folded(note, of)));
    if !blocks.is_empty() {
        blocks.push(Block::Words(data.summary.missing_rule.to_owned()));
    }
    blocks
}
