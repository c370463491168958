//! What Python experiments report: numbers of any library, names that two use, threads that talk meanwhile, seeds.

use super::python::{MODULE, expect, mine, no_python};
use super::results;
use crate::common::Project;
use serde_json::Value;

/// The record of a run's one trial.
fn record(project: &Project, name: &str) -> Value {
    let journal = project.journal(name).into_iter();
    let mut ended = journal.filter(|line| line["event"] == "finished");
    ended.next().unwrap()
}

#[test]
fn numbers_of_any_library_are_numbers() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\n");
    let module = MODULE.replace(
        "return {\"count\"",
        "from decimal import Decimal\n        from fractions import Fraction\n        \
         return {\"d\": Decimal(\"1.5\"), \"f\": Fraction(1, 4), \"n\": Decimal(\"NaN\"), \"l\": [1, 2], \"count\"",
    );
    project.write("mine.py", &module);
    expect(&project, 0, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    assert_eq!(result["metrics"]["d"]["mean"], 1.5);
    assert_eq!(result["metrics"]["f"]["mean"], 0.25);
    // NaN in every iteration is a finding, not an absence.
    assert_eq!(result["metrics"]["n"]["mean"], "NaN");
    assert_eq!(result["metrics"]["n"]["n"], 0);
    let notes = record(&project, "bench")["notes"].to_string();
    assert!(notes.contains("l: a list, which is no number"), "{notes}");
}

#[test]
fn what_cannot_be_kept_is_refused_by_its_name() {
    if no_python() {
        return;
    }
    let deep = "d = {}\n        for _ in range(300):\n            d = {\"in\": d}\n        ";
    for (before, value, told) in [
        (
            "",
            "{\"sums\": {\"all\": 2**60}}",
            "`sums.all`: 1152921504606846976 is beyond 2^53",
        ),
        (
            "",
            "{\"huge\": 10**30}",
            "`huge`: 1000000000000000000000000000000 is beyond 2^53",
        ),
        (
            "",
            "{\"longest\": 10**5000}",
            "`longest`: a whole number of 16610 bits is beyond 2^53",
        ),
        (
            "",
            "{\"rows\": {None: 1}}",
            "None is no key of a result: keys are words or numbers",
        ),
        (deep, "{\"tree\": d}", "`tree.in.in"),
        (
            deep,
            "{\"tree\": d}",
            "...` is nested deeper than 100 levels",
        ),
    ] {
        let project = mine("params: {mode: a}\n");
        let returned = format!("{before}return {value}\n        return {{\"count\"");
        project.write("mine.py", &MODULE.replace("return {\"count\"", &returned));
        expect(&project, 1, &["run", "bench.yaml"]);
        let record = record(&project, "bench").to_string();
        assert!(record.contains(told), "{told}\n{record}");
    }
}

#[test]
fn an_own_experiment_takes_the_place_of_the_built_in_one_of_its_name() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\n");
    let text = std::fs::read_to_string(project.path().join("bench.yaml")).unwrap();
    project.write(
        "bench.yaml",
        &text.replace("experiment: mine", "experiment: noop"),
    );
    project.write("mine.py", &MODULE.replace("\"mine\"", "\"noop\""));
    let said = expect(&project, 0, &["run", "bench.yaml"]).err;
    let told = "`noop` is your own experiment (python mine), not the built-in one of that name";
    assert_eq!(said.matches(told).count(), 1, "{said}");
    assert_eq!(results(&project, "out")[0]["metrics"]["count"]["mean"], 4.5);
}

#[test]
fn an_instrument_of_the_same_name_is_told_apart() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\ninstrumentation: [timing, marks]\n");
    let sets = "context[\"duration_s\"] = 77; context[\"count\"] = 1000; context[\"mark\"]";
    project.write("mine.py", &MODULE.replace("context[\"mark\"]", sets));
    expect(&project, 0, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    let metrics = &result["metrics"];
    assert_eq!(metrics["count"]["mean"], 4.5);
    assert_eq!(metrics["instrument.count"]["mean"], 1000.0);
    assert!(metrics["duration_s"]["mean"].as_f64().unwrap() < 77.0);
    assert_eq!(metrics["instrument.duration_s"]["mean"], 77.0);
    let first = &result["iteration_metrics"][0];
    assert_eq!(first["metrics"]["count"], 3);
    assert_eq!(first["duration_s"], first["metrics"]["duration_s"]);
    let record = record(&project, "bench");
    assert_eq!(record["metrics"]["count"], 4.5);
    let notes = record["notes"].to_string();
    let told = "count: the experiment's own, an instrument's is instrument.count";
    assert!(notes.contains(told), "{notes}");
}

/// Threads that talk while the main one sends samples, longer than what a socket takes at once.
const TALKS: &str = r#"
import threading, time
from fairtrial import Experiment, register_experiment

@register_experiment("talks")
class Talks(Experiment):
    def setup(self, context):
        self.over = False
        def talk():
            while not self.over:
                context.log("y" * 300000)
        self.threads = [threading.Thread(target=talk, daemon=True) for _ in range(2)]
        for thread in self.threads:
            thread.start()
    def execute_once(self, context):
        time.sleep(0.002)
        return {"v": 1.0}
    def teardown(self, context):
        self.over = True
        for thread in self.threads:
            thread.join()
"#;

#[test]
fn threads_that_talk_do_not_break_the_protocol() {
    if no_python() {
        return;
    }
    let project = Project::new();
    project.write("talks.py", TALKS);
    project.write(
        "talks.yaml",
        "experiment: talks\nprocesses: 1\niterations: {measured: 20}\noutput_dir: out\nexperiments: {python: [talks]}\n",
    );
    expect(&project, 0, &["run", "talks.yaml"]);
    assert_eq!(results(&project, "out")[0]["metrics"]["v"]["n"], 20);
}

#[test]
fn numpy_is_seeded_also_where_setup_is_the_first_to_import_it() {
    if no_python() {
        return;
    }
    let project = Project::new();
    // No machine of ours need have the real one.
    project.write(
        "numpy/__init__.py",
        "class random:\n    seeded = None\n    @staticmethod\n    def seed(seed):\n        random.seeded = seed\n",
    );
    project.write(
        "lazy.py",
        "from fairtrial import Experiment, register_experiment\n@register_experiment('lazy')\nclass Lazy(Experiment):\n\
         \x20   def setup(self, context):\n        import importlib.util\n        importlib.util.find_spec(\"numpy\")\n        import numpy\n        self.seeded = numpy.random.seeded\n\
         \x20   def execute_once(self, context):\n        return {'off': self.seeded - context.seed}\n",
    );
    project.write(
        "lazy.yaml",
        "experiment: lazy\nseed: 7\niterations: {measured: 1}\noutput_dir: out\nexperiments: {python: [lazy]}\n",
    );
    expect(&project, 0, &["run", "lazy.yaml"]);
    assert_eq!(results(&project, "out")[0]["metrics"]["off"]["mean"], 0.0);
}

#[test]
fn a_step_that_is_no_number_raises() {
    if no_python() {
        return;
    }
    let project = Project::with_spec("name = \"train\"\ncommand = \"python3 train.py\"\n");
    let script = r#"
import fairtrial
from fractions import Fraction

def refused(*arguments, **named):
    try:
        fairtrial.log(*arguments, **named)
    except (TypeError, ValueError) as error:
        return str(error)
    raise SystemExit("not refused")

assert refused(score=1, step="10") == "a step is a number, not '10' (str)"
assert refused(score=1, step=[1]) == "a step is a number, not [1] (list)"
assert refused(score=1, step=True) == "a step is a number, not True (bool)"
assert refused(score=1, step=float("nan")) == "a step is a finite number, not nan"
assert refused({"step": "x", "score": 1}) == "a step is a number, not 'x' (str)"
assert refused({"step": 3, "score": 4}, step=10) == "the step is given twice: as `step` and as the metric 'step'"
assert refused(score=1j) == "1j (complex) is no number that can be reported"
fairtrial.log(score=1, step=Fraction(1, 2))
fairtrial.log({"_step": 3, "score": 4})
"#;
    project.write("train.py", script);
    expect(&project, 0, &["run", "bench.toml"]);
    let record = record(&project, "train");
    assert_eq!(record["metrics"]["score"], 4.0, "{record}");
    assert_eq!(record["series"]["score"]["points"], 2);
}

#[test]
fn a_parameter_that_may_be_nothing_takes_null() {
    if no_python() {
        return;
    }
    let project = Project::new();
    project.write(
        "maybe.py",
        "from typing import Optional\nfrom fairtrial import Experiment, register_experiment\n\
         @register_experiment('maybe')\nclass Maybe(Experiment):\n\
         \x20   def __init__(self, c: Optional[int] = 3):\n        super().__init__({'c': c})\n\
         \x20   def execute_once(self, context):\n        return {'none': self.params['c'] is None}\n",
    );
    let spec = |value: &str| {
        format!(
            "experiment: maybe\nprocesses: 1\niterations: {{measured: 1}}\nparams: {{c: {value}}}\noutput_dir: out\nexperiments: {{python: [maybe]}}\n"
        )
    };
    project.write("maybe.yaml", &spec("null"));
    expect(&project, 0, &["run", "maybe.yaml"]);
    assert_eq!(results(&project, "out")[0]["metrics"]["none"]["mean"], 1.0);
    project.write("maybe.yaml", &spec("x"));
    let said = expect(&project, 2, &["check", "maybe.yaml"]).err;
    assert!(said.contains("expected a whole number"), "{said}");
}
