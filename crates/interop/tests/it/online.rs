//! Results on servers: W&B's client is a stand-in, since a login is the user's own; MLflow's server is the real one.

use crate::fixtures::{field, path, value};
use crate::mlflow_server::{Server, python_with};
use fairtrial_interop::{Access, Collected, Keep, Online};
use fairtrial_model::Outcome;
use std::path::Path;
use std::time::Duration;

fn access(python: &str) -> Access {
    Access {
        python: python.to_owned(),
        limit: Duration::from_mins(2),
        token: None,
        password: None,
    }
}

fn online(word: &str) -> Online {
    Online::parse(word).unwrap().unwrap()
}

/// Reads a project with the stand-in for `wandb`.
fn project(word: &str, keep: Keep) -> Result<Collected, String> {
    let folder = tempfile::tempdir().unwrap();
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standin");
    let script = folder.path().join("python");
    let text = format!(
        "#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 PYTHONPATH={} exec python3 \"$@\"\n",
        module.display()
    );
    std::fs::write(&script, text).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let read = online(word).read(&access(&script.display().to_string()), keep);
    read.map_err(|error| error.to_string())
}

#[test]
fn a_project_of_wandb_is_read_through_the_users_client() {
    let found = project("wandb:lab/bench", Keep::Points("reward".to_owned())).unwrap();
    assert_eq!(found.executions.len(), 4);
    assert_eq!(field(&found.executions[3], "config.trainer.lr"), "0.1");
    assert_eq!(found.executions[3].outcome, Outcome::Failed);
    let reward = found.metric_named("reward").unwrap();
    let curve = &found.curves[1][&reward];
    assert_eq!(curve.points[4], (40.0, 2.4));
    assert_eq!(value(&found, 0, "best"), Some(9.5));
    // Without a metric only the summaries are asked for.
    let found = project("wandb:lab/bench", Keep::Ends).unwrap();
    assert!(found.curves[0].is_empty());
    assert_eq!(value(&found, 0, "reward"), Some(1.4));
    let found = project("wandb:lab/bench/b1", Keep::Ends).unwrap();
    assert_eq!(found.executions.len(), 1);
    let error = project("wandb:lab/absent", Keep::Ends).unwrap_err();
    assert!(error.contains("Could not find project absent"), "{error}");
}

#[test]
fn places_that_are_no_files_have_their_form() {
    assert!(Online::parse("runs/wandb").is_none());
    assert!(Online::parse("wandb:lab").unwrap().is_err());
    assert!(Online::parse("mlflow:localhost").unwrap().is_err());
    let server = online("mlflow:http://localhost:5000/#bench");
    assert_eq!(server.to_string(), "mlflow:http://localhost:5000#bench");
    let read = online("mlflow:http://127.0.0.1:1").read(&access("python3"), Keep::Ends);
    let error = read.unwrap_err().to_string();
    assert!(error.starts_with("mlflow:http://127.0.0.1:1: "), "{error}");
    let read = online("wandb:a/b").read(&access("/no/python"), Keep::Ends);
    let error = read.unwrap_err().to_string();
    assert!(error.starts_with("wandb:a/b: "), "{error}");
}

#[test]
fn a_real_mlflow_server_gives_what_its_store_holds() {
    let Some(python) = python_with("mlflow") else {
        return;
    };
    let server = Server::start(&python);
    let keep = Keep::Points("overview/reward".to_owned());
    let place = online(&format!("mlflow:{}", server.url));
    let found = place.read(&access("python3"), keep).unwrap();
    assert_eq!(found.executions.len(), 5);
    let text = std::fs::read_to_string(path("mlflow/mlflow.db.expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    let reward = found.metric_named("overview/reward").unwrap();
    for wanted in expected.as_array().unwrap() {
        let run = wanted["run_id"].as_str().unwrap();
        let place = found
            .executions
            .iter()
            .position(|one| field(one, "run") == run)
            .unwrap();
        let curve = &found.curves[place][&reward].points;
        for (point, wanted) in curve
            .iter()
            .zip(wanted["overview_reward"].as_array().into_iter().flatten())
        {
            let Some(step) = wanted[0].as_f64() else {
                continue;
            };
            assert_eq!((point.0, point.1), (step, wanted[1].as_f64().unwrap()));
        }
        if found.executions[place].outcome == Outcome::Ok {
            assert_eq!(value(&found, place, "inf"), Some(f64::INFINITY));
            assert!(value(&found, place, "nan metric").unwrap().is_nan());
        }
    }
    let absent =
        online(&format!("mlflow:{}#absent", server.url)).read(&access("python3"), Keep::Ends);
    let error = absent.unwrap_err().to_string();
    assert!(
        error.ends_with("there is no experiment `absent`"),
        "{error}"
    );
}
