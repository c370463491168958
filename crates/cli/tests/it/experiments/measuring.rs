//! How an experiment that says little is measured: in several processes, each warmed up and measured for a while; and
//! memory that is counted.

use super::python::{expect, no_python};
use super::results;
use crate::common::Project;
use serde_json::Value;

fn project(spec: &str) -> Project {
    let project = Project::new();
    project.write("bench.yaml", &format!("{spec}output_dir: out\n"));
    project
}

#[test]
fn without_seeds_an_experiment_runs_in_five_processes_which_are_what_is_compared() {
    let project = project(
        "experiment: observation_flow\nparams: {num_agents: 2, radius: 1}\niterations: {warmup: 1, measured: 3}\n\
         arms: {a: {steps: 1}, b: {steps: 4}}\n",
    );
    project.expect(0, &["run", "bench.yaml"]);
    let found = results(&project, "out");
    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|of| of["metrics"]["duration_s"]["n"] == 3));
    let said = project.expect(0, &["compare", "bench", "--json"]).out;
    let said: Value = serde_json::from_str(&said).unwrap();
    // Asked for, CPU time is compared in seconds, of which less is better.
    let cpu = project.expect(0, &["compare", "bench", "--metric", "cpu_s", "--json"]);
    let cpu: Value = serde_json::from_str(&cpu.out).unwrap();
    let cpu = &cpu["contrasts"][0]["metrics"][0];
    assert_eq!(
        (&cpu["unit"], &cpu["direction"]),
        (&"s".into(), &"down".into()),
        "{cpu}"
    );
    assert!(!cpu.to_string().contains("undeclared"), "{cpu}");
    // Fifteen iterations each, but five units: an iteration is inside of its process.
    let count = &said["contrasts"][0]["metrics"][0]["count"];
    assert_eq!(
        (&count["control"], &count["candidate"]),
        (&5.into(), &5.into()),
        "{said}"
    );
}

#[test]
fn one_process_is_possible_and_gives_no_verdict() {
    let project = project(
        "experiment: observation_flow\nparams: {num_agents: 2, radius: 1}\niterations: {warmup: 1, measured: 30}\n\
         processes: 1\narms: {a: {steps: 1}, b: {steps: 4}}\n",
    );
    project.expect(0, &["run", "bench.yaml"]);
    assert_eq!(results(&project, "out").len(), 2);
    let said = project.expect(0, &["compare", "bench"]);
    assert!(said.out.contains("insufficient"), "{}", said.out);
    let words: Vec<&str> = said.out.split_whitespace().collect();
    assert!(
        words.join(" ").contains("one process per side"),
        "{}",
        said.out
    );
    let both = project
        .command(&["check", "bench.yaml", "--set", "seeds=3"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&both.stderr);
    assert!(
        said.contains("`processes` and `seeds` do not go together"),
        "{said}"
    );
}

#[test]
fn without_measured_a_process_measures_for_about_min_time() {
    let project = project("experiment: noop\nprocesses: 1\niterations: {min_time: 200ms}\n");
    project.expect(0, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    let asked = &result["iterations"];
    let number = |name: &str| {
        asked[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name} in {asked}"))
    };
    // A no-op is far too short for the clock: many are timed together, and the time is that of one.
    assert!(number("inner") > 100.0, "{asked}");
    assert!(
        number("measured") >= 2.0 && number("measured") <= 1000.0,
        "{asked}"
    );
    assert!(
        number("warmup") >= 3.0 && asked["stable"].is_boolean(),
        "{asked}"
    );
    assert_eq!(result["metrics"]["duration_s"]["n"], asked["measured"]);
    let one = result["metrics"]["duration_s"]["median"].as_f64().unwrap();
    let timed = one * number("inner") * number("measured");
    assert!(one < 1e-4 && timed > 0.01, "{one} {timed}");
    assert!(
        one * number("inner") >= 500.0 * number("clock_step_s"),
        "{one} {asked}"
    );
}

#[test]
fn workers_say_the_pace_of_the_machine() {
    let spec = "experiment: noop\nprocesses: 2\niterations: {warmup: 0, measured: 3}\n";
    let native = project(spec);
    expect(&native, 0, &["run", "bench.yaml"]);
    let mut found = results(&native, "out");
    if !no_python() {
        let interpreted = project(&spec.replace("noop", "nothing\nexperiments: {python: [m]}"));
        interpreted.write(
            "m.py",
            "from fairtrial import Experiment, register_experiment\n\n\
             @register_experiment(\"nothing\")\nclass Nothing(Experiment):\n    \"\"\"Nothing.\"\"\"\n\
             \x20   def execute_once(self, context):\n        return {}\n",
        );
        expect(&interpreted, 0, &["run", "bench.yaml"]);
        found.extend(results(&interpreted, "out"));
    }
    for result in found {
        let paced = &result["metrics"]["paced_s"];
        assert_eq!(paced["n"], 3, "{result}");
        // The same factor in every iteration of a process.
        let share = |of: &str| {
            let [cpu, paced] =
                ["cpu_s", "paced_s"].map(|name| result["metrics"][name][of].as_f64());
            paced.unwrap() / cpu.unwrap()
        };
        assert!(
            (share("mean") / share("max") - 1.0).abs() < 1e-9,
            "{result}"
        );
    }
}

#[test]
fn known_structures_have_their_size_and_none_has_no_bytes() {
    let project = project(
        "experiment: spatial_memory_profiler\nparams: {agent_counts: [100, 1000], world_sizes: [100], steps: 3}\n\
         iterations: {warmup: 1, measured: 2}\nseed: 1\ninstrumentation: [timing, memory]\n",
    );
    project.expect(0, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    let metrics = result["metrics"].as_object().unwrap();
    let bytes = |name: &str| metrics[name]["mean"].as_f64().unwrap();
    let close = |name: &str, computed: f64| {
        let found = bytes(name);
        assert!(
            (found / computed - 1.0).abs() < 0.05,
            "{name}: {found} {computed}"
        );
    };
    close("bytes{structure=list n=1000 world=100}", 24e3);
    close("bytes{structure=numpy_array n=1000 world=100}", 16e3);
    close("bytes{structure=dict n=1000 world=100}", 2048.0 * 25.0);
    for (name, _) in metrics.iter().filter(|(name, _)| name.starts_with("bytes")) {
        assert!(bytes(name) > 0.0, "{name}");
    }
    assert!(
        result["instruments"]["memory"]["peak_bytes"]
            .as_f64()
            .unwrap()
            > 1000.0
    );
}

#[test]
fn memory_of_a_python_experiment_is_counted() {
    if no_python() {
        return;
    }
    let project = project(
        "experiment: blocks\nexperiments: {python: [blocks]}\nprocesses: 1\niterations: {measured: 2}\n\
         instrumentation: [timing, memory]\n",
    );
    project.write(
        "blocks.py",
        "from fairtrial import Experiment, register_experiment\n\n\
         @register_experiment(\"blocks\")\nclass Blocks(Experiment):\n    \"\"\"Makes blocks.\"\"\"\n\
         \x20   def execute_once(self, context):\n        self.kept = bytearray(3_000_000)\n        gone = bytearray(20_000_000)\n\
         \x20       return {\"size\": len(gone)}\n",
    );
    expect(&project, 0, &["run", "bench.yaml"]);
    let found = &results(&project, "out")[0]["instruments"]["memory"];
    let close = |name: &str, computed: f64| {
        let bytes = found[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name} in {found}"));
        assert!((bytes / computed - 1.0).abs() < 0.05, "{name} in {found}");
    };
    close("peak_bytes", 23e6);
    close("kept_bytes", 3e6);
    assert!(
        found["peak_resident_bytes"].as_f64().unwrap() > 20e6,
        "{found}"
    );
}

#[test]
fn output_folders_are_sides_whose_processes_are_compared() {
    let spec = |steps: u32, out: &str| {
        format!(
            "experiment: observation_flow\nparams: {{num_agents: 2, radius: 1, steps: {steps}}}\noutput_dir: {out}\n\
             iterations: {{measured: 2}}\n"
        )
    };
    let project = Project::new();
    for (steps, out) in [(1, "before"), (4, "after"), (2, "other")] {
        project.write("bench.yaml", &spec(steps, out));
        project.expect(0, &["run", "bench.yaml"]);
    }
    let said = project
        .expect(0, &["compare", "before", "after", "--json"])
        .json();
    let count = &said["contrasts"][0]["metrics"][0]["count"];
    assert_eq!(
        (&count["control"], &count["candidate"]),
        (&5.into(), &5.into()),
        "{said}"
    );
    // Other parameters are no further processes.
    project.write("bench.yaml", &spec(1, "other"));
    project.expect(0, &["run", "bench.yaml"]);
    let mixed = project
        .command(&["compare", "before", "other"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&mixed.stderr);
    assert!(
        !mixed.status.success() && said.contains("of other parameters, unlike the first"),
        "{said}"
    );
}
