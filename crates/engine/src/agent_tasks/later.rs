//! Agent tasks of a run as they are now, and what of them is another than it was.

use super::reader::TaskReader;
use super::ready::{NotReady, made};
use fairtrial_agent::check::check_task;
use fairtrial_agent::findings::Findings;
use fairtrial_agent::task::AgentTask;
use fairtrial_journal::DataRoot;
use fairtrial_spec::{Spec, Work};

/// The tasks of a run that are others now.
#[derive(Debug, Default)]
pub struct LaterTasks {
    /// Those that changed.
    pub changed: Vec<ChangedTask>,
    /// Those that cannot be read any more, each with why.
    pub unreadable: Vec<String>,
}

/// A task that changed since its run.
#[derive(Debug)]
pub struct ChangedTask {
    /// Its id in the spec.
    pub task: String,
    /// What of its scoring changed.
    pub scoring: Vec<String>,
    /// What an agent meets that changed.
    pub given: Vec<&'static str>,
    /// What it says about its scoring now.
    pub now: AgentTask,
}

impl LaterTasks {
    /// Looks into the tasks of a run's spec again. What they were is in the cache.
    pub fn find(spec: &Spec, root: &DataRoot, reader: &TaskReader) -> Result<Self, NotReady> {
        let mut later = Self::default();
        for task in &spec.tasks {
            let Work::Prepared { digest, .. } = &task.work else {
                continue;
            };
            let is_known = later.changed.iter().any(|known| known.task == task.id);
            let Some(baseline) = made(task, root).filter(|_| !is_known) else {
                continue;
            };
            let now = match reader.read(task) {
                Ok(read) if digest.as_ref() == Some(&read.digest) => continue,
                Ok(read) => read.task,
                Err(error) => {
                    later
                        .unreadable
                        .push(format!("task `{}`: {error}", task.id));
                    continue;
                }
            };
            let mut findings = Findings::default();
            check_task(&now, &mut findings);
            if !findings.errors.is_empty() {
                let of = |error: &String| format!("task `{}`: {error}", task.id);
                return Err(NotReady::Lacks(findings.errors.iter().map(of).collect()));
            }
            let before = baseline.task().map_err(|error| NotReady::Task {
                task: task.id.clone(),
                error,
            })?;
            later.changed.push(ChangedTask {
                task: task.id.clone(),
                scoring: before.scoring_changes(&now),
                given: before.given_changes(&now),
                now: now.scoring_alone(),
            });
        }
        later.unreadable.dedup();
        Ok(later)
    }
}
