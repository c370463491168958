//! Steps under their names, and what becomes of a curve that has none.

use super::{metric, trial};
use crate::collect::{Collected, collect};
use fairtrial_model::{MetricDeclaration, MetricSource, Resources};

fn csv(column: &str) -> MetricDeclaration {
    let (file, column) = ("progress.csv".to_owned(), column.to_owned());
    metric("reward", MetricSource::Csv { file, column })
}

fn summarised(mut metric: MetricDeclaration, summary: &str) -> MetricDeclaration {
    let summary = format!("{{\"type\": \"{summary}\"}}");
    metric.summary = Some(serde_json::from_str(&summary).unwrap());
    metric
}

fn collected(file: &str, text: &str, declared: MetricDeclaration) -> Collected {
    let dir = trial(&[(file, text)]);
    collect(dir.path(), &[declared], &Resources::default())
}

/// A reward that rises late: over the steps it has an area of 0.05, over the rows one of 0.25.
const PROGRESS: &str = "rollout/ep_rew_mean,time/fps,time/total_timesteps,train/loss\n\
                        0,10,0,\n0,10,900,0.5\n,10,950,0.25\n1,10,1000,\n";

#[test]
fn a_table_of_stable_baselines_is_read_over_its_timesteps() {
    let declared = summarised(csv("rollout/ep_rew_mean"), "auc");
    let found = collected("progress.csv", PROGRESS, declared);
    assert_eq!(found.missing, Vec::<String>::new());
    let series = &found.series["reward"];
    assert_eq!(series.step.as_deref(), Some("time/total_timesteps"));
    // The row without a value is no point.
    assert_eq!(series.points, 3);
    assert_eq!((series.first_step.0, series.last_step.0), (0.0, 1000.0));
    let auc = found.metrics["reward"].0;
    assert!((auc - 0.05).abs() < 1e-12, "{auc}");
}

#[test]
fn a_declared_column_is_the_step_and_rows_without_it_are_told() {
    let table = "step,frames,reward\n1,100,5\n2,,6\n3,300,7\n";
    let mut declared = summarised(csv("reward"), "mean");
    declared.step = Some("frames".to_owned());
    let found = collected("progress.csv", table, declared);
    assert_eq!(found.series["reward"].last_step.0, 300.0);
    assert_eq!(found.metrics["reward"].0, 6.0);
    assert_eq!(
        found.notes,
        ["metric `reward`: 1 values in progress.csv have no step and were left out"]
    );
}

#[test]
fn without_steps_a_curve_has_no_area_but_has_a_largest_value() {
    let table = "reward,loss\n1,9\n3,8\n2,7\n";
    let found = collected("progress.csv", table, summarised(csv("reward"), "auc"));
    assert!(found.metrics.is_empty());
    let said = &found.missing[0];
    assert!(
        said.contains(
            "no auc of progress.csv: its values have no steps (its columns are reward, loss)"
        ),
        "{said}"
    );
    assert!(said.contains("`step` in [metrics.reward]"), "{said}");
    let found = collected("progress.csv", table, summarised(csv("reward"), "max"));
    assert_eq!(found.metrics["reward"].0, 3.0);
    assert_eq!(found.series["reward"].step, None);
}

#[test]
fn lines_are_read_over_the_key_that_programs_use() {
    for key in [
        "global_step",
        "total_timesteps",
        "iteration",
        "epoch",
        "train/total_timesteps",
    ] {
        let lines = format!(
            "{{\"{key}\": 0, \"m\": 0}}\n{{\"{key}\": 90, \"m\": 0}}\n{{\"{key}\": 100, \"m\": 1}}\n"
        );
        let declared = summarised(metric("m", MetricSource::Reported), "auc");
        let found = collected("metrics.jsonl", &lines, declared);
        assert_eq!(found.series["m"].step.as_deref(), Some(key));
        assert!((found.metrics["m"].0 - 0.05).abs() < 1e-12, "{key}");
        assert!(!found.metrics.contains_key(key), "the step is no metric");
    }
}

#[test]
fn a_series_keeps_its_kind_of_step_and_a_metric_is_no_step() {
    let lines = "{\"epoch\": 1, \"val\": 5}\n{\"global_step\": 100, \"epoch\": 1, \"loss\": 2}\n\
                 {\"global_step\": 200, \"epoch\": 2, \"loss\": 1, \"val\": 6}\n{\"epoch\": 3}\n";
    let found = collected(
        "metrics.jsonl",
        lines,
        metric("loss", MetricSource::Reported),
    );
    assert_eq!(found.series["loss"].step.as_deref(), Some("global_step"));
    assert_eq!(found.series["val"].step.as_deref(), Some("epoch"));
    assert_eq!(found.series["val"].last_step.0, 2.0);
    // Where there is a better name, the other one is a number like any other.
    assert_eq!(found.metrics["epoch"].0, 3.0);
    let found = collected(
        "metrics.jsonl",
        lines,
        metric("epoch", MetricSource::Reported),
    );
    assert_eq!(found.metrics["epoch"].0, 3.0);
    assert_eq!(found.series["epoch"].points, 2);
}

#[test]
fn several_values_without_a_step_have_an_order_and_one_is_said_to_be_final() {
    let lines = "{\"m\": 4}\n{\"m\": 9}\n{\"m\": 5}\n";
    let reported = || metric("m", MetricSource::Reported);
    let found = collected("metrics.jsonl", lines, summarised(reported(), "max"));
    assert_eq!(found.metrics["m"].0, 9.0);
    let found = collected("metrics.jsonl", lines, reported());
    assert_eq!((found.metrics["m"].0, found.series.len()), (5.0, 0));
    let found = collected("metrics.jsonl", lines, summarised(reported(), "auc"));
    assert!(
        found.missing[0].contains("its lines have no key for them"),
        "{:?}",
        found.missing
    );
    let found = collected(
        "metrics.jsonl",
        "{\"m\": 4}\n",
        summarised(reported(), "auc"),
    );
    assert_eq!(found.metrics["m"].0, 4.0);
    assert_eq!(
        found.notes,
        ["metric `m`: there is one final value and no series, so that it stands for the auc"]
    );
}

#[test]
fn several_metrics_are_made_from_one_key() {
    let source = || MetricSource::Jsonl {
        file: "metrics.jsonl".to_owned(),
        key: "reward".to_owned(),
    };
    let dir = trial(&[(
        "metrics.jsonl",
        "{\"step\": 1, \"reward\": 7}\n{\"step\": 2, \"reward\": 3}\n",
    )]);
    let declared = [
        summarised(metric("best", source()), "max"),
        summarised(metric("mean", source()), "mean"),
    ];
    let found = collect(dir.path(), &declared, &Resources::default());
    assert_eq!(
        (found.metrics["best"].0, found.metrics["mean"].0),
        (7.0, 5.0)
    );
    assert!(!found.metrics.contains_key("reward"));
}
