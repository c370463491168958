//! The SkyPilot engine: with a stand-in for `sky` that runs jobs as processes here, and with SkyPilot's own parser over
//! every task file.

mod faults;

use crate::common::{Project, Ran};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Site {
    project: Project,
}

fn spec(seeds: u32, work: &str, more: &str) -> String {
    format!(
        "name = 'bench'\nseeds = {seeds}\nshell = true\ncommand = '{work}'\n\
         [metrics.seed]\nfrom = 'stdout:seed (\\d+)'\n\
         [engine]\nkind = 'skypilot'\npoll = '500ms'\npack = 3\n[engine.skypilot]\n{more}\n"
    )
}

impl Site {
    fn new(spec: &str) -> Self {
        let project = Project::with_spec(spec);
        let bin = project.path().join("sky");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir(project.path().join("jobs")).unwrap();
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/skypilot/sky.py");
        std::os::unix::fs::symlink(fake, bin.join("sky")).unwrap();
        Self { project }
    }

    fn command(&self, args: &[&str]) -> Command {
        let path = std::env::var("PATH").unwrap();
        let mut command = self.project.command(args);
        command
            .env(
                "PATH",
                format!("{}:{path}", self.project.path().join("sky").display()),
            )
            .env("FAKE_SKY_DIR", self.project.path().join("jobs"))
            .env("WANDB_API_KEY", "a-secret-of-mine")
            .env("PLACE", self.project.path());
        command
    }

    fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = Ran::from(self.command(args).output().unwrap());
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    fn task_file(&self) -> PathBuf {
        let folder = self.project.newest_run("bench").join("chunks");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut files = entries.map(|entry| entry.unwrap().path());
        files
            .find(|path| path.extension().is_some_and(|end| end == "yaml"))
            .unwrap()
    }
}

/// SkyPilot's Python, where `./test` has put it.
fn skypilot() -> Option<PathBuf> {
    let named = std::env::var_os("FAIRTRIAL_SKY_PYTHON").map(PathBuf::from);
    let tools =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/skypilot/bin/python");
    let found = named.unwrap_or(tools);
    if found.exists() {
        return Some(found);
    }
    assert!(std::env::var_os("CI").is_none(), "CI must have SkyPilot");
    eprintln!("skipped: SkyPilot is not installed (`./test` installs it)");
    None
}

#[test]
fn records_come_back_in_the_logs() {
    let site = Site::new(&spec(
        7,
        "echo seed $FAIRTRIAL_SEED",
        "secrets = [\"WANDB_API_KEY\"]",
    ));
    let ran = site.expect(0, &["run", "bench.toml", "--json"]);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["counts"]["ok"], 7);
    let journal = site.project.journal("bench");
    for record in journal.iter().filter(|event| event["event"] == "finished") {
        assert_eq!(
            record["metrics"]["seed"].as_f64(),
            record["trial"]["seed"].as_f64()
        );
    }
    let calls = site.project.read("jobs/calls");
    let launch = calls.lines().find(|line| line.contains("launch")).unwrap();
    assert!(launch.contains(r#""--num-jobs", "3""#), "{launch}");
    assert!(
        launch.contains(r#""--secret", "WANDB_API_KEY""#),
        "{launch}"
    );
    // Secrets are named, never written.
    let file = std::fs::read_to_string(site.task_file()).unwrap();
    assert!(!calls.contains("a-secret-of-mine") && !file.contains("a-secret-of-mine"));
}

#[test]
fn a_cancelled_run_ends_its_jobs() {
    let site = Site::new(&spec(3, "sleep 600", ""));
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.expect(0, &["cancel", "bench"]);
    let journal = site.project.journal("bench");
    let cancelled = journal
        .iter()
        .filter(|event| event["outcome"] == "cancelled")
        .count();
    assert_eq!(cancelled, 3);
    assert!(
        site.project
            .read("jobs/calls")
            .contains(r#"["jobs", "cancel", "--yes", "1"]"#)
    );
}

#[test]
fn a_dry_run_needs_no_cloud_and_shows_file_and_command() {
    let project = Project::with_spec(&spec(
        4,
        "true",
        "infra = 'aws/us-east-1'\naccelerators = 'H100:1'\nspot = true",
    ));
    let ran = project.expect(0, &["run", "bench.toml", "--dry-run"]);
    for wanted in [
        "accelerators: \"H100:1\"",
        "use_spot: true",
        "sky jobs launch",
        "--num-jobs 2",
    ] {
        assert!(ran.out.contains(wanted), "{wanted}\n{}", ran.out);
    }
    assert!(!project.path().join("data").exists());
}

#[test]
fn skypilots_own_parser_takes_every_task_file() {
    let Some(python) = skypilot() else {
        return;
    };
    let ways = [
        "",
        "infra = 'aws/us-east-1'\naccelerators = 'H100:1'\nspot = true\ndisk_size = 300",
        "cpus = 8\nmemory = '32+'\nimage = 'docker:python:3.12'\nsetup = '''\npip install numpy\necho \"it's ready: {x}\"\n'''",
    ];
    for way in ways {
        let site = Site::new(&spec(2, "echo seed 1", way));
        site.expect(0, &["run", "bench.toml"]);
        let check = "import sky, sys; task = sky.Task.from_yaml(sys.argv[1]); print(task.name)";
        let mut command = Command::new(&python);
        let parsed = command
            .args(["-c", check])
            .arg(site.task_file())
            .output()
            .unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&parsed.stdout),
            String::from_utf8_lossy(&parsed.stderr),
        );
        assert!(
            parsed.status.success() && out.trim().ends_with("-0"),
            "{way}\n{out}\n{err}"
        );
    }
}
