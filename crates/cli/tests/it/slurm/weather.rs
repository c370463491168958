//! What happens on clusters every day, on two that differ: a queue longer than `grace`, a scheduler that answers nothing
//! or late, nodes that are drained, a preparation that is slow or fails, jobs that come back after the end. Each has a
//! project of its own on one cluster, so that the waits overlap.

use super::cluster::Ways;
use super::site::{Site, WAITS, spec};
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::Duration;

#[test]
fn ordinary_weather_without_accounting() {
    let Some(site) = Site::new(&Ways::default(), &spec(1, "true", "")) else {
        return;
    };
    weather(&site);
}

#[test]
fn ordinary_weather_with_accounting() {
    let Some(site) = Site::new(&Ways::other(), &spec(1, "true", "")) else {
        return;
    };
    let hog = hungry(&site);
    weather(&site);
    out_of_memory(hog);
}

fn weather(site: &Site) {
    let drained = drained_cluster(site);
    let late = late_submit(site);
    failing_setup(site);
    exported_functions(site);
    let blocker = block(site);
    let runs = [long_queue(site), empty_answer(site), slow_setup(site)];
    // Longer than the grace period: all wait, and nothing is withdrawn.
    std::thread::sleep(Duration::from_secs(8));
    waiting_is_told(&runs[0].0);
    runs[1].0.project.write("empty", "");
    runs[1].0.until("an answer was empty", |site| {
        !site.project.path().join("empty").exists()
    });
    std::thread::sleep(Duration::from_secs(2));
    site.cluster.slurm(&["scancel", &blocker]);
    for (site, mut run) in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
        let audit = site.audit();
        audit.all(4, "ok");
        assert_eq!(audit.records.len(), 4, "one attempt each");
    }
    records_beside_a_hanging_queue(site);
    interrupted_before_submitting(site);
    jobs_that_come_back(site);
    drained_cluster_waits(&drained);
    late_submit_ends(late);
}

/// A job that takes the whole cluster.
fn block(site: &Site) -> String {
    let nodes = if site.cluster.nodes() == 2 {
        "-N2"
    } else {
        "-N3"
    };
    let blocker = [
        "sbatch",
        "--parsable",
        "--exclusive",
        nodes,
        "-o",
        "/dev/null",
        "--wrap",
        "sleep 1000",
    ];
    let job = site.cluster.slurm(&blocker).trim().to_owned();
    site.until("the cluster is full", |site| {
        site.cluster.states(&job) == ["RUNNING"]
    });
    job
}

/// Jobs that wait longer than the grace period, and take a moment to begin.
fn long_queue(site: &Site) -> (Site, Child) {
    let site = site.beside(&spec(
        2,
        "true",
        "pack = 1\n[engine.slurm]\nsetup = 'sleep 3'",
    ));
    let run = site.start(&["run", "bench.toml"]);
    (site, run)
}

/// `squeue` answers nothing once, when the jobs have waited longer than the grace period.
fn empty_answer(site: &Site) -> (Site, Child) {
    let site = site.beside(&spec(2, "true", "pack = 1"));
    site.wrap(
        "squeue",
        "[ ! -e $PLACE/empty ] || { rm $PLACE/empty; exit 0; }\nexec REAL \"$@\"",
    );
    let run = site.start(&["run", "bench.toml"]);
    (site, run)
}

/// A preparation longer than the grace period.
fn slow_setup(site: &Site) -> (Site, Child) {
    let site = site.beside(&spec(
        2,
        "true",
        "pack = 1\n[engine.slurm]\nsetup = 'sleep 9'",
    ));
    let run = site.start(&["run", "bench.toml"]);
    (site, run)
}

/// `status` knows what waits, and why, while a controller is at work.
fn waiting_is_told(site: &Site) {
    let status = site.expect(0, &["status", "--json"]).json();
    assert_eq!(status["status"], "running");
    assert_eq!(status["jobs"]["pending"], 4, "{status}");
    let groups = status["job_groups"].as_array().unwrap();
    let jobs = groups.iter().map(|group| {
        assert!(!group["reason"].as_str().unwrap().is_empty(), "{status}");
        group["jobs"].as_array().unwrap().len()
    });
    assert_eq!(jobs.sum::<usize>(), 4, "{status}");
    let status = site.expect(0, &["status"]).out;
    assert!(
        status.contains("pending (Resources)") || status.contains("pending (Priority)"),
        "{status}"
    );
    assert!(!status.contains("running: "), "none runs: {status}");
}

fn failing_setup(site: &Site) {
    let setup =
        "[engine.slurm]\nsetup = \"\"\"\necho loading\nmodule load cuda/12\necho loaded\"\"\"";
    let text = spec(2, "true", &format!("pack = 2\n{setup}"));
    let site = site.beside(&text.replace("seeds = 2", "seeds = 2\nretries = 0"));
    site.expect(3, &["run", "bench.toml"]);
    let audit = site.audit();
    audit.all(4, "infra");
    let why = audit.effective[&0]["cause"]["message"].as_str().unwrap();
    for words in [
        "line 2 of `setup`, `module load cuda/12`, failed on",
        "(exit status 127)",
        "command not found",
    ] {
        assert!(why.contains(words), "{words}\n{why}");
    }
}

/// Where modules are functions that the shell exports, they are there.
fn exported_functions(site: &Site) {
    let site = site.beside(&spec(
        1,
        "test \"$LOADED\" = cuda/12 || exit 1",
        "pack = 2\n[engine.slurm]\nsetup = 'module load cuda/12'",
    ));
    let mut command = site.command(&["run", "bench.toml"]);
    command.env("BASH_FUNC_module%%", "() { false; export LOADED=$2; }");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    site.audit().all(2, "ok");
}

/// An `sbatch` that is not done in its time, and whose submission goes through after that.
fn late_submit(site: &Site) -> (Site, Child) {
    let site = site.beside(&spec(2, "true", "pack = 2"));
    site.wrap(
        "sbatch",
        "case \"$*\" in *--test-only*) exec REAL \"$@\";; esac\necho told >> $PLACE/told\n\
         setsid sh -c 'sleep 68; exec REAL \"$@\"' late \"$@\" >/dev/null 2>&1 &\nsleep 1000",
    );
    let run = site.start(&["run", "bench.toml"]);
    (site, run)
}

fn late_submit_ends((site, mut run): (Site, Child)) {
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(4, "ok");
    assert_eq!(audit.ledger.len(), 4, "each ran once");
    assert_eq!(
        site.project.read("told").lines().count(),
        1,
        "submitted once"
    );
}

/// A drained cluster takes jobs, and lets them wait.
fn drained_cluster(site: &Site) -> Site {
    let site = site.beside(&spec(2, "true", "pack = 1"));
    let nodes = site.cluster.slurm(&["sinfo", "-h", "-o", "%N"]);
    let drain = format!("nodename={}", nodes.trim());
    site.cluster
        .slurm(&["scontrol", "update", &drain, "state=drain", "reason=test"]);
    let ran = site.expect(0, &["run", "bench.toml", "--detach"]);
    assert!(ran.err.contains("will wait until nodes"), "{}", ran.err);
    site.until("Slurm has looked at the jobs", |site| {
        let status = site.expect(0, &["status", "--json"]).json();
        let group = &status["job_groups"][0];
        group["state"] == "pending" && group["reason"].is_string()
    });
    site.cluster
        .slurm(&["scontrol", "update", &drain, "state=resume"]);
    site
}

fn drained_cluster_waits(site: &Site) {
    site.expect(0, &["wait", "bench"]);
    site.audit().all(4, "ok");
}

/// Records are taken while `squeue` hangs.
fn records_beside_a_hanging_queue(site: &Site) {
    let site = site.beside(&spec(2, WAITS, "pack = 1"));
    site.wrap("squeue", "echo $$ > $PLACE/hangs\nwhile [ ! -e $PLACE/answer ]; do sleep 0.1; done\nexec REAL \"$@\"");
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("the queue is asked", |site| {
        site.project.path().join("hangs").exists()
    });
    let asked = site.project.read("hangs");
    site.go();
    site.until("all records are in the journal", |site| {
        site.audit().records.len() == 4
    });
    let hangs = std::path::Path::new("/proc").join(asked.trim());
    assert!(hangs.exists(), "the first question has no answer yet");
    assert_eq!(run.wait().unwrap().code(), Some(0));
    site.project.write("answer", "");
}

/// An interrupt before anything was submitted leaves nothing behind, and says nothing of jobs.
fn interrupted_before_submitting(site: &Site) {
    let site = site.beside(&spec(2, "true", "pack = 1"));
    site.wrap(
        "sbatch",
        "touch $PLACE/rehearses\nwhile [ ! -e $PLACE/go ]; do sleep 0.1; done\nexec REAL \"$@\"",
    );
    let mut command = site.command(&["run", "bench.toml"]);
    let run = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    site.until("Slurm is asked", |site| {
        site.project.path().join("rehearses").exists()
    });
    let pid = rustix::process::Pid::from_raw(i32::try_from(run.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    // The signal is on its way to a process that does nothing else.
    std::thread::sleep(Duration::from_secs(1));
    site.go();
    let ended = run.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    assert!(
        err.contains("nothing was submitted") && !err.contains("jobs run on"),
        "{err}"
    );
    // Who looks submits nothing that was not wanted.
    site.expect(0, &["status", "bench"]);
    assert_eq!(site.audit().events("submitting").len(), 0);
}

/// Jobs that Slurm puts back into the queue after the run has ended.
fn jobs_that_come_back(site: &Site) {
    let site = site.beside(&spec(2, "true", "pack = 2"));
    site.expect(0, &["run", "bench.toml"]);
    site.audit().all(4, "ok");
    let requeue = || {
        let job = site.handle();
        site.until("its jobs have ended", |site| {
            site.cluster.states(&job) == ["COMPLETED"]
        });
        site.cluster.slurm(&["scontrol", "requeue", &job]);
        site.until("they are back", |site| {
            site.cluster.states(&job).contains(&"PENDING".to_owned())
        });
    };
    let gone = |site: &Site| {
        let jobs = site.cluster.slurm(&["squeue", "-h", "-j", &site.handle()]);
        jobs.is_empty()
    };
    requeue();
    let status = site.expect(0, &["status", "bench", "--json"]).json();
    let told = status["warnings"].to_string();
    assert!(told.contains("waited in the queue again"), "{told}");
    site.until("they are withdrawn", gone);
    let site = site.beside(&spec(2, "true", "pack = 2"));
    site.expect(0, &["run", "bench.toml"]);
    site.until("its jobs have ended", |site| {
        site.cluster.states(&site.handle()) == ["COMPLETED"]
    });
    let refused = site.expect(2, &["cancel", "bench"]);
    assert!(refused.err.contains("is not running"), "{}", refused.err);
    site.cluster.slurm(&["scontrol", "requeue", &site.handle()]);
    site.until("they are back", |site| {
        site.cluster
            .states(&site.handle())
            .contains(&"PENDING".to_owned())
    });
    site.expect(0, &["cancel", "bench"]);
    site.until("they are cancelled", gone);
}

/// Trials of which each takes more memory than its job may have.
fn hungry(site: &Site) -> (Site, Child) {
    let hog = "x=$(head -c 400000000 /dev/zero | tr \"\\\\0\" x); echo ${#x}; sleep 30";
    let text = spec(1, hog, "").replace(
        "shell = true",
        "resources = { memory = '200MB' }\nshell = true",
    );
    let site = site.beside(&text);
    let run = site.start(&["run", "bench.toml"]);
    (site, run)
}

/// Slurm's daemon ends the job, calls that a failure, and tells the job's log alone why.
fn out_of_memory((site, mut run): (Site, Child)) {
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let audit = site.audit();
    audit.all(2, "oom");
    let causes: Vec<&Value> = audit
        .effective
        .values()
        .map(|record| &record["cause"]["kind"])
        .collect();
    assert_eq!(causes, ["memory", "memory"]);
}
