//! What a person reads: help, diagnostics, lists. A change here is a change of the product.

use crate::common::Project;

const COMMANDS: [&str; 17] = [
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
    "self",
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
fn a_misspelt_key_is_told_without_what_only_follows_from_it() {
    let project = Project::with_spec("name = \"x\"\nseeds = 3\ncomand = \"true\"\n");
    let ran = project.expect(2, &["check", "bench.toml"]);
    assert!(
        ran.err.starts_with("error: a spec has no key `comand`"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("did you mean `command`?"), "{}", ran.err);
    assert!(ran.err.contains("has 1 problem;"), "{}", ran.err);
}

#[test]
fn a_plan_reads_as_a_list() {
    let project = Project::with_spec(
        "name = \"p\"\nseeds = [1, 2]\n[[tasks]]\nid = \"train\"\ncommand = \"prog --lr {lr} 'a b' {dir}\"\n[arms.a]\nlr = 0.1\n[arms.b]\nlr = 0.2\n",
    );
    let ran = project.expect(0, &["plan", "bench.toml"]);
    let folder = project.path().canonicalize().unwrap();
    let shown = ran.out.replace(&*folder.to_string_lossy(), "PROJECT");
    insta::assert_snapshot!("plan", shown);
}

#[test]
fn a_plan_says_which_trials_go_on_from_what_they_saved() {
    let project = Project::with_spec(
        "seeds = 1\n[[tasks]]\nid = \"train\"\ncommand = \"true\"\ncheckpoint = true\n\
         [[tasks]]\nid = \"eval\"\ncommand = \"true\"\n",
    );
    let ran = project.expect(0, &["plan", "bench.toml"]);
    let line = "an interrupted trial of train goes on from what it saved (`checkpoint`)";
    assert!(ran.out.lines().any(|it| it == line), "{}", ran.out);
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
fn a_run_that_is_not_there_is_not_listed() {
    let project = Project::with_spec("name = \"bench\"\ncommand = \"true\"\n");
    let none = project.expect(2, &["list", "bench"]).err;
    assert!(none.contains("there are no runs of bench under"), "{none}");
    project.expect(0, &["run", "bench.toml"]);
    assert!(
        project
            .expect(0, &["list", "bench"])
            .out
            .contains("finished")
    );
    for (name, help) in [
        ("bnech", "did you mean `bench`?"),
        ("engnes", "did you mean `engines`?"),
        ("zzz", "there are runs of bench"),
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = project.expect(2, &[&["list", name], json].concat());
            assert!(ran.err.contains(help) && ran.out.is_empty(), "{}", ran.err);
        }
    }
}

#[test]
fn of_many_runs_the_newest_are_listed_and_the_others_counted() {
    let project = Project::with_spec("name = \"bench\"\ncommand = \"true\"\n");
    project.expect(0, &["run", "bench.toml"]);
    let first = project.newest_run("bench");
    for n in 0..50 {
        let copy = first.with_file_name(format!("20240101__00-00-{n:02}"));
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(first.join("journal.jsonl"), copy.join("journal.jsonl")).unwrap();
    }
    let ran = project.expect(0, &["list", "bench"]);
    let rows = |out: &str| {
        out.lines()
            .filter(|line| line.starts_with("bench "))
            .count()
    };
    assert_eq!(rows(&ran.out), 40, "{}", ran.out);
    let newest = first.file_name().unwrap().to_str().unwrap();
    assert!(
        ran.out.trim_end().lines().last().unwrap().contains(newest),
        "{}",
        ran.out
    );
    let told = "11 older runs not shown: `fairtrial list bench --all` shows all";
    assert!(ran.err.contains(told), "{}", ran.err);
    let all = project.shell("fairtrial list bench --all");
    assert_eq!(
        (rows(&all.out), all.err.contains("not shown")),
        (51, false),
        "{}",
        all.out
    );
    let json = project.expect(0, &["list", "--json"]).json();
    assert_eq!(json.as_array().unwrap().len(), 51);
}

#[test]
fn a_data_folder_must_be_a_folder() {
    let project = Project::with_spec("command = \"true\"\n");
    let ran = project.expect(2, &["--data-dir", "bench.toml", "list"]);
    assert!(ran.err.contains("--data-dir names") && ran.err.contains("not a folder"));
    let mut command = project.command(&["status"]);
    let output = command
        .env("FAIRTRIAL_DATA", "bench.toml")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("FAIRTRIAL_DATA names"), "{error}");
    assert_eq!(output.status.code(), Some(2));
    // One that is not there yet is no mistake.
    project.expect(0, &["--data-dir", "new", "list"]);
    // What needs no data does not look.
    project.expect(0, &["--data-dir", "bench.toml", "schema"]);
}

#[test]
fn a_slip_in_a_subcommand_is_answered_at_every_level() {
    let project = Project::new();
    for (words, meant) in [
        (&["task", "nwe"][..], "'new'"),
        (&["table", "chekc"], "'check'"),
        (&["--data-dir", "x", "table", "idff"], "'diff'"),
        (&["rnu"], "'run'"),
    ] {
        let ran = project.expect(2, words);
        assert!(ran.err.contains(meant), "{words:?}: {}", ran.err);
    }
    let far = project.expect(2, &["task", "zzzzz"]).err;
    assert!(!far.contains("similar"), "{far}");
}

#[test]
fn negative_numbers_reach_our_own_checks() {
    let project = Project::new();
    for arguments in [
        &["power", "--sd", "-1", "--effect", "1"][..],
        &["power", "--sd", "1", "--effect", "-1"],
        &["power", "--sd", "1", "--effect", "-2%"],
        &["power", "--sd", "1", "--effect", "1", "--alpha", "-1"],
        &["power", "--sd", "1", "--effect", "1", "--power", "-1"],
        &["compare", "a", "--margin", "-1"],
    ] {
        let ran = project.expect(2, arguments);
        assert!(
            !ran.err.contains("unexpected argument"),
            "{arguments:?}: {}",
            ran.err
        );
    }
}

#[test]
fn the_log_of_a_skipped_trial_is_not_looked_for() {
    let project = Project::with_spec(
        "name = \"s\"\nparallel = 1\n[[tasks]]\nid = \"a\"\ncommand = \"false\"\n[[tasks]]\nid = \"b\"\ncommand = \"true\"\nneeds = [\"a\"]\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    let ran = project.expect(2, &["logs", "s", "--trial", "1"]);
    assert!(
        ran.err
            .contains("trial 1 of s was skipped: task `a`, which it needs, did not succeed"),
        "{}",
        ran.err
    );
    project.expect(0, &["logs", "s", "--trial", "0"]);
}

#[test]
fn a_program_that_is_not_here_is_a_warning_of_check() {
    let project = Project::with_spec(
        "[[tasks]]\nid = \"a\"\ncommand = \"no-such-program x\"\n[[tasks]]\nid = \"b\"\ncommand = \"./none.sh\"\n[[tasks]]\nid = \"c\"\ncommand = \"true\"\n",
    );
    let ran = project.expect(0, &["check", "bench.toml"]);
    assert!(ran.out.contains("bench.toml is valid: 3 trials"));
    for part in [
        "warning: task `a`: program `no-such-program` is not found in PATH",
        "warning: task `b`: program `./none.sh` is not found",
    ] {
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    assert!(!ran.err.contains("task `c`"), "{}", ran.err);
    let json = project.expect(0, &["check", "bench.toml", "--json"]).json();
    assert_eq!(json["not_here"].as_array().unwrap().len(), 2);
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
    project.expect(0, &["init", "new.toml"]);
    project.expect(0, &["check", "new.toml"]);
    project.expect(2, &["init", "new.toml"]);
    assert_eq!(project.expect(0, &["init"]).out, project.read("new.toml"));
    let doctor = project.expect(0, &["doctor", "--json"]).json();
    assert!(doctor["findings"].as_array().unwrap().len() >= 4);
}

#[test]
fn a_git_that_hangs_does_not_hang_doctor() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    project.write("bin/git", "#!/bin/sh\nsleep 1000\n");
    let git = project.path().join("bin/git");
    std::fs::set_permissions(&git, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = project.command(&["doctor"]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env(
        "PATH",
        format!("{}:{path}", git.parent().unwrap().display()),
    );
    let said = command.output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout);
    let line = "--  provenance       `git` took longer than 3 s and was ended: runs will not know their commit";
    assert!(said.contains(line), "{said}");
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
    let text = text.replace(&*run.file_name().unwrap().to_string_lossy(), "STAMP");
    text.lines()
        .map(without_times)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A progress line without what depends on the machine's day.
fn without_times(line: &str) -> String {
    let (Some(from), Some(to)) = (line.find(" in "), line.find(" [")) else {
        return line.to_owned();
    };
    let place = line[to..]
        .split(", ")
        .filter(|part| !part.ends_with("left]"));
    let place = place.collect::<Vec<_>>().join(", ");
    format!("{} in TIME{}]", &line[..from], place.trim_end_matches(']'))
}

#[test]
fn a_secret_in_a_spec_is_warned_about_and_not_shown() {
    let key = "sk-abcdefghijklmnop1234";
    let spec = format!("[[tasks]]\ncommand = \"true\"\nenv = {{ PROVIDER = \"{key}\" }}\n");
    let project = Project::with_spec(&spec);
    let said = project.expect(0, &["check", "bench.toml"]);
    let all = format!("{}{}", said.out, said.err).replace('\n', " ");
    assert!(
        all.contains("the value of `PROVIDER` looks like a secret"),
        "{all}"
    );
    assert!(!all.contains(key), "{all}");
}
