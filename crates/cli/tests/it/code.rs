//! What a trial ran is part of its record: other code is seen, named, and never mixed unasked.

use crate::common::{Project, Ran};
use crate::experiments::python::{expect, no_python};
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
    assert!(!said(&project.expect(0, &["summarize", "t"])).contains("mixes code"));
}

#[test]
fn an_edit_in_the_middle_of_a_run_caps_the_verdict() {
    if no_python() {
        return;
    }
    let project = repository("");
    let spec =
        spec("watch = [\"conf/\"]").replace("[1, 2, 3, 4]", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
    project.write("bench.toml", &spec);
    project.write("conf/a.txt", "one");
    // The trial of seed 3 of the control changes what is watched; the next ones run with that.
    let edit =
        "\nif sys.argv[1:] == ['control', '3']:\n    open('conf/a.txt', 'w').write('other')\n";
    project.write("train.py", &format!("{TRAIN}{edit}"));
    let ran = project.expect(0, &["run", "bench.toml"]);
    assert!(
        said(&ran).contains("changed while the run goes on: conf/a.txt"),
        "{}",
        said(&ran)
    );
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
    assert_eq!(mixed["groups"][1]["trials"], "3:8");
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
    project.write("lib/work.py", "def value():\n    return 1\n");
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
    assert_eq!(names, ["lib/__init__.py", "lib/work.py", "m.py"]);
    project.write("m.py", &format!("{experiment}\n# another\n"));
    let reused = expect(&project, 0, &["run", "bench.toml", "--reuse"]);
    assert!(
        said(&reused).contains("3 trials changed: m.py"),
        "{}",
        said(&reused)
    );
}
