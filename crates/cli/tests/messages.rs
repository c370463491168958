//! What a person reads: help, diagnostics, lists. A change here is a change of the product.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Project;

const COMMANDS: [&str; 16] = [
    "check",
    "plan",
    "run",
    "status",
    "cancel",
    "list",
    "summarize",
    "compare",
    "analyze",
    "variance",
    "power",
    "schema",
    "init",
    "demo",
    "doctor",
    "completions",
];

#[test]
fn every_command_has_help_with_an_example() {
    let project = Project::new();
    let top = project.expect(0, &["--help"]).out;
    for command in COMMANDS {
        assert!(
            top.contains(&format!("\n  {command} ")),
            "{command} is not in the overview"
        );
        let help = project.expect(0, &[command, "--help"]).out;
        assert!(help.contains("Example"), "{command} has no example");
        assert!(
            help.contains(&format!("fairtrial {command}")),
            "{command}'s example does not use it"
        );
    }
}

#[test]
fn every_problem_of_a_spec_is_shown_at_once_with_its_place() {
    let project = Project::with_spec(
        "sedes = 3\n[[tasks]]\ncommand = \"echo {sed}\"\ntimeout = \"fast\"\nneeds = [\"nobody\"]\n",
    );
    let ran = project.expect(2, &["check", "bench.toml"]);
    insta::assert_snapshot!("problems", ran.err);
    let json = project.expect(2, &["check", "bench.toml", "--json"]).json();
    assert_eq!(json["valid"], false);
    let first = &json["diagnostics"][0];
    assert_eq!(
        (&first["line"], &first["column"], &first["file"]),
        (&1.into(), &1.into(), &"bench.toml".into())
    );
}

#[test]
fn a_plan_reads_as_a_list() {
    let project = Project::with_spec(
        "name = \"p\"\nseeds = [1, 2]\n[[tasks]]\nid = \"train\"\ncommand = \"prog --lr {lr} 'a b' {dir}\"\n[arms.a]\nlr = 0.1\n[arms.b]\nlr = 0.2\n",
    );
    let ran = project.expect(0, &["plan", "bench.toml"]);
    insta::assert_snapshot!("plan", ran.out);
}

#[test]
fn an_empty_project_says_so() {
    let project = Project::new();
    assert!(
        project
            .expect(0, &["list"])
            .err
            .starts_with("no runs under ")
    );
    assert_eq!(project.expect(0, &["list", "--json"]).out, "[]\n");
    let status = project.expect(2, &["status"]);
    assert!(
        status.err.contains("there are no runs")
            && status.err.contains("help: `fairtrial run SPEC` makes one")
    );
}

#[test]
fn progress_is_plain_without_a_terminal() {
    let project = Project::with_spec(
        "name = \"p\"\nparallel = 1\nseeds = 2\n[[tasks]]\nid = \"t\"\ncommand = [\"sh\", \"-c\", 'echo out; echo err >&2; test {seed} = 1072']\n",
    );
    let quiet = project.expect(1, &["run", "bench.toml"]).err;
    insta::assert_snapshot!("quiet_progress", redacted(&project, &quiet));
    let verbose = project.expect(1, &["run", "bench.toml", "-v"]).err;
    assert!(
        verbose.contains("-0 started on slot 0: t · seed 1072"),
        "{verbose}"
    );
    let stream = project.expect(1, &["run", "bench.toml", "-vv"]).err;
    assert!(
        stream.contains("-0 | out\n") && stream.contains("-0 ! err\n"),
        "{stream}"
    );
}

#[test]
fn editors_and_shells_are_served() {
    let project = Project::new();
    let schema = project.expect(0, &["schema"]).json();
    assert!(schema["properties"]["tasks"].is_object());
    assert!(
        project
            .expect(0, &["completions", "bash"])
            .out
            .contains("_fairtrial()")
    );
    project.expect(0, &["init", "new.toml"]);
    project.expect(0, &["check", "new.toml"]);
    project.expect(2, &["init", "new.toml"]);
    assert_eq!(project.expect(0, &["init"]).out, project.read("new.toml"));
    let doctor = project.expect(0, &["doctor", "--json"]).json();
    assert!(doctor["findings"].as_array().unwrap().len() >= 4);
}

#[test]
fn a_starter_is_written_in_the_format_of_its_extension() {
    let project = Project::new();
    let plan = |name: &str| {
        project.expect(0, &["init", name]);
        let checked = project.expect(0, &["check", name]);
        assert_eq!(checked.out, format!("{name} is valid: 10 trials\n"));
        project.expect(0, &["plan", name]).out
    };
    let toml = plan("new.toml");
    for name in ["new.yaml", "new.yml", "new.json", "NEW.JSON"] {
        assert_eq!(plan(name).replace(name, "new.toml"), toml, "{name}");
    }
    for name in ["new.txt", "new", ".toml"] {
        let refused = project.expect(2, &["init", name]).err;
        assert!(
            refused.contains("help: name it .toml, .yaml, .yml or .json"),
            "{refused}"
        );
        assert!(!project.path().join(name).exists());
    }
}

/// Output without stamps and paths.
fn redacted(project: &Project, text: &str) -> String {
    let run = project.newest_run("p");
    let text = text.replace(
        &project.path().canonicalize().unwrap().display().to_string(),
        "PROJECT",
    );
    let text = text.replace(&project.path().display().to_string(), "PROJECT");
    text.replace(&*run.file_name().unwrap().to_string_lossy(), "STAMP")
}
