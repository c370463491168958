//! A sweep as text and as a figure: the points in order with an honest word about the best, and what each parameter
//! does to each metric.

use crate::comparison::{tone, verdict_sentence};
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::ranking::{FAILED_NOTE, adjusted, failed_count, format_of, mean_title, standing_word};
use crate::words;
use fairtrial_analysis::compare::{PointStanding, Standing, SweepChoice};
use fairtrial_analysis::confirm::Confirmation;
use fairtrial_analysis::sensitivity::{ArmEffect, LevelMean, ParameterEffect, Sensitivity};
use fairtrial_chart::{Axis, Figure, Mark, Panel, Series};
use fairtrial_model::Params;
use fairtrial_text::count::counted;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;
use fairtrial_text::shell_word::shell_word;
use std::fmt::Write as _;

/// `lr=0.0003 (candidate)`.
pub fn point_name(point: &Params, arm: Option<&str>) -> String {
    let values = if point.is_empty() {
        "(no parameters)".to_owned()
    } else {
        point.to_string()
    };
    arm.map_or(values.clone(), |arm| format!("{values} ({arm})"))
}

/// Which point is best, and how sure that is.
pub(crate) fn headline(choice: &SweepChoice) -> String {
    let Some(best) = choice.points.first() else {
        return "No point has a value.".to_owned();
    };
    let (not_ranked, others): (Vec<_>, Vec<_>) = choice.points[1..]
        .iter()
        .partition(|point| point.standing.not_ranked.is_some());
    let others: Vec<&Standing> = others.iter().map(|point| &point.standing).collect();
    let rivals = others.iter().filter(|of| of.is_rival()).count();
    let sure = match rivals {
        n if n > 0 && others.iter().all(|of| of.p_against_best().is_none()) => {
            "whether by more than chance cannot be said, because values never vary or are too few"
                .to_owned()
        }
        0 if others.is_empty() => "no other point has enough values".to_owned(),
        0 if !not_ranked.is_empty() => {
            "every other point with enough values is worse, beyond what chance explains".to_owned()
        }
        0 => "every other point is worse, beyond what chance explains".to_owned(),
        n => format!(
            "the data cannot tell {} from it",
            counted(n as u64, "other point")
        ),
    };
    let mut text = format!(
        "Best of {} by {}: {}; {sure}.",
        counted(choice.contestants as u64, "point"),
        choice.metric,
        point_name(&best.point, best.arm.as_deref())
    );
    for point in not_ranked {
        let name = point_name(&point.point, point.arm.as_deref());
        if let Some(why) = &point.standing.not_ranked {
            let why = words::not_ranked(&name, why);
            let _ = write!(text, " {name} cannot be the best: {why}.");
        }
    }
    text
}

/// What the choice is against the control at its point.
pub(crate) fn against_control(choice: &SweepChoice) -> Option<(String, Tone)> {
    let against = choice.against_control.as_ref()?;
    let sentence = format!("Against the control there, {}", verdict_sentence(against));
    Some((sentence, tone(against.verdict.word)))
}

/// The points that cannot be ranked.
pub(crate) fn without_value(choice: &SweepChoice) -> Option<String> {
    let names: Vec<String> = choice
        .without_value
        .iter()
        .map(|name| point_name(&name.point, name.arm.as_deref()))
        .collect();
    (!names.is_empty()).then(|| format!("Without any value, so not ranked: {}.", names.join(", ")))
}

/// The points in order.
pub(crate) fn choice_section(choice: &SweepChoice, alpha: f64) -> Section {
    let level = share::level(alpha / choice.contestants as f64);
    let format = format_of(choice.points.iter().map(|point| &point.standing));
    let mut grid = Grid::new(vec![
        Column::words("point"),
        Column::words("arm"),
        Column::numbers(mean_title(choice.scale)),
        Column::numbers("failed"),
        Column::numbers("worst-case mean"),
        Column::numbers(format!("{level} interval")).may_go(1),
        Column::numbers("n").may_go(3),
        Column::words(""),
    ]);
    for (place, point) in choice.points.iter().enumerate() {
        grid.push(standing_row(place, point, format));
    }
    let mut notes = Vec::new();
    if choice
        .points
        .iter()
        .any(|point| point.standing.interval.is_some())
    {
        notes.push(format!(
            "Each interval holds at {level}, so that all {} hold together at {}: the best one's too, although it was picked \
             for being best.",
            choice.contestants,
            share::level(alpha)
        ));
    }
    notes.extend(adjusted(choice.pairs, "points"));
    if choice.points.iter().any(|point| point.standing.failed > 0) {
        notes.push(FAILED_NOTE.to_owned());
    }
    notes.extend(without_value(choice));
    Section {
        title: format!("Points by {}", choice.metric),
        grid: grid.without_empty_columns(),
        notes,
    }
}

fn standing_row(place: usize, point: &PointStanding, format: NumberFormat) -> Vec<Cell> {
    let of = &point.standing;
    let interval = of.interval.map(|range| format.range(range.low, range.high));
    let worst_case = of.worst_case.map(|mean| format.number(mean));
    let name = point_name(&point.point, point.arm.as_deref());
    vec![
        point.point.to_string().into(),
        point.arm.clone().unwrap_or_default().into(),
        format.number(of.mean).into(),
        failed_count(of.failed).into(),
        worst_case.unwrap_or_default().into(),
        interval.unwrap_or_default().into(),
        of.n.to_string().into(),
        standing_word(&name, place, of),
    ]
}

/// Where the choice was confirmed, or how to confirm it, as a command. `sweep` is the name of the run.
pub fn confirm_sentence(
    choice: &SweepChoice,
    confirmation: &Confirmation,
    (sweep, spec): (&str, Option<&str>),
) -> String {
    let spec = spec.map_or_else(|| "SPEC".to_owned(), shell_word);
    match confirmation {
        Confirmation::By(run) => format!(
            "The best of several looks better than it is; the numbers to quote are those of run {0} {1}, where it was \
             tried again on fresh seeds: fairtrial summarize {0}, fairtrial report {0}.",
            run.name, run.stamp
        ),
        Confirmation::Asked => format!(
            "The best of several looks better than it is; the numbers to quote are those of its confirmation on fresh \
             seeds, fairtrial report {sweep}.confirm (fairtrial run {spec} --resume makes it where it is missing)."
        ),
        Confirmation::NotAsked => format!(
            "The best of several looks better than it is. To confirm it on fresh seeds: fairtrial run {spec} {}.",
            proposal(choice, sweep)
        ),
    }
}

/// What comes behind the spec to confirm a choice.
fn proposal(choice: &SweepChoice, sweep: &str) -> String {
    let confirm = &choice.confirm;
    let seeds = confirm.seeds.len();
    if confirm.own_seeds {
        format!(
            "--resume --set analysis.confirm={seeds} (or `confirm = {seeds}` under [analysis] in the spec; its tasks list \
             seeds of their own, which `--set seeds` does not replace)"
        )
    } else {
        format!(
            "--only {} --set {} --set name={sweep}-again (or `confirm = {seeds}` under [analysis] in the spec)",
            shell_word(&confirm.only),
            shell_word(&confirm.set)
        )
    }
}

/// One table per parameter: the metric at each of its values.
pub(crate) fn effect_sections(sensitivity: &Sensitivity) -> Vec<Section> {
    let parameters = sensitivity.parameters.iter();
    parameters
        .map(|parameter| effect_section(sensitivity, parameter))
        .collect()
}

fn effect_section(sensitivity: &Sensitivity, parameter: &ParameterEffect) -> Section {
    let levels: Vec<&LevelMean> = parameter.arms.iter().flat_map(|arm| &arm.levels).collect();
    let means: Vec<f64> = levels.iter().filter_map(|level| level.mean).collect();
    let widths: Vec<f64> = levels
        .iter()
        .filter_map(|level| level.interval)
        .map(|interval| (interval.high - interval.low) / 2.0)
        .collect();
    let format = NumberFormat::choose(&means, &widths, None);
    let mut grid = Grid::new(vec![
        Column::words(&parameter.name),
        Column::words("arm"),
        Column::numbers("mean"),
        Column::numbers(format!("{} interval", share::level(sensitivity.alpha))).may_go(1),
        Column::numbers("seeds").may_go(2),
        Column::numbers("values").may_go(3),
        Column::numbers("without a value"),
    ]);
    for arm in &parameter.arms {
        for level in &arm.levels {
            let range = level.interval.map_or(String::new(), |interval| {
                format.range(interval.low, interval.high)
            });
            grid.push(vec![
                Params::display(&level.value).into(),
                arm.arm.clone().unwrap_or_default().into(),
                level.mean.map_or_else(
                    || Cell::from("no value").toned(Tone::Bad),
                    |mean| format.number(mean).into(),
                ),
                range.into(),
                level.seeds.to_string().into(),
                level.values.to_string().into(),
                failed_count(level.without_value as u64).into(),
            ]);
        }
    }
    Section {
        title: format!("{} by {}", sensitivity.metric, parameter.name),
        grid: grid.without_empty_columns(),
        notes: parameter.arms.iter().map(impact).collect(),
    }
}

/// `candidate: lowest at 2, highest at 3 (90 % between them); correlation 0.70; explains 49 % of the variance.`
fn impact(effect: &ArmEffect) -> String {
    let name = |place: usize| Params::display(&effect.levels[place].value);
    let between = effect.drop.map_or(String::new(), |drop| {
        format!(" ({} lower)", share::percent(drop))
    });
    let arm = effect
        .arm
        .as_ref()
        .map_or(String::new(), |arm| format!("{arm}: "));
    let compared = effect.levels.iter().filter(|level| level.mean.is_some());
    let mut text = if compared.count() == 1 {
        format!("{arm}only {} has a value", name(effect.largest))
    } else {
        format!(
            "{arm}lowest at {}{between}, highest at {}",
            name(effect.smallest),
            name(effect.largest)
        )
    };
    if let Some(r) = effect.correlation {
        let _ = write!(text, "; correlation {r:.2}");
    }
    if let Some(share) = effect.explained {
        let _ = write!(
            text,
            "; goes with {} of the variance between points",
            share::percent(share)
        );
    }
    if !effect.balanced {
        text.push_str("; not balanced: the other parameters differ between these values");
    }
    if effect.left_out > 0 {
        let _ = write!(
            text,
            "; {} left out because another value of the parameter has none at the same setting and seed",
            counted(effect.left_out as u64, "result")
        );
    }
    if effect.without_value > 0 {
        let _ = write!(
            text,
            "; no value at {} of the settings and seeds that were tried",
            effect.without_value
        );
    }
    text + "."
}

/// One panel per metric and parameter.
pub fn figure(all: &[Sensitivity]) -> Figure {
    let panels: Vec<Panel> = all
        .iter()
        .flat_map(|of| {
            of.parameters
                .iter()
                .map(move |parameter| panel(of, parameter))
        })
        .collect();
    let metrics: Vec<&str> = all.iter().map(|of| of.metric.as_str()).collect();
    let level = all.first().map_or(0.05, |of| of.alpha);
    Figure {
        title: format!("Sensitivity of {}", metrics.join(", ")),
        subtitle: vec![format!(
            "Mean at each value of a parameter, the others averaged out; bars: {} interval over seeds",
            share::level(level)
        )],
        description: all
            .iter()
            .flat_map(effect_sections)
            .map(|section| format!("{}: {}", section.title, section.notes.join(" ")))
            .collect::<Vec<_>>()
            .join(" "),
        notes: Vec::new(),
        columns: 2,
        panels,
    }
}

fn panel(sensitivity: &Sensitivity, parameter: &ParameterEffect) -> Panel {
    let mut names: Vec<String> = Vec::new();
    for level in parameter.arms.iter().flat_map(|arm| &arm.levels) {
        let name = Params::display(&level.value);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let arms = parameter.arms.len() as f64;
    let marks = parameter.arms.iter().enumerate().map(|(place, arm)| {
        // Arms stand side by side, so that no bar hides another.
        let shift = (place as f64 - (arms - 1.0) / 2.0) * 0.12;
        let points = arm.levels.iter().filter_map(|level| {
            let x = names
                .iter()
                .position(|name| *name == Params::display(&level.value))
                .unwrap_or(0) as f64;
            let (low, high) = level.interval.map_or((f64::NAN, f64::NAN), |interval| {
                (interval.low, interval.high)
            });
            Some((x + shift, level.mean?, low, high))
        });
        Mark::Whiskers {
            series: Series(place),
            points: points.collect(),
            label: arm.arm.clone().unwrap_or_default(),
        }
    });
    let (low, high) = range(parameter);
    let unit = sensitivity
        .unit
        .as_ref()
        .map_or(String::new(), |unit| format!(" ({unit})"));
    Panel {
        title: format!("{} by {}", sensitivity.metric, parameter.name),
        x: Axis::named(&parameter.name, names.clone()),
        y: Axis::new(format!("{}{unit}", sensitivity.metric), low, high),
        marks: marks.collect(),
    }
}

/// The range that holds all means and bars, with some air.
fn range(parameter: &ParameterEffect) -> (f64, f64) {
    let ends = parameter
        .arms
        .iter()
        .flat_map(|arm| &arm.levels)
        .flat_map(|level| {
            let interval = level.interval.map(|interval| [interval.low, interval.high]);
            interval.into_iter().flatten().chain(level.mean)
        });
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    let air = ((high - low) * 0.08).max(high.abs() * 1e-9);
    (low - air, high + air)
}
