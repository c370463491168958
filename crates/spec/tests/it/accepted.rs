//! Specs that must be valid as they stand: the product page, the files of the programs whose dialects we read.

use crate::common::shared;
use fairtrial_spec::{Format, LoadOptions, Loaded, Spec, Style, Work, load, load_text, render};
use std::fs;
use std::path::Path;

fn accept(loaded: Loaded) -> Spec {
    let shown = render(&loaded.diagnostics, &loaded.sources, Style::default());
    loaded.spec.unwrap_or_else(|| panic!("{shown}"))
}

fn own(name: &str) -> Spec {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/specs")
        .join(name);
    accept(load(&path, &LoadOptions::default()))
}

#[test]
fn arms_and_seeds() {
    let mut spec = own("seeds.toml");
    spec.source.clear();
    spec.base_dir.clear();
    insta::assert_json_snapshot!(spec);
}

#[test]
fn agent_task_rollouts() {
    let spec = own("rollouts.toml");
    let task = &spec.tasks[0];
    assert_eq!(
        (task.id.as_str(), task.rollouts, task.arm.as_deref()),
        ("task_1", 3, Some("gpt-4"))
    );
    assert_eq!(task.env["TIMEOUT_SEC"], "1800");
    assert_eq!(spec.arms.len(), 1);
    assert_eq!(spec.seeds, [1072]);
    assert!(matches!(
        &task.work,
        Work::Prepared {
            apply_overrides: true,
            overrides: Some(_),
            ..
        }
    ));
}

#[test]
fn registered_experiment() {
    let mut spec = own("experiment.yaml");
    spec.source.clear();
    spec.base_dir.clear();
    insta::assert_json_snapshot!(spec);
}

#[test]
fn files_of_the_programs_whose_dialects_we_read() {
    for (folder, extension, least) in [
        ("fixtures/upstream/agentfarm/specs", "yaml", 16),
        ("fixtures/upstream/oneshot", "toml", 2),
    ] {
        let Some(folder) = shared(folder) else {
            continue;
        };
        let mut accepted = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // The research-bench file is another program's configuration.
            let other = path
                .file_name()
                .is_some_and(|name| name == "upstream_rebench_banking77.toml");
            if path.extension().is_some_and(|found| found == extension) && !other {
                accept(load(&path, &LoadOptions::default()));
                accepted += 1;
            }
        }
        assert!(accepted >= least, "{accepted}");
    }
}

#[test]
fn every_configuration_of_the_benchmarking_guide() {
    let Some(page) = shared("seeds/001_b7c81d1fc615c4bb.txt") else {
        return;
    };
    let page = fs::read_to_string(page).unwrap();
    let blocks = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    // The other blocks are fragments that show one or two keys.
    let whole: Vec<&str> = blocks
        .filter(|block| block.starts_with("name = "))
        .collect();
    assert_eq!(whole.len(), 5);
    for block in whole {
        accept(load_text(
            "guide.toml",
            block,
            Format::Toml,
            &LoadOptions::default(),
        ));
    }
}
