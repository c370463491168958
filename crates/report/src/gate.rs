//! A gate's answer as a table and sentences, for every medium alike.

use crate::comparison::{mismatch_sentences, verdict_section};
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::sequential;
use crate::words::{gate_reason, line_reason, objection};
use fairtrial_analysis::compare::Role;
use fairtrial_analysis::gate::{Gate, GateWord};
use fairtrial_text::count::capitalised;
use fairtrial_text::share;

/// How an answer is stressed.
pub(crate) const fn gate_tone(word: GateWord) -> Tone {
    match word {
        GateWord::Improved => Tone::Good,
        GateWord::Regressed | GateWord::Invalid => Tone::Bad,
        GateWord::Inconclusive => Tone::Caution,
        GateWord::Equivalent => Tone::Plain,
    }
}

/// `Regressed: time: regressed, the whole interval lies beyond the margin.`
pub(crate) fn headline(gate: &Gate) -> String {
    let word = capitalised(gate.word.text());
    let reasons = gate.reasons.iter();
    let reasons: Vec<String> = reasons.map(|reason| gate_reason(gate, reason)).collect();
    format!("{word}: {}.", reasons.join("; "))
}

/// What stands before everything else that is read: what is wrong with the sources, and how the sides are not alike.
pub(crate) fn warnings(gate: &Gate) -> Vec<String> {
    let problems = gate.problems.iter().map(|problem| format!("{problem}."));
    let compared = gate.comparison.iter();
    let unlike = compared.flat_map(|comparison| mismatch_sentences(&comparison.mismatches));
    problems.chain(unlike).collect()
}

/// The doubts about the verdicts that decide, each once.
fn doubts(gate: &Gate) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let contrasts = gate.comparison.iter().flat_map(|of| &of.contrasts);
    let metrics = contrasts.flat_map(|contrast| &contrast.metrics);
    for metric in metrics.filter(|metric| metric.role == Role::Primary) {
        let objections = metric.verdict.objections.iter();
        for noted in objections.filter(|objection| !objection.holds_back()) {
            let doubt = format!("{}: {}.", metric.metric, objection(noted));
            if !found.contains(&doubt) {
                found.push(doubt);
            }
        }
    }
    found
}

/// One row per rule.
pub(crate) fn rules_section(gate: &Gate) -> Section {
    // Where rules differ only by their sides, nobody could tell the rows apart without them.
    let alike = gate
        .lines
        .windows(2)
        .all(|two| two[0].sides == two[1].sides);
    let sides = Column::words("sides");
    let mut grid = Grid::new(vec![
        Column::words("metric"),
        Column::words("answer"),
        Column::words("why"),
        if alike { sides.may_go(1) } else { sides },
    ]);
    for line in &gate.lines {
        grid.push(vec![
            line.metric.as_str().into(),
            Cell::from(line.word.text()).toned(gate_tone(line.word)),
            line_reason(&line.reason).into(),
            line.sides.as_str().into(),
        ]);
    }
    let promise = format!(
        "Identical code is called regressed in at most {} of gates, all rules together.",
        share::percent(gate.alpha)
    );
    let notes = gate.notes.iter().map(|note| format!("{note}."));
    Section {
        title: "Rules".to_owned(),
        grid,
        notes: notes.chain(doubts(gate)).chain([promise]).collect(),
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

#[cfg(test)]
mod tests {
    use super::rules_section;
    use fairtrial_analysis::gate::{Gate, GateLine, GateWord, LineReason, SequentialReason};

    fn may_lose_its_sides(sides: [&str; 2]) -> bool {
        let line = |sides: &str| GateLine {
            sides: sides.to_owned(),
            metric: "score".to_owned(),
            word: GateWord::Equivalent,
            reason: LineReason::Sequential(SequentialReason::Open { why: None }),
        };
        let gate = Gate {
            schema: 1,
            word: GateWord::Equivalent,
            reasons: Vec::new(),
            alpha: 0.05,
            notes: Vec::new(),
            problems: Vec::new(),
            infra: Vec::new(),
            lines: sides.map(line).to_vec(),
            comparison: None,
            sequential: None,
        };
        !rules_section(&gate).grid.drop_some().is_empty()
    }

    #[test]
    fn sides_that_differ_are_never_left_out() {
        assert!(may_lose_its_sides(["a against b", "a against b"]));
        assert!(!may_lose_its_sides(["a against c", "b against c"]));
    }
}
