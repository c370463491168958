//! The Rust SDK's end of the protocol, line by line.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fairtrial_experiment::{
    Artifact, Context, Experiment, Failure, Metrics, Param, ParamSchema, Registration, Registry,
    serve,
};
use serde_json::{Value, json};
use std::path::Path;

struct Odd {
    fail_at: i64,
    panic_at: i64,
    folder: std::path::PathBuf,
}

impl Experiment for Odd {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        self.folder.clone_from(&context.place.dir);
        context.log("ready soon");
        Ok(())
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let index = context.iteration.map_or(-1, |index| index as i64);
        assert!(index < 0 || index != self.panic_at, "as told");
        if index >= 0 && index == self.fail_at {
            return Err("told to fail".into());
        }
        if index == 0 {
            context.artifact(Artifact {
                name: "file".to_owned(),
                kind: "text".to_owned(),
                path: "artifacts/file.txt".to_owned(),
            });
        }
        Ok([("index".to_owned(), json!(index))].into_iter().collect())
    }

    fn teardown(&mut self, _: &mut Context) -> Result<(), Failure> {
        std::fs::write(self.folder.join("torn-down"), "")?;
        Ok(())
    }
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.register(Registration {
        slug: "odd",
        summary: "Does what it is told.",
        tags: &[],
        params: ParamSchema::of([Param::whole("fail_at", -2), Param::whole("panic_at", -2)]),
        metrics: Vec::new(),
        build: |params| {
            Ok(Box::new(Odd {
                fail_at: params["fail_at"].as_i64().unwrap_or(-2),
                panic_at: params["panic_at"].as_i64().unwrap_or(-2),
                folder: std::path::PathBuf::new(),
            }))
        },
    });
    registry
}

fn setup(dir: &Path, params: &Value) -> Value {
    json!({
        "op": "setup", "protocol": 1, "experiment": "odd", "params": params, "seed": 7, "run": "r", "trial": "t",
        "dir": dir, "output_dir": dir, "instruments": [{"name": "timing"}],
    })
}

fn talk(requests: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = requests.iter().map(ToString::to_string).collect();
    let text = lines.join("\n");
    let mut replies = Vec::new();
    serve(&registry(), text.as_bytes(), &mut replies).unwrap();
    let text = String::from_utf8(replies).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn iterate(phase: &str, count: u64) -> Value {
    json!({"op": "iterate", "phase": phase, "first": 0, "count": count})
}

#[test]
fn a_whole_trial() {
    let dir = tempfile::tempdir().unwrap();
    let replies = talk(&[
        setup(dir.path(), &json!({})),
        iterate("warmup", 1),
        iterate("measured", 2),
        json!({"op": "teardown"}),
    ]);
    let events: Vec<&str> = replies
        .iter()
        .map(|reply| reply["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        events,
        [
            "log", "ready", "sample", "done", "artifact", "sample", "sample", "done", "done"
        ]
    );
    assert_eq!(replies[1]["params"], json!({"fail_at": -2, "panic_at": -2}));
    assert_eq!(replies[2]["metrics"]["index"], -1);
    assert_eq!(replies[6]["metrics"]["index"], 1);
    assert!(replies[6]["start_ns"].as_u64() > replies[5]["start_ns"].as_u64());
    assert!(dir.path().join("torn-down").exists());
}

#[test]
fn failures_and_panics_end_the_request_and_nothing_else() {
    for (params, message) in [
        (json!({"fail_at": 1}), "told to fail"),
        (json!({"panic_at": 1}), "panicked: as told"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let replies = talk(&[
            setup(dir.path(), &params),
            iterate("measured", 5),
            json!({"op": "teardown"}),
        ]);
        let error = replies
            .iter()
            .find(|reply| reply["event"] == "error")
            .unwrap();
        assert_eq!(
            (&error["message"], &error["index"]),
            (&message.into(), &1.into())
        );
        let samples = replies
            .iter()
            .filter(|reply| reply["event"] == "sample")
            .count();
        assert_eq!(samples, 1);
        assert_eq!(replies.last().unwrap()["event"], "done");
        assert!(dir.path().join("torn-down").exists());
    }
}

#[test]
fn a_driver_that_goes_away_leaves_nothing_set_up() {
    let dir = tempfile::tempdir().unwrap();
    talk(&[setup(dir.path(), &json!({}))]);
    assert!(dir.path().join("torn-down").exists());
}

#[test]
fn wrong_requests_are_answered() {
    let dir = tempfile::tempdir().unwrap();
    let mut newer = setup(dir.path(), &json!({}));
    newer["protocol"] = json!(2);
    let mut unknown = setup(dir.path(), &json!({}));
    unknown["experiment"] = json!("even");
    let replies = talk(&[
        json!({"op": "dance"}),
        iterate("measured", 1),
        newer,
        unknown,
        setup(dir.path(), &json!({"fail_att": 3})),
        json!({"op": "describe", "protocol": 1}),
    ]);
    assert!(
        replies[..5].iter().all(|reply| reply["event"] == "error"),
        "{replies:?}"
    );
    assert!(
        replies[4]["message"]
            .as_str()
            .unwrap()
            .contains("no parameter `fail_att`")
    );
    assert_eq!(replies[5]["experiments"][0]["slug"], "odd");
}
