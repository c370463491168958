//! Facts that the documents state in a sentence, each brought about: they are so, or the sentence is wrong.

use super::read;
use crate::common::Project;
use serde_json::Value;

/// A sentence of a page; pages wrap where they like.
fn says(page: &str, sentence: &str) {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        one_line(&read(page)).contains(&one_line(sentence)),
        "{page} does not say `{sentence}`"
    );
}

#[test]
fn seeds_are_those_of_the_documented_list() {
    let page = read("docs/reference/spec.md");
    let listed = page.split("whatever the spec: ").nth(1).unwrap();
    let listed = listed.split(". From there").next().unwrap();
    let listed: Vec<u64> = listed
        .split(", ")
        .map(|seed| seed.parse().unwrap())
        .collect();
    let project = Project::with_spec("seeds = 100\ncommand = \"true\"\n");
    let plan = project.expect(0, &["plan", "bench.toml", "--json"]).json();
    let seeds = plan["trials"].as_array().unwrap().iter();
    let mut seeds: Vec<u64> = seeds.map(|trial| trial["seed"].as_u64().unwrap()).collect();
    seeds.sort_unstable();
    assert_eq!(seeds[..15], listed);
    assert!(seeds[15..].windows(2).all(|two| two[1] - two[0] == 1071));
    assert_eq!((seeds[15], seeds[99]), (16937, 106_901));
    says(
        "docs/reference/spec.md",
        "the sixteenth is 16937, the hundredth 106901",
    );
}

#[test]
fn what_a_budget_leaves_over_is_not_started_and_can_be_resumed() {
    let page = "docs/guides/large-scale.md";
    says(
        page,
        "What is left over is not started; `--resume` with a larger budget runs it.",
    );
    let project = Project::with_spec("seeds = 4\ncommand = \"true\"\nbudget = { trials = 2 }\n");
    project.run(&["run", "bench.toml"]);
    let finished = || {
        let events = project.journal("bench").into_iter();
        let ended = events.filter(|event| event["event"] == "finished");
        ended
            .map(|event| event["outcome"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(finished(), ["ok", "ok"]);
    project.expect(
        0,
        &["run", "bench.toml", "--resume", "--set", "budget.trials=4"],
    );
    assert_eq!(finished(), ["ok"; 4]);
}

#[test]
fn the_name_of_a_trial_is_that_of_its_folder_and_of_no_other_attempt() {
    says(
        "docs/reference/spec.md",
        "| `{trial}` | the name of the trial's folder, which no other attempt has",
    );
    let project = Project::with_spec(
        "shell = true\nretries = { failed = 1 }\n\
         command = \"echo {trial} >> names; test {trial} = $(basename $FAIRTRIAL_DIR) && test $(wc -l < names) = 2\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let names = project.read("names");
    let names: Vec<&str> = names.lines().collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_ne!(names[0], names[1]);
}

#[test]
fn a_selection_is_numbered_from_0_and_its_places_count_in_the_whole_plan() {
    says(
        "docs/reference/filters.md",
        "numbered from 0: `plan --only` prints those numbers, and `logs --trial` takes them.",
    );
    let project = Project::with_spec("seeds = [7, 8, 9]\ncommand = \"echo seed {seed}\"\n");
    let plan = project
        .expect(0, &["plan", "bench.toml", "--only", "2", "--json"])
        .json();
    let trial = &plan["trials"][0];
    assert_eq!((&trial["index"], &trial["seed"]), (&0.into(), &9.into()));
    project.expect(0, &["run", "bench.toml", "--only", "2"]);
    let log = project.expect(0, &["logs", "bench", "--trial", "0"]).out;
    assert!(log.contains("seed 9"), "{log}");
}

/// Whether a JSON value has a key with an empty list, or with nothing.
fn empty_keys(json: &Value, at: &str, found: &mut Vec<String>) {
    match json {
        Value::Object(map) => {
            for (key, below) in map {
                let is_empty = below.as_array().is_some_and(Vec::is_empty);
                found.extend(is_empty.then(|| format!("{at}.{key}")));
                empty_keys(below, &format!("{at}.{key}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                empty_keys(item, at, found);
            }
        }
        _ => {}
    }
}

#[test]
fn a_key_of_the_json_with_nothing_in_it_is_left_out() {
    says(
        "docs/reference/json.md",
        "A key with nothing in it (an empty list, a reason that there is none for) is left out",
    );
    let project = Project::with_spec(
        "seeds = 4\nshell = true\ncommand = \"echo m=$(({seed} * {x} % 7))\"\narms = { a = { x = 1 }, b = { x = 2 } }\n\
         metrics = { m = { from = \"stdout:m=([0-9]+)\", direction = \"up\" } }\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    says(
        "docs/reference/json.md",
        "Only `mismatches` and `dropped` are lists in every answer.",
    );
    let always = [".mismatches", ".dropped"];
    for command in ["compare", "summarize"] {
        let json = project.expect(0, &[command, "bench", "--json"]).json();
        let mut found = Vec::new();
        empty_keys(&json, command, &mut found);
        found.retain(|key| !always.iter().any(|name| key.ends_with(name)));
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn the_resolved_spec_has_what_is_not_written_too() {
    says(
        "docs/reference/files.md",
        "includes, `--set` and `[defaults]` are in",
    );
    let project = Project::with_spec(
        "[defaults]\ncommand = \"true {k}\"\nretries = 2\n[[tasks]]\nid = \"t\"\nparams = { k = 1 }\n",
    );
    project.expect(
        0,
        &["run", "bench.toml", "--set", "defaults.log_limit=1MiB"],
    );
    let file = project.newest_run("bench").join("spec.resolved.json");
    let spec: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let task = &spec["tasks"][0];
    assert_eq!(task["params"]["k"], 1, "{task}");
    assert_eq!(task["log_limit"], 1 << 20, "{task}");
    assert!(task["retries"]["failed"].is_number(), "{task}");
    assert!(task["limits"]["grace_s"].is_number(), "{task}");
}

#[test]
fn what_is_needed_to_build_is_said() {
    says(
        "README.md",
        "You need Rust (1.95 or newer) and a C compiler, because SQLite is built in; the demo's programs are awk scripts.",
    );
    let manifest = read("Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    assert_eq!(version, Some("\"1.95\""));
}
