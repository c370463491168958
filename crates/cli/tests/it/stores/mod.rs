//! Nodes that share no disk with the controller: everything goes through an object store.

mod buckets;
mod refusals;
mod site;

use site::{Site, can_hide};
use std::time::Duration;

#[test]
fn trials_run_where_no_disk_is_shared() {
    if !can_hide() {
        return;
    }
    let site = Site::new(
        12,
        "[ $FAIRTRIAL_SEED != 1072 ] || { echo bad >&2; exit 7; }",
        "",
    );
    site.expect(1, &["run", "bench.toml"]);
    assert_eq!((site.records("ok"), site.records("failed")), (11, 1));
    assert_eq!(site.ran().len(), 12);
    // What trials left is here as if they had run here.
    let dirs = std::fs::read_dir(site.project.path().join("data/runs")).unwrap();
    for dir in dirs {
        let dir = dir.unwrap().path();
        assert!(dir.join("record.json").exists(), "{}", dir.display());
        let output = std::fs::read_to_string(dir.join("deep/file"));
        assert_eq!(output.unwrap(), "left\n");
    }
    let said = site.expect(0, &["logs", "bench", "--trial", "5"]).out;
    assert!(said.starts_with("said "), "{said}");
    let failed = site.expect(0, &["logs", "bench", "--stderr"]).out;
    assert!(failed.contains("bad"), "{failed}");
    site.is_swept();
    site.expect(0, &["verify", "bench"]);
    let leftovers = std::fs::read_dir(site.project.newest_run("bench").join("chunks")).unwrap();
    let hidden = leftovers.flatten().filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with('.')
    });
    assert_eq!(hidden.count(), 0);
}

#[test]
fn a_controller_killed_at_any_step_is_followed_by_another() {
    if !can_hide() {
        return;
    }
    for step in [
        "remote.before_submit",
        "remote.after_stage",
        "remote.after_submit",
    ] {
        let site = Site::new(6, "sleep 0.2", "");
        let mut command = site.command(&["run", "bench.toml"]);
        command.env("FAIRTRIAL_FAILPOINT", step);
        assert!(!command.output().unwrap().status.success(), "{step}");
        site.expect(0, &["wait", "bench"]);
        assert_eq!(site.ran().len(), 6, "{step}");
        site.is_whole(6);
        site.is_swept();
    }
}

#[test]
fn a_controller_killed_again_and_again_loses_and_repeats_nothing() {
    if !can_hide() {
        return;
    }
    let site = Site::new(30, "sleep 0.3", "");
    site.killed_once_it_has_submitted();
    for kill in 0..12 {
        let mut controller = site.command(&["wait", "bench"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100 + 130 * kill));
        let _ = controller.kill();
        controller.wait().unwrap();
    }
    site.expect(0, &["wait", "bench"]);
    assert_eq!(site.ran().len(), 30);
    site.is_whole(30);
    // What was cut off between the last record and tidying up is tidied up by the next look.
    site.expect(0, &["status", "bench"]);
    site.is_swept();
}

#[test]
fn a_lost_node_is_found_by_its_silence_and_its_trials_run_again() {
    if !can_hide() {
        return;
    }
    let site = Site::new(6, "while [ ! -e $LEDGER.go ]; do sleep 0.1; done", "");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("both jobs run a trial", |site| site.ran().len() == 2);
    site.until("a beat says what runs", |site| site.says_what_runs(0));
    site.kill_element(0);
    std::fs::write(site.spool.path().join("ledger.go"), "").unwrap();
    site.expect(0, &["wait", "bench"]);
    site.is_whole(6);
    assert_eq!(site.records("infra"), 1, "the trial that ran was lost");
    site.is_swept();
}

#[test]
fn a_job_that_is_started_again_goes_on_where_it_was() {
    if !can_hide() {
        return;
    }
    // The third trial waits; the first two are done and away before the node is lost.
    let wait = "n=$(wc -l <$LEDGER); [ $n != 3 ] || while [ ! -e $LEDGER.go ]; do sleep 0.1; done";
    let site = Site::new(3, wait, "");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("two are brought away", |site| {
        site.objects()
            .iter()
            .any(|name| name.contains("chunks/0/part-1-"))
            && site.ran().len() == 3
    });
    site.until("the third is told of", |site| site.says_what_runs(0));
    site.kill_element(0);
    std::fs::write(site.spool.path().join("ledger.go"), "").unwrap();
    let mut again = site.start_again(0);
    assert!(again.wait().unwrap().success());
    assert!(
        site.objects()
            .iter()
            .any(|name| name.ends_with("chunks/0/claim-2")),
        "{:?}",
        site.objects()
    );
    assert_eq!(site.ran().len(), 3, "nothing ran twice");
    site.expect(0, &["wait", "bench"]);
    site.is_whole(3);
    assert_eq!((site.ran().len(), site.records("infra")), (4, 1));
    site.is_swept();
}

#[test]
fn a_job_that_is_started_beside_itself_leaves() {
    if !can_hide() {
        return;
    }
    let site = Site::new(3, "sleep 1.5", "");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("it runs", |site| !site.ran().is_empty());
    assert!(site.start_again(0).wait().unwrap().success());
    site.expect(0, &["wait", "bench"]);
    assert_eq!(site.ran().len(), 3);
    site.is_whole(3);
    // And one that is started after the end finds nothing to do.
    site.is_swept();
    assert!(site.start_again(0).wait().unwrap().success());
    assert_eq!(site.ran().len(), 3);
    site.is_swept();
}

#[test]
fn cancelling_ends_the_jobs_and_leaves_nothing() {
    if !can_hide() {
        return;
    }
    let site = Site::new(6, "sleep 600", "");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("both jobs run", |site| site.ran().len() == 2);
    site.expect(0, &["cancel", "bench"]);
    assert_eq!(site.records("cancelled"), 6);
    assert_eq!(site.ran().len(), 2);
    site.is_swept();
}
