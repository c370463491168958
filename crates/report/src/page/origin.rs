//! Where the numbers came from: the trials behind each, the machine, the source, and how to make them again.

use super::content::Block;
use crate::comparison::title;
use crate::grid::{Cell, Column, Grid, Section};
use crate::summary::left_out;
use fairtrial_analysis::report::ReportData;
use fairtrial_analysis::{CodeGroup, TrialSet};
use fairtrial_journal::provenance::{Vcs, VcsState};
use fairtrial_text::count::{counted, first_of};
use fairtrial_text::shell_word::shell_word;
use std::collections::HashMap;

/// The trials behind every number, in the grammar of `--only`.
pub(super) fn trials(data: &ReportData) -> Vec<Block> {
    let mut blocks = vec![Block::Words(where_files_are(data))];
    let mut lists = Lists::default();
    blocks.extend(compared(data, &mut lists).map(Block::Table));
    let mut grid = Grid::new(vec![
        Column::words("task"),
        Column::words("arm"),
        Column::words("point"),
        Column::words("trials"),
    ]);
    for cell in &data.summary.cells {
        grid.push(vec![
            cell.task.as_str().into(),
            cell.arm.as_deref().unwrap_or_default().into(),
            cell.point.to_string().into(),
            lists.cell(&cell.trials, || cell.task.clone()),
        ]);
    }
    if !grid.rows.is_empty() {
        blocks.push(Block::Table(Section {
            title: "Behind the results".to_owned(),
            grid: grid.without_empty_columns(),
            notes: left_out(&data.summary).into_iter().collect(),
        }));
    }
    blocks
}

/// Long lists of trials that stand somewhere, with where that is. Each is shown once: thousands of numbers that stand there a
/// second time make the page heavy, fill sheets of paper and tell nobody that they are the same.
#[derive(Default)]
struct Lists(HashMap<String, String>);

/// Letters of a list that is shown again.
const SHORT: usize = 200;

impl Lists {
    /// A list as a cell has it; `place` is what it is called from then on.
    fn cell(&mut self, trials: &TrialSet, place: impl FnOnce() -> String) -> Cell {
        let text = trials.to_string();
        if text.len() <= SHORT {
            return text.into();
        }
        if let Some(place) = self.0.get(&text) {
            let count = counted(trials.len() as u64, "trial");
            return format!("the same {count} as {place}").into();
        }
        self.0.insert(text.clone(), place());
        text.into()
    }
}

/// Trials of a run with more are packed with each other, unless the spec says otherwise.
const MOST_FOLDERS: usize = 1000;

fn where_files_are(data: &ReportData) -> String {
    let stamp = data.run.stamp;
    let files = if data.trials.count > MOST_FOLDERS {
        let name = shell_word(&data.run.name);
        format!(
            "`fairtrial logs {name} --rollout {stamp} --trial 7` shows what trial 7 of this run said. Its files are in \
             runs/{stamp}-7; where they are packed with those of others, `fairtrial unpack` puts them there"
        )
    } else {
        format!("Trial 7 of this run keeps its logs, files and record.json in runs/{stamp}-7")
    };
    format!("Trials are named by their place in the run. {files}; `--only 7` runs it again.")
}

fn compared(data: &ReportData, lists: &mut Lists) -> Option<Section> {
    let comparison = data.comparison.as_ref()?;
    let mut grid = Grid::new(vec![
        Column::words("comparison"),
        Column::words("metric"),
        Column::words("control"),
        Column::words("candidate"),
        Column::numbers("left out"),
    ]);
    for contrast in &comparison.contrasts {
        let among = match &comparison.contrasts[..] {
            [_] => String::new(),
            _ => format!(" ({})", title(contrast)),
        };
        for metric in &contrast.metrics {
            let name = &metric.metric;
            let place = |side: &str| format!("{side} of {name}{among}");
            grid.push(vec![
                title(contrast).into(),
                name.as_str().into(),
                lists.cell(&metric.control_trials, || place("control")),
                lists.cell(&metric.candidate_trials, || place("candidate")),
                metric.dropped.len().to_string().into(),
            ]);
        }
    }
    (!grid.rows.is_empty()).then(|| Section {
        title: "Behind the verdicts".to_owned(),
        grid,
        notes: Vec::new(),
    })
}

/// The run, the machine and the source.
pub(super) fn provenance(data: &ReportData) -> Vec<Block> {
    let mut grid = Grid::new(vec![Column::words("what"), Column::words("value")]);
    for (name, value) in facts(data) {
        grid.push(vec![name.into(), value.into()]);
    }
    vec![Block::Table(Section {
        title: String::new(),
        grid,
        notes: Vec::new(),
    })]
}

fn facts(data: &ReportData) -> Vec<(String, String)> {
    let run = &data.run;
    let mut facts = vec![
        ("run".to_owned(), format!("{} {}", run.name, run.stamp)),
        ("spec".to_owned(), run.spec.clone()),
    ];
    let mut add = |name: &str, value: Option<String>| {
        facts.extend(
            value
                .filter(|value| !value.is_empty())
                .map(|value| (name.to_owned(), value)),
        );
    };
    add("spec, SHA-256", run.spec_sha256.clone());
    add("plan", run.plan_hash.clone());
    add("begun", run.created_at.map(|at| at.to_string()));
    add(
        "ended",
        run.closed.map(|(at, status)| format!("{at}, {status}")),
    );
    add("--set", Some(run.set.join(" ")));
    add("--only", run.only.clone());
    add("tags", Some(run.tags.join(", ")));
    add("notes", Some(run.notes.clone()));
    add("Fairtrial", run.version.clone());
    add(
        "journal",
        Some(format!(
            "{} bytes, SHA-256 {}",
            data.journal.bytes, data.journal.sha256
        )),
    );
    if let Some(environment) = &data.environment {
        let host = &environment.host;
        add("host", Some(host.name.clone()));
        add("CPU", host.cpu.clone());
        add("cores", host.cores.map(|cores| cores.to_string()));
        add("kernel", Some(host.kernel.clone()));
        for (tool, version) in &environment.tools {
            add(tool, Some(version.clone()));
        }
        if let Vcs::Git(state) = &environment.vcs {
            if data.commits.is_empty() {
                add("commit", state.commit.clone());
            }
            for group in &data.commits {
                add("commit", by_trials(group, &data.commits));
            }
            add("branch", state.branch.clone());
            let dirty = state.dirty == Some(true);
            let diff = state.diff_sha256.clone().unwrap_or_default();
            add(
                "uncommitted changes",
                dirty.then(|| format!("yes, SHA-256 {diff}")),
            );
            add("reproducible", reproducible(data, state));
        }
        for (name, value) in &environment.variables {
            add(name, Some(value.clone()));
        }
    }
    facts
}

/// What gives the source back.
fn reproducible(data: &ReportData, state: &VcsState) -> Option<String> {
    // Of a clean one the commit says it.
    state
        .commit
        .as_ref()
        .filter(|_| state.dirty == Some(true))?;
    let kept = data.kept_source.as_ref()?;
    Some(match (&kept.lacks, &kept.only_hashes[..]) {
        (Some(why), _) => format!("no: {why}"),
        (None, []) => "by the commit and the kept patch".to_owned(),
        (None, files) => format!(
            "by the commit and the kept patch; of untracked files only the hashes are kept: {}",
            first_of(files, 5)
        ),
    })
}

/// A commit, and which trials ran it where there are others.
fn by_trials(group: &CodeGroup, all: &[CodeGroup]) -> Option<String> {
    let revision = group.revision.clone()?;
    Some(match all {
        [_] => revision,
        _ => format!("{revision}: trials {}", group.trials),
    })
}

/// The commands that make the run, the report and its check again.
pub(super) fn reproduce(data: &ReportData) -> Vec<Block> {
    let run = &data.run;
    let mut commands = Vec::new();
    let git = data
        .environment
        .as_ref()
        .and_then(|environment| match &environment.vcs {
            Vcs::Git(state) => Some(state),
            Vcs::Unknown { .. } => None,
        });
    let dirty = git.is_some_and(|state| state.dirty == Some(true));
    let kept = data.kept_source.as_ref();
    let is_kept = dirty && kept.is_some_and(|kept| kept.lacks.is_none());
    // Of a run with several commits none gives all of it back.
    if is_kept {
        let name = shell_word(&run.name);
        commands.push(format!(
            "fairtrial reproduce {name} --rollout {}",
            run.stamp
        ));
    } else if let (Some(commit), [] | [_]) = (
        git.and_then(|state| state.commit.as_ref()),
        &data.commits[..],
    ) {
        commands.push(format!("git checkout {}", shell_word(commit)));
    }
    let mut again = if run.bench.is_empty() {
        format!("fairtrial run {}", shell_word(&run.spec))
    } else {
        let words: Vec<_> = run.bench.iter().map(|word| shell_word(word)).collect();
        format!("fairtrial bench {}", words.join(" "))
    };
    for set in &run.set {
        again = format!("{again} --set {}", shell_word(set));
    }
    if let Some(only) = &run.only {
        again = format!("{again} --only {}", shell_word(only));
    }
    if !is_kept {
        commands.push(again);
    }
    let name = shell_word(&run.name);
    commands.push(format!("fairtrial report {name} --rollout {}", run.stamp));
    commands.push(format!("fairtrial verify {name} --rollout {}", run.stamp));
    let mut blocks = vec![Block::Commands(commands)];
    if !run.bench.is_empty() {
        blocks.push(Block::Words(
            "With the options that the bench was given: its spec.json has them.".to_owned(),
        ));
    }
    if dirty && !is_kept {
        blocks.push(Block::Words(
            "The source had uncommitted changes: the commit alone does not give it back."
                .to_owned(),
        ));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::Lists;
    use fairtrial_analysis::TrialSet;

    #[test]
    fn a_long_list_stands_there_once() {
        let mut lists = Lists::default();
        let few: TrialSet = (0..10).step_by(2).collect();
        let many: TrialSet = (0..6000).step_by(2).collect();
        for _ in 0..2 {
            assert_eq!(lists.cell(&few, || "few".to_owned()).text, "0,2,4,6,8");
        }
        let whole = lists.cell(&many, || "control of score".to_owned());
        assert_eq!(whole.text, many.to_string());
        let again = lists.cell(&many, || "control of loss".to_owned());
        assert_eq!(again.text, "the same 3,000 trials as control of score");
    }
}
