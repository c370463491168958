//! A run's directory: the append-only journal that is its truth, the lock of who may write it, the views and the index
//! made from it, and the record of where it ran.
//!
//! Everything but the journal can be thrown away and made again. The on-disk form is described in
//! `docs/reference/files.md`.
#![forbid(unsafe_code)]

mod archive;
mod archiving;
mod atomic;
mod brief;
mod chain;
mod code_set;
mod error;
mod event;
pub mod failpoint;
mod find_run;
mod holder;
mod home;
mod import;
mod index;
mod kept;
mod line;
mod lock;
pub mod observation;
mod packed;
pub mod provenance;
mod reader;
mod reading;
mod record_text;
mod records;
pub mod redact;
mod removal;
mod resolved_spec;
mod root;
mod run_dir;
mod seal;
mod state;
mod trial_states;
pub mod views;
mod writer;

pub use archive::ENDING as ARCHIVE_ENDING;
pub use archiving::{ArchiveOptions, Archived, archive_run, restore_run};
pub use atomic::{
    Durability, Fresh, is_dead, remove_unfinished, write_atomic, write_atomic_bytes, write_once,
};
pub use brief::Brief;
pub use chain::{LineHash, NoLineHash};
pub use code_set::{CodePart, CodeSet, CodeSets, WATCHED_ROOT, code_set_hash, from_top};
pub use error::{JournalError, WriteError};
pub use event::{Event, JOURNAL_SCHEMA, Opened, OutcomeCounts, RunStatus, TakeOver};
pub use find_run::{Selector, newest_run};
pub use holder::{Holder, Locked};
pub use home::{home_in, run_with_stamp};
pub use import::{IMPORT_SCHEMA, Import, ImportFact, ImportFactKind, ImportRole, ImportSource};
pub use index::{Index, RunRow};
pub use line::{Flaw, record_from_line, record_line};
pub use lock::{
    Liveness, RunLock, cancel_requested, end_pause, is_live, pause_requested, request_cancel,
    request_pause,
};
pub use packed::{
    FilesOfTrial, FilesOfTrials, FolderFiles, LOG_NAMES, Packer, PutAwayFiles, RECORD_NAME,
    SCRIPT_NAME, TrialFile, put_back, remove_small, small_files,
};
pub use reader::{
    CorruptLine, Entry, JournalReader, Position, ReadError, ReadSummary, TornTail, line_hashes,
    read_journal,
};
pub use reading::{is_there, read_if_there};
pub use record_text::RecordText;
pub use records::{CopiedRecords, RecordFile, effective_records};
pub use removal::{put_aside, sweep_removed};
pub use resolved_spec::{ResolvedSpecError, keep_resolved_spec, resolved_spec};
pub use root::DataRoot;
pub use run_dir::{RunDir, list_runs};
pub use state::{BatchInfo, Problem, RunState, SessionInfo, Times};
pub use trial_states::TrialState;
pub use writer::{Commit, JournalWriter, OnCommit, Repair, Seq, WriterOptions};
