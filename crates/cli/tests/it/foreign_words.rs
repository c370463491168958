//! What is said of other tools' results where they lack what a command needs, or leave something open.

use crate::common::Project;
use crate::foreign::fixture;

#[test]
fn an_import_without_curves_is_none_for_commands_about_curves() {
    let project = Project::new();
    let log = fixture("inspect/arith_arm_a.json.gz");
    project.expect(0, &["import", &log, "--name", "arith"]);
    for args in [
        vec!["variance", "arith", "--metric", "score"],
        vec![
            "analyze",
            "--metric",
            "score",
            "--control-run-ids",
            "arith",
            "--candidate-run-ids",
            "arith",
        ],
    ] {
        let ran = project.expect(2, &args);
        assert!(ran.err.contains("imported without curves"), "{}", ran.err);
        assert!(!ran.err.contains("record.json"), "{}", ran.err);
    }
    project.expect(0, &["power", "arith", "--metric", "score"]);
}

#[test]
fn a_baseline_that_a_tool_does_not_keep_is_answered_with_those_it_keeps() {
    let project = Project::new();
    let folder = fixture("criterion");
    let ran = project.expect(2, &["gate", &folder, "--baseline", "main"]);
    assert!(
        ran.err.contains("there is no baseline `main`"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("it holds base, new"), "{}", ran.err);
}

#[test]
fn steps_of_a_training_are_no_result_and_what_else_could_decide_is_named() {
    let project = Project::new();
    let run = |name: &str| fixture(&format!("wandb/{name}.wandb"));
    let (control, candidate) = (run("run-vit_reset-s1072"), run("run-trxl-s1072"));
    let ran = project.run(&["compare", &control, &candidate]);
    assert!(ran.out.contains("overview/reward"), "{}", ran.out);
    assert!(!ran.out.contains("agent_step"), "{}", ran.out);
    assert!(
        ran.out
            .contains("nothing says which metric decides; there is also runtime (`--metric NAME`)"),
        "{}",
        ran.out
    );
    let asked = project.run(&["compare", &control, &candidate, "--metric", "agent_step"]);
    assert!(asked.out.contains("agent_step"), "{}", asked.out);
    assert!(!asked.out.contains("nothing says"), "{}", asked.out);
}
