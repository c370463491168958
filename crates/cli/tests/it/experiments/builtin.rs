//! The built-in suite: every shipped spec is accepted and runs, and a sweep leaves one result per point.

use super::{results, shared};
use crate::common::Project;
use std::path::Path;

/// Arguments that make any of the specs small.
fn small(experiment: &str) -> Vec<String> {
    let set = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .flat_map(|(key, value)| ["--set".to_owned(), format!("{key}={value}")])
            .collect()
    };
    let mut arguments: Vec<String> =
        set(&[("iterations.warmup", "0"), ("iterations.measured", "2")]);
    let more: Vec<String> = match experiment {
        "memory_db" => set(&[("params.num_steps", "3"), ("params.num_agents", "4")]),
        "pragma_profile" => set(&[("params.num_records", "200"), ("params.db_size_mb", "0.2")]),
        "redis_memory" => set(&[("params.memory_entries", "10"), ("params.num_agents", "2")]),
        "observation_flow" => set(&[("params.steps", "2"), ("params.radius", "2")]),
        "perception_metrics" => set(&[("params.steps", "1"), ("params.agent_counts", "[5]")]),
        "spatial_comprehensive" | "spatial_performance_analyzer" | "spatial_memory_profiler" => {
            set(&[
                ("params.steps", "5"),
                ("params.agent_counts", "[20, 40]"),
                ("params.world_sizes", "[50]"),
            ])
        }
        "spatial_index_profiler" => set(&[("params.steps", "5"), ("params.agent_counts", "[20]")]),
        "system_profiler" => set(&[("params.steps", "3"), ("params.num_agents", "5")]),
        "database_profiler" => set(&[("params.num_records", "100")]),
        _ => Vec::new(),
    };
    arguments.extend(more);
    arguments
}

fn experiment_of(spec: &str) -> &str {
    let line = spec
        .lines()
        .find_map(|line| line.strip_prefix("experiment:"));
    line.map_or("", str::trim)
}

/// Whether a spec needs a program that this machine lacks; in CI nothing may be missing.
fn lacks_redis(experiment: &str) -> bool {
    let missing = experiment == "redis_memory"
        && std::process::Command::new("redis-server")
            .arg("--version")
            .output()
            .is_err();
    if missing {
        assert!(
            std::env::var_os("CI").is_none(),
            "redis-server is not installed"
        );
        eprintln!("skipped: redis-server is not installed");
    }
    missing
}

/// Axes that a sweep of the spec has would clash with a changed parameter.
fn without_swept(arguments: Vec<String>, spec: &str) -> Vec<String> {
    let Some((_, sweep)) = spec.split_once("sweep:") else {
        return arguments;
    };
    let swept: Vec<&str> = sweep
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.trim().split_once(':'))
        .map(|(name, _)| name)
        .collect();
    let pairs = arguments.chunks(2).filter(|pair| {
        let name = pair[1]
            .trim_start_matches("params.")
            .split('=')
            .next()
            .unwrap_or("");
        !swept.contains(&name)
    });
    pairs.flatten().cloned().collect()
}

fn run_all(folder: &Path) -> usize {
    let mut specs: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    specs.sort();
    for path in &specs {
        let text = std::fs::read_to_string(path).unwrap();
        let project = Project::new();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        project.write(&name, &text);
        project.expect(0, &["check", &name]);
        let experiment = experiment_of(&text);
        // The spec with several experiments is run by its own test.
        if experiment.is_empty() || lacks_redis(experiment) {
            continue;
        }
        let mut arguments = vec!["run".to_owned(), name.clone()];
        arguments.extend(without_swept(small(experiment), &text));
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        project.expect(0, &words);
        let output = text
            .lines()
            .find_map(|line| line.strip_prefix("output_dir: "))
            .unwrap();
        let found = results(&project, output);
        assert!(!found.is_empty(), "{name}");
        for result in found {
            assert_eq!(result["status"], "success", "{name}");
            assert_eq!(result["metrics"]["duration_s"]["n"], 2, "{name}");
        }
    }
    specs.len()
}

#[test]
fn every_shipped_spec_runs() {
    let ran = run_all(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/specs"
    )));
    assert!(ran >= 20, "{ran}");
}

#[test]
fn every_spec_of_the_original_runs() {
    if let Some(folder) = shared("fixtures/upstream/agentfarm/specs") {
        assert_eq!(run_all(&folder), 16);
    }
}

#[test]
fn a_seeded_sweep_of_six_points_leaves_six_results_and_a_summary() {
    let project = Project::new();
    project.write(
        "sweep.yaml",
        "experiment: memory_db\nparams: {num_steps: 2}\nsweep:\n  num_agents: [1, 2, 3]\n  storage: [memory, disk]\n\
         iterations: {warmup: 1, measured: 2}\noutput_dir: out/sweep\nseed: 7\nparallelism: 2\n",
    );
    project.expect(0, &["run", "sweep.yaml"]);
    let found = results(&project, "out/sweep");
    assert_eq!(found.len(), 6);
    let mut ids: Vec<_> = found
        .iter()
        .map(|result| result["run_id"].to_string())
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6);
    let mut points: Vec<_> = found
        .iter()
        .map(|result| result["fairtrial"]["point"].to_string())
        .collect();
    points.sort();
    points.dedup();
    assert_eq!(points.len(), 6);
    assert!(found.iter().all(|result| result["seed"] == 7));
}

#[test]
fn several_experiments_run_from_one_spec() {
    let project = Project::new();
    project.write(
        "all.yaml",
        "seed: 1\noutput_dir: out\ndefaults:\n  iterations: {measured: 2}\ntasks:\n  - experiment: noop\n  \
         - experiment: observation_flow\n    params: {width: 9, height: 9, num_agents: 3, steps: 2}\n    \
         sweep: {radius: [1, 2]}\n",
    );
    project.expect(0, &["run", "all.yaml"]);
    let mut names: Vec<_> = results(&project, "out")
        .iter()
        .map(|result| result["name"].to_string())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["\"noop\"", "\"observation_flow\"", "\"observation_flow\""]
    );
}

#[test]
fn metrics_of_the_original_are_there() {
    let project = Project::new();
    let cases = [
        (
            "memory_db",
            "{num_steps: 2, num_agents: 2}",
            "disk_time memory_time memory_persist_time disk_to_memory_speedup disk_to_memory_persist_speedup",
        ),
        (
            "observation_flow",
            "{width: 9, height: 9, num_agents: 3, steps: 2, radius: 1}",
            "total_observes total_time_s observes_per_sec mean_step_time_s p95_step_time_s steps num_agents \
             obs_dense_bytes obs_sparse_bytes obs_memory_reduction_percent obs_cache_hit_rate obs_dense_rebuilds \
             obs_dense_rebuild_time_s_total gflops_observation_est perception_profile.spatial_query_time_s \
             perception_profile.bilinear_time_s perception_profile.nearest_time_s \
             perception_profile.bilinear_points perception_profile.nearest_points",
        ),
        (
            "pragma_profile",
            "{num_records: 50, db_size_mb: 0.1}",
            "raw_results.balanced.write_heavy raw_results.memory.mixed normalized_results.read_heavy.safety",
        ),
    ];
    for (slug, params, names) in cases {
        let spec = format!("experiment: {slug}\nparams: {params}\noutput_dir: {slug}\n");
        project.write("one.yaml", &spec);
        project.expect(0, &["run", "one.yaml"]);
        let found = &results(&project, slug)[0];
        for name in names.split_whitespace() {
            assert!(found["metrics"][name]["mean"].is_number(), "{slug} {name}");
        }
    }
}
