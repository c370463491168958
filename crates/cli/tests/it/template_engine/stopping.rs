//! Runs that are stopped while their scheduler, or who stops them, does not do its part.

use super::{Site, spec};
use crate::common::Ran;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};

/// Trials wait until they may go on.
const WAITS: &str = "while [ -e $SCHEDULER_DIR ] && [ ! -e $LEDGER.go ]; do sleep 0.1; done";

impl Site {
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub(crate) fn set(&self, file: &str) {
        self.project.write(&format!("queue/{file}"), "");
    }

    pub(crate) fn unset(&self, file: &str) {
        std::fs::remove_file(self.project.path().join("queue").join(file)).unwrap();
    }

    /// How often the scheduler was called so.
    pub(crate) fn calls(&self, verb: &str) -> usize {
        let calls = std::fs::read_to_string(self.project.path().join("queue/calls"));
        let start = format!("{verb} ");
        let calls = calls.unwrap_or_default();
        calls
            .lines()
            .filter(|line| line.starts_with(&start))
            .count()
    }

    /// A run that was left, with both its jobs running.
    pub(crate) fn detached(seeds: u32) -> Self {
        let site = Self::new(&spec(seeds, WAITS));
        site.expect(0, &["run", "bench.toml", "--detach"]);
        let jobs = seeds as usize / 3;
        site.until("every job runs its first trial", |site| {
            site.trial_dirs() == jobs
        });
        site
    }
}

/// Lets a command that was started end.
pub(crate) fn ended(child: Child, code: i32) -> Ran {
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, code, "{}\n{}", ran.out, ran.err);
    ran
}

#[test]
fn jobs_that_could_not_be_cancelled_stay_open() {
    let site = Site::detached(6);
    site.set("fail-cancel");
    let cancel = site.start(&["cancel", "bench"]);
    // And has heard once what they do.
    site.until("it is told again", |site| {
        site.calls("cancel") >= 2 && site.calls("poll") >= 2
    });
    let pid = rustix::process::Pid::from_child(&cancel);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let told = ended(cancel, 3);
    assert!(
        told.err
            .contains("2 jobs of the cancelled run may still be there")
            && (told.err.contains("(2 running)") || told.err.contains("(2 pending)"))
            && told.err.contains("scheduler.sh cancel 1` ends them"),
        "{}",
        told.err
    );
    assert_eq!(site.records("cancelled"), 0);
    site.unset("fail-cancel");
    site.expect(0, &["cancel", "bench"]);
    assert_eq!(site.records("cancelled"), 6);
    assert_eq!((site.calls("submit"), site.ran().len()), (1, 0));
}

#[test]
fn cancelling_submits_nothing() {
    let site = Site::new(&spec(6, "true"));
    let mut command = site.command(&["run", "bench.toml"]);
    command.env("FAIRTRIAL_FAILPOINT", "remote.before_submit");
    assert!(!command.output().unwrap().status.success());
    site.expect(0, &["cancel", "bench"]);
    assert_eq!((site.calls("submit"), site.records("cancelled")), (0, 6));
}

/// Six jobs whose `cancel` was killed while the scheduler was being told.
fn with_a_killed_cancel() -> Site {
    let site = Site::detached(6);
    site.set("slow-cancel");
    let mut cancel = site.start(&["cancel", "bench"]);
    site.until("the scheduler is told", |site| site.calls("cancel") >= 1);
    cancel.kill().unwrap();
    cancel.wait().unwrap();
    site
}

#[test]
fn a_cancel_that_was_killed_is_gone_on_with() {
    let site = with_a_killed_cancel();
    // What was asked before comes to nothing, as if it had been killed as well.
    site.set("fail-cancel");
    site.unset("slow-cancel");
    site.until("it has failed", |site| site.calls("failed") == 1);
    site.unset("fail-cancel");
    site.expect(0, &["cancel", "bench"]);
    assert_eq!((site.calls("cancel"), site.records("cancelled")), (2, 6));
    site.project.write("ledger.go", "");
    site.expect(0, &["run", "bench.toml", "--resume"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
}

#[test]
fn who_resumes_after_a_killed_cancel_waits_for_the_old_jobs() {
    let site = with_a_killed_cancel();
    // The scheduler does nothing: its jobs go on with the trials that they began, and no others.
    site.set("fail-cancel");
    site.unset("slow-cancel");
    let run = site.start(&["run", "bench.toml", "--resume"]);
    site.until("its jobs are asked for", |site| site.calls("poll") >= 3);
    site.project.write("ledger.go", "");
    ended(run, 0);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
}

#[test]
fn a_ctrl_c_of_the_terminal_cuts_off_no_submission() {
    let site = Site::new(&spec(6, "true"));
    site.set("slow-submit");
    let mut command = site.command(&["run", "bench.toml"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // As a terminal does, the signal goes to the whole group.
    let mut run = command.process_group(0).spawn().unwrap();
    site.until("it submits", |site| site.calls("submit") == 1);
    let group = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
    site.unset("slow-submit");
    assert_ne!(run.wait().unwrap().code(), Some(3));
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.calls("submit"), site.records("ok")), (1, 6));
}

#[test]
fn a_copy_of_a_run_leaves_the_jobs_of_the_original_alone() {
    let site = Site::detached(6);
    site.project.shell("mkdir copy && cp -r data copy/data");
    let here = ["--data-dir", "copy/data"];
    for command in [
        &["wait", "bench"][..],
        &["cancel", "bench"],
        &["run", "bench.toml", "--resume"],
    ] {
        let told = site.expect(2, &[command, &here[..]].concat());
        assert!(
            told.err.contains("was moved or copied: 2 of its jobs")
                && told.err.contains("scheduler.sh cancel 1"),
            "{}",
            told.err
        );
    }
    let looked = site.expect(0, &[&["status", "bench"][..], &here].concat());
    assert!(looked.err.contains("was moved or copied"), "{}", looked.err);
    site.project.write("ledger.go", "");
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
    assert_eq!((site.calls("cancel"), site.calls("submit")), (0, 1));
    // The documented way on, where there is no original to go on with.
    site.project
        .shell("rm -r copy/data/rollouts/bench/*/chunks");
    site.expect(0, &[&["run", "bench.toml", "--resume"][..], &here].concat());
    assert_eq!((site.calls("submit"), site.ran().len()), (2, 12));
}
