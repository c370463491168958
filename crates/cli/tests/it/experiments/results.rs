//! Result files: ours hold to the original's schema and can be compared, with each other and with the original's.

use super::{results, shared};
use crate::common::Project;
use serde_json::Value;

#[test]
fn the_result_file_has_every_key_of_the_original() {
    let golden: Value =
        serde_json::from_str(include_str!("../../goldens/agentfarm/result_A.json")).unwrap();
    let project = Project::new();
    project.write(
        "noop.yaml",
        "experiment: noop\niterations: {warmup: 2, measured: 5}\ninstrumentation: [timing, {name: psutil, interval_ms: 10}]\n\
         output_dir: out\ntags: [demo]\nnotes: said\nseed: 42\n",
    );
    project.expect(0, &["run", "noop.yaml"]);
    let ours = &results(&project, "out")[0];
    for key in golden.as_object().unwrap().keys() {
        assert!(ours.get(key).is_some(), "{key}");
    }
    for key in ["mean", "p50", "p95", "p99"] {
        assert!(ours["metrics"]["duration_s"][key].is_number(), "{key}");
    }
    for key in ["os", "machine", "hostname"] {
        assert!(ours["environment"][key].is_string(), "{key}");
    }
    assert_eq!(
        ours["iterations"],
        serde_json::json!({"warmup": 2, "measured": 5})
    );
    assert_eq!(ours["iteration_metrics"].as_array().unwrap().len(), 5);
    assert_eq!(ours["seed"], 42);
    assert_eq!(
        (&ours["tags"][0], &ours["notes"]),
        (&"demo".into(), &"said".into())
    );
    assert!(
        ours["instruments"]["psutil"]["rss_bytes"]["max"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    let psutil = &ours["artifacts"][0];
    assert_eq!(
        (&psutil["type"], &psutil["path"]),
        (&"jsonl".into(), &"artifacts/psutil.jsonl".into())
    );
}

#[test]
fn a_command_for_a_shell_is_answered_with_how_to_write_it() {
    let project = Project::new();
    project.write(
        "noop.yaml",
        "experiment: noop\nprocesses: 1\niterations: {measured: 1}\ninstrumentation: [{name: custom, stop: \"exit 4\"}, {name: custom, label: shell, stop: \"sh -c 'exit 4'\"}]\noutput_dir: out\n",
    );
    project.expect(0, &["run", "noop.yaml"]);
    let found = &results(&project, "out")[0]["instruments"];
    let absent = |name: &str| found[name]["absent"].to_string();
    assert!(absent("custom").contains("there is no program `exit`"));
    assert!(absent("custom").contains("not run by a shell"));
    assert!(absent("shell").contains("exit status: 4"));
}

#[test]
fn an_instrument_that_cannot_work_says_why() {
    let project = Project::new();
    project.write(
        "noop.yaml",
        "experiment: noop\nprocesses: 1\niterations: {measured: 1}\ninstrumentation: [cprofile, {name: custom, start: echo begun, stop: \"printf '{\\\"room\\\": 21}'\"}]\noutput_dir: out\n",
    );
    project.expect(0, &["run", "noop.yaml"]);
    let ours = &results(&project, "out")[0];
    let why = ours["instruments"]["cprofile"]["absent"].as_str().unwrap();
    assert!(why.contains("`perf` observes native code"), "{why}");
    assert_eq!(ours["instruments"]["custom"]["room"], 21);
}

#[test]
fn result_files_are_compared() {
    let project = Project::new();
    project.write(
        "noop.yaml",
        "experiment: noop\nprocesses: 1\niterations: {measured: 30}\noutput_dir: out\n",
    );
    project.expect(0, &["run", "noop.yaml"]);
    project.expect(0, &["run", "noop.yaml"]);
    let mut files: Vec<String> = std::fs::read_dir(project.path().join("out"))
        .unwrap()
        .map(|entry| {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            format!("out/{name}/{name}.json")
        })
        .collect();
    files.sort();
    let said = project.expect(0, &["compare", &files[0], &files[1]]).out;
    assert!(said.contains("duration_s"), "{said}");
    project.write(
        "A.json",
        include_str!("../../goldens/agentfarm/result_A.json"),
    );
    project.write(
        "B.json",
        include_str!("../../goldens/agentfarm/result_B.json"),
    );
    let compared = project
        .expect(0, &["compare", "A.json", "B.json", "--json"])
        .out;
    // The original says mean A=0.192, B=0.140; both means are ours too.
    assert!(
        compared.contains("0.192") && compared.contains("0.14"),
        "{compared}"
    );
}

#[test]
fn the_originals_results_beside_ours_are_of_another_implementation() {
    let project = Project::new();
    let golden = include_str!("../../goldens/agentfarm/result_A.json");
    let mut original: Value = serde_json::from_str(golden).unwrap();
    let slug = "memory_db";
    original["name"] = slug.into();
    project.write("A.json", &original.to_string());
    project.write(
        "ours.yaml",
        &format!(
            "experiment: {slug}\nprocesses: 2\niterations: {{measured: 2}}\noutput_dir: ours\n\
             params: {{num_steps: 2, num_agents: 2}}\n"
        ),
    );
    project.expect(0, &["run", "ours.yaml"]);
    for sides in [["A.json", "ours"], ["ours", "A.json"]] {
        let compared = project.expect(0, &["compare", sides[0], sides[1]]).out;
        let words: Vec<&str> = compared.split_whitespace().collect();
        let of = |side: &str| {
            if side == "ours" {
                "built into Fairtrial"
            } else {
                "AgentFarm"
            }
        };
        let told = format!(
            "another implementation (control: {}; candidate: {})",
            of(sides[0]),
            of(sides[1])
        );
        assert!(words.join(" ").contains(&told), "{told}\n{compared}");
        let json = project
            .expect(0, &["compare", sides[0], sides[1], "--json"])
            .json();
        let word = &json["contrasts"][0]["metrics"][0]["verdict"]["word"];
        assert!(word == "insufficient" || word == "inconclusive", "{word}");
    }
}

#[test]
fn real_results_of_the_original_are_read() {
    let Some(folder) = shared("fixtures/upstream/agentfarm") else {
        return;
    };
    let project = Project::new();
    for name in [
        "real_observation_baseline_result.json",
        "real_pragma_profile_result.json",
    ] {
        let file = folder.join(name).display().to_string();
        // One iteration on each side: enough to read, too little to decide.
        let said = project.run(&["compare", &file, &file]);
        assert!(said.code == 0 || said.code == 4, "{}{}", said.out, said.err);
        assert!(said.out.contains("duration_s"), "{}", said.out);
    }
}
