//! `task check`: a dozen tasks of every kind, whose reference solution scores 1 and doing nothing 0 in every sandbox, and
//! tasks that are not sound.

use super::attacks::{Arena, Ground, in_each};
use super::lab::{Lab, meta};
use crate::common::Ran;
use serde_json::{Value, json};
use std::process::Command;

/// One task: its name, its files, and its tests.
struct Fixture {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    tests: &'static [&'static str],
}

const FIXTURES: [Fixture; 11] = [
    Fixture {
        name: "new-file",
        files: &[("solution.sh", "echo 42 > answer.txt\n")],
        tests: &["grep -qx 42 answer.txt"],
    },
    Fixture {
        name: "patched-file",
        files: &[
            ("repo/sum.sh", "echo $(($1 - $2))\n"),
            (
                "solution.patch",
                "--- a/sum.sh\n+++ b/sum.sh\n@@ -1 +1 @@\n-echo $(($1 - $2))\n+echo $(($1 + $2))\n",
            ),
        ],
        tests: &["test \"$(sh sum.sh 2 3)\" = 5"],
    },
    Fixture {
        name: "deleted-file",
        files: &[
            ("repo/old.txt", "x\n"),
            ("repo/kept.txt", "y\n"),
            ("solution.sh", "rm old.txt\n"),
        ],
        tests: &["test ! -e old.txt && test -e kept.txt"],
    },
    Fixture {
        name: "executable-file",
        files: &[
            ("repo/tool", "#!/bin/sh\necho works\n"),
            ("solution.sh", "chmod +x tool\n"),
        ],
        tests: &["test \"$(./tool)\" = works"],
    },
    Fixture {
        name: "deep-folder",
        files: &[(
            "solution.sh",
            "mkdir -p a/b/c && echo deep > 'a/b/c/a name.txt'\n",
        )],
        tests: &["grep -q deep 'a/b/c/a name.txt'"],
    },
    Fixture {
        name: "prepared-by-setup",
        files: &[
            ("setup.sh", "seq 1 10 > numbers.txt\n"),
            ("solution.sh", "wc -l < numbers.txt > count.txt\n"),
        ],
        tests: &[
            "test \"$(tr -d ' ' < count.txt)\" = 10",
            "test -s numbers.txt && test -s count.txt",
        ],
    },
    Fixture {
        name: "given-files",
        files: &[
            ("overlay_files/key.txt", "swordfish\n"),
            (
                "solution.sh",
                "cp \"$FAIRTRIAL_TASK_FILES/key.txt\" found.txt\n",
            ),
        ],
        tests: &["grep -qx swordfish found.txt"],
    },
    Fixture {
        name: "evaluated",
        files: &[
            ("solution.sh", "echo yes > done.txt\n"),
            (
                "evaluate.sh",
                "if test -s done.txt; then s=1; else s=0; fi\necho '{\"rubrics\": {\"right\": '$s'}}' > \"$FAIRTRIAL_EVALUATION\"\n",
            ),
        ],
        tests: &[],
    },
    Fixture {
        name: "tap",
        files: &[("solution.sh", "echo a > a; echo b > b\n")],
        tests: &[
            "echo 1..2; for f in a b; do test -s $f && echo \"ok $f\" || echo \"not ok $f\"; done; test -s a && test -s b",
        ],
    },
    Fixture {
        name: "two-rubrics",
        files: &[(
            "solution.sh",
            "echo 42 > answer.txt; echo why > reason.txt\n",
        )],
        tests: &["grep -qx 42 answer.txt", "test -s reason.txt"],
    },
    Fixture {
        name: "ignored-by-git",
        files: &[
            ("repo/.gitignore", "*.out\n"),
            ("solution.sh", "echo made > made.out\n"),
        ],
        tests: &["grep -q made made.out"],
    },
];

fn meta_of(fixture: &Fixture) -> Value {
    let test = |(number, content): (usize, &&str)| {
        let mut test = json!({
            "path": format!("hidden/test_{number}.sh"), "rubric_id": "right", "content": content,
        });
        if fixture.name == "tap" {
            test["result"] = json!("tap");
        }
        test
    };
    let tests: Vec<Value> = fixture.tests.iter().enumerate().map(test).collect();
    json!({
        "task_id": fixture.name,
        "lm": { "instructions": "Do it" },
        "evaluation": {
            "rubrics": [{ "id": "right", "criterion": "it is done", "weight": 1.0 }],
            "test_scripts": tests,
        }
    })
}

/// Writes the tasks; gives their folders.
fn write_fixtures(lab: &Lab) -> Vec<String> {
    let mut dirs = Vec::new();
    for fixture in &FIXTURES {
        let dir = format!("tasks/{}", fixture.name);
        let meta = meta_of(fixture).to_string();
        lab.project.write(&format!("{dir}/tb_meta.json"), &meta);
        for (name, text) in fixture.files {
            lab.project.write(&format!("{dir}/{name}"), text);
        }
        dirs.push(dir);
    }
    dirs.push(git_task(lab));
    dirs
}

/// The twelfth: a repository whose next commit is the solution.
fn git_task(lab: &Lab) -> String {
    let script = "mkdir source && cd source && git init -q && git config user.email a@b && git config user.name a && \
                  echo before > state.txt && git add . && git commit -qm one && \
                  echo after > state.txt && git commit -qam two && git rev-parse HEAD~ HEAD";
    let mut git = Command::new("sh");
    let git = git.args(["-c", script]).current_dir(lab.project.path());
    let said = String::from_utf8(git.output().unwrap().stdout).unwrap();
    let commits: Vec<&str> = said.split_whitespace().collect();
    let meta = json!({
        "task_id": "git",
        "repo": {
            "git_url": lab.project.path().join("source"),
            "start_commit_sha": commits[0], "end_commit_sha": commits[1],
        },
        "lm": { "instructions": "Do it" },
        "evaluation": { "test_scripts": [
            { "path": "hidden/test.sh", "rubric_id": "", "content": "grep -qx after state.txt" }
        ] }
    });
    let dir = "tasks/git";
    lab.project
        .write(&format!("{dir}/tb_meta.json"), &meta.to_string());
    dir.to_owned()
}

fn every_kind_of_task_is_sound(ground: &Ground) {
    let dirs = write_fixtures(ground.lab());
    assert_eq!(dirs.len(), 12);
    let mut args = vec!["task", "check", "--json", "--times", "1"];
    let sandbox = ground.sandbox_words();
    args.extend(sandbox.iter().map(String::as_str));
    args.extend(dirs.iter().map(String::as_str));
    let ran = Ran::from(ground.command(&args).output().unwrap());
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    for task in ran.json()["tasks"].as_array().unwrap() {
        assert_eq!(task["oracle"], json!([1.0]), "{task}");
        assert_eq!(task["nop"], json!([0.0]), "{task}");
    }
}

in_each!(every_kind_of_task_is_sound);

#[test]
fn every_kind_of_task_is_sound_without_a_sandbox() {
    Ground::with(Arena::Process, every_kind_of_task_is_sound);
}

#[test]
fn what_is_not_sound_is_told_with_the_reason() {
    let lab = Lab::new();
    // No solution; nothing to do; a solution that does not solve.
    lab.task("unsolved", &meta("unsolved"));
    lab.task("done", &meta("done"));
    let at = |name: &str| format!("data/tasks/prepared/{name}");
    lab.project
        .write(&format!("{}/solution.sh", at("done")), "true\n");
    lab.project.write(
        &format!("{}/overlay_repo_files/answer.txt", at("done")),
        "42\n",
    );
    lab.task("wrong", &meta("wrong"));
    lab.project.write(
        &format!("{}/solution.sh", at("wrong")),
        "echo 41 > answer.txt\n",
    );
    let dirs = ["unsolved", "done", "wrong"].map(at);
    let mut args = vec!["task", "check", "--sandbox", "process"];
    args.extend(dirs.iter().map(String::as_str));
    let ran = lab.project.expect(3, &args);
    for words in [
        "the reference solution has no score (the task has no reference solution",
        "doing nothing scored 1, not 0",
        "the reference solution scored 0.25, not 1",
    ] {
        assert!(ran.out.contains(words), "{words}\n{}\n{}", ran.out, ran.err);
    }
    assert!(ran.err.contains("0 of 3 tasks are sound"), "{}", ran.err);
    let ran = lab.project.expect(
        1,
        &["task", "check", "--sandbox", "process", &dirs[2], "--json"],
    );
    assert_eq!(ran.json()["tasks"][0]["oracle"], json!([0.25, 0.25, 0.25]));
}
