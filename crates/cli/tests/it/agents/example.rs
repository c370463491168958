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
    let ended = run(&["run", spec]);
    assert!(ended.out.lines().count() <= 15, "{}", ended.out);
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
    // The report shows who solves what, at what cost, and each rollout down to what it changed.
    let [page, pages] = ["report.html", "pages"].map(|name| lab.project.path().join(name));
    let [html, bundle] = [&page, &pages].map(|path| path.to_str().unwrap());
    run(&["report", "agents", "--html", html, "--bundle", bundle]);
    let whole = std::fs::read_to_string(&page).unwrap();
    for part in [
        "pass@k",
        "pass^k",
        "$ per solved",
        "Flaky: hasty solves count in 3 of 6 rollouts",
        "Arms by score",
        "score: task by task",
        "Cost against score",
        "<span class=\"diff-add\">",
        "scoring_results.md",
    ] {
        assert!(whole.contains(part), "{part}");
    }
    assert!(!whole.contains("data-bundle"));
    let index = std::fs::read_to_string(pages.join("index.html")).unwrap();
    assert!(index.contains("data-bundle=\"trials\""));
    assert_eq!(std::fs::read_dir(pages.join("trials")).unwrap().count(), 48);
    let one = std::fs::read_to_string(pages.join("trials/0.html")).unwrap();
    assert!(
        one.contains("default-src 'none'") && one.contains("diff-add"),
        "{one}"
    );
}
