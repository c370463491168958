//! A scheduler whose nodes do not see the project, and an object store between.

use crate::common::{Project, Ran};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What trials do, in a file that travels.
const WORK: &str = "echo $FAIRTRIAL_TRIAL >>$LEDGER\necho said $FAIRTRIAL_SEED\nmkdir -p $FAIRTRIAL_DIR/deep\n\
                    echo left >$FAIRTRIAL_DIR/deep/file\n";

pub(super) struct Site {
    pub(super) project: Project,
    /// The scheduler's own disk, which nodes see.
    pub(super) spool: tempfile::TempDir,
    /// The store.
    pub(super) url: String,
    /// Variables of the controller and of nodes.
    pub(super) variables: Vec<(String, String)>,
    folder: tempfile::TempDir,
}

/// Whether jobs can be kept from seeing the project here; says why not.
pub(super) fn can_hide() -> bool {
    let map = if rustix::process::geteuid().is_root() {
        "-m"
    } else {
        "-rm"
    };
    let hidden = Command::new("unshare")
        .args([map, "mount", "-t", "tmpfs", "none", "/mnt"])
        .output();
    let can = hidden.is_ok_and(|ran| ran.status.success());
    if !can {
        eprintln!(
            "skipped: this system lets nobody hide a folder from a process (`unshare {map}`)"
        );
    }
    can
}

impl Site {
    /// With a folder as store.
    pub(super) fn new(seeds: u32, work: &str, engine: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().display());
        Self::with_store(seeds, work, engine, url, Vec::new(), folder)
    }

    pub(super) fn with_store(
        seeds: u32,
        work: &str,
        engine: &str,
        url: String,
        variables: Vec<(String, String)>,
        folder: tempfile::TempDir,
    ) -> Self {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/template_engine/scheduler.sh");
        let script = script.display();
        let project = Project::with_spec(&format!(
            "name = 'bench'\nseeds = {seeds}\nshell = true\ncommand = '. ./work.sh'\n\
             [engine]\nkind = 'template'\npoll = '300ms'\ngrace = '5s'\npack = 3\nstore = '{url}'\n\
             carry = ['work.sh']\n{engine}\n\
             [engine.template]\n\
             submit = '{script} submit {{key}} {{script}} {{count}}'\n\
             handle = 'job (\\d+)'\n\
             find = '{script} find {{key}}'\n\
             poll = '{script} poll {{handles}}'\n\
             cancel = '{script} cancel {{handle}}'\n\
             states = {{ R = 'running', D = 'done', E = 'failed' }}\n"
        ));
        project.write("work.sh", &format!("{WORK}{work}\n"));
        let spool = tempfile::tempdir().unwrap();
        std::fs::create_dir(spool.path().join("queue")).unwrap();
        Self {
            project,
            spool,
            url,
            variables,
            folder,
        }
    }

    pub(super) fn ledger(&self) -> PathBuf {
        self.spool.path().join("ledger")
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stores/node.sh");
        let names: Vec<&str> = self
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let mut command = self.project.command(args);
        command
            .env("SCHEDULER_DIR", self.spool.path().join("queue"))
            .env("SCHEDULER_NODE", node)
            .env("HIDDEN", self.project.path())
            .env("NODE_VARS", names.join(" "))
            .env("LEDGER", self.ledger())
            .envs(self.variables.clone());
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    pub(super) fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    /// The trials that ran, once for each time.
    pub(super) fn ran(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.ledger()).unwrap_or_default();
        let mut ran: Vec<String> = text.lines().map(str::to_owned).collect();
        ran.sort();
        ran
    }

    pub(super) fn records(&self, outcome: &str) -> usize {
        let journal = self.project.journal("bench");
        let of = |event: &&Value| event["event"] == "finished" && event["outcome"] == outcome;
        journal.iter().filter(of).count()
    }

    /// Every attempt has one record at most, and every trial one that counts.
    pub(super) fn is_whole(&self, trials: usize) {
        let journal = self.project.journal("bench");
        let finished = journal.iter().filter(|event| event["event"] == "finished");
        let mut seen: Vec<String> = finished
            .clone()
            .map(|event| format!("{}-{}", event["trial"]["index"], event["attempt"]))
            .collect();
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), all, "an attempt has two records");
        let ok = finished.filter(|event| event["outcome"] == "ok");
        let mut ok: Vec<u64> = ok
            .map(|event| event["trial"]["index"].as_u64().unwrap())
            .collect();
        ok.sort_unstable();
        assert_eq!(ok, (0..trials as u64).collect::<Vec<u64>>());
    }

    pub(super) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < Duration::from_mins(3), "never: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Starts a run whose controller is killed as soon as its jobs are with the scheduler.
    pub(super) fn killed_once_it_has_submitted(&self) {
        let mut controller = self.command(&["run", "bench.toml"]).spawn().unwrap();
        self.until("it has submitted", |site| {
            site.spool.path().join("queue/calls").exists()
        });
        let _ = controller.kill();
        controller.wait().unwrap();
    }

    /// Whether the last beat of a chunk's first start names a trial that runs, in a store that is a folder.
    pub(super) fn says_what_runs(&self, chunk: u64) -> bool {
        let end = format!("chunks/{chunk}/beat-1");
        let objects = self.objects();
        let beat = objects.iter().find(|name| name.ends_with(&end));
        let text =
            beat.and_then(|name| std::fs::read_to_string(self.folder.path().join(name)).ok());
        text.is_some_and(|text| text.contains("\"running\":{"))
    }

    /// The names of objects in a store that is a folder.
    pub(super) fn objects(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.folder.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if let Ok(name) = path.strip_prefix(self.folder.path()) {
                    found.push(name.display().to_string());
                }
            }
        }
        found.sort();
        found
    }

    /// Nothing is left but the inputs, which the next run shares.
    pub(super) fn is_swept(&self) {
        let objects = self.objects();
        assert_eq!(objects.len(), 1, "{objects:?}");
        assert!(objects[0].starts_with("inputs/"), "{objects:?}");
    }

    /// Kills an element of the first submission, with all that it started.
    pub(super) fn kill_element(&self, element: u64) {
        let file = self.spool.path().join(format!("queue/1/{element}.pid"));
        let pid: i32 = std::fs::read_to_string(file)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap();
    }

    /// Starts an element of the first submission again, as a scheduler does after a preemption.
    pub(super) fn start_again(&self, element: u64) -> std::process::Child {
        let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stores/node.sh");
        let mut command = Command::new(node);
        command
            .arg(self.spool.path().join("queue/1/script"))
            .arg(element.to_string())
            .env("HIDDEN", self.project.path())
            .env("LEDGER", self.ledger())
            .envs(self.variables.clone());
        command.spawn().unwrap()
    }
}
