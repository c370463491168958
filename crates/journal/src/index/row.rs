//! A run's row in the index, with a checksum over its values: SQLite notices a broken page, not a broken number.

use crate::archive::Footer;
use crate::error::{At, JournalError};
use crate::event::{OutcomeCounts, RunStatus};
use crate::run_dir::RunDir;
use crate::state::RunState;
use fairtrial_model::{Outcome, Stamp, UtcTime};
use rusqlite::Row;
use rusqlite::types::{Value, ValueRef};
use std::io;
use std::os::unix::fs::MetadataExt;

/// What a row holds, in this order, before its checksum. `size`, `modified`: the journal as it was when it was read.
pub(super) const COLUMNS: &str = "name, stamp, config, status, trials, created_at, ended_at, corrupt, torn, timed, \
   wall_s, size, modified, ok, failed, timeout, oom, infra, cancelled, skipped, mixed";
const COUNT: usize = 21;

/// One run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RunRow {
    /// The benchmark's name.
    pub name: String,
    /// The run's stamp.
    pub stamp: Stamp,
    /// The spec's path as the user gave it.
    pub config: String,
    /// How it was closed; absent where it lives or its controller died.
    pub status: Option<RunStatus>,
    /// Whether a controller works on it now.
    pub live: bool,
    /// How many trials it has.
    pub trials: u64,
    /// Effective outcomes so far.
    pub counts: OutcomeCounts,
    /// When it was made.
    pub created_at: Option<UtcTime>,
    /// When it was closed.
    pub ended_at: Option<UtcTime>,
    /// Damaged lines in its journal, and places where lines are missing.
    pub corrupt: u64,
    /// Whether the last line of its journal is not finished.
    pub torn: bool,
    /// Whether its trials are known to have run different versions of the code.
    pub mixes_code: bool,
    /// Attempts whose time is known.
    pub timed: u64,
    /// Their mean wall seconds.
    pub mean_wall_s: Option<f64>,
}

/// A journal file as `stat` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) size: i64,
    pub(super) modified: i64,
}

impl FileState {
    pub(super) fn of(run: &RunDir) -> Result<Option<Self>, JournalError> {
        if let Some(archived) = run.archived() {
            let (size, modified) = Footer::of(archived.file())?.journal;
            return Ok(Some(Self {
                size: size as i64,
                modified,
            }));
        }
        let path = run.journal();
        match path.metadata() {
            Ok(data) => Ok(Some(Self {
                size: data.len() as i64,
                modified: data
                    .mtime()
                    .wrapping_mul(1_000_000_000)
                    .wrapping_add(data.mtime_nsec()),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("read", &path),
        }
    }
}

/// The values of a row, its checksum last.
pub(super) fn values(run: &RunDir, seen: FileState, state: &RunState) -> Vec<Value> {
    let opened = state.opened.as_ref();
    let closed = state.closed();
    let micros = |time: UtcTime| time.as_micros();
    let mut values: Vec<Value> = vec![
        run.name().to_owned().into(),
        run.stamp().to_string().into(),
        opened
            .map_or(String::new(), |opened| opened.config.clone())
            .into(),
        closed.map(|(_, status)| status.word().to_owned()).into(),
        opened.map_or(0, |opened| opened.trials as i64).into(),
        opened.map(|opened| micros(opened.created_at)).into(),
        closed.map(|(at, _)| micros(at)).into(),
        (state.problems.len() as i64).into(),
        i64::from(state.summary.torn.is_some()).into(),
        (state.times.count as i64).into(),
        state.times.mean().into(),
        seen.size.into(),
        seen.modified.into(),
    ];
    let count = |outcome| Value::from(state.counts.get(outcome) as i64);
    values.extend(Outcome::ALL.map(count));
    values.push(i64::from(state.mixes_code).into());
    let sum = sum(values.iter().map(ValueRef::from));
    values.push(i64::from(sum).into());
    values
}

/// Reads a row; nothing where its checksum is of other values.
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Option<(RunRow, FileState)>> {
    let all = (0..COUNT).map(|place| row.get_ref(place));
    let all = all.collect::<rusqlite::Result<Vec<_>>>()?;
    let said: i64 = row.get(COUNT)?;
    if said != i64::from(sum(all.into_iter())) {
        return Ok(None);
    }
    let stamp: String = row.get(1)?;
    let status: Option<String> = row.get(3)?;
    let time = |micros: Option<i64>| micros.map(UtcTime::from_micros);
    let seen = FileState {
        size: row.get(11)?,
        modified: row.get(12)?,
    };
    let mut counts = OutcomeCounts::default();
    for (place, outcome) in (13..).zip(Outcome::ALL) {
        counts.set(outcome, row.get::<_, i64>(place)? as u64);
    }
    let Ok(stamp) = stamp.parse() else {
        return Ok(None);
    };
    let run = RunRow {
        name: row.get(0)?,
        stamp,
        config: row.get(2)?,
        status: status.and_then(|word| RunStatus::from_word(&word)),
        live: false,
        trials: row.get::<_, i64>(4)? as u64,
        created_at: time(row.get(5)?),
        ended_at: time(row.get(6)?),
        corrupt: row.get::<_, i64>(7)? as u64,
        torn: row.get::<_, i64>(8)? != 0,
        timed: row.get::<_, i64>(9)? as u64,
        mean_wall_s: row.get(10)?,
        mixes_code: row.get::<_, i64>(20)? != 0,
        counts,
    };
    Ok(Some((run, seen)))
}

/// A checksum over values and their kinds.
fn sum<'a>(values: impl Iterator<Item = ValueRef<'a>>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for value in values {
        let mut put = |kind: u8, bytes: &[u8]| {
            hasher.update(&[kind]);
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        match value {
            ValueRef::Null => put(0, &[]),
            ValueRef::Integer(number) => put(1, &number.to_le_bytes()),
            ValueRef::Real(number) => put(2, &number.to_bits().to_le_bytes()),
            ValueRef::Text(text) => put(3, text),
            ValueRef::Blob(bytes) => put(4, bytes),
        }
    }
    hasher.finalize()
}
