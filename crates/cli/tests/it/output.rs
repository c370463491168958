//! Output that does not arrive: a full disk is said and ends with the code of a machine fault, a reader that went away
//! is nobody's fault. And words of trials that a terminal would obey.

use crate::common::{Project, Ran};
use std::fs::OpenOptions;
use std::process::Stdio;

const SPEC: &str = r#"
name = "bench"
seeds = 4
shell = true
command = 'echo "{\"reward\": 1$FAIRTRIAL_SEED}" >> "$FAIRTRIAL_METRICS"'
[arms.control]
[arms.candidate]
[metrics.reward]
direction = "up"
"#;

/// What a user asks for and keeps in a file.
const COMMANDS: [&[&str]; 11] = [
    &["list", "--json"],
    &["list"],
    &["plan", "bench.toml"],
    &["plan", "bench.toml", "--json"],
    &["run", "bench.toml", "--dry-run"],
    &["compare", "bench", "--json"],
    &["compare", "bench"],
    &["schema"],
    &["summarize", "bench"],
    &["summarize", "bench", "--json"],
    &["completions", "bash"],
];

#[test]
fn a_full_disk_is_said() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    for command in COMMANDS {
        let mut started = project.command(command);
        let ran = started.stdout(full.try_clone().unwrap()).output().unwrap();
        let ran = Ran::from(ran);
        assert_eq!(ran.code, 3, "{command:?}: {}", ran.err);
        let said = ran.err.contains("cannot write to standard output: ");
        assert!(said, "{command:?}: {}", ran.err);
        assert_eq!(
            ran.err.matches("error: ").count(),
            1,
            "{command:?}: {}",
            ran.err
        );
    }
}

#[test]
fn what_went_wrong_before_keeps_its_code() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let project = Project::with_spec("name = 'b'\nsees = 3\n");
    let mut started = project.command(&["check", "bench.toml"]);
    let ran = Ran::from(started.stdout(full).output().unwrap());
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    for command in COMMANDS {
        let mut started = project.command(command);
        started.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = started.spawn().unwrap();
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(
            (ran.code, ran.err.contains("error")),
            (0, false),
            "{command:?}: {}",
            ran.err
        );
    }
}

#[test]
fn what_trials_say_is_shown_and_not_obeyed() {
    let spec = r#"
name = "loud"
shell = true
seeds = 2
command = 'printf "{\"fairtrial.cause\": \"I \\u001b[31mfailed\", \"fairtrial.notes\": \"a \\u001b]0;note\"}\n" >> "$FAIRTRIAL_METRICS"; printf "\033[32mgreen\n"; exit 1'
[arms.control]
[arms.candidate]
"#;
    let project = Project::with_spec(spec);
    let ran = project.expect(1, &["run", "bench.toml"]);
    let said = format!("{}{}", ran.err, ran.out);
    assert!(said.contains(r"failed: I \u{1b}[31mfailed"), "{said:?}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let summary = project.run(&["summarize", "loud"]).out;
    assert!(!summary.contains('\u{1b}'), "{summary:?}");
    // Whoever asks for the output itself gets it.
    let log = project.run(&["logs", "loud", "--trial", "0"]).out;
    assert!(log.contains("\u{1b}[32mgreen"), "{log:?}");
}
