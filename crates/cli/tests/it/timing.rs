//! Specs about times: wall time as a metric, one trial at a time, warm-ups, output that is thrown away.

use crate::common::Project;

#[test]
fn a_time_has_its_unit_and_direction_and_is_measured_one_trial_at_a_time() {
    let project = Project::with_spec(
        "parallel = 4\nseeds = 8\ncommand = \"sleep {s}\"\n[arms.a]\ns = 0.001\n[arms.b]\ns = 0.05\n\
         [metrics.time]\nfrom = \"resource:wall\"\nmargin = \"1%\"\n",
    );
    let checked = project.run(&["check", "bench.toml"]);
    let wanted = "trials run one at a time, because trials beside each other would be in each other's `time`";
    assert!(
        checked.err.contains(wanted),
        "{}{}",
        checked.out,
        checked.err
    );
    let ran = project.expect(0, &["run", "bench.toml", "--parallel", "3"]);
    let wanted = "trials run one at a time, because the spec is about times";
    assert!(ran.err.contains(wanted), "{}", ran.err);
    let opened = &project.journal("bench")[0];
    assert_eq!(opened["parallel"], 1, "{opened}");
    let compared = project.expect(0, &["compare", "bench", "--json"]).json();
    let text = compared.to_string();
    assert!(text.contains("regressed"), "{text}");
    assert!(text.contains("\"unit\":\"s\""), "{text}");
    // As the user says.
    let told = Project::with_spec(
        "parallel = 2\nserial = false\nseeds = 1\ncommand = \"true\"\n[metrics.time]\nfrom = \"resource:wall\"\n",
    );
    told.expect(0, &["run", "bench.toml"]);
    assert_eq!(told.journal("bench")[0]["parallel"], 2);
}

#[test]
fn where_no_metric_is_reported_wall_times_are_compared() {
    // So far apart that a busy machine cannot hide it.
    let project = Project::with_spec(
        "parallel = 1\nseeds = 8\ncommand = \"sleep {s}\"\n[arms.a]\ns = 0.001\n[arms.b]\ns = 0.5\n",
    );
    let ran = project.expect(0, &["run", "bench.toml"]);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("so their wall times are compared"), "{said}");
    assert!(said.to_lowercase().contains("regressed"), "{said}");
    assert!(!said.contains("no verdict"), "{said}");
    project.expect(0, &["report", "bench"]);
}

#[test]
fn a_program_warms_up_before_the_first_trial_of_each_arm() {
    let project = Project::with_spec(
        "seeds = 2\nserial = true\nwarmup = 3\nshell = true\n\
         command = \"echo {arm} >> runs; mkdir {dir}/own; echo {{\\\\\\\"m\\\\\\\": 1}} >> $FAIRTRIAL_METRICS\"\n[arms.a]\n[arms.b]\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let runs = project.read("runs");
    let of = |arm: &str| runs.lines().filter(|line| *line == arm).count();
    assert_eq!((of("a"), of("b")), (5, 5), "{runs}");
    let folders = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    assert_eq!(folders.count(), 4, "no warm-up leaves a folder");
    let listed = project.expect(0, &["list", "--json"]).json();
    assert_eq!(listed[0]["counts"]["ok"], 4, "{listed}");
}

#[test]
fn output_may_be_thrown_away() {
    let project = Project::with_spec(
        "output = \"discard\"\nshell = true\ncommand = \"test /dev/stdout -ef /dev/null && echo null >&2; echo gone\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let trial = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    let logs = trial.last().unwrap().unwrap().path().join("logs");
    let log = |name: &str| std::fs::read_to_string(logs.join(name)).unwrap();
    assert_eq!(log("stdout.log"), "");
    assert_eq!(log("stderr.log"), "null\n");
    let project = Project::with_spec(
        "output = \"discard\"\ncommand = \"echo 1\"\n[metrics.m]\nfrom = \"stdout:([0-9]+)\"\n",
    );
    let checked = project.run(&["check", "bench.toml"]);
    assert_ne!(checked.code, 0);
    let wanted = "`m` is read from the output that is thrown away";
    assert!(
        checked.err.contains(wanted),
        "{}{}",
        checked.out,
        checked.err
    );
}
