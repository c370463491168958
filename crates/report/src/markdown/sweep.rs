//! A sweep as Markdown.

use super::table::section;
use crate::sweep::{against_control, choice_section, effect_sections, headline};
use fairtrial_analysis::compare::SweepChoice;
use fairtrial_analysis::sensitivity::Sensitivity;
use fairtrial_text::escape::markdown;

/// The sweep as one page, with what is wrong with its run.
pub fn sweep(
    choices: &[SweepChoice],
    effects: &[Sensitivity],
    (alpha, problems): (f64, &[String]),
) -> String {
    let mut parts = vec!["# Sweep\n".to_owned()];
    let problem = |text: &String| format!("> ⚠️ {}\n", markdown(text));
    parts.extend(problems.iter().map(problem));
    for choice in choices {
        parts.push(format!("**{}**\n", markdown(&headline(choice))));
        if let Some((sentence, _)) = against_control(choice) {
            parts.push(format!("{}\n", markdown(&sentence)));
        }
        parts.push(section(&choice_section(choice, alpha)));
    }
    parts.extend(
        effects
            .iter()
            .flat_map(effect_sections)
            .map(|part| section(&part)),
    );
    parts.join("\n")
}
