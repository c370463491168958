//! Every source of a metric, and what happens when it is not there.

mod steps;

use super::collect;
use fairtrial_model::{MemorySource, MetricDeclaration, MetricSource, Resources, TrackerKind};
use std::fs;
use std::path::Path;

fn metric(name: &str, source: MetricSource) -> MetricDeclaration {
    MetricDeclaration {
        source,
        required: true,
        ..MetricDeclaration::named(name)
    }
}

fn trial(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn a_reason_may_be_longer_than_other_words() {
    let long = "x".repeat(1000);
    let lines = format!("{{\"note\": \"{long}\", \"fairtrial.infra\": \"{long}\"}}\n");
    let dir = trial(&[("metrics.jsonl", &lines)]);
    let found = collect(dir.path(), &[], &Resources::default());
    assert_eq!(found.facts["note"].len(), 300);
    assert_eq!(found.facts["fairtrial.infra"], long);
}

#[test]
fn reported_lines_give_series_and_final_values() {
    let lines = "{\"step\": 1, \"reward\": 0.5, \"loss\": NaN}\n\nnot json\n{\"step\": 2, \"reward\": 0.75}\n{\"score\": 3}\n{\"score\": 4, \"note\": \"x\"}\n";
    let dir = trial(&[("metrics.jsonl", lines)]);
    let found = collect(dir.path(), &[], &Resources::default());
    assert_eq!(found.metrics["reward"].0, 0.75);
    assert_eq!(found.metrics["score"].0, 4.0);
    assert!(found.metrics["loss"].0.is_nan());
    assert_eq!(found.series["reward"].points, 2);
    assert!(!found.series.contains_key("score") && !found.metrics.contains_key("note"));
    // Words are kept as what the trial says about itself.
    assert_eq!(found.facts["note"], "x");
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert!(found.notes[0].contains("line 3"));
}

#[test]
fn every_source_is_read() {
    let dir = trial(&[
        ("scores.csv", "name, value\na, 1.5\n"),
        ("curve.csv", "step,value\n10,1\n20,2\n"),
        (
            "out/result.json",
            "{\"scores\": [0, -Infinity], \"top\": true}",
        ),
        ("logs/stdout.log", "loss=3\nloss=2.5\n"),
        ("logs/stderr.log", "took 12 ms"),
        ("model.bin", "12345"),
    ]);
    let csv = |file: &str| MetricSource::Csv {
        file: file.into(),
        column: "value".into(),
    };
    let json = |pointer: &str| MetricSource::Json {
        file: "out/result.json".into(),
        pointer: pointer.into(),
    };
    let declared = [
        metric("csv", csv("scores.csv")),
        metric("curve", csv("curve.csv")),
        metric("pointer", json("/scores/1")),
        metric("key", json("top")),
        metric(
            "stdout",
            MetricSource::Stdout {
                pattern: r"loss=([\d.]+)".into(),
            },
        ),
        metric(
            "stderr",
            MetricSource::Stderr {
                pattern: r"(\d+) ms".into(),
            },
        ),
        metric(
            "size",
            MetricSource::Size {
                file: "model.bin".into(),
            },
        ),
        metric(
            "cpu",
            MetricSource::Resource {
                field: "cpu".into(),
                less: 0.0,
            },
        ),
    ];
    let resources = Resources {
        user: Some(1.0),
        sys: Some(0.5),
        ..Resources::default()
    };
    let found = collect(dir.path(), &declared, &resources);
    let value = |name: &str| found.metrics.get(name).map(|number| number.0);
    assert_eq!(found.missing, Vec::<String>::new());
    assert_eq!(value("csv"), Some(1.5));
    assert_eq!(value("curve"), Some(2.0));
    assert_eq!(found.series["curve"].last_step.0, 20.0);
    assert_eq!(value("pointer"), Some(f64::NEG_INFINITY));
    assert_eq!(value("key"), Some(1.0));
    assert_eq!(value("stdout"), Some(2.5));
    assert_eq!(value("stderr"), Some(12.0));
    assert_eq!(value("size"), Some(5.0));
    assert_eq!(value("cpu"), Some(1.5));
}

#[test]
fn what_is_required_and_missing_is_named_with_its_place() {
    let dir = trial(&[
        ("r.json", "{\"a\": \"high\"}"),
        ("logs/stdout.log", "nothing"),
    ]);
    let optional = MetricDeclaration {
        required: false,
        ..metric("opt", MetricSource::Reported)
    };
    let declared = [
        metric(
            "a",
            MetricSource::Json {
                file: "r.json".into(),
                pointer: "a".into(),
            },
        ),
        metric("b", MetricSource::Reported),
        metric(
            "c",
            MetricSource::Stdout {
                pattern: "x=(.*)".into(),
            },
        ),
        metric(
            "w",
            MetricSource::Tracked {
                tracker: TrackerKind::Wandb,
                folder: "wandb".into(),
                key: "w".into(),
            },
        ),
        optional,
    ];
    let found = collect(dir.path(), &declared, &Resources::default());
    assert_eq!(
        found.missing,
        [
            "`a` (no number at `a` in r.json)",
            "`b` (metrics.jsonl is not there)",
            "`c` (nothing in logs/stdout.log matches `x=(.*)`)",
            "`w` (wandb is not there)",
        ]
    );
    assert!(found.metrics.is_empty() && found.notes.is_empty());
}

/// The test hangs where a log that the program replaced by a pipe is waited at.
#[test]
fn a_log_that_has_no_end_gives_no_value() {
    let dir = trial(&[("logs/other.log", "")]);
    let log = dir.path().join("logs/stdout.log");
    let made = std::process::Command::new("mkfifo").arg(&log).status();
    assert!(made.unwrap().success());
    let pattern = "x=(.*)".to_owned();
    let (marker, column) = ("Stats".to_owned(), "a".to_owned());
    let declared = [
        metric("a", MetricSource::Stdout { pattern }),
        metric("b", MetricSource::Block { marker, column }),
    ];
    let found = collect(dir.path(), &declared, &Resources::default());
    let why = "(logs/stdout.log: it is not a regular file)";
    let missing = ["a", "b"].map(|name| format!("`{name}` {why}"));
    assert_eq!(found.missing, missing);
}

#[test]
fn episodes_blocks_and_conversions() {
    use fairtrial_model::{EpisodeFile, Grouping, Measure, MeasureKind};
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("logs")).unwrap();
    std::fs::create_dir_all(dir.path().join("out/exp")).unwrap();
    std::fs::write(
        dir.path().join("logs/stdout.log"),
        "Benchmark Stats\na,b\n1,2\nnoise\nBenchmark Stats\na,b\n90,\"4\"\n",
    )
    .unwrap();
    std::fs::write(
        dir.path().join("out/exp/eval.csv"),
        "word,n\nx-y,1\nz,2\nx-y,4\n",
    )
    .unwrap();
    let over = |kind: MeasureKind| MetricSource::Episodes {
        episodes: Box::new(EpisodeFile {
            name: "eval".into(),
            file: "**/eval.csv".into(),
            grouping: Grouping::EachRow,
            values: Vec::new(),
            identity: Vec::new(),
        }),
        measure: Measure {
            kind,
            select: None,
            filter: Vec::new(),
            per: None,
            empty: None,
        },
    };
    let block = |column: &str| MetricSource::Block {
        marker: "Benchmark Stats".into(),
        column: column.into(),
    };
    let mut minutes = metric("minutes", block("a"));
    minutes.convert = Some("s to min".parse().unwrap());
    let mut mean = metric("mean", over(MeasureKind::Mean("n".into())));
    mean.round = Some(1);
    let declared = [
        minutes,
        metric("b", block("b")),
        metric("none", block("c")),
        mean,
        metric("words", over(MeasureKind::Distinct("word".into()))),
        metric("gone", over(MeasureKind::Sum("m".into()))),
    ];
    let found = collect(dir.path(), &declared, &Resources::default());
    let value = |name: &str| found.metrics[name].0;
    assert_eq!((value("minutes"), value("b")), (1.5, 4.0));
    assert_eq!((value("mean"), value("words")), (2.3, 2.0));
    assert_eq!(found.notes, ["metric `words`: x-y, z"]);
    assert_eq!(
        found.missing,
        [
            "`none` (no `c` under `Benchmark Stats` in logs/stdout.log)",
            "`gone` (no column `m` in **/eval.csv)"
        ]
    );
}

#[test]
fn a_metric_without_a_number_says_what_stands_in_its_place() {
    let cases = [
        (
            "{\"m\": null}\n",
            "`m` in metrics.jsonl is no number but `null`",
        ),
        (
            "{\"m\": \"high\"}\n",
            "`m` in metrics.jsonl is no number but the words `high`",
        ),
        (
            "{\"k\": 1}\n{\"m\": }\n",
            "no `m` in metrics.jsonl, of which line 2 cannot be read as JSON",
        ),
        ("{\"k\": 1}\n", "no `m` in metrics.jsonl"),
    ];
    for (lines, why) in cases {
        let dir = trial(&[("metrics.jsonl", lines)]);
        let declared = [metric("m", MetricSource::Reported)];
        let found = collect(dir.path(), &declared, &Resources::default());
        assert_eq!(found.missing, [format!("`m` ({why})")]);
    }
}

#[test]
fn what_is_no_regular_file_is_neither_waited_at_nor_read() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("metrics.jsonl")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(dir.path().join("pipe.json"))
        .status();
    assert!(made.unwrap().success());
    let from_pipe = MetricSource::Json {
        file: "pipe.json".to_owned(),
        pointer: "x".to_owned(),
    };
    let asked = [
        metric("score", MetricSource::Reported),
        metric("x", from_pipe),
    ];
    let found = collect(dir.path(), &asked, &Resources::default());
    assert_eq!(found.metrics.len(), 0);
    assert_eq!(found.missing.len(), 2, "{:?}", found.missing);
    let said = format!("{:?} {:?}", found.missing, found.notes);
    assert!(said.contains("not a regular file"), "{said}");
}

#[test]
fn a_number_too_large_for_one_costs_no_line() {
    let dir = trial(&[
        ("metrics.jsonl", "{\"reward\": 1e400, \"loss\": 2}\n"),
        ("more.jsonl", "{\"step\": 1, \"low\": -1e999}\n"),
        ("r.json", "{\"top\": [1e400]}"),
    ]);
    let jsonl = MetricSource::Jsonl {
        file: "more.jsonl".into(),
        key: "low".into(),
    };
    let json = MetricSource::Json {
        file: "r.json".into(),
        pointer: "/top/0".into(),
    };
    let declared = [
        metric("reward", MetricSource::Reported),
        metric("low", jsonl),
        metric("top", json),
    ];
    let found = collect(dir.path(), &declared, &Resources::default());
    assert_eq!(found.missing, Vec::<String>::new());
    assert_eq!(found.notes, Vec::<String>::new());
    let value = |name: &str| found.metrics[name].0;
    assert_eq!((value("reward"), value("loss")), (f64::INFINITY, 2.0));
    assert_eq!(value("low"), f64::NEG_INFINITY);
    assert_eq!(value("top"), f64::INFINITY);
}

#[test]
fn a_byte_order_mark_costs_no_line() {
    let dir = trial(&[("metrics.jsonl", "\u{feff}{\"score\": 3}\n")]);
    let found = collect(dir.path(), &[], &Resources::default());
    assert_eq!(found.metrics["score"].0, 3.0);
}

#[test]
fn a_bound_of_the_peak_of_memory_is_no_value() {
    let dir = trial(&[]);
    let source = MetricSource::Resource {
        field: "peak_memory".to_owned(),
        less: 0.0,
    };
    let asked = [metric("memory", source)];
    let with = |source| Resources {
        peak_memory_bytes: Some(5000),
        peak_memory_source: Some(source),
        ..Resources::default()
    };
    let bound = collect(dir.path(), &asked, &with(MemorySource::RusageFloor));
    assert!(bound.metrics["memory"].0.is_nan());
    let seen = collect(dir.path(), &asked, &with(MemorySource::Cgroup));
    assert_eq!(seen.metrics["memory"].0, 5000.0);
}

/// Points at 0, 10, ... 40 with their step as value.
fn reduced(summary: &str) -> super::Collected {
    let line = |step: u32| format!("{{\"step\": {step}, \"m\": {step}}}");
    let lines = [0, 10, 20, 30, 40].map(line).join("\n");
    let dir = trial(&[("metrics.jsonl", &lines)]);
    let mut declared = metric("m", MetricSource::Reported);
    declared.summary = Some(serde_json::from_str(summary).unwrap());
    collect(dir.path(), &[declared], &Resources::default())
}

#[test]
fn a_window_has_two_ends_of_which_one_may_be_the_curves() {
    for (summary, value) in [
        (r#"{"type": "mean", "step_min": 20}"#, 30.0),
        (r#"{"type": "mean", "step_max": 20}"#, 10.0),
        (r#"{"type": "max", "step_max": 25}"#, 20.0),
        (r#"{"type": "min", "step_min": 15}"#, 20.0),
        (r#"{"type": "auc", "step_min": 15}"#, 27.5),
        // Only what was logged has a weight: 30 and 40.
        (r#"{"type": "mean", "percent": 0.3}"#, 35.0),
        (r#"{"type": "auc", "percent": 0.3}"#, 34.0),
    ] {
        let found = reduced(summary);
        assert_eq!(found.metrics["m"].0, value, "{summary}");
    }
    let outside = reduced(r#"{"type": "mean", "step_min": 20, "step_max": 99}"#);
    assert!(outside.metrics.is_empty());
    let empty = reduced(r#"{"type": "mean", "step_min": 21, "step_max": 29}"#);
    assert!(empty.metrics.is_empty());
}

#[test]
fn a_threshold_that_is_not_reached_leaves_its_last_step_marked() {
    let found = reduced(r#"{"type": "time_to", "threshold": 25}"#);
    assert_eq!(found.metrics["m"].0, 30.0);
    assert!(!found.series["m"].not_reached && found.notes.is_empty());
    let found = reduced(r#"{"type": "time_to", "threshold": 99}"#);
    assert_eq!(found.metrics["m"].0, 40.0);
    assert!(found.series["m"].not_reached);
    assert_eq!(found.notes, ["`m` was not reached by step 40"]);
}

#[test]
fn one_number_has_no_steps_to_count() {
    let dir = trial(&[("metrics.jsonl", "{\"m\": 9}\n")]);
    let mut declared = metric("m", MetricSource::Reported);
    declared.required = true;
    let summary = r#"{"type": "time_to", "threshold": 8}"#;
    declared.summary = Some(serde_json::from_str(summary).unwrap());
    let found = collect(dir.path(), &[declared], &Resources::default());
    assert!(found.metrics.is_empty());
    assert!(
        found.missing[0].contains("one number and no series"),
        "{:?}",
        found.missing
    );
}

#[test]
fn the_steps_of_a_series_are_its_first_and_last_whatever_came_last() {
    let lines = "{\"step\": 5, \"m\": 1}\n{\"step\": 9, \"m\": 2}\n{\"step\": 2, \"m\": 3}\n";
    let dir = trial(&[("metrics.jsonl", lines)]);
    let found = collect(
        dir.path(),
        &[metric("m", MetricSource::Reported)],
        &Resources::default(),
    );
    let series = &found.series["m"];
    assert_eq!((series.first_step.0, series.last_step.0), (2.0, 9.0));
}

#[test]
fn a_step_that_is_no_number_makes_no_final_value() {
    let lines = "{\"step\": \"1\", \"score\": 4}\n{\"step\": 2, \"score\": 5}\n{\"step\": [3], \"score\": 9}\n\
                 {\"step\": \"last\", \"score\": 10}\n{\"step\": null, \"end\": 1}\n";
    let dir = trial(&[("metrics.jsonl", lines)]);
    let found = collect(dir.path(), &[], &Resources::default());
    // A number in words is a number.
    assert_eq!(found.metrics["score"].0, 5.0);
    assert_eq!(found.series["score"].points, 2);
    assert_eq!(found.metrics["end"].0, 1.0);
    assert_eq!(
        found.notes,
        [
            "metrics.jsonl: values of 2 lines whose step is no number were left out (the first is line 3, with `[3]`)"
        ]
    );
    let dir = trial(&[("metrics.jsonl", "{\"step\": true, \"score\": 1}\n")]);
    let found = collect(
        dir.path(),
        &[metric("score", MetricSource::Reported)],
        &Resources::default(),
    );
    assert_eq!(
        found.missing,
        [
            "`score` (no `score` in metrics.jsonl, of which line 1 has the step `true`, which is no number)"
        ]
    );
}
