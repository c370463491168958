//! Reference points as a user writes them on a command line.

use crate::error::AnalysisError;
use fairtrial_model::{Points, Reference};
use std::collections::BTreeMap;

/// Reference points of one task, or of every task.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenPoints {
    task: Option<String>,
    points: Points,
}

/// Reads `0:100` or `pong=-20.7:14.6`.
pub fn parse_points(text: &str) -> Result<GivenPoints, String> {
    let (task, scores) = match text.rsplit_once('=') {
        Some((task, scores)) => (Some(task.trim().to_owned()), scores),
        None => (None, text),
    };
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let points = scores
        .split_once(':')
        .and_then(|(zero, one)| Points::new(number(zero)?, number(one)?));
    let points = points.ok_or_else(|| {
        format!(
            "`{text}` gives no reference points: write the score that counts as 0 and the better one that counts as 1, \
             like `0:100` or `TASK=0:100`"
        )
    })?;
    Ok(GivenPoints { task, points })
}

impl GivenPoints {
    /// All of them together; none where none are given.
    pub fn together(given: &[Self]) -> Result<Option<Reference>, AnalysisError> {
        let refused = |why: &str| Err(AnalysisError::Question(format!("--reference {why}")));
        match given {
            [] => Ok(None),
            [Self { task: None, points }] => Ok(Some(Reference::Same(*points))),
            _ => {
                let mut by_task = BTreeMap::new();
                for Self { task, points } in given {
                    let Some(task) = task else {
                        return refused(
                            "without a task is about every task, so it is given once and alone",
                        );
                    };
                    if by_task.insert(task.clone(), *points).is_some() {
                        return refused(&format!("is given twice for the task `{task}`"));
                    }
                }
                Ok(Some(Reference::ByTask(by_task)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::data::reference::GivenPoints;
    use crate::compare::data::reference::parse_points;

    #[test]
    fn points_are_two_scores_with_or_without_a_task() {
        let all = [parse_points("0:100").unwrap()];
        let reference = GivenPoints::together(&all).unwrap().unwrap();
        assert_eq!(reference.points("any").unwrap().normalised(50.0), 0.5);
        let one = [parse_points("a=b=-20:20").unwrap()];
        let reference = GivenPoints::together(&one).unwrap().unwrap();
        assert_eq!(reference.points("a=b").unwrap().normalised(0.0), 0.5);
        assert_eq!(reference.points("other"), None);
        assert_eq!(GivenPoints::together(&[]).unwrap(), None);
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for bad in ["", "1", "1:1", "a=1", "nan:1", "0:inf", "x:1"] {
            assert!(parse_points(bad).is_err(), "{bad}");
        }
        let points = |text| parse_points(text).unwrap();
        assert!(GivenPoints::together(&[points("0:1"), points("a=0:1")]).is_err());
        assert!(GivenPoints::together(&[points("a=0:1"), points("a=0:2")]).is_err());
    }
}
