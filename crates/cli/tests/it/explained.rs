//! Why a trial ended as it did, specs to start from by their kind, and the screen of `watch`.

use crate::common::Project;
use std::process::Command;

#[test]
fn a_trial_is_explained_by_its_end_and_what_it_wrote() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = 3\n[[tasks]]\nid = \"t\"\nshell = true\ncommand = '''[ {seed} != 2043 ] || { echo no module named torch >&2; exit 3; }'''\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    let said = project.expect(0, &["explain", "bench"]).out;
    for words in [
        "t · seed 2043",
        "failed: exit code 3",
        "it is to blame itself",
        "last lines of logs/stderr.log:",
        "no module named torch",
        "fairtrial logs bench --rollout ",
        "again by hand: `sh ",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let fine = project.expect(0, &["explain", "bench", "--trial", "0"]).out;
    assert!(fine.contains("it counts"), "{fine}");
    // By its own name, which progress lines begin with, and by its number in the newest run.
    let run = project.newest_run("bench");
    let id = format!("{}-0", run.file_name().unwrap().to_str().unwrap());
    for name in [id.as_str(), "0"] {
        assert_eq!(project.expect(0, &["explain", name]).out, fine);
    }
    assert_eq!(
        project.expect(0, &["logs", &id]).out,
        project.expect(0, &["logs", "bench", "--trial", "0"]).out
    );
    // It wrote to standard error alone, which is shown without being asked for.
    let log = project.expect(0, &["logs", "bench"]);
    assert!(log.out.contains("no module named torch"), "{}", log.out);
    assert!(log.err.contains("this is standard error"), "{}", log.err);
    let json = project.expect(0, &["explain", "bench", "--json"]).json();
    assert_eq!(json["trial"]["row"]["outcome"], "failed");
    let none = project.expect(2, &["explain", "bench", "--trial", "7"]).err;
    assert!(none.contains("there is no trial 7"), "{none}");
}

#[test]
fn a_program_that_does_not_start_is_named() {
    let project = Project::with_spec("name = \"bench\"\nseeds = 2\ncommand = \"./work\"\n");
    project.write("work", "#!/no/such/interpreter\n");
    project.shell("chmod +x work");
    let ran = project.run(&["run", "bench.toml"]);
    let said = "could not run `./work`: No such file or directory";
    assert!(ran.err.contains(said), "{}", ran.err);
    let said = project.expect(0, &["explain", "bench"]).out;
    assert!(said.contains("infra: could not run `./work`"), "{said}");
}

#[test]
fn every_kind_of_starter_is_valid() {
    let project = Project::new();
    for kind in ["training", "agents", "timing", "experiment", "table"] {
        let file = format!("{kind}.toml");
        project.expect(0, &["init", "--kind", kind, &file]);
        let checked = project.expect(0, &["check", &file]);
        assert!(
            checked.out.contains("is valid") || checked.err.contains("is valid"),
            "{}",
            checked.out
        );
        assert_eq!(
            project.expect(0, &["init", "--kind", kind, "-"]).out,
            project.read(&file)
        );
    }
    let refused = project
        .expect(2, &["init", "--kind", "table", "table.yaml"])
        .err;
    assert!(refused.contains("specs of a kind are TOML"), "{refused}");
}

/// Opens a terminal, types there, and prints what its screen showed.
const TERMINAL: &str = r#"
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], sys.argv[1:])
seen, typed, began = b"", 0, time.time()
steps = [(b"Running: 1 in 1 slots", b"l"), (b"hello from the trial", b"p"), (b"paused", b"p"), (b"running", b"c"), (b"y / n", b"y"), (b"cancelled", b"")]
mark = 0
while time.time() - began < 60:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    if typed < len(steps) and steps[typed][0] in seen[mark:]:
        mark = len(seen)
        os.write(fd, steps[typed][1])
        typed += 1
sys.stdout.write(f"{typed} steps\n" + seen.decode("utf8", "replace"))
"#;

#[test]
fn a_run_is_watched_on_the_whole_screen() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = 50\nparallel = 1\n[[tasks]]\nid = \"t\"\nshell = true\ncommand = '''echo hello from the trial; sleep 1'''\n",
    );
    project.write("terminal.py", TERMINAL);
    let mut run = project
        .command(&["run", "bench.toml"])
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !project.path().join("data/rollouts/bench").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    while std::fs::read_dir(project.path().join("data/runs")).map_or(0, Iterator::count) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let output = Command::new("python3")
        .args([
            "terminal.py",
            env!("CARGO_BIN_EXE_fairtrial"),
            "watch",
            "bench",
        ])
        .current_dir(project.path())
        .env_remove("FAIRTRIAL_DATA")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let screen = String::from_utf8_lossy(&output.stdout);
    assert!(
        screen.starts_with("6 steps"),
        "{screen}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // The screen is given back.
    assert!(
        screen.contains("\x1b[?1049h") && screen.contains("\x1b[?1049l"),
        "{screen}"
    );
    assert_ne!(run.wait().unwrap().code(), Some(0), "it was cancelled");
}
