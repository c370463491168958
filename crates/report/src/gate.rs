//! A gate's answer as a table and sentences, for every medium alike.

use crate::comparison::verdict_section;
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::sequential;
use fairtrial_analysis::gate::{Gate, GateWord};

/// How an answer is stressed.
pub(crate) const fn gate_tone(word: GateWord) -> Tone {
    match word {
        GateWord::Improved => Tone::Good,
        GateWord::Regressed | GateWord::Invalid => Tone::Bad,
        GateWord::Inconclusive => Tone::Caution,
        GateWord::Equivalent => Tone::Plain,
    }
}

/// `Regressed: time: regressed, the whole interval lies beyond the threshold.`
pub(crate) fn headline(gate: &Gate) -> String {
    let word = gate.word.text();
    let (first, rest) = word.split_at(1);
    format!(
        "{}{rest}: {}.",
        first.to_uppercase(),
        gate.reasons.join("; ")
    )
}

/// One row per rule.
pub(crate) fn rules_section(gate: &Gate) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("metric"),
        Column::words("answer"),
        Column::words("why"),
        Column::words("sides").may_go(1),
    ]);
    for line in &gate.lines {
        grid.push(vec![
            line.metric.as_str().into(),
            Cell::from(line.word.text()).toned(gate_tone(line.word)),
            line.reason.as_str().into(),
            line.sides.as_str().into(),
        ]);
    }
    let promise = format!(
        "Identical code is called regressed in at most {} of gates, all rules together.",
        crate::number::percent(gate.alpha)
    );
    let notes = gate.notes.iter().map(|note| format!("{note}."));
    Section {
        title: "Rules".to_owned(),
        grid,
        notes: notes.chain([promise]).collect(),
    }
}

/// The numbers behind the rules.
pub(crate) fn evidence_sections(gate: &Gate) -> Vec<Section> {
    let mut sections: Vec<Section> = gate.sequential.iter().map(sequential::section).collect();
    if let Some(comparison) = &gate.comparison {
        let tables = comparison.contrasts.iter();
        sections.extend(tables.map(|contrast| verdict_section(contrast, comparison)));
    }
    sections
}
