//! Training runs: curves, config and endings as the tools' own libraries read them.

use crate::fixtures::{field, path, points, read, trials, value};
use fairtrial_interop::{Collected, Given, Keep, Scope, locate};
use fairtrial_model::Outcome;
use serde_json::Value;
use std::fs;

fn expected(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(path(name)).unwrap()).unwrap()
}

/// A number as the expectations write it.
fn number(value: &Value) -> f64 {
    match &value["nonfinite"] {
        Value::String(word) => match word.to_lowercase().as_str() {
            "nan" => f64::NAN,
            "infinity" | "inf" => f64::INFINITY,
            "-infinity" | "-inf" => f64::NEG_INFINITY,
            other => panic!("{other}"),
        },
        _ => value.as_f64().unwrap(),
    }
}

fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

#[test]
fn wandb_histories_are_what_its_own_classes_read() {
    for name in [
        "run-plain-seed1.wandb",
        "run-sparse-seed2.wandb",
        "run-big-seed3.wandb",
        "run-old0166-s9.wandb",
        "truncated-run-plain-seed1.wandb",
        "run-trxl-s1072.wandb",
        "run-trxl-s2081.wandb",
        "run-trxl-s4110.wandb",
        "run-vit_reset-s1072.wandb",
        "run-vit_reset-s2081.wandb",
        "run-vit_reset-s4110.wandb",
    ] {
        let expected = expected(&format!("wandb/{name}.expected.json"));
        let packed = if name.contains("big") { ".gz" } else { "" };
        let file = format!("wandb/{name}{packed}");
        let curve = &points(&file, "overview/reward")[0];
        let wanted = expected["overview_reward"].as_array().unwrap();
        assert_eq!(curve.len(), wanted.len(), "{name}");
        for ((step, value), wanted) in curve.iter().zip(wanted) {
            assert_eq!(*step, wanted[0].as_f64().unwrap(), "{name}");
            assert!(same(*value, number(&wanted[1])), "{name}");
        }
        let found = read(&file);
        let run = &found.executions[0];
        assert_eq!(
            field(run, "run"),
            expected["run"]["run_id"].as_str().unwrap()
        );
        assert_eq!(
            field(run, "name"),
            expected["run"]["display_name"].as_str().unwrap()
        );
        for (key, wanted) in expected["run"]["config"].as_object().unwrap() {
            if !wanted.is_object() {
                let wanted = fairtrial_model::Params::display(wanted);
                assert_eq!(field(run, &format!("config.{key}")), wanted, "{name}");
            }
        }
        let code = expected["exit"]["exit_code"].as_i64();
        let outcome = if code == Some(0) {
            Outcome::Ok
        } else {
            Outcome::Failed
        };
        assert_eq!(run.outcome, outcome, "{name}");
        // Every number of the history, in the order of its rows.
        if expected["history_is_complete"] == true {
            rows_are(&file, &expected["history"]);
        }
    }
}

fn rows_are(file: &str, history: &Value) {
    let names: std::collections::BTreeSet<&String> = history
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row["row"].as_object().unwrap().keys())
        .filter(|name| !name.starts_with('_'))
        .collect();
    for name in names {
        let wanted: Vec<(f64, f64)> = history
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| {
                let value = &row["row"][name];
                let is_number = value.is_number() || value["nonfinite"].is_string();
                let value = match value {
                    Value::Bool(truth) => f64::from(u8::from(*truth)),
                    value if is_number => number(value),
                    _ => return None,
                };
                Some((row["step"].as_f64().unwrap(), value))
            })
            .collect();
        let found = &points(file, name)[0];
        assert_eq!(found.len(), wanted.len(), "{file} {name}");
        for (a, b) in found.iter().zip(&wanted) {
            assert!(a.0 == b.0 && same(a.1, b.1), "{file} {name}: {a:?} {b:?}");
        }
    }
}

#[test]
fn the_summary_counts_where_the_history_has_nothing() {
    let found = read("wandb/run-sparse-seed2.wandb");
    assert_eq!(value(&found, 0, "big"), Some(1.2345678901234567e19));
    assert_eq!(value(&found, 0, "inf"), Some(f64::INFINITY));
    assert_eq!(value(&found, 0, "losses/nested.b.c"), Some(180.0));
    assert_eq!(value(&found, 0, "bool"), Some(1.0));
}

#[test]
fn segments_of_a_run_that_was_resumed_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    for (time, file) in [
        ("20260101_000000", "truncated-run-plain-seed1.wandb"),
        ("20260102_000000", "run-plain-seed1.wandb"),
    ] {
        let segment = folder.path().join(format!("offline-run-{time}-plain"));
        fs::create_dir(&segment).unwrap();
        fs::copy(
            path(&format!("wandb/{file}")),
            segment.join("run-plain-seed1.wandb"),
        )
        .unwrap();
    }
    let located = locate(&[folder.path().to_owned()], None).unwrap();
    let found = Collected::read(&located, Keep::Ends).unwrap();
    assert_eq!(found.executions.len(), 1);
    assert_eq!(found.executions[0].outcome, Outcome::Ok);
    let whole = read("wandb/run-plain-seed1.wandb");
    assert_eq!(
        value(&found, 0, "overview/reward"),
        value(&whole, 0, "overview/reward")
    );
    // Steps that both have are there once, as the later one has them.
    let keep = Keep::Points("overview/reward".to_owned());
    let found = Collected::read(&located, keep).unwrap();
    let reward = found.metric_named("overview/reward").unwrap();
    let curve = &found.curves[0][&reward].points;
    assert_eq!(
        *curve,
        points("wandb/run-plain-seed1.wandb", "overview/reward")[0]
    );
}

#[test]
fn arms_and_seeds_are_found_in_the_config() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(path("wandb")).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap().to_string_lossy().into_owned();
        let wanted = name.starts_with("run-trxl") || name.starts_with("run-vit");
        if wanted && from.extension().is_some_and(|ending| ending == "wandb") {
            fs::copy(&from, folder.path().join(name)).unwrap();
        }
    }
    let located = locate(&[folder.path().to_owned()], None).unwrap();
    let found = Collected::read(&located, Keep::Ends).unwrap();
    let roles = fairtrial_interop::Roles::guess(
        &located.format.rules(),
        &found.executions,
        Scope::Alone,
        &Given::default(),
    )
    .unwrap();
    assert_eq!(roles.arm, ["group"]);
    assert_eq!(roles.seed.as_deref(), Some("config.seed"));
    let given = Given {
        arm: Some("arch".to_owned()),
        ..Given::default()
    };
    let roles = fairtrial_interop::Roles::guess(
        &located.format.rules(),
        &found.executions,
        Scope::Alone,
        &given,
    )
    .unwrap();
    assert_eq!(roles.arm, ["config.arch"]);
    let seeds: Vec<u64> = found
        .executions
        .iter()
        .filter_map(|run| roles.seed_of(run))
        .collect();
    assert_eq!(seeds, [1072, 2081, 4110, 1072, 2081, 4110]);
    let lines = roles.lines(&found.executions);
    assert_eq!(
        (
            lines[0].role,
            lines[0].fields.as_str(),
            lines[0].values.as_str()
        ),
        ("arm", "config.arch", "trxl, vit_reset")
    );
    let given = Given {
        arm: Some("arhc".to_owned()),
        ..Given::default()
    };
    let error = fairtrial_interop::Roles::guess(
        &located.format.rules(),
        &found.executions,
        Scope::Alone,
        &given,
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("there is no field `arhc` to take as the arm"),
        "{error}"
    );
}

#[test]
fn tensorboard_has_both_forms_of_scalars() {
    for name in ["newstyle_seed1", "trxl_seed1072", "vit_reset_seed1072"] {
        let expected = expected(&format!("tensorboard/{name}/expected.json"));
        let file = format!("tensorboard/{name}/{}", expected["file"].as_str().unwrap());
        let scalars = expected["scalars"].as_array().unwrap();
        let tags: std::collections::BTreeSet<&str> =
            scalars.iter().map(|row| row[0].as_str().unwrap()).collect();
        for tag in tags {
            let found = &points(&file, tag)[0];
            let wanted: Vec<&Value> = scalars.iter().filter(|row| row[0] == tag).collect();
            assert_eq!(found.len(), wanted.len(), "{name} {tag}");
            for (point, row) in found.iter().zip(wanted) {
                assert_eq!(point.0, row[1].as_f64().unwrap());
                let value = match &row[3]["nonfinite"] {
                    Value::String(_) => number(&row[3]),
                    _ => row[3].as_f64().unwrap(),
                };
                assert!(same(point.1, value), "{name} {tag}: {point:?} {value}");
            }
        }
        let found = read(&file);
        assert_eq!(
            found.metrics.len(),
            if name == "newstyle_seed1" { 1 } else { 3 },
            "{name}"
        );
    }
}

#[test]
fn a_folder_of_tensorboard_is_a_run_and_its_name_has_the_seed() {
    let rows = trials("tensorboard", Scope::Alone, &Given::default());
    let arms: Vec<(&str, u64)> = rows.iter().map(|row| (row.0.as_str(), row.2)).collect();
    assert_eq!(arms, [("newstyle", 1), ("trxl", 1072), ("vit_reset", 1072)]);
}

/// The SQLite store, unpacked.
fn database(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let packed = fs::File::open(path("mlflow/mlflow.db.gz")).unwrap();
    let mut reader = flate2::read::GzDecoder::new(packed);
    let file = folder.path().join("mlflow.db");
    std::io::copy(&mut reader, &mut fs::File::create(&file).unwrap()).unwrap();
    file
}

#[test]
fn both_stores_of_mlflow_hold_what_its_client_reads() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = database(&folder);
    for (file, expected_name, format) in [
        (
            path("mlflow/mlruns"),
            "mlflow/mlruns.expected.json",
            "mlflow",
        ),
        (sqlite, "mlflow/mlflow.db.expected.json", "mlflow-sqlite"),
    ] {
        let located = locate(&[file], None).unwrap();
        assert_eq!(located.format.name(), format);
        let keep = Keep::Points("overview/reward".to_owned());
        let found = Collected::read(&located, keep).unwrap();
        assert_eq!(found.executions.len(), 5, "{format}");
        let reward = found.metric_named("overview/reward").unwrap();
        for wanted in expected(expected_name).as_array().unwrap() {
            let place = found
                .executions
                .iter()
                .position(|run| field(run, "run") == wanted["run_id"].as_str().unwrap())
                .unwrap();
            let run = &found.executions[place];
            assert_eq!(field(run, "name"), wanted["run_name"].as_str().unwrap());
            for (name, value) in wanted["params"].as_object().into_iter().flatten() {
                assert_eq!(
                    field(run, &format!("param.{name}")),
                    value.as_str().unwrap()
                );
            }
            let curve = &found.curves[place][&reward].points;
            let Some(steps) = wanted["overview_reward"].as_array() else {
                continue;
            };
            assert_eq!(curve.len(), steps.len(), "{format}");
            for (point, wanted) in curve.iter().zip(steps) {
                assert_eq!(point.0, wanted[0].as_f64().unwrap());
                assert_eq!(point.1, wanted[1].as_f64().unwrap());
            }
            if run.outcome == Outcome::Ok {
                assert_eq!(value(&found, place, "inf"), Some(f64::INFINITY), "{format}");
                assert_eq!(value(&found, place, "neg/inf"), Some(f64::NEG_INFINITY));
                assert!(value(&found, place, "nan metric").unwrap().is_nan());
            }
        }
        let failed = found
            .executions
            .iter()
            .filter(|run| run.outcome == Outcome::Failed);
        assert_eq!(failed.count(), 1, "{format}");
    }
}

#[test]
fn sacred_runs_have_their_config_curves_and_traces() {
    let found = read("sacred");
    assert_eq!(found.executions.len(), 5);
    let place = |run: &str| {
        let mut all = found.executions.iter();
        all.position(|execution| field(execution, "run") == run)
            .unwrap()
    };
    assert_eq!(
        field(&found.executions[place("1")], "config.trainer.lr"),
        "0.01"
    );
    assert_eq!(value(&found, place("2"), "result"), Some(0.52));
    assert_eq!(value(&found, place("3"), "reward"), Some(0.8 + 0.001));
    assert!(value(&found, place("1"), "odd").unwrap().is_nan());
    let broken = &found.executions[place("5")];
    assert_eq!(broken.outcome, Outcome::Failed);
    let cause = broken.cause.as_ref().unwrap().to_string();
    assert_eq!(
        cause,
        "Sacred says that it failed: RuntimeError: it does not work"
    );
    let given = Given {
        arm: Some("arch".to_owned()),
        ..Given::default()
    };
    let rows = trials("sacred", Scope::Alone, &given);
    assert_eq!((rows[0].0.as_str(), rows[0].2), ("a", 1));
}

#[test]
fn where_two_fields_differ_the_user_is_asked() {
    let located = crate::fixtures::located("sacred");
    let found = Collected::read(&located, Keep::Ends).unwrap();
    let guessed = fairtrial_interop::Roles::guess(
        &located.format.rules(),
        &found.executions,
        Scope::Alone,
        &Given::default(),
    );
    assert_eq!(
        guessed.unwrap_err().to_string(),
        "which field is the arm? These differ: `config.arch` (2 values), `config.broken` (2 values); say it with --arm, as in \
         --arm config.arch"
    );
}

#[test]
fn exports_of_wandb_are_charts_or_tables_of_runs() {
    let curves = points("wandb-csv/chart.csv", "overview/reward");
    assert_eq!(
        curves[0],
        [(0.0, 0.1), (10.0, 0.3), (20.0, 0.5), (30.0, 0.7)]
    );
    assert_eq!(curves[1].len(), 3);
    assert!(curves[1][1].1.is_nan());
    let rows = trials("wandb-csv/chart.csv", Scope::Alone, &Given::default());
    assert_eq!((rows[0].0.as_str(), rows[0].2), ("trxl", 1));

    let found = read("wandb-csv/runs.csv");
    assert_eq!(value(&found, 2, "overview/reward"), Some(0.75));
    let outcomes: Vec<Outcome> = found.executions.iter().map(|run| run.outcome).collect();
    assert_eq!(
        outcomes,
        [
            Outcome::Ok,
            Outcome::Failed,
            Outcome::Ok,
            Outcome::Cancelled
        ]
    );
    let given = Given {
        arm: Some("arch".to_owned()),
        ..Given::default()
    };
    let rows = trials("wandb-csv/runs.csv", Scope::Alone, &given);
    assert_eq!((rows[2].0.as_str(), rows[2].2), ("trxl", 2));
}
