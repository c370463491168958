//! Several arms or sweep points in order, with an honest word about the best.

use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::words;
use fairtrial_analysis::compare::{Ranking, Scale, Standing};
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;

/// What the order goes by where trials failed.
pub(crate) const FAILED_NOTE: &str =
    "The order goes by worst-case means: every failed trial counts as the worst value seen.";

/// What the best one's number leaves out.
const PICKED: &str = "The best arm was picked by these numbers, so its own number is too good; confirm it on fresh seeds.";

/// How many failed, where any did.
pub(crate) fn failed_count(failed: u64) -> String {
    if failed == 0 {
        String::new()
    } else {
        failed.to_string()
    }
}

/// What the means of a ranking are: on the scale of ratios, those of logarithms.
pub(crate) const fn mean_title(scale: Scale) -> &'static str {
    match scale {
        Scale::Difference => "mean",
        Scale::Ratio => "geometric mean",
    }
}

/// Over what the tests against the best are adjusted; nothing where one pair is all there is.
pub(crate) fn adjusted(pairs: usize, of: &str) -> Option<String> {
    (pairs > 1).then(|| {
        format!(
            "Each is tested against the best, and the p values are adjusted for all {pairs} pairs of {of} (Bonferroni), because the \
             same data picked the best."
        )
    })
}

/// The numbers of several sides in one format.
pub(crate) fn format_of<'a>(standings: impl Iterator<Item = &'a Standing> + Clone) -> NumberFormat {
    let means: Vec<f64> = standings.clone().map(|of| of.mean).collect();
    let intervals = standings.filter_map(|of| of.interval);
    let widths: Vec<f64> = intervals
        .map(|interval| (interval.high - interval.low) / 2.0)
        .collect();
    NumberFormat::choose(&means, &widths, None)
}

/// Whether a side differs from the best beyond chance, or cannot be ranked: `worse`, `not separable from the best`.
pub(crate) fn standing_word(name: &str, place: usize, standing: &Standing) -> Cell {
    if let Some(why) = &standing.not_ranked {
        let why = words::not_ranked(name, why);
        return Cell::from(format!("not ranked: {why}")).toned(Tone::Bad);
    }
    match &standing.against_best {
        _ if place == 0 => Cell::from("best").toned(Tone::Good),
        Some(against) if against.separable => Cell::from("worse"),
        Some(against) if against.p.is_some() => {
            Cell::from("not separable from the best").toned(Tone::Faint)
        }
        _ => Cell::from("cannot say").toned(Tone::Faint),
    }
}

/// The arms in order.
pub(crate) fn ranking_sections(rankings: &[Ranking]) -> Vec<Section> {
    rankings.iter().map(ranking_section).collect()
}

fn ranking_section(ranking: &Ranking) -> Section {
    let format = format_of(ranking.arms.iter().map(|arm| &arm.standing));
    let mut grid = Grid::new(vec![
        Column::numbers("rank"),
        Column::words("arm"),
        Column::numbers(mean_title(ranking.scale)),
        Column::numbers("failed"),
        Column::numbers("worst-case mean"),
        Column::numbers(format!("{} interval", share::level(ranking.alpha))).may_go(3),
        Column::numbers("n").may_go(2),
        Column::numbers("p against best").may_go(4),
        Column::words(""),
    ]);
    for (place, arm) in ranking.arms.iter().enumerate() {
        let of = &arm.standing;
        let rank = match of.not_ranked {
            Some(_) => String::new(),
            None => (place + 1).to_string(),
        };
        let interval = of.interval.map_or(String::new(), |interval| {
            format.range(interval.low, interval.high)
        });
        let worst_case = of.worst_case.map(|mean| format.number(mean));
        let p = of.p_against_best().map(share::p_cell);
        grid.push(vec![
            rank.into(),
            arm.arm.as_str().into(),
            format.number(of.mean).into(),
            failed_count(of.failed).into(),
            worst_case.unwrap_or_default().into(),
            interval.into(),
            of.n.to_string().into(),
            p.unwrap_or_default().into(),
            standing_word(&arm.arm, place, of),
        ]);
    }
    let at = if ranking.point.is_empty() {
        String::new()
    } else {
        format!(" at {}", ranking.point)
    };
    let mut notes = vec![PICKED.to_owned()];
    notes.extend(adjusted(ranking.pairs, "arms"));
    if ranking.arms.iter().any(|arm| arm.standing.failed > 0) {
        notes.push(FAILED_NOTE.to_owned());
    }
    Section {
        title: format!("Arms by {}{at}", ranking.metric),
        grid: grid.without_empty_columns(),
        notes,
    }
}
