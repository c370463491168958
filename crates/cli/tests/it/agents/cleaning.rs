//! What is left when everything of a run is killed at once, and that `gc` takes it away; and runs that are killed at
//! random instants until they are done.

use super::lab::{Lab, has_bubblewrap, meta};
use super::pod::{BASE, Containers, Pod, STORE_MOUNTS, wait_for, with_each};
use crate::common::{Project, Ran};
use crate::dice::{Dice, rounds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;

with_each!(
    gc_removes_the_container_the_workspace_and_the_unfinished_baseline_of_the_dead,
    killed_at_random_a_run_in_containers_ends_whole_and_clean,
);

/// The variable by which every process of a test is known; one that begins like our own would not reach an agent.
const MARK: &str = "MARK_OF_A_FAIRTRIAL_TEST";

/// Living processes that carry a mark, the programs inside of sandboxes among them.
fn marked(mark: &str) -> Vec<i32> {
    let entry = format!("{MARK}={mark}");
    let carries = |pid: &i32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ
            .split(|byte| *byte == 0)
            .any(|held| held == entry.as_bytes())
    };
    let all = std::fs::read_dir("/proc").unwrap();
    let pids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(carries).collect()
}

/// Sends a signal; a process that is gone already is no error.
fn signal(pid: i32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

/// Workspaces of rollouts that are there.
fn workspaces(project: &Project) -> Vec<PathBuf> {
    let runs = std::fs::read_dir(project.path().join("data/runs"));
    let runs = runs.into_iter().flatten().flatten();
    let all = runs.map(|entry| entry.path().join("work"));
    all.filter(|path| path.exists()).collect()
}

/// Mounts below a folder, but for the one that podman or docker makes of its store and keeps.
fn mounts(folder: &Path) -> Vec<String> {
    let all = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let below = folder.display().to_string();
    all.lines()
        .filter(|line| line.contains(&below))
        .filter(|line| !STORE_MOUNTS.iter().any(|store| line.contains(store)))
        .map(str::to_owned)
        .collect()
}

fn gc_removes_the_container_the_workspace_and_the_unfinished_baseline_of_the_dead(pod: &Pod) {
    pod.lab.task("t", &meta("t"));
    pod.lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsandbox = {{ kind = \"{}\", image = \"{BASE}\", network = false }}\nagent = {{ command = \"sleep 1000\" }}\n", pod.word()
    ));
    let project = &pod.lab.project;
    let mark = project.path().display().to_string();
    let mut command = pod.command(&["run", "configs/bench.toml"]);
    command
        .env(MARK, &mark)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut controller = command.spawn().unwrap();
    let name = pod.wait_for_container();
    let kept = pod.expect(0, &["gc", "--json"]).json();
    assert_eq!(
        kept["containers"],
        Value::Array(Vec::new()),
        "its owner lives"
    );
    assert_eq!(workspaces(project).len(), 1);
    // All of ours at once, so that none can clean up after another; what is inside of the container goes on.
    let is_ours = |pid: &i32| {
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.contains("fairtrial\0")
    };
    let ours: Vec<i32> = marked(&mark).into_iter().filter(is_ours).collect();
    // One that is ending has no command line any more and still counts as alive.
    let has_ended = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest.as_bytes()[0]);
        matches!(state, None | Some(b'Z' | b'X'))
    };
    for pid in &ours {
        signal(*pid, Signal::STOP);
    }
    // Children first, each to its end: a process group that loses its last parent while a member is stopped gets a
    // hang-up, which the container's program would pass on into the container.
    for pid in ours.iter().rev() {
        signal(*pid, Signal::KILL);
        wait_for("the end of one of ours", || has_ended(pid).then_some(()));
    }
    controller.wait().unwrap();
    wait_for("the end of ours", || {
        marked(&mark)
            .into_iter()
            .all(|pid| !is_ours(&pid))
            .then_some(())
    });
    project.write("data/cache/tasks/.abc.999999999.tmp/tree/x", "half");
    assert_eq!(pod.containers(), [name.as_str()]);

    let shown = pod.expect(0, &["gc", "--dry-run"]);
    for part in [
        "container fairtrial-",
        "/work\n",
        ".abc.999999999.tmp",
        "would go",
    ] {
        assert!(
            (shown.out.clone() + &shown.err).contains(part),
            "{part}: {}{}",
            shown.out,
            shown.err
        );
    }
    assert_eq!(pod.containers(), [name.as_str()]);
    let gone = pod.expect(0, &["gc", "--json"]).json();
    assert_eq!(gone["containers"][0]["name"], name.as_str());
    assert_eq!(gone["workspaces"].as_array().unwrap().len(), 2);
    assert_eq!(pod.containers(), Vec::<String>::new());
    wait_for("the end of every process", || {
        marked(&mark).is_empty().then_some(())
    });
    assert_eq!(workspaces(project), Vec::<PathBuf>::new());
    assert!(
        project
            .path()
            .join("data/cache/tasks")
            .read_dir()
            .unwrap()
            .count()
            == 1
    );
    assert_eq!(mounts(project.path()), Vec::<String>::new());
}

/// Monitors of podman's containers that have something to do with a folder.
fn monitors(folder: &Path) -> Vec<String> {
    let below = folder.display().to_string();
    let all = std::fs::read_dir("/proc").unwrap();
    let commands = all.filter_map(|entry| {
        let command = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&command).into_owned())
    });
    commands
        .filter(|command| command.contains("conmon") && command.contains(&below))
        .collect()
}

/// Whether a `gc` of another test, which sees all processes of the machine, was quicker.
#[derive(Debug, PartialEq, Eq)]
enum Quicker {
    We,
    Others,
}

#[test]
fn gc_ends_the_monitor_of_a_container_that_was_never_started() {
    Pod::with(Containers::Podman, |pod| {
        let mut tries = (0..20).map(|number| end_a_monitor(pod, number));
        assert!(tries.any(|quicker| quicker == Quicker::We));
    });
}

fn end_a_monitor(pod: &Pod, number: u32) -> Quicker {
    let name = format!("fairtrial-20250824__12-34-56-{number}-999999999-agent");
    let made = pod.ask(&[
        "create",
        "--network=none",
        "--ulimit=nofile=64:64",
        "--ulimit=nproc=64:64",
        "--name",
        &name,
        BASE,
        "true",
    ]);
    assert!(made.status.success(), "{made:?}");
    let id = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    // Made and not started: where podman is killed here, it forgets that.
    let made = pod.ask(&["init", &name]);
    assert!(made.status.success(), "{made:?}");
    let folder = pod.lab.project.path();
    assert_eq!(monitors(folder).len(), 1);
    let shown = pod.expect(0, &["gc", "--dry-run"]);
    assert!(
        !shown.out.contains("monitor "),
        "it is there: {}",
        shown.out
    );
    let known = folder.join("podman/graph/overlay-containers").join(id);
    let away = folder.join("podman/away");
    std::fs::rename(&known, &away).unwrap();
    let shown = pod.expect(0, &["gc", "--dry-run"]);
    let said = shown.out.contains(&format!("monitor {name}"));
    let there = monitors(folder).len();
    let gone = pod.expect(0, &["gc", "--json"]).json();
    assert_eq!(monitors(folder), Vec::<String>::new());
    // What it mounted can go with the test.
    std::fs::rename(&away, &known).unwrap();
    pod.ask(&["rm", "-f", "-t", "0", &name]);
    if there == 0 || gone["monitors"][0]["name"] != name.as_str() {
        return Quicker::Others;
    }
    assert!(said, "{}", shown.out);
    Quicker::We
}

#[test]
fn interrupted_twice_a_run_leaves_no_process_and_no_workspace_and_goes_on() {
    let sandboxes = ["process", "bubblewrap"];
    for sandbox in sandboxes.iter().take(1 + usize::from(has_bubblewrap())) {
        let lab = Lab::new();
        lab.task("t", &meta("t"));
        // What it starts heeds no polite end, and would outlive it.
        let script = "echo 42 > answer.txt; test -n \"$GO\" && exit 0; trap : TERM; (trap : TERM; sleep 1000; sleep 1000) & wait; sleep 1000";
        lab.spec(&format!(
            "name = \"b\"\nparallel = 2\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 3\nkill_grace = \"300ms\"\nsandbox = \"{sandbox}\"\npass_env = [\"{MARK}\", \"GO\"]\nagent = {{ command = [\"sh\", \"-c\", '{script}'] }}\n"
        ));
        let mark = lab.project.path().display().to_string();
        let run = |args: &[&str]| {
            let mut command = lab.project.command(args);
            command.env(MARK, &mark);
            command
        };
        let mut command = run(&["run", "configs/bench.toml"]);
        let said = lab.project.path().join("said.txt");
        let words = || std::fs::read_to_string(&said).unwrap();
        let running = command.stderr(std::fs::File::create(&said).unwrap());
        let mut running = running.stdout(Stdio::null()).spawn().unwrap();
        let sleeps = || {
            marked(&mark)
                .into_iter()
                .filter(|pid| is_called(*pid, "sleep"))
                .count()
        };
        wait_for("two agents", || (sleeps() >= 2).then_some(()));
        let pid = running.id().cast_signed();
        signal(pid, Signal::INT);
        wait_for("word that the run stops", || {
            words().contains("stopping").then_some(())
        });
        signal(pid, Signal::INT);
        assert_eq!(running.wait().unwrap().code(), Some(130), "{}", words());
        assert!(words().contains("0 of 3 trials are done"), "{}", words());
        wait_for("the end of every process", || {
            marked(&mark).is_empty().then_some(())
        });
        assert_eq!(workspaces(&lab.project), Vec::<PathBuf>::new());
        let mut command = run(&["run", "configs/bench.toml", "--resume"]);
        let ended = Ran::from(command.env("GO", "1").output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(lab.rollouts("b").len(), 3);
    }
}

/// Whether a process runs this program.
fn is_called(pid: i32, name: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name)
}

/// Rollouts of a killed run.
const ROLLOUTS: usize = 12;
/// Sessions that are killed before a run is left to finish.
const KILLS: u64 = 6;

fn torture_spec(lab: &Lab, sandbox: &str) {
    lab.task("t", &meta("t"));
    lab.spec(&format!(
        "name = \"b\"\nparallel = 3\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = {ROLLOUTS}\nkill_grace = \"200ms\"\nsandbox = {sandbox}\nagent = {{ command = [\"sh\", \"-c\", \"sleep 0.05; echo 42 > answer.txt; sleep 0.1 & sleep 0.05\"] }}\n"
    ));
}

/// Lets a controller work for a random while and kills it, and now and then one of its children. Whether it was killed before
/// its own end.
fn kill_one_session(mut controller: Child, mark: &str, longest: u64, dice: &mut Dice) -> bool {
    sleep(dice.millis(20, longest));
    if dice.once_in(3) {
        // It must not live to record that: an agent that is killed has failed.
        signal(controller.id().cast_signed(), Signal::STOP);
        let ours = marked(mark);
        let chosen = ours.get(dice.between(0, 12) as usize);
        if let Some(pid) = chosen {
            signal(*pid, Signal::KILL);
        }
    }
    let _ = controller.kill();
    let ended = controller.wait().unwrap();
    if !dice.once_in(3) {
        // Otherwise the next controller comes while the last rollouts are still being ended.
        sleep(dice.millis(50, 400));
    }
    ended.signal().is_some()
}

/// Exactly one effective record for each rollout, and it is what a quiet run gives.
fn assert_whole(project: &Project) {
    let mut effective: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for line in project.journal("b") {
        if line["event"] == "finished" {
            let index = line["trial"]["index"].as_u64().unwrap();
            effective.entry(index).or_default().push(line);
        }
    }
    assert_eq!(effective.len(), ROLLOUTS);
    for (index, records) in &effective {
        let good: Vec<_> = records
            .iter()
            .filter(|record| record["outcome"] == "ok")
            .collect();
        // Scored again, the same attempt has further records.
        let attempts: BTreeSet<u64> = good
            .iter()
            .filter_map(|record| record["attempt"].as_u64())
            .collect();
        assert_eq!(attempts.len(), 1, "rollout {index}: {records:#?}");
        assert_eq!(good[0]["metrics"]["score"], 1.0, "{records:#?}");
        let last = records
            .iter()
            .max_by_key(|record| record["attempt"].as_u64());
        assert_eq!(last.unwrap()["outcome"], "ok", "{records:#?}");
    }
}

/// A way to run rollouts, and how long a session of it may live, in milliseconds.
struct Case {
    name: &'static str,
    longest: u64,
}

/// How the run goes on; one that was killed before it had a name begins.
fn start(project: &Project) -> &'static [&'static str] {
    let runs = project.path().join("data/rollouts/b").read_dir();
    match runs.into_iter().flatten().count() {
        0 => &["run", "configs/bench.toml"],
        _ => &["run", "configs/bench.toml", "--resume"],
    }
}

/// What is started next: mostly the run; scoring and cleaning, once there is something.
fn next(project: &Project, dice: &mut Dice) -> &'static [&'static str] {
    let begun = project.path().join("data/rollouts/b").is_dir();
    match dice.between(0, 8) {
        6 if begun => &["eval", "b"],
        7 if begun => &["gc"],
        _ => start(project),
    }
}

fn torture(lab: &Lab, case: &Case, command: impl Fn(&[&str]) -> Command) {
    let mut dice = Dice::new(case.name);
    let mark = lab.project.path().display().to_string();
    let mut kills = 0;
    for _ in 0..KILLS {
        let mut started = command(next(&lab.project, &mut dice));
        started
            .env(MARK, &mark)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let running = started.spawn().unwrap();
        kills += u64::from(kill_one_session(running, &mark, case.longest, &mut dice));
    }
    let mut last = command(start(&lab.project));
    let ran = Ran::from(last.env(MARK, &mark).output().unwrap());
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    assert_whole(&lab.project);
    let verified = Ran::from(command(&["verify", "b"]).output().unwrap());
    assert_eq!(verified.code, 0, "{}\n{}", verified.out, verified.err);
    let cleaned = Ran::from(command(&["gc"]).output().unwrap());
    assert_eq!(cleaned.code, 0, "{}", cleaned.err);
    wait_for("the end of every process", || {
        marked(&mark).is_empty().then_some(())
    });
    assert_eq!(workspaces(&lab.project), Vec::<PathBuf>::new());
    assert_eq!(mounts(lab.project.path()), Vec::<String>::new());
    println!("{kills} kills, {}", case.name);
}

#[test]
fn killed_at_random_a_bubblewrap_run_ends_whole_and_clean() {
    if !has_bubblewrap() {
        return;
    }
    let case = Case {
        name: "bubblewrap",
        longest: 400,
    };
    for _ in 0..rounds(2) {
        let lab = Lab::new();
        torture_spec(&lab, "\"bubblewrap\"");
        let temporary = lab.project.path().join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        torture(&lab, &case, |args| {
            let mut command = lab.project.command(args);
            command.env("TMPDIR", &temporary);
            command
        });
        let left: Vec<_> = temporary.read_dir().unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn killed_at_random_a_run_in_containers_ends_whole_and_clean(pod: &Pod) {
    let case = Case {
        name: pod.word(),
        longest: 1500,
    };
    for _ in 0..rounds(1) {
        let sandbox = format!(
            "{{ kind = \"{}\", image = \"{BASE}\", network = false }}",
            pod.word()
        );
        torture_spec(&pod.lab, &sandbox);
        torture(&pod.lab, &case, |args| pod.command(args));
        assert_eq!(pod.containers(), Vec::<String>::new());
        assert_eq!(monitors(pod.lab.project.path()), Vec::<String>::new());
        std::fs::remove_dir_all(pod.lab.project.path().join("data")).unwrap();
    }
}
