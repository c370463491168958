//! A gate's answer as the summary that is posted under a pull request.

use super::table::section;
use crate::gate::{evidence_sections, headline, rules_section, warnings};
use fairtrial_analysis::gate::{Gate, GateWord};
use fairtrial_text::escape::markdown;

/// The answer, the rules, and the numbers folded away below.
pub fn gate(gate: &Gate) -> String {
    let mark = match gate.word {
        GateWord::Improved => "✅",
        GateWord::Regressed => "❌",
        GateWord::Equivalent => "⬜",
        GateWord::Inconclusive => "❔",
        GateWord::Invalid => "⚠️",
    };
    let mut parts = vec![format!("# {mark} {}\n", markdown(&headline(gate)))];
    parts.extend(
        warnings(gate)
            .iter()
            .map(|text| format!("> ⚠️ {}\n", markdown(text))),
    );
    parts.push(section(&rules_section(gate)));
    let tables: Vec<String> = evidence_sections(gate).iter().map(section).collect();
    if !tables.is_empty() {
        parts.push(format!(
            "<details>\n<summary>The numbers</summary>\n\n{}\n</details>\n",
            tables.join("\n")
        ));
    }
    parts.join("\n")
}
