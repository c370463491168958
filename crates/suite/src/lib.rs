//! The built-in experiments, each with real components: SQLite, a Redis server, spatial indexes, a small simulation.
//!
//! Every experiment is one file with its parameters on top; `registry` is the one list of them. Random numbers come
//! from the trial's seed and nothing else.
#![forbid(unsafe_code)]

mod configured;
mod database;
mod noop;
mod observation;
mod redis_memory;
mod spatial;
mod system;

use fairtrial_experiment::Registry;

/// Every built-in experiment.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    for registration in [
        noop::registration(),
        database::memory_db::registration(),
        database::profiler::registration(),
        database::pragma::registration(),
        redis_memory::registration(),
        observation::flow::registration(),
        observation::perception::registration(),
        spatial::comprehensive::registration(),
        spatial::index_profiler::registration(),
        spatial::memory_profiler::registration(),
        spatial::performance_analyzer::registration(),
        system::registration(),
    ] {
        registry.register(registration);
    }
    registry
}
#[cfg(test)]
mod tests {
    use super::registry;

    #[test]
    fn every_default_fits_its_own_schema() {
        for description in registry().descriptions() {
            for param in &description.params.params {
                let default = param
                    .default
                    .as_ref()
                    .expect("built-in parameters have defaults");
                assert_eq!(
                    param.fit(default),
                    Ok(default.clone()),
                    "{} {}",
                    description.slug,
                    param.name
                );
                assert!(!param.doc.is_empty(), "{} {}", description.slug, param.name);
            }
            assert!(!description.summary.is_empty() && !description.summary.contains('\n'));
        }
    }
}
