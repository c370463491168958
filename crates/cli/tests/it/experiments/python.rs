//! Python experiments: the description's own example, instruments, reporters, discovery without imports.

use super::{results, shared};
use crate::common::{Project, Ran};
use std::process::Command;

/// Whether there is a Python; in CI there must be one.
pub(crate) fn no_python() -> bool {
    let missing = Command::new("python3").arg("--version").output().is_err();
    if missing {
        assert!(std::env::var_os("CI").is_none(), "python3 is not installed");
        eprintln!("skipped: python3 is not installed");
    }
    missing
}

pub(crate) fn run(project: &Project, arguments: &[&str]) -> Ran {
    let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python");
    let output = project
        .command(arguments)
        .env("PYTHONPATH", sdk)
        .output()
        .unwrap();
    Ran::from(output)
}

pub(crate) fn expect(project: &Project, code: i32, arguments: &[&str]) -> Ran {
    let ran = run(project, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}\n{}", ran.out, ran.err);
    ran
}

#[test]
fn the_complete_example_of_the_description_runs_with_other_imports() {
    let Some(page) = shared("seeds/002_93068c8edd4bf083.txt") else {
        return;
    };
    if no_python() {
        return;
    }
    let page = std::fs::read_to_string(page).unwrap();
    let (_, after) = page
        .split_once("### Example: Complete Benchmark Implementation")
        .unwrap();
    let (_, code) = after.split_once("```python\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let changed: String = code
        .lines()
        .map(|line| match line {
            "from benchmarks.core.experiments import Experiment, ExperimentContext" => {
                "from fairtrial.experiments import Experiment, ExperimentContext\n".to_owned()
            }
            "from benchmarks.core.registry import register_experiment" => {
                "from fairtrial.registry import register_experiment\n".to_owned()
            }
            other => format!("{other}\n"),
        })
        .collect();
    assert_ne!(changed, code);
    let project = Project::new();
    project.write("example_benchmark.py", &changed);
    project.write(
        "example.yaml",
        "experiment: example_benchmark\nparams: {data_size: [10, 20], iterations: 3}\niterations: {warmup: 1, measured: 3}\n\
         instrumentation: [timing, psutil, {name: cprofile, top_n: 5}]\noutput_dir: out\nseed: 42\n\
         experiments: {python: [example_benchmark]}\n",
    );
    expect(&project, 0, &["run", "example.yaml"]);
    let found = results(&project, "out");
    assert_eq!(found.len(), 2);
    for result in &found {
        assert_eq!(result["metrics"]["duration"]["n"], 3);
        assert_eq!(result["metrics"]["iterations"]["mean"], 3.0);
        assert!(result["environment"]["python"].is_string());
        let names: Vec<_> = result["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file["name"].clone())
            .collect();
        assert!(
            names.contains(&"cprofile_iter_0".into())
                && names.contains(&"cprofile_summary_iter_0".into())
        );
    }
    let sizes: Vec<_> = found
        .iter()
        .map(|result| result["parameters"]["data_size"].clone())
        .collect();
    assert!(sizes.contains(&10.into()) && sizes.contains(&20.into()));
}

pub(crate) const MODULE: &str = r#"
import contextlib
import time
from fairtrial import Experiment, register_experiment, register_instrument

@register_instrument("marks")
@contextlib.contextmanager
def marks(context, label="x"):
    """Leaves a mark."""
    time.sleep(0.02)
    yield
    time.sleep(0.02)
    context["mark"] = {label: 7}

@register_experiment("mine", tags=["t"])
class Mine(Experiment):
    """Does what it is told.

    More words.
    """
    param_schema = {
        "properties": {"fail_at": {"type": "integer", "default": -1, "minimum": -1}, "mode": {"type": "string", "enum": ["a", "b"]}},
        "required": ["mode"],
    }

    def setup(self, context):
        print("printed to standard output")
        context.log("set up")
        self.count = 0

    def execute_once(self, context):
        self.count += 1
        if context.iteration_index is not None and context.iteration_index == self.params["fail_at"]:
            raise ValueError("as told")
        return {"count": self.count, "odd": float("nan"), "deep": {"value": 2}}

    def teardown(self, context):
        open("torn-down", "w").close()

def report(results, output_dir):
    with open(f"{output_dir}/custom_report.txt", "w") as file:
        file.write(f"{len(results)} {results[0].name} {results[0].metrics['count']['mean']}")
"#;

pub(crate) fn mine(more: &str) -> Project {
    let project = Project::new();
    let once = if more.contains("seed") {
        ""
    } else {
        "processes: 1\n"
    };
    project.write("mine.py", MODULE);
    project.write(
        "bench.yaml",
        &format!("experiment: mine\niterations: {{warmup: 2, measured: 4}}\noutput_dir: out\nexperiments: {{python: [mine], reporters: [\"mine:report\"]}}\n{once}{more}"),
    );
    project
}

#[test]
fn instruments_and_reporters_of_the_user_work() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\ninstrumentation: [timing, {name: marks, label: y}]\n");
    expect(&project, 0, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    assert_eq!(result["metrics"]["mark.y"]["mean"], 7.0);
    // Warm-ups are executed: the counter has passed them. They are no samples.
    assert_eq!(result["metrics"]["count"]["min"], 3.0);
    assert_eq!(result["metrics"]["deep.value"]["n"], 4);
    assert_eq!(result["metrics"]["odd"]["mean"], "NaN");
    // The instrument sleeps 40 ms around each iteration: if it were in the duration, none could be shorter.
    assert!(result["metrics"]["duration_s"]["min"].as_f64().unwrap() < 0.04);
    assert_eq!(project.read("out/custom_report.txt"), "1 mine 4.5");
    assert!(project.path().join("torn-down").exists());
}

#[test]
fn what_the_source_does_not_say_is_found_by_importing_it_and_that_is_said() {
    if no_python() {
        return;
    }
    let project = Project::new();
    project.write(
        "base.py",
        "from fairtrial import Experiment\n\nclass Base(Experiment):\n    def __init__(self, size: int = 3):\n\
         \x20       super().__init__({\"size\": size})\n    def execute_once(self, context):\n        return {\"size\": self.params[\"size\"]}\n",
    );
    project.write(
        "made.py",
        "from fairtrial import register_experiment\nfrom base import Base\nprint(\"noise\")\n\
         for name in (\"one\", \"two\"):\n    @register_experiment(f\"made_{name}\")\n    class Made(Base):\n        \"\"\"Made.\"\"\"\n",
    );
    let spec = "experiment: made_two\nprocesses: 1\niterations: {measured: 1}\noutput_dir: out\nexperiments: {python: [made]}\n";
    project.write("bench.yaml", &format!("{spec}params: {{size: 5}}\n"));
    let said = expect(&project, 0, &["run", "bench.yaml"]).err;
    let told =
        "the module `made` was imported to see what it offers: line 5 makes a name at run time";
    assert!(said.contains(told), "{said}");
    assert_eq!(results(&project, "out")[0]["metrics"]["size"]["mean"], 5.0);
    project.write("bench.yaml", &format!("{spec}params: {{sise: 5}}\n"));
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(said.contains("did you mean `size`?"), "{said}");
    project.write("base.py", "raise RuntimeError(\"no GPU here\")\n");
    let said = run(&project, &["check", "bench.yaml"]).err;
    assert!(
        said.contains("could not be imported") && said.contains("no GPU here"),
        "{said}"
    );
}

#[test]
fn nothing_that_a_module_does_while_it_is_imported_hides_what_it_offers() {
    if no_python() {
        return;
    }
    let project = Project::new();
    let class = "class Mine(ft.Experiment):\n    \"\"\"Mine.\"\"\"\n    def execute_once(self, context):\n        return {}\n";
    project.write(
        "marks.py",
        "import fairtrial as ft\n\ndef mark(name):\n    return ft.register_experiment(name)\n",
    );
    for (module, slug, before, decorator) in [
        (
            "renamed",
            "plain",
            "from fairtrial import register_experiment as reg",
            "@reg(\"plain\")",
        ),
        (
            "kept",
            "kept",
            "mark = ft.register_experiment",
            "@mark(\"kept\")",
        ),
        (
            "elsewhere",
            "other",
            "import marks",
            "@marks.mark(\"other\")",
        ),
        (
            "loud",
            "loud",
            "import os, subprocess, threading, time\nprint(\"{}\" * 99999)\nos.write(1, b\"\\xff\")\n\
             subprocess.run([\"echo\", \"noise\"])\nthreading.Thread(target=time.sleep, args=(60,)).start()",
            "@ft.register_experiment(str(\"loud\"))",
        ),
    ] {
        let source = format!("import fairtrial as ft\n{before}\n\n{decorator}\n{class}");
        project.write(&format!("{module}.py"), &source);
        let spec = format!("experiment: {slug}\nexperiments: {{python: [{module}]}}\n");
        project.write("bench.yaml", &spec);
        let said = expect(&project, 0, &["check", "bench.yaml"]);
        assert!(said.out.contains("is valid"), "{module}: {}", said.out);
        let was_imported = said.err.contains("was imported to see what it offers");
        assert_eq!(was_imported, module != "renamed", "{module}: {}", said.err);
    }
    for (source, told) in [
        ("import sys\nsys.exit(0)\n", "SystemExit: 0"),
        (
            "import os\nprint(\"noise\")\nos._exit(3)\n",
            "its import ended Python, with 3",
        ),
    ] {
        project.write("ends.py", source);
        project.write(
            "bench.yaml",
            "experiment: mine\nexperiments: {python: [ends]}\n",
        );
        let said = expect(&project, 2, &["check", "bench.yaml"]).err;
        assert!(
            said.contains("could not be imported") && said.contains(told),
            "{said}"
        );
    }
}

#[test]
fn results_that_find_no_place_are_the_machines_failure() {
    if no_python() {
        return;
    }
    let project = Project::new();
    // A folder stands where the result file belongs, as nothing but trouble with the disk would have it.
    project.write(
        "blocked.py",
        "import os\nfrom fairtrial.experiments import Experiment\nfrom fairtrial.registry import register_experiment\n\
         @register_experiment('blocked')\nclass Blocked(Experiment):\n    def execute_once(self, context):\n\
         \x20       os.makedirs(os.path.join(os.environ['FAIRTRIAL_DIR'], 'result.json', 'x'), exist_ok=True)\n\
         \x20       return {'value': 1.0}\n",
    );
    project.write(
        "blocked.yaml",
        "experiment: blocked\nprocesses: 1\niterations: {measured: 2}\noutput_dir: out\nretries: 0\nexperiments: {python: [blocked]}\n",
    );
    let ran = run(&project, &["run", "blocked.yaml", "--json"]);
    assert_eq!(ran.json()["counts"]["infra"], 1, "{}\n{}", ran.out, ran.err);
    let ends: Vec<_> = project
        .journal("blocked")
        .into_iter()
        .filter(|event| event["event"] == "finished")
        .collect();
    let cause = ends[0]["cause"].to_string();
    assert!(cause.contains("result.json"), "{cause}");
}

#[test]
fn a_reporter_that_fails_is_said_and_fails_nothing() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\n");
    let spec = project.read("bench.yaml");
    project.write("bench.yaml", &spec.replace("mine:report", "mine:no_such"));
    let said = expect(&project, 0, &["run", "bench.yaml"]).err;
    assert!(
        said.contains("reporter `mine:no_such`") && said.contains("no_such"),
        "{said}"
    );
    assert_eq!(results(&project, "out").len(), 1);
}

#[test]
fn a_failing_iteration_keeps_the_samples_before_it() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: b, fail_at: 2}\n");
    expect(&project, 1, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    assert_eq!(result["status"], "failed");
    assert_eq!(result["error"]["message"], "ValueError: as told");
    assert_eq!(result["error"]["iteration"], 2);
    assert_eq!(result["metrics"]["count"]["n"], 2);
    assert!(project.path().join("torn-down").exists());
}

#[test]
fn a_failing_point_does_not_stop_the_sweep() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a, fail_at: [1, -1, 2]}\n");
    let said = expect(&project, 1, &["run", "bench.yaml"]).err;
    assert!(
        said.contains("measured iteration 1: ValueError: as told"),
        "{said}"
    );
    let found = results(&project, "out");
    let mut kept: Vec<String> = found
        .iter()
        .map(|result| format!("{} {}", result["status"], result["metrics"]["count"]["n"]))
        .collect();
    kept.sort();
    assert_eq!(kept, ["\"failed\" 1", "\"failed\" 2", "\"success\" 4"]);
    let folder = std::fs::read_dir(project.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.join("SWEEP_SUMMARY.md").exists())
        .expect("the sweep has a summary");
    let summary = std::fs::read_to_string(folder.join("SWEEP_SUMMARY.md")).unwrap();
    assert_eq!(summary.matches("| failed |").count(), 2, "{summary}");
    // By the values of the parameter, and not in the order of the run; one metric that is NaN hides no other.
    let rows = summary.lines().filter(|line| line.starts_with("| mine |"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
    let at: Vec<bool> = ["-1", "1", "2"]
        .iter()
        .zip(&rows)
        .map(|(fail_at, row)| row[1].contains(&format!("\"fail_at\":{fail_at}}}")))
        .collect();
    assert_eq!(at, [true; 3], "{summary}");
    assert!(
        rows.iter()
            .all(|row| row[4].parse::<f64>().is_ok() && row[5].parse::<f64>().is_ok()),
        "{summary}"
    );
}

#[test]
fn parameters_are_checked_without_importing_the_module() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: c, fail_att: 1}\n");
    project.write(
        "mine.py",
        &format!("import a_module_that_is_not_there\n{MODULE}"),
    );
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(
        said.contains("`mode`: expected one of a, b, found the text `c`"),
        "{said}"
    );
    assert!(said.contains("did you mean `fail_at`?"), "{said}");
    let list = expect(
        &project,
        0,
        &["list", "experiments", "--spec", "bench.yaml"],
    )
    .out;
    assert!(
        list.contains("Does what it is told. [python mine]"),
        "{list}"
    );
    let project = mine("params: {mode: a}\ninstrumentation: [{name: marks, labels: y}]\n");
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(said.contains("did you mean `label`?"), "{said}");
    let project = mine("");
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(
        said.contains("the experiment `mine` needs the parameter `mode`"),
        "{said}"
    );
}

#[test]
fn secrets_in_messages_do_not_reach_the_result() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a, fail_at: 1}\n");
    let module = MODULE.replace(
        "\"as told\"",
        "__import__(\"os\").environ[\"MY_API_TOKEN\"]",
    );
    project.write("mine.py", &module);
    let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python");
    let mut command = project.command(&["run", "bench.yaml"]);
    command
        .env("PYTHONPATH", sdk)
        .env("MY_API_TOKEN", "hush-hush-4711-hush");
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    let result = results(&project, "out")[0].to_string();
    assert!(
        result.contains("ValueError") && !result.contains("4711"),
        "{result}"
    );
}

#[test]
fn a_module_that_cannot_be_read_is_pointed_at() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\n");
    project.write(
        "mine.py",
        "from fairtrial import register_experiment\ndef broken(:\n",
    );
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(said.contains("mine.py:2"), "{said}");
    let project = mine("params: {mode: a}\n");
    std::fs::remove_file(project.path().join("mine.py")).unwrap();
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(said.contains("there is no Python module `mine`"), "{said}");
}

#[test]
fn a_training_script_reports_metrics_with_one_call() {
    if no_python() {
        return;
    }
    let project = Project::with_spec(
        "name = \"train\"\ncommand = \"python3 train.py\"\n[metrics.loss]\nsummary = \"min\"\n",
    );
    project.write(
        "train.py",
        "import fairtrial\nfor step in range(5):\n    fairtrial.log(loss=1 / (step + 1), step=step)\nfairtrial.log({\"eval/score\": 0.5})\n",
    );
    expect(&project, 0, &["run", "bench.toml"]);
    let record = project
        .journal("train")
        .into_iter()
        .find(|line| line["event"] == "finished")
        .unwrap();
    assert_eq!(record["metrics"]["loss"], 0.2, "{record}");
    assert_eq!(record["metrics"]["eval/score"], 0.5);
}

#[test]
fn a_line_is_written_whole_where_the_system_takes_a_part_and_at_once_where_it_can() {
    if no_python() {
        return;
    }
    let project = Project::with_spec("name = \"train\"\ncommand = \"python3 train.py\"\n");
    let script = r"
import fairtrial, os
write, calls = os.write, []
def part(fd, data):
    calls.append(len(data))
    return write(fd, data[:most])
os.write = part
most = 1000
fairtrial.log(first=1)
assert len(calls) == 1, calls
most = 3
fairtrial.log(second=2)
fairtrial.log(third=3)
";
    project.write("train.py", script);
    expect(&project, 0, &["run", "bench.toml"]);
    let journal = project.journal("train");
    let record = journal.iter().find(|line| line["event"] == "finished");
    let metrics = &record.unwrap()["metrics"];
    assert_eq!(
        (&metrics["first"], &metrics["second"], &metrics["third"]),
        (&1.0.into(), &2.0.into(), &3.0.into()),
        "{metrics}"
    );
}
