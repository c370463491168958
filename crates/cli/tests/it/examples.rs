//! The examples for CI and for reporters, copied into a repository as their READMEs say and run by their own scripts.

use crate::common::{Project, Ran};
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

/// Copies an example's folder into the project.
fn copy(name: &str, project: &Project, to: &str) {
    for entry in std::fs::read_dir(example(name)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let file = path.file_name().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            project.write(&format!("{to}/{file}"), &text);
        }
    }
}

/// Makes what the benchmark measures a number in the checkout, so that nothing depends on the machine's day.
fn measure_a_file(project: &Project, bench: &str) {
    for spec in ["bench.toml", "nightly.toml"] {
        let path = format!("{bench}/{spec}");
        let text = project.read(&path);
        let without = text.replace("from = \"resource:cpu\"\n", "");
        assert_ne!(text, without);
        project.write(&path, &without);
    }
    project.write(
        &format!("{bench}/work.sh"),
        ". ./level && echo \"{\\\"cpu\\\": $level}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
}

/// What a checkout measures, in the shell's arithmetic.
fn level(project: &Project, checkout: &str, text: &str) {
    project.write(
        &format!("{checkout}/level"),
        &format!("level=$(({text} + FAIRTRIAL_SEED % 7))\n"),
    );
}

/// The workflow's own command, in the folders that it checks out.
fn workflow(project: &Project) -> Ran {
    let text = std::fs::read_to_string(example("ci/github-actions.yml")).unwrap();
    let commands: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("run: sh "))
        .collect();
    assert_eq!(commands, ["\"head/$BENCH/gate.sh\""]);
    for path in ["data", "summary.md", "gate.xml", "report.html"] {
        assert!(text.contains(&format!("head/${{{{ env.BENCH }}}}/{path}\n")));
    }
    project.write("page.md", "");
    project.shell(&format!(
        "export BENCH=benchmarks BASE_DIR=$PWD/base HEAD_DIR=$PWD/head GITHUB_STEP_SUMMARY=$PWD/page.md; sh {}",
        commands[0]
    ))
}

#[test]
fn the_workflow_judges_a_pull_request() {
    let project = Project::new();
    copy("ci", &project, "head/benchmarks");
    measure_a_file(&project, "head/benchmarks");
    // The base is from before the benchmark came: it has nothing of it.
    level(&project, "base", "1000");
    let cases = [
        ("1000", 0, "Equivalent"),
        ("1200", 1, "Regressed"),
        (
            "1000 + FAIRTRIAL_SEED * 7919 % 900 - 450",
            0,
            "Inconclusive",
        ),
        // Trials fail: `run` ends with 1, and it is the gate that says what that means.
        ("nothing / 0", 1, "Regressed"),
    ];
    for (text, code, word) in cases {
        level(&project, "head", text);
        let ran = workflow(&project);
        assert_eq!(ran.code, code, "{text}\n{}\n{}", ran.out, ran.err);
        let page = project.read("page.md");
        assert!(page.contains(word), "{text}\n{page}");
        assert_eq!(ran.out.contains("::warning::"), word == "Inconclusive");
        for file in ["gate.xml", "report.html", "data/rollouts/bench"] {
            let path = project.path().join("head/benchmarks").join(file);
            assert!(path.exists(), "{text}: {file}");
        }
    }
    let spec = project.read("head/benchmarks/bench.toml");
    project.write(
        "head/benchmarks/bench.toml",
        &spec.replace("seeds", "sedes"),
    );
    assert_eq!(workflow(&project).code, 2);
    assert!(!project.path().join("head/benchmarks/summary.md").exists());
}

#[test]
fn the_gate_runs_where_it_stands() {
    let project = Project::new();
    copy("ci", &project, ".");
    let ran = project.shell("BASE_DIR=. HEAD_DIR=. sh gate.sh");
    // The real clock: identical code may be called regressed at the declared rate.
    assert!(ran.code <= 1, "{}\n{}", ran.out, ran.err);
    assert!(project.read("summary.md").contains("cpu"));
}

#[test]
fn the_gate_is_not_passed_by_a_benchmark_that_fails() {
    let project = Project::new();
    copy("ci", &project, ".");
    project.write("work.sh", "exit 1\n");
    let ran = project.shell("BASE_DIR=. HEAD_DIR=. sh gate.sh");
    assert_eq!(ran.code, 3, "{}\n{}", ran.out, ran.err);
    assert!(project.read("summary.md").contains("Invalid"));
}

/// The line of the crontab, in a project where it is night.
fn night(project: &Project) -> Ran {
    let crontab = std::fs::read_to_string(example("ci/nightly.crontab")).unwrap();
    let line = crontab.lines().last().unwrap();
    let command = line.strip_prefix("30 2 * * * ").unwrap();
    let here = project.path().display().to_string();
    let command = command
        .replace("/path/to/project", &here)
        .replace("git pull -q --ff-only", "true");
    project.shell(&format!("export HEAD_DIR={here}; {command}"))
}

#[test]
fn a_night_is_judged_by_the_last_that_was_fine() {
    let project = Project::new();
    copy("ci", &project, "benchmarks");
    measure_a_file(&project, "benchmarks");
    // Silent where nothing is wrong; a regression is told until it is mended, and never becomes the baseline.
    let nights = [
        ("1000", 0, None),
        ("1000", 0, None),
        ("1100", 1, Some("Regressed")),
        ("1100", 1, Some("Regressed")),
        ("nothing / 0", 1, Some("Regressed")),
        ("1000", 0, None),
    ];
    for (place, (text, code, told)) in nights.into_iter().enumerate() {
        level(&project, ".", text);
        let ran = night(&project);
        let what = format!("night {place}: {}\n{}", ran.out, ran.err);
        assert_eq!(ran.code, code, "{what}");
        assert_eq!(ran.out.is_empty(), told.is_none(), "{what}");
        assert!(ran.out.contains(told.unwrap_or_default()), "{what}");
    }
    assert!(project.path().join("benchmarks/nightly.html").exists());
    // Whoever wants it elsewhere names a program.
    level(&project, ".", "1100");
    let here = project.path().display();
    let told = project.shell(&format!(
        "HEAD_DIR={here} NOTIFY='cat > told' sh benchmarks/nightly.sh"
    ));
    assert_eq!((told.code, told.out.as_str()), (1, ""));
    let told = project.read("benchmarks/told");
    assert!(
        told.contains("needs a look") && told.contains("Regressed"),
        "{told}"
    );
    // A night that cannot be run is told too.
    project.write("benchmarks/nightly.toml", "seeds = \"many\"\n");
    let ran = night(&project);
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("could not be run"), "{}", ran.out);
}

#[test]
fn the_reporters_write_their_files() {
    let project = Project::new();
    copy("reporters", &project, ".");
    if std::env::var_os("CI").is_none() && project.shell("python3 --version").code != 0 {
        eprintln!("skipped: python3 is not here");
        return;
    }
    let ran = project.expect(0, &["run", "bench.toml"]);
    let made = project.newest_run("reporters").join("reporters");
    let text = std::fs::read_to_string(made.join("text/report.txt"));
    let text = text.unwrap_or_else(|error| panic!("{error}\n{}", ran.err));
    assert!(
        text.contains("score = ") && text.contains("(n = 5)"),
        "{text}"
    );
    let raw = std::fs::read_to_string(made.join("raw/data.json")).unwrap();
    let raw: serde_json::Value = serde_json::from_str(&raw).unwrap();
    assert_eq!(raw["run"]["name"], "reporters");
}
