//! Which trials a reader wants to see, and in which order.

/// Which trials, in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowQuery {
    /// Words that a row must hold, all of them.
    pub words: String,
    /// The status; empty for any.
    pub status: String,
    /// The arm; empty for any.
    pub arm: String,
    /// The task; empty for any.
    pub task: String,
    /// What they are ordered by.
    pub order: RowOrder,
    /// Whether the last comes first.
    pub backwards: bool,
}

/// What rows are ordered by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// Their place in the plan.
    #[default]
    Plan,
    /// The task.
    Task,
    /// The arm.
    Arm,
    /// The seed.
    Seed,
    /// How they ended.
    Status,
    /// Wall time.
    Wall,
    /// When they ended.
    Ended,
    /// A metric.
    Metric(String),
}

impl RowOrder {
    /// The order that a column's name means.
    pub fn of(name: &str) -> Self {
        match name {
            "" | "trial" => Self::Plan,
            "task" => Self::Task,
            "arm" => Self::Arm,
            "seed" => Self::Seed,
            "status" => Self::Status,
            "wall" => Self::Wall,
            "ended" => Self::Ended,
            metric => Self::Metric(metric.to_owned()),
        }
    }
}

/// The order of the last query, for its next page.
#[derive(Debug, Default)]
pub(super) struct KeptOrder(pub(super) Option<(RowQuery, bool, Vec<u32>)>);

impl KeptOrder {
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}
