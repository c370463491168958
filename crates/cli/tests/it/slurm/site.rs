//! A project whose trials run on a cluster, and specs for it.

use super::audit::Audit;
use super::cluster::{Cluster, Ways};
use crate::common::{Project, Ran};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A project whose trials run on a cluster.
pub struct Site {
    pub cluster: Rc<Cluster>,
    pub project: Project,
}

impl Site {
    pub fn new(ways: &Ways, spec: &str) -> Option<Self> {
        let cluster = Rc::new(Cluster::start(ways)?);
        let project = Project::with_spec(spec);
        Some(Self { cluster, project })
    }

    /// Another project on the same cluster.
    pub fn beside(&self, spec: &str) -> Self {
        Self {
            cluster: Rc::clone(&self.cluster),
            project: Project::with_spec(spec),
        }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let (bin, path) = (
            self.project.path().join("bin"),
            std::env::var("PATH").unwrap(),
        );
        let mut command = self.project.command(args);
        command
            .env("SLURM_CONF", self.cluster.conf())
            .env("LEDGER", self.ledger())
            .env("PLACE", self.project.path())
            .env("PATH", format!("{}:{path}", bin.display()))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    pub fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    /// Puts a script before the program of this name for this project's commands; `REAL` in it is that program.
    pub fn wrap(&self, name: &str, script: &str) {
        let script = script.replace("REAL", &format!("/usr/bin/{name}"));
        let file = format!("bin/{name}");
        self.project.write(&file, &format!("#!/bin/sh\n{script}\n"));
        self.project.shell(&format!("chmod +x {file}"));
    }

    /// A command in the background, its talk left alone.
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub fn ledger(&self) -> PathBuf {
        self.project.path().join("ledger")
    }

    pub fn audit(&self) -> Audit {
        Audit::of(&self.project.newest_run("bench"), &self.ledger())
    }

    pub fn ledger_len(&self) -> usize {
        std::fs::read_to_string(self.ledger())
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// How many trials have begun, where they say so (see [`WAITS`]).
    pub fn begun(&self) -> usize {
        self.files("begun-").len()
    }

    /// Files in the project whose names begin so, in order.
    pub fn files(&self, start: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.project.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut found: Vec<String> = names.filter(|name| name.starts_with(start)).collect();
        found.sort();
        found
    }

    /// Lets trials that wait (see [`WAITS`]) go on, now and later.
    pub fn go(&self) {
        self.project.write("go", "");
    }

    /// What Slurm calls the run's newest jobs.
    pub fn handle(&self) -> String {
        let audit = self.audit();
        let events = audit.events("submitted");
        events.last().unwrap()["handle"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Waits for something, for at most two minutes.
    pub fn until(&self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < Duration::from_mins(2), "never: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Work that says that it has begun and then waits until it may go on: no clock decides what comes first.
pub const WAITS: &str =
    "touch $PLACE/begun-$FAIRTRIAL_TRIAL; while [ ! -e $PLACE/go ]; do sleep 0.1; done";

/// A spec of `seeds` trials in each of two arms whose program does `work` and then signs the ledger.
pub fn spec(seeds: u32, work: &str, engine: &str) -> String {
    let script = format!(
        "{work}; echo \"{{\\\"loss\\\": $FAIRTRIAL_SEED}}\" >> $FAIRTRIAL_METRICS; echo $FAIRTRIAL_TRIAL >> $LEDGER"
    );
    format!(
        "name = 'bench'\nseeds = {seeds}\nshell = true\ncommand = '''{script}'''\n\
         [arms.control]\n[arms.candidate]\n[metrics.loss]\ndirection = 'down'\n\
         [engine]\nkind = 'slurm'\npoll = '1s'\ngrace = '5s'\n{engine}\n"
    )
}
