//! The spec that an imported run keeps: its tasks, arms and metrics as the records have them.

use crate::error::SessionError;
use fairtrial_interop::{Foreign, SeedMeaning, Subject};
use fairtrial_model::{Params, TrialKey};
use fairtrial_spec::{Arm, Format, LoadOptions, Spec, Task, Work, load_text};

/// A spec with every default filled in, and one task.
const EMPTY: &str = "name = \"imported\"\ncommand = \"imported\"\n";

/// The spec of an import; with what an earlier import into the same run had.
pub(super) fn spec_of(
    foreign: &Foreign,
    (keys, seeds): (&[TrialKey], SeedMeaning),
    earlier: Option<Spec>,
) -> Result<Spec, SessionError> {
    let empty = load_text("import.toml", EMPTY, Format::Toml, &LoadOptions::default());
    let empty = empty
        .spec
        .ok_or_else(|| SessionError::Machine("the empty spec has errors".to_owned()))?;
    let Some(template) = empty.tasks.first().cloned() else {
        return Err(SessionError::Machine(
            "the empty spec has no task".to_owned(),
        ));
    };
    let work = Work::Imported {
        format: foreign.source.format()?.name().to_owned(),
        answers: foreign.roles.subject == Subject::Tasks,
        pairs: seeds == SeedMeaning::Shared,
    };
    let mut spec = earlier.unwrap_or_else(|| Spec {
        tasks: Vec::new(),
        seeds: Vec::new(),
        ..empty
    });
    let mut tasks: std::collections::HashSet<String> =
        spec.tasks.iter().map(|task| task.id.clone()).collect();
    for key in keys {
        if tasks.insert(key.task.clone()) {
            spec.tasks.push(Task {
                id: key.task.clone(),
                work: work.clone(),
                ..template.clone()
            });
        }
        if let Some(arm) = &key.arm
            && spec.arms.iter().all(|known| known.name != *arm)
        {
            spec.arms.push(Arm {
                name: arm.clone(),
                params: Params::new(),
            });
        }
        spec.seeds.push(key.seed);
    }
    spec.seeds.sort_unstable();
    spec.seeds.dedup();
    for declared in foreign.found.declarations() {
        if spec.metrics.iter().all(|known| known.name != declared.name) {
            spec.metrics.push(declared);
        }
    }
    let control = foreign.roles.control.clone();
    spec.analysis.control = spec.analysis.control.or(control);
    spec.source.clone_from(&foreign.name);
    Ok(spec)
}
