//! A gate's answer as a table and sentences, for every medium alike.

use crate::comparison::{answer_size, mismatch_sentences, verdict_section};
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::sequential;
use crate::words::{gate_reason, line_reason, objection};
use fairtrial_analysis::compare::Role;
use fairtrial_analysis::gate::{Gate, GateLine, GateReason, GateWord, LineReason};
use fairtrial_model::Stamp;
use fairtrial_text::count::{capitalised, counted, first_of};
use fairtrial_text::share;
use fairtrial_text::significant::short;

/// Metrics that a headline names.
const NAMED: usize = 5;

/// How an answer is stressed.
pub(crate) const fn gate_tone(word: GateWord) -> Tone {
    match word {
        GateWord::Improved => Tone::Good,
        GateWord::Regressed | GateWord::Invalid => Tone::Bad,
        GateWord::Inconclusive => Tone::Caution,
        GateWord::Equivalent => Tone::Plain,
    }
}

/// `Regressed: time +15.3 % [+14.5, +16.1], margin 5 %: the whole interval lies beyond the margin.` Of several rules the first
/// has its numbers, and the others are named: the table below has theirs.
pub(crate) fn headline(gate: &Gate) -> String {
    let word = capitalised(gate.word.text());
    let is_line = |reason: &&GateReason| matches!(reason, GateReason::Line(_));
    let lines = gate.reasons.iter().filter_map(|reason| match reason {
        GateReason::Line(line) => Some(line),
        _ => None,
    });
    let lines: Vec<&GateLine> = lines.collect();
    let mut reasons: Vec<String> = match &lines[..] {
        [] => Vec::new(),
        [line] => vec![format!(
            "{}: {}",
            sized(gate, line),
            line_reason(&line.reason)
        )],
        [first, others @ ..] => vec![sized(gate, first), also(first, others)],
    };
    let others = gate.reasons.iter().filter(|reason| !is_line(reason));
    reasons.extend(others.map(gate_reason));
    format!("{word}: {}.", reasons.join("; "))
}

/// A rule with its size, and whose it is where that is not plain.
fn sized(gate: &Gate, line: &GateLine) -> String {
    let place = gate.lines.iter().position(|of| of == line);
    let size = place.and_then(|place| rule_size(gate, place));
    let size = size.map_or(String::new(), |size| format!(" {size}"));
    let several = gate.lines.iter().any(|of| of.sides != gate.lines[0].sides);
    let whose = if several {
        format!(" ({})", line.sides)
    } else {
        String::new()
    };
    format!("{}{size}{whose}", line.metric)
}

/// What the other rules are about.
fn also(first: &GateLine, others: &[&GateLine]) -> String {
    let mut metrics: Vec<&str> = Vec::new();
    for line in others {
        if line.metric != first.metric && !metrics.contains(&line.metric.as_str()) {
            metrics.push(&line.metric);
        }
    }
    if metrics.is_empty() {
        counted(others.len(), "more rule")
    } else {
        format!("also {}", first_of(&metrics, NAMED))
    }
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

/// How large the difference behind a rule is, with its interval and the margin: `+15.3 (+15.3 % [+14.5, +16.1]), margin 5 %`.
pub(crate) fn rule_size(gate: &Gate, place: usize) -> Option<String> {
    let is_verdict = |line: &GateLine| matches!(line.reason, LineReason::Verdict { .. });
    let line = gate.lines.get(place).filter(|line| is_verdict(line))?;
    // Rules about verdicts come in the order of the comparison's deciding metrics.
    let nth = gate.lines[..place]
        .iter()
        .filter(|line| is_verdict(line))
        .count();
    let contrasts = gate.comparison.iter().flat_map(|of| &of.contrasts);
    let metrics = contrasts.flat_map(|contrast| &contrast.metrics);
    let mut deciding = metrics.filter(|metric| metric.role == Role::Primary);
    let metric = deciding
        .nth(nth)
        .filter(|metric| metric.metric == line.metric)?;
    let effect = metric.effect.as_ref()?;
    let margin = effect.margin.map_or(String::new(), |margin| {
        if effect.relative.is_some() && effect.control != 0.0 {
            return format!(", margin {}", share::percent(margin / effect.control.abs()));
        }
        let unit = metric
            .unit
            .as_ref()
            .map_or(String::new(), |unit| format!(" {unit}"));
        format!(", margin {}{unit}", short(margin))
    });
    Some(format!("{}{margin}", answer_size(metric)))
}

/// The sides without what changes from run to run, so that a CI system knows a case again.
pub(crate) fn stable_sides(sides: &str) -> String {
    let lasting = sides.split(' ').filter_map(|word| {
        let bare = word.trim_matches(|c| matches!(c, '(' | ')' | ',' | ':'));
        let (before, last) = bare.rsplit_once('/').unwrap_or(("", bare));
        match last.parse::<Stamp>() {
            Ok(_) => Some(before).filter(|before| !before.is_empty()),
            Err(_) => Some(word),
        }
    });
    lasting.collect::<Vec<_>>().join(" ")
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
        Column::words("change").may_go(2),
        Column::words("why"),
        if alike { sides.may_go(1) } else { sides },
    ]);
    for (place, line) in gate.lines.iter().enumerate() {
        grid.push(vec![
            line.metric.as_str().into(),
            Cell::from(line.word.text()).toned(gate_tone(line.word)),
            rule_size(gate, place).unwrap_or_default().into(),
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
    use super::{rules_section, stable_sides};
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
        let mut grid = rules_section(&gate).grid;
        while grid.drop_some() {}
        grid.columns.iter().all(|column| column.title != "sides")
    }

    #[test]
    fn names_of_cases_last_from_run_to_run() {
        assert_eq!(
            stable_sides("bench 20250824__12-34-56 against bench/20250824__12-34-57"),
            "bench against bench"
        );
        assert_eq!(
            stable_sides("candidate against control at lr=0.1"),
            "candidate against control at lr=0.1"
        );
    }

    #[test]
    fn sides_that_differ_are_never_left_out() {
        assert!(may_lose_its_sides(["a against b", "a against b"]));
        assert!(!may_lose_its_sides(["a against c", "b against c"]));
    }
}
