//! What a bench leaves: files for other programs, a run that later commands judge, a baseline.

use crate::bench::{CTRL_C, bench, interrupted, json};
use crate::common::Project;
use serde_json::{Value, json};

#[test]
fn what_is_exported_is_read_back_as_hyperfines() {
    let project = Project::new();
    let args = [
        "-r",
        "12",
        "-N",
        "--export-json",
        "out.json",
        "--export-csv",
        "out.csv",
        "--export-markdown",
        "out.md",
        "sleep 0.001",
        "sleep 0.3",
    ];
    json(&project, &args);
    let exported: Value = serde_json::from_str(&project.read("out.json")).unwrap();
    let first = &exported["results"][0];
    assert_eq!(first["command"], "sleep 0.001");
    assert_eq!(first["times"].as_array().unwrap().len(), 12);
    assert!(first["user"].as_f64().is_some_and(|user| user >= 0.0));
    let compared = project.expect(0, &["compare", "out.json", "--json"]).json();
    let text = compared.to_string();
    assert!(text.contains("regressed"), "{text}");
    assert!(
        project
            .read("out.csv")
            .starts_with("command,mean,stddev,median,user,system,min,max\nsleep 0.001,")
    );
    assert!(project.read("out.md").contains("| `sleep 0.3` |"));
    // The same in the form of hyperfine 2.
    let v2 = [
        "-r",
        "12",
        "-N",
        "--export-json",
        "v2.json",
        "--export-json-version",
        "2",
    ];
    json(&project, &[&v2[..], &["sleep 0.001", "sleep 0.3"]].concat());
    let exported: Value = serde_json::from_str(&project.read("v2.json")).unwrap();
    assert_eq!(exported["schema_version"], 2);
    let result = &exported["results"][1];
    assert_eq!(result["measurements"].as_array().unwrap().len(), 12);
    assert_eq!(
        result["measurements"][0]["time_wall_clock"]["unit"],
        "second"
    );
    assert_eq!(result["summary"]["time_user"]["count"], 12);
    let compared = project.expect(0, &["compare", "v2.json", "--json"]).json();
    assert!(compared.to_string().contains("regressed"), "{compared}");
    // Also where the run itself is not kept.
    let other = Project::new();
    json(
        &other,
        &[
            "-r",
            "2",
            "-N",
            "--no-save",
            "--export-json",
            "out.json",
            "true",
        ],
    );
    assert!(other.read("out.json").contains("\"times\""));
}

#[test]
fn a_command_is_compared_with_a_baseline_of_itself() {
    let project = Project::new();
    project.write("wait", "0.001");
    let command = "sleep $(cat wait)";
    let ran = bench(&project, &["-r", "12", "--save-baseline", "main", command]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("as "), "{}", ran.err);
    project.write("wait", "0.4");
    let ran = bench(&project, &["-r", "12", "--baseline", "main", command]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.to_lowercase().contains("regressed"), "{}", ran.out);
}

#[test]
fn later_commands_judge_a_bench_as_it_did_itself() {
    let project = Project::new();
    // Both take longer than the start of a shell on a busy machine, which is taken off.
    let shell = "sleep 0.5; true";
    let ran = bench(
        &project,
        &[
            "-r",
            "12",
            "--save-baseline",
            "main",
            "sleep 0.05; true",
            shell,
        ],
    );
    assert!(ran.out.contains(" × slower than "), "{}", ran.out);
    let compared = project.expect(0, &["compare", "bench", "--json"]).json();
    let contrast = &compared["contrasts"][0]["metrics"][0];
    assert_eq!(contrast["verdict"]["word"], "regressed", "{contrast}");
    assert_eq!(contrast["effect"]["scale"], "ratio", "{contrast}");
    let method = contrast["method"]["name"].as_str().unwrap();
    assert!(method.contains("signed-rank"), "{method}");
    // The start of a shell is measured anew by each bench; that is no other metric.
    let ran = bench(&project, &["-r", "12", "sleep 0.05; true", shell]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let gated = project.run(&["gate", "bench", "--baseline", "main"]);
    assert!(
        !gated.err.contains("definition"),
        "{}{}",
        gated.out,
        gated.err
    );
    assert_ne!(gated.code, 2, "{}{}", gated.out, gated.err);
}

/// hyperfine's `plot_parametrized.py` reads the one parameter of each result by its name.
#[test]
fn parameters_are_exported_by_their_names_and_nothing_else_is() {
    let project = Project::new();
    let args = ["-r", "2", "-N", "-L", "n", "0.001,0.002", "sleep {n}"];
    let files = ["--export-json", "out.json", "--export-csv", "out.csv"];
    let found = json(&project, &[&args[..], &files].concat());
    assert_eq!(found["commands"][1]["parameters"], json!({"n": "0.002"}));
    let exported: Value = serde_json::from_str(&project.read("out.json")).unwrap();
    let of = |exported: &Value, place: usize| exported["results"][place]["parameters"].clone();
    assert_eq!(of(&exported, 0), json!({"n": "0.001"}));
    assert_eq!(of(&exported, 1), json!({"n": "0.002"}));
    let csv = project.read("out.csv");
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().ends_with(",max,parameter_n"), "{csv}");
    assert!(lines.next().unwrap().ends_with(",0.001"), "{csv}");
    // In the form of hyperfine 2, and without a parameter.
    let v2 = ["--export-json", "v2.json", "--export-json-version", "2"];
    json(&project, &[&args[..], &v2].concat());
    let exported: Value = serde_json::from_str(&project.read("v2.json")).unwrap();
    assert_eq!(of(&exported, 1), json!({"n": {"value": "0.002"}}));
    json(
        &project,
        &["-r", "2", "-N", "--export-json", "none.json", "true"],
    );
    let exported: Value = serde_json::from_str(&project.read("none.json")).unwrap();
    assert_eq!(of(&exported, 0), Value::Null);
}

#[test]
fn a_baseline_that_cannot_be_compared_is_refused_before_anything_runs() {
    let project = Project::new();
    let refused = |args: &[&str]| {
        let ran = bench(&project, &[args, &["-s", "touch ran"]].concat());
        assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
        assert!(!project.path().join("ran").exists(), "{}", ran.err);
        ran.err
    };
    let said = refused(&["--baseline", "main", "true"]);
    assert!(said.contains("there is no baseline `main`"), "{said}");
    bench(
        &project,
        &["-r", "2", "-N", "--save-baseline", "main", "true"],
    );
    let said = refused(&["-N", "--baseline", "main", "sleep 0"]);
    assert!(
        said.contains("the baseline `main` is of `true`, and not of `sleep 0`")
            && said.contains("-n NAME"),
        "{said}"
    );
    let said = refused(&["-N", "--baseline", "main", "true", "sleep 0"]);
    assert!(
        said.contains("the baseline `main` is of `true`, and not of"),
        "{said}"
    );
    // The same name on both sides says that they are versions of one thing.
    bench(
        &project,
        &["-r", "2", "-N", "-n", "x", "--save-baseline", "x", "true"],
    );
    let ran = bench(
        &project,
        &["-r", "2", "-N", "-n", "x", "--baseline", "x", "sleep 0.05"],
    );
    assert_ne!(ran.code, 2, "{}{}", ran.out, ran.err);
}

#[test]
fn runs_of_two_benches_are_no_pairs() {
    let project = Project::new();
    let args = ["-r", "12", "-N", "sleep 0.001", "sleep 0.002"];
    bench(
        &project,
        &[&args[..], &["--save-baseline", "main"]].concat(),
    );
    // Of another length, and so with other seeds: they count rounds and say nothing.
    bench(&project, &["-r", "14", "-N", "sleep 0.001", "sleep 0.002"]);
    let gated = project.run(&["gate", "bench", "--baseline", "main"]);
    let said = format!("{}{}", gated.out, gated.err);
    assert!(!said.contains("different seeds"), "{said}");
    let two = |args: &[&str]| {
        let ran = project.run(&[args, &["--json"]].concat());
        let found = ran.json();
        let metrics = found.pointer("/comparison/contrasts/0/metrics");
        let metrics = metrics.or_else(|| found.pointer("/contrasts/0/metrics"));
        metrics.expect("a metric")[0]["count"]["paired"].clone()
    };
    assert_eq!(two(&["gate", "bench", "--baseline", "main"]), false);
    let stamps = project.expect(0, &["list", "--json"]).json();
    let name = |place: usize| format!("bench/{}", stamps[place]["stamp"].as_str().unwrap());
    assert_eq!(two(&["compare", &name(0), &name(1)]), false);
    // The arms of one of them are.
    assert_eq!(two(&["compare", &name(0)]), true);
}

#[test]
fn a_bench_of_few_runs_is_told_as_it_ended() {
    let project = Project::new();
    bench(&project, &["-r", "3", "-N", "true", "true"]);
    let ran = project.expect(0, &["compare", "bench"]);
    assert!(!ran.out.contains("insufficient"), "{}", ran.out);
    assert!(!ran.out.contains("stopped early"), "{}", ran.out);
}

/// Ranks know no mean: rare slow runs move it, and not the difference that stands beside it.
#[test]
fn what_stands_for_each_side_goes_with_the_difference() {
    let project = Project::new();
    bench(&project, &["-r", "13", "-N", "true", "sleep 0.001"]);
    let found = project.expect(0, &["compare", "bench", "--json"]).json();
    let metric = &found["contrasts"][0]["metrics"][0];
    for side in ["control", "candidate"] {
        let of = |number: &Value| number.as_f64().unwrap();
        let (shown, median) = (&metric["effect"][side], &metric[side]["median"]);
        assert!((of(shown) / of(median) - 1.0).abs() < 1e-9, "{metric}");
    }
    let said = project.expect(0, &["compare", "bench", "-v"]).out;
    assert!(
        said.contains("Compared by ratio and by ranks, with medians: wall."),
        "{said}"
    );
}

#[test]
fn a_bench_that_failed_or_was_interrupted_replaces_no_baseline() {
    let project = Project::new();
    let kept = ["-n", "x", "--save-baseline", "main"];
    bench(
        &project,
        &[&["-r", "2"][..], &kept, &["true; true"]].concat(),
    );
    let before = project.read("data/baselines/main.json");
    let fails = "echo >> n; [ $(wc -l < n) -lt 4 ]";
    let ran = bench(&project, &[&kept[..], &[fails]].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let said = "nothing is kept as the baseline `main`";
    assert!(ran.err.contains(said), "{}", ran.err);
    let stop = format!("echo >> m; [ $(wc -l < m) -ne 5 ] || {{ {CTRL_C}; }}");
    let ran = interrupted(&project, &[&kept[..], &["-w", "1", &stop]].concat());
    assert!(ran.err.contains(said), "{}", ran.err);
    assert_eq!(project.read("data/baselines/main.json"), before);
}
