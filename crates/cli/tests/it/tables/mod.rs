//! Results tables end to end: a suite against a scripted stand-in, the table it updates, the comparison to post.

mod columns;
mod continuous;
mod damaged;
mod remote;
mod suite;
mod together;

use crate::common::Project;
use std::path::Path;
use std::process::Command;
use suite::{SUITE, TABLE, git, project};

#[test]
fn a_suite_updates_its_table_and_leaves_what_failed() {
    let project = project();
    let ran = project.expect(1, &["run", "suite.toml", "--json"]);
    assert_eq!(ran.json()["counts"]["failed"], 1);
    assert_eq!(ran.json()["counts"]["timeout"], 1);
    let before = project.expect(
        1,
        &["table", "update", "--from", "suite", "--dry-run", "--json"],
    );
    assert_eq!(before.json()["tables"][0]["written"], false);
    assert_eq!(project.read("benchmarks/main.csv"), TABLE);
    let updated = project.expect(
        1,
        &["table", "update", "benchmarks/main.csv", "--from", "suite"],
    );
    assert_eq!(
        project.read("benchmarks/main.csv"),
        "Experiment, Correct (%)|align right,Time|hover mean,Rows,Num Episodes|hidden,Note\r\n\
         renamed,100.00,2s,80,40,\"a, b\"\r\n\
         gone,1.00,3m,80,40,x\r\n\
         first,75.00,2s,80,40,\r\n\
         broken,12.50,7m,80,40,y\r\n\
         slow,12.50,7m,80,40,z"
    );
    for line in [
        "+ first (after gone)",
        "~ former → renamed",
        "~ renamed · Correct (%): 50.00 → 100.00",
        "! broken is left as it is: failed: exit code 3",
        "! slow is left as it is: timeout: passed its time limit of 1 s",
        "! no experiment feeds the row `gone`",
    ] {
        assert!(updated.out.contains(line), "{line}\n{}", updated.out);
    }
    let blame = project
        .expect(0, &["table", "blame", "benchmarks/main.csv", "--json"])
        .json();
    let states: Vec<&str> = blame["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["state"].as_str().unwrap())
        .collect();
    assert_eq!(
        states,
        ["as_written", "unknown", "as_written", "unknown", "unknown"]
    );
    assert_eq!(
        blame["rows"][0]["origin"]["cells"]["Time"]["value"],
        2.5 / 60.0
    );
    // Once more: nothing changes, and the prerequisite is not run again.
    let again = project.expect(1, &["run", "suite.toml"]);
    assert!(
        again
            .err
            .contains("pretrain is not run: its outputs are unchanged since run suite"),
        "{}",
        again.err
    );
    assert_eq!(project.read("pretrained").lines().count(), 1);
    let table = project.read("benchmarks/main.csv");
    let same = project
        .expect(1, &["table", "update", "--from", "suite", "--json"])
        .json();
    assert_eq!(same["tables"][0]["changes"], serde_json::json!([]));
    assert_eq!(project.read("benchmarks/main.csv"), table);
    // A changed output is made again.
    project.write("models/m", "other weights");
    project.expect(0, &["run", "suite.toml", "--only", "task=pretrain"]);
    assert_eq!(project.read("pretrained").lines().count(), 2);
}

#[test]
fn origins_that_cannot_be_read_are_not_replaced() {
    let project = project();
    project.expect(1, &["run", "suite.toml"]);
    let side = project.path().join("benchmarks/main.csv.origins.json");
    std::os::unix::fs::symlink("main.csv.origins.json", &side).unwrap();
    let update = ["table", "update", "benchmarks/main.csv", "--from", "suite"];
    let refused = project.expect(2, &update);
    assert!(
        refused.err.contains("cannot read") && refused.err.contains("main.csv.origins.json"),
        "{}",
        refused.err
    );
    assert_eq!(project.read("benchmarks/main.csv"), TABLE);
    std::fs::remove_file(&side).unwrap();
    project.expect(1, &update);
    assert!(side.is_file());
}

#[test]
fn checks_and_comparisons_name_what_matters() {
    let project = project();
    let checked = project.expect(1, &["table", "check", "--spec", "suite.toml"]);
    for line in [
        "main.csv:2: error: `former` is called `renamed` now",
        "main.csv:3: error: no experiment feeds the row `gone`",
        "main.csv: error: `first` has no row",
    ] {
        assert!(checked.out.contains(line), "{line}\n{}", checked.out);
    }
    project.expect(1, &["run", "suite.toml"]);
    let compared = project.expect(
        1,
        &[
            "table",
            "compare",
            "benchmarks/main.csv",
            "--from",
            "suite",
            "--fail-on",
            "better",
            "--json",
        ],
    );
    let posted = compared.json();
    let line = |experiment: &str, column: &str| {
        let lines = posted["posted"]["lines"].as_array().unwrap();
        let found = lines
            .iter()
            .find(|line| line["experiment"] == experiment && line["column"] == column);
        found.unwrap().clone()
    };
    // 20 of 40 against 40 of 40 is beyond the noise of counts; the rest of the baseline is only text.
    assert_eq!(line("renamed", "Correct (%)")["mark"], "better");
    assert_eq!(line("renamed", "Correct (%)")["noise"], "counts");
    assert_eq!(line("renamed", "Num Episodes")["mark"], "equal");
    assert_eq!(line("broken", "Correct (%)")["mark"], "missing");
    assert_eq!(line("first", "Correct (%)")["mark"], "missing");
    // With the run behind it, the episodes are compared in pairs, and times on the same code are noise at most.
    project.expect(1, &["table", "update", "--from", "suite"]);
    project.write(
        "suite.toml",
        &SUITE
            .replace("passed = 40", "passed = 39")
            .replace("passed = 30", "passed = 18"),
    );
    project.expect(1, &["run", "suite.toml"]);
    let page = project
        .expect(
            0,
            &["table", "compare", "benchmarks/main.csv", "--from", "suite"],
        )
        .out;
    assert!(
        page.contains("| Correct (%) | 75.00 | 45.00 | -30.00 | ❌ |"),
        "{page}"
    );
    assert!(
        page.contains("| Correct (%) | 100.00 | 97.50 | -2.50 | ns |"),
        "{page}"
    );
    assert!(
        page.contains("renamed · Correct (%) ns: 40 episodes in pairs"),
        "{page}"
    );
    let sha = project.expect(
        0,
        &[
            "table",
            "compare",
            "benchmarks/main.csv",
            "--from",
            "suite",
            "--json",
        ],
    );
    let sha = sha.json()["baseline_sha256"].as_str().unwrap().to_owned();
    project.write(
        "benchmarks/main.csv",
        &project
            .read("benchmarks/main.csv")
            .replace("12.50", "12.51"),
    );
    let refused = project.expect(
        2,
        &[
            "table",
            "update",
            "benchmarks/main.csv",
            "--from",
            "suite",
            "--expect",
            &sha,
        ],
    );
    assert!(
        refused.err.contains("changed since the baseline was read"),
        "{}",
        refused.err
    );
}

#[test]
fn a_run_made_elsewhere_feeds_the_table_here() {
    let elsewhere = project();
    elsewhere.expect(1, &["run", "suite.toml"]);
    let here = Project::new();
    here.write("benchmarks/main.csv", TABLE);
    let copied = Command::new("cp")
        .args(["-r"])
        .arg(elsewhere.path().join("data"))
        .arg(here.path().join("data"))
        .status()
        .unwrap();
    assert!(copied.success());
    drop(elsewhere);
    here.expect(
        0,
        &[
            "table",
            "update",
            "benchmarks/main.csv",
            "--from",
            "suite",
            "--rows",
            "renamed",
        ],
    );
    let table = here.read("benchmarks/main.csv");
    assert!(
        table.contains("renamed,100.00,2s,80,40,\"a, b\"\r\n"),
        "{table}"
    );
    assert!(!table.contains("first"), "{table}");
}

#[test]
fn revisions_other_tables_and_renderings() {
    let project = project();
    if !git(project.path(), &["init", "-q"]) {
        eprintln!("skipped: the git program is not here");
        return;
    }
    assert!(git(project.path(), &["add", "-A"]) && git(project.path(), &["commit", "-qm", "base"]));
    project.write(
        "new.csv",
        "Experiment,Correct (%),Extra\ngone,2.5,9\nunknown,1,1\n",
    );
    let update = [
        "table",
        "update",
        "benchmarks/main.csv",
        "--from-table",
        "new.csv",
        "--columns",
        "Correct*",
    ];
    let left = project.expect(1, &update);
    assert!(
        left.out
            .contains("! unknown is left as it is: the table has no such row"),
        "{}",
        left.out
    );
    assert!(
        project
            .read("benchmarks/main.csv")
            .contains("gone,2.50,3m,80,40,x\r\n")
    );
    let diff = project.expect(
        1,
        &[
            "table",
            "diff",
            "benchmarks/main.csv",
            "--rev",
            "HEAD",
            "--json",
            "--fail-on-change",
        ],
    );
    assert_eq!(diff.json()["diff"]["cells"][0]["delta"], 1.5);
    let page = project.expect(
        0,
        &[
            "table",
            "compare",
            "benchmarks/main.csv@HEAD",
            "benchmarks/main.csv",
            "--spec",
            "suite.toml",
            "--rule",
            "exact",
        ],
    );
    assert!(
        page.out
            .contains("| Correct (%) | 1.00 | 2.50 | +1.50 | ✅ |"),
        "{}",
        page.out
    );
    let now = project
        .read("benchmarks/main.csv")
        .replace("former,", "renamed,");
    project.write("benchmarks/now.csv", &now);
    let tables = [
        "table",
        "compare",
        "benchmarks/main.csv",
        "benchmarks/now.csv",
    ];
    let renamed = project.expect(0, &[&tables[..], &["--spec", "suite.toml"]].concat());
    assert!(renamed.out.contains("### renamed\n"), "{}", renamed.out);
    assert!(!renamed.out.contains("missing"), "{}", renamed.out);
    let blame = project
        .expect(0, &["table", "blame", "benchmarks/main.csv"])
        .out;
    assert!(blame.contains("gone: new.csv"), "{blame}");
    assert!(blame.contains("slow: no run is known [git "), "{blame}");
    let html = project
        .expect(
            0,
            &["table", "render", "benchmarks/main.csv", "--format", "html"],
        )
        .out;
    assert!(
        html.starts_with("<div class=\"data-table\"><table>"),
        "{html}"
    );
    let both = ["--format", "html", "--json", "--output", "page.html"];
    let page = project.expect(
        0,
        &[&["table", "render", "benchmarks/main.csv"], &both[..]].concat(),
    );
    assert_eq!(page.json()["text"], project.read("page.html"));
    project.write("bad_align.csv", "A|align center,B\n1,2\n");
    let bad = project.expect(2, &["table", "render", "bad_align.csv", "--format", "html"]);
    let shown = std::fs::canonicalize(project.path().join("bad_align.csv")).unwrap();
    assert_eq!(
        bad.out.trim(),
        format!(
            "[Failed to load table from {} - Invalid alignment value: center. Must be 'left' or 'right']",
            shown.display()
        )
    );
    let none = project.expect(2, &["table", "render", "nope.csv", "--format", "html"]);
    assert!(
        none.out
            .contains("- [Errno 2] No such file or directory: '"),
        "{}",
        none.out
    );
}

#[test]
fn files_that_no_run_made_are_measured() {
    let project = Project::new();
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("../episode/tests/goldens");
    let eval = std::fs::read_to_string(goldens.join("synthetic_eval_stats.csv")).unwrap();
    project.write("results/base/eval_stats.csv", &eval);
    let measured = project.expect(
        0,
        &[
            "table",
            "measure",
            "--preset",
            "tbp",
            "results/base/eval_stats.csv",
            "--json",
        ],
    );
    let row = &measured.json()[0];
    assert_eq!(row["experiment"], "base");
    assert_eq!(row["metrics"]["percent_correct"], 82.0);
    assert_eq!(row["metrics"]["LM_0/overall/percent_correct"], 82.0);
    let csv = project.expect(
        0,
        &[
            "table",
            "measure",
            "--preset",
            "tbp",
            "--metric",
            "num_episodes",
            "results/base/eval_stats.csv",
        ],
    );
    assert_eq!(csv.out, "Experiment,num_episodes\nbase,100\n");
    // An older file without the column that tells modules apart: what it does not give is named.
    let mut reader = csv::Reader::from_reader(eval.as_bytes());
    let place = reader
        .headers()
        .unwrap()
        .iter()
        .position(|title| title == "lm_id");
    let without = |row: &csv::StringRecord| {
        let cells = row
            .iter()
            .enumerate()
            .filter(|(cell, _)| Some(*cell) != place);
        cells.map(|(_, text)| text.to_owned()).collect::<Vec<_>>()
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(without(reader.headers().unwrap()))
        .unwrap();
    for row in reader.records() {
        writer.write_record(without(&row.unwrap())).unwrap();
    }
    let older = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    project.write("results/older/eval_stats.csv", &older);
    let told = project.expect(
        1,
        &[
            "table",
            "measure",
            "--preset",
            "tbp",
            "results/older/eval_stats.csv",
        ],
    );
    assert!(told.err.contains("no `percent_correct`: "), "{}", told.err);
    assert!(told.err.contains("lm_id"), "{}", told.err);
    let missing = project.expect(
        2,
        &["table", "measure", "--preset", "tbp", "none/eval_stats.csv"],
    );
    assert!(
        missing
            .err
            .contains("none/eval_stats.csv: there is no such file"),
        "{}",
        missing.err
    );
    assert!(
        project
            .expect(0, &["preset", "tbp"])
            .out
            .contains("[metrics.percent_correct]")
    );
    let unknown = project.expect(2, &["preset", "tpb"]);
    assert!(unknown.err.contains("there is no preset `tpb`"));
}

/// The guide's example, as the guide runs it.
#[test]
fn the_example_of_the_guide() {
    let project = Project::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables");
    for name in ["suite.toml", "experiment.py", "benchmarks/objects.csv"] {
        project.write(name, &std::fs::read_to_string(example.join(name)).unwrap());
    }
    if std::env::var_os("CI").is_none()
        && Command::new("python3").arg("--version").output().is_err()
    {
        eprintln!("skipped: python3 is not here");
        return;
    }
    project.expect(0, &["run", "suite.toml"]);
    project.expect(
        0,
        &[
            "table",
            "compare",
            "benchmarks/objects.csv",
            "--from",
            "objects",
        ],
    );
    project.expect(
        0,
        &[
            "table",
            "update",
            "benchmarks/objects.csv",
            "--from",
            "objects",
        ],
    );
    project.expect(
        0,
        &[
            "table",
            "check",
            "benchmarks/objects.csv",
            "--spec",
            "suite.toml",
        ],
    );
    // Every number depends on the episode's own seed: a second run says the same.
    project.expect(0, &["run", "suite.toml"]);
    let again = project.expect(
        0,
        &[
            "table",
            "compare",
            "benchmarks/objects.csv",
            "--from",
            "objects",
            "--fail-on",
            "worse,better",
        ],
    );
    assert!(
        again
            .out
            .contains("| Correct (%) | 100.00 | 100.00 | 0 | ⬜ |"),
        "{}",
        again.out
    );
}
