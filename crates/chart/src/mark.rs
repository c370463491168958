//! What stands in a panel: lines, bands, points, intervals, boxes, and rules across it.

/// Which look a mark has: six colours, and six dashes and shapes that go with them, other ones in every round, so that
/// 36 series can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Series(pub usize);

/// Colours, and dashes and shapes, that there are.
const LOOKS: usize = 6;

impl Series {
    /// The number of its colour.
    pub(crate) fn color(self) -> usize {
        self.0 % LOOKS
    }

    /// The number of its dash and shape: the colour's own in the first round, the next one's in the second, ...
    pub(crate) fn shape(self) -> usize {
        (self.0 + self.0 / LOOKS) % LOOKS
    }
}

/// One mark, in the values of the panel's axes. Points that are not finite are gaps.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through points, with a dot at each where there are few, and a rim where it crosses much else.
    Line {
        /// The look.
        series: Series,
        /// The points, in order.
        points: Vec<(f64, f64)>,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A faint line behind the others: one of many that belong together.
    Trace {
        /// The look.
        series: Series,
        /// The points, in order.
        points: Vec<(f64, f64)>,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// Points that no line joins, each series with its own shape.
    Points {
        /// The look.
        series: Series,
        /// The points.
        points: Vec<(f64, f64)>,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// The area between two lines.
    Band {
        /// The look.
        series: Series,
        /// x, lower and upper value.
        points: Vec<(f64, f64, f64)>,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A closed outline, lightly filled.
    Outline {
        /// The look.
        series: Series,
        /// The corners.
        points: Vec<(f64, f64)>,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A value with its interval along x, at a place of y; an end that is not finite runs out of the panel.
    Range {
        /// The look.
        series: Series,
        /// The place.
        y: f64,
        /// Lower end, value, upper end.
        x: [f64; 3],
        /// The name in the legend; empty for none.
        label: String,
    },
    /// Points with their intervals as upright bars; an end that is not finite runs out of the panel, one that is NaN
    /// leaves a point without a bar.
    Whiskers {
        /// The look.
        series: Series,
        /// x, value, lower and upper end.
        points: Vec<(f64, f64, f64, f64)>,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A box of a distribution, at a place of x.
    Box {
        /// The look.
        series: Series,
        /// The place.
        x: f64,
        /// Lower whisker, lower quartile, median, upper quartile, upper whisker.
        y: [f64; 5],
    },
    /// A cell of a named row and a named column, the darker the higher its level.
    Tile {
        /// The column.
        x: f64,
        /// The row.
        y: f64,
        /// From 0 to 1; NaN for none.
        level: f64,
        /// What it says.
        text: String,
    },
    /// A shaded stretch of x around one row: what does not matter there.
    Zone {
        /// The row.
        y: f64,
        /// From.
        low: f64,
        /// To.
        high: f64,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A shaded stretch of y across the panel.
    Belt {
        /// From.
        low: f64,
        /// To.
        high: f64,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A level across the panel.
    Level {
        /// The look.
        series: Series,
        /// Where.
        y: f64,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A level over a stretch of x.
    Stretch {
        /// The look.
        series: Series,
        /// Where.
        y: f64,
        /// From where to where.
        x: [f64; 2],
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A place on the x axis.
    At {
        /// The look.
        series: Series,
        /// Where.
        x: f64,
        /// The name in the legend; empty for none.
        label: String,
    },
    /// A thin rule of the page's own colour.
    Rule {
        /// From.
        from: (f64, f64),
        /// To.
        to: (f64, f64),
    },
    /// Words at a place.
    Words {
        /// Where.
        at: (f64, f64),
        /// Towards which side of the place they stand.
        towards: Towards,
        /// The words.
        text: String,
    },
}

/// On which side of its place a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Towards {
    /// To the left of it.
    Left,
    /// Across it.
    Middle,
    /// To the right of it.
    Right,
}

impl Mark {
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Line { label, .. }
            | Self::Trace { label, .. }
            | Self::Points { label, .. }
            | Self::Band { label, .. }
            | Self::Outline { label, .. }
            | Self::Range { label, .. }
            | Self::Whiskers { label, .. }
            | Self::Zone { label, .. }
            | Self::Belt { label, .. }
            | Self::Level { label, .. }
            | Self::Stretch { label, .. }
            | Self::At { label, .. } => label,
            Self::Box { .. } | Self::Tile { .. } | Self::Rule { .. } | Self::Words { .. } => "",
        }
    }

    /// Whether it is of one series, which a reader may hide.
    pub(crate) fn is_of_series(&self) -> bool {
        !matches!(
            self,
            Self::Tile { .. }
                | Self::Zone { .. }
                | Self::Belt { .. }
                | Self::Rule { .. }
                | Self::Words { .. }
        )
    }

    /// What a script needs to know of it: its kind, its series, and numbers that its places do not tell.
    pub(crate) fn attributes(&self) -> Vec<(&'static str, String)> {
        let kind = match self {
            Self::Line { .. } => "line",
            Self::Trace { .. } => "trace",
            Self::Points { .. } => "points",
            Self::Band { .. } => "band",
            Self::Outline { .. } => "outline",
            Self::Range { .. } => "range",
            Self::Whiskers { .. } => "whiskers",
            Self::Box { .. } => "box",
            Self::Tile { .. } => "tile",
            _ => "other",
        };
        let mut known = vec![("data-kind", kind.to_owned())];
        if self.is_of_series() {
            known.push(("data-s", self.series().0.to_string()));
        }
        if !self.label().is_empty() {
            known.push(("data-l", self.label().to_owned()));
        }
        match self {
            Self::Range { x, y, .. } => {
                known.push(("data-v", format!("{y} {} {} {}", x[0], x[1], x[2])));
            }
            Self::Tile { x, y, text, .. } => known.push(("data-v", format!("{y} {x} {text}"))),
            Self::Box { y, .. } => {
                let five: Vec<String> = y.iter().map(f64::to_string).collect();
                known.push(("data-v", five.join(" ")));
            }
            Self::Whiskers { points, .. } => {
                let points = points.iter();
                let points =
                    points.map(|(x, value, low, high)| format!("{x} {value} {low} {high}"));
                known.push(("data-v", points.collect::<Vec<_>>().join(";")));
            }
            _ => {}
        }
        known
    }

    pub(crate) fn series(&self) -> Series {
        match self {
            Self::Line { series, .. }
            | Self::Trace { series, .. }
            | Self::Points { series, .. }
            | Self::Band { series, .. }
            | Self::Outline { series, .. }
            | Self::Range { series, .. }
            | Self::Whiskers { series, .. }
            | Self::Box { series, .. }
            | Self::Level { series, .. }
            | Self::Stretch { series, .. }
            | Self::At { series, .. } => *series,
            Self::Tile { .. }
            | Self::Zone { .. }
            | Self::Belt { .. }
            | Self::Rule { .. }
            | Self::Words { .. } => Series(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Series;
    use std::collections::HashSet;

    #[test]
    fn no_two_series_look_the_same() {
        let looks: HashSet<(usize, usize)> = (0..36)
            .map(|place| (Series(place).color(), Series(place).shape()))
            .collect();
        assert_eq!(looks.len(), 36);
        assert!((0..6).all(|place| Series(place).color() == Series(place).shape()));
    }
}
