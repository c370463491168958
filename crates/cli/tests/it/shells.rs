//! What shells and `man` are given: completions that know the runs, arms and metrics there are, and a page per command.

use crate::common::Project;

const SPEC: &str = "name = \"training\"\nseeds = 2\ncommand = \"echo score 1\"\n[arms.control]\n[arms.candidate]\n\
                    [metrics.score]\nfrom = \"stdout:score (\\\\d+)\"\ndirection = \"up\"\n";

/// What bash is offered for the last of these words.
fn offered(project: &Project, words: &[&str]) -> Vec<String> {
    let place = words.len() - 1;
    let mut arguments = vec!["--"];
    arguments.extend(words);
    let output = project
        .command(&arguments)
        .env("FAIRTRIAL_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", place.to_string())
        .env("_CLAP_IFS", "\n")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_the_runs_arms_and_metrics_there_are() {
    let project = Project::with_spec(SPEC);
    assert!(offered(&project, &["fairtrial", "summarize", "t"]).is_empty());
    project.expect(0, &["run", "bench.toml"]);
    assert_eq!(
        offered(&project, &["fairtrial", "summarize", "t"]),
        ["training"]
    );
    assert_eq!(
        offered(&project, &["fairtrial", "gate", "tr"]),
        ["training"]
    );
    let compare = |words: &[&str]| offered(&project, &[&["fairtrial", "compare"], words].concat());
    assert_eq!(compare(&["c"]), ["control", "candidate"]);
    assert_eq!(compare(&["be"]), ["bench.toml"]);
    assert_eq!(compare(&["--metric", "s"]), ["score"]);
    assert_eq!(compare(&["--control", "can"]), ["candidate"]);
    assert_eq!(offered(&project, &["fairtrial", "summ"]), ["summarize"]);
    for shell in ["bash", "zsh", "fish"] {
        let script = project.expect(0, &["completions", shell]).out;
        assert!(script.contains("FAIRTRIAL_COMPLETE"), "{script}");
    }
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    clap_mangen::generate_to(fairtrial::command(), folder.path()).unwrap();
    let command = fairtrial::command();
    for inner in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let page = folder
            .path()
            .join(format!("fairtrial-{}.1", inner.get_name()));
        assert!(page.exists(), "{}", page.display());
    }
    let page = std::fs::read_to_string(folder.path().join("fairtrial-run.1")).unwrap();
    for part in ["resume", "fairtrial run bench.toml", ".SH DESCRIPTION"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_build_says_what_it_is() {
    let project = Project::new();
    let version = project.expect(0, &["self", "version", "--json"]).json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        version["target"]
            .as_str()
            .unwrap()
            .starts_with(std::env::consts::ARCH)
    );
    // All that can be left out of a build is in this one, and is said.
    let manifest = include_str!("../../Cargo.toml");
    let all = manifest
        .lines()
        .find_map(|line| line.strip_prefix("default = "));
    let mut all: Vec<String> = serde_json::from_str(all.unwrap()).unwrap();
    if cfg!(feature = "store") {
        all.push("store".to_owned());
        all.sort();
    }
    assert_eq!(version["features"], serde_json::json!(all));
    let words = project.expect(0, &["self", "version"]).out;
    assert!(words.starts_with("fairtrial 0."), "{words}");
}
