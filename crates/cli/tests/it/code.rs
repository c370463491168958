//! What a trial ran is part of its record: other code is seen, named, and never mixed unasked.

use crate::common::{Project, Ran};
use crate::experiments::python::{expect, no_python, run};
use serde_json::Value;
use std::process::Command;

/// A trainer that imports a module of the project.
const TRAIN: &str = "import os, sys\nimport net\nwith open(os.environ['FAIRTRIAL_METRICS'], 'a') as out:\n    \
                     out.write('{\"reward\": %f}\\n' % net.reward(sys.argv[1], int(sys.argv[2])))\n\
                     print('trained', sys.argv[1])\n";
const NET: &str = "def reward(arm, seed):\n    return seed % 7 + (3 + seed % 3 / 10 if arm == 'candidate' else 0)\n";

fn spec(more: &str) -> String {
    format!(
        "name = \"t\"\nseeds = [1, 2, 3, 4]\norder = \"spec\"\nparallel = 1\n{more}\n[[tasks]]\nid = \"train\"\n\
         command = \"python3 train.py {{arm}} {{seed}}\"\n[arms.control]\n[arms.candidate]\n\
         [metrics.reward]\ndirection = \"up\"\nmargin = 0.5\n"
    )
}

/// A git repository with the trainer and a spec.
fn repository(more: &str) -> Project {
    let project = Project::with_spec(&spec(more));
    project.write("train.py", TRAIN);
    project.write("net.py", NET);
    project.write(".gitignore", "data/\n__pycache__/\n");
    git(&project, &["init", "-q"]);
    commit(&project, "first");
    project
}

fn git(project: &Project, args: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let output = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(project.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Commits everything; gives the commit.
fn commit(project: &Project, message: &str) -> String {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-q", "-m", message]);
    git(project, &["rev-parse", "HEAD"])
}

/// The effective records of the newest run, in the order of the plan.
fn records(project: &Project) -> Vec<Value> {
    let mut records: Vec<Value> = project.journal("t");
    records.retain(|event| event["event"] == "finished");
    records.sort_by_key(|event| event["trial"]["index"].as_u64());
    records
}

fn said(ran: &Ran) -> String {
    format!("{}{}", ran.out, ran.err)
}

#[test]
fn every_record_says_what_was_run() {
    if no_python() {
        return;
    }
    let project = repository("");
    let head = git(&project, &["rev-parse", "HEAD"]);
    project.expect(0, &["run", "bench.toml"]);
    let records = records(&project);
    assert_eq!(records.len(), 8);
    for record in &records {
        assert_eq!(record["code"]["commit"], head.as_str(), "{record}");
        assert_eq!(record["code"]["patch"], Value::Null, "{record}");
        assert_eq!(record["code"], records[0]["code"]);
    }
    let set = |part: &str| -> Value {
        let hash = records[0]["code"][part].as_str().unwrap();
        let path = project.newest_run("t").join(format!("code/{hash}.json"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let program = set("program");
    let names: Vec<&String> = program.as_object().unwrap().keys().collect();
    assert_eq!(names, ["net.py", "train.py"]);
    assert!(set("packages")["python"].as_str().unwrap().starts_with('3'));
    // What changes the files and is not committed is a patch, and a record of its own state.
    project.write("net.py", &format!("{NET}\n# changed\n"));
    project.expect(0, &["run", "bench.toml"]);
    let changed = &self::records(&project)[0]["code"];
    assert_eq!(changed["commit"], head.as_str());
    assert!(changed["patch"].is_string());
    assert_ne!(changed["program"], records[0]["code"]["program"]);
}

#[test]
fn reuse_takes_only_what_ran_the_same_code() {
    if no_python() {
        return;
    }
    let project = repository("");
    project.expect(0, &["run", "bench.toml"]);
    let same = project.expect(0, &["run", "bench.toml", "--reuse"]);
    assert!(!said(&same).contains("changed: net.py"), "{}", said(&same));
    assert!(
        records(&project)
            .iter()
            .all(|it| it["reused_from"].is_string())
    );
    project.write("net.py", &NET.replace("(3 +", "(2 +"));
    let plan = project.expect(0, &["plan", "bench.toml"]);
    assert!(
        said(&plan).contains("8 trials changed: net.py"),
        "{}",
        said(&plan)
    );
    let dry = project.expect(0, &["run", "bench.toml", "--reuse", "--dry-run"]);
    assert!(said(&dry).contains("8 trials would run"), "{}", said(&dry));
    let reused = project.expect(0, &["run", "bench.toml", "--reuse"]);
    assert!(
        said(&reused).contains("8 trials changed: net.py"),
        "{}",
        said(&reused)
    );
    assert!(
        records(&project)
            .iter()
            .all(|it| it["reused_from"].is_null())
    );
}

/// A run whose first two trials are done, and whose cap is then raised.
fn half_done() -> Project {
    let project = repository("[budget]\ntrials = 3\n");
    project.run(&["run", "bench.toml"]);
    assert_eq!(records(&project).len(), 3);
    project.write("bench.toml", &spec(""));
    project
}

#[test]
fn a_run_is_not_resumed_with_other_code_unless_that_is_accepted() {
    if no_python() {
        return;
    }
    let project = half_done();
    let first = git(&project, &["rev-parse", "HEAD"]);
    project.write("net.py", &NET.replace("(3 +", "(2 +"));
    let second = commit(&project, "another net");
    let dry = project.expect(0, &["run", "bench.toml", "--resume", "--dry-run"]);
    assert!(
        said(&dry).contains("3 trials changed: net.py"),
        "{}",
        said(&dry)
    );
    let refused = project.expect(2, &["run", "bench.toml", "--resume"]);
    assert!(
        said(&refused).contains("3 trials of run") && said(&refused).contains("net.py"),
        "{}",
        said(&refused)
    );
    assert!(
        said(&refused).contains("--accept code"),
        "{}",
        said(&refused)
    );
    assert_eq!(records(&project).len(), 3, "nothing was run");
    let mixed = project.expect(0, &["run", "bench.toml", "--resume", "--accept", "code"]);
    assert_eq!(records(&project).len(), 8);
    assert!(said(&mixed).contains("mixes code"), "{}", said(&mixed));
    // Every presentation says so, with the trials named.
    says_that_it_mixes(&project);
    let named = "trials 0:3";
    for arguments in [
        &["summarize", "t"][..],
        &["compare", "control", "candidate"],
    ] {
        let shown = project.run(arguments);
        assert!(
            said(&shown).contains(named),
            "{arguments:?}: {}",
            said(&shown)
        );
        assert!(
            said(&shown).contains("net.py"),
            "{arguments:?}: {}",
            said(&shown)
        );
    }
    project.expect(0, &["report", "t"]);
    let read = |name: &str| std::fs::read_to_string(project.newest_run("t").join(name)).unwrap();
    let (page, report) = (read("report.html"), read("report.md"));
    for text in [&page, &report, &read("summary.md")] {
        assert!(text.contains(named) && text.contains("net.py"), "{text}");
    }
    for (commit, trials) in [(first, "0:3"), (second, "3:8")] {
        let row = format!("{}: trials {trials}", &commit[..12]);
        assert!(report.contains(&row), "{row}\n{report}");
    }
}

#[test]
fn a_script_outside_of_the_project_that_a_command_names_is_code() {
    let elsewhere = tempfile::tempdir().unwrap();
    let script = elsewhere.path().join("work.sh");
    std::fs::write(&script, "echo one\n").unwrap();
    let project = Project::with_spec(&format!(
        "name = \"t\"\nseeds = 2\ncommand = [\"sh\", \"{}\"]\n",
        script.display()
    ));
    project.expect(0, &["run", "bench.toml"]);
    std::fs::write(&script, "echo two\n").unwrap();
    let plan = said(&project.expect(0, &["plan", "bench.toml"]));
    assert!(
        plan.contains("2 trials changed: ") && plan.contains("work.sh"),
        "{plan}"
    );
}

#[test]
fn the_summary_of_a_sweep_says_that_it_mixes_code() {
    if no_python() {
        return;
    }
    let project = Project::new();
    project.write(
        "m.py",
        "from fairtrial import Experiment, register_experiment\nimport lib\n\n@register_experiment('mine')\n\
         class Mine(Experiment):\n    def __init__(self, k: int = 1):\n        super().__init__({'k': k})\n    \
         def execute_once(self, context):\n        return {'value': lib.value * self.params['k']}\n",
    );
    project.write("lib.py", "value = 1\n");
    project.write(
        "bench.toml",
        "name = \"t\"\nexperiment = \"mine\"\nseeds = 2\niterations = { warmup = 0, measured = 1 }\noutput_dir = \"out\"\n\
         sweep = { k = [1, 5] }\nmetrics = { value = { direction = \"up\" } }\n[experiments]\npython = [\"m\"]\n",
    );
    run(&project, &["run", "bench.toml", "--set", "budget.trials=2"]);
    project.write("lib.py", "value = 2\n");
    let again = ["run", "bench.toml", "--resume", "--accept", "code"];
    expect(
        &project,
        0,
        &[&again[..], &["--set", "budget.trials=9"]].concat(),
    );
    let entries = std::fs::read_dir(project.path().join("out")).unwrap();
    let mut folders = entries.map(|entry| entry.unwrap().path());
    let folder = folders
        .find(|path| path.to_string_lossy().contains("sweep_"))
        .unwrap();
    let page = std::fs::read_to_string(folder.join("SWEEP_SUMMARY.md")).unwrap();
    assert!(
        page.contains("mixes code") && page.contains("lib.py"),
        "{page}"
    );
    let asked = project.expect(0, &["sweep", "t", "--json", "--md", "s.md"]);
    assert!(asked.json()["problems"][0].to_string().contains("lib.py"));
    assert!(project.read("s.md").contains("mixes code"));
    // Its own metric is what the history is about, not the clocks of the worker.
    let history = project.expect(0, &["history", "t", "--json"]).json();
    let lines = history["lines"].as_array().unwrap();
    assert!(
        lines.iter().all(|line| line["metric"] == "value"),
        "{history:#}"
    );
}

/// What shows runs without their numbers says it, too.
fn says_that_it_mixes(project: &Project) {
    let list = project.expect(0, &["list"]).out;
    assert!(list.contains("mixes code"), "{list}");
    let rows = project.expect(0, &["list", "--json"]).json();
    assert_eq!(rows[0]["mixes_code"], true, "{rows:#}");
    let status = project.expect(0, &["status", "t"]).out;
    assert!(
        status.contains("different versions of the code"),
        "{status}"
    );
    let history = project.expect(0, &["history", "t"]).out;
    assert!(history.contains("Mixed code: trials of "), "{history}");
    let history = project.expect(0, &["history", "t", "--json"]).json();
    assert_eq!(history["lines"][0]["runs"][0]["mixed"], true, "{history:#}");
}

#[test]
fn nothing_is_refused_where_the_code_is_the_same() {
    if no_python() {
        return;
    }
    let project = half_done();
    // Another commit that does not touch what is run.
    project.write("README.md", "words");
    commit(&project, "words");
    project.expect(0, &["run", "bench.toml", "--resume"]);
    assert_eq!(records(&project).len(), 8);
    for shown in ["summarize", "list", "status", "history"] {
        let text = said(&project.expect(0, &[shown, "t"])).to_lowercase();
        let told = ["mixes code", "mixed code", "versions of the code"];
        assert!(
            told.iter().all(|told| !text.contains(told)),
            "{shown}: {text}"
        );
    }
}

/// A project whose trial of seed 3 of the control changes what is watched; the next ones run with that.
fn edited_in_the_middle() -> Project {
    let project = repository("");
    let spec =
        spec("watch = [\"conf/\"]").replace("[1, 2, 3, 4]", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
    project.write("bench.toml", &spec);
    project.write("conf/a.txt", "one");
    let edit =
        "\nif sys.argv[1:] == ['control', '3']:\n    open('conf/a.txt', 'w').write('other')\n";
    let curve = "\nwith open(os.environ['FAIRTRIAL_METRICS'], 'a') as out:\n    for step in range(80):\n        \
                 out.write('{\"step\": %d, \"return\": %f}\\n' % (step, step * float(sys.argv[2])))\n";
    project.write("train.py", &format!("{TRAIN}{curve}{edit}"));
    project
}

#[test]
fn a_run_until_decided_has_no_answer_from_mixed_code() {
    if no_python() {
        return;
    }
    let project = edited_in_the_middle();
    let answer = || -> Value {
        let looks = std::fs::read(project.newest_run("t").join("sequential.json")).unwrap();
        serde_json::from_slice::<Value>(&looks).unwrap()["answers"][0].clone()
    };
    let ran = project.run(&["run", "bench.toml", "--until", "decided"]);
    assert_eq!(records(&project).len(), 20, "{}", said(&ran));
    let by = &answer()["reason"]["why"]["by"];
    assert_eq!(by["objection"], "mixed_code", "{:#}", answer());
    assert_eq!(by["effect"], "caps");
    assert!(
        said(&ran).contains("mixed code: trials 0:3"),
        "{}",
        said(&ran)
    );
    let gated = project.run(&["gate", "t"]);
    assert!(said(&gated).contains("mixed code"), "{}", said(&gated));
    // The run made again from its records says the same, and it can be accepted afterwards.
    project.expect(0, &["report", "t"]);
    let page = std::fs::read_to_string(project.newest_run("t").join("report.html")).unwrap();
    assert!(page.contains("mixed code: trials 0:3"), "{page}");
    project.expect(0, &["run", "bench.toml", "--resume", "--accept", "code"]);
    assert_eq!(answer()["stop"], "improved", "{:#}", answer());
}

#[test]
fn an_edit_in_the_middle_of_a_run_caps_the_verdict() {
    if no_python() {
        return;
    }
    let project = edited_in_the_middle();
    let ran = project.expect(0, &["run", "bench.toml"]);
    assert!(
        said(&ran).contains("changed while the run was running: conf/a.txt"),
        "{}",
        said(&ran)
    );
    says_that_it_mixes(&project);
    let compared = project
        .run(&["compare", "control", "candidate", "--json"])
        .json();
    let metric = &compared["contrasts"][0]["metrics"][0]["verdict"];
    assert_eq!(metric["word"], "inconclusive", "{metric:#}");
    let objections = metric["objections"].as_array().unwrap();
    let mixed = objections.iter().find(|it| it["objection"] == "mixed_code");
    let mixed = mixed.unwrap_or_else(|| panic!("{metric:#}"));
    assert_eq!(mixed["names"][0], "conf/a.txt");
    assert_eq!(mixed["groups"][0]["trials"], "0:3");
    assert_eq!(mixed["groups"][1]["trials"], "3:20");
    let analyzed = [
        "analyze",
        "--control-run-ids",
        "t:control",
        "--candidate-run-ids",
        "t:candidate",
        "--metric",
        "return",
        "--json",
    ];
    let analyzed = project.run(&analyzed);
    assert!(
        analyzed.out.contains("\"mixed_code\""),
        "{}",
        said(&analyzed)
    );
    let accepted = [
        "compare",
        "control",
        "candidate",
        "--accept",
        "code",
        "--json",
    ];
    let accepted = project.run(&accepted).json();
    assert_eq!(
        accepted["contrasts"][0]["metrics"][0]["verdict"]["word"],
        "improved"
    );
}

#[test]
fn a_record_is_not_compared_with_itself() {
    if no_python() {
        return;
    }
    let project = repository("");
    project.expect(0, &["run", "bench.toml"]);
    let old = project.newest_run("t");
    project.expect(0, &["run", "bench.toml", "--reuse"]);
    let new = project.newest_run("t");
    let [old, new] = [&old, &new].map(|run| run.to_str().unwrap());
    let compared = project.run(&["compare", old, new]);
    assert!(
        said(&compared).contains("the same record on both sides"),
        "{}",
        said(&compared)
    );
    assert!(
        !said(&compared).contains("identical"),
        "{}",
        said(&compared)
    );
    // Its log is where it was written.
    let log = project.expect(0, &["logs", "t", "--trial", "0"]);
    assert!(log.out.contains("trained control"), "{}", said(&log));
}

#[test]
fn records_that_do_not_say_what_they_ran_are_read() {
    if no_python() {
        return;
    }
    let project = repository("");
    project.expect(0, &["run", "bench.toml"]);
    let journal = project.newest_run("t").join("journal.jsonl");
    // As an earlier version wrote them, with neither code nor hashes of lines.
    let strip = |line: &str| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let fields = event.as_object_mut().unwrap();
        for key in ["code", "crc", "prev"] {
            fields.remove(key);
        }
        event
    };
    let text = std::fs::read_to_string(&journal).unwrap();
    let records: Vec<Value> = text.lines().map(strip).collect();
    let record = records.iter().find(|it| it["event"] == "finished").unwrap();
    let read: fairtrial_model::Record = serde_json::from_value(record.clone()).unwrap();
    assert_eq!(read.code, None);
}

#[test]
fn the_module_of_an_experiment_and_what_it_imports_are_its_code() {
    if no_python() {
        return;
    }
    let project = Project::new();
    let experiment = "from fairtrial.experiments import Experiment\nfrom fairtrial.registry import register_experiment\n\
                      import lib.work\n\n@register_experiment('mine')\nclass Mine(Experiment):\n    \
                      def execute_once(self, context):\n        return {'value': lib.work.value()}\n";
    project.write("m.py", experiment);
    project.write("lib/__init__.py", "");
    let work = "try:\n    from . import fast\nexcept ImportError:\n    pass\n\ndef value():\n    return 1\n";
    project.write("lib/work.py", work);
    project.write(
        "lib/fast.cpython-311-x86_64-linux-gnu.so",
        "no machine code",
    );
    project.write(
        "bench.toml",
        "name = \"t\"\nexperiment = \"mine\"\nseeds = 3\niterations = { warmup = 0, measured = 1 }\n\
         [experiments]\npython = [\"m\"]\n",
    );
    expect(&project, 0, &["run", "bench.toml"]);
    let hash = records(&project)[0]["code"]["program"].clone();
    let path = project
        .newest_run("t")
        .join(format!("code/{}.json", hash.as_str().unwrap()));
    let set: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let names: Vec<&String> = set.as_object().unwrap().keys().collect();
    let compiled = "lib/fast.cpython-311-x86_64-linux-gnu.so";
    assert_eq!(names, ["lib/__init__.py", compiled, "lib/work.py", "m.py"]);
    project.write("m.py", &format!("{experiment}\n# another\n"));
    let reused = expect(&project, 0, &["run", "bench.toml", "--reuse"]);
    assert!(
        said(&reused).contains("3 trials changed: m.py"),
        "{}",
        said(&reused)
    );
}

/// Writes a `progress.csv` as Stable-Baselines3 does: rows of an evaluation without the training reward among the others.
const STABLE_TRAIN: &str = "import os, sys\nfrom net import reward\narm, seed = sys.argv[1], int(sys.argv[2])\n\
    with open(os.path.join(os.environ['FAIRTRIAL_DIR'], 'progress.csv'), 'w') as out:\n    \
    out.write('rollout/ep_rew_mean,eval/mean_reward,time/total_timesteps\\n')\n    \
    for step in range(0, 101, 10):\n        \
    out.write('%f,,%d\\n' % (reward(arm, seed) - (step - 50) ** 2 / 500, step * 2048))\n        \
    out.write(',%f,%d\\n' % (step, step * 2048 + 1))\n";

/// A sweep of what researchers do between two sessions: the metric is declared differently, then the code changes.
#[test]
fn a_training_run_lives_through_other_metrics_steps_by_name_and_other_code() {
    if no_python() {
        return;
    }
    let declare = |summary: &str, more: &str| {
        spec(more).replace(
            "[metrics.reward]",
            &format!("[metrics.\"rollout/ep_rew_mean\"]\nfrom = \"csv:progress.csv\"\nsummary = \"{summary}\""),
        )
    };
    let project = repository("");
    project.write("train.py", STABLE_TRAIN);
    project.write("bench.toml", &declare("last", "[budget]\ntrials = 3\n"));
    let first = commit(&project, "the trainer");
    let begun = project.run(&["run", "bench.toml"]);
    assert!(
        said(&begun).contains("are read from `time/total_timesteps`"),
        "{}",
        said(&begun)
    );
    let value = |record: &Value| record["metrics"]["rollout/ep_rew_mean"].as_f64().unwrap();
    let lasts: Vec<f64> = records(&project).iter().map(value).collect();
    assert_eq!(lasts.len(), 3);
    let series = &records(&project)[0]["series"]["rollout/ep_rew_mean"];
    assert_eq!(
        series["points"], 11,
        "rows without the metric are no points: {series}"
    );
    assert_eq!(series["last_step"], 204_800.0);
    // Only the measuring changed, and the spec is committed: what is there is measured again, the rest runs.
    project.write("bench.toml", &declare("max", ""));
    commit(&project, "the best reward counts");
    let resumed = project.expect(0, &["run", "bench.toml", "--resume"]);
    assert!(
        said(&resumed).contains("measured again"),
        "{}",
        said(&resumed)
    );
    let mut effective = std::collections::BTreeMap::new();
    for record in records(&project) {
        effective.insert(record["trial"]["index"].as_u64(), record);
    }
    assert_eq!(effective.len(), 8);
    for (record, last) in effective.values().zip(&lasts) {
        assert!((value(record) - last - 5.0).abs() < 1e-9, "{record}");
        assert_eq!(record["code"]["commit"], first.as_str(), "it ran before");
    }
    let old = project.newest_run("t");
    // Other code: everything runs again, and the two runs can be compared.
    project.write("net.py", &NET.replace("(3 +", "(2 +"));
    let second = commit(&project, "another net");
    let reused = project.expect(0, &["run", "bench.toml", "--reuse"]);
    assert!(
        said(&reused).contains("8 trials changed: net.py"),
        "{}",
        said(&reused)
    );
    for record in records(&project) {
        assert_eq!(record["code"]["commit"], second.as_str());
        assert_eq!(record["reused_from"], Value::Null);
    }
    let new = project.newest_run("t");
    let sides = [&old, &new].map(|run| format!("{}:candidate", run.display()));
    let compared = project.run(&["compare", &sides[0], &sides[1]]);
    assert!(
        !said(&compared).contains("mixed code"),
        "{}",
        said(&compared)
    );
    assert!(
        !said(&compared).contains("the same record"),
        "{}",
        said(&compared)
    );
}

#[test]
fn a_run_whose_trials_waited_for_a_cpu_says_so() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let busy = |parallel: usize, command: &str| {
        let project = Project::with_spec(&format!(
            "name = \"t\"\nseeds = {parallel}\nparallel = {parallel}\ncommand = \"{command}\"\n"
        ));
        let ran = project.expect(0, &["run", "bench.toml"]);
        let seen = records(&project)[0]["resources"]["run_queue_delay_s"].is_number();
        (seen, said(&ran))
    };
    let (_, idle) = busy(1, "sleep 4");
    assert!(!idle.contains("waited for a CPU"), "{idle}");
    let count = "awk 'BEGIN { while (i < 4000000) i++ }'";
    let (seen, text) = busy(4 * cores, count);
    if !seen {
        eprintln!("skipped: this system does not say how long a process waited for a CPU");
        return;
    }
    assert!(text.contains("trials waited for a CPU for"), "{text}");
}

#[test]
fn variance_goes_by_the_summary_that_the_spec_declares() {
    if no_python() {
        return;
    }
    let project = repository("");
    project.write("train.py", STABLE_TRAIN);
    let declared =
        "[metrics.\"rollout/ep_rew_mean\"]\nfrom = \"csv:progress.csv\"\nsummary = \"max\"";
    project.write(
        "bench.toml",
        &spec("").replace("[metrics.reward]", declared),
    );
    project.expect(0, &["run", "bench.toml"]);
    let asked = ["variance", "t:control", "--json", "--output", "v.svg"];
    let found = project.expect(0, &asked).json();
    assert_eq!(found["summary"], "max", "{found:#}");
    assert_eq!(found["spreads"].as_array().unwrap().len(), 1);
    // As the records have it: the reward at step 50, which is the seed modulo 7.
    let mut numbers: Vec<f64> = found["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["numbers"][0].as_f64().unwrap())
        .collect();
    numbers.sort_by(f64::total_cmp);
    assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0]);
    let areas = [&asked[..], &["--summary.share_of", "steps"]].concat();
    let found = project.expect(0, &areas).json();
    assert_eq!(found["spreads"][0]["of"], "auc", "{found:#}");
}
