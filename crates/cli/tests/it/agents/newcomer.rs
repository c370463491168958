//! The commands about agent tasks as somebody meets them who never saw them: examples that work when they are pasted,
//! and slips that are answered with what was meant.

use super::lab::{Lab, meta};
use std::path::Path;
use std::process::Command;

/// A project that is a git repository.
fn repository() -> Lab {
    let lab = Lab::new();
    lab.project.write("README.md", "hello\n");
    let script =
        "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm one";
    assert!(shell(&lab, script).contains("[0]"));
    lab
}

/// Runs a script in which `fairtrial` is the binary; gives all that it said, and its exit code.
fn shell(lab: &Lab, script: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_fairtrial")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let ran = Command::new("sh")
        .args(["-c", &format!("{{ {script}\n}} 2>&1; echo \"[$?]\"")])
        .current_dir(lab.project.path())
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("SANDBOX_BACKEND", "process")
        .env_remove("FAIRTRIAL_DATA")
        .output()
        .unwrap();
    String::from_utf8(ran.stdout).unwrap()
}

/// The lines of an example in the help of a command, as they would be pasted.
fn example(lab: &Lab, args: &[&str], heading: &str) -> String {
    let help = lab.project.expect(0, args).out;
    let after = help.split_once(heading).unwrap().1;
    let lines = after.lines().skip(1);
    let block: Vec<&str> = lines.take_while(|line| !line.trim().is_empty()).collect();
    block.join("\n")
}

#[test]
fn the_example_of_task_new_works_when_it_is_pasted() {
    let lab = repository();
    let pasted = example(&lab, &["task", "new", "--help"], "Examples");
    let said = shell(&lab, &pasted);
    assert!(
        said.contains("made data/tasks/prepared/readme"),
        "{pasted}\n{said}"
    );
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/readme\"\nagent = \"nop\"\n",
    );
    lab.project.expect(0, &["check", "configs/bench.toml"]);
    lab.run(0);
    for (args, name) in [
        (&["eval", "--help"][..], "my_benchmark"),
        (&["sweep", "--help"][..], "my_benchmark"),
    ] {
        let pasted = example(&lab, args, "Examples:").replace(name, "b");
        let first = pasted.lines().next().unwrap();
        let said = shell(&lab, first.split("  the").next().unwrap());
        assert!(!said.contains("unexpected"), "{said}");
    }
    let pasted = example(&lab, &["gc", "--help"], "Examples:");
    for line in pasted.lines() {
        let said = shell(&lab, line.trim().split("  ").next().unwrap());
        assert!(said.contains("[0]"), "{line}: {said}");
    }
}

#[test]
fn a_repository_or_a_commit_that_is_not_there_is_found_before_anything_is_made_or_run() {
    let lab = repository();
    lab.project.write("task.md", "Do it");
    let new = "fairtrial task new data/tasks/prepared/x --instruction task.md";
    for (words, told) in [
        ("--repo ./nowhere", "there is no folder ./nowhere here"),
        ("--repo . --commit deadbeef", "has no commit deadbeef"),
        ("--repo . --solution deadbeef", "has no commit deadbeef"),
        ("--repo . --branch mian", "has no branch `mian`"),
    ] {
        let said = shell(&lab, &format!("{new} {words}"));
        for part in [told, "nothing was made", "[2]"] {
            assert!(said.contains(part), "{words}: {part}: {said}");
        }
        assert!(!lab.project.path().join("data/tasks/prepared/x").exists());
    }
    for (repo, told) in [
        (
            "\"/no/such/place\"",
            "there is no such repository (`repo.git_url`)",
        ),
        (
            "\"../../../..\", \"start_commit_sha\": \"deadbeef\"",
            "has no commit deadbeef",
        ),
        (
            "\"../../../..\", \"subdir\": \"srcc\"",
            "has no folder `srcc` (`repo.subdir`)",
        ),
    ] {
        let mut task = meta("t");
        task["repo"] = serde_json::from_str(&format!("{{\"git_url\": {repo}}}")).unwrap();
        lab.task("t", &task);
        lab.spec(
            "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\n",
        );
        let checked = lab.project.expect(2, &["check", "configs/bench.toml"]);
        assert!(checked.err.contains(told), "{told}: {}", checked.err);
    }
}

#[test]
fn a_slip_is_answered_with_what_was_meant() {
    let lab = Lab::new();
    lab.task("parser", &meta("parser"));
    let spec = |dir: &str, agent: &str| {
        lab.spec(&format!(
            "name = \"bench\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/{dir}\"\nmodel = \"m\"\nagent = {agent}\n"
        ));
    };
    spec("praser", "\"nop\"");
    let checked = lab.project.expect(0, &["check", "configs/bench.toml"]);
    let meant = "did you mean `data/tasks/prepared/parser`?";
    assert!(checked.err.contains(meant), "{}", checked.err);
    spec("parser", "\"nop\"");
    lab.run(0);
    for command in ["eval", "summarize", "sweep"] {
        let refused = lab.project.expect(2, &[command, "bnech"]);
        assert!(
            refused.err.contains("did you mean `bench`?"),
            "{}",
            refused.err
        );
    }
    let listed = lab.project.expect(2, &["list", "engnes"]);
    assert!(
        listed.err.contains("did you mean `engines`?"),
        "{}",
        listed.err
    );
    let unknown = lab.project.expect(2, &["sweep", "bench", "--task", "x"]);
    assert!(unknown.err.contains("there are parser"), "{}", unknown.err);
    // What changed in a large table is named, not the table.
    spec("parser", "{ command = \"true\", max_tokens = 5 }");
    let mut command = lab
        .project
        .command(&["run", "configs/bench.toml", "--resume"]);
    let refused = command.env("SANDBOX_BACKEND", "process").output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("options.agent.command: [\"true\"]"), "{said}");
}
