//! What stands in a panel: lines, bands, points, and rules across it.

/// Which of the six series looks a mark has; larger numbers begin again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Series(pub usize);

impl Series {
    /// The number of the look.
    pub(crate) fn look(self) -> usize {
        self.0 % 6
    }
}

/// One mark, in the values of the panel's axes. Points that are not finite are gaps.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through points, with a dot at each where there are few.
    Line {
        /// The look.
        series: Series,
        /// The points, in order.
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
    /// Points with their intervals as upright bars; ends that are not finite leave a point without a bar.
    Whiskers {
        /// The look.
        series: Series,
        /// x, value, lower and upper end.
        points: Vec<(f64, f64, f64, f64)>,
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
    /// A place on the x axis.
    At {
        /// The look.
        series: Series,
        /// Where.
        x: f64,
        /// The name in the legend; empty for none.
        label: String,
    },
}

impl Mark {
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Line { label, .. }
            | Self::Band { label, .. }
            | Self::Whiskers { label, .. }
            | Self::Level { label, .. }
            | Self::At { label, .. } => label,
        }
    }

    pub(crate) fn series(&self) -> Series {
        match self {
            Self::Line { series, .. }
            | Self::Band { series, .. }
            | Self::Whiskers { series, .. }
            | Self::Level { series, .. }
            | Self::At { series, .. } => *series,
        }
    }
}
