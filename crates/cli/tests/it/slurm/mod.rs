//! Trials on a real Slurm of three nodes on this host, and everything that can happen to it meanwhile.

pub mod audit;
mod checkpoints;
mod cluster;
mod login;
mod others;
mod site;
mod weather;

use crate::schedulers::site::controllers_are_killed;
pub use cluster::kill;
use cluster::{Cluster, Ways};
use serde_json::Value;
use site::{Site, WAITS, spec};
use std::path::Path;
use std::time::Duration;

#[test]
fn packed_trials_are_the_same_as_here() {
    let Some(site) = Site::new(&Ways::default(), &spec(150, "echo said", "pack = 25")) else {
        return;
    };
    let ran = site.expect(0, &["run", "bench.toml", "--json"]);
    let there: Value = serde_json::from_str(&ran.out).unwrap();
    let audit = site.audit();
    audit.all(300, "ok");
    assert_eq!(audit.events("submitting").len(), 1);
    assert_eq!(audit.events("submitting")[0]["chunks"], 12);
    let slurm_run = site.project.newest_run("bench");
    inodes_are_few(&site, &slurm_run);
    std::fs::remove_file(site.ledger()).unwrap();
    let ran = site.expect(0, &["run", "bench.toml", "--engine", "local", "--json"]);
    let here: Value = serde_json::from_str(&ran.out).unwrap();
    let local = site.audit();
    local.all(300, "ok");
    assert_eq!(audit.events[0]["plan_hash"], local.events[0]["plan_hash"]);
    for (index, record) in &audit.effective {
        let other = &local.effective[index];
        for key in ["trial", "id", "attempt", "outcome", "exit", "metrics"] {
            assert_eq!(record[key], other[key], "{key} of trial {index}");
        }
    }
    assert_eq!(there["counts"], here["counts"]);
    // The views are those of any run.
    assert!(slurm_run.join("manifest.json").is_file());
}

/// Two for each trial: its folder and its record. The rest is in its chunk, and comes back when it is asked for.
fn inodes_are_few(site: &Site, run: &Path) {
    let below = |folder: &Path| {
        let found = site
            .project
            .shell(&format!("find {} -mindepth 1 | wc -l", folder.display()));
        found.out.trim().parse::<usize>().unwrap()
    };
    let trials = below(&site.project.path().join("data/runs"));
    assert_eq!(trials, 2 * 300, "folders and files of trials");
    let chunks = below(&run.join("chunks"));
    assert!(chunks <= 12 * 6 + 3, "{chunks} files and folders of chunks");
    let said = site.expect(0, &["logs", "bench", "--trial", "299"]).out;
    assert_eq!(said, "said\n");
    let again = site
        .project
        .shell("LEDGER=/dev/null sh data/runs/*-299/command.sh");
    assert_eq!(
        (again.code, again.out.as_str()),
        (0, "said\n"),
        "{}",
        again.err
    );
    site.expect(0, &["verify", "bench"]);
}

#[test]
fn a_run_is_left_and_picked_up_from_another_terminal() {
    let Some(site) = Site::new(
        &Ways::default(),
        &spec(6, &format!("{WAITS}; echo said"), "pack = 2"),
    ) else {
        return;
    };
    let ran = site.expect(0, &["run", "bench.toml", "--detach"]);
    assert!(ran.err.contains("`wait bench`"), "{}", ran.err);
    let status: Value = serde_json::from_str(&site.expect(0, &["status", "--json"]).out).unwrap();
    assert_eq!(status["status"], "detached");
    assert_eq!(status["trials"], 12);
    site.go();
    let waited: Value =
        serde_json::from_str(&site.expect(0, &["wait", "bench", "--json"]).out).unwrap();
    assert_eq!(waited["counts"]["ok"], 12);
    site.audit().all(12, "ok");
    assert_eq!(
        site.expect(0, &["logs", "bench", "--trial", "3"]).out,
        "said\n"
    );
    let job = site
        .expect(0, &["logs", "bench", "--trial", "3", "--job"])
        .out;
    assert!(job.contains("complete, 2 trials"), "{job}");
    // A second look finds a finished run and changes nothing.
    let again: Value =
        serde_json::from_str(&site.expect(0, &["wait", "bench", "--json"]).out).unwrap();
    assert_eq!(again["status"], "finished");
}

#[test]
fn a_lost_node_costs_its_trials_one_attempt() {
    let Some(site) = Site::new(&Ways::default(), &spec(18, WAITS, "pack = 3")) else {
        return;
    };
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("every job runs its first trial", |site| site.begun() == 12);
    assert!(site.cluster.kill_node("n2") > 0);
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(36, "ok");
    let lost = audit
        .records
        .iter()
        .filter(|record| record["outcome"] == "infra")
        .count();
    assert_eq!(lost, 4, "attempts that were lost with the node");
}

#[test]
fn the_schedulers_daemon_is_killed_and_comes_back() {
    let Some(site) = Site::new(&Ways::default(), &spec(30, WAITS, "pack = 5")) else {
        return;
    };
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("every job runs its first trial", |site| site.begun() == 12);
    site.cluster.kill_daemon("slurmctld");
    // Long enough to be asked for in vain.
    std::thread::sleep(Duration::from_secs(2));
    site.cluster.restart_slurmctld();
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    site.audit().all(60, "ok");
}

#[test]
fn killed_controllers_are_replaced() {
    let Some(cluster) = Cluster::start(&Ways::default()) else {
        return;
    };
    controllers_are_killed(&cluster);
}

#[test]
fn killed_controllers_are_replaced_on_another_layout() {
    let Some(cluster) = Cluster::start(&Ways::other()) else {
        return;
    };
    controllers_are_killed(&cluster);
}

#[test]
fn cancelling_ends_every_job() {
    let Some(site) = Site::new(&Ways::default(), &spec(10, WAITS, "pack = 1")) else {
        return;
    };
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("as many run as there is room for", |site| {
        site.begun() == 12
    });
    site.expect(0, &["cancel", "bench"]);
    let audit = site.audit();
    audit.all(20, "cancelled");
    assert_eq!(audit.ledger.len(), 0);
    site.until("the queue is empty", |site| site.cluster.queued() == 0);
    // A cancelled run can be gone on with.
    let spec = site.project.read("bench.toml").replace(WAITS, "true");
    site.project.write("bench.toml", &spec);
    assert_eq!(
        site.run(&["run", "bench.toml", "--resume"]).code,
        2,
        "the spec changed"
    );
}

#[test]
fn a_scancel_that_is_killed_and_a_cancel_that_is_killed_are_made_again() {
    let Some(site) = Site::new(&Ways::default(), &spec(4, WAITS, "pack = 2")) else {
        return;
    };
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("every job runs", |site| site.begun() == 4);
    site.project.write(
        "bin/scancel",
        "#!/bin/sh\necho told >> $PLACE/told\n[ -e $PLACE/well ] || kill -INT $$\nexec /usr/bin/scancel \"$@\"\n",
    );
    site.project.shell("chmod +x bin/scancel");
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", site.project.path().join("bin").display());
    let mut cancel = site.command(&["cancel", "bench"]);
    let mut cancel = cancel.env("PATH", &path).spawn().unwrap();
    let told = |site: &Site| {
        let told = std::fs::read_to_string(site.project.path().join("told"));
        told.unwrap_or_default().lines().count()
    };
    site.until("scancel is run again", |site| told(site) >= 2);
    cancel.kill().unwrap();
    cancel.wait().unwrap();
    assert!(site.cluster.queued() > 0, "its jobs live");
    site.project.write("well", "");
    let mut again = site.command(&["cancel", "bench"]);
    assert!(again.env("PATH", &path).status().unwrap().success());
    let audit = site.audit();
    audit.all(8, "cancelled");
    site.until("the queue is empty", |site| site.cluster.queued() == 0);
    site.go();
    site.expect(0, &["run", "bench.toml", "--resume"]);
    let audit = site.audit();
    audit.all(8, "ok");
    assert_eq!(audit.ledger.len(), 8, "no trial ran beside another");
}

#[test]
fn limits_hold_on_nodes_as_here() {
    let Some(site) = Site::new(&Ways::default(), &spec(3, "sleep 20", "")) else {
        return;
    };
    let spec = site.project.read("bench.toml").replace(
        "seeds = 3",
        "seeds = 3\ntimeout = '500ms'\nkill_grace = '100ms'",
    );
    site.project.write("bench.toml", &spec);
    site.expect(1, &["run", "bench.toml"]);
    let audit = site.audit();
    audit.all(6, "timeout");
    assert!(
        audit
            .effective
            .values()
            .all(|record| record["cause"]["kind"] == "wall_time")
    );
}

#[test]
fn memory_that_slurm_takes_back_is_oom() {
    let ways = Ways {
        memory_cgroup: true,
        ..Ways::default()
    };
    if !std::path::Path::new("/sys/fs/cgroup/memory/cgroup.procs").exists() {
        eprintln!("skipped: this machine has no memory control groups of version 1");
        return;
    }
    // Twice what the job may have; the shell holds it in a variable.
    let hog = "x=$(head -c 400000000 /dev/zero | tr \"\\\\0\" x); echo ${#x}";
    let spec = spec(1, hog, "").replace(
        "shell = true",
        "resources = { memory = '200MB' }\nshell = true",
    );
    let Some(site) = Site::new(&ways, &spec) else {
        return;
    };
    site.expect(1, &["run", "bench.toml"]);
    site.audit().all(2, "oom");
}

#[test]
fn accounting_tells_of_jobs_that_the_queue_forgot() {
    let ways = Ways {
        accounting: true,
        min_job_age: Some(2),
        ..Ways::default()
    };
    let Some(site) = Site::new(&ways, &spec(6, "sleep 0.2", "pack = 3")) else {
        return;
    };
    let ran = site.expect(0, &["run", "bench.toml"]);
    assert!(!ran.err.contains("no accounting"), "{}", ran.err);
    site.audit().all(12, "ok");
    std::fs::remove_file(site.ledger()).unwrap();
    // A job that dies before it begins is known to the accounting alone, once the queue has forgotten it.
    let spec = site.project.read("bench.toml");
    let broken = spec.replace("pack = 3", "pack = 3\nprogram = '/no/such/binary'");
    site.project.write(
        "bench.toml",
        &broken.replace("[engine]", "retries = 0\n[engine]"),
    );
    site.project.write(
        "bench.toml",
        &broken.replace("seeds = 6", "seeds = 6\nretries = 0"),
    );
    site.expect(3, &["run", "bench.toml"]);
    let audit = site.audit();
    audit.all(12, "infra");
    let why = audit.effective[&0]["cause"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(why.contains("before its trials began"), "{why}");
}

#[test]
fn arrays_larger_than_the_cluster_allows_are_split() {
    let ways = Ways {
        max_array_size: Some(9),
        ..Ways::default()
    };
    let Some(site) = Site::new(&ways, &spec(10, "true", "pack = 1")) else {
        return;
    };
    site.expect(0, &["run", "bench.toml"]);
    let audit = site.audit();
    audit.all(20, "ok");
    let sizes: Vec<u64> = audit
        .events("submitting")
        .iter()
        .map(|event| event["chunks"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [8, 8, 4]);
}

#[test]
fn both_arms_of_a_seed_share_a_node() {
    let Some(site) = Site::new(
        &Ways::default(),
        &spec(8, "true", "pack = 2\npair_on = 'node'"),
    ) else {
        return;
    };
    site.expect(0, &["run", "bench.toml"]);
    site.audit().all(16, "ok");
    let chunks = site.project.newest_run("bench").join("chunks");
    let audit = site.audit();
    for number in 0..8 {
        let text =
            std::fs::read_to_string(chunks.join(number.to_string()).join("chunk.json")).unwrap();
        let chunk: Value = serde_json::from_str(&text).unwrap();
        let trials = chunk["trials"].as_array().unwrap();
        let seeds: Vec<&Value> = trials
            .iter()
            .map(|given| &audit.effective[&given["index"].as_u64().unwrap()]["trial"]["seed"])
            .collect();
        assert_eq!((seeds.len(), seeds[0]), (2, seeds[1]), "{text}");
    }
}

#[test]
fn devices_are_slurms_to_assign() {
    // Two on each of three nodes.
    let note = "touch $PLACE/device-$SLURMD_NODENAME-$CUDA_VISIBLE_DEVICES";
    let text = spec(4, &format!("{note}; {WAITS}"), "pack = 1");
    let text = text.replace("shell = true", "shell = true\nresources = { gpus = 1 }");
    let Some(site) = Site::new(&Ways::default(), &text) else {
        return;
    };
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("as many trials run as there are devices", |site| {
        site.begun() == 6
    });
    let devices = site.files("device-");
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let nodes = ["n1", "n2", "n3"];
    let all = nodes.map(|node| [0, 1].map(|device| format!("device-{node}-{device}")));
    assert_eq!(devices, all.as_flattened());
    site.audit().all(8, "ok");
}

#[test]
fn a_node_refuses_another_plan_and_another_version() {
    let Some(site) = Site::new(&Ways::default(), &spec(2, "true", "pack = 4")) else {
        return;
    };
    site.expect(0, &["run", "bench.toml"]);
    let run = site.project.newest_run("bench");
    let file = run.join("chunks/0/chunk.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let plan = run.join("plan.json").display().to_string();
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(&file, text.replace(&version, "\"version\":\"0.0.0\"")).unwrap();
    let ran = site.expect(3, &["exec", "--plan", &plan, "--chunk", "0"]);
    assert!(
        ran.err.contains("given out by fairtrial 0.0.0"),
        "{}",
        ran.err
    );
    let mut chunk: Value = serde_json::from_str(&text).unwrap();
    chunk["plan_hash"] = "0".repeat(32).into();
    std::fs::write(&file, chunk.to_string()).unwrap();
    let ran = site.expect(3, &["exec", "--plan", &plan, "--chunk", "0"]);
    assert!(ran.err.contains("belongs to plan 0000"), "{}", ran.err);
    assert_eq!(site.ledger_len(), 4);
}
