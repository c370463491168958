//! One trial of a plan, worked out from its number.

use crate::design::Design;
use fairtrial_model::{ParamValue, Params, TrialKey};
use fairtrial_spec::{Task, Template, UndefinedPlaceholder, Work, without_references};
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
    /// The folder that all attempts at the trial share; none where its task saves nothing.
    pub checkpoint: Option<&'a str>,
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

    /// Program and arguments for whoever looks up `${NAME}` in them afterwards, as the spec has it. One in a value is a value:
    /// what the spec's author did not write is not looked up.
    pub fn argv_to_resolve(
        &self,
        placement: &Placement<'_>,
    ) -> Result<Vec<String>, UndefinedPlaceholder> {
        let words = self.task.work.env_words();
        if words.is_empty() {
            return self.argv(Some(placement));
        }
        let mut filled = Vec::with_capacity(words.len());
        for word in words {
            let value = |name: &str| {
                let value = self.param(name, Some(placement))?;
                Some(Cow::Owned(literal(&value)))
            };
            filled.extend(Template::parse(word).words(value)?);
        }
        Ok(filled)
    }

    /// A text of the spec for the same.
    pub fn expand_to_resolve(
        &self,
        text: &str,
        placement: &Placement<'_>,
    ) -> Result<String, UndefinedPlaceholder> {
        let value = |name: &str| {
            let value = self.value(name, Some(placement))?;
            Some(Cow::Owned(without_references(&value)))
        };
        Template::parse(text).expand(value)
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
            ("checkpoint", Some(placement)) => owned(placement.checkpoint?.to_owned()),
            ("checkpoint", None) if self.task.checkpoint.is_some() => {
                owned("{checkpoint}".to_owned())
            }
            ("dir" | "trial" | "run" | "attempt", None) => owned(format!("{{{name}}}")),
            _ => None,
        }
    }
}

/// A value in whose texts nothing is looked up.
fn literal(value: &ParamValue) -> ParamValue {
    match value {
        ParamValue::String(text) => ParamValue::String(without_references(text)),
        ParamValue::Array(items) => ParamValue::Array(items.iter().map(literal).collect()),
        other => other.clone(),
    }
}
