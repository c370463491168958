//! A project whose trials are with a scheduler of this host, and what must hold on every one of them.

use crate::common::{Project, Ran};
use crate::slurm::audit::Audit;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A scheduler that runs here.
pub trait Scheduler {
    /// The engine's name.
    fn engine(&self) -> &'static str;
    /// What its commands need of the environment.
    fn environment(&self) -> Vec<(String, String)>;
    /// Its table in a spec.
    fn table(&self) -> String {
        String::new()
    }
    /// Places where a job can run.
    fn places(&self) -> usize;
    /// Whether no job waits or runs.
    fn is_idle(&self) -> bool;
}

/// A project on it.
pub struct Site<'s> {
    pub scheduler: &'s dyn Scheduler,
    pub project: Project,
}

/// Work that says that it has begun and then waits until it may go on.
pub const WAITS: &str =
    "touch $PLACE/begun-$FAIRTRIAL_TRIAL; while [ ! -e $PLACE/go ]; do sleep 0.1; done";

impl<'s> Site<'s> {
    /// Trials of `seeds` seeds in two arms that do `work` and sign the ledger.
    pub fn new(scheduler: &'s dyn Scheduler, seeds: u32, work: &str, engine: &str) -> Self {
        let project = Project::new();
        let here = project.path().display().to_string();
        // The environment of the jobs may be the scheduler's: the work says itself where it is.
        let script = format!(
            "export PLACE={here}; {work}; echo \"{{{{\\\"loss\\\": $FAIRTRIAL_SEED}}}}\" >> $FAIRTRIAL_METRICS; \
             echo $FAIRTRIAL_TRIAL >> {here}/ledger"
        );
        let (name, table) = (scheduler.engine(), scheduler.table());
        project.write(
            "bench.toml",
            &format!(
                "name = 'bench'\nseeds = {seeds}\nshell = true\ncommand = '''{script}'''\n[arms.control]\n\
                 [arms.candidate]\n[metrics.loss]\ndirection = 'down'\n[engine]\nkind = '{name}'\npoll = '1s'\n\
                 grace = '20s'\n{engine}\n{table}\n"
            ),
        );
        Self { scheduler, project }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.project.command(args);
        command
            .envs(self.scheduler.environment())
            .stdin(Stdio::null());
        command
    }

    pub fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = Ran::from(self.command(args).output().unwrap());
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    fn ledger(&self) -> PathBuf {
        self.project.path().join("ledger")
    }

    pub fn audit(&self) -> Audit {
        Audit::of(&self.project.newest_run("bench"), &self.ledger())
    }

    /// How many runs have begun.
    fn runs(&self) -> usize {
        let runs = std::fs::read_dir(self.project.path().join("data/rollouts/bench"));
        let runs = runs.into_iter().flatten().flatten();
        runs.filter(|run| run.path().join("journal.jsonl").exists())
            .count()
    }

    /// How many trials have begun, where they say so (see [`WAITS`]).
    pub fn begun(&self) -> usize {
        let entries = std::fs::read_dir(self.project.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("begun-")).count()
    }

    /// Lets trials go on that wait.
    pub fn go(&self) {
        self.project.write("go", "");
    }

    /// The handle of the run's newest jobs.
    pub fn handle(&self) -> String {
        let audit = self.audit();
        let submitted = audit.events("submitted");
        let handle = &submitted.last().unwrap()["handle"];
        handle.as_str().unwrap().to_owned()
    }

    /// Waits for something, for at most four minutes.
    pub fn until(&self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < Duration::from_mins(4), "never: {what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Trials run packed, under the name of the engine, from the command line as from the spec.
pub fn trials_run(scheduler: &dyn Scheduler) {
    let site = Site::new(scheduler, 6, "true", "pack = 3");
    let offers = site.expect(0, &["list", "engines", "--json"]).json();
    let offers = offers.as_array().unwrap();
    let own = offers
        .iter()
        .find(|offer| offer["name"] == scheduler.engine());
    assert_eq!(own.unwrap()["reachable"], true, "{offers:?}");
    let spec = site.project.read("bench.toml");
    let kind = format!("kind = '{}'\n", scheduler.engine());
    site.project.write("bench.toml", &spec.replace(&kind, ""));
    site.expect(0, &["run", "bench.toml", "--engine", scheduler.engine()]);
    let audit = site.audit();
    audit.all(12, "ok");
    assert_eq!((audit.records.len(), audit.ledger.len()), (12, 12));
    let submitting = audit.events("submitting");
    assert_eq!(submitting.len(), 1, "one submission");
    assert_eq!(submitting[0]["chunks"], 4);
    assert_eq!(submitting[0]["engine"], scheduler.engine());
}

/// A queue longer than the grace period costs no attempt, and is told; the run is left and picked up meanwhile.
pub fn jobs_wait(scheduler: &dyn Scheduler) {
    let places = scheduler.places();
    let seeds = u32::try_from(places).unwrap();
    let site = Site::new(scheduler, seeds, WAITS, "pack = 1");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("every place is taken", |site| site.begun() == places);
    let mut run = site.start(&["wait", "bench"]);
    std::thread::sleep(Duration::from_secs(25));
    let status = site.expect(0, &["status", "bench", "--json"]).json();
    assert_eq!(status["jobs"]["running"], places, "{status}");
    assert_eq!(status["jobs"]["pending"], places, "{status}");
    site.go();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let audit = site.audit();
    audit.all(places as u64 * 2, "ok");
    assert_eq!(audit.records.len(), places * 2, "one attempt each");
}

/// A controller that is killed, also around its submission, loses and repeats nothing. `FAIRTRIAL_TEST_KILLS` says how
/// often it is killed.
pub fn controllers_are_killed(scheduler: &dyn Scheduler) {
    let site = Site::new(scheduler, 12, "sleep 0.3", "pack = 3");
    for point in ["remote.before_submit", "remote.after_submit"] {
        let mut command = site.command(&["run", "bench.toml"]);
        let died = command.env("FAIRTRIAL_FAILPOINT", point).output().unwrap();
        assert!(!died.status.success(), "{point}");
        site.expect(0, &["wait", "bench"]);
        let audit = site.audit();
        audit.all(24, "ok");
        assert_eq!(audit.ledger.len(), 24, "{point}: submitted once");
        std::fs::remove_file(site.ledger()).unwrap();
    }
    let kills = std::env::var("FAIRTRIAL_TEST_KILLS").ok();
    let kills: u64 = kills.map_or(3, |kills| kills.parse().unwrap());
    let (mut killed, mut rounds) = (0, 0);
    while killed < kills {
        let before = site.runs();
        let mut run = site.start(&["run", "bench.toml"]);
        for kill in 0..5 {
            // At other moments each time, the same in every run.
            std::thread::sleep(Duration::from_millis(
                200 + (rounds * 7919 + kill * 613) % 4000,
            ));
            // One that was not there any more does not count.
            killed += u64::from(run.try_wait().unwrap().is_none());
            run.kill().unwrap();
            run.wait().unwrap();
            // One that was killed before it began cannot be resumed.
            let resume = (site.runs() > before).then_some("--resume");
            let words = ["run", "bench.toml"].into_iter().chain(resume);
            run = site.start(&words.collect::<Vec<_>>());
        }
        rounds += 1;
        assert_eq!(run.wait().unwrap().code(), Some(0));
        let audit = site.audit();
        audit.all(24, "ok");
        assert_eq!(audit.ledger.len(), 24, "every trial ran once");
        assert_eq!(audit.records.len(), 24, "none was lost");
        std::fs::remove_file(site.ledger()).unwrap();
    }
    site.until("nothing is left in the queue", |_| scheduler.is_idle());
    println!("{killed} controllers killed while they lived");
}

/// Cancelling ends what runs and what waits.
pub fn runs_are_cancelled(scheduler: &dyn Scheduler) {
    let places = scheduler.places();
    let site = Site::new(scheduler, u32::try_from(places).unwrap(), WAITS, "pack = 1");
    site.expect(0, &["run", "bench.toml", "--detach"]);
    site.until("every place is taken", |site| site.begun() == places);
    site.expect(0, &["cancel", "bench"]);
    let audit = site.audit();
    audit.all(places as u64 * 2, "cancelled");
    assert_eq!(audit.ledger.len(), 0);
    site.until("nothing is left in the queue", |_| scheduler.is_idle());
    site.go();
    site.expect(0, &["run", "bench.toml", "--resume"]);
    site.audit().all(places as u64 * 2, "ok");
}

/// Whether these programs are there; the reason to skip is printed where one is missing.
pub fn installed(what: &str, programs: &[&Path]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|path| !path.exists()).collect();
    let root = rustix::process::getuid().is_root();
    if root && missing.is_empty() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "CI must have root and {what}; missing: {missing:?}"
    );
    eprintln!("skipped: needs root and {what}; missing {missing:?} (`./test` installs them)");
    false
}

/// Waits until no other test of this machine has such a scheduler.
pub fn alone(name: &str) -> File {
    let path = std::env::temp_dir().join(format!("fairtrial-test-{name}.lock"));
    let mut options = File::options();
    let file = options.create(true).append(true).open(path).unwrap();
    file.lock().unwrap();
    file
}
