//! What this machine lends to trials that run beside each other: devices, CPUs, memory, and the right to be alone.
//!
//! Every trial writes a line when it begins and one when it ends; the order of the lines tells what ran together.

use crate::common::Project;
use std::collections::{BTreeMap, BTreeSet};

/// The log of a run: for each line, what runs after it (trial, and the words that it wrote).
struct Log(Vec<BTreeMap<String, String>>);

impl Log {
    /// Runs a spec to its end and replays what its trials wrote.
    fn of(spec: &str) -> Self {
        let project = Project::with_spec(spec);
        let mut command = project.command(&["run", "bench.toml", "--parallel", "4"]);
        let log = project.path().join("log");
        let output = command
            .env("LOG", &log)
            .env_remove("CUDA_VISIBLE_DEVICES")
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{err}");
        let mut running = BTreeMap::new();
        let mut steps = Vec::new();
        for line in std::fs::read_to_string(log).unwrap().lines() {
            let mut words = line.splitn(3, ' ');
            let (verb, trial) = (words.next().unwrap(), words.next().unwrap().to_owned());
            match verb {
                "begin" => assert_eq!(
                    running.insert(trial, words.next().unwrap().to_owned()),
                    None
                ),
                _ => assert!(running.remove(&trial).is_some(), "{line}"),
            }
            steps.push(running.clone());
        }
        assert!(running.is_empty(), "every trial ended");
        Self(steps)
    }

    /// What the running trials had written, step by step.
    fn words(&self) -> impl Iterator<Item = Vec<&str>> {
        self.0
            .iter()
            .map(|running| running.values().map(String::as_str).collect())
    }

    fn most(&self) -> usize {
        self.0.iter().map(BTreeMap::len).max().unwrap()
    }
}

/// A command that writes these words, does `work`, and says that it ends.
fn command(words: &str, work: &str) -> String {
    format!(
        "shell = true\ncommand = 'echo begin $FAIRTRIAL_TRIAL {words} >> $LOG; {work}; echo end $FAIRTRIAL_TRIAL >> $LOG'\n"
    )
}

/// Goes on when so many trials have begun: they must be able to run beside each other, or the run never ends.
fn meet(trials: u32) -> String {
    format!("while [ $(grep -c begin $LOG) -lt {trials} ]; do sleep 0.05; done")
}

#[test]
fn a_device_has_one_trial_at_a_time() {
    let work = format!("{}; sleep 0.1", meet(2));
    let engine = "[engine]\ngpus = 2\n";
    let spec = format!(
        "name = 'bench'\nseeds = 6\n{}{engine}",
        command("[$CUDA_VISIBLE_DEVICES]", &work)
    );
    let log = Log::of(&spec);
    assert_eq!(log.most(), 2, "four slots, two devices");
    let mut seen = BTreeSet::new();
    for devices in log.words() {
        let different: BTreeSet<&str> = devices.iter().copied().collect();
        assert_eq!(
            different.len(),
            devices.len(),
            "{devices:?} at the same time"
        );
        seen.extend(different.into_iter().map(str::to_owned));
    }
    assert_eq!(seen, BTreeSet::from(["[0]".to_owned(), "[1]".to_owned()]));
}

#[test]
fn trials_get_as_many_devices_as_they_ask_for() {
    let of = |id: &str, gpus: u32| {
        let command = command(&format!("{id} [$CUDA_VISIBLE_DEVICES]"), "sleep 0.1");
        format!("[[tasks]]\nid = '{id}'\n{command}resources = {{ gpus = {gpus} }}\n")
    };
    let spec = format!(
        "name = 'bench'\nseeds = 3\n[engine]\ngpus = ['GPU-a', 'GPU-b']\n{}{}",
        of("both", 2),
        of("none", 0)
    );
    let log = Log::of(&spec);
    for words in log.words() {
        let both = words
            .iter()
            .filter(|words| **words == "both [GPU-a,GPU-b]")
            .count();
        let none = words.iter().filter(|words| **words == "none []").count();
        assert!(both <= 1 && both + none == words.len(), "{words:?}");
    }
}

#[test]
fn cpus_and_memory_are_not_lent_twice() {
    let of = |id: &str, cpus: u32, work: &str| {
        format!(
            "[[tasks]]\nid = '{id}'\n{}resources = {{ cpus = {cpus} }}\n",
            command(&cpus.to_string(), work)
        )
    };
    let (large, small) = (of("large", 3, "sleep 0.05"), of("small", 1, "sleep 0.1"));
    let spec = format!("name = 'bench'\nseeds = 5\n[engine]\ncpus = 4\n{large}{small}");
    for words in Log::of(&spec).words() {
        let lent: u32 = words.iter().map(|cpus| cpus.parse::<u32>().unwrap()).sum();
        assert!(lent <= 4, "{words:?}");
    }
    // Two fit beside each other, and meet; three do not.
    let work = format!("{}; sleep 0.1", meet(2));
    let task = format!("{}resources = {{ memory = '40MB' }}\n", command("-", &work));
    let log = Log::of(&format!(
        "name = 'bench'\nseeds = 6\n{task}[engine]\nmemory = '100MB'\n"
    ));
    assert_eq!(log.most(), 2);
}

#[test]
fn exclusive_trials_run_alone() {
    let of = |id: &str, work: &str, more: &str| {
        format!("[[tasks]]\nid = '{id}'\n{}{more}", command(id, work))
    };
    let (quiet, loud) = (
        of("quiet", "sleep 0.1", "resources = { exclusive = true }\n"),
        of("loud", "sleep 0.05", ""),
    );
    let log = Log::of(&format!("name = 'bench'\nseeds = 6\n{quiet}{loud}"));
    for words in log.words().filter(|words| words.contains(&"quiet")) {
        assert_eq!(words, ["quiet"]);
    }
}
