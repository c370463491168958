//! The answers of a report, and what must be known before they are read.

use super::content::{RegisteredLine, VerdictLine};
use crate::comparison::{mismatch_sentences, primary_sentences, title, tone, verdict_sentence};
use crate::grid::Tone;
use crate::sequential;
use fairtrial_analysis::compare::{Contrast, Role};
use fairtrial_analysis::registration::{Deviation, Registered};
use fairtrial_analysis::report::ReportData;
use fairtrial_analysis::sequential::Stop;
use fairtrial_text::count::{count, counted};

/// The answers: of a sequential run the one it stopped with, else one per contrast.
pub(super) fn verdicts(data: &ReportData) -> Vec<VerdictLine> {
    if let Some(trajectory) = &data.sequential {
        return trajectory
            .answers
            .iter()
            .map(|answer| VerdictLine {
                word: answer.stop.map_or("not decided", Stop::word).to_owned(),
                tone: sequential::tone(answer.stop),
                about: format!(
                    "{} against {}, {}",
                    answer.arm, trajectory.control, trajectory.metric
                ),
                sentence: sequential::arm_sentence(trajectory, answer),
                details: vec![sequential::headline(trajectory)],
            })
            .collect();
    }
    let contrasts = data
        .comparison
        .iter()
        .flat_map(|comparison| &comparison.contrasts);
    let found: Vec<VerdictLine> = contrasts.flat_map(of_contrast).collect();
    if found.is_empty() {
        let why = data
            .why_no_comparison
            .as_deref()
            .unwrap_or("nothing is compared");
        return vec![VerdictLine {
            word: "no verdict".to_owned(),
            tone: Tone::Plain,
            about: String::new(),
            sentence: format!("There is no verdict: {why}."),
            details: Vec::new(),
        }];
    }
    found
}

pub(super) fn of_contrast(contrast: &Contrast) -> impl Iterator<Item = VerdictLine> + '_ {
    let primary = contrast
        .metrics
        .iter()
        .filter(|metric| metric.role == Role::Primary);
    primary.map(move |metric| VerdictLine {
        word: metric.verdict.word.text().to_owned(),
        tone: tone(metric.verdict.word),
        about: title(contrast),
        sentence: verdict_sentence(metric),
        details: primary_sentences(metric),
    })
}

/// Problems of the evidence, an unfinished run, sides that are not alike.
pub(super) fn warnings(data: &ReportData) -> Vec<String> {
    let mut said: Vec<String> = data
        .summary
        .problems
        .iter()
        .map(|problem| format!("{problem}."))
        .collect();
    said.extend(data.run.unfinished().map(|run| match run.left {
        Some(status) => format!("The run did not finish: {status}."),
        None => {
            "The run is not closed: it is still running, or its controller was killed.".to_owned()
        }
    }));
    if data.summary.outcomes.infra > 0 {
        said.push(format!(
            "{} trials could not be run (infra); they are charged to no arm.",
            count(data.summary.outcomes.infra)
        ));
    }
    let mismatches = data
        .comparison
        .iter()
        .flat_map(|comparison| mismatch_sentences(&comparison.mismatches));
    said.extend(mismatches);
    said.extend(data.notes.iter().cloned());
    said
}

/// Whether the analysis is the registered one.
pub(super) fn registered(status: &Registered) -> RegisteredLine {
    let short = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
    match status {
        Registered::No => RegisteredLine {
            sentence: "This analysis was not registered before the data.".to_owned(),
            tone: Tone::Faint,
            deviations: Vec::new(),
        },
        Registered::AsRegistered {
            hash,
            registered_at,
        } => RegisteredLine {
            sentence: format!("As registered on {registered_at} (plan {}).", short(hash)),
            tone: Tone::Good,
            deviations: Vec::new(),
        },
        Registered::Deviates {
            hash,
            registered_at,
            deviations,
        } => RegisteredLine {
            sentence: format!(
                "Deviates from the plan registered on {registered_at} (plan {}) in {}:",
                short(hash),
                counted(deviations.len() as u64, "place")
            ),
            tone: Tone::Caution,
            deviations: deviations.iter().map(deviation).collect(),
        },
        Registered::Broken { why } => RegisteredLine {
            sentence: format!("The registration cannot be trusted: {why}."),
            tone: Tone::Bad,
            deviations: Vec::new(),
        },
    }
}

/// `alpha: registered 0.05, used 0.1`.
pub(crate) fn deviation(deviation: &Deviation) -> String {
    let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    format!(
        "{}: registered {}, used {}",
        deviation.what,
        value(&deviation.registered),
        value(&deviation.used)
    )
}
