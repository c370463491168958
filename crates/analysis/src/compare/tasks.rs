//! The same comparison task by task: where the whole comes from. A family of its own that decides nothing.

use super::assess::{Effect, UnitCount, count, judgement};
use super::case::{Asked, Case};
use super::family;
use super::sides::SideRows;
use super::verdict::Word;
use super::{CompareOptions, Role};
use serde::Serialize;

/// One task of one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskLine {
    /// The task.
    pub task: String,
    /// The metric.
    pub metric: String,
    /// The verdict of this task alone, adjusted for the number of tasks.
    pub verdict: Word,
    /// Why.
    pub reason: String,
    /// Means without an interval, where there is too little for one.
    pub control: Option<f64>,
    /// The candidate's.
    pub candidate: Option<f64>,
    /// Candidate - control, also where one value on a side allows no interval.
    pub difference: Option<f64>,
    /// The effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What was counted.
    pub count: UnitCount,
    /// The p value, adjusted for the number of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_p: Option<f64>,
}

impl TaskLine {
    /// The line without its verdict, where there is one.
    pub(crate) fn withheld(mut self, why: &str) -> Self {
        if self.verdict != Word::Insufficient {
            self.verdict = Word::Inconclusive;
            why.clone_into(&mut self.reason);
        }
        self
    }
}

/// The tasks of a case; none where it has only one.
pub(crate) fn lines(whole: &Case, options: &CompareOptions) -> Vec<TaskLine> {
    if whole.units.task_names.len() < 2 {
        return Vec::new();
    }
    let asked = Asked {
        declaration: whole.declaration.clone(),
        declared: whole.declared,
        role: Role::Secondary,
        // One task's scores may all happen to be 0 or 1.
        kind: Some(whole.kind),
        // Its rows are put between their points already.
        between: None,
    };
    let tasks = (0..whole.units.task_names.len() as u32).map(|task| only(&whole.rows, task));
    let cases: Vec<Case> = tasks
        .map(|rows| Case::new(rows, &asked, options))
        .filter(|case| !case.units.rows.is_empty())
        .collect();
    if cases.len() < 2 {
        return Vec::new();
    }
    let tests: Vec<family::Test> = cases.iter().map(|case| case.test(options.alpha)).collect();
    let places = family::places(&tests, options.alpha);
    cases
        .iter()
        .zip(places)
        .map(|(case, place)| line(case, place))
        .collect()
}

fn only(rows: &SideRows, task: u32) -> SideRows {
    let of = |rows: &[super::sides::Row]| {
        let mine = rows.iter().filter(|row| row.task == task);
        mine.map(|row| super::sides::Row { task: 0, ..*row })
            .collect()
    };
    SideRows {
        control: of(&rows.control),
        candidate: of(&rows.candidate),
        task_names: vec![rows.task_names[task as usize].clone()],
        of_agents: vec![rows.of_agents[task as usize]],
        repeat: rows.repeat,
    }
}

fn line(case: &Case, place: family::FamilyPlace) -> TaskLine {
    let (verdict, reason, effect) = judgement(case, place.alpha);
    let (control, candidate) = (case.control_mean(), case.candidate_mean());
    TaskLine {
        task: case.units.task_names[0].clone(),
        metric: case.declaration.name.clone(),
        verdict,
        reason,
        control,
        candidate,
        difference: control
            .zip(candidate)
            .map(|(control, candidate)| candidate - control),
        effect,
        count: count(case),
        adjusted_p: place.adjusted_p,
    }
}
