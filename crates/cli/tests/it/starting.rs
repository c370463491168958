//! How trials are started: threads by their share of the machine, a script that repeats a trial by hand, and what would run.

use crate::curves::lab::words;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const THREADS: [&str; 3] = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"];
const SECRET: &str = "s3cr3t-of-the-caller";

struct Bench(tempfile::TempDir);

impl Bench {
    fn new(spec: &str) -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        bench.declare(spec);
        bench
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn declare(&self, spec: &str) {
        let text = format!("name = \"t\"\nparallel = 1\norder = \"spec\"\n{spec}");
        fs::write(self.path().join("t.toml"), text).unwrap();
    }

    fn call(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairtrial"));
        for name in THREADS {
            command.env_remove(name);
        }
        command
            .args(arguments)
            .args(["--data-dir", "data"])
            .current_dir(self.path())
            .env_remove("FAIRTRIAL_DATA")
            .env("NO_COLOR", "1")
            .env("API_KEY", SECRET)
            .output()
            .unwrap()
    }

    fn run(&self, more: &[&str]) -> Vec<PathBuf> {
        let ran = self.call(&[&["run", "t.toml"], more].concat());
        assert!(ran.status.success(), "{}", words(&ran));
        self.trials()
    }

    /// The folders of all trials, the newest last.
    fn trials(&self) -> Vec<PathBuf> {
        let found = fs::read_dir(self.path().join("data/runs")).unwrap();
        let mut found: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
        found.retain(|path| path.is_dir());
        found.sort();
        found
    }
}

/// What the newest trial saw of the variables about threads.
fn threads(trials: &[PathBuf]) -> Vec<Option<String>> {
    let log = trials.last().unwrap().join("logs/stdout.log");
    let text = fs::read_to_string(log).unwrap();
    let value = |name: &str| {
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.map(str::to_owned)
    };
    THREADS.map(value).to_vec()
}

#[test]
fn libraries_are_told_how_many_threads_they_may_start() {
    let bench = Bench::new("command = \"env\"\nresources.cpus = 1\n");
    let one = Some("1".to_owned());
    assert_eq!(threads(&bench.run(&[])), [one.clone(), one.clone(), one]);
    bench.declare("command = \"env\"\nthreads = 7\nenv.OMP_NUM_THREADS = 5\n");
    let seven = Some("7".to_owned());
    let mine = Some("5".to_owned());
    assert_eq!(threads(&bench.run(&[])), [mine, seven.clone(), seven]);
    let inherited = bench.run(&["--set", "threads=inherit"]);
    assert_eq!(threads(&inherited), [Some("5".to_owned()), None, None]);
    // Where nothing is said, it is the trial's share of the machine.
    bench.declare("command = \"env\"\n");
    let share = threads(&bench.run(&[]));
    let count: usize = share[0].as_ref().unwrap().parse().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    assert!((1..=cores).contains(&count), "{count} of {cores}");
}

#[test]
fn a_script_repeats_a_trial_elsewhere_and_holds_no_secret() {
    let bench = Bench::new(
        "seeds = [41]\nenv.KEY = \"${API_KEY}\"\nenv.TWO = \"a b\"\n\
         command = '''sh -c 'echo \"$FAIRTRIAL_SEED $KEY $TWO\" > {dir}/out' '''\n",
    );
    let trial = bench.run(&[]).pop().unwrap();
    let said = format!("41 {SECRET} a b\n");
    assert_eq!(fs::read_to_string(trial.join("out")).unwrap(), said);
    let script = fs::read_to_string(trial.join("command.sh")).unwrap();
    assert!(!script.contains(SECRET), "{script}");
    fs::remove_file(trial.join("out")).unwrap();
    let again = bench.path().join("again");
    fs::create_dir(&again).unwrap();
    let repeated = Command::new("sh")
        .arg(trial.join("command.sh"))
        .arg(&again)
        .env("API_KEY", SECRET)
        .current_dir("/")
        .output()
        .unwrap();
    assert!(repeated.status.success(), "{}", words(&repeated));
    assert_eq!(fs::read_to_string(again.join("out")).unwrap(), said);
    assert!(
        !trial.join("out").exists(),
        "what the trial left stays as it is"
    );
}

#[test]
fn a_dry_run_shows_what_would_run_with_whole_commands() {
    let bench = Bench::new("seeds = [1, 2]\ncommand = \"echo {seed} {dir}\"\n");
    assert_eq!(bench.run(&[]).len(), 2);
    bench.declare("seeds = [1, 2, 3]\ncommand = \"echo {seed} {dir}\"\n");
    let reused = words(&bench.call(&["run", "t.toml", "--reuse", "--dry-run"]));
    assert!(reused.contains("1 trial would run; run "), "{reused}");
    assert!(reused.contains("answers 2 others"), "{reused}");
    assert!(reused.contains("echo 3 "), "{reused}");
    assert!(reused.contains("/data/runs/{run}-2"), "{reused}");
    assert!(!reused.contains("echo 1 "), "{reused}");
    bench.declare("seeds = [1, 2]\ncommand = \"echo {seed} {dir}\"\n");
    let resumed = words(&bench.call(&["run", "t.toml", "--resume", "--dry-run"]));
    assert!(resumed.contains("0 trials would run"), "{resumed}");
    bench.declare("seeds = [1, 2]\ncommand = \"echo {seed} more {dir}\"\n");
    let refused = bench.call(&["run", "t.toml", "--resume", "--dry-run"]);
    assert_eq!(refused.status.code(), Some(2), "{}", words(&refused));
    assert_eq!(bench.trials().len(), 2, "nothing ran");
}
