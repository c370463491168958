//! Reference points: which score counts as 0 and which as 1, so that scores of different tasks have one scale.

use crate::Direction;
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
