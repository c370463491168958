//! Reference points: which score counts as 0 and which as 1, so that scores of different tasks have one scale.

use crate::direction::Direction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The reference points of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reference {
    /// The same for every task.
    Same(Points),
    /// By task.
    ByTask(BTreeMap<String, Points>),
}

/// The score that counts as 0 and the one that counts as 1, which is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Points([f64; 2]);

impl Points {
    /// Two different finite scores.
    pub fn new(zero: f64, one: f64) -> Option<Self> {
        let apart = (one - zero).is_finite() && one != zero;
        apart.then_some(Self([zero, one]))
    }

    /// Which way is better, by these points.
    pub fn direction(self) -> Direction {
        let [zero, one] = self.0;
        if one > zero {
            Direction::Up
        } else {
            Direction::Down
        }
    }

    /// How far apart they are.
    pub fn span(self) -> f64 {
        let [zero, one] = self.0;
        (one - zero).abs()
    }

    /// A score on the common scale.
    pub fn normalised(self, score: f64) -> f64 {
        let [zero, one] = self.0;
        (score - zero) / (one - zero)
    }
}

impl Reference {
    /// The points of a task, where it has some.
    pub fn points(&self, task: &str) -> Option<Points> {
        match self {
            Self::Same(points) => Some(*points),
            Self::ByTask(points) => points.get(task).copied(),
        }
    }

    /// How far apart the points of these tasks are, where that is the same for all that have some.
    pub fn one_span<'a>(&self, tasks: impl Iterator<Item = &'a str>) -> Option<f64> {
        let mut spans = tasks.filter_map(|task| Some(self.points(task)?.span()));
        let first = spans.next()?;
        let same = |span: f64| (span - first).abs() <= 1e-12 * first;
        spans.all(same).then_some(first)
    }

    /// Whether any points have their better end on the other side than this.
    pub fn contradicts(&self, direction: Direction) -> bool {
        let other = |points: &Points| points.direction() != direction;
        match self {
            Self::Same(points) => other(points),
            Self::ByTask(points) => points.values().any(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Points, Reference};

    #[test]
    fn the_better_end_is_one_whichever_way_is_better() {
        let up = Points::new(-20.0, 20.0).unwrap();
        assert_eq!(up.normalised(0.0), 0.5);
        let down = Points::new(100.0, 10.0).unwrap();
        assert_eq!(down.normalised(10.0), 1.0);
        assert_eq!(down.normalised(190.0), -1.0);
        assert!(Reference::Same(up).contradicts(Direction::Down));
        assert!(!Reference::Same(down).contradicts(Direction::Down));
    }

    #[test]
    fn one_span_is_one_for_all_tasks() {
        let points = |zero, one| Points::new(zero, one).unwrap();
        let tasks = || ["a", "b", "c"].into_iter();
        let same = Reference::Same(points(100.0, 0.0));
        assert_eq!(same.one_span(tasks()), Some(100.0));
        let alike = [("a", points(0.0, 0.3)), ("b", points(0.1, 0.4))];
        let by_task = |all: &[(&str, Points)]| {
            let named = all
                .iter()
                .map(|(task, points)| ((*task).to_owned(), *points));
            Reference::ByTask(named.collect())
        };
        assert!(by_task(&alike).one_span(tasks()).is_some());
        let unlike = [alike[0], ("b", points(0.0, 0.31))];
        assert_eq!(by_task(&unlike).one_span(tasks()), None);
    }

    #[test]
    fn equal_or_endless_points_are_none() {
        assert_eq!(Points::new(1.0, 1.0), None);
        assert_eq!(Points::new(f64::NAN, 1.0), None);
        assert_eq!(Points::new(0.0, f64::INFINITY), None);
        assert_eq!(Points::new(-1e308, 1e308), None);
    }

    #[test]
    fn both_forms_come_back_from_json() {
        for text in ["[0.0,100.0]", r#"{"pong":[-20.7,14.6]}"#] {
            let read: Reference = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }
}
