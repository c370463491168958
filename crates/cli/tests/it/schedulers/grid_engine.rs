//! A real Grid Engine of one host, started by `cell.sh` and ended with the test.

use super::site::{
    Scheduler, Site, WAITS, alone, controllers_are_killed, installed, jobs_wait,
    runs_are_cancelled, trials_run,
};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

const PLACES: usize = 4;
const PORT: u16 = 20_800;

struct Cell {
    dir: tempfile::TempDir,
    _lock: File,
}

impl Cell {
    fn start() -> Option<Self> {
        let programs = [
            "/usr/sbin/sge_qmaster",
            "/usr/sbin/sge_execd",
            "/usr/bin/qsub",
        ];
        if !installed("Grid Engine", &programs.map(Path::new)) {
            return None;
        }
        let cell = Self {
            _lock: alone("grid-engine"),
            dir: tempfile::tempdir().unwrap(),
        };
        assert!(cell.script("up"), "Grid Engine did not start");
        Some(cell)
    }

    fn script(&self, verb: &str) -> bool {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/schedulers/cell.sh");
        let mut command = Command::new(script);
        command
            .arg(verb)
            .arg(self.dir.path())
            .arg(PLACES.to_string())
            .env("BASE_PORT", PORT.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command.status().unwrap().success()
    }

    fn run(&self, argv: &[&str]) -> String {
        let mut command = Command::new(argv[0]);
        let output = command.args(&argv[1..]).envs(self.environment()).output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.script("down");
    }
}

impl Scheduler for Cell {
    fn engine(&self) -> &'static str {
        "sge"
    }

    fn environment(&self) -> Vec<(String, String)> {
        let root = self.dir.path().display().to_string();
        vec![
            ("SGE_ROOT".to_owned(), root),
            ("SGE_CELL".to_owned(), "default".to_owned()),
            ("SGE_QMASTER_PORT".to_owned(), PORT.to_string()),
            ("SGE_EXECD_PORT".to_owned(), (PORT + 1).to_string()),
        ]
    }

    fn places(&self) -> usize {
        PLACES
    }

    fn is_idle(&self) -> bool {
        self.run(&["qstat", "-u", "*"]).trim().is_empty()
    }
}

#[test]
fn trials_run_on_grid_engine() {
    let Some(cell) = Cell::start() else { return };
    trials_run(&cell);
    // Its `qsub` is not taken for that of PBS.
    let site = Site::new(&cell, 1, "true", "");
    let offers = site.expect(0, &["list", "engines"]).out;
    let pbs = offers.lines().find(|line| line.contains("pbs")).unwrap();
    assert!(pbs.contains("not that of PBS"), "{offers}");
    jobs_wait(&cell);
    runs_are_cancelled(&cell);
    what_jobs_ask_for(&cell);
    others_delete_and_hold(&cell);
}

#[test]
fn controllers_of_grid_engine_are_killed() {
    let Some(cell) = Cell::start() else { return };
    controllers_are_killed(&cell);
}

/// CPUs, memory and time reach Grid Engine; what it cannot give is told in its words.
fn what_jobs_ask_for(cell: &Cell) {
    let asked = "shell = true\ntimeout = '90s'\nkill_grace = '5s'\nresources = { cpus = 2, memory = '900MiB' }";
    let site = Site::new(cell, 1, WAITS, "pack = 1");
    let spec = site.project.read("bench.toml");
    let write = |asked: &str| {
        let text = spec.replace("shell = true", asked);
        site.project.write("bench.toml", &text);
    };
    write(asked);
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("both run", |site| site.begun() == 2);
    let job = cell.run(&["qstat", "-j", &site.handle()]);
    for words in [
        "h_vmem=450M",
        "h_rt=240",
        "smp range: 2",
        "job-array tasks: 1-2:1",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&job).contains(&squeezed(words)), "{words}\n{job}");
    }
    site.go();
    site.expect(0, &["wait", "bench"]);
    site.audit().all(2, "ok");
    write("shell = true\nresources = { gpus = 1 }");
    let refused = site.expect(3, &["run", "bench.toml"]);
    assert!(
        refused.err.contains("unknown resource \"gpu\""),
        "{}",
        refused.err
    );
}

/// A job that somebody deletes hears of it and leaves; its trials run again. One that is held is told.
fn others_delete_and_hold(cell: &Cell) {
    let site = Site::new(cell, 2, WAITS, "pack = 2");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("both jobs run", |site| site.begun() == 2);
    cell.run(&["qdel", &site.handle(), "-t", "1"]);
    site.until("its trial is cut off", |site| {
        site.expect(0, &["status", "bench"]);
        site.audit().records.len() == 1
    });
    assert_eq!(site.audit().records[0]["cause"]["kind"], "job_ended");
    site.go();
    site.expect(0, &["wait", "bench"]);
    site.audit().all(4, "ok");
    let full = Site::new(cell, 4, WAITS, "pack = 1");
    full.expect(0, &["run", "bench.toml", "--detach"]);
    full.until("every place is taken", |site| site.begun() == PLACES);
    cell.run(&["qhold", &full.handle()]);
    let status = full.expect(0, &["status", "bench", "--json"]).json();
    assert_eq!(status["jobs"]["held"], 4, "{status}");
    cell.run(&["qrls", &full.handle()]);
    full.go();
    full.expect(0, &["wait", "bench"]);
    full.audit().all(8, "ok");
}
