//! SQLite under the load of a simulation's log: on disk, in memory, and in memory with a copy written at the end.

pub(crate) mod memory_db;
pub(crate) mod pragma;
pub(crate) mod profiler;
pub(crate) mod simulation_log;

use fairtrial_experiment::{Context, Failure};
use tempfile::TempDir;

/// A folder for databases on the disk that holds the trial: a temporary folder elsewhere may be in memory.
fn workspace(context: &Context) -> Result<TempDir, Failure> {
    let made = tempfile::Builder::new()
        .prefix("database-")
        .tempdir_in(&context.place.dir);
    Ok(made?)
}

/// What the numbers depend on.
fn versions() -> Vec<(String, String)> {
    vec![("sqlite".to_owned(), rusqlite::version().to_owned())]
}
