//! Programs that behave, that hang, that print too much and that are not there.

use crate::error::ProcessError;
use crate::git::Git;
use crate::program::{Ended, Program, version};
use std::path::Path;
use std::time::Duration;

const LONG: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_millis(300);

fn shell(script: &str, limit: Duration) -> Program {
    Program::of_argv(&["sh", "-c", script], limit)
}

/// Waits for the end of a process: a kill is on its way when it returns. The test hangs here if it never arrives.
fn await_end(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_program_gets_its_input_its_variables_and_its_folder() {
    let program = shell("cat; echo $GREETING; pwd; echo and this >&2; exit 3", LONG)
        .env("GREETING", "hello")
        .dir(Path::new("/"))
        .input("{}\n");
    let ended = program.run().unwrap();
    assert_eq!(ended.text(), "{}\nhello\n/\n");
    assert_eq!(
        (ended.said.as_str(), ended.status.code()),
        ("and this\n", Some(3))
    );
}

#[test]
fn only_the_variables_that_are_given_are_there_and_their_path_finds_the_program() {
    let argv = ["env".to_owned()];
    let env = [("PATH", "/no/such:/usr/bin:/bin"), ("A", "1")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let ended = Program::with_only(&env, &argv, LONG).run().unwrap();
    let mut lines: Vec<String> = ended.text().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["A=1", "PATH=/no/such:/usr/bin:/bin"]);
}

#[test]
fn a_program_that_does_not_read_is_no_error() {
    let long = vec![b'x'; 1 << 20];
    assert!(
        shell("exit 0", LONG)
            .input(long.clone())
            .run_quietly()
            .is_ok()
    );
    let counted = shell("sleep 0.1; wc -c", LONG).input(long).run().unwrap();
    assert_eq!(counted.text().trim(), "1048576");
}

#[test]
fn a_failure_says_what_the_program_said_last() {
    let script = "yes this is the beginning | head -n 5000; echo no token >&2; exit 3";
    let error = shell(script, LONG).run_quietly().unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("`sh` ended with exit status: 3: "),
        "{text}"
    );
    assert!(text.ends_with("no token") && text.len() < 5000, "{text}");
    assert!(error.reason().ends_with("no token"), "{error:?}");
    let missing = Program::new("no-such-program-here", LONG)
        .run()
        .unwrap_err();
    assert!(missing.is_missing() && missing.to_string().contains("cannot be started"));
    assert!(version("no-such-program-here").is_err());
    let empty: [&str; 0] = [];
    assert!(Program::of_argv(&empty, LONG).run().is_err());
}

#[test]
fn a_late_program_is_ended_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!(
        "trap '' TERM; echo here; sleep 1000 & echo $! > {}; wait; sleep 1000",
        pid.display()
    );
    let error = shell(&script, SHORT).merged().run().unwrap_err();
    assert!(matches!(error, ProcessError::Late { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "`sh` took longer than 0.3 s and was ended: here"
    );
    await_end(&pid);
}

#[test]
fn what_a_program_leaves_running_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!("sleep 1000 & echo $! > {}; echo done", pid.display());
    // It holds the pipes open, and lives on: a submission may leave what it submitted.
    let ended = shell(&script, LONG).run().unwrap();
    assert_eq!(ended.text(), "done\n");
    let left = std::fs::read_to_string(&pid).unwrap();
    assert!(Path::new(&format!("/proc/{}", left.trim())).exists());
    Program::of_argv(&["kill", left.trim()], LONG)
        .run_quietly()
        .unwrap();
    // It ends with the program where that is asked for.
    shell(&script, LONG).with_its_group().run().unwrap();
    await_end(&pid);
}

#[test]
fn a_program_that_prints_without_end_is_ended() {
    let error = Program::new("yes", LONG).at_most(1000).run().unwrap_err();
    assert!(
        matches!(error, ProcessError::TooLong { most: 1000, .. }),
        "{error}"
    );
}

#[test]
fn all_of_a_long_answer_is_there() {
    let script = "head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2";
    let Ended { stdout, said, .. } = shell(script, LONG).run().unwrap();
    assert_eq!((stdout.len(), said.len()), (3_000_000, 4096));
}

#[test]
fn git_looks_at_the_folder_and_at_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path();
    let error = Git::look(tree, "rev-parse")
        .args(["HEAD"])
        .line()
        .unwrap_err();
    assert_eq!(error.program(), "git rev-parse");
    assert!(error.reason().contains("not a git repository"), "{error}");
    let git = |name| Git::own(name).work_tree(tree).dir(&tree.join(".git"));
    git("init").args(["-q", "-b", "main"]).run().unwrap();
    git("commit")
        .args(["-q", "--allow-empty", "-m", "one"])
        .run()
        .unwrap();
    let branch = Git::look(tree, "symbolic-ref").args(["--short", "HEAD"]);
    assert_eq!(branch.line().unwrap(), "main");
    let mut said = Vec::new();
    let log = Git::look(tree, "log").args(["--format=%an %s"]);
    log.output_into(&mut |bytes| said.extend_from_slice(bytes))
        .unwrap();
    assert_eq!(said, b"fairtrial one\n");
}
