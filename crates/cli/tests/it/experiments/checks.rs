//! What `check` says about experiments, parameters and instruments, as the user reads it.

use crate::common::Project;

fn refused(spec: &str) -> String {
    let project = Project::new();
    project.write("bench.yaml", spec);
    project.expect(2, &["check", "bench.yaml"]).err
}

#[test]
fn an_unknown_experiment_is_refused_with_the_nearest() {
    let said = refused("experiment: observaton_flow\n");
    assert!(
        said.contains("there is no experiment `observaton_flow`"),
        "{said}"
    );
    assert!(said.contains("did you mean `observation_flow`?"), "{said}");
}

#[test]
fn everything_wrong_with_parameters_is_said_at_once() {
    let said = refused(
        "experiment: observation_flow\nparams: {num_agent: 3, radius: 0, device: tpu, steps: [1, x]}\n\
         sweep: {fov_radius: [1, true]}\n",
    );
    for words in [
        "has no parameter `num_agent`",
        "did you mean `num_agents`?",
        "`radius`: expected a whole number of at least 1, found `0`",
        "`device`: expected one of cpu, found the text `tpu`",
        "`steps`: expected a whole number of at least 1, found the text `x`",
        "`fov_radius`: expected a number of at least 0, found `true`",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
}

#[test]
fn unknown_instruments_and_options_are_refused() {
    let said = refused(
        "experiment: noop\ninstrumentation: [timing, psutils, {name: psutil, interval: 5}, {name: psutil, interval_ms: 1}]\n",
    );
    for words in [
        "there is no instrument `psutils`",
        "did you mean `psutil`?",
        "the instrument `psutil` has no option `interval`",
        "`interval_ms`: expected a number from 10 to 86400000, found `1`",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
}

#[test]
fn times_that_no_clock_can_take_are_refused() {
    let said = refused(
        "experiment: system_profiler\nparams: {sampling_interval: 1e300}\n\
         instrumentation: [{name: psutil, interval_ms: 1e300}, {name: gpu, interval_ms: 1e300}, {name: perf, seconds: 1e300}]\n",
    );
    for (words, times) in [
        (
            "`interval_ms`: expected a number from 10 to 86400000, found",
            2,
        ),
        ("`seconds`: expected a number from 0.05 to 86400, found", 1),
        (
            "`sampling_interval`: expected a number from 0.001 to 86400, found",
            1,
        ),
    ] {
        assert_eq!(said.matches(words).count(), times, "{words}\n{said}");
    }
}

#[test]
fn a_list_is_swept_unless_the_parameter_is_one() {
    let project = Project::new();
    project.write(
        "bench.yaml",
        "experiment: perception_metrics\nprocesses: 1\nparams: {agent_counts: [2, 3], radii: 1, steps: [1, 2]}\n",
    );
    let plan = project.expect(0, &["plan", "bench.yaml", "--json"]).json();
    let trials = plan["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 2, "{plan}");
    assert!(
        trials
            .iter()
            .all(|trial| trial["point"].as_object().unwrap().len() == 1)
    );
}

#[test]
fn sources_that_cannot_be_read_are_pointed_at() {
    let said = refused("experiment: x\nexperiments: {rust: [./nowhere]}\n");
    assert!(
        said.contains("`./nowhere`: there is no such program"),
        "{said}"
    );
    let said = refused("experiment: x\nexperiments: {rust: [/bin/true]}\n");
    assert!(
        said.contains("the worker ended before it answered (exit code 0)"),
        "{said}"
    );
    let said = refused("experiment: x\nexperiments: {python: [a], interpreter: no-such-python}\n");
    assert!(
        said.contains("the Python interpreter `no-such-python` cannot be started"),
        "{said}"
    );
}

#[test]
fn experiments_are_listed_with_their_parameters() {
    let project = Project::new();
    let list = project.expect(0, &["list", "experiments"]).out;
    for words in [
        "memory_db",
        "num_steps=100",
        "[built in]",
        "instruments: timing, psutil",
    ] {
        assert!(list.contains(words), "{words}\n{list}");
    }
    let one = project
        .expect(0, &["list", "experiments", "pragma_profile"])
        .out;
    assert!(
        one.contains("one of balanced, performance, safety, memory"),
        "{one}"
    );
    let json = project.expect(0, &["list", "experiments", "--json"]).json();
    assert!(json["experiments"].as_array().unwrap().len() >= 12);
    project.expect(2, &["list", "experiments", "nothing"]);
}

#[test]
fn constraints_leave_out_combinations() {
    let project = Project::new();
    let spec = |constraint: &str| {
        format!(
            "experiment: observation_flow\nprocesses: 1\nparams: {{steps: 1}}\nsweep: {{radius: [2, 4, 6], fov_radius: [2, 4, 6]}}\n\
             constraints: [\"{constraint}\"]\n"
        )
    };
    project.write("bench.yaml", &spec("fov_radius <= radius"));
    let plan = project.expect(0, &["plan", "bench.yaml", "--json"]).json();
    assert_eq!(plan["trials"].as_array().unwrap().len(), 6, "{plan}");
    project.write("bench.yaml", &spec("radius > 100"));
    let said = project.expect(2, &["plan", "bench.yaml"]).err;
    assert!(
        said.contains("no combination of the parameters satisfies the constraints"),
        "{said}"
    );
    let said = refused(&spec("fov_radius <= radios"));
    assert!(said.contains("the constraint speaks of `radios`"), "{said}");
    assert!(said.contains("did you mean `radius`?"), "{said}");
    let said = refused(&spec("fov_radius <= "));
    assert!(
        said.contains("this constraint cannot be read: it ends too early"),
        "{said}"
    );
}

#[test]
fn the_points_of_a_sweep_are_those_of_the_original() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../../goldens/agentfarm/cartesian.json")).unwrap();
    let project = Project::new();
    let spec = serde_json::json!({
        "name": "points", "command": "true", "params": golden["base"], "sweep": golden["sweep"],
    });
    project.write("points.json", &spec.to_string());
    let plan = project.expect(0, &["plan", "points.json", "--json"]).json();
    let point = |params: &serde_json::Value| format!("{} {}", params["a"], params["b"]);
    let mut ours: Vec<String> = plan["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| point(&trial["point"]))
        .collect();
    let mut theirs: Vec<String> = golden["expanded_cartesian_in_order"]
        .as_array()
        .unwrap()
        .iter()
        .map(point)
        .collect();
    // The original runs them in the order of its product; here the order is random, so that drift hits all alike.
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs);
}
