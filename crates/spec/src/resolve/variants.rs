//! Agent tasks in a spec without `[arms]`: one prepared task under one model that is listed with other environment
//! variables or other overrides is compared with itself, so that each such way to run it is an arm.

use super::draft::Draft;
use crate::spec::task::Task;
use crate::spec::work::Work;
use fairtrial_model::secret::{is_secret_name, looks_secret};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// In what the listings of some prepared task under one model differ.
#[derive(Debug, Default)]
pub(super) struct Varying {
    /// Environment variables by name, with their different values in the order of the spec.
    env: BTreeMap<String, Vec<Option<String>>>,
    overrides: bool,
    /// Whether two overrides files of one task have the same name in different folders.
    by_path: bool,
}

impl Varying {
    /// Looks for tasks that are listed in several ways, and makes an arm of each way.
    pub(super) fn arms(tasks: &mut [Task], drafts: &[Draft]) -> Self {
        let mut found = Self::default();
        let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        let mut listed = Vec::new();
        for (place, (task, draft)) in tasks.iter().zip(drafts).enumerate() {
            if let (Work::Prepared { dir, model, .. }, Some(_), None) =
                (&task.work, &task.arm, draft.text("id"))
            {
                let key = (dir.clone(), model.clone());
                groups.entry(key).or_default().push(place);
                listed.push(place);
            }
        }
        for places in groups.values() {
            let ways: Vec<&Task> = places.iter().map(|place| &tasks[*place]).collect();
            found.look_at(&ways);
        }
        if found.env.is_empty() && !found.overrides {
            return found;
        }
        for place in listed {
            let name = found.arm_name(&tasks[place]);
            tasks[place].arm = Some(name);
        }
        found
    }

    /// The task without what its arm says.
    pub(super) fn strip(&self, task: &mut Task) {
        task.env.retain(|name, _| !self.env.contains_key(name));
        if let (
            true,
            Work::Prepared {
                apply_overrides,
                overrides,
                ..
            },
        ) = (self.overrides, &mut task.work)
        {
            *apply_overrides = true;
            *overrides = None;
        }
    }

    fn look_at(&mut self, ways: &[&Task]) {
        let names: BTreeSet<&String> = ways.iter().flat_map(|task| task.env.keys()).collect();
        for name in names {
            let mut values: Vec<Option<String>> = Vec::new();
            for task in ways {
                let value = task.env.get(name).cloned();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            if values.len() > 1 {
                let known = self.env.entry(name.clone()).or_default();
                values.retain(|value| !known.contains(value));
                known.append(&mut values);
            }
        }
        let files: BTreeSet<Overrides<'_>> = ways.iter().map(|task| overrides(task)).collect();
        let names: BTreeSet<String> = files.iter().map(|file| file.name()).collect();
        self.overrides |= files.len() > 1;
        self.by_path |= names.len() < files.len();
    }

    /// The model, and what else is not the same everywhere.
    fn arm_name(&self, task: &Task) -> String {
        let mut parts = Vec::new();
        if let Work::Prepared { model, .. } = &task.work {
            parts.push(model.clone());
        }
        for (name, values) in &self.env {
            let value = task.env.get(name);
            parts.push(match value {
                // Whatever is in it must not be read in a report.
                Some(text) if is_secret_name(name) || looks_secret(text) => {
                    let number = values.iter().position(|known| known.as_ref() == value);
                    format!("{name}=#{}", number.unwrap_or(0) + 1)
                }
                Some(value) => format!("{name}={value}"),
                None => format!("without {name}"),
            });
        }
        if self.overrides {
            let file = overrides(task);
            let name = match file {
                Overrides::File(path) if self.by_path => path.to_owned(),
                _ => file.name(),
            };
            parts.push(format!("overrides={name}"));
        }
        parts.join(" ")
    }
}

/// What is changed in a prepared task before it is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Overrides<'a> {
    /// Nothing.
    None,
    /// What the task itself brings.
    OfTask,
    /// What a file says.
    File(&'a str),
}

impl Overrides<'_> {
    fn name(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::OfTask => "of the task".to_owned(),
            Self::File(path) => {
                let stem = Path::new(path).file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            }
        }
    }
}

fn overrides(task: &Task) -> Overrides<'_> {
    match &task.work {
        Work::Prepared {
            apply_overrides: true,
            overrides,
            ..
        } => overrides
            .as_deref()
            .map_or(Overrides::OfTask, Overrides::File),
        _ => Overrides::None,
    }
}
