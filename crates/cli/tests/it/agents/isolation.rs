//! Rollouts never see each other's files, and a prepared task is never written to.

use super::lab::{Lab, json_of, meta};
use serde_json::json;
use std::fmt::Write as _;
use std::process::Command;

#[test]
fn parallel_rollouts_with_other_overrides_keep_apart() {
    let lab = Lab::new();
    let mut plain = meta("t");
    plain["evaluation"]["test_scripts"] = json!([{ "path": "t.sh", "rubric_id": "right", "content": "grep -qx \"$WANTED\" answer.txt" }]);
    lab.task("t", &plain);
    let names = ["a", "b", "c", "d"];
    for name in names {
        let overrides = json!({
            "prompt": format!("Write {name}"),
            "overlay_repo_files": { "who.txt": name },
            "inject_files": [{ "path": "bin/run.sh", "content": "cat who.txt", "executable": true }],
            "remove_repo_paths": ["*.md"],
            "environment_variables": { "WANTED": name },
        });
        lab.project
            .write(&format!("overrides/{name}.json"), &overrides.to_string());
    }
    let before = listing(&lab);
    let agent = "sleep 0.1; test ! -e README.md && test \\\"$(cat {instruction_file})\\\" = \\\"Write $WANTED\\\" && ./bin/run.sh > answer.txt";
    let mut tasks = String::new();
    for name in names {
        let _ = write!(
            tasks,
            "[[tasks]]\nid = \"{name}\"\nprepared_dir = \"data/tasks/prepared/t\"\noverrides = \"overrides/{name}.json\"\nrollouts = 4\n"
        );
    }
    let plain = "[[tasks]]\nid = \"plain\"\nprepared_dir = \"data/tasks/prepared/t\"\napply_overrides = false\nenv = { WANTED = \"plain\" }\nagent = { command = [\"sh\", \"-c\", \"test -e README.md && test ! -e who.txt && echo plain > answer.txt\"] }\n";
    lab.spec(&format!(
        "name = \"b\"\nparallel = 8\norder = \"random\"\n[defaults]\nagent = {{ command = [\"sh\", \"-c\", \"{agent}\"] }}\n{tasks}{plain}"
    ));
    lab.run(0);
    let rollouts = lab.rollouts("b");
    assert_eq!(rollouts.len(), 17);
    for (row, dir) in rollouts {
        let results = json_of(&dir, "evaluation_results.json");
        assert_eq!(
            results["evaluation"]["rubrics"]["right"]["score"], 1.0,
            "{row}"
        );
        assert_eq!(results["unscored_rubrics"], json!(["there"]));
    }
    assert_eq!(listing(&lab), before, "the prepared task was changed");
}

fn listing(lab: &Lab) -> String {
    let script = "find data/tasks overrides -type f | sort | xargs sha256sum";
    let out = Command::new("sh")
        .args(["-c", script])
        .current_dir(lab.project.path())
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn a_repository_starts_at_its_commit_without_its_future() {
    let lab = Lab::new();
    let git = |script: &str| {
        let made = Command::new("sh")
            .args(["-ec", script])
            .current_dir(lab.project.path())
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@b")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@b")
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let start = git(
        "git init -q -b main up; cd up; mkdir part; echo 1 > part/answer.txt; echo x > part/old; git add .; git commit -qm one; git rev-parse HEAD",
    );
    let end = git(
        "cd up; echo 42 > part/answer.txt; rm part/old; printf '\\000\\001' > part/bin; git add -A; git commit -qm solution; git rev-parse HEAD",
    );
    let mut meta = meta("t");
    meta["repo"] = json!({
        "git_url": "../../../../up", "branch": "main", "subdir": "part",
        "start_commit_sha": start, "end_commit_sha": end,
    });
    meta["evaluation"]["test_scripts"][1]["content"] =
        "test ! -e old && test $(wc -c < bin) = 2".into();
    lab.task("t", &meta);
    let text = "name = \"b\"\n[arms.oracle]\nagent = \"oracle\"\n[arms.nop]\nagent = \"nop\"\n[arms.thief]\nagent = \"command\"\n";
    lab.spec(&format!(
        "{text}[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = {{ command = [\"sh\", \"-c\", \"git log --all --oneline | wc -l > commits; git grep 42 $(git rev-list --all) > answer.txt || true\"] }}\n"
    ));
    lab.run(0);
    for (row, dir) in lab.rollouts("b") {
        let score = &row["metrics"]["score"];
        match row["arm"].as_str().unwrap() {
            "oracle" => assert_eq!(*score, 1.0, "{row}"),
            "nop" => assert_eq!(*score, 0.0, "{row}"),
            _ => {
                let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
                assert!(diff.contains("+1\n") && !diff.contains("42"), "{diff}");
            }
        }
    }
}

/// The driver is a copy of its launcher: what the launcher has open and ignores must not reach it.
#[cfg(target_os = "linux")]
#[test]
fn a_driver_holds_nothing_of_its_launcher() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    // The agent's parent is the driver; the agent sees its files, its folder and how it handles signals.
    let agent = "ls -l /proc/$PPID/fd > files.txt; cat /proc/$PPID/comm > name.txt; readlink /proc/$PPID/cwd > folder.txt; grep SigIgn /proc/$PPID/status > signals.txt; echo $KNOWN > answer.txt";
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 3\nenv = {{ KNOWN = \"42\" }}\nagent = {{ command = [\"sh\", \"-c\", {agent:?}] }}\n"
    ));
    lab.run(0);
    for (row, dir) in lab.rollouts("b") {
        assert_eq!(row["outcome"], "ok", "{row}");
        let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
        assert!(!diff.contains("socket:"), "{diff}");
        assert!(diff.contains("+__rollout"), "{diff}");
        let folder = lab.project.path().canonicalize().unwrap().join("configs");
        let folder = format!("+{}\n", folder.display());
        assert!(diff.contains(&folder), "{diff}");
        // TERM (15) and INT (2) are heard, PIPE (13) is ignored as in every Rust program.
        let ignored = diff.split("SigIgn:\t").nth(1).unwrap();
        let ignored = u64::from_str_radix(ignored.lines().next().unwrap(), 16).unwrap();
        assert_eq!(ignored & (1 << 14 | 1 << 1), 0, "{diff}");
        assert_ne!(ignored & (1 << 12), 0, "{diff}");
    }
}

#[test]
fn what_an_agent_puts_into_a_repository_of_its_own_counts_too() {
    let commit = "git add . && git -c user.name=a -c user.email=a@b commit -qm one";
    // A repository with a commit, one without, and what only looks like one.
    let script = format!(
        "echo 42 > answer.txt; mkdir -p deep/one two three; (cd deep/one && echo 1 > f && git init -q && {commit}); (cd two && echo 2 > f && git init -q); echo gitdir: /nowhere > three/.git; echo 3 > three/f"
    );
    let lab = Lab::new();
    let mut task = meta("t");
    task["evaluation"]["test_scripts"][0]["content"] =
        "grep -qx 1 deep/one/f && grep -qx 2 two/f && grep -qx 3 three/f".into();
    lab.task("t", &task);
    let spec = |more: &str, script: &str| {
        lab.spec(&format!(
            "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nretries = 0\n{more}agent = {{ command = [\"sh\", \"-c\", '''{script}'''] }}\n"
        ));
    };
    spec("", &script);
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert!(!diff.contains(".git"), "{diff}");
    // The same where the setup made them and the agent changes what is in them; they are repositories for it still.
    let setup = format!(
        "setup = [\"sh\", \"-c\", '''{}''']\n",
        script.replace("42", "no")
    );
    let change = "(cd deep/one && test $(git rev-list --count HEAD) = 1 && echo 5 > f); echo 42 > answer.txt; test -e two/.git";
    spec(&setup, change);
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 0.25, "{row}");
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert_eq!(diff.matches("diff --git").count(), 2, "{diff}");
    assert!(diff.contains("+++ b/deep/one/f"), "{diff}");
}

#[test]
fn what_an_agent_makes_counts_although_git_ignores_it() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.project.write(
        "data/tasks/prepared/t/overlay_repo_files/.gitignore",
        "answer.txt\n__pycache__\n*.big\nmade.txt\n",
    );
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsetup = [\"sh\", \"-c\", \"echo 1 > made.txt\"]\nagent = { command = [\"sh\", \"-c\", \"mkdir __pycache__; touch __pycache__/x.pyc; echo 42 > answer.txt; truncate -s 17M x.big\"] }\n",
    );
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert!(diff.contains("+42"), "{diff}");
    for out in ["pyc", "made.txt", "x.big"] {
        assert!(!diff.contains(out), "{diff}");
    }
    let record = json_of(dir, "record.json");
    let ignored = "x.big (17 MiB), __pycache__/ (1 file)";
    assert_eq!(record["facts"]["ignored"], ignored);
    let told = "ignored by git, and so not in the diff: x.big (17 MiB)";
    assert_eq!(record["notes"][0], told);
    assert!(record["facts"].get("fairtrial.notes").is_none());
}

/// Git would hold all of it in memory, and write it into the diff and from there into every copy.
#[test]
fn what_is_too_large_for_a_diff_is_left_out_and_said_beside_the_score() {
    let lab = Lab::new();
    let mut task = meta("t");
    task["evaluation"]["test_scripts"][1]["content"] = "test ! -e model.bin".into();
    lab.task("t", &task);
    let agent = "echo 42 > answer.txt; truncate -s 3G model.bin; truncate -s 17M README.md";
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = {{ command = [\"sh\", \"-c\", \"{agent}\"] }}\n"
    ));
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert_eq!(diff.matches("diff --git").count(), 1, "{diff}");
    let files = [
        "model.bin (3.0 GiB; a file may have 16 MiB)",
        "README.md (17 MiB; a file may grow by 16 MiB, so it counts as unchanged)",
    ];
    assert_eq!(json_of(dir, "results.json")["left_out"], json!(files));
    let list = std::fs::read_to_string(dir.join("artifacts/left_out.txt")).unwrap();
    assert_eq!(list.lines().count(), 2, "{list}");
    let files = files.join(", ");
    let said = format!("left out of the diff, so that neither tests nor a judge saw it: {files}");
    let is_said = || {
        let record = json_of(dir, "record.json");
        assert_eq!(record["facts"]["left_out"], files);
        assert_eq!(record["notes"], json!([format!("scoring: {said}")]));
        let results = json_of(dir, "evaluation_results.json");
        assert_eq!(results["warnings"], json!([said]));
        let text = std::fs::read_to_string(dir.join("scoring_results.md")).unwrap();
        assert!(text.contains(&format!("**Warning:** {said}")), "{text}");
    };
    is_said();
    let mut again = lab.project.command(&["eval", "b", "--latest"]);
    let again = again.env("SANDBOX_BACKEND", "process").output().unwrap();
    assert!(again.status.success(), "{again:?}");
    is_said();
}
