//! A plan as text: how many runs the difference needs, with and without pairs, and what other numbers can see.

use crate::grid::{Column, Grid, Section};
use fairtrial_analysis::compare::{Scale, UnitKind};
use fairtrial_analysis::power::{DesignPower, PowerGoal, PowerReport, RatesReport};
use fairtrial_chart::Figure;
use fairtrial_chart::charts::{self, Heading, Power, PowerLine};
use fairtrial_stats::planning::TDesign;
use fairtrial_text::count::count;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share::{self, chance, level, percent_to};
use fairtrial_text::significant::general;

/// The answer in a sentence.
pub(crate) fn headline(report: &PowerReport) -> String {
    let Some(effect) = report.effect else {
        return "No effect was named (--effect), so that only the smallest findable ones are shown.".to_owned();
    };
    let designs = [report.paired.as_ref(), Some(&report.unpaired)];
    let words: Vec<String> = designs.into_iter().flatten().map(needed).collect();
    let share = match (report.scale, report.control_mean) {
        (Scale::Ratio, Some(mean)) => format!(" ({} %)", general(100.0 * effect / mean.abs(), 3)),
        _ => String::new(),
    };
    let words = words.join(", or with ");
    let (effect, power) = (general(effect, 4), chance(report.power, 0));
    match report.goal {
        PowerGoal::Difference => {
            format!(
                "A difference of {effect}{share} is found in {power} of experiments with {words}."
            )
        }
        PowerGoal::Equivalence => format!(
            "Arms that are the same are found equivalent within {effect}{share} in {power} of experiments with {words}."
        ),
    }
}

/// A plan for pass rates.
pub fn rates(report: &RatesReport) -> String {
    let percent = |share: f64| percent_to(share, 0);
    let mut text = format!(
        "{} against {} is found in {} of experiments with about {} trials on each side, or with about {} tasks that both \
         arms try once, if one arm alone passes on {} of them.",
        percent(report.rates.candidate),
        percent(report.rates.control),
        chance(report.unpaired.power, 0),
        count(report.unpaired.n),
        count(report.paired.n),
        percent(report.discordance)
    );
    let points = report.points.iter().map(|point| {
        let found = chance(point.power, 0);
        format!(
            "\n{} trials on each side find it in {found}.",
            count(point.n as u64)
        )
    });
    text.extend(points);
    text
}

fn needed(design: &DesignPower) -> String {
    match (&design.required, design.required_range) {
        (Some(required), Some([low, high])) if low != high => {
            format!(
                "{} {} ({} to {}, given the uncertainty in the spread)",
                count(required.n),
                design.counted,
                count(low),
                count(high)
            )
        }
        (Some(required), _) => format!("{} {}", count(required.n), design.counted),
        (None, _) => format!(
            "no number of {}: {}",
            design.counted,
            design.why_none.as_deref().unwrap_or_default()
        ),
    }
}

/// The chance to find the difference, by the number of runs; nothing where no difference was named.
pub fn figure(report: &PowerReport) -> Option<Figure> {
    let effect = report.effect?;
    let line = |design: &DesignPower| PowerLine {
        name: design.counted.clone(),
        points: design
            .points
            .iter()
            .filter_map(|point| Some((point.n, point.power?)))
            .collect(),
        required: design.required.as_ref().map(|required| required.n),
    };
    let designs = report.paired.iter().chain([&report.unpaired]);
    Some(charts::power(&Power {
        heading: Heading {
            title: "How many are enough".to_owned(),
            subtitle: format!(
                "For a difference of {} at an error rate of {}.",
                general(effect, 4),
                share::percent(report.alpha)
            ),
            notes: Vec::new(),
        },
        target: report.power,
        designs: designs.map(line).collect(),
    }))
}

/// What pairing does here.
pub(crate) fn pairing_sentence(report: &PowerReport) -> Option<String> {
    let gain = report.pairing?;
    let saved = gain.variance_saved;
    let unit = report.unit.map_or("seed", UnitKind::word);
    Some(if saved >= 0.0 {
        format!(
            "Pairing by {unit} takes away {} of the variance (correlation {:.2}).",
            percent_to(saved, 0),
            gain.correlation
        )
    } else {
        format!(
            "Pairing by {unit} saves nothing here: it adds {} to the variance (correlation {:.2}).",
            percent_to(-saved, 0),
            gain.correlation
        )
    })
}

/// The curve: one row per size, with both designs side by side.
pub(crate) fn section(report: &PowerReport) -> Section {
    let designs: Vec<&DesignPower> = [report.paired.as_ref(), Some(&report.unpaired)]
        .into_iter()
        .flatten()
        .collect();
    let mut columns = vec![Column::numbers("N")];
    for design in &designs {
        let name = design.design.unit();
        if report.effect.is_some() {
            columns.push(Column::numbers(format!("power, {name}")));
        }
        columns.push(Column::numbers(format!("smallest findable, {name}")));
    }
    let detectable: Vec<f64> = designs
        .iter()
        .flat_map(|design| design.points.iter().map(|point| point.detectable))
        .collect();
    let smallest = detectable.iter().copied().fold(f64::INFINITY, f64::min);
    let format = NumberFormat::choose(&detectable, &[smallest], None);
    let mut grid = Grid::new(columns);
    for (place, point) in report.unpaired.points.iter().enumerate() {
        let mut row = vec![point.n.to_string().into()];
        for design in &designs {
            let point = &design.points[place];
            if report.effect.is_some() {
                row.push(
                    point
                        .power
                        .map_or(String::new(), |power| chance(power, 1))
                        .into(),
                );
            }
            row.push(format.number(point.detectable).into());
        }
        grid.push(row);
    }
    let unit = report.unit.map_or("run", UnitKind::word);
    let spread = |design: &&DesignPower| spread_note(design, report.scale, unit);
    let mut notes: Vec<String> = designs.iter().map(spread).collect();
    notes.extend(report.threshold.map(|threshold| {
        format!(
            "The whole interval has to lie beyond {}, as the verdict of `compare` asks.",
            general(threshold, 4)
        )
    }));
    notes.extend(report.notes.iter().map(|note| format!("Note: {note}.")));
    let title = report
        .pilot
        .as_ref()
        .map_or("Stated spread".to_owned(), |pilot| {
            format!("Pilot: {pilot}")
        });
    let title = format!(
        "{title}; two-sided test at {} confidence",
        level(report.alpha)
    );
    Section { title, grid, notes }
}

fn spread_note(design: &DesignPower, scale: Scale, unit: &str) -> String {
    let of = match design.design {
        TDesign::Paired => "a paired difference".to_owned(),
        TDesign::Unpaired => format!("one {unit}"),
    };
    let logarithms = match scale {
        Scale::Difference => "",
        Scale::Ratio => " in logarithms",
    };
    format!(
        "Standard deviation of {of}{logarithms}: {}.",
        NumberFormat::alone(design.sd).number(design.sd)
    )
}
