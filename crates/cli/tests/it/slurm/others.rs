//! What others do to the jobs of a run: an urgent job takes their node, somebody holds them, their time runs out,
//! somebody cancels them. Each has a project of its own on one cluster, so that the waits overlap.

use super::audit::Audit;
use super::cluster::Ways;
use super::site::{Site, WAITS, spec};
use serde_json::Value;
use std::process::Child;

fn outcomes(audit: &Audit, outcome: &str) -> Vec<u64> {
    let found = audit
        .effective
        .iter()
        .filter(|(_, record)| record["outcome"] == outcome);
    found.map(|(index, _)| *index).collect()
}

/// Why the effective attempt of a trial ended.
fn cause(audit: &Audit, index: u64) -> String {
    audit.effective[&index]["cause"]["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn others_may_do_anything_to_jobs() {
    let ways = Ways {
        preemption: "REQUEUE",
        ..Ways::default()
    };
    let Some(slow) = Site::new(&ways, &out_of_time_spec()) else {
        return;
    };
    let run = out_of_time_begins(&slow);
    refusals_come_first(&slow.beside(""));
    let held = spec(4, "true", "pack = 4\n[engine.slurm]\nargs = ['--hold']");
    // On a busy machine a job that was let go may take a while to say so, and what is submitted in its place is held again.
    held_jobs_wait_for_their_release(&slow.beside(&held.replace("grace = '5s'", "grace = '12s'")));
    suspended_jobs_stand_still(&slow.beside(&spec(1, WAITS, "pack = 1")));
    preempted_jobs_cost_one_attempt(&slow.beside(&on_low()), "back into the queue");
    cancelled_jobs_stay_cancelled(&slow.beside(&spec(4, WAITS, "pack = 2")));
    out_of_time_ends(&slow, run);
}

#[test]
fn preemption_may_end_jobs() {
    let ways = Ways {
        preemption: "CANCEL",
        ..Ways::other()
    };
    let Some(site) = Site::new(&ways, &on_low()) else {
        return;
    };
    preempted_jobs_cost_one_attempt(&site, "preempted");
}

#[test]
fn preemption_may_suspend_jobs() {
    let ways = Ways {
        preemption: "SUSPEND",
        ..Ways::other()
    };
    let Some(site) = Site::new(&ways, &on_low()) else {
        return;
    };
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("both jobs run", |site| site.begun() == 2);
    let urgent = urgent(&site, "sleep 9");
    site.until("they stand still", |site| {
        site.cluster.states(&site.handle()) == ["SUSPENDED"]
    });
    let status = site.expect(0, &["status", "bench"]).out;
    site.until("they go on", |site| {
        site.cluster.states(&urgent) == ["COMPLETED"]
            && site.cluster.states(&site.handle()) == ["RUNNING"]
    });
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0), "{status}");
    let audit = site.audit();
    audit.all(6, "ok");
    assert_eq!(audit.records.len(), 6, "one attempt each");
}

/// Three trials in each of two jobs, on the partition whose jobs make room.
fn on_low() -> String {
    spec(3, WAITS, "pack = 3\n[engine.slurm]\npartition = 'low'")
}

/// A job that takes the place of those of `low`.
fn urgent(site: &Site, work: &str) -> String {
    let urgent = [
        "sbatch",
        "--parsable",
        "-p",
        "urgent",
        "--exclusive",
        "-o",
        "/dev/null",
        "--wrap",
        work,
    ];
    site.cluster.slurm(&urgent).trim().to_owned()
}

/// Chunks of three: trial 1 hangs behind another, trial 3 hangs and has its job for itself.
fn out_of_time_spec() -> String {
    let work =
        "case $FAIRTRIAL_TRIAL in *-1|*-3) touch $PLACE/begun-$FAIRTRIAL_TRIAL; sleep 6000;; esac";
    let spec = spec(3, work, "pack = 3\n[engine.slurm]\ntime = '5m'");
    spec.replace("seeds = 3", "seeds = 3\nretries = 0")
}

fn out_of_time_begins(site: &Site) -> Child {
    let run = site.start(&["run", "bench.toml"]);
    site.until("both trials hang", |site| site.begun() == 2);
    // Slurm's clock has minutes; an administrator can bring the end nearer.
    for element in 0..2 {
        let job = format!("JobId={}_{element}", site.handle());
        site.cluster
            .slurm(&["scontrol", "update", &job, "EndTime=now+1"]);
    }
    run
}

fn out_of_time_ends(site: &Site, mut run: Child) {
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let audit = site.audit();
    assert_eq!(outcomes(&audit, "infra"), [1], "its time went to another");
    assert!(
        cause(&audit, 1).contains("time was spent"),
        "{}",
        cause(&audit, 1)
    );
    assert_eq!(outcomes(&audit, "timeout"), [3], "it had the whole job");
    assert_eq!(outcomes(&audit, "ok"), [0, 2, 4, 5], "the others go on");
    let copy = site
        .project
        .path()
        .join("data")
        .join(audit.effective[&3]["dir"].as_str().unwrap());
    let copy = std::fs::read_to_string(copy.join("record.json")).unwrap();
    let copy: Value = serde_json::from_str(&copy).unwrap();
    assert_eq!(
        copy["outcome"], "timeout",
        "the trial's own copy says the same"
    );
}

/// What Slurm would refuse, or let wait for ever, is told in its words before there is a run.
fn refusals_come_first(site: &Site) {
    let cases = [
        (
            "",
            "[engine.slurm]\npartition = 'lwo'",
            "there are: main, low, urgent",
        ),
        (
            "",
            "[engine.slurm]\nconstraint = 'a100'",
            "Invalid feature specification",
        ),
        (
            "",
            "[engine.slurm]\npartition = 'low'\ntime = '2h'",
            "partition `low` gives at most 60",
        ),
        (
            "resources = { cpus = 900 }",
            "",
            "Requested node configuration is not available",
        ),
    ];
    for (task, engine, words) in cases {
        let text = spec(2, "true", engine).replace("seeds = 2", &format!("seeds = 2\n{task}"));
        site.project.write("bench.toml", &text);
        let ran = site.expect(2, &["run", "bench.toml"]);
        assert!(ran.err.contains(words), "{words}\n{}", ran.err);
    }
    assert!(!site.project.path().join("data/rollouts/bench").exists());
    let engines = site.expect(0, &["list", "engines", "--json"]).json();
    let slurm = engines
        .as_array()
        .unwrap()
        .iter()
        .find(|engine| engine["name"] == "slurm")
        .unwrap();
    assert_eq!(slurm["reachable"], true);
    let detail = slurm["detail"].as_str().unwrap();
    assert!(
        detail.contains("without accounting, partitions: main, low, urgent"),
        "{detail}"
    );
    let doctor = site.expect(0, &["doctor"]).out;
    assert!(doctor.contains(detail), "{doctor}");
}

fn held_jobs_wait_for_their_release(site: &Site) {
    site.expect(0, &["run", "bench.toml", "--detach"]);
    let status = site.expect(0, &["status"]);
    assert!(status.out.contains("2 held"), "{}", status.out);
    let release = format!("scontrol release {}", site.handle());
    assert!(status.err.contains(&release), "{}", status.err);
    assert!(status.err.contains("JobHeld"), "{}", status.err);
    // Longer than the grace period: a held job is not a lost one.
    std::thread::sleep(std::time::Duration::from_secs(13));
    let status = site.expect(0, &["status", "--json"]).json();
    assert_eq!(status["jobs"]["held"], 2);
    assert!(status["warnings"][0].as_str().unwrap().contains(&release));
    site.cluster.slurm(&["scontrol", "release", &site.handle()]);
    site.expect(0, &["wait", "bench"]);
    let audit = site.audit();
    audit.all(8, "ok");
    assert_eq!(audit.records.len(), 8, "one attempt each");
}

fn suspended_jobs_stand_still(site: &Site) {
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("both jobs run", |site| site.begun() == 2);
    let job = format!("{}_0", site.handle());
    site.cluster.slurm(&["scontrol", "suspend", &job]);
    // Longer than the grace period: what stands still is not lost, and not when it goes on.
    std::thread::sleep(std::time::Duration::from_secs(8));
    site.cluster.slurm(&["scontrol", "resume", &job]);
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(2, "ok");
    assert_eq!(audit.records.len(), 2, "one attempt each");
}

fn preempted_jobs_cost_one_attempt(site: &Site, words: &str) {
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("both jobs run", |site| site.begun() == 2);
    urgent(site, "true");
    site.until("both are made to leave", |site| {
        site.audit()
            .records
            .iter()
            .filter(|record| record["outcome"] == "infra")
            .count()
            == 2
    });
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(6, "ok");
    for record in audit
        .records
        .iter()
        .filter(|record| record["outcome"] == "infra")
    {
        assert_eq!(record["cause"]["kind"], "job_ended");
        let why = record["cause"]["message"].as_str().unwrap();
        assert!(why.contains(words), "{why}");
    }
    assert_eq!(audit.records.len(), 8, "only what ran was lost");
    let low = |site: &Site| {
        site.cluster
            .slurm(&["squeue", "-h", "-r", "-p", "low,urgent"])
    };
    site.until("what Slurm put back is taken away", |site| {
        low(site).is_empty()
    });
}

fn cancelled_jobs_stay_cancelled(site: &Site) {
    site.expect(0, &["run", "bench.toml", "--detach", "--parallel", "2"]);
    site.until("two jobs run", |site| site.begun() == 2);
    // All of them, two that run and two that wait.
    site.cluster.slurm(&["scancel", &site.handle()]);
    site.until("none runs", |site| {
        site.cluster.states(&site.handle()) == ["CANCELLED"]
    });
    let waited = site.expect(130, &["wait", "bench"]);
    assert!(
        waited.err.contains("cancelled at the scheduler"),
        "{}",
        waited.err
    );
    let audit = site.audit();
    audit.all(8, "cancelled");
    assert_eq!(audit.records.len(), 8, "nothing was given out again");
    assert!(
        cause(&audit, 7).contains("somebody cancelled it"),
        "{}",
        cause(&audit, 7)
    );
    // One of several, and the others go on.
    site.expect(0, &["run", "bench.toml", "--resume", "--detach"]);
    site.until("they run", |site| site.begun() == 2 + 4);
    let one = format!("{}_0", site.handle());
    site.cluster.slurm(&["scancel", &one]);
    site.until("it does not run", |site| {
        site.cluster.states(&one) == ["CANCELLED"]
    });
    site.go();
    site.expect(130, &["wait", "bench"]);
    let audit = site.audit();
    assert_eq!(outcomes(&audit, "ok"), [2, 3, 4, 5, 6, 7]);
    assert_eq!(outcomes(&audit, "cancelled"), [0, 1]);
    site.expect(0, &["run", "bench.toml", "--resume"]);
    site.audit().all(8, "ok");
}
