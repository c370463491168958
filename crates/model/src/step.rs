//! Where the values of a row stand: at a step of a series, at its end, or nowhere.

use serde_json::{Map, Value};

/// Names under which programs write the step, the first one first: beside a logger's own `_step`, `step` may be anything.
/// A `*` stands for a group that a logger puts before its names (`time/total_timesteps`).
pub const STEP_NAMES: [&str; 7] = [
    "_step",
    "step",
    "global_step",
    "total_timesteps",
    "*/total_timesteps",
    "iteration",
    "epoch",
];

/// Those that mean nothing else, so that they are steps even in a row that holds nothing else, and need no mention.
const PLAIN_NAMES: [&str; 2] = ["_step", "step"];

/// How the step is found among the names of a row.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepSearch<'a> {
    /// The name that the spec gives; no other one counts then.
    pub declared: Option<&'a str>,
    /// Names that are metrics, and so no steps.
    pub metrics: &'a [&'a str],
}

impl StepSearch<'_> {
    /// The name that holds the step: the declared one, else the first of the well-known ones that is there.
    pub fn among<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
        if let Some(declared) = self.declared {
            return names.into_iter().find(|name| *name == declared);
        }
        let is_free = |name: &&str| !self.metrics.contains(name);
        let mut best: Option<(usize, &str)> = None;
        for name in names.filter(is_free) {
            let rank = STEP_NAMES.iter().position(|known| fits(known, name));
            if let Some(rank) = rank.filter(|rank| best.is_none_or(|(better, _)| *rank < better)) {
                best = Some((rank, name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// The name that holds the step of a line of JSON. A line that holds nothing but an `epoch` reports that as a number.
    pub fn in_line<'l>(&self, line: &'l Map<String, Value>) -> Option<&'l str> {
        self.in_names(line.keys().map(String::as_str))
    }

    /// The same by the names of a line.
    pub fn in_names<'n>(
        &self,
        mut names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<&'n str> {
        let name = self.among(names.clone())?;
        let sure = self.declared.is_some() || is_plain_step(name) || names.any(|it| it != name);
        sure.then_some(name)
    }
}

/// Whether a name means nothing else than the step, so that nobody needs to be told.
pub fn is_plain_step(name: &str) -> bool {
    PLAIN_NAMES.contains(&name)
}

fn fits(known: &str, name: &str) -> bool {
    match known.strip_prefix('*') {
        Some(ending) => name.len() > ending.len() && name.ends_with(ending),
        None => known == name,
    }
}

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
    /// Where the values of this line stand, whose step has this name. A number in words, as some programs write it, is a
    /// number.
    pub fn of(line: &'a Map<String, Value>, name: Option<&str>) -> Self {
        let step = name.and_then(|name| line.get(name));
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

#[cfg(test)]
mod tests {
    use super::StepSearch;

    fn found(names: &[&'static str], search: StepSearch<'_>) -> Option<&'static str> {
        search.among(names.iter().copied())
    }

    #[test]
    fn the_best_known_name_is_the_step_whatever_the_order() {
        let any = StepSearch::default();
        let sb3 = ["rollout/ep_rew_mean", "time/fps", "time/total_timesteps"];
        assert_eq!(found(&sb3, any), Some("time/total_timesteps"));
        assert_eq!(found(&["epoch", "global_step"], any), Some("global_step"));
        assert_eq!(found(&["step", "epoch", "_step"], any), Some("_step"));
        assert_eq!(found(&["loss", "steps", "/total_timesteps"], any), None);
    }

    #[test]
    fn a_declared_name_is_the_only_one_and_metrics_are_no_steps() {
        let declared = StepSearch {
            declared: Some("frames"),
            metrics: &[],
        };
        assert_eq!(found(&["step", "frames"], declared), Some("frames"));
        assert_eq!(found(&["step"], declared), None);
        let metrics = StepSearch {
            declared: None,
            metrics: &["epoch"],
        };
        assert_eq!(found(&["epoch", "loss"], metrics), None);
    }
}
