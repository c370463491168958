//! Data at the edge of what a chart can show: names that differ only in the middle, intervals that are cut, values far
//! from zero, runs without a point.

use super::{heading, noise, row};
use fairtrial_chart::TickFormat;
use fairtrial_chart::charts::{Distribution, DistributionGroup, Forest, History, HistoryPoint};

/// Arms whose names begin and end alike; the last one knows almost nothing.
pub(super) fn alike() -> Forest {
    let rows = (0..9).map(|place| {
        let name = format!("score · arm_{place:02}_with_a_rather_longish_name");
        let (value, half) = (0.01 * f64::from(place), if place == 8 { 3.0 } else { 0.02 });
        row(&name, "improved", [value - half, value, value + half], None)
    });
    Forest {
        heading: heading("Arms that are called alike"),
        axis: "change against the control".to_owned(),
        format: TickFormat::Change,
        rows: rows.collect(),
    }
}

/// Values near a thousand million that differ by one.
pub(super) fn far() -> Distribution {
    let group = |(place, name): (usize, &str)| {
        let base = 1e9 + place as f64;
        DistributionGroup {
            name: name.to_owned(),
            values: (0..9).map(|k| base + noise(k + 9 * place)).collect(),
            five: Some([-0.9, -0.4, 0.0, 0.5, 0.9].map(|off| base + off)),
        }
    };
    Distribution {
        heading: heading("Values far from zero"),
        value: "score".to_owned(),
        groups: ["control", "candidate"]
            .into_iter()
            .enumerate()
            .map(group)
            .collect(),
    }
}

/// Twelve runs, of which two have no point and one knows almost nothing.
pub(super) fn gaps() -> History {
    let point = |place: usize| HistoryPoint {
        name: format!("run {place}"),
        range: if place % 5 == 3 {
            [f64::NAN; 3]
        } else {
            [
                if place == 6 { -50.0 } else { 8.0 },
                10.0 + noise(place),
                12.0,
            ]
        },
    };
    History {
        heading: heading("Runs without a point"),
        value: "score".to_owned(),
        points: (0..12).map(point).collect(),
        shifts: Vec::new(),
    }
}
