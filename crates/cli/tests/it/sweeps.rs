//! Sweeps that end in a choice: the ranking, the confirmation on fresh seeds, and the plot.

use crate::common::Project;

const SPEC: &str = r#"
name = "grid"
seeds = 6
shell = true
command = "awk 'BEGIN { if ({depth} == 9) exit 3; srand({seed}); luck = rand(); srand({seed} * 7 + {salt} + {depth}); print \"score=\" luck + {gain} + ({lr} == 0.3) + {depth} / 10 + rand() / 20 }'"

[arms.control]
gain = 0
salt = 1
[arms.candidate]
gain = 0.5
salt = 2

[sweep]
lr = [0.1, 0.3]
depth = [2, 4]

[metrics.score]
from = "stdout:score=([0-9.]+)"
direction = "up"
"#;

#[test]
fn the_choice_is_confirmed_on_fresh_seeds_once() {
    let project = Project::with_spec(SPEC);
    let sweep = project.expect(0, &["run", "bench.toml", "--json"]).json();
    assert_eq!(
        sweep["choice"]["points"][0]["point"],
        serde_json::json!({"lr": 0.3, "depth": 4})
    );
    assert!(sweep["confirmation"].is_null());
    let words = |command: &[&str]| {
        let ran = project.expect(0, command);
        ran.out + &ran.err
    };
    let (page, table) = (["report", "grid", "--md", "page.md"], ["sweep", "grid"]);
    words(&page);
    for text in [project.read("page.md"), words(&table)] {
        // A name of its own: it must not be taken for the sweep.
        assert!(text.contains("--set name=grid-again"), "{text}");
    }

    // Asked for later: the sweep is kept as it is and only the confirmation runs.
    let confirm = [
        "run",
        "bench.toml",
        "--json",
        "--resume",
        "--set",
        "analysis.confirm=7",
    ];
    let first = project.expect(0, &confirm).json();
    let confirmation = &first["confirmation"];
    assert_eq!(
        (&first["ran"], &confirmation["ran"]),
        (&0.into(), &14.into())
    );
    let contrast = &confirmation["comparison"]["contrasts"][0];
    assert_eq!(contrast["metrics"][0]["verdict"]["word"], "improved");
    assert_eq!(contrast["metrics"][0]["count"]["control"], 7);
    let used = |name: &str| -> Vec<u64> {
        let records = project.journal(name).into_iter();
        records
            .filter_map(|line| {
                line["trial"]["seed"]
                    .as_u64()
                    .or(line["record"]["trial"]["seed"].as_u64())
            })
            .collect()
    };
    let (before, after) = (used("grid"), used("grid.confirm"));
    assert!(!before.is_empty() && !after.is_empty());
    assert!(
        after.iter().all(|seed| !before.contains(seed)),
        "{before:?} {after:?}"
    );

    let text = words(&table);
    assert!(text.contains("those of run grid.confirm 20"), "{text}");
    assert!(!text.contains("--set seeds"), "{text}");

    // Once more: nothing is left to do.
    let again = project.expect(0, &confirm).json();
    assert_eq!(again["confirmation"]["ran"], 0);
    assert_eq!(again["confirmation"]["stamp"], confirmation["stamp"]);
}

#[test]
fn a_failing_point_is_named_and_the_rest_are_ranked() {
    let project = Project::with_spec(&SPEC.replace("depth = [2, 4]", "depth = [2, 9]"));
    let ran = project.expect(1, &["run", "bench.toml"]);
    assert!(
        ran.out
            .contains("Best of 4 points by score: lr=0.3 depth=2"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("Without any value, so not ranked: lr=0.1 depth=9"),
        "{}",
        ran.out
    );
}

#[test]
fn a_budget_covers_the_confirmation_too() {
    let project = Project::with_spec(&format!(
        "{SPEC}\n[budget]\ntrials = 48\n[analysis]\nconfirm = 3\n"
    ));
    let ran = project.expect(1, &["run", "bench.toml"]);
    assert!(
        ran.err
            .contains("the sweep spent the whole budget of trials"),
        "{}",
        ran.err
    );
}

#[test]
fn the_sweep_command_ranks_explains_and_draws() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(
        0,
        &["sweep", "grid", "--output", "plot.svg", "--md", "sweep.md"],
    );
    assert!(ran.out.contains("score by depth"), "{}", ran.out);
    let plot = project.read("plot.svg");
    for part in ["score by lr", "score by depth", "control", "candidate"] {
        assert!(plot.contains(part), "{part}");
    }
    assert!(project.read("sweep.md").starts_with("# Sweep"));
    let json = project.expect(0, &["sweep", "grid", "--json"]).json();
    let lr = &json["sensitivity"][0]["parameters"][0]["arms"][0];
    assert_eq!(
        (&lr["balanced"], &lr["left_out"]),
        (&true.into(), &0.into())
    );
    let levels = lr["levels"].as_array().unwrap();
    let means: Vec<f64> = levels
        .iter()
        .map(|level| level["mean"].as_f64().unwrap())
        .collect();
    assert!((means[1] - means[0] - 1.0).abs() < 0.05, "{means:?}");
    let none = project.expect(2, &["sweep", "grid", "--metric", "loss"]);
    assert!(
        none.err.contains("no trial reports the metric `loss`"),
        "{}",
        none.err
    );
}

#[test]
fn the_example_of_the_guide_runs() {
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/sweep/sweep.toml"
    );
    let project = Project::new();
    project.write("sweep.toml", &std::fs::read_to_string(example).unwrap());
    let ran = project.expect(0, &["run", "sweep.toml"]);
    project.expect(0, &["report", "sweep", "--md", "page.md"]);
    let page = project.read("page.md");
    assert!(page.contains("fairtrial report sweep.confirm"), "{page}");
    assert!(
        ran.err
            .contains("confirming lr=0.003 depth=8 on 8 fresh seeds"),
        "{}",
        ran.err
    );
    project.expect(
        0,
        &[
            "sweep",
            "sweep",
            "--output",
            "sensitivity.svg",
            "--md",
            "sweep.md",
        ],
    );
}

/// `--set seeds` would plan the seeds of the sweep once more where tasks list their own.
#[test]
fn the_proposed_confirmation_runs_on_fresh_seeds_where_tasks_have_their_own() {
    let own = SPEC.replace("seeds = 6\n", "").replace(
        "shell = true\ncommand",
        "[[tasks]]\nid = \"t\"\nseeds = [1, 2, 3, 4, 5, 6]\nshell = true\ncommand",
    );
    let project = Project::with_spec(&own);
    let ran = project.expect(0, &["run", "bench.toml"]);
    let said = ran.err.replace('\n', " ");
    assert!(
        said.contains("run bench.toml --resume --set analysis.confirm=15 "),
        "{said}"
    );
    let proposed = [
        "run",
        "bench.toml",
        "--resume",
        "--set",
        "analysis.confirm=15",
    ];
    project.expect(0, &proposed);
    let seeds = |name: &str| -> std::collections::BTreeSet<u64> {
        let records = project.journal(name).into_iter();
        records
            .filter_map(|line| {
                line["record"]["trial"]["seed"]
                    .as_u64()
                    .or(line["trial"]["seed"].as_u64())
            })
            .collect()
    };
    let (before, after) = (seeds("grid"), seeds("grid.confirm"));
    assert!(
        !after.is_empty() && before.is_disjoint(&after),
        "{before:?} {after:?}"
    );
}

/// What is printed can be pasted, whatever the values of the best point are.
#[test]
fn the_proposed_confirmation_is_quoted_for_the_filter_and_the_shell() {
    let project = Project::with_spec(
        r#"
name = "quoted"
seeds = 4
shell = true
command = "awk 'BEGIN { srand({seed}); print \"score=\" {k} + rand() / 9 }'"

[sweep]
strategy = "zip"
k = [0, 1, 2]
w = ["relu", "relu|gelu", "it's, \"a|b\" and *"]

[metrics.score]
from = "stdout:score=([0-9.]+)"
direction = "up"
"#,
    );
    let ran = project.expect(0, &["run", "bench.toml"]);
    let said = ran.err.replace('\n', " ");
    let (_, command) = said.split_once("To confirm it on fresh seeds: ").unwrap();
    let (command, _) = command.split_once(" (or `confirm").unwrap();
    let again = project.shell(command);
    assert_eq!(again.code, 0, "{command}\n{}", again.err);
    let records = project.journal("quoted-again").into_iter();
    let points: Vec<_> = records
        .filter_map(|line| line["trial"]["point"]["k"].as_u64())
        .collect();
    assert_eq!(points, [2; 15], "{command}");
}
