//! The documents are run: every fenced command and spec of `docs/`, `README.md` and the examples' READMEs, in order, in
//! a fresh folder, with its exit code and, where it is shown, its output. What cannot be run says why ([`page`]).

mod commands;
mod facts;
mod fields;
mod page;
pub mod run;
mod site;
mod symptoms;
mod tables;

use page::{Block, blocks};
use std::path::{Path, PathBuf};

/// A test per page.
macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        /// The pages that have blocks.
        const PAGES: &[&str] = &[$($path),*];

        $(#[test]
        fn $name() {
            run::page($path);
        })*
    };
}

pages! {
    readme: "README.md",
    reliability: "docs/reliability.md",
    peers: "docs/peers.md",
    guide_agents: "docs/guides/agents.md",
    guide_bench: "docs/guides/bench.md",
    guide_bisect: "docs/guides/bisect.md",
    guide_bring_your_results: "docs/guides/bring-your-results.md",
    guide_checkpoints: "docs/guides/checkpoints.md",
    guide_compare: "docs/guides/compare.md",
    guide_experiments: "docs/guides/experiments.md",
    guide_first_run: "docs/guides/first-run.md",
    guide_gate: "docs/guides/gate.md",
    guide_history: "docs/guides/history.md",
    guide_install: "docs/guides/install.md",
    guide_interrupt_and_resume: "docs/guides/interrupt-and-resume.md",
    guide_large_scale: "docs/guides/large-scale.md",
    guide_live: "docs/guides/live.md",
    guide_mixed_workloads: "docs/guides/mixed-workloads.md",
    guide_python: "docs/guides/python.md",
    guide_reports: "docs/guides/reports.md",
    guide_results_tables: "docs/guides/results-tables.md",
    guide_stable_baselines3: "docs/guides/stable-baselines3.md",
    guide_sweeps: "docs/guides/sweeps.md",
    engine_gpu: "docs/guides/engines/gpu.md",
    engine_grid_engine: "docs/guides/engines/grid-engine.md",
    engine_kubernetes: "docs/guides/engines/kubernetes.md",
    engine_ray: "docs/guides/engines/ray.md",
    engine_skypilot: "docs/guides/engines/skypilot.md",
    engine_slurm: "docs/guides/engines/slurm.md",
    engine_stores: "docs/guides/engines/stores.md",
    engine_template: "docs/guides/engines/template.md",
    start: "docs/start.md",
    home: "docs/index.md",
    coming_from: "docs/coming-from/index.md",
    tutorial_timing: "docs/tutorials/timing.md",
    tutorial_training: "docs/tutorials/training.md",
    tutorial_agents: "docs/tutorials/agents.md",
    tutorial_experiments: "docs/tutorials/experiments.md",
    tutorial_tables: "docs/tutorials/tables.md",
    tutorial_gate: "docs/tutorials/gate.md",
    tutorial_slurm: "docs/tutorials/slurm.md",
    understanding_intervals: "docs/understanding/intervals.md",
    understanding_peeking: "docs/understanding/peeking.md",
    reference_commands: "docs/reference/commands.md",
    reference_files: "docs/reference/files.md",
    reference_filters: "docs/reference/filters.md",
    reference_from_metta: "docs/reference/from-metta.md",
    reference_from_oneshot: "docs/reference/from-oneshot.md",
    reference_sql: "docs/reference/sql.md",
    reference_worker_protocol: "docs/reference/worker-protocol.md",
    example_agents: "examples/agents/README.md",
    example_ci: "examples/ci/README.md",
    example_specs: "examples/specs/README.md",
}

/// Pages that tests with more to say about their results run.
const ELSEWHERE: [&str; 1] = [crate::learning_curves::GUIDE];

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every page that the tests are about.
fn all_pages() -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned(), "examples".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(repository(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            let wanted = if folder.starts_with("docs") {
                Path::new(&name).extension().is_some_and(|it| it == "md")
            } else {
                name == "README.md"
            };
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if wanted {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_page_with_a_block_is_run() {
    let with_blocks = |path: &String| !blocks(&read(path)).is_empty();
    let found: Vec<String> = all_pages().into_iter().filter(with_blocks).collect();
    let mut listed = [PAGES, &ELSEWHERE].concat();
    listed.sort_unstable();
    assert_eq!(found, listed, "list the page in `pages!`");
}

/// How often which kind of block stands in the documents, for whoever wonders: `cargo test docs::count -- --nocapture`.
#[test]
fn no_block_is_neither_run_nor_marked() {
    let (mut run, mut marked, mut silent) = (0, 0, Vec::new());
    for path in PAGES.iter().chain(&ELSEWHERE) {
        for block in blocks(&read(path)) {
            match what_for(&block) {
                What::NotRun => marked += 1,
                What::Nothing => silent.push(format!("{path} {block}")),
                _ => run += 1,
            }
        }
    }
    println!("{run} blocks are run, {marked} say why not");
    assert!(
        silent.is_empty(),
        "write `<!-- not run: WHY -->` above, or make it one that is run:\n{}",
        silent.join("\n")
    );
}

/// What the tests do with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Commands are run.
    Run,
    /// A file is written.
    Write,
    /// A spec, or a part of one, is checked.
    Check,
    /// Each line must be JSON.
    Parse,
    /// Compared with what the commands above print.
    Compare,
    /// Marked.
    NotRun,
    Nothing,
}

/// What the tests do with a block.
pub fn what_for(block: &Block) -> What {
    if block.not_run().is_some() {
        return What::NotRun;
    }
    match block.language.as_str() {
        "sh" => What::Run,
        "text" if block.notes.contains(&page::Note::Output) => What::Compare,
        _ if block.file.is_some() => What::Write,
        "toml" | "yaml" => What::Check,
        "json" => What::Parse,
        _ => What::Nothing,
    }
}
