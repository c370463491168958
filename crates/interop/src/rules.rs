//! How a format's fields are read as arm, task and seed, where the user does not say.

/// The rules of one format.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// What its numbers are about.
    pub subject: Subject,
    /// What tells arms apart where one source holds all of them: the first way by which there are two or more.
    pub alone: &'static [Way],
    /// The same where each side of a comparison has its own source; arms that both have are compared each with itself.
    pub side: &'static [Way],
    /// Fields that may be the seed; the first that is there.
    pub seed: &'static [&'static str],
    /// The field that numbers repetitions of one task.
    pub repeat: &'static [&'static str],
    /// The field and the value of what is newest, where a source holds its own past too: a side of a comparison is that
    /// alone, and among arms it is never the control.
    pub newest: Option<(&'static str, &'static str)>,
}

/// One way to tell arms and tasks apart.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The arm.
    pub arm: Arm,
    /// The fields that together name the task. Those that are not there are left out; `param.*` stands for all fields
    /// that begin so and are not the arm, and `?file` for a field that counts only where it has several values.
    pub task: &'static [&'static str],
}

/// How arms are told apart.
#[derive(Debug, Clone, Copy)]
pub enum Arm {
    /// Not at all.
    None,
    /// By these fields together.
    Fields(&'static [&'static str]),
    /// By the one field below this prefix that differs between executions and is no seed.
    Differing(&'static str),
}

/// What numbers are about, which decides what counts as an independent observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Timings: processes are independent, and nothing belongs to the same number on the other side.
    Timing,
    /// Training runs: the same seed on both sides is a pair.
    Training,
    /// Answers to tasks: the task is the unit, and a failure is an answer.
    Tasks,
}

/// One way.
pub(crate) const fn way(arm: Arm, task: &'static [&'static str]) -> Way {
    Way { arm, task }
}

impl Rules {
    /// Timings: two sources are compared benchmark by benchmark.
    pub(crate) const fn timing(alone: &'static [Way], side: &'static [Way]) -> Self {
        Self {
            subject: Subject::Timing,
            alone,
            side,
            seed: &[],
            repeat: &[],
            newest: None,
        }
    }

    /// Answers of models or agents to tasks.
    pub(crate) const fn tasks(ways: &'static [Way], repeat: &'static [&'static str]) -> Self {
        Self {
            subject: Subject::Tasks,
            alone: ways,
            side: ways,
            seed: &[],
            repeat,
            newest: None,
        }
    }
}
