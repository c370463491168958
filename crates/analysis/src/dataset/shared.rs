//! Two runs of agents whose tasks are not all the same: what both have in the same form is compared, and the rest is left
//! out and named. A task with other tests, or that only one side has, would be taken for a change of the agents.

use super::{Dataset, FactKind};
use crate::error::AnalysisError;
use std::collections::BTreeSet;

/// Tasks that a sentence names.
const NAMED: usize = 8;

impl Dataset {
    /// Both sides with the tasks that they share; absent where they share all, or nothing is known about their tasks.
    pub fn with_shared_tasks(
        control: &Self,
        candidate: &Self,
        accepted: &[FactKind],
    ) -> Result<Option<(Self, Self)>, AnalysisError> {
        let (before, now) = (control.tried_tasks(), candidate.tried_tasks());
        let shared: BTreeSet<&str> = before.intersection(&now).copied().collect();
        let is_known = control.knows_tasks() && candidate.knows_tasks();
        if !is_known || shared.is_empty() {
            return Ok(None);
        }
        let differs = |task: &&&str| {
            let (before, now) = (control.task_form(task), candidate.task_form(task));
            before.zip(now).is_some_and(|(before, now)| before != now)
        };
        let changed: BTreeSet<&str> = if accepted.contains(&FactKind::Task) {
            BTreeSet::new()
        } else {
            shared.iter().filter(differs).copied().collect()
        };
        let kept: BTreeSet<&str> = shared.difference(&changed).copied().collect();
        if kept.is_empty() {
            return Err(AnalysisError::Question(format!(
                "every task that {} and {} share is another one, or scored differently, on each side ({}): run or score one \
                 of them again, or accept that (`task`)",
                control.label,
                candidate.label,
                named(&changed)
            )));
        }
        let alone = |own: &BTreeSet<&str>, data: &Self| {
            let own: BTreeSet<&str> = own.difference(&shared).copied().collect();
            let words = || format!("{}, which only {} has", named(&own), data.label);
            (!own.is_empty()).then(words)
        };
        let of_change = || format!("{}, which changed between the sides", named(&changed));
        let left_out: Vec<String> = [
            (!changed.is_empty()).then(of_change),
            alone(&before, control),
            alone(&now, candidate),
        ]
        .into_iter()
        .flatten()
        .collect();
        if left_out.is_empty() {
            return Ok(None);
        }
        let part = |data: &Self| {
            let mut part = data.part(|trial| kept.contains(data.tasks.get(trial.task).as_str()));
            let is_compared = |fact: &super::Fact| kept.contains(fact.name.as_str());
            part.facts
                .retain(|fact| fact.kind != FactKind::Task || is_compared(fact));
            part
        };
        let (control, mut candidate) = (part(control), part(candidate));
        candidate.problems.push(format!(
            "tasks left out of the comparison: {}",
            left_out.join("; ")
        ));
        Ok(Some((control, candidate)))
    }

    /// The tasks that have trials.
    fn tried_tasks(&self) -> BTreeSet<&str> {
        let tasks = self.trials.iter().map(|trial| trial.task);
        let tasks: BTreeSet<u32> = tasks.collect();
        let name = |task: u32| self.tasks.get(task).as_str();
        tasks.into_iter().map(name).collect()
    }

    fn knows_tasks(&self) -> bool {
        self.facts.iter().any(|fact| fact.kind == FactKind::Task)
    }

    /// What a task is on this side, where that is known.
    fn task_form(&self, task: &str) -> Option<&str> {
        let of_task = |fact: &&super::Fact| fact.kind == FactKind::Task && fact.name == task;
        self.facts
            .iter()
            .find(of_task)
            .map(|fact| fact.value.as_str())
    }
}

/// `a, b and 3 more`.
fn named(tasks: &BTreeSet<&str>) -> String {
    let first: Vec<&str> = tasks.iter().copied().take(NAMED).collect();
    match tasks.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::{Dataset, FactKind, Origin};
    use fairtrial_journal::observation::Observation;

    fn data(label: &str, tasks: &[(&str, &str)]) -> Dataset {
        let mut data = Dataset::new(label, Origin::Records);
        for (index, (task, form)) in tasks.iter().enumerate() {
            let text = format!(
                r#"{{"trial": {{"index": {index}, "task": "{task}", "seed": 1}}, "id": "x", "outcome": "ok", "metrics": {{"score": 1.0}}}}"#
            );
            let observation: Observation<'_> = serde_json::from_str(&text).unwrap();
            data.push(&observation);
            data.fact(FactKind::Task, *task, *form);
        }
        data
    }

    #[test]
    fn what_both_sides_have_in_the_same_form_is_kept() {
        let before = data("old", &[("a", "1"), ("b", "1"), ("c", "1")]);
        let now = data("new", &[("a", "1"), ("b", "2"), ("d", "1")]);
        let shared = Dataset::with_shared_tasks(&before, &now, &[]).unwrap();
        let (left, right) = shared.unwrap();
        assert_eq!((left.len(), right.len()), (1, 1));
        assert_eq!(
            right.problems,
            [
                "tasks left out of the comparison: b, which changed between the sides; c, which only old has; d, which only new has"
            ]
        );
        let accepted = Dataset::with_shared_tasks(&before, &now, &[FactKind::Task]).unwrap();
        assert_eq!(accepted.unwrap().0.len(), 2);
        let same = Dataset::with_shared_tasks(&before, &before, &[]).unwrap();
        assert!(same.is_none());
        let other = data("new", &[("a", "2"), ("b", "2")]);
        let refused = Dataset::with_shared_tasks(&before, &other, &[]).unwrap_err();
        assert!(refused.to_string().contains("a, b"), "{refused}");
    }
}
