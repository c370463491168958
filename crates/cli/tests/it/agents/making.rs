//! `task new`: a prepared task from a repository, ready to be checked and run.

use super::lab::Lab;
use std::process::Command;

#[test]
fn a_new_task_is_checked_and_tells_the_solution_from_nothing() {
    let lab = Lab::new();
    let git = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).current_dir(lab.project.path());
        for who in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{who}_NAME"), "a");
            shell.env(format!("GIT_{who}_EMAIL"), "a@b");
        }
        let made = shell.output().unwrap();
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let start = git(
        "git init -q -b main up; cd up; echo 1 > answer.txt; git add .; git commit -qm one; git rev-parse HEAD",
    );
    let end = git("cd up; echo 42 > answer.txt; git commit -qam two; git rev-parse HEAD");
    lab.project.write("task.md", "Write 42 into answer.txt");
    lab.project
        .write("tests/right.sh", "grep -qx 42 answer.txt\n");
    let new = |dir: &str| {
        let mut args = vec![
            "task",
            "new",
            dir,
            "--repo",
            "up",
            "--instruction",
            "task.md",
        ];
        args.extend(["--test", "tests/right.sh", "--solution", &end]);
        args.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |args: &[String], code| {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        lab.project.expect(code, &words)
    };
    let dir = "data/tasks/prepared/fix";
    let mut args = new(dir);
    args.extend(["--commit".to_owned(), start.clone()]);
    run(&args, 0);
    let again = run(&args, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
    let mut unpinned = new("data/tasks/prepared/newest");
    unpinned.push("--json".to_owned());
    assert_eq!(
        run(&unpinned, 0).json()["dir"],
        "data/tasks/prepared/newest"
    );
    let pinned = lab.project.read("data/tasks/prepared/newest/tb_meta.json");
    assert!(
        pinned.contains(&format!("\"start_commit_sha\": \"{end}\"")),
        "{pinned}"
    );
    let mut nowhere = new("data/tasks/prepared/nowhere");
    nowhere[4] = "no-such-repository".to_owned();
    let refused = run(&nowhere, 2);
    assert!(refused.err.contains("nothing was made"), "{}", refused.err);
    assert!(
        !lab.project
            .path()
            .join("data/tasks/prepared/nowhere")
            .exists()
    );

    lab.spec(&format!(
        "name = \"b\"\n[arms.oracle]\nagent = \"oracle\"\n[arms.nop]\nagent = \"nop\"\n[[tasks]]\nprepared_dir = \"{dir}\"\n"
    ));
    lab.project.expect(0, &["check", "configs/bench.toml"]);
    lab.run(0);
    for (row, _) in lab.rollouts("b") {
        let due = if row["arm"] == "oracle" { 1.0 } else { 0.0 };
        assert_eq!(row["metrics"]["score"], due, "{row}");
    }
}
