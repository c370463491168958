//! Ids of tasks: as written, or made from the work; unique, except that one task in several arms keeps one id.

use super::draft::Draft;
use super::parts::error;
use super::variants::Varying;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::spec::task::Task;
use crate::spec::work::Work;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Gives every task its id.
pub(super) fn assign(
    tasks: &mut [Task],
    drafts: &[Draft],
    varying: &Varying,
    problems: &mut Problems,
) {
    let mut taken = explicit_ids(drafts, problems);
    // What a task is but for its arm, to the ids already given to that.
    let mut shared: HashMap<String, Shared> = HashMap::new();
    let mut numbers = Numbers::default();
    for (task, draft) in tasks.iter_mut().zip(drafts) {
        if draft.text("id").is_some() {
            continue;
        }
        let base = default_id(&task.work);
        let share = shared.entry(signature(task, varying)).or_default();
        task.id = match share.id_for(task.arm.as_deref()) {
            Some(id) => id,
            None => share.start(numbers.free_id(&base, &taken), task.arm.as_deref()),
        };
        taken.insert(task.id.clone());
    }
}

/// The id that tasks differing only in their arm share, and the arms that have it.
#[derive(Default)]
struct Shared {
    id: String,
    arms: HashSet<String>,
}

impl Shared {
    fn id_for(&mut self, arm: Option<&str>) -> Option<String> {
        let is_new = !self.id.is_empty() && self.arms.insert(arm?.to_owned());
        is_new.then(|| self.id.clone())
    }

    fn start(&mut self, id: String, arm: Option<&str>) -> String {
        self.id.clone_from(&id);
        self.arms = arm.into_iter().map(str::to_owned).collect();
        id
    }
}

fn explicit_ids(drafts: &[Draft], problems: &mut Problems) -> HashSet<String> {
    let mut first: HashMap<&str, &Node> = HashMap::new();
    for draft in drafts {
        let Some(node) = draft.node.get("id") else {
            continue;
        };
        let Some(id) = node.text() else { continue };
        if let Some(earlier) = first.insert(id, node) {
            let problem = error(node.span, format!("two tasks have the id `{id}`"))
                .label("again here")
                .related(earlier.span, "first here")
                .help("give each task its own id; to compare variants of one task, declare [arms]");
            problems.push(problem);
        }
    }
    first.into_keys().map(str::to_owned).collect()
}

/// Everything that makes a task what it is, but for its arm and how often it is repeated.
fn signature(task: &Task, varying: &Varying) -> String {
    let mut task = task.clone();
    varying.strip(&mut task);
    task.arm = None;
    task.place = 0;
    task.rollouts = 1;
    if let Work::Prepared { model, .. } = &mut task.work {
        model.clear();
    }
    serde_json::to_string(&task).unwrap_or_default()
}

fn default_id(work: &Work) -> String {
    let from = match work {
        Work::Experiment { slug, .. } => slug.clone(),
        Work::Imported { format, .. } => format.clone(),
        Work::Prepared { dir, .. } => last_part(dir, Path::file_name),
        Work::Command { argv, .. } => {
            let script = argv.first().map_or("", String::as_str);
            last_part(
                script.split_whitespace().next().unwrap_or(""),
                Path::file_stem,
            )
        }
    };
    let safe = |c: char| {
        if c.is_control() || "/\\{}".contains(c) {
            '-'
        } else {
            c
        }
    };
    let id: String = from.chars().map(safe).collect();
    if id.trim_matches(['-', '.', ' ']).is_empty() {
        "task".to_owned()
    } else {
        id
    }
}

fn last_part(path: &str, part: fn(&Path) -> Option<&std::ffi::OsStr>) -> String {
    part(Path::new(path))
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The next number to try for each default id, so that a thousand tasks of one program are named in one pass.
#[derive(Default)]
struct Numbers(HashMap<String, u32>);

impl Numbers {
    fn free_id(&mut self, base: &str, taken: &HashSet<String>) -> String {
        let next = self.0.entry(base.to_owned()).or_insert(1);
        loop {
            let id = if *next == 1 {
                base.to_owned()
            } else {
                format!("{base}-{next}")
            };
            *next += 1;
            if !taken.contains(&id) {
                return id;
            }
        }
    }
}
