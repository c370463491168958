//! Tables under the verdicts: failures, fairness, tasks.

use super::verdicts::tone;
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::words::objection;
use fairtrial_analysis::compare::{Contrast, Effect, FailureCount, TaskLine};
use fairtrial_model::Tolerance;
use fairtrial_text::count::first_of;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;

/// Tasks that a note names.
const NAMED: usize = 3;

/// How often each side failed; nothing where nothing did.
pub(crate) fn failure_section(contrast: &Contrast) -> Option<Section> {
    let failures = &contrast.failures;
    if failures.control.failed + failures.candidate.failed == 0 {
        return None;
    }
    let mut grid = Grid::new(vec![
        Column::words("side"),
        Column::numbers("failed"),
        Column::numbers("of"),
        Column::numbers("not counted"),
    ]);
    let row = |name: &str, count: FailureCount| {
        let tone = if count.failed > 0 {
            Tone::Bad
        } else {
            Tone::Plain
        };
        vec![
            Cell::from(name),
            Cell::from(count.failed.to_string()).toned(tone),
            count.trials.to_string().into(),
            count.excused.to_string().into(),
        ]
    };
    grid.push(row(contrast.control.short(), failures.control));
    grid.push(row(contrast.candidate.short(), failures.candidate));
    let test = failures.p.zip(failures.method);
    Some(Section {
        title: "Failures".to_owned(),
        grid,
        notes: test
            .map(|(p, method)| format!("{} ({method}).", share::p_value(p)))
            .into_iter()
            .collect(),
    })
}

/// What the sides were asked to share.
pub(crate) fn fairness_section(contrast: &Contrast) -> Option<Section> {
    let mut grid = Grid::new(vec![
        Column::words("must be equal"),
        Column::words("within"),
        Column::numbers("control"),
        Column::numbers("candidate"),
        Column::words("equal"),
    ]);
    for found in &contrast.fairness {
        let within = match found.rule.tolerance {
            Tolerance::Exact => "exact".to_owned(),
            Tolerance::Share(share) => share::percent(share),
            Tolerance::Absolute(size) => size.to_string(),
        };
        let (word, tone) = match found.equal {
            Some(true) => ("yes", Tone::Plain),
            Some(false) => ("no", Tone::Bad),
            None => ("not known", Tone::Caution),
        };
        grid.push(vec![
            found.rule.key.as_str().into(),
            within.into(),
            found.control.clone().unwrap_or_default().into(),
            found.candidate.clone().unwrap_or_default().into(),
            Cell::from(word).toned(tone),
        ]);
    }
    (!grid.rows.is_empty()).then(|| Section {
        title: "Fairness".to_owned(),
        grid,
        notes: Vec::new(),
    })
}

/// A table of the tasks for each metric.
pub(crate) fn task_sections(contrast: &Contrast) -> Vec<Section> {
    let mut metrics: Vec<&str> = contrast
        .tasks
        .iter()
        .map(|line| line.metric.as_str())
        .collect();
    metrics.dedup();
    metrics
        .into_iter()
        .map(|metric| task_section(contrast, metric))
        .collect()
}

fn task_section(contrast: &Contrast, metric: &str) -> Section {
    let lines: Vec<&TaskLine> = contrast
        .tasks
        .iter()
        .filter(|line| line.metric == metric)
        .collect();
    let means: Vec<f64> = lines
        .iter()
        .flat_map(|line| [line.control, line.candidate])
        .flatten()
        .collect();
    let widths: Vec<f64> = lines
        .iter()
        .filter_map(|line| line.effect.as_ref())
        .map(|effect| (effect.absolute.high - effect.absolute.low) / 2.0)
        .collect();
    let format = NumberFormat::choose(&means, &widths, None);
    let mut grid = Grid::new(vec![
        Column::words("task"),
        Column::numbers("control").may_go(1),
        Column::numbers("candidate").may_go(1),
        Column::numbers("Δ"),
        Column::numbers("interval").may_go(2),
        Column::numbers("n").may_go(3),
        Column::words("verdict"),
    ]);
    let mut notes = held_back(&lines);
    let mut tally = [0_usize; 4];
    for line in lines {
        let place = match line.difference {
            Some(difference) if difference > 0.0 => 0,
            Some(difference) => 1 + usize::from(difference < 0.0),
            None => 3,
        };
        tally[place] += 1;
        let shown = |value: Option<f64>| {
            Cell::from(value.map_or(String::new(), |value| format.number(value)))
        };
        let effect = line.effect.as_ref();
        grid.push(vec![
            line.task.as_str().into(),
            shown(line.control),
            shown(line.candidate),
            Cell::from(
                line.difference
                    .map_or(String::new(), |value| format.signed(value)),
            ),
            Cell::from(effect.map_or(String::new(), |effect| {
                format.signed_range(effect.absolute.low, effect.absolute.high)
            })),
            line.count
                .control
                .min(line.count.candidate)
                .to_string()
                .into(),
            Cell::from(line.verdict.word.text()).toned(tone(line.verdict.word)),
        ]);
    }
    let [higher, equal, lower, open] = tally;
    let open = match open {
        0 => String::new(),
        _ => format!(", not compared in {open}"),
    };
    notes.push(format!(
        "Higher in {higher}, equal in {equal}, lower in {lower}{open}. Adjusted for the number of tasks; decides nothing on \
         its own."
    ));
    Section {
        title: format!("{metric} by task"),
        grid: grid.without_empty_columns(),
        notes,
    }
}

/// Tasks whose interval excludes 0 and whose verdict does not say so, with the reason.
fn held_back(lines: &[&TaskLine]) -> Vec<String> {
    let surprising = lines.iter().filter(|line| {
        let effect = line.effect.as_ref();
        let excludes = |effect: &Effect| effect.absolute.low > 0.0 || effect.absolute.high < 0.0;
        line.verdict.is_held_back() && effect.is_some_and(excludes)
    });
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for line in surprising {
        let Some(why) = line.verdict.held_back_by().next().map(objection) else {
            continue;
        };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, tasks)) => tasks.push(line.task.clone()),
            None => reasons.push((why, vec![line.task.clone()])),
        }
    }
    let sentence =
        |(why, tasks): (String, Vec<String>)| format!("{}: {why}.", first_of(&tasks, NAMED));
    reasons.into_iter().map(sentence).collect()
}
