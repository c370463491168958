//! What a file or a spec claims costs no more than what is asked of it: a clear error, or work that grows with the input.

use crate::common::Project;
use std::fmt::Write as _;
use std::process::Command;

#[test]
fn a_result_file_that_claims_endless_iterations_is_refused() {
    let project = Project::new();
    let result = r#"{"run_id": "r", "name": "x", "iterations": {"warmup": 0, "measured": 1000000000000},
        "iteration_metrics": [{"index": 0, "duration_s": 1.0}], "parameters": {}, "environment": {}, "vcs": {}}"#;
    project.write("a.json", result);
    project.write("b.json", result);
    let ran = project.run(&["compare", "a.json", "b.json"]);
    assert_eq!(ran.code, 2, "{}\n{}", ran.out, ran.err);
    assert!(ran.err.contains("1000000000000 iterations"), "{}", ran.err);
}

#[test]
fn a_plan_that_no_machine_holds_is_refused() {
    let project = Project::with_spec(
        "name = \"bench\"\n[[tasks]]\nid = \"t\"\ncommand = \"true\"\nrollouts = 4294967295\n",
    );
    for command in ["check", "plan", "run"] {
        let ran = project.run(&[command, "bench.toml"]);
        assert_eq!(ran.code, 2, "{command}: {}\n{}", ran.out, ran.err);
        assert!(
            ran.err.contains("4294967295 trials"),
            "{command}: {}",
            ran.err
        );
    }
}

#[test]
fn a_pipe_in_place_of_a_spec_is_not_waited_for() {
    let project = Project::with_spec(
        "name = \"bench\"\ninclude = \"pipe.toml\"\n[[tasks]]\nid = \"t\"\ncommand = \"true\"\n",
    );
    let made = Command::new("mkfifo")
        .arg(project.path().join("pipe.toml"))
        .status();
    assert!(made.unwrap().success());
    for spec in ["bench.toml", "pipe.toml"] {
        let ran = project.expect(2, &["check", spec]);
        assert!(ran.err.contains("not a regular file"), "{}", ran.err);
    }
}

#[test]
fn check_refuses_the_names_that_run_refuses() {
    for name in [".stamps", "...", ".hidden"] {
        let project = Project::with_spec(&format!(
            "name = \"{name}\"\n[[tasks]]\nid = \"t\"\ncommand = \"true\"\n"
        ));
        for command in ["check", "run"] {
            let ran = project.expect(2, &[command, "bench.toml"]);
            assert!(
                ran.err.contains("name of a benchmark"),
                "{command}: {}",
                ran.err
            );
        }
    }
}

/// Before, each task looked through all others for each that it needs, all the way down.
#[test]
fn a_long_chain_of_needs_is_planned_at_once() {
    let mut spec = "name = \"bench\"\n".to_owned();
    for task in 0..4000 {
        let _ = writeln!(spec, "[[tasks]]\nid = \"t{task}\"\ncommand = \"true\"");
        if task > 0 {
            let _ = writeln!(spec, "needs = [\"t{}\"]", task - 1);
        }
    }
    let project = Project::with_spec(&spec);
    project.expect(0, &["check", "bench.toml"]);
    let plan = project.expect(0, &["plan", "bench.toml", "--json"]).json();
    assert_eq!(
        plan["trials"].as_array().map(Vec::len),
        Some(4000),
        "{plan}"
    );
}
