//! A run is made again from its commit and the changes that it kept: in a folder of its own, compared, and cleaned up.

use crate::common::Project;
use std::path::Path;

const SPEC: &str = r#"
name = "bench"
seeds = [1, 2, 3]
command = ["sh", "trial.sh", "{arm}"]
[arms.control]
[arms.candidate]
[metrics.score]
direction = "up"
deterministic = true
"#;

const TRIAL: &str = ". ./lib.sh\necho \"{\\\"score\\\": $((FAIRTRIAL_SEED * FACTOR))}\" >> \"$FAIRTRIAL_METRICS\"\n";

fn git(project: &Project, words: &str) {
    let done = project.shell(&format!(
        "git -c user.name=t -c user.email=t@example.org {words}"
    ));
    assert_eq!(done.code, 0, "git {words}: {}", done.err);
}

/// A repository in which a run was made with a changed file, and the run's record of it.
fn project() -> Project {
    let project = Project::with_spec(SPEC);
    project.write("trial.sh", TRIAL);
    project.write("lib.sh", "FACTOR=2\n");
    git(&project, "init -q -b trunk");
    git(&project, "add .");
    git(&project, "commit -q -m one");
    project.write("lib.sh", "FACTOR=3\n");
    project
}

/// Everything of the project but its cache, to see that nothing was added.
fn files(folder: &Path) -> Vec<String> {
    let listed = std::process::Command::new("sh")
        .args([
            "-c",
            "find . -path ./data/cache -prune -o -path ./.git -prune -o -type f -print | sort",
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_run_with_uncommitted_changes_comes_out_the_same() {
    let project = project();
    project.write("empty", "");
    project.expect(0, &["run", "bench.toml"]);
    let again = || project.expect(0, &["compare", "bench"]);
    assert!(
        !again().out.contains("nobody can make it again"),
        "{}",
        again().out
    );
    // The source goes on: what ran is only in the run.
    project.write("lib.sh", "FACTOR=50\n");
    project.write("trial.sh", "exit 9\n");
    git(&project, "commit -q -am two");
    let before = files(project.path());
    let said = project.expect(0, &["reproduce", "bench"]).out;
    assert!(said.contains("+ kept patch"), "{said}");
    assert!(said.contains("outcomes: 6 of 6 the same"), "{said}");
    assert!(
        said.contains("score: 6 of 6 the same (deterministic)"),
        "{said}"
    );
    assert!(said.contains("it came out the same"), "{said}");
    assert_eq!(files(project.path()), before);
    let left = std::fs::read_dir(project.path().join("data/cache/reproduce")).unwrap();
    assert_eq!(left.count(), 0);
    // One trial, as JSON, kept.
    let one = ["reproduce", "bench", "--trial", "4", "--json", "--keep"];
    let one = project.expect(0, &one).json();
    assert_eq!(
        (&one["same"], &one["trials"]),
        (&true.into(), &1.into()),
        "{one}"
    );
    assert_eq!(one["metrics"][0]["same"], 1, "{one}");
    let kept = Path::new(one["kept"].as_str().unwrap());
    let lib = std::fs::read_to_string(kept.join("tree/lib.sh")).unwrap();
    assert_eq!(lib, "FACTOR=3\n");
    assert!(kept.join("tree/empty").is_file());
}

#[test]
fn what_comes_out_otherwise_is_named() {
    let project = project();
    // What only this machine holds decides, and no repository has it.
    project.write(".gitignore", "factor\n");
    project.write("factor", "FACTOR=7\n");
    let factor = project.path().join("factor");
    project.write("lib.sh", &format!(". {}\n", factor.display()));
    project.expect(0, &["run", "bench.toml"]);
    project.write("factor", "FACTOR=8\n[ $FAIRTRIAL_SEED != 3 ] || exit 1\n");
    let said = project.expect(1, &["reproduce", "bench"]).out;
    assert!(said.contains("outcomes: 4 of 6 the same; trial"), "{said}");
    assert!(said.contains("score: 0 of 6 the same; trial 0: "), "{said}");
    assert!(said.contains("it did not come out the same"), "{said}");
}

#[test]
fn what_cannot_be_made_again_is_refused_with_the_reason() {
    let lone = Project::with_spec(SPEC);
    lone.write("trial.sh", TRIAL);
    lone.write("lib.sh", "FACTOR=2\n");
    lone.expect(0, &["run", "bench.toml"]);
    let said = lone.expect(2, &["reproduce", "bench"]).err;
    assert!(said.contains("its source is in no repository"), "{said}");

    // A file that trials ran and git does not know, changed since.
    let project = project();
    project.write("trial.sh", "FACTOR=3\n");
    project.write("more.sh", TRIAL);
    project.write("bench.toml", &SPEC.replace("trial.sh", "more.sh"));
    project.expect(0, &["run", "bench.toml"]);
    let compared = project.expect(0, &["compare", "bench"]).out;
    assert!(compared.contains("more.sh"), "{compared}");
    project.expect(0, &["reproduce", "bench", "--trial", "0"]);
    project.write("more.sh", "exit 1\n");
    let said = project.expect(2, &["reproduce", "bench"]).err;
    assert!(said.contains("of which only the hash is kept"), "{said}");
    assert!(said.contains("more.sh"), "{said}");

    // A patch that somebody changed is found, by `verify` too.
    let code = project.newest_run("bench").join("code");
    let patch = std::fs::read_dir(&code)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let patch = patch
        .into_iter()
        .find(|path| path.extension().is_some_and(|it| it == "patch"))
        .unwrap();
    let text = std::fs::read_to_string(&patch).unwrap();
    std::fs::write(&patch, text.replace("FACTOR=3", "FACTOR=4")).unwrap();
    let said = project.expect(2, &["reproduce", "bench"]).err;
    assert!(said.contains("not as they were kept"), "{said}");
    let verified = project.expect(1, &["verify", "bench"]).out;
    assert!(verified.contains("changes.json"), "{verified}");
    let missing = project
        .expect(2, &["reproduce", "bench", "--trial", "77"])
        .err;
    assert!(missing.contains("no record of trial 77"), "{missing}");
}

#[test]
fn secrets_in_a_patch_are_masked_and_that_is_said() {
    let project = project();
    project.write("lib.sh", "FACTOR=3 # hunter22-secret\n");
    let mut command = project.command(&["run", "bench.toml"]);
    let ran = command
        .env("DB_PASSWORD", "hunter22-secret")
        .output()
        .unwrap();
    assert!(ran.status.success());
    for entry in std::fs::read_dir(project.newest_run("bench").join("code")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains("hunter22"), "{text}");
    }
    let said = project.expect(2, &["reproduce", "bench"]).err;
    assert!(
        said.contains("secrets are masked in the kept patch"),
        "{said}"
    );
    project.expect(0, &["verify", "bench"]);
}
