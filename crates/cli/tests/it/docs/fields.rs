//! Names in the documents that the program gives: keys of its files, files of a run, variables of a trial, words,
//! instruments, profiles. Each list is compared with what the program says, in both directions where it is whole.

use super::{read, tables::first_column, tables::quoted};
use crate::common::Project;
use serde_json::Value;
use std::collections::BTreeSet;

const FILES: &str = "docs/reference/files.md";

/// A run of a spec in which most is used.
fn project() -> Project {
    let project = Project::with_spec(
        "seeds = 2\nshell = true\ncheckpoint = true\ncommand = \"env > $FAIRTRIAL_DIR/env.txt; echo > out-{arm}-{k}-{seed}.txt; echo score=$(({seed} * {k} % 7 + {x}))\"\n\
         sweep = { k = [1, 2] }\narms = { a = { x = 1 }, b = { x = 2 } }\noutputs = [\"out-{arm}-{k}-{seed}.txt\"]\n\
         metrics = { score = { from = \"stdout:score=([0-9]+)\", direction = \"up\" } }\n",
    );
    project.expect(0, &["register", "bench.toml"]);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["report"]);
    project
}

fn json(project: &Project, file: &str) -> Value {
    let path = project.newest_run("bench").join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// What stands between backticks in the first column of a table.
fn named(page: &str, head: &str) -> BTreeSet<String> {
    let column = first_column(page, head);
    let names = column.iter().flat_map(|cell| quoted(cell));
    let names = names.map(|name| name.trim_end_matches("[]").to_owned());
    let names: BTreeSet<String> = names.collect();
    assert!(!names.is_empty(), "{page} has no table `{head}`");
    names
}

#[test]
fn the_keys_of_the_manifest_are_those_on_the_page() {
    let project = project();
    let manifest = json(&project, "manifest.json");
    assert_eq!(named(FILES, "| key |"), keys(&manifest));
    let mut of_result = named(FILES, "| key of a result |");
    // Only where there is one.
    for absent in ["model", "cause"] {
        assert!(of_result.remove(absent), "{absent}");
    }
    assert_eq!(of_result, keys(&manifest["results"][0]));
    let page = read(FILES);
    for key in keys(&json(&project, "environment.json")) {
        let part = page.split("## environment.json").nth(1).unwrap();
        assert!(
            part.contains(&format!("`{key}`")),
            "environment.json has `{key}`"
        );
    }
}

#[test]
fn every_file_of_a_run_and_of_its_trials_is_on_the_page() {
    let project = project();
    let page = read(FILES);
    let tree = page.split("```").nth(1).unwrap();
    let known = |name: &str| {
        let numbered = name.starts_with("report-") && name.strip_suffix(".svg").is_some();
        tree.contains(name) || page.contains(&format!("## {name}")) || numbered
    };
    let trial = project.path().join("data/runs");
    let trial = std::fs::read_dir(trial).unwrap().next().unwrap().unwrap();
    for folder in [project.newest_run("bench"), trial.path()] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // The command of the spec made it.
            assert!(
                name == "env.txt" || known(&name),
                "`{name}` is not in {FILES}"
            );
        }
    }
    for entry in std::fs::read_dir(project.path().join("data")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known(&name), "`{name}` is not in {FILES}");
    }
}

#[test]
fn the_variables_of_a_trial_are_those_on_the_page() {
    let project = project();
    let trial = project.path().join("data/runs");
    let trial = std::fs::read_dir(trial).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(trial.path().join("env.txt")).unwrap();
    let variables = text.lines().filter_map(|line| line.split_once('='));
    let variables = variables.map(|(name, _)| name.to_owned());
    let given: BTreeSet<String> = variables
        .filter(|name| name.starts_with("FAIRTRIAL_"))
        .collect();
    assert_eq!(named("docs/guides/first-run.md", "| variable |"), given);
}

#[test]
fn the_words_of_a_comparison_are_those_on_the_page() {
    let help = Project::new().expect(0, &["compare", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = help
        .split("one of these verdicts [possible values: ")
        .nth(1);
    let words = words.unwrap().split(']').next().unwrap();
    let words: BTreeSet<String> = words
        .split(", ")
        .map(|word| word.replace('-', " "))
        .collect();
    let column = first_column("docs/guides/compare.md", "| word |");
    let said = column.iter().flat_map(|cell| cell.split(", "));
    assert_eq!(said.map(str::to_owned).collect::<BTreeSet<_>>(), words);
}

#[test]
fn instruments_profiles_and_sandboxes_are_those_on_the_pages() {
    let project = Project::new();
    let list = project.expect(0, &["list", "experiments"]).out;
    let instruments = list.split("instruments: ").nth(1).unwrap();
    let instruments: BTreeSet<String> = instruments.trim().split(", ").map(str::to_owned).collect();
    assert_eq!(
        named("docs/guides/experiments.md", "| name | observes"),
        instruments
    );
    let engines = project.expect(0, &["list", "engines", "--json"]).json();
    let names = engines.as_array().unwrap().iter();
    let names = names.map(|engine| engine["name"].as_str().unwrap().to_owned());
    let kinds = ["local", "slurm", "template", "skypilot", "kubernetes"];
    let profiles: BTreeSet<String> = names
        .filter(|name| !kinds.contains(&name.as_str()))
        .collect();
    let pages = named("docs/guides/engines/template.md", "| profile |");
    assert_eq!(pages, profiles);
    let schema: Value = serde_json::from_str(&read("docs/reference/spec.schema.json")).unwrap();
    let kinds = schema["$defs"]["sandbox"]["properties"]["kind"]["enum"]
        .as_array()
        .unwrap();
    let kinds: BTreeSet<String> = kinds
        .iter()
        .map(|kind| kind.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        named("docs/guides/agents.md", "| `sandbox` |")
            .into_iter()
            .filter(|name| name != "sandbox")
            .collect::<BTreeSet<_>>(),
        kinds
    );
}

#[test]
fn the_defaults_of_agents_are_those_of_the_keys() {
    let page = read("docs/guides/agents.md");
    let keys = read("docs/reference/spec.schema.json");
    let schema: Value = serde_json::from_str(&keys).unwrap();
    let of = |pointer: &str| {
        let key = schema
            .pointer(pointer)
            .unwrap_or_else(|| panic!("no {pointer}"));
        key["description"].as_str().unwrap().to_owned()
    };
    for (pointer, default, said) in [
        (
            "/properties/timeout",
            "the overrides, else 1h)",
            "Else it is 1 hour.",
        ),
        (
            "/properties/setup_timeout",
            "Default: 10m.",
            "setup_timeout = \"20m\"       # default: 10 minutes",
        ),
        (
            "/properties/pass_score",
            "Default: 1.",
            "`pass_score` (default 1)",
        ),
        (
            "/properties/agent",
            "Default: codex.",
            "`agent = \"codex\"` (the default)",
        ),
        (
            "/properties/sandbox",
            "else bubblewrap.",
            "| `bubblewrap` (the default) |",
        ),
        (
            "/$defs/sandbox/properties/build_timeout",
            "Default: 30m.",
            "`build_timeout` (30 minutes)",
        ),
        (
            "/$defs/judge/properties/api",
            "Default: chat.",
            "`chat` (the default)",
        ),
    ] {
        assert!(of(pointer).contains(default), "{pointer}: {}", of(pointer));
        assert!(page.contains(said), "the page does not say `{said}`");
    }
}
