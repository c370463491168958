//! Columns of every look: what is written is what was measured, and what differs is told.

use crate::common::Project;

/// Each task reports the rate and the seconds of its parameters.
const SPEC: &str = r#"
name = "suite"
seeds = 1
[defaults]
command = "sh report.sh {rate} {seconds}"
table = "main"
[[tasks]]
id = "a"
params = { rate = 0.0005, seconds = 20 }
[[tasks]]
id = "b"
params = { rate = 3e-7, seconds = 3980 }
[[tasks]]
id = "c"
params = { rate = 0.0003, seconds = 61 }
[metrics.rate]
direction = "down"
[metrics.seconds]
direction = "down"
unit = "s"
[tables.main]
file = "main.csv"
[tables.main.columns]
"LR" = "rate"
"Time" = "seconds"
"#;

const UPDATE: [&str; 5] = ["table", "update", "main.csv", "--from", "suite"];

fn measured(table: &str) -> Project {
    let project = Project::with_spec(SPEC);
    project.write(
        "report.sh",
        "echo \"{\\\"rate\\\": $1, \\\"seconds\\\": $2}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.write("main.csv", table);
    project.expect(0, &["run", "bench.toml"]);
    project
}

#[test]
fn small_numbers_do_not_become_zeros() {
    let project = measured("Experiment,LR\na,1e-3\nb,2e-4\nc,3.0e-4\nold,4e-4\n");
    let compare = [
        "table", "compare", "main.csv", "--from", "suite", "--rule", "exact",
    ];
    let page = project.expect(0, &compare).out;
    for line in [
        "| LR | 1e-3 | 5e-4 | -5e-4 | ✅ |",
        "| LR | 2e-4 | 3e-7 | -2e-4 | ✅ |",
        "| LR | 3e-4 | 3e-4 | 0 | ⬜ |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    project.expect(0, &UPDATE);
    let updated = "Experiment,LR\na,5.0e-4\nb,3.0e-7\nc,3.0e-4\nold,4e-4\n";
    assert_eq!(project.read("main.csv"), updated);
    // Once more, and from a table that says the same in another way: every byte stays.
    project.expect(0, &UPDATE);
    project.write("other.csv", "Experiment,LR\na,0.0005\nold,0.0004\n");
    let copy = ["table", "update", "main.csv", "--from-table", "other.csv"];
    project.expect(0, &copy);
    assert_eq!(project.read("main.csv"), updated);
    project.write("other.csv", "Experiment,LR,Decay\na,4e-6,1e-9\n");
    project.expect(0, &[&copy[..], &["--add-columns"]].concat());
    let table = project.read("main.csv");
    assert!(table.contains("\na,4.0e-6,1e-9\n"), "{table}");
}

#[test]
fn durations_are_written_to_the_second_where_minutes_lose_them() {
    let project = measured("Experiment,Time\na,25m\nb,2h56m\nc,1m\n");
    project.expect(0, &UPDATE);
    let table = project.read("main.csv");
    assert_eq!(table, "Experiment,Time\na,20s\nb,1h6m\nc,1m\n");
    project.write("main.csv", "Experiment,Time\na,25m\nb,2h56m0s\nc,1m\n");
    project.expect(0, &UPDATE);
    let table = project.read("main.csv");
    assert_eq!(table, "Experiment,Time\na,20s\nb,1h6m20s\nc,1m1s\n");
    // In hours too, what differs in the column differs in the comparison.
    let hours = SPEC.replace(
        "= \"seconds\"",
        "= { metric = \"seconds\", convert = \"s to h\" }",
    );
    project.write("bench.toml", &hours);
    project.write("main.csv", "Experiment,Time\na,30s\nb,1h6m\nc,25m\n");
    let compare = ["table", "compare", "main.csv", "--from", "suite"];
    let exact = ["--rule", "exact", "--spec", "bench.toml"];
    let page = project.expect(0, &[&compare[..], &exact].concat()).out;
    for line in [
        "| Time | 0.0083 | 0.0056 | -0.0028 | ✅ |",
        "| Time | 1.10 | 1.11 | +0.01 | ❌ |",
        "| Time | 0.42 | 0.02 | -0.40 | ✅ |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

/// The number that is shown and the evidence that it is judged by come from the same place.
#[test]
fn a_run_that_is_named_as_the_baseline_is_the_baseline() {
    let project = measured("Experiment,LR\na,0.0007\nb,0.0000003\nc,0.0003\n");
    let runs = project.expect(0, &["list", "suite", "--json"]).json();
    let stamp = runs[0]["stamp"].as_str().unwrap().to_owned();
    project.write("bench.toml", &SPEC.replace("0.0005", "0.0009"));
    project.expect(0, &["run", "bench.toml"]);
    let named = format!("suite/{stamp}");
    let compare = [
        "table", "compare", "main.csv", "--from", "suite", "--rule", "exact",
    ];
    let page = project
        .expect(0, &[&compare[..], &["--baseline", &named]].concat())
        .out;
    assert!(
        page.contains("| LR | 0.0005000 | 0.0009000 | +0.0004000 | ❌ |"),
        "{page}"
    );
    let note = format!(
        "> a: the table does not have the numbers of {named}, which are compared: LR 0.0007000 in the table, 0.0005000 \
         in the run"
    );
    assert!(page.replace("\\_", "_").contains(&note), "{page}");
    assert!(!page.contains("> b"), "{page}");
    // A run of one row: the table has the others.
    project.expect(0, &["run", "bench.toml", "--only", "task=b"]);
    let named = project.newest_run("suite");
    let stamp = named.file_name().unwrap().to_str().unwrap().to_owned();
    let first = runs[0]["stamp"].as_str().unwrap();
    let page = project.expect(
        0,
        &[
            "table",
            "compare",
            "main.csv",
            "--from",
            &format!("suite/{first}"),
            "--baseline",
            &format!("suite/{stamp}"),
            "--rule",
            "exact",
        ],
    );
    assert!(
        page.out
            .contains("| LR | 0.0007000 | 0.0005000 | -0.0002000 | ✅ |"),
        "{}",
        page.out
    );
    let note = format!("> a: suite/{stamp} has no number, so the table's is compared: LR");
    assert!(page.out.replace("\\_", "_").contains(&note), "{}", page.out);
}
