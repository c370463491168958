//! The two sides of a comparison: where their trials come from, and what they are called.

use crate::dataset::{Dataset, Origin, Trial};
use fairtrial_model::Params;
use serde::Serialize;

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub enum Inputs<'a> {
    /// The arms of one source.
    Arms(&'a Dataset),
    /// Two sources: the first is the control.
    Two(&'a Dataset, &'a Dataset),
    /// Three sources or more: all others against the first.
    Several(&'a [&'a Dataset]),
}

impl<'a> Inputs<'a> {
    /// Whether more trials of both sides can be had from one spec.
    pub(crate) fn can_run_again(self) -> bool {
        matches!(self, Self::Arms(data) if data.can_run_again)
    }

    /// The sources, the control's first.
    pub(crate) fn datasets(self) -> impl Iterator<Item = &'a Dataset> {
        let (few, several): (_, &[&Dataset]) = match self {
            Self::Arms(data) => ([Some(data), None], &[]),
            Self::Two(control, candidate) => ([Some(control), Some(candidate)], &[]),
            Self::Several(all) => ([None, None], all),
        };
        few.into_iter().flatten().chain(several.iter().copied())
    }
}

/// One side of a contrast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideName {
    /// The source.
    pub source: String,
    /// Where the source came from.
    pub origin: Origin,
    /// The arm; absent where the source has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
}

impl SideName {
    /// The arm, else the source.
    pub fn short(&self) -> &str {
        self.arm.as_deref().unwrap_or(&self.source)
    }

    /// The source, with the arm where it has one, as a side is named.
    pub(crate) fn full(&self) -> String {
        match &self.arm {
            Some(arm) => format!("{}:{arm}", self.source),
            None => self.source.clone(),
        }
    }
}

/// One arm of a source at one sweep point.
#[derive(Debug, Clone)]
pub(crate) struct ComparedSide<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) arm: Option<String>,
    pub(crate) point: Params,
}

impl<'a> ComparedSide<'a> {
    /// Tells by the numbers of its arm and its point whether something is of this side.
    pub(crate) fn holds(&self) -> impl Fn(u32, u32) -> bool + use<> {
        let point = self.point.to_string();
        let arms: Vec<bool> = self.data.arms.iter().map(|arm| *arm == self.arm).collect();
        let points: Vec<bool> = self.data.points.iter().map(|name| *name == point).collect();
        move |arm, point| arms[arm as usize] && points[point as usize]
    }

    /// Its trials.
    pub(crate) fn trials(&self) -> impl Iterator<Item = &'a Trial> + use<'a> {
        let holds = self.holds();
        let all = self.data.trials.iter();
        all.filter(move |trial| holds(trial.arm, trial.point))
    }

    pub(crate) fn name(&self) -> SideName {
        SideName {
            source: self.data.label.clone(),
            origin: self.data.origin.clone(),
            arm: self.arm.clone(),
        }
    }
}

/// The points that an arm has trials at.
pub(crate) fn points_of(data: &Dataset, arm: Option<&str>) -> Vec<Params> {
    let mut seen = vec![false; data.point_values.len()];
    for trial in &data.trials {
        if data.arms.get(trial.arm).as_deref() == arm {
            seen[trial.point as usize] = true;
        }
    }
    let all = data.point_values.iter().zip(seen);
    all.filter(|(_, seen)| *seen)
        .map(|(point, _)| point.clone())
        .collect()
}
