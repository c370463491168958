//! What SkyPilot may do to a run: not answer, not do what it is told, leave out a row.

use super::{Site, spec};
use crate::common::Ran;
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The first trial of each job ends, the others wait until they may go on.
const FIRST_ENDS: &str = "if [ -e $PLACE/first-$SKYPILOT_JOB_RANK ]; then while [ -d $PLACE ] && [ ! -e $PLACE/go ]; do sleep 0.1; done; fi; \
     touch $PLACE/first-$SKYPILOT_JOB_RANK; echo seed $FAIRTRIAL_SEED";
/// Trials wait until their job, or all of them, may go on.
const WAITS: &str = "touch $PLACE/begun-$SKYPILOT_JOB_RANK; \
     while [ -d $PLACE ] && [ ! -e $PLACE/go ] && [ ! -e $PLACE/go-$SKYPILOT_JOB_RANK ]; do sleep 0.1; done; echo seed $FAIRTRIAL_SEED";

impl Site {
    fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < Duration::from_mins(3), "never: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn has(&self, file: &str) -> bool {
        self.project.path().join(file).exists()
    }

    fn remove(&self, file: &str) {
        std::fs::remove_file(self.project.path().join(file)).unwrap();
    }

    /// How often `sky jobs VERB` was called.
    fn calls(&self, verb: &str) -> usize {
        let start = format!(r#"["jobs", "{verb}""#);
        let calls = self.project.read("jobs/calls");
        calls
            .lines()
            .filter(|line| line.starts_with(&start))
            .count()
    }

    /// Waits until `sky jobs VERB` was called this often from now on.
    fn until_called(&self, verb: &str, more: usize) {
        let before = self.calls(verb);
        self.until(verb, |site| site.calls(verb) >= before + more);
    }

    fn records(&self, outcome: &str) -> usize {
        let journal = self.project.journal("bench");
        let of = |event: &&Value| event["event"] == "finished" && event["outcome"] == outcome;
        journal.iter().filter(of).count()
    }
}

/// Lets a command that was started end.
fn ended(child: Child, code: i32) -> Ran {
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, code, "{}\n{}", ran.out, ran.err);
    ran
}

fn interrupt(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
}

#[test]
fn what_ended_before_a_cancel_counts() {
    let site = Site::new(&spec(6, FIRST_ENDS, ""));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("a trial of each job has ended", |site| {
        (1..=2).all(|job| {
            let log = site.project.path().join(format!("jobs/{job}/log"));
            std::fs::read_to_string(log).is_ok_and(|log| log.contains("\"event\":\"finished\""))
        })
    });
    site.expect(0, &["cancel", "bench"]);
    assert_eq!((site.records("ok"), site.records("cancelled")), (2, 4));
    site.project.write("go", "");
    site.expect(0, &["run", "bench.toml", "--resume"]);
    assert_eq!(site.records("ok"), 6, "what had ended did not run again");
}

#[test]
fn a_cancel_that_fails_is_tried_again() {
    let site = Site::new(&spec(3, WAITS, ""));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.project.write("jobs/fail-cancel", "");
    let cancel = site.start(&["cancel", "bench"]);
    site.until_called("cancel", 2);
    site.remove("jobs/fail-cancel");
    ended(cancel, 0);
    assert_eq!(site.records("cancelled"), 3);
}

#[test]
fn jobs_that_could_not_be_cancelled_are_named_and_not_called_cancelled() {
    let site = Site::new(&spec(3, WAITS, ""));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.project.write("jobs/fail-cancel", "");
    let cancel = site.start(&["cancel", "bench"]);
    site.until_called("cancel", 1);
    // Who will not wait any longer is told at once.
    interrupt(&cancel);
    let told = ended(cancel, 3);
    assert!(
        told.err
            .contains("1 jobs of the cancelled run may still be there")
            && told.err.contains("`sky jobs cancel --yes 1` ends them"),
        "{}",
        told.err
    );
    assert_eq!(site.records("cancelled"), 0);
    // A look goes on with it and says the same; the next cancel comes through.
    let status = site.expect(0, &["status", "bench"]);
    assert!(status.err.contains("may still be there"), "{}", status.err);
    site.remove("jobs/fail-cancel");
    site.expect(0, &["cancel", "bench"]);
    assert_eq!(site.records("cancelled"), 3);
    assert_eq!(site.calls("launch"), 1);
}

#[test]
fn an_outage_kills_no_job() {
    let text = spec(6, WAITS, "").replace("pack = 3", "pack = 3\ngrace = '1s'");
    let site = Site::new(&text);
    let run = site.start(&["run", "bench.toml"]);
    site.until("both jobs run", |site| {
        site.has("begun-0") && site.has("begun-1")
    });
    // Longer than the grace: the pauses between two questions grow.
    site.project.write("jobs/fail-queue", "");
    site.until_called("queue", 4);
    site.remove("jobs/fail-queue");
    site.until_called("queue", 2);
    site.project.write("jobs/fail-logs", "");
    site.project.write("go", "");
    site.until_called("logs", 6);
    site.remove("jobs/fail-logs");
    ended(run, 0);
    assert_eq!((site.records("ok"), site.calls("launch")), (6, 1));
}

#[test]
fn a_row_that_the_queue_leaves_out_is_nobody_elses() {
    let site = Site::new(&spec(9, WAITS, ""));
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("all jobs run", |site| {
        (0..3).all(|job| site.has(&format!("begun-{job}")))
    });
    site.until_called("queue", 2);
    run.kill().unwrap();
    run.wait().unwrap();
    site.project.write("jobs/hidden", "[1]");
    site.project.write("go-1", "");
    site.until("the second job has ended", |site| site.has("jobs/2/end"));
    let cancel = site.start(&["cancel", "bench"]);
    site.until_called("cancel", 1);
    site.remove("jobs/hidden");
    ended(cancel, 0);
    let calls = site.project.read("jobs/calls");
    assert!(
        calls.contains(r#"["jobs", "cancel", "--yes", "1", "3"]"#),
        "{calls}"
    );
    assert_eq!((site.records("ok"), site.records("cancelled")), (3, 6));
}
