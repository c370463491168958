//! Trials that save their state on a cluster: preempted, told that their time runs out, cancelled, they go on from their very
//! step, also where several share a job.

use super::audit::Audit;
use super::cluster::Ways;
use super::site::{Site, spec};
use serde_json::Value;

/// Counts until it may stop, reports each step, and saves (`$SAVING` before that) when it is told to.
fn counts(saving: &str) -> String {
    format!(
        "cd $FAIRTRIAL_CHECKPOINT; i=$(cat step 2>/dev/null || echo 0); \
         trap 'told=1' TERM; \
         touch $PLACE/begun-$FAIRTRIAL_TRIAL; \
         while [ ! -e $PLACE/go ] || [ $i -lt 20 ]; do sleep 0.1; i=$((i + 1)); \
         echo \"{{\\\"step\\\": $i, \\\"count\\\": $i}}\" >> $FAIRTRIAL_METRICS; \
         [ -z $told ] || {{ {saving}echo $i > step.new; mv step.new step; exit 143; }}; done"
    )
}

/// Trials that grant no retry to anything.
fn saving(seeds: u32, work: &str, engine: &str) -> String {
    let rule = "shell = true\nretries = 0\ncheckpoint = { notice = '20s' }";
    spec(seeds, work, engine).replace("shell = true", rule)
}

/// The steps of each trial, which are all there, once each.
fn assert_whole(site: &Site, audit: &Audit) {
    for record in audit.effective.values() {
        let dir = record["dir"].as_str().unwrap();
        let file = format!("data/{dir}/metrics.jsonl");
        let text = site.project.read(&file);
        let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        let steps: Vec<u64> = text
            .lines()
            .filter_map(|text| line(text)["step"].as_u64())
            .collect();
        let all: Vec<u64> = (1..=steps.len() as u64).collect();
        assert_eq!(steps, all, "{record}");
        assert!(steps.len() >= 20, "{record}");
    }
}

fn parts(record: &Value) -> usize {
    let parts = record["checkpoint"]["parts"].as_array();
    parts.map_or(0, Vec::len)
}

/// The attempts at a trial that began, where they say so.
fn attempts(site: &Site, index: u64) -> usize {
    let first = format!("-{index}");
    let later = format!("-{index}-attempt");
    let names = site.files("begun-").into_iter();
    names
        .filter(|name| name.ends_with(&first) || name.contains(&later))
        .count()
}

#[test]
fn trials_go_on_from_their_step_wherever_their_jobs_end() {
    let ways = Ways {
        preemption: "REQUEUE",
        ..Ways::default()
    };
    let low = "pack = 2\n[engine.slurm]\npartition = 'low'";
    let Some(site) = Site::new(&ways, &saving(1, &counts(""), low)) else {
        return;
    };
    preempted(&site);
    warned(&site.beside(&saving(1, &counts(""), "pack = 2")));
    requeued(&site.beside(&saving(1, &counts(""), "pack = 2")));
    cancelled(&site.beside(&saving(1, &counts("sleep 4; "), "pack = 2")));
    too_short(&site.beside(&saving(1, "true", "[engine.slurm]\ntime = '30s'")));
}

/// An urgent job takes the node of a job with two trials.
fn preempted(site: &Site) {
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("the first trial runs", |site| attempts(site, 0) == 1);
    let urgent = [
        "sbatch",
        "--parsable",
        "-p",
        "urgent",
        "--exclusive",
        "-o",
        "/dev/null",
        "--wrap",
        "sleep 2",
    ];
    site.cluster.slurm(&urgent);
    site.until("it runs again", |site| attempts(site, 0) == 2);
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(2, "ok");
    assert_whole(site, &audit);
    let first = &audit.effective[&0]["checkpoint"];
    assert_eq!(parts(&audit.effective[&0]), 1, "{first}");
    assert_eq!(first["parts"][0]["outcome"], "infra", "{first}");
    assert_eq!(first["parts"][0]["saved"], true, "{first}");
    assert_eq!(first["found"]["files"], 1, "{first}");
}

/// The warning before the time limit, several times in one trial: each time it saves at once, and none is a retry.
fn warned(site: &Site) {
    let mut run = site.start(&["run", "bench.toml"]);
    for attempt in 1..=3 {
        site.until("it runs", |site| attempts(site, 0) == attempt);
        let job = format!("{}_0", site.handle());
        site.cluster
            .slurm(&["scancel", "--batch", "--signal=USR1", &job]);
    }
    site.until("it runs for the last time", |site| attempts(site, 0) == 4);
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(2, "ok");
    assert_whole(site, &audit);
    let record = &audit.effective[&0];
    assert_eq!(parts(record), 3, "{record}");
    let why = record["checkpoint"]["parts"][0]["cause"]["message"].as_str();
    assert_eq!(why, Some("its time was spent"));
    let explained = site.expect(0, &["explain", "bench", "--trial", "0"]).out;
    assert!(
        explained.contains("its 4 parts together took"),
        "{explained}"
    );
}

/// The second of two trials is interrupted: the first keeps its record and is not run again.
fn requeued(site: &Site) {
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("the first trial runs", |site| attempts(site, 0) == 1);
    site.go();
    site.until("the second trial runs", |site| attempts(site, 1) == 1);
    let job = format!("{}_0", site.handle());
    site.cluster.slurm(&["scontrol", "requeue", &job]);
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(2, "ok");
    assert_whole(site, &audit);
    assert_eq!(audit.effective[&0]["attempt"], 1);
    assert_eq!(audit.effective[&1]["attempt"], 2);
    assert_eq!(parts(&audit.effective[&1]), 1);
}

/// Slurm would wait two seconds before it kills; the trial has its own notice, and takes four.
fn cancelled(site: &Site) {
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("it runs", |site| attempts(site, 0) == 1);
    site.expect(0, &["cancel", "bench"]);
    let audit = site.audit();
    audit.all(2, "cancelled");
    let checkpoint = &audit.effective[&0]["checkpoint"];
    assert_eq!(checkpoint["left"]["files"], 1, "{checkpoint}");
    site.until("the queue is empty", |site| site.cluster.queued() == 0);
    site.go();
    site.expect(0, &["run", "bench.toml", "--resume"]);
    let audit = site.audit();
    audit.all(2, "ok");
    assert_whole(site, &audit);
}

/// A job that would do nothing but save is refused before anything is submitted.
fn too_short(site: &Site) {
    let spec = site.project.read("bench.toml");
    site.project.write(
        "bench.toml",
        &spec.replace("notice = '20s'", "notice = '50s'"),
    );
    let ran = site.expect(2, &["run", "bench.toml"]);
    assert!(ran.err.contains("checkpoint.notice"), "{}", ran.err);
}
