//! What stands behind the cells of a posted comparison: the runs that wrote them, their episodes, and what the tables say.

use crate::common::{measured, record, write_run};
use fairtrial_analysis::tables::{
    Behind, Draft, PostLine, PostTable, Proposed, Question, source_of,
};
use fairtrial_journal::DataRoot;
use fairtrial_spec::{Format, LoadOptions, Spec, load_text};
use fairtrial_table::{CellOrigin, Origins, RowOrigin, Table};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const SPEC: &str = r#"
name = "suite"
seed = 42
[defaults]
command = "true"
table = "main"
[[tasks]]
id = "first"
[[tasks]]
id = "second"
was = ["former"]
[episode_files.eval]
file = "eval.csv"
[metrics.correct]
from = "episodes:eval"
share = { verdict = "correct" }
convert = "share to %"
direction = "up"
[metrics.error]
from = "episodes:eval"
mean = "error"
direction = "down"
[metrics.episodes]
from = "episodes:eval"
count = true
[tables.main]
file = "main.csv"
[tables.main.columns]
"Correct (%)" = "correct"
"Error" = "error"
"Num Episodes" = "episodes"
"#;

const TABLE: &str = "Experiment,Correct (%),Error,Num Episodes\nfirst,50,0.3,4\nformer,75,0.2,4\n";
const EPISODES: &str = "verdict,error\ncorrect,0.1\nconfused,0.3\ncorrect,0.5\nconfused,0.3\n";

fn spec() -> Spec {
    let loaded = load_text("suite.toml", SPEC, Format::Toml, &LoadOptions::default());
    loaded.spec.unwrap()
}

/// A run of both rows, with the episode file of the first.
fn run(root: &Path, spec: &Spec) -> Behind {
    let root = DataRoot::at(root);
    let metrics = [("correct", 50.0), ("error", 0.3), ("episodes", 4.0)];
    let records = ["first", "second"].into_iter().zip(0..);
    let records = records.map(|(task, index)| measured(record(index, task, "", 42), &metrics));
    let run = write_run(&root, "suite", records.collect());
    let dir = root.path().join(record(0, "first", "", 42).dir);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("eval.csv"), EPISODES).unwrap();
    Behind::read(&run, spec, None, "main").unwrap()
}

/// Origins that name a run for the first row, as it was written or with another text than it has now.
fn origins(source: &str, text: &str) -> Origins {
    let cell = CellOrigin {
        text: text.to_owned(),
        value: Some(50.004),
    };
    let origin = RowOrigin {
        source: source.to_owned(),
        cells: BTreeMap::from([("Correct (%)".to_owned(), cell)]),
        ..RowOrigin::default()
    };
    Origins {
        rows: BTreeMap::from([("first".to_owned(), origin)]),
        ..Origins::default()
    }
}

fn line<'a>(lines: &'a [PostLine], experiment: &str, title: &str) -> &'a PostLine {
    let mut lines = lines.iter();
    let found = lines.find(|line| line.experiment == experiment && line.title == title);
    found.unwrap()
}

#[test]
fn a_row_has_the_run_that_wrote_it_as_long_as_it_says_what_was_written() {
    let (spec, folder) = (spec(), tempfile::tempdir().unwrap());
    let table = Table::parse(TABLE).unwrap();
    let run = run(folder.path(), &spec);
    let runs = HashMap::from([("suite/then".to_owned(), run.clone())]);
    let compare = |origins: &Origins| {
        let table = PostTable {
            label: "main.csv",
            table: &table,
            origins,
        };
        let question = Question {
            spec: &spec,
            table: &spec.tables[0],
            baseline: table,
            baseline_run: None,
            proposed: Proposed::Table(table),
        };
        let draft = Draft::new(question, |_| true).unwrap();
        let sources: Vec<String> = draft.sources().into_iter().map(str::to_owned).collect();
        let (lines, notes) = draft.lines(&runs);
        assert_eq!(notes, [""; 0]);
        (sources, lines)
    };
    let (sources, lines) = compare(&origins("suite/then", "50"));
    assert_eq!(sources, ["suite/then"]);
    let side = &line(&lines, "first", "Correct (%)").baseline;
    assert_eq!((side.value, side.rounded), (Some(50.004), false));
    assert_eq!(side.evidence.trials.len(), 1);
    assert_eq!(side.evidence.episodes.len(), 4);
    // The other row is only text; its count stands beside it, and its name is that of the suite.
    let side = &line(&lines, "second", "Correct (%)").baseline;
    assert_eq!((side.value, side.rounded), (Some(75.0), true));
    assert_eq!(side.evidence.share_of, Some(4));
    assert!(side.evidence.trials.is_empty());
    // Somebody edited the row: no run stands behind it.
    let (sources, lines) = compare(&origins("suite/then", "49"));
    assert!(sources.is_empty());
    let side = &line(&lines, "first", "Correct (%)").baseline;
    assert_eq!((side.value, side.rounded), (Some(50.0), true));
    assert!(side.evidence.trials.is_empty());
}

#[test]
fn a_file_that_cannot_be_used_is_told_once_and_one_that_is_gone_is_not() {
    let (spec, folder) = (spec(), tempfile::tempdir().unwrap());
    let table = Table::parse(TABLE).unwrap();
    let run = run(folder.path(), &spec);
    let file = format!("{}/eval.csv", record(0, "first", "", 42).dir);
    let path = folder.path().join(&file);
    let notes = || {
        let question = Question {
            spec: &spec,
            table: &spec.tables[0],
            baseline: PostTable {
                label: "main.csv",
                table: &table,
                origins: &Origins::default(),
            },
            // The same run on both sides: its files are met twice in every column.
            baseline_run: Some(&run),
            proposed: Proposed::Run(&run),
        };
        let draft = Draft::new(question, |key| key == "first").unwrap();
        let (lines, notes) = draft.lines(&HashMap::new());
        let found = line(&lines, "first", "Correct (%)");
        (found.proposed.evidence.episodes.len(), notes)
    };
    assert_eq!(notes(), (4, Vec::new()));
    std::fs::write(&path, "verdict,mistake\ncorrect,x\n").unwrap();
    let without = format!(
        "first: judged without an episode file that cannot be used: no column `error` in {file}"
    );
    // What can be read in it still counts.
    assert_eq!(notes(), (1, vec![without]));
    std::fs::write(&path, "").unwrap();
    let without = format!(
        "first: judged without an episode file that cannot be used: {file} is not a CSV table: it has no title line"
    );
    assert_eq!(notes(), (0, vec![without]));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(notes(), (0, Vec::new()));
}

#[test]
fn the_runs_of_the_question_are_no_other_sources() {
    let (spec, folder) = (spec(), tempfile::tempdir().unwrap());
    let table = Table::parse(TABLE).unwrap();
    let root = DataRoot::at(folder.path());
    let behind = run(folder.path(), &spec);
    let runs = fairtrial_journal::list_runs(&root).unwrap();
    let origins = origins(&source_of(&runs[0]), "50");
    let question = Question {
        spec: &spec,
        table: &spec.tables[0],
        baseline: PostTable {
            label: "main.csv",
            table: &table,
            origins: &origins,
        },
        baseline_run: None,
        proposed: Proposed::Run(&behind),
    };
    let draft = Draft::new(question, |_| true).unwrap();
    assert!(draft.sources().is_empty());
    let (lines, _) = draft.lines(&HashMap::new());
    let side = &line(&lines, "first", "Correct (%)").baseline;
    assert_eq!(side.evidence.episodes.len(), 4);
    let nothing = Draft::new(question, |_| false).err().unwrap();
    assert_eq!(
        nothing.to_string(),
        "no row is asked for, or the run feeds none"
    );
}
