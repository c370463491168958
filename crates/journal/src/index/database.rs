//! The database file: its tables, its version, and starting over.

use rusqlite::{Connection, ErrorCode};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Version of the tables; another one in the file means starting over.
const VERSION: i32 = 4;

/// `sum`: a checksum over the others.
const TABLES: &str = "
CREATE TABLE runs(
  name TEXT NOT NULL, stamp TEXT NOT NULL,
  config TEXT NOT NULL, trials INTEGER NOT NULL, created_at INTEGER, ended_at INTEGER, status TEXT,
  corrupt INTEGER NOT NULL, torn INTEGER NOT NULL, timed INTEGER NOT NULL, wall_s REAL,
  ok INTEGER NOT NULL, failed INTEGER NOT NULL, timeout INTEGER NOT NULL, oom INTEGER NOT NULL,
  infra INTEGER NOT NULL, cancelled INTEGER NOT NULL, skipped INTEGER NOT NULL, mixed INTEGER NOT NULL,
  size INTEGER NOT NULL, modified INTEGER NOT NULL, sum INTEGER NOT NULL,
  PRIMARY KEY(name, stamp)) WITHOUT ROWID;
";

/// An open index.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
}

impl Database {
    /// Opens the file at `path`; starts over where it is broken; lives in memory where it cannot be written.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        if !path.parent().is_some_and(Path::is_dir) {
            return Self::memory();
        }
        match prepare(path) {
            Ok(Some(connection)) => Ok(Self { connection }),
            Err(error) if cannot_write(&error) => Self::memory(),
            // A damaged file fails in many ways.
            Ok(None) | Err(_) => Self::anew(path),
        }
    }

    /// Throws the file away and begins an empty one.
    pub(super) fn anew(path: &Path) -> rusqlite::Result<Self> {
        for suffix in ["", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            // What is not there is gone; what cannot be removed shows when it is opened.
            let _ = fs::remove_file(name);
        }
        match prepare(path) {
            Ok(Some(connection)) => Ok(Self { connection }),
            Ok(None) | Err(_) => Self::memory(),
        }
    }

    /// An empty one that lives as long as the command.
    pub(super) fn memory() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(TABLES)?;
        Ok(Self { connection })
    }
}

/// Turns the write-ahead log on. Where several begin a new file at once, SQLite refuses some of them without waiting as
/// long as it was told to.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let busy = |error: &rusqlite::Error| {
        error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
    };
    let mut tries = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if busy(&error) && tries < MOST_TRIES => tries += 1,
            other => return other,
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// How often that is tried again.
const MOST_TRIES: u32 = 200;

/// Opens the file and sees to its tables; `None` where it has those of another version.
fn prepare(path: &Path) -> rusqlite::Result<Option<Connection>> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    write_ahead(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let work = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: i32 = work.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = work.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        work.execute_batch(TABLES)?;
        work.pragma_update(None, "user_version", VERSION)?;
    } else if version != VERSION {
        return Ok(None);
    }
    work.commit()?;
    Ok(Some(connection))
}

/// Whether the file may be fine and cannot be written now: by its rights, for want of room, or because somebody holds it.
pub(super) fn cannot_write(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
        )
    )
}
