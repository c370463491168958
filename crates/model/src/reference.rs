//! Reference points: which score counts as 0 and which as 1, so that scores of different tasks have one scale.

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

    /// The tasks that are named.
    pub fn tasks(&self) -> impl Iterator<Item = &str> {
        let by_task = match self {
            Self::Same(_) => None,
            Self::ByTask(points) => Some(points),
        };
        by_task
            .into_iter()
            .flat_map(|points| points.keys().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::{Points, Reference};

    #[test]
    fn the_better_end_is_one_whichever_way_is_better() {
        let up = Points::new(-20.0, 20.0).unwrap();
        assert_eq!(up.normalised(0.0), 0.5);
        let down = Points::new(100.0, 10.0).unwrap();
        assert_eq!(down.normalised(10.0), 1.0);
        assert_eq!(down.normalised(190.0), -1.0);
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
