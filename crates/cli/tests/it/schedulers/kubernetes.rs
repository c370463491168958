//! Kubernetes: real `kubectl` talks to a stand-in of the API (`kubernetes_api.py`), which runs the commands of pods as
//! processes here. No real cluster was at hand.

use super::site::{
    Scheduler, Site, WAITS, controllers_are_killed, jobs_wait, runs_are_cancelled, trials_run,
};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PLACES: usize = 4;
const LEAST_CLIENT: u64 = 27;

struct Cluster {
    dir: tempfile::TempDir,
    api: Child,
}

impl Cluster {
    fn start() -> Option<Self> {
        let Some(minor) = client() else {
            assert!(std::env::var_os("CI").is_none(), "CI must have kubectl");
            eprintln!("skipped: needs `kubectl` (`./test` installs it)");
            return None;
        };
        if minor < LEAST_CLIENT {
            // Older ones read the whole description of the API from a server.
            eprintln!(
                "skipped: kubectl 1.{minor} is too old for the stand-in, which needs 1.{LEAST_CLIENT}"
            );
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("places"), PLACES.to_string()).unwrap();
        let program = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = program.join("tests/it/schedulers/kubernetes_api.py");
        let mut command = Command::new("python3");
        command.arg(program).arg(dir.path()).stdin(Stdio::null());
        let api = command.spawn().unwrap();
        let cluster = Self { dir, api };
        let began = Instant::now();
        while !cluster.file("kubeconfig").exists() {
            assert!(began.elapsed() < Duration::from_mins(1), "no API");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(cluster)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Changes what the API does, from now on.
    fn set(&self, name: &str, text: &str) {
        std::fs::write(self.file(name), text).unwrap();
    }

    fn unset(&self, name: &str) {
        std::fs::remove_file(self.file(name)).unwrap();
    }

    /// Lets something happen to the pod of an element; says to how many it did.
    fn happen(&self, what: &str, element: u64) -> u64 {
        let address = std::fs::read_to_string(self.file("address")).unwrap();
        let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
        let request = format!("POST /happen/{what}/{element} HTTP/1.0\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        body["pods"].as_u64().unwrap()
    }

    fn kubectl(&self, args: &[&str]) -> String {
        let mut command = Command::new("kubectl");
        let output = command
            .args(args)
            .envs(self.environment())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// How often a call began so.
    fn calls(&self, start: &str) -> usize {
        let calls = std::fs::read_to_string(self.file("calls")).unwrap_or_default();
        calls.lines().filter(|line| line.starts_with(start)).count()
    }
}

/// The minor version of `kubectl`, where it is installed.
fn client() -> Option<u64> {
    let mut command = Command::new("kubectl");
    let output = command
        .args(["version", "--client", "-o", "json"])
        .output()
        .ok()?;
    let version: Value = serde_json::from_slice(&output.stdout).ok()?;
    let minor = version["clientVersion"]["minor"].as_str()?;
    minor.trim_end_matches('+').parse().ok()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.api);
        // It ends its pods.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.api.wait();
    }
}

impl Scheduler for Cluster {
    fn engine(&self) -> &'static str {
        "kubernetes"
    }

    fn environment(&self) -> Vec<(String, String)> {
        let home = self.dir.path().display().to_string();
        let config = self.file("kubeconfig").display().to_string();
        vec![("KUBECONFIG".to_owned(), config), ("HOME".to_owned(), home)]
    }

    fn table(&self) -> String {
        format!(
            "program = '{}'\n[engine.kubernetes]\nimage = 'bench:1'\nnamespace = 'bench'\n\
             volume = {{ claim = 'shared', path = '{}' }}",
            env!("CARGO_BIN_EXE_fairtrial"),
            std::env::temp_dir().display()
        )
    }

    fn places(&self) -> usize {
        PLACES
    }

    fn is_idle(&self) -> bool {
        let pods = self.kubectl(&["get", "pods", "-o", "json"]);
        let pods: Value = serde_json::from_str(&pods).unwrap();
        let mut pods = pods["items"].as_array().unwrap().iter();
        pods.all(|pod| pod["status"]["phase"] == "Succeeded" || pod["status"]["phase"] == "Failed")
    }
}

/// The journal's last word on a run's trials: outcome and cause.
fn ends(site: &Site<'_>) -> Vec<(String, String)> {
    let audit = site.audit();
    let end = |record: &Value| {
        let outcome = record["outcome"].as_str().unwrap().to_owned();
        (outcome, record["cause"].to_string())
    };
    audit.records.iter().map(end).collect()
}

#[test]
fn trials_run_on_kubernetes() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    trials_run(&cluster);
    jobs_wait(&cluster);
    runs_are_cancelled(&cluster);
}

#[test]
fn controllers_of_kubernetes_are_killed() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    controllers_are_killed(&cluster);
}

/// What was taken away is tried again, in a pod of another Job; what had ended is not.
#[test]
fn pods_that_are_taken_away_cost_one_attempt() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    for what in ["preempt", "lose", "delete"] {
        let site = Site::new(&cluster, 2, WAITS, "pack = 2");
        let mut run = site.start(&["run", "bench.toml"]);
        site.until("both pods run", |site| site.begun() == 2);
        assert_eq!(cluster.happen(what, 0), 1);
        site.go();
        assert_eq!(run.wait().unwrap().code(), Some(0), "{what}");
        let audit = site.audit();
        audit.all(4, "ok");
        assert_eq!(audit.records.len(), 5, "{what}: one attempt was lost");
        let lost = ends(&site).into_iter().find(|(outcome, _)| outcome != "ok");
        assert_eq!(lost.unwrap().0, "infra", "{what}");
        let jobs = audit.events("submitted").len();
        assert!(jobs >= 2, "{what}: given out in another Job");
    }
}

#[test]
fn a_container_that_was_killed_for_memory_is_out_of_memory() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let site = Site::new(&cluster, 1, WAITS, "pack = 1");
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("both pods run", |site| site.begun() == 2);
    assert_eq!(cluster.happen("oom", 1), 1);
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let ends = ends(&site);
    let outcomes: Vec<&str> = ends.iter().map(|(outcome, _)| outcome.as_str()).collect();
    assert!(
        outcomes.contains(&"oom") && outcomes.contains(&"ok"),
        "{ends:?}"
    );
}

/// Somebody deletes the Job: that was meant, and nothing of it is submitted again.
#[test]
fn a_job_that_was_deleted_is_not_submitted_again() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let site = Site::new(&cluster, 2, WAITS, "pack = 1");
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("all pods run", |site| site.begun() == 4);
    let job = site.handle();
    cluster.kubectl(&["delete", "job", &job, "--wait=false"]);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let audit = site.audit();
    audit.all(4, "cancelled");
    assert_eq!(audit.events("submitted").len(), 1);
    site.go();
    site.expect(0, &["run", "bench.toml", "--resume"]);
    site.audit().all(4, "ok");
}

/// Why pods wait is told; what somebody must put right is told once, with what can be done.
#[test]
fn why_pods_wait_is_told() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let waits = |change: (&str, &str), state: &str, words: &str| {
        let site = Site::new(&cluster, 1, "true", "pack = 1");
        let spec = site.project.read("bench.toml");
        site.project
            .write("bench.toml", &spec.replace(change.0, change.1));
        site.expect(0, &["run", "bench.toml", "--detach"]);
        site.until("it is told", |site| {
            let status = site.expect(0, &["status", "bench", "--json"]).json();
            let groups = status["job_groups"].as_array().unwrap().clone();
            let told = |group: &Value| {
                let reason = group["reason"].as_str().unwrap_or_default();
                group["state"] == state && reason.contains(words)
            };
            groups.iter().any(told)
        });
        site
    };
    let image = ("image = 'bench:1'", "image = 'nowhere/bench:1'");
    let site = waits(image, "held", "ImagePullBackOff: nowhere/bench:1");
    let told = site.expect(0, &["status", "bench"]);
    let told = told.out + &told.err;
    assert!(told.contains("ImagePullBackOff: nowhere/bench:1"), "{told}");
    site.expect(0, &["cancel", "bench"]);
    let selector = (
        "image = 'bench:1'",
        "image = 'bench:1'\nnode_selector = { gpu = 'a100' }",
    );
    let site = waits(selector, "pending", "Unschedulable: 0/3 nodes");
    site.expect(0, &["cancel", "bench"]);
    for (file, text, state) in [
        ("quota", "exceeded quota: q, requested: cpu=4", "pending"),
        ("forbidden", "violates PodSecurity", "held"),
    ] {
        cluster.set(file, text);
        let site = waits(("", ""), state, text);
        cluster.unset(file);
        site.expect(0, &["wait", "bench"]);
        site.audit().all(2, "ok");
    }
}

/// An API that answers nothing, or not in time, costs nothing and makes nothing twice.
#[test]
fn a_cluster_that_does_not_answer_is_asked_again() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    cluster.set("late", "");
    let site = Site::new(&cluster, 2, WAITS, "pack = 1");
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("a Job was made", |_| {
        cluster.calls("POST /apis/batch/v1/namespaces/bench/jobs?fieldManager") > 0
    });
    cluster.unset("late");
    site.until("all pods run", |site| site.begun() == 4);
    cluster.set("down", "");
    site.go();
    let records = |site: &Site<'_>| site.audit().records.len();
    site.until("records are taken meanwhile", |site| records(site) == 4);
    cluster.unset("down");
    assert_eq!(run.wait().unwrap().code(), Some(0));
    site.audit().all(4, "ok");
    let jobs = cluster.kubectl(&["get", "jobs", "-o", "name"]);
    assert_eq!(jobs.lines().count(), 1, "{jobs}");
}

/// A pod that takes longer than it may is ended, and its trial has its limit.
#[test]
fn a_pod_is_ended_at_its_time_limit() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let site = Site::new(&cluster, 1, WAITS, "pack = 1");
    let spec = site.project.read("bench.toml");
    let spec = spec.replace("image = 'bench:1'", "image = 'bench:1'\ntime = '4s'");
    site.project.write("bench.toml", &spec);
    site.expect(1, &["run", "bench.toml"]);
    site.audit().all(2, "timeout");
}

/// What a cluster lacks, or does not allow, is told before there is a run.
#[test]
fn what_a_cluster_lacks_is_told_before_there_is_a_run() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let refused = |change: (&str, &str), words: &str| {
        let site = Site::new(&cluster, 1, "true", "pack = 1");
        let spec = site.project.read("bench.toml");
        site.project
            .write("bench.toml", &spec.replace(change.0, change.1));
        let ran = site.expect(3, &["run", "bench.toml"]);
        assert!(ran.err.contains(words), "{words}\n{}", ran.err);
        assert!(!site.project.path().join("data/rollouts/bench").exists());
    };
    refused(
        ("namespace = 'bench'", "namespace = 'other'"),
        "`engine.kubernetes.namespace` is `other`",
    );
    refused(
        ("claim = 'shared'", "claim = 'none'"),
        "`engine.kubernetes.volume.claim` is `none`",
    );
    refused(
        ("image = 'bench:1'", "image = 'bench:1'\nsecrets = ['none']"),
        "`engine.kubernetes.secrets` is `none`",
    );
    let place = std::env::temp_dir();
    let path = format!("path = '{}'", place.display());
    refused((&path, "path = '/shared'"), "is not below /shared");
    cluster.set("no-create-jobs", "");
    refused(("", ""), "you may not create jobs.batch there");
    cluster.unset("no-create-jobs");
    cluster.set("minor", "28");
    refused(("", ""), "1.29 is needed");
    cluster.unset("minor");
    cluster.set("down", "");
    refused(("", ""), "no cluster is reached");
}

/// Every Job is one that Kubernetes would take, with no field that it does not know.
#[test]
fn every_job_is_valid() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR"));
    let validate = tools.join("../../target/tools/kubernetes/bin/kubernetes-validate");
    if !validate.exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI must have kubernetes-validate"
        );
        eprintln!("skipped: kubernetes-validate is not installed (`./test` installs it)");
        return;
    }
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let ways = [
        "",
        "service_account = 'runner'\nsecrets = ['wandb']\nuser = '1000:100'\ntime = '4h'\nsetup = 'echo ready'",
        "node_selector = { 'kubernetes.io/arch' = 'amd64' }\nlabels = { 'kueue.x-k8s.io/queue-name' = 'lab' }\n\
         tolerations = ['nvidia.com/gpu:NoSchedule', 'dedicated=bench', 'spot']\npriority_class = 'low'",
    ];
    for way in ways {
        let site = Site::new(&cluster, 1, "true", "pack = 1");
        let spec = site.project.read("bench.toml");
        let more = "shell = true\nparallel = 1\ntimeout = '20s'\nresources = { cpus = 2, memory = '1GiB', gpus = 1 }";
        let spec = spec.replace("shell = true", more);
        let spec = spec.replace("image = 'bench:1'", &format!("image = 'bench:1'\n{way}"));
        site.project.write("bench.toml", &spec);
        let shown = site.expect(0, &["run", "bench.toml", "--dry-run"]).out;
        let job = &shown[shown.find("\n{\n").unwrap()..shown.rfind("\n}\n").unwrap() + 3];
        let file = site.project.path().join("job.json");
        std::fs::write(&file, job.replace("STAMP", "stamp")).unwrap();
        let mut command = Command::new(&validate);
        let said = command
            .args(["--strict", "-k", "1.33"])
            .arg(&file)
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&said.stdout).into_owned()
            + &String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{way}\n{words}\n{job}");
        // It finds what is wrong.
        std::fs::write(
            &file,
            job.replace("\"backoffLimitPerIndex\"", "\"backoffLimitPerindex\""),
        )
        .unwrap();
        let mut command = Command::new(&validate);
        let said = command
            .args(["--strict", "-k", "1.33"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(!said.status.success());
    }
}
