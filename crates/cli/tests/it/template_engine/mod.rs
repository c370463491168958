//! The template engine, proven with a scheduler made of plain shell scripts.

mod stopping;

use crate::common::{Project, Ran};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Site {
    project: Project,
}

fn spec(seeds: u32, work: &str) -> String {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/template_engine/scheduler.sh");
    let script = script.display();
    format!(
        "name = 'bench'\nseeds = {seeds}\nshell = true\n\
         command = '{work}; echo $FAIRTRIAL_TRIAL >> $LEDGER; echo said'\n\
         [engine]\nkind = 'template'\npoll = '500ms'\ngrace = '5s'\npack = 3\n\
         [engine.template]\n\
         submit = '{script} submit {{key}} {{script}} {{count}}'\n\
         handle = 'job (\\d+)'\n\
         find = '{script} find {{key}}'\n\
         poll = '{script} poll {{handles}}'\n\
         cancel = '{script} cancel {{handle}}'\n\
         states = {{ R = 'running', D = 'done', E = 'failed' }}\n"
    )
}

impl Site {
    fn new(spec: &str) -> Self {
        let project = Project::with_spec(spec);
        std::fs::create_dir(project.path().join("queue")).unwrap();
        Self { project }
    }

    fn ledger(&self) -> PathBuf {
        self.project.path().join("ledger")
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = self.project.command(args);
        command
            .env("SCHEDULER_DIR", self.project.path().join("queue"))
            .env("LEDGER", self.ledger());
        command
    }

    fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = Ran::from(self.command(args).output().unwrap());
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    fn ran(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.ledger()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How many trials have begun.
    fn trial_dirs(&self) -> usize {
        let entries = std::fs::read_dir(self.project.path().join("data/runs"));
        let dirs = entries.into_iter().flatten().flatten();
        dirs.filter(|entry| entry.path().is_dir()).count()
    }

    fn records(&self, outcome: &str) -> usize {
        let journal = self.project.journal("bench");
        let of = |event: &&Value| event["event"] == "finished" && event["outcome"] == outcome;
        journal.iter().filter(of).count()
    }

    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < Duration::from_mins(2), "never: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn trials_run_through_the_users_own_commands() {
    let site = Site::new(&spec(12, "true"));
    let ran = site.expect(0, &["run", "bench.toml"]);
    assert!(
        ran.err
            .contains("submitted 12 trials in 4 jobs to template (own commands) as 1"),
        "{}",
        ran.err
    );
    assert_eq!((site.records("ok"), site.ran().len()), (12, 12));
    assert_eq!(
        site.expect(0, &["logs", "bench", "--trial", "5"]).out,
        "said\n"
    );
    let job = site
        .expect(0, &["logs", "bench", "--trial", "5", "--job"])
        .out;
    assert!(job.contains("complete, 3 trials"), "{job}");
}

#[test]
fn a_crash_after_submitting_submits_nothing_twice() {
    let site = Site::new(&spec(6, "sleep 0.2"));
    let mut command = site.command(&["run", "bench.toml"]);
    command.env("FAIRTRIAL_FAILPOINT", "remote.after_submit");
    assert!(!command.output().unwrap().status.success());
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
}

#[test]
fn a_crash_before_anything_is_submitted_is_made_good_by_waiting() {
    let site = Site::new(&spec(6, "sleep 0.2"));
    let mut command = site.command(&["run", "bench.toml"]);
    command.env("FAIRTRIAL_FAILPOINT", "journal.after_sync");
    assert!(!command.output().unwrap().status.success());
    assert_eq!(site.ran().len(), 0, "no job was submitted");
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
}

#[test]
fn a_killed_element_is_found_dead_and_its_trials_run_again() {
    let site = Site::new(&spec(6, "while [ ! -e $LEDGER.go ]; do sleep 0.1; done"));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let beat = site.project.newest_run("bench").join("chunks/0/beat.json");
    site.until("the first chunk beats", |_| beat.exists());
    let beat: Value = serde_json::from_str(&std::fs::read_to_string(beat).unwrap()).unwrap();
    let pid = i32::try_from(beat["owner"]["pid"].as_i64().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    site.until("its trial runs", |site| site.trial_dirs() >= 2);
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    site.project.write("ledger.go", "");
    site.expect(0, &["wait", "bench"]);
    assert_eq!(site.records("ok"), 6);
    assert_eq!(site.records("infra"), 1, "the trial that ran was lost");
}

#[test]
fn cancelling_reaches_every_element() {
    let site = Site::new(&spec(6, "sleep 600"));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let chunks = site.project.newest_run("bench").join("chunks");
    site.until("both chunks beat", |_| {
        (0..2).all(|chunk| chunks.join(format!("{chunk}/beat.json")).exists())
    });
    site.expect(0, &["cancel", "bench"]);
    assert_eq!(site.records("cancelled"), 6);
    assert_eq!(site.ran().len(), 0);
}

#[test]
fn a_job_that_cannot_begin_is_told_with_its_last_words() {
    let text = spec(2, "true").replace("pack = 3", "pack = 3\nprogram = '/no/such/binary'");
    let site = Site::new(&text.replace("seeds = 2", "seeds = 2\nretries = 0"));
    site.expect(3, &["run", "bench.toml"]);
    assert_eq!(site.records("infra"), 2);
    let journal = site.project.journal("bench");
    let record = journal
        .iter()
        .find(|event| event["event"] == "finished")
        .unwrap();
    let why = record["cause"]["message"].as_str().unwrap();
    assert!(
        why.contains("before its trials began") && why.contains("/no/such/binary"),
        "{why}"
    );
}

#[test]
fn a_spent_cap_on_trials_takes_nothing_back() {
    let capped = spec(12, "sleep 0.5") + "[budget]\ntrials = 4\n";
    let site = Site::new(&capped);
    let ran = site.expect(0, &["run", "bench.toml"]);
    assert!(
        ran.err.contains("trials budget spent: 4 of 12 trials"),
        "{}",
        ran.err
    );
    assert_eq!((site.records("ok"), site.ran().len()), (4, 4));
    site.expect(
        0,
        &["run", "bench.toml", "--resume", "--set", "budget.trials=12"],
    );
    assert_eq!((site.records("ok"), site.ran().len()), (12, 12));
}

#[test]
fn a_spent_time_waits_for_what_began() {
    let capped = spec(40, "sleep 1") + "[budget]\ntime = '600ms'\n";
    let site = Site::new(&capped);
    let ran = site.expect(0, &["run", "bench.toml"]);
    assert!(ran.err.contains("time budget spent"), "{}", ran.err);
    assert_eq!(site.records("ok"), site.ran().len(), "{}", ran.err);
    // What was taken back before it began runs later, once.
    site.expect(
        0,
        &["run", "bench.toml", "--resume", "--set", "budget.time=10m"],
    );
    assert_eq!((site.records("ok"), site.ran().len()), (40, 40));
}

#[test]
fn records_that_came_after_their_chunk_was_taken_back_count() {
    let capped = spec(6, "sleep 0.3") + "[budget]\ntrials = 6\n";
    let site = Site::new(&capped);
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let chunks = site.project.newest_run("bench").join("chunks");
    for chunk in 0..2 {
        std::fs::write(chunks.join(format!("{chunk}/revoked")), "\"withdrawn\"").unwrap();
    }
    site.until("both jobs have left", |_| {
        (0..2).all(|chunk| {
            let beat = std::fs::read_to_string(chunks.join(format!("{chunk}/beat.json")));
            beat.is_ok_and(|beat| beat.contains("ended"))
        })
    });
    assert_eq!(site.records("ok"), 0);
    // What was not begun is not spent, and runs now; what ran does not run again.
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
}

#[test]
fn a_chunk_that_cannot_be_read_is_not_given_out_again() {
    let site = Site::new(&spec(6, "sleep 1"));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let chunks = site.project.newest_run("bench").join("chunks");
    let (file, aside) = (chunks.join("0/chunk.json"), chunks.join("0/aside"));
    std::fs::rename(&file, &aside).unwrap();
    // Neither a file that the system refuses nor a folder without one says that nothing runs.
    for spoil in [true, false] {
        if spoil {
            std::fs::create_dir(&file).unwrap();
        }
        let here = ["run", "bench.toml", "--resume", "--engine", "local"];
        let refused = site.expect(2, &here);
        assert!(
            refused.err.contains("2 jobs of this run"),
            "{}",
            refused.err
        );
        let told = site.expect(3, &["wait", "bench"]);
        assert!(told.err.contains("chunks/0"), "{}", told.err);
        if spoil {
            std::fs::remove_dir(&file).unwrap();
        }
    }
    std::fs::rename(&aside, &file).unwrap();
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
    // A run that has all its answers does without.
    std::fs::write(&file, "no chunk").unwrap();
    site.expect(0, &["run", "bench.toml", "--resume"]);
    std::fs::rename(&chunks, site.project.path().join("removed")).unwrap();
    site.expect(0, &["run", "bench.toml", "--resume"]);
}

#[test]
fn a_record_that_cannot_be_read_is_not_recorded_as_lost() {
    let site = Site::new(&spec(3, "true"));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let chunk = site.project.newest_run("bench").join("chunks/0");
    site.until("the job has left", |_| {
        let beat = std::fs::read_to_string(chunk.join("beat.json"));
        beat.is_ok_and(|beat| beat.contains("ended"))
    });
    let (file, aside) = (chunk.join("1-1.json"), chunk.join("aside"));
    std::fs::rename(&file, &aside).unwrap();
    std::os::unix::fs::symlink("1-1.json", &file).unwrap();
    let told = site.expect(3, &["wait", "bench"]);
    assert!(told.err.contains("chunks/0/1-1.json"), "{}", told.err);
    std::fs::rename(&aside, &file).unwrap();
    site.expect(0, &["wait", "bench"]);
    assert_eq!((site.records("ok"), site.records("infra")), (3, 0));
    assert_eq!(site.ran().len(), 3);
}

#[test]
fn a_chunk_whose_folder_was_removed_is_given_out_again() {
    let site = Site::new(&spec(6, "sleep 1"));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let chunks = site.project.newest_run("bench").join("chunks");
    // In one step: its job may be writing.
    std::fs::rename(chunks.join("0"), site.project.path().join("removed")).unwrap();
    site.expect(0, &["wait", "bench"]);
    assert_eq!(site.records("ok"), 6);
}

/// A spec whose submit command is this, after it is counted in `ledger.submits`.
fn submits_by(command: &str) -> String {
    let text = spec(6, "true").replace("grace = '5s'", "grace = '1s'");
    let (before, rest) = text.split_once("submit = '").unwrap();
    let (_, after) = rest.split_once('\n').unwrap();
    format!("{before}submit = 'echo x >> $LEDGER.submits; {command}'\n{after}")
}

impl Site {
    fn submissions(&self) -> usize {
        let text = std::fs::read_to_string(self.project.path().join("ledger.submits"));
        text.unwrap_or_default().lines().count()
    }
}

#[test]
fn a_submission_without_a_handle_is_not_repeated() {
    let site = Site::new(&submits_by("echo queued"));
    let ran = site.expect(3, &["run", "bench.toml"]);
    assert!(
        ran.err.contains("printed no handle") && ran.err.contains("have not begun within 1 s"),
        "{}",
        ran.err
    );
    site.expect(0, &["status", "bench"]);
    let waited = site.expect(3, &["wait", "bench"]);
    assert!(waited.err.contains("fairtrial cancel"), "{}", waited.err);
    site.expect(0, &["cancel", "bench"]);
    assert_eq!((site.submissions(), site.records("cancelled")), (1, 6));
}

#[test]
fn a_submission_that_is_late_and_cannot_be_looked_for_is_not_repeated() {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/template_engine/scheduler.sh");
    let late = format!(
        "{} submit {{key}} {{script}} {{count}}; sleep 1000",
        script.display()
    );
    let text = submits_by(&late);
    let (before, rest) = text.split_once("find = ").unwrap();
    let site = Site::new(&format!("{before}{}", rest.split_once('\n').unwrap().1));
    let ran = site.expect(0, &["run", "bench.toml"]);
    assert!(
        ran.err.contains("did not answer within 60 s"),
        "{}",
        ran.err
    );
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
    // One whose jobs do not begin is given up, with what to do.
    let site = Site::new(&site.project.read("bench.toml").replace(&late, "sleep 1000"));
    let ran = site.expect(3, &["run", "bench.toml"]);
    assert!(
        ran.err.contains("the scheduler cannot be asked"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("They are not submitted again"),
        "{}",
        ran.err
    );
    assert_eq!(site.submissions(), 1);
}

#[test]
fn jobs_without_a_handle_are_known_by_what_they_leave() {
    let text = spec(6, "true").replace("job (", "Job ID (");
    let site = Site::new(&text);
    site.expect(0, &["run", "bench.toml"]);
    assert_eq!((site.records("ok"), site.ran().len()), (6, 6));
}

#[test]
fn a_submission_that_failed_is_repeated_by_who_goes_on_and_not_by_who_looks() {
    let site = Site::new(&submits_by("exit 1"));
    for (args, submissions) in [
        (&["run", "bench.toml"][..], 1),
        (&["status", "bench"], 1),
        (&["wait", "bench"], 2),
    ] {
        let looks = args[0] == "status";
        let ran = site.expect(if looks { 0 } else { 3 }, args);
        let told = ran.out.contains("2 not known to the scheduler");
        assert!(told == looks && !ran.out.contains("pending"), "{}", ran.out);
        assert_eq!(site.submissions(), submissions, "{args:?}");
    }
}

#[test]
fn who_looks_at_a_run_that_stops_by_looking_hands_out_no_more_than_it_needs() {
    let work =
        r#"echo "{\"score\": $(({seed} % 7 + {more} * (3 + {seed} % 5)))}" >> $FAIRTRIAL_METRICS"#;
    let text = spec(40, work)
        + "[arms.a]\nmore = 0\n[arms.b]\nmore = 1\n[metrics.score]\ndirection = 'up'\n\
           [analysis]\nstop = { when = 'decided', min = 4, max = 40 }\n";
    let site = Site::new(&format!("parallel = 2\n{text}"));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("the rule has its answer", |site| {
        site.expect(0, &["status", "bench"]);
        let journal = site.project.journal("bench");
        let closed = journal.iter().rfind(|event| event["event"] == "closed");
        closed.is_some_and(|event| event["status"] == "finished")
    });
    assert!(
        site.ran().len() < 40,
        "{} of 80 trials ran",
        site.ran().len()
    );
    // Whoever comes later is told the same.
    for _ in 0..2 {
        let waited = site.expect(0, &["wait", "bench"]);
        assert!(!waited.out.contains("not decided"), "{}", waited.out);
        assert!(
            waited.out.contains("Sequential: improved"),
            "{}",
            waited.out
        );
    }
}
