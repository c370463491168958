//! What a task runs: exactly one of `command`, `experiment`, `prepared_dir`.

use super::draft::Draft;
use super::experiments::Known;
use super::parts::error;
use super::rollout;
use crate::diagnostic::Problems;
use crate::document::{Entry, Node};
use crate::shape::check::node_duration;
use crate::shape::task_keys::{TASK, WORK_KEYS};
use crate::spec::work::{DEFAULT_MIN_TIME_S, Instrument, Work};
use fairtrial_model::Params;
use fairtrial_text::nearest::nearest;

/// The model of an agent task that names none.
const DEFAULT_MODEL: &str = "gpt-5-mini";

/// Processes without which no sandbox and no worker starts: who starts it, itself, its first process, the program.
const LEAST_PROCESSES: u64 = 4;

/// Keys that only make sense with one kind of work.
const ONLY_WITH: [(&str, &str); 16] = [
    ("shell", "command"),
    ("iterations", "experiment"),
    ("processes", "experiment"),
    ("instrumentation", "experiment"),
    ("apply_overrides", "prepared_dir"),
    ("overrides", "prepared_dir"),
    ("agent", "prepared_dir"),
    ("sandbox", "prepared_dir"),
    ("scoring", "prepared_dir"),
    ("judge", "prepared_dir"),
    ("judge_rule", "prepared_dir"),
    ("setup", "prepared_dir"),
    ("setup_timeout", "prepared_dir"),
    ("verify_timeout", "prepared_dir"),
    ("pass_score", "prepared_dir"),
    ("pass_env", "prepared_dir"),
];

/// The work of a task; absent where it has none or two kinds.
pub(super) fn work(draft: &Draft, known: &Known, problems: &mut Problems) -> Option<Work> {
    let entries = draft.node.map().map_or(&[][..], |map| &map.entries);
    let kinds: Vec<&Entry> = entries
        .iter()
        .filter(|entry| WORK_KEYS.contains(&entry.key.as_str()))
        .collect();
    match kinds[..] {
        [kind] => {
            misplaced_keys(draft, &kind.key, problems);
            match kind.key.as_str() {
                "command" => command(draft, &kind.value, problems),
                "experiment" => Some(experiment(draft, kind.value.text()?, known, problems)),
                _ => Some(prepared(draft, kind.value.text()?, problems)),
            }
        }
        [] => {
            if !means_work(entries) {
                let problem = error(draft.node.span, "the task has no work");
                problems
                    .push(problem.help("give it one of `command`, `experiment`, `prepared_dir`"));
            }
            None
        }
        [first, second, ..] => {
            let message = format!(
                "a task has one kind of work: `{}` or `{}`",
                first.key, second.key
            );
            let problem = error(second.key_span, message).label("and this one");
            let help = "keep one, and make a second task of the other";
            problems.push(problem.related(first.key_span, "this kind").help(help));
            None
        }
    }
}

/// Whether a key says what work it is but for its spelling, which is told.
fn means_work(entries: &[Entry]) -> bool {
    let unknown = entries
        .iter()
        .filter(|entry| TASK.key(&entry.key).is_none());
    unknown
        .filter_map(|entry| nearest(&entry.key, TASK.all_keys().map(|key| key.name)))
        .any(|meant| WORK_KEYS.contains(&meant))
}

/// A key that the kind of work does not know would be ignored; from `[defaults]` it may be meant for other tasks.
fn misplaced_keys(draft: &Draft, kind: &str, problems: &mut Problems) {
    for (key, wanted) in ONLY_WITH {
        let own = draft.has_own(key);
        if let Some(entry) = draft.node.map().and_then(|map| map.entry(key))
            && own
            && wanted != kind
        {
            let message = format!("`{key}` goes with `{wanted}`, this task has `{kind}`");
            problems.push(error(entry.key_span, message).help("remove it"));
        }
    }
    if kind != "command" {
        too_few_processes(draft, kind, problems);
    }
    let own_limits = draft.has_own("limits");
    let limits = draft.node.get("limits").and_then(Node::map);
    let disk = limits.and_then(|map| map.entry("disk"));
    if let Some(disk) = disk.filter(|_| own_limits && kind != "prepared_dir") {
        let message = format!("`limits.disk` goes with `prepared_dir`, this task has `{kind}`");
        problems.push(error(disk.key_span, message).help("remove it"));
    }
}

/// With fewer processes every trial would fail before its agent or its worker starts.
fn too_few_processes(draft: &Draft, kind: &str, problems: &mut Problems) {
    let limits = draft.node.get("limits").and_then(Node::map);
    let entry = limits.and_then(|limits| limits.entry("processes"));
    let is_few = |few: u64| (1..LEAST_PROCESSES).contains(&few);
    if let Some(entry) = entry.filter(|entry| entry.value.whole().is_some_and(is_few)) {
        let message = format!(
            "`limits.processes` is too small for a task with `{kind}`: it could not be started"
        );
        let help = format!("write {LEAST_PROCESSES} or more");
        problems.push(error(entry.key_span, message).help(help));
    }
}

fn command(draft: &Draft, node: &Node, problems: &mut Problems) -> Option<Work> {
    let shell = draft
        .node
        .get("shell")
        .and_then(Node::bool)
        .unwrap_or(false);
    if let Some(items) = node.list() {
        if shell {
            let problem = error(
                node.span,
                "with `shell = true` the command is one text, a script",
            );
            problems.push(problem.help("write it as one text, or remove `shell`"));
        }
        let argv = items
            .iter()
            .filter_map(Node::text)
            .map(str::to_owned)
            .collect();
        return Some(Work::Command { argv, shell: false });
    }
    let text = node.text()?;
    if shell {
        return Some(Work::Command {
            argv: vec![text.to_owned()],
            shell,
        });
    }
    match shell_words::split(text) {
        Ok(argv) if argv.first().is_some_and(|program| !program.is_empty()) => {
            Some(Work::Command { argv, shell })
        }
        // An empty text is no command by its shape, and was reported as that.
        Ok(_) if text.trim().is_empty() => None,
        Ok(_) => {
            problems.push(error(node.span, "the command names no program"));
            None
        }
        Err(_) => {
            let problem = error(node.span, "a quotation mark is not closed in this command");
            problems.push(problem.help("close it, or write the command as a list of texts"));
            None
        }
    }
}

fn experiment(draft: &Draft, slug: &str, known: &Known, problems: &mut Problems) -> Work {
    let iterations = draft.node.get("iterations");
    let count = |key| {
        let given = iterations?.get(key)?.whole();
        given.and_then(|n| u32::try_from(n).ok())
    };
    let measured = count("measured");
    let min_time = iterations.and_then(|node| node.get("min_time"));
    if let (Some(node), Some(_)) = (min_time, measured) {
        let message = "`measured` and `min_time` do not go together: one says how often, the other for how long";
        problems.push(error(node.span, message).help("remove one of them"));
    }
    let min_time = min_time.and_then(|node| node_duration(node).ok());
    let named = draft.node.get("instrumentation").and_then(Node::list);
    let timing = || {
        vec![Instrument {
            name: "timing".to_owned(),
            options: Params::new(),
        }]
    };
    Work::Experiment {
        slug: slug.to_owned(),
        warmup: count("warmup").or(measured.map(|_| 0)),
        measured,
        instruments: named.map_or_else(timing, |items| {
            items.iter().filter_map(instrument).collect()
        }),
        origin: known.origin(slug).cloned(),
        min_time_s: match measured {
            Some(_) => None,
            None => Some(min_time.unwrap_or(DEFAULT_MIN_TIME_S)),
        },
    }
}

fn instrument(node: &Node) -> Option<Instrument> {
    if let Some(name) = node.text() {
        return Some(Instrument {
            name: name.to_owned(),
            options: Params::new(),
        });
    }
    let name = node.get("name")?.text()?.to_owned();
    let options = node
        .map()?
        .entries
        .iter()
        .filter(|entry| entry.key != "name");
    let options = options
        .map(|entry| (entry.key.clone(), entry.value.to_param()))
        .collect();
    Some(Instrument { name, options })
}

fn prepared(draft: &Draft, dir: &str, problems: &mut Problems) -> Work {
    Work::Prepared {
        dir: dir.to_owned(),
        model: draft.text("model").unwrap_or(DEFAULT_MODEL).to_owned(),
        apply_overrides: draft
            .node
            .get("apply_overrides")
            .and_then(Node::bool)
            .unwrap_or(true),
        overrides: draft.text("overrides").map(str::to_owned),
        options: Box::new(rollout::options(draft, problems)),
        digest: None,
    }
}
