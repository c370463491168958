//! The charts of how times are spread.

use fairtrial_analysis::report::MetricDensity;
use fairtrial_chart::Figure;
use fairtrial_chart::charts::{self, Densities, DensityLine, Heading, with_unit};
use fairtrial_text::count::count;

/// One metric, a curve for each group.
pub(super) fn density(found: &MetricDensity) -> Figure {
    let what = if found.iterations {
        "iterations"
    } else {
        "trials"
    };
    let groups = found.groups.iter();
    let notes = groups.filter_map(|group| {
        let of = count(group.values as u64);
        if group.points.is_empty() {
            let why = format!("{}: no curve of its {of} {what}.", group.name);
            return Some(why);
        }
        let outside = count(group.outside as u64);
        (group.outside > 0)
            .then(|| format!("{}: {outside} of {of} {what} lie outside.", group.name))
    });
    let drawn = found.groups.iter().enumerate();
    let drawn = drawn.filter(|(_, group)| !group.points.is_empty());
    charts::density(&Densities {
        heading: Heading {
            title: format!("{}: density of {what}", found.metric),
            subtitle: format!("Where the curve is high, many {what} have that time."),
            notes: notes.collect(),
        },
        value: with_unit(&found.metric, found.unit.as_deref()),
        lines: drawn
            .map(|(look, group)| DensityLine {
                name: group.name.clone(),
                look,
                median: group.median,
                points: group.points.clone(),
            })
            .collect(),
    })
}
