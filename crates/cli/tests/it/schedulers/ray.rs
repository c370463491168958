//! A real Ray on this host, from `target/tools/ray`, where `./test` puts it.

use super::site::{
    Scheduler, Site, WAITS, alone, controllers_are_killed, installed, jobs_wait,
    runs_are_cancelled, trials_run,
};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PLACES: usize = 4;
const PORT: u16 = 20_900;

struct Ray {
    dir: tempfile::TempDir,
    _lock: File,
}

impl Ray {
    fn start() -> Option<Self> {
        if !installed("Ray", &[&bin().join("ray")]) {
            return None;
        }
        let ray = Self {
            _lock: alone("ray"),
            // Sockets lie in it, whose names may not be long.
            dir: tempfile::tempdir_in("/tmp").unwrap(),
        };
        // It gives up where its parts take longer than half a minute, as they may on a busy machine.
        let started = (0..3).any(|_| {
            let output = ray.head().output().unwrap();
            if !output.status.success() {
                eprintln!("{}", String::from_utf8_lossy(&output.stderr));
                ray.end();
            }
            output.status.success()
        });
        assert!(started, "Ray did not start");
        Some(ray)
    }

    fn head(&self) -> Command {
        let mut command = self.command(&["ray", "start", "--head"]);
        command
            .arg(format!("--port={PORT}"))
            .arg(format!("--dashboard-port={}", PORT + 1))
            .arg(format!("--num-cpus={PLACES}"))
            .arg(format!("--temp-dir={}", self.dir.path().display()))
            .args(["--dashboard-host=127.0.0.1", "--node-ip-address=127.0.0.1"])
            .args(["--disable-usage-stats", "--object-store-memory=100000000"])
            .stdin(Stdio::null())
            .env_remove("RAY_ADDRESS");
        command
    }

    /// Ends its processes; `ray stop` would end those of every Ray of this machine.
    fn end(&self) {
        for _ in 0..3 {
            for pid in self.processes() {
                crate::slurm::kill(pid);
            }
        }
    }

    fn command(&self, argv: &[&str]) -> Command {
        let mut command = Command::new(bin().join(argv[0]));
        command.args(&argv[1..]).envs(self.environment());
        command
    }

    fn run(&self, argv: &[&str]) -> String {
        let output = self.command(argv).output().unwrap();
        let (out, err) = (output.stdout, output.stderr);
        String::from_utf8_lossy(&[out, err].concat()).into_owned()
    }

    /// Processes of this Ray.
    fn processes(&self) -> Vec<i32> {
        let mark = self.dir.path().display().to_string();
        let entries = std::fs::read_dir("/proc").unwrap();
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let own = |pid: &i32| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            [words, environment]
                .iter()
                .any(|text| String::from_utf8_lossy(text).contains(&mark))
        };
        pids.filter(own)
            .filter(|pid| *pid != std::process::id().cast_signed())
            .collect()
    }
}

impl Drop for Ray {
    fn drop(&mut self) {
        self.end();
    }
}

fn bin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/ray/bin")
}

impl Scheduler for Ray {
    fn engine(&self) -> &'static str {
        "ray"
    }

    fn environment(&self) -> Vec<(String, String)> {
        let path = std::env::var("PATH").unwrap();
        vec![
            ("PATH".to_owned(), format!("{}:{path}", bin().display())),
            (
                "RAY_ADDRESS".to_owned(),
                format!("http://127.0.0.1:{}", PORT + 1),
            ),
            // By which its processes are known, whatever they are.
            (
                "FAIRTRIAL_TEST_RAY".to_owned(),
                self.dir.path().display().to_string(),
            ),
        ]
    }

    fn places(&self) -> usize {
        PLACES
    }

    fn is_idle(&self) -> bool {
        let jobs = self.run(&["ray", "job", "list"]);
        assert!(jobs.contains("Job submission server"), "{jobs}");
        !jobs.contains("RUNNING") && !jobs.contains("PENDING")
    }
}

#[test]
fn trials_run_on_ray() {
    let Some(ray) = Ray::start() else { return };
    trials_run(&ray);
    jobs_wait(&ray);
    runs_are_cancelled(&ray);
    what_jobs_take(&ray);
    a_lost_runner_costs_its_trials_one_attempt(&ray);
}

#[test]
fn controllers_of_ray_are_killed() {
    let Some(ray) = Ray::start() else { return };
    controllers_are_killed(&ray);
}

/// Jobs of two CPUs run two at a time, and a cluster that is not reached is told before there is a run.
fn what_jobs_take(ray: &Ray) {
    let site = Site::new(ray, 2, WAITS, "pack = 1");
    let spec = site.project.read("bench.toml");
    let text = spec.replace("shell = true", "shell = true\nresources = { cpus = 2 }");
    site.project.write("bench.toml", &text);
    let mut nowhere = site.command(&["run", "bench.toml"]);
    let nowhere = nowhere
        .env("RAY_ADDRESS", "http://127.0.0.1:1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&nowhere.stderr);
    assert!(
        !nowhere.status.success() && told.contains("ray: "),
        "{told}"
    );
    assert!(!site.project.path().join("data/rollouts/bench").exists());
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("two run", |site| site.begun() == 2);
    let status = site.expect(0, &["status", "bench", "--json"]).json();
    assert_eq!(status["jobs"]["running"], 2, "{status}");
    assert_eq!(status["jobs"]["pending"], 2, "{status}");
    site.go();
    site.expect(0, &["wait", "bench"]);
    site.audit().all(4, "ok");
}

/// A worker of Ray that is killed takes its runner with it; its trials run again, the others do not.
fn a_lost_runner_costs_its_trials_one_attempt(ray: &Ray) {
    let site = Site::new(ray, 2, WAITS, "pack = 2");
    let mut run = site.start(&["run", "bench.toml"]);
    site.until("both jobs run", |site| site.begun() == 2);
    let plan = site.project.newest_run("bench").join("plan.json");
    let plan = plan.display().to_string();
    let runs_chunk = |pid: &i32| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        words.contains(&plan) && words.ends_with("--chunk 0 ")
    };
    let runner = ray.processes().into_iter().find(runs_chunk).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{runner}/stat")).unwrap();
    let parent = stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap();
    crate::slurm::kill(parent.parse().unwrap());
    crate::slurm::kill(runner);
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(4, "ok");
    assert_eq!(audit.records.len(), 5, "one attempt was lost");
}
