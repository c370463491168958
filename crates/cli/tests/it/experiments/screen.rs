//! What an experiment shows: the metrics that it is about, its iterations, its cases, and where it failed.

use super::python::{expect, no_python};
use super::results;
use crate::common::Project;
use serde_json::{Value, json};

const MODULE: &str = r#"from fairtrial import Experiment, register_experiment

@register_experiment("rows", metrics={"rows_per_s": {"unit": "1/s", "direction": "up"}})
class Rows(Experiment):
    """Rows."""
    def __init__(self, speed: int = 100, boom: bool = False):
        super().__init__({"speed": speed, "boom": boom})
        self.calls = 0

    def execute_once(self, context):
        if self.params["boom"]:
            raise ValueError("no rows")
        self.calls += 1
        rate = self.params["speed"] * (1 + self.calls / 100)
        cases = [{"case": {"size": size, "kind": "x"}, "rows_per_s": rate / size} for size in (9, 10)]
        return {"rows_per_s": rate, "extra": self.calls, "cases": cases}
"#;

fn project(spec: &str) -> Project {
    let project = Project::new();
    project.write("m.py", MODULE);
    let common = "experiment: rows\nexperiments: {python: [m]}\noutput_dir: out\niterations: {warmup: 0, measured: 4}\n";
    project.write("bench.yaml", &format!("{common}{spec}"));
    project
}

#[test]
fn an_experiment_is_about_the_metrics_that_it_declares() {
    if no_python() {
        return;
    }
    let project = project("processes: 3\n");
    let ran = expect(&project, 0, &["run", "bench.yaml"]);
    assert!(
        ran.out.contains("rows_per_s (1/s, higher is better)"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("duration_s"), "{}", ran.out);
    let shown = project.expect(0, &["summarize", "bench"]).out;
    assert!(
        shown.contains("`summarize --all` shows them") && !shown.contains("\nextra"),
        "{shown}"
    );
    let all = project.expect(0, &["summarize", "bench", "--all"]).out;
    assert!(
        all.contains("\nextra") && all.contains("\nduration_s"),
        "{all}"
    );
    // What is no direction is told before anything runs, although the module is only read.
    project.write("m.py", &MODULE.replace("\"up\"", "\"upwards\""));
    let said = expect(&project, 2, &["check", "bench.yaml"]).err;
    assert!(
        said.contains("direction of 'rows_per_s' is 'up' or 'down'"),
        "{said}"
    );
}

#[test]
fn the_iterations_of_one_process_are_on_the_screen_with_an_interval() {
    if no_python() {
        return;
    }
    let project = project("processes: 1\n");
    let ran = expect(&project, 0, &["run", "bench.yaml"]).out;
    for word in [
        "iterations",
        "median",
        "p95",
        "leaves out how processes differ",
    ] {
        assert!(ran.contains(word), "{word}: {ran}");
    }
    assert!(!ran.contains("No interval"), "{ran}");
    let summary = project.expect(0, &["summarize", "bench", "--json"]).json();
    let of = &summary["cells"][0]["metrics"][0];
    let inside = &of["iterations"];
    assert_eq!((&of["n"], &inside["n"]), (&json!(1), &json!(4)), "{of}");
    assert_eq!(
        (&inside["min"], &inside["median"]),
        (&json!(101.0), &json!(102.5))
    );
    let interval = &inside["interval"]["interval"];
    assert!(
        interval["low"].as_f64().unwrap() > 100.0 && of["interval"].is_null(),
        "{of}"
    );
    // The spread of processes is what counts where there are several.
    let project = self::project("processes: 2\n");
    expect(&project, 0, &["run", "bench.yaml"]);
    let summary = project.expect(0, &["summarize", "bench", "--json"]).json();
    assert!(summary["cells"][0]["metrics"][0]["iterations"]["interval"].is_null());
}

#[test]
fn short_times_beside_a_long_one_have_their_digits() {
    if no_python() {
        return;
    }
    let project = project("processes: 3\n");
    project.write(
        "m.py",
        "from fairtrial import Experiment, register_experiment\n\n\
         @register_experiment(\"rows\")\nclass Rows(Experiment):\n    \"\"\"One long time.\"\"\"\n\
         \x20   def execute_once(self, context):\n        \
         long = context.seed == 1072 and context.iteration_index == 3\n        \
         return {\"duration_s\": 0.00684 if long else 2.1e-5 + 1e-9 * context.seed % 1e-6}\n",
    );
    let shown = expect(&project, 0, &["run", "bench.yaml"]).out;
    assert!(shown.contains(" 0.000021 "), "{shown}");
    let cut = |word: &str| word.trim_matches(['[', ']', ',']) == "0.00002";
    assert!(!shown.split_whitespace().any(cut), "{shown}");
}

#[test]
fn cases_are_rows_of_one_metric() {
    if no_python() {
        return;
    }
    let project = project("processes: 3\narms: {a: {speed: 100}, b: {speed: 200}}\n");
    expect(&project, 0, &["run", "bench.yaml"]);
    let shown = project
        .expect(0, &["summarize", "bench", "--by", "case"])
        .out;
    let (nine, ten) = (shown.find("size=9 kind=x"), shown.find("size=10 kind=x"));
    assert!(nine.is_some() && nine < ten, "{shown}");
    // A case has the direction of its metric, so that it is judged.
    let name = "rows_per_s{size=9 kind=x}";
    let judged = project
        .expect(0, &["compare", "bench", "--metric", name, "--json"])
        .json();
    let metric = &judged["contrasts"][0]["metrics"][0];
    assert_eq!(metric["metric"], name, "{judged}");
    assert_eq!(metric["direction"], "up", "{metric}");
    let result = &results(&project, "out")[0];
    assert_eq!(result["metrics"][name]["n"], 4, "{result}");
}

#[test]
fn a_metric_that_is_in_cases_alone_is_compared_in_each() {
    let spec = "experiment: perception_metrics\nparams: {agent_counts: [2, 4], radii: [1], storage_modes: [dense], \
                use_bilinear_list: [true], width: 20, height: 20}\noutput_dir: out\n\
                iterations: {warmup: 0, measured: 2}\narms: {a: {steps: 1}, b: {steps: 2}}\n";
    let project = Project::new();
    project.write("bench.yaml", spec);
    let ran = project.expect(0, &["run", "bench.yaml"]);
    assert!(
        !ran.out.contains("a list, which is no number"),
        "{}",
        ran.out
    );
    let metric = ["compare", "bench", "--metric", "observes_per_sec", "--json"];
    let judged = project.expect(0, &metric).json();
    let metrics = judged["contrasts"][0]["metrics"].as_array().unwrap();
    let names: Vec<&Value> = metrics.iter().map(|metric| &metric["metric"]).collect();
    let case = |agents| {
        json!(format!(
            "observes_per_sec{{agents={agents} radius=1 storage=dense sampling=bilinear}}"
        ))
    };
    assert_eq!(names, [&case(2), &case(4)], "{judged}");
    let judged = project.expect(0, &["compare", "bench", "--json"]).json();
    let metrics = judged["contrasts"][0]["metrics"].as_array().unwrap();
    assert_eq!(
        metrics.len(),
        1,
        "cases are compared where asked for: {judged}"
    );
    // Files of before, with cases in their names, are read as they are.
    let old = |value: f64| {
        let case = json!({"agents=2 radius=1 dense bilinear": {"observes_per_sec": value}});
        let one =
            |index: u64| json!({"index": index, "duration_s": 0.1, "metrics": {"cases": case}});
        json!({"name": "perception_metrics", "iteration_metrics": [one(0), one(1), one(2)]})
            .to_string()
    };
    project.write("old/a.json", &old(5.0));
    project.write("new/a.json", &old(6.0));
    let name = "cases.agents=2 radius=1 dense bilinear.observes_per_sec";
    let ran = project.expect(
        0,
        &[
            "compare",
            "old/a.json",
            "new/a.json",
            "--metric",
            name,
            "--json",
        ],
    );
    assert_eq!(ran.json()["contrasts"][0]["metrics"][0]["metric"], name);
}

#[test]
fn a_headline_that_is_in_cases_alone_is_shown_ranked_compared_and_drawn() {
    if no_python() {
        return;
    }
    let alone = MODULE.replace("\"rows_per_s\": rate, \"extra\"", "\"extra\"");
    let project = project("processes: 3\nsweep: {speed: [100, 200, 300]}\n");
    project.write("m.py", &alone);
    let ran = expect(&project, 0, &["run", "bench.yaml"]);
    assert!(
        ran.out.contains("rows_per_s (1/s, higher is better)") && ran.out.contains("size=9 kind=x"),
        "{}",
        ran.out
    );
    let told = "`rows_per_s` is reported per case only";
    assert!(
        ran.err.contains(told) || ran.out.contains(told),
        "{}{}",
        ran.out,
        ran.err
    );
    let shown = project.expect(0, &["summarize", "bench"]).out;
    assert!(
        shown.contains("rows_per_s (1/s, higher is better)") && !shown.contains("\nextra"),
        "{shown}"
    );
    for asked in [
        &["sweep", "bench"][..],
        &["sweep", "bench", "--metric", "rows_per_s"],
    ] {
        let shown = project.expect(0, asked).out;
        for case in ["size=9 kind=x", "size=10 kind=x"] {
            let best = format!("Best of 3 points by rows_per_s{{{case}}}: speed=300");
            assert!(shown.contains(&best), "{asked:?}\n{best}\n{shown}");
        }
        // The clocks are not what the experiment is about.
        assert!(!shown.contains("cpu_s"), "{shown}");
        let json = project.expect(0, &[asked, &["--json"]].concat()).json();
        assert_eq!(json["choices"].as_array().unwrap().len(), 2, "{json}");
    }
    let drawn = [
        "sweep",
        "bench",
        "--metric",
        "rows_per_s",
        "--output",
        "cases.svg",
    ];
    project.expect(0, &drawn);
    let picture = project.read("cases.svg");
    assert!(
        picture.contains("size=9 kind=x") && picture.contains("size=10 kind=x"),
        "{picture}"
    );
    // The same where arms are compared.
    let project = self::project("processes: 3\narms: {a: {speed: 100}, b: {speed: 200}}\n");
    project.write("m.py", &alone);
    expect(&project, 0, &["run", "bench.yaml"]);
    let judged = project.expect(0, &["compare", "bench", "--json"]).json();
    let metrics = judged["contrasts"][0]["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), 2, "{judged:#}");
    assert!(
        metrics.iter().all(|of| of["direction"] == "up"),
        "{judged:#}"
    );
}

#[test]
fn durations_of_a_sweep_are_never_below_zero() {
    if no_python() {
        return;
    }
    let project = project("processes: 2\nsweep: {speed: [100, 200]}\n");
    project.write(
        "m.py",
        "from fairtrial import Experiment, register_experiment\n\n\
         @register_experiment(\"rows\")\nclass Rows(Experiment):\n    \"\"\"Times that differ.\"\"\"\n\
         \x20   def __init__(self, speed: int = 100):\n        super().__init__({\"speed\": speed})\n\
         \x20   def execute_once(self, context):\n        return {\"duration_s\": 0.001 if context.seed == 1072 else 0.2}\n",
    );
    expect(&project, 0, &["run", "bench.yaml"]);
    let found = project.expect(0, &["sweep", "bench", "--json"]).json();
    let level = &found["sensitivity"][0]["parameters"][0]["arms"][0]["levels"][0];
    assert_eq!(found["sensitivity"][0]["metric"], "duration_s", "{found:#}");
    assert!(level["interval"]["low"].as_f64().unwrap() > 0.0, "{level}");
}

#[test]
fn the_traceback_is_where_the_message_says() {
    if no_python() {
        return;
    }
    let project = project("processes: 1\nparams: {boom: true}\n");
    let ran = expect(&project, 1, &["run", "bench.yaml"]);
    let command = "fairtrial logs bench --trial 0 --stderr";
    assert!(
        ran.out.contains("ValueError: no rows") && ran.out.contains(command),
        "{}",
        ran.out
    );
    let said = ran.out.matches("iteration 0: ValueError: no rows").count();
    assert_eq!(said, 1, "{}", ran.out);
    let log = project
        .expect(0, &["logs", "bench", "--trial", "0", "--stderr"])
        .out;
    assert!(
        log.contains("m.py\", line") && log.contains("Traceback"),
        "{log}"
    );
}
