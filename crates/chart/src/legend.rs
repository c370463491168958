//! The legend under a plot: a sample of each named mark with its name, side by side while there is room.

use crate::drawing::{Anchor, Close, Drawing};
use crate::mark::Mark;
use crate::text::{SIZE, fit, width};

/// Height of a line of the legend.
pub(crate) const LINE: f64 = 18.0;
/// Width of a sample with the room after it.
const SAMPLE: f64 = 34.0;
/// Room between two entries.
const BETWEEN: f64 = 20.0;

/// The named marks, line by line, in a legend of this width.
pub(crate) fn lines(marks: &[Mark], room: f64) -> Vec<Vec<&Mark>> {
    let mut lines: Vec<(f64, Vec<&Mark>)> = Vec::new();
    for mark in marks.iter().filter(|mark| !mark.label().is_empty()) {
        let wide = entry_width(mark, room);
        match lines.last_mut() {
            Some((taken, line)) if *taken + BETWEEN + wide <= room => {
                *taken += BETWEEN + wide;
                line.push(mark);
            }
            _ => lines.push((wide, vec![mark])),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

fn entry_width(mark: &Mark, room: f64) -> f64 {
    (SAMPLE + width(mark.label(), SIZE)).min(room)
}

/// Draws the legend with its upper left corner at a place.
pub(crate) fn draw(on: &mut Drawing, marks: &[Mark], (left, top): (f64, f64), room: f64) {
    for (line, entries) in lines(marks, room).into_iter().enumerate() {
        let mut x = left;
        let y = top + line as f64 * LINE + 8.0;
        for mark in entries {
            let entry = || {
                let mut known = mark.attributes();
                known.push(("class", "key".to_owned()));
                known
            };
            on.group(entry, |on| {
                sample(on, (x, y), mark);
                let label = fit(mark.label(), room - SAMPLE - BETWEEN, SIZE);
                on.text((x + SAMPLE, y + 4.0), Anchor::Start, "", &label);
                on.short_for(mark.label());
            });
            x += entry_width(mark, room) + BETWEEN;
        }
    }
}

fn sample(on: &mut Drawing, (x, y): (f64, f64), mark: &Mark) {
    let (look, shape) = (mark.series().color(), mark.series().shape());
    let (left, middle, right) = ((x, y), (x + 13.0, y), (x + 26.0, y));
    let patch = [
        (x, y - 5.0),
        (x + 26.0, y - 5.0),
        (x + 26.0, y + 5.0),
        (x, y + 5.0),
    ];
    match mark {
        Mark::Band { .. } => on.path(&patch, Close::Yes, &format!("b c{look}")),
        Mark::Zone { .. } | Mark::Belt { .. } => on.path(&patch, Close::Yes, "m"),
        Mark::Level { .. } | Mark::Stretch { .. } | Mark::At { .. } => {
            on.line(left, right, &format!("r s{look} d{shape}"));
        }
        Mark::Trace { .. } => on.line(left, right, &format!("t s{look}")),
        Mark::Whiskers { .. } => {
            on.line(
                (x + 13.0, y - 7.0),
                (x + 13.0, y + 7.0),
                &format!("w s{look}"),
            );
            on.marker(middle, shape, &format!("k c{look}"));
        }
        Mark::Points { .. } => on.marker(middle, shape, &format!("k c{look}")),
        _ => {
            on.line(left, right, &format!("l s{look} d{shape}"));
            on.marker(middle, shape, &format!("k c{look}"));
        }
    }
}
