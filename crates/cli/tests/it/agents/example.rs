//! The example of agent tasks, as its page says.

use super::lab::Lab;
use crate::common::Ran;
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn the_example_runs_and_its_tasks_are_sound() {
    let lab = Lab::new();
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents/agents.toml");
    let spec = spec.canonicalize().unwrap();
    let data = lab.project.path().join("data");
    let run = |args: &[&str]| {
        let mut command = lab.project.command(args);
        command.env("SANDBOX_BACKEND", "process");
        command.env("FAIRTRIAL_DATA", &data);
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, 0, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    };
    let spec = spec.to_str().unwrap();
    let checked = run(&["check", spec]);
    assert!(!checked.err.contains("warning"), "{}", checked.err);
    run(&["run", spec]);
    let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (row, _) in lab.rollouts("agents") {
        let arm = row["arm"].as_str().unwrap().to_owned();
        let score = row["metrics"]["score"].as_f64().unwrap();
        scores.entry(arm).or_default().push(score);
    }
    let mean = |arm: &str| scores[arm].iter().sum::<f64>() / scores[arm].len() as f64;
    assert_eq!(
        (mean("oracle"), mean("nop"), mean("careful")),
        (1.0, 0.0, 1.0)
    );
    assert!((mean("hasty") - 0.6).abs() < 1e-9, "{scores:?}");
    run(&["compare", "hasty", "careful", "--run", "agents"]);
    run(&["eval", "agents", "--latest"]);
}
