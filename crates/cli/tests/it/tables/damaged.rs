//! What cannot be read behind a comparison is told in it: a reader of the posted table must know that a line was judged
//! by less than there once was.

use super::suite::{SUITE, project};
use crate::common::Project;
use fairtrial_text::escape::markdown_sentence;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const COMPARE: [&str; 5] = ["table", "compare", "benchmarks/main.csv", "--from", "suite"];

/// A table that a run wrote, and a later run to compare with it.
struct Compared {
    project: Project,
    /// The run behind the table.
    run: String,
    /// The episode file behind its row `renamed`, under the data folder.
    file: String,
}

fn compared() -> Compared {
    let project = project();
    project.expect(1, &["run", "suite.toml"]);
    project.expect(1, &["table", "update", "--from", "suite"]);
    let found = project.shell("cd data && find * -path '*/renamed/eval_stats.csv'");
    let file = found.out.trim().to_owned();
    assert_eq!(file.lines().count(), 1, "{file}");
    let run = project.newest_run("suite");
    let run = run.file_name().unwrap().to_str().unwrap().to_owned();
    let suite = SUITE.replace("passed = 40", "passed = 39");
    project.write("suite.toml", &suite);
    project.expect(1, &["run", "suite.toml"]);
    Compared { project, run, file }
}

/// The notes of a comparison, which stand in the Markdown, on the terminal and in the JSON alike.
fn notes(project: &Project, args: &[&str]) -> Vec<String> {
    let page = project.expect(0, args);
    let json = project.expect(0, &[args, &["--json"]].concat()).json();
    let notes = json["notes"].as_array().unwrap().iter();
    let notes: Vec<String> = notes
        .map(|note| note.as_str().unwrap().to_owned())
        .collect();
    for note in &notes {
        assert_eq!(
            page.out
                .matches(&format!("\n> {}\n", markdown_sentence(note)))
                .count(),
            1,
            "{note}\n{}",
            page.out
        );
        assert!(page.err.contains(note), "{note}\n{}", page.err);
    }
    notes
}

/// The notes that name a file.
fn about(notes: &[String], file: &str) -> Vec<String> {
    let notes = notes.iter().filter(|note| note.contains(file));
    notes.cloned().collect()
}

fn judged_by(project: &Project) -> String {
    let json = project
        .expect(0, &[&COMPARE[..], &["--json"]].concat())
        .json();
    let lines = json["posted"]["lines"].as_array().unwrap();
    let line = lines
        .iter()
        .find(|line| line["experiment"] == "renamed" && line["column"] == "Correct (%)");
    line.unwrap()["noise"].as_str().unwrap().to_owned()
}

#[test]
fn an_episode_file_that_cannot_be_parsed_is_told_once() {
    let Compared { project, run, file } = compared();
    assert_eq!(judged_by(&project), "episodes");
    assert_eq!(about(&notes(&project, &COMPARE), "eval_stats"), [""; 0]);
    // Two columns of the table come from this file, and neither can be measured in it.
    project.write(
        &format!("data/{file}"),
        "performance,lm_id,time\nwhat,LM_0,one\n",
    );
    assert_eq!(
        about(&notes(&project, &COMPARE), "eval_stats"),
        [format!(
            "renamed: judged without an episode file that cannot be used: {file} line 2: `what` in column `performance` is not in the `order`"
        )]
    );
    assert_eq!(judged_by(&project), "counts");
    // Also where the run that it belongs to is named.
    let run = format!("suite/{run}");
    let named = [&COMPARE[..], &["--baseline", &run]].concat();
    assert_eq!(about(&notes(&project, &named), "eval_stats").len(), 1);
    // What was cleaned away is no damage.
    std::fs::remove_file(project.path().join("data").join(&file)).unwrap();
    assert_eq!(about(&notes(&project, &COMPARE), "eval_stats"), [""; 0]);
    assert_eq!(judged_by(&project), "counts");
}

#[test]
fn an_episode_file_that_cannot_be_opened_or_chosen_is_told() {
    let Compared { project, file, .. } = compared();
    let path = project.path().join("data").join(&file);
    let other = path.with_file_name("old").join("eval_stats.csv");
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    std::fs::copy(&path, &other).unwrap();
    let folder = file.strip_suffix("/renamed/eval_stats.csv").unwrap();
    assert_eq!(
        about(&notes(&project, &COMPARE), "eval_stats"),
        [format!(
            "renamed: judged without an episode file that cannot be used: in {folder}, **/eval_stats.csv matches 2 files \
             (renamed/eval_stats.csv, renamed/old/eval_stats.csv): name one"
        )]
    );
    std::fs::remove_file(&other).unwrap();
    std::fs::remove_file(&path).unwrap();
    symlink("eval_stats.csv", &path).unwrap();
    let told = about(&notes(&project, &COMPARE), "eval_stats");
    let begin = format!("renamed: judged without an episode file that cannot be used: {file}: ");
    assert!(told.len() == 1 && told[0].starts_with(&begin), "{told:?}");
}

#[test]
fn a_run_behind_rows_that_cannot_be_read_is_told_in_the_comparison() {
    let Compared { project, run, .. } = compared();
    let folder = PathBuf::from(format!("data/rollouts/suite/{run}"));
    let damage = |name: &str, text: &str| {
        let path = folder.join(name);
        let before = project.read(path.to_str().unwrap());
        project.write(path.to_str().unwrap(), text);
        before
    };
    let before = damage("environment.json", "{");
    let told = about(&notes(&project, &COMPARE), "environment.json");
    let begin = format!("suite/{run}: its machine is not known: ");
    assert!(told.len() == 1 && told[0].starts_with(&begin), "{told:?}");
    damage("environment.json", &before);
    damage("spec.resolved.json", "{");
    let told = about(&notes(&project, &COMPARE), "spec.resolved.json");
    let begin = format!("its rows are compared without run suite/{run}: ");
    assert!(told.len() == 1 && told[0].starts_with(&begin), "{told:?}");
}

#[test]
fn rows_and_columns_that_are_there_twice_are_told() {
    let project = project();
    project.expect(1, &["run", "suite.toml"]);
    project.write(
        "benchmarks/main.csv",
        "Experiment,Correct (%),Rows,Rows,Num Episodes\nfirst,50,80,80,40\nfirst,51,80,80,40\n",
    );
    let notes = notes(&project, &COMPARE);
    for note in [
        "benchmarks/main.csv: lines 2 and 3 both have the key `first`: it is not known which one is meant",
        "benchmarks/main.csv: two columns are called `Rows`: it is not known which one is meant",
    ] {
        let told = notes.iter().filter(|told| *told == note).count();
        assert_eq!(told, 1, "{note}\n{notes:#?}");
    }
}

#[test]
fn a_duration_in_a_column_that_holds_none_is_told() {
    let project = project();
    let suite = SUITE.replace(
        "convert = \"share to %\"",
        "convert = \"share to %\"\nunit = \"%\"",
    );
    project.write("suite.toml", &suite);
    project.expect(1, &["run", "suite.toml"]);
    project.write(
        "benchmarks/main.csv",
        "Experiment,Correct (%)\nfirst,50\nrenamed,3m\n",
    );
    let notes = notes(&project, &COMPARE);
    let note = "renamed: `3m` under Correct (%) in benchmarks/main.csv is taken as seconds: `s` is a time and `%` is a \
                share: nothing converts one into the other";
    assert!(notes.iter().any(|told| told == note), "{notes:#?}");
}

#[test]
fn a_table_that_names_a_row_or_a_column_twice_is_not_copied() {
    let project = Project::new();
    let before = "Experiment,Correct,Time\na,1,10\nb,1,10\n";
    let copy = ["table", "update", "main.csv", "--from-table", "new.csv"];
    let cases = [
        (
            "Experiment,Correct,Time\na,2,10\na,3,10\n",
            "new.csv: lines 2 and 3 both have the key `a`",
        ),
        (
            "Experiment,Correct,Correct,Time\na,2,3,10\n",
            "new.csv: two columns are called `Correct`",
        ),
        ("Experiment,Correct\na,2\n", "new.csv has no column `Time`"),
        (
            "Experiment,Correct,Time,Extra\na,2,10,1\n",
            "main.csv has no column `Extra`",
        ),
    ];
    for (new, told) in cases {
        project.write("main.csv", before);
        project.write("new.csv", new);
        let refused = project.expect(2, &copy);
        assert!(refused.err.contains(told), "{told}\n{}", refused.err);
        assert_eq!(project.read("main.csv"), before, "{told}");
    }
    // What is asked for is done.
    project.write("new.csv", "Experiment,Correct,Extra\na,2,7\n");
    project.expect(0, &[&copy[..], &["--columns", "Correct"]].concat());
    assert_eq!(
        project.read("main.csv"),
        "Experiment,Correct,Time\na,2,10\nb,1,10\n"
    );
    let columns = ["--columns", "Correct,Extra", "--add-columns"];
    project.expect(0, &[&copy[..], &columns].concat());
    assert_eq!(
        project.read("main.csv"),
        "Experiment,Correct,Time,Extra\na,2,10,7\nb,1,10,\n"
    );
}

#[test]
fn an_episode_file_that_was_cut_feeds_no_table() {
    // The program dies while it writes its last row: what is left of the line still has a word and a number.
    for cut in ["time_out,LM", "time_out,LM_1,2.", "correct,LM_0,1.5,9\\n"] {
        let project = project();
        let program = project.read("program.sh");
        let damaged = program.replace(
            "echo \"Benchmark Stats\"",
            &format!("printf '{cut}' >> \"$2/$1/eval_stats.csv\"; echo \"Benchmark Stats\""),
        );
        assert_ne!(program, damaged);
        project.write("program.sh", &damaged);
        project.write("models/m", "weights");
        // A metric that is not required must not hide it.
        let optional = SUITE.replace("share = {", "required = false\nshare = {");
        assert_ne!(optional, SUITE);
        project.write("suite.toml", &optional);
        let before = project.read("benchmarks/main.csv");
        let ran = project.expect(1, &["run", "suite.toml", "--only", "task=renamed"]);
        let told = "eval_stats.csv line 82: the row is damaged";
        assert!(
            ran.err.contains(told) || ran.out.contains(told),
            "{}{}",
            ran.out,
            ran.err
        );
        project.expect(1, &["table", "update", "--from", "suite"]);
        assert_eq!(project.read("benchmarks/main.csv"), before, "{cut}");
    }
}

#[test]
fn a_line_whose_noise_is_not_known_has_its_own_mark() {
    let project = project();
    project.write("suite.toml", &SUITE.replace("margin = \"25%\"\n", ""));
    project.expect(1, &["run", "suite.toml"]);
    // The time of one run, and nothing to say how much it varies.
    let page = project.expect(0, &COMPARE).out;
    assert!(page.contains("? noise not known"), "{page}");
    assert!(page.contains("? |\n"), "{page}");
    let json = project
        .expect(0, &[&COMPARE[..], &["--json"]].concat())
        .json();
    let lines = json["posted"]["lines"].as_array().unwrap();
    for line in lines {
        let unknown = line["noise"] == "unknown";
        assert_eq!(line["mark"] == "unknown", unknown, "{line}");
    }
    project.expect(1, &[&COMPARE[..], &["--fail-on", "unknown"]].concat());
    project.expect(0, &[&COMPARE[..], &["--fail-on", "ns"]].concat());
}
