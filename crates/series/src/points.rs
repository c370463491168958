//! The points of a curve.

/// Points of one metric, in the order in which they were logged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurvePoints {
    /// The steps.
    pub steps: Vec<f64>,
    /// The values; NaN where one was logged.
    pub values: Vec<f64>,
    /// What a reader should know about the reading.
    pub notes: Vec<String>,
}

impl CurvePoints {
    /// One number, which is no curve.
    pub fn single(value: f64) -> Self {
        Self {
            steps: vec![0.0],
            values: vec![value],
            notes: vec!["one number and no curve; `fairtrial compare` works on those".to_owned()],
        }
    }

    /// Each step with its value.
    pub fn pairs(&self) -> Vec<(f64, f64)> {
        let values = self.values.iter().copied();
        self.steps.iter().copied().zip(values).collect()
    }
}

/// Rows of step and value while they are read: their steps where any has one, else the rows' numbers.
#[derive(Debug, Default)]
pub(crate) struct StepRows {
    is_stepped: bool,
    steps: Vec<f64>,
    values: Vec<f64>,
}

impl StepRows {
    /// Takes a row. A value without a step among values with one is a final value, not a point.
    pub(crate) fn push(&mut self, step: Option<f64>, value: f64) {
        match step {
            Some(step) => {
                if !self.is_stepped {
                    self.is_stepped = true;
                    self.values.clear();
                }
                self.steps.push(step);
                self.values.push(value);
            }
            None if self.is_stepped => {}
            None => self.values.push(value),
        }
    }

    /// The points that they are.
    pub(crate) fn points(self) -> CurvePoints {
        if self.is_stepped {
            return CurvePoints {
                steps: self.steps,
                values: self.values,
                notes: Vec::new(),
            };
        }
        if let [value] = self.values[..] {
            return CurvePoints::single(value);
        }
        let note = "no step column: the rows are numbered in their order".to_owned();
        CurvePoints {
            steps: (0..self.values.len()).map(|row| row as f64).collect(),
            notes: Vec::from_iter((!self.values.is_empty()).then_some(note)),
            values: self.values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CurvePoints, StepRows};

    fn points(rows: &[(Option<f64>, f64)]) -> CurvePoints {
        let mut found = StepRows::default();
        for (step, value) in rows {
            found.push(*step, *value);
        }
        found.points()
    }

    #[test]
    fn rows_without_any_step_are_numbered_and_final_values_are_no_points() {
        let numbered = points(&[(None, 5.0), (None, 6.0)]);
        assert_eq!(numbered.steps, [0.0, 1.0]);
        assert_eq!(numbered.notes.len(), 1);
        for rows in [
            [(Some(3.0), 5.0), (None, 9.0)],
            [(None, 9.0), (Some(3.0), 5.0)],
        ] {
            let stepped = points(&rows);
            assert_eq!(
                (&stepped.steps[..], &stepped.values[..]),
                (&[3.0][..], &[5.0][..])
            );
            assert!(stepped.notes.is_empty());
        }
        assert_eq!(points(&[(None, 5.0)]), CurvePoints::single(5.0));
        assert_eq!(points(&[]), CurvePoints::default());
    }
}
