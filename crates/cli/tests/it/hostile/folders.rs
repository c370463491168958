//! Whose folders are used, and who may look into those that are made.

use crate::common::Project;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SPEC: &str = "name = 'b'\nseeds = 2\ncommand = ['true']\n";

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Modes of a run's folder and of those of its trials.
fn modes(project: &Project) -> Vec<u32> {
    let trials = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    let trials = trials
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    let run = std::iter::once(project.newest_run("b"));
    run.chain(trials).map(|path| mode(&path)).collect()
}

#[test]
fn only_their_owner_looks_into_the_folders_of_a_run() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    assert_eq!(modes(&project), [0o700; 3]);
    let shared = Project::with_spec(&format!("share = true\n{SPEC}"));
    let ran = shared.shell("umask 027; fairtrial run bench.toml");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(modes(&shared), [0o750; 3]);
}

#[test]
fn a_data_folder_of_another_user_is_used_only_where_it_is_named() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let data = project.path().join("data");
    if std::os::unix::fs::chown(&data, Some(12345), None).is_err() {
        eprintln!("skipped: only root can give a folder to another user");
        return;
    }
    for args in [
        &["list"][..],
        &["summarize", "b"],
        &["run", "bench.toml"],
        &["check", "bench.toml"],
    ] {
        let refused = project.expect(2, args).err;
        assert!(
            refused.contains("belongs to another user (number 12345)"),
            "{refused}"
        );
        assert!(refused.contains("--data-dir "), "{refused}");
    }
    let doctor = project.expect(0, &["doctor"]).out;
    assert!(doctor.contains("belongs to another user"), "{doctor}");
    project.expect(0, &["list", "--data-dir", "data"]);
    project.expect(0, &["run", "bench.toml", "--data-dir", "data"]);
    // As git does under sudo: what belongs to whoever typed it is theirs.
    let mut sudo = project.command(&["list"]);
    assert!(
        sudo.env("SUDO_UID", "12345")
            .output()
            .unwrap()
            .status
            .success()
    );
}
