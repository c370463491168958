//! SQLite under the load of a simulation's log: on disk, in memory, and in memory with a copy written at the end.

pub(crate) mod desk;
pub(crate) mod memory_db;
pub(crate) mod pragma;
pub(crate) mod profiler;
pub(crate) mod simulation_log;

/// What the numbers depend on.
fn versions() -> Vec<(String, String)> {
    vec![("sqlite".to_owned(), rusqlite::version().to_owned())]
}
