//! What is recorded about the machine and the source.

use fairtrial_journal::provenance::{Capture, CaptureOptions, Environment, Vcs, VcsState, capture};
use std::path::Path;
use std::process::Command;

fn options(source: &Path) -> CaptureOptions {
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    CaptureOptions {
        source_dir: source.to_owned(),
        data_root: source.join("data"),
        environment: vec![variable("TZ", "UTC"), variable("MY_TOKEN", "s3cr3t-value")],
        variables: vec!["MY_*".into()],
        programs: vec!["cat".into(), "no-such-program".into()],
        version: "0.1.0".into(),
        now: crate::common::time(0.0),
        vcs: None,
    }
}

fn git(dir: &Path, args: &[&str]) -> bool {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let status = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(identity)
        .args(args)
        .output();
    status.is_ok_and(|output| output.status.success())
}

fn state(environment: Environment) -> VcsState {
    match environment.vcs {
        Vcs::Git(state) => state,
        Vcs::Unknown { reason } => panic!("{reason}"),
    }
}

#[test]
fn a_changed_work_tree_is_told_from_a_clean_one() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().canonicalize().unwrap();
    if !git(&source, &["init", "-q", "-b", "trunk"]) {
        eprintln!("skipped: git cannot be started");
        return;
    }
    std::fs::write(source.join("a.py"), "print(1)\n").unwrap();
    assert!(git(&source, &["add", "a.py"]));
    assert!(git(&source, &["commit", "-q", "-m", "one"]));
    // What runs leave is not a change of the source.
    std::fs::create_dir_all(source.join("data/runs")).unwrap();
    std::fs::write(source.join("data/runs/x"), "").unwrap();
    let clean = state(capture(&options(&source)));
    assert_eq!(clean.commit.as_ref().map(String::len), Some(40));
    assert_eq!(clean.branch.as_deref(), Some("trunk"));
    assert_eq!((clean.dirty, clean.diff_sha256), (Some(false), None));

    std::fs::write(source.join("a.py"), "print(2)\n").unwrap();
    let changed = state(capture(&options(&source)));
    assert_eq!((changed.dirty, changed.untracked), (Some(true), 0));
    std::fs::write(source.join("b.py"), "").unwrap();
    let more = state(capture(&options(&source)));
    assert_eq!(more.untracked_files, ["b.py"]);
    assert_ne!(more.diff_sha256, changed.diff_sha256);
}

#[test]
fn a_folder_without_a_repository_is_said_to_be_one() {
    let dir = tempfile::tempdir().unwrap();
    let environment = Capture::start(options(dir.path())).finish();
    assert!(
        matches!(environment.vcs, Vcs::Unknown { .. }),
        "{:?}",
        environment.vcs
    );
    assert_eq!(environment.variables["TZ"], "UTC");
    assert!(environment.tools["cat"].starts_with("cat "));
    assert!(!environment.tools.contains_key("no-such-program"));
    assert_eq!(environment.variables["MY_TOKEN"], "[redacted]");
    let text = serde_json::to_string(&environment).unwrap();
    assert!(!text.contains("s3cr3t"), "{text}");
    assert_eq!(
        serde_json::from_str::<Environment>(&text).unwrap(),
        environment
    );
}
