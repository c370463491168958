//! `bench`: commands timed against each other. What is asserted here is what is said and kept, never how long it took.

use crate::common::{Project, Ran};
use serde_json::Value;
use std::process::Stdio;

/// A bench with few runs: these tests are not about times.
pub(crate) fn bench(project: &Project, args: &[&str]) -> Ran {
    let args: Vec<&str> = ["bench", "--warmup", "1"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    project.run(&args)
}

pub(crate) fn json(project: &Project, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().chain(&["--json"]).copied().collect();
    let ran = bench(project, &args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    ran.json()
}

#[test]
fn the_answer_comes_first_and_the_run_is_kept() {
    let project = Project::new();
    let ran = bench(&project, &["-r", "12", "sleep 0.001", "sleep 0.05"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let first = ran.out.lines().next().unwrap();
    assert!(first.starts_with("sleep 0.05 is "), "{}", ran.out);
    assert!(first.contains(" × slower than sleep 0.001 ["), "{first}");
    assert!(first.contains("(wall time, 12 pairs, "), "{first}");
    // The run is one like others.
    let listed = project.expect(0, &["list", "--json"]).json();
    assert_eq!(listed[0]["name"], "bench", "{listed}");
    assert_eq!(listed[0]["counts"]["ok"], 24, "{listed}");
    project.expect(0, &["report", "bench"]);
    project.expect(0, &["verify", "bench"]);
    let summary = project.expect(0, &["summarize", "bench", "--json"]).json();
    assert_eq!(summary["cells"].as_array().unwrap().len(), 2, "{summary}");
    // No trial that ended well left a folder.
    let runs = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    assert_eq!(runs.count(), 0);
}

#[test]
fn commands_run_in_random_blocks() {
    let project = Project::new();
    json(&project, &["-N", "-r", "10", "true", "sleep 0"]);
    let ends: Vec<Value> = project
        .journal("bench")
        .into_iter()
        .filter(|event| event["event"] == "finished")
        .collect();
    let arms: Vec<&Value> = ends.iter().map(|end| &end["trial"]["arm"]).collect();
    assert_eq!(arms.len(), 20);
    for pair in arms.chunks(2) {
        assert_ne!(pair[0], pair[1], "a block has one run of each: {arms:?}");
    }
}

#[test]
fn one_command_alone_has_its_mean() {
    let project = Project::new();
    let found = json(&project, &["-r", "5", "-n", "quick", "true"]);
    assert_eq!(found["commands"][0]["name"], "quick");
    assert_eq!(found["commands"][0]["runs"], 5);
    let ran = bench(&project, &["-r", "5", "sleep 0.001"]);
    assert!(ran.out.starts_with("sleep 0.001 takes "), "{}", ran.out);
    assert!(ran.out.contains("mean of 5 runs"), "{}", ran.out);
}

#[test]
fn names_may_hold_the_commands() {
    let project = Project::new();
    let found = json(
        &project,
        &["-r", "2", "-n", "old=true", "-n", "new=sleep 0"],
    );
    assert_eq!(found["answers"][0]["reference"], "old");
    assert_eq!(found["answers"][0]["command"], "new");
    let ran = bench(&project, &["-n", "old"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`-n old` names no command"), "{}", ran.err);
}

#[test]
fn a_missing_program_is_said_before_anything_runs() {
    let project = Project::new();
    let ran = bench(
        &project,
        &["--setup", "touch set-up", "true", "no-such-program-here"],
    );
    assert_eq!(ran.code, 2);
    let wanted = "the program `no-such-program-here` is not in any folder of PATH; nothing was run";
    assert!(ran.err.contains(wanted), "{}", ran.err);
    assert!(!project.path().join("set-up").exists());
    assert!(!project.path().join("data").exists());
}

#[test]
fn a_command_that_fails_ends_the_bench_with_what_it_said() {
    let project = Project::new();
    let ran = bench(&project, &["true", "echo so sorry >&2; exit 3"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.err
            .contains("ended with exit code 3; nothing was measured. It said:"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("so sorry"), "{}", ran.err);
    assert!(ran.err.contains("--ignore-failure"), "{}", ran.err);
    // Well at first, and then not.
    let later = "test ! -e three || { echo too many >&2; exit 4; }; test ! -e two || touch three; test ! -e one || touch two; touch one";
    let ran = bench(&project, &["-r", "20", later]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("exit code 4") && ran.err.contains("too many"),
        "{}",
        ran.err
    );
    assert!(
        ran.out.starts_with("a command failed; before that: "),
        "{}",
        ran.out
    );
}

#[test]
fn failures_count_where_that_is_asked_for() {
    let project = Project::new();
    let found = json(&project, &["-r", "3", "-i", "true", "false"]);
    assert_eq!(found["commands"][1]["failures"], 3, "{found}");
    assert_eq!(
        found["commands"][1]["exit_codes"],
        serde_json::json!([1, 1, 1])
    );
    let ran = bench(&project, &["-r", "3", "--ignore-failure=7", "false"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = bench(&project, &["-r", "3", "--ignore-failure=1,2", "false"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_runs_around_the_commands_runs_as_often_as_it_should() {
    let project = Project::new();
    let args = [
        "-r",
        "4",
        "--setup",
        "echo s >> log",
        "--prepare",
        "echo p >> log",
        "--conclude",
        "echo c >> log",
        "--cleanup",
        "echo e >> log",
        "true",
        "sleep 0",
    ];
    json(&project, &args);
    let log = project.read("log");
    let count = |word: &str| log.lines().filter(|line| *line == word).count();
    // One warm-up and four runs of each of two commands.
    assert_eq!(
        (count("s"), count("p"), count("c"), count("e")),
        (1, 10, 10, 1),
        "{log}"
    );
    assert!(
        log.starts_with("s\np\nc\n") && log.ends_with("c\ne\n"),
        "{log}"
    );
    let ran = bench(&project, &["-r", "2", "--prepare", "exit 5", "true"]);
    assert_ne!(ran.code, 0);
    assert!(
        ran.err.contains("the command of `prepare` failed"),
        "{}",
        ran.err
    );
}

#[test]
fn input_and_output_are_what_was_asked_for() {
    let project = Project::new();
    project.write("in.txt", "from the file\n");
    json(
        &project,
        &[
            "-r", "2", "-N", "--input", "in.txt", "--output", "out.txt", "cat",
        ],
    );
    assert_eq!(project.read("out.txt"), "from the file\n");
    let ran = bench(&project, &["-r", "2", "-N", "--show-output", "echo seen"]);
    assert_eq!(
        ran.err.lines().filter(|line| *line == "seen").count(),
        2,
        "{}",
        ran.err
    );
    let ran = bench(&project, &["-r", "2", "--input", "nowhere.txt", "cat"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("the input nowhere.txt cannot be read"),
        "{}",
        ran.err
    );
    let ran = bench(&project, &["--output", "none/out", "true"]);
    assert_eq!(ran.code, 2);
    let wanted = "the output none/out cannot be written: there is no folder none; nothing was run";
    assert!(ran.err.contains(wanted), "{}", ran.err);
    let made = [
        "-r",
        "2",
        "--setup",
        "mkdir none",
        "--output",
        "none/out",
        "true",
    ];
    json(&project, &made);
}

#[test]
fn a_shell_is_taken_where_it_is_needed_and_its_start_taken_off() {
    let project = Project::new();
    let found = json(&project, &["-r", "3", "true", "true | true"]);
    assert!(
        found["shell_s"]
            .as_f64()
            .is_some_and(|seconds| seconds > 0.0),
        "{found}"
    );
    let ran = bench(&project, &["-r", "3", "true | true"]);
    assert!(
        ran.out.contains("A shell runs the commands; its start ("),
        "{}",
        ran.out
    );
    let found = json(&project, &["-r", "3", "true", "sleep 0"]);
    assert!(found["shell_s"].is_null(), "{found}");
    let found = json(&project, &["-r", "3", "-S", "sh -e", "true"]);
    assert!(found["shell_s"].as_f64().is_some(), "{found}");
}

#[test]
fn words_with_braces_and_variables_are_plain_text() {
    let project = Project::new();
    json(
        &project,
        &[
            "-r",
            "2",
            "-N",
            "--output",
            "out.txt",
            "echo {seed} ${HOME} {{x}}",
        ],
    );
    assert_eq!(project.read("out.txt"), "{seed} ${HOME} {{x}}\n");
    json(
        &project,
        &[
            "-r",
            "2",
            "--output",
            "out.txt",
            "WORD=said; echo {seed} ${WORD}",
        ],
    );
    assert_eq!(project.read("out.txt"), "{seed} said\n");
}

#[test]
fn commands_that_print_different_things_are_noticed() {
    let project = Project::new();
    let ran = bench(&project, &["-r", "2", "echo one", "echo two"]);
    assert!(
        ran.out.contains("The commands print different things."),
        "{}",
        ran.out
    );
    let ran = bench(&project, &["-r", "2", "echo one", "/bin/echo one"]);
    assert!(!ran.out.contains("different things"), "{}", ran.out);
}

/// The first warm-up is read to see what is printed, which takes time; it is not called a slow first run.
#[test]
fn much_output_is_looked_at_without_a_word_about_a_slow_first_run() {
    let project = Project::new();
    let zeros = |bytes: u32| format!("head -c {bytes} /dev/zero");
    let args = ["bench", "-r", "2", "-N", "-w", "2"];
    let ran = project.run(&[&args[..], &[&zeros(9_000_000), &zeros(9_000_001)]].concat());
    assert!(
        ran.out.contains("print different things"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(!ran.out.contains("the first run took"), "{}", ran.out);
}

#[test]
fn more_runs_than_can_be_planned_are_refused() {
    let project = Project::new();
    for flag in ["-r", "-m"] {
        let ran = project.run(&["bench", flag, "4294967295", "true"]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("at most 1,000,000 runs"), "{}", ran.err);
    }
}

#[test]
fn nothing_is_kept_where_that_is_asked_for() {
    let project = Project::new();
    json(&project, &["-r", "2", "--no-save", "true"]);
    assert!(!project.path().join("data").exists());
}

/// As by a user at the keyboard, from within what runs; what follows it would take far too long.
pub(crate) const CTRL_C: &str =
    "until test -s pid; do sleep 0.01; done; kill -INT $(cat pid); sleep 600";

pub(crate) fn interrupted(project: &Project, args: &[&str]) -> Ran {
    let args: Vec<&str> = ["bench", "--cleanup", "touch cleaned"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let mut command = project.command(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    project.write("pid", &child.id().to_string());
    let output = child.wait_with_output().unwrap();
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert_eq!(ran.code, 130, "{}{}", ran.out, ran.err);
    assert!(project.path().join("cleaned").exists(), "{}", ran.err);
    ran
}

#[test]
fn an_interrupted_bench_gives_its_answer_so_far() {
    let project = Project::new();
    let stop = format!("echo >> runs; test $(wc -l < runs) -ne 10 || {{ {CTRL_C}; }}");
    let ran = interrupted(&project, &["-w", "1", "-r", "500", &stop, "sleep 0.01"]);
    assert!(ran.out.starts_with("interrupted; so far: "), "{}", ran.out);
    // What runs before a run is ended as well, and is no failure then.
    let project = Project::new();
    let ran = interrupted(
        &project,
        &["-w", "0", "-r", "500", "--prepare", &stop, "true"],
    );
    assert!(
        ran.out.starts_with("interrupted; so far: true takes"),
        "{}",
        ran.out
    );
    assert!(!ran.err.contains("failed"), "{}", ran.err);
}

#[test]
fn interrupted_before_the_first_run_it_says_so_and_cleans_up() {
    let project = Project::new();
    let ran = interrupted(&project, &[CTRL_C, "true"]);
    let wanted = "interrupted during the warm-up: nothing was measured";
    assert!(ran.err.contains(wanted), "{}", ran.err);
    let project = Project::new();
    let ran = interrupted(&project, &["--setup", CTRL_C, "true"]);
    let wanted = "interrupted during the setup: nothing was measured";
    assert!(ran.err.contains(wanted), "{}", ran.err);
    assert!(!project.path().join("data").exists());
}

#[test]
fn cleaning_up_follows_whatever_happens_and_its_failure_loses_no_answer() {
    let project = Project::new();
    let clean = ["--cleanup", "touch cleaned"];
    let ran = bench(&project, &[clean[0], clean[1], "false"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(project.path().join("cleaned").exists(), "{}", ran.err);
    let ran = bench(&project, &["-r", "2", "--cleanup", "exit 3", "true"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.starts_with("true takes "), "{}", ran.out);
    assert!(
        ran.err.contains("the command of `cleanup` failed"),
        "{}",
        ran.err
    );
}

#[test]
fn parameters_make_a_command_of_each_value() {
    let project = Project::new();
    let found = json(
        &project,
        &[
            "-r",
            "2",
            "-N",
            "-L",
            "word",
            "a,b",
            "-P",
            "n",
            "1",
            "2",
            "--prepare",
            "echo {word}{n} >> log",
            "echo {word} {n}",
        ],
    );
    let names: Vec<&Value> = (found["commands"].as_array().unwrap().iter())
        .map(|command| &command["name"])
        .collect();
    assert_eq!(names, ["echo a 1", "echo a 2", "echo b 1", "echo b 2"]);
    assert_eq!(found["answers"].as_array().unwrap().len(), 3);
    assert!(project.read("log").contains("b2"));
    let ran = bench(&project, &["-P", "n", "5", "1", "echo {n}"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("`n` cannot be scanned from 5 to 1"),
        "{}",
        ran.err
    );
}

/// The flags of hyperfine's README and help, each with a value where it takes one.
#[test]
fn every_flag_of_hyperfine_works_or_is_refused_by_name() {
    let project = Project::new();
    project.write("in", "");
    let works = [
        "-w 1",
        "--warmup 1",
        "-m 2",
        "--min-runs 2",
        "-M 3",
        "--max-runs 3",
        "-r 2",
        "--runs 2",
        "-s true",
        "--setup true",
        "-p true",
        "--prepare true",
        "-C true",
        "--conclude true",
        "-c true",
        "--cleanup true",
        "-P x 1 2",
        "--parameter-scan x 1 2",
        "-P x 1 2 -D 0.5",
        "-L x a,b",
        "--parameter-list x a,b",
        "-S sh",
        "--shell none",
        "--shell default",
        "-N",
        "-i",
        "--ignore-failure",
        "--export-csv f",
        "--export-json f",
        "--export-markdown f",
        "--show-output",
        "--output null",
        "--output pipe",
        "--output f",
        "--input null",
        "--input in",
        "-n name",
        "--command-name name",
    ];
    for flags in works {
        let mut args: Vec<&str> = vec!["bench", "--no-save", "--time-limit", "100ms"];
        if flags.starts_with("-r") || flags.starts_with("--runs") {
            args.truncate(2);
        } else if !flags.contains("min-runs")
            && !flags.contains("max-runs")
            && !flags.starts_with("-m")
            && !flags.starts_with("-M")
        {
            args = vec!["bench", "--no-save", "-r", "2"];
        }
        args.extend(flags.split(' '));
        let scanned = flags.contains(" x ");
        args.push(if scanned { "true {x}" } else { "true" });
        let ran = project.run(&args);
        assert_eq!(ran.code, 0, "{flags}: {}{}", ran.out, ran.err);
    }
    for flags in [
        "--reference true",
        "--style full",
        "--sort command",
        "-u second",
        "--time-unit second",
        "--export-asciidoc f",
        "--export-orgmode f",
    ] {
        let mut args: Vec<&str> = vec!["bench"];
        args.extend(flags.split(' '));
        args.push("true");
        let ran = project.run(&args);
        assert_eq!(ran.code, 2, "{flags}");
        assert!(
            ran.err
                .contains("is not supported by `fairtrial bench` yet"),
            "{flags}: {}",
            ran.err
        );
    }
}

fn git(project: &Project, args: &[&str]) -> String {
    let user = ["-c", "user.name=t", "-c", "user.email=t@t"];
    let output = std::process::Command::new("git")
        .args(user.iter().chain(args))
        .current_dir(project.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository with a program in a subfolder that is slow in its first version.
fn repository() -> Project {
    let project = Project::new();
    git(&project, &["init", "-q", "-b", "main"]);
    project.write(".gitignore", "data\nbuilt\nbuilds\n");
    project.write("work.sh", "sleep 0.3\n");
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "slow"]);
    project.write("work.sh", "sleep 0.001\n");
    git(&project, &["commit", "-qam", "quick"]);
    project
}

#[test]
fn revisions_are_checked_out_built_once_and_compared() {
    let project = repository();
    let builds = project.path().join("builds");
    let build = format!("echo build >> {}; cp work.sh built", builds.display());
    let args = [
        "-r", "12", "--rev", "HEAD~1", "--rev", "HEAD", "--build", &build, "--", "sh", "./built",
    ];
    let ran = bench(&project, &args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let first = ran.out.lines().next().unwrap();
    assert!(
        first.starts_with("HEAD is ") && first.contains(" × faster than HEAD~1 ["),
        "{first}"
    );
    bench(&project, &args);
    assert_eq!(
        project.read("builds"),
        "build\nbuild\n",
        "each was built once"
    );
    // Nothing of it is in the repository.
    assert_eq!(git(&project, &["status", "--porcelain"]), "");
    assert_eq!(git(&project, &["worktree", "list"]).lines().count(), 1);
    // Against the files as they are.
    project.write("work.sh", "sleep 0.08\n");
    let args = [
        "-r", "12", "--rev", "HEAD", "--build", &build, "--", "sh", "./built",
    ];
    let ran = bench(&project, &args);
    let first = ran.out.lines().next().unwrap();
    assert!(
        first.starts_with("working tree is ") && first.contains("slower than HEAD"),
        "{first}"
    );
}

#[test]
fn a_revision_that_cannot_be_had_is_said_and_leaves_nothing() {
    let project = repository();
    let ran = bench(&project, &["--rev", "nowhere", "--", "true"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no revision `nowhere`"), "{}", ran.err);
    let kept = || {
        std::fs::read_dir(project.path().join("data/cache/revisions")).map_or(0, |found| {
            let folder =
                |entry: &Result<std::fs::DirEntry, _>| entry.as_ref().unwrap().path().is_dir();
            found.filter(folder).count()
        })
    };
    let ran = bench(
        &project,
        &[
            "--rev",
            "HEAD",
            "--build",
            "echo no compiler >&2; exit 3",
            "--",
            "true",
        ],
    );
    assert_ne!(ran.code, 0);
    let wanted = "the command of `build` failed";
    assert!(
        ran.err.contains(wanted) && ran.err.contains("no compiler"),
        "{}",
        ran.err
    );
    assert_eq!(kept(), 0);
    let build = format!("cd {}; {CTRL_C}", project.path().display());
    let mut command = project.command(&["bench", "--rev", "HEAD", "--build", &build, "--", "true"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    project.write("pid", &child.id().to_string());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("interrupted during the build: nothing was measured"),
        "{said}"
    );
    assert_eq!(kept(), 0);
    let ran = bench(&Project::new(), &["--rev", "HEAD", "--", "true"]);
    assert!(ran.err.contains("is in no git repository"), "{}", ran.err);
}

#[test]
fn instructions_are_counted_and_compared_without_noise() {
    if !std::path::Path::new("/usr/bin/valgrind").exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "valgrind is to be installed here"
        );
        println!("skipped: valgrind is not installed");
        return;
    }
    let project = Project::new();
    let count = ["--counter", "callgrind"];
    let ran = bench_without_warmup(&project, &[&count[..], &["seq 100", "seq 20000"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let first = ran.out.lines().next().unwrap();
    assert!(
        first.starts_with("seq 20000 executes ")
            && first.contains(" % more instructions than seq 100"),
        "{first}"
    );
    let found = bench_without_warmup(
        &project,
        &[&count[..], &["--json", "seq 100", "seq 20000"]].concat(),
    )
    .json();
    assert!(
        found["commands"][0]["mean"]
            .as_f64()
            .is_some_and(|mean| mean > 10_000.0),
        "{found}"
    );
    // Against a baseline of itself.
    let kept = ["--save-baseline", "main", "seq 5000"];
    bench_without_warmup(&project, &[&count[..], &kept].concat());
    let ran = bench_without_warmup(
        &project,
        &[&count[..], &["--baseline", "main", "seq 5000"]].concat(),
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let ran = bench_without_warmup(&project, &[&count[..], &["true | true"]].concat());
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("callgrind counts one program"),
        "{}",
        ran.err
    );
}

fn bench_without_warmup(project: &Project, args: &[&str]) -> Ran {
    project.run(&[&["bench"], args].concat())
}

#[test]
fn commands_are_kept_on_a_cpu_at_a_priority_and_at_fixed_addresses() {
    let project = Project::new();
    let look = "grep Cpus_allowed_list /proc/self/status; nice; cat /proc/self/personality";
    let args = [
        "-r",
        "2",
        "--pin",
        "--nice",
        "7",
        "--no-aslr",
        "--output",
        "out.txt",
        look,
    ];
    let ran = bench(&project, &args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let out = project.read("out.txt");
    let lines: Vec<&str> = out.lines().collect();
    let cpu = lines[0].rsplit('\t').next().unwrap();
    assert!(cpu.parse::<u32>().is_ok(), "one CPU: {out}");
    assert_eq!(lines[1], "7", "{out}");
    assert_eq!(lines[2], "00040000", "{out}");
    let ran = bench(&project, &["--nice", "30", "true"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}
