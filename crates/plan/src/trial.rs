//! One trial of a plan, worked out from its number.

use crate::design::Design;
use fairtrial_model::{ParamValue, Params, TrialKey};
use fairtrial_spec::{Task, Template, UndefinedPlaceholder, Work};
use std::borrow::Cow;

/// One trial: where it stands, and everything it is given.
#[derive(Debug, Clone)]
pub struct Trial<'p> {
    /// Its place in the design.
    pub key: TrialKey,
    /// Its task.
    pub task: &'p Task,
    /// All its parameters: the task's, then the arm's, then the point's, the later ones winning.
    pub params: Params,
}

/// What only a run decides. Without it the placeholders stay as they are.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// The attempt's directory.
    pub dir: &'a str,
    /// The attempt's name.
    pub trial: &'a str,
    /// The run's stamp.
    pub run: &'a str,
    /// The attempt's number.
    pub attempt: u32,
}

impl<'p> Trial<'p> {
    pub(crate) fn new(design: &'p Design, number: u32, place: u64) -> Self {
        let at = design.coordinates(number);
        let spec = design.spec();
        let task = &spec.tasks[at.task];
        let arm = at.arm.and_then(|arm| spec.arms.get(arm));
        let point = design.point(&at);
        let mut params = task.params.clone();
        if let Some(arm) = arm {
            params.merge(&arm.params);
        }
        params.merge(&point);
        let key = TrialKey {
            index: place,
            task: task.id.clone(),
            arm: arm.map(|arm| arm.name.clone()),
            point,
            seed: design.seed_value(&at),
            rollout: at.rollout,
        };
        Self { key, task, params }
    }

    /// Program and arguments; empty for a task that is no command.
    pub fn argv(
        &self,
        placement: Option<&Placement<'_>>,
    ) -> Result<Vec<String>, UndefinedPlaceholder> {
        match &self.task.work {
            Work::Command { argv, shell: false } => {
                let mut words = Vec::with_capacity(argv.len());
                for word in argv {
                    let value = |name: &str| self.param(name, placement);
                    words.extend(Template::parse(word).words(value)?);
                }
                Ok(words)
            }
            Work::Command { argv, shell: true } => {
                let script = self.script(&argv.join(" "), placement)?;
                Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), script])
            }
            Work::Experiment { .. } | Work::Prepared { .. } | Work::Imported { .. } => {
                Ok(Vec::new())
            }
        }
    }

    /// A script with its placeholders filled in: a list becomes words, each quoted where the shell would take it apart.
    fn script(
        &self,
        text: &str,
        placement: Option<&Placement<'_>>,
    ) -> Result<String, UndefinedPlaceholder> {
        Template::parse(text).script(|name| self.param(name, placement))
    }

    /// The value of a placeholder as it is.
    fn param(&self, name: &str, placement: Option<&Placement<'_>>) -> Option<Cow<'_, ParamValue>> {
        if let Some(value) = self.params.get(name) {
            return Some(Cow::Borrowed(value));
        }
        let text = self.value(name, placement)?;
        Some(Cow::Owned(ParamValue::String(text.into_owned())))
    }

    /// A text of the spec with its placeholders filled in.
    pub fn expand(
        &self,
        text: &str,
        placement: Option<&Placement<'_>>,
    ) -> Result<String, UndefinedPlaceholder> {
        Template::parse(text).expand(|name| self.value(name, placement))
    }

    /// The value of a placeholder.
    fn value(&self, name: &str, placement: Option<&Placement<'_>>) -> Option<Cow<'_, str>> {
        // The user's own names come first: an arm's `run` or `index` means what the spec says.
        if let Some(value) = self.params.get(name) {
            return Some(Cow::Owned(Params::display(value)));
        }
        let owned = |value: String| Some(Cow::Owned(value));
        match (name, placement) {
            ("seed", _) => owned(self.key.seed.to_string()),
            ("rollout", _) => owned(self.key.rollout.to_string()),
            ("index", _) => owned(self.key.index.to_string()),
            ("task", _) => Some(Cow::Borrowed(&self.key.task)),
            ("arm", _) => Some(Cow::Borrowed(self.key.arm.as_deref().unwrap_or_default())),
            ("dir", Some(placement)) => owned(placement.dir.to_owned()),
            ("trial", Some(placement)) => owned(placement.trial.to_owned()),
            ("run", Some(placement)) => owned(placement.run.to_owned()),
            ("attempt", Some(placement)) => owned(placement.attempt.to_string()),
            ("dir" | "trial" | "run" | "attempt", None) => owned(format!("{{{name}}}")),
            _ => None,
        }
    }
}
