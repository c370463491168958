//! Where the values of a line of JSON stand: at a step of a series, at its end, or nowhere.

use serde_json::{Map, Value};

/// Names under which programs write the step, the first one first: beside a logger's own `_step`, `step` may be anything.
pub const STEP_KEYS: [&str; 2] = ["_step", "step"];

/// Where the values of a line stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinePlace<'a> {
    /// There is no step: they are final.
    Final,
    /// They are points at this step.
    At(f64),
    /// There is a step, and it is no number. Taken for none it would make a point the final value.
    Nowhere(&'a Value),
}

impl<'a> LinePlace<'a> {
    /// Where the values of this line stand. A number in words, as some programs write it, is a number.
    pub fn of(line: &'a Map<String, Value>) -> Self {
        let step = STEP_KEYS.iter().find_map(|key| line.get(*key));
        let Some(step) = step.filter(|step| !step.is_null()) else {
            return Self::Final;
        };
        let number = match step {
            Value::String(words) => words.trim().parse().ok(),
            step => step.as_f64(),
        };
        let finite = number.filter(|number| number.is_finite());
        finite.map_or(Self::Nowhere(step), Self::At)
    }
}
