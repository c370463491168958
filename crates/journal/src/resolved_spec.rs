//! The one way to read the spec that a run keeps. A run without one never began; one that is there and cannot be used
//! is never taken for that, and each reader decides what it means for it.

use crate::atomic::{Durability, write_atomic_bytes};
use crate::error::{At, JournalError};
use crate::reading::read_if_there;
use crate::run_dir::RunDir;
use fairtrial_spec::{SPEC_SCHEMA, Spec};
use serde::Deserialize;
use std::path::PathBuf;

/// Why the spec of a run is not known.
#[derive(Debug, thiserror::Error)]
pub enum ResolvedSpecError {
    /// There is none.
    #[error(
        "{} is not there: the run was cut off before it began, or the file was taken away",
        .0.display()
    )]
    Absent(PathBuf),
    /// The system does not let us read it.
    #[error(transparent)]
    Unreadable(#[from] JournalError),
    /// It does not hold a spec.
    #[error("{} is damaged: {message}; bring it back from a copy, or move the run's folder away", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// It is in a form that this version does not know.
    #[error(
        "{} has form {found}, and this version of Fairtrial reads form {SPEC_SCHEMA}: use the version that made the run",
        path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The form that it names.
        found: u64,
    },
}

/// The part of the file that every version has.
#[derive(Deserialize)]
struct Form {
    schema: u64,
}

/// Keeps the spec of a run that was not begun by an engine: in its file, or in memory where the run goes with this process.
/// A log may have a task for each of its samples: then the file takes as long to write and to read as all records.
pub fn keep_resolved_spec(
    run: &RunDir,
    spec: &Spec,
    durability: Durability,
) -> Result<(), JournalError> {
    if run.root().hold_spec(run.path(), spec) {
        return Ok(());
    }
    let path = run.resolved_spec();
    let text = serde_json::to_vec(spec).map_err(std::io::Error::from);
    write_atomic_bytes(&path, durability, &text.at("write", &path)?)
}

/// The spec that a run keeps, with every default filled in.
pub fn resolved_spec(run: &RunDir) -> Result<Spec, ResolvedSpecError> {
    if let Some(spec) = run.root().held_spec(run.path()) {
        return Ok(spec);
    }
    run.readable()?;
    let path = run.resolved_spec();
    let Some(text) = read_if_there(&path)? else {
        return Err(ResolvedSpecError::Absent(path));
    };
    let damaged = |error: serde_json::Error| ResolvedSpecError::Damaged {
        path: path.clone(),
        message: error.to_string(),
    };
    let read: Result<Spec, _> = serde_json::from_slice(&text);
    let is_ours = |spec: &Spec| spec.schema == SPEC_SCHEMA;
    if read.as_ref().is_ok_and(is_ours) {
        return read.map_err(damaged);
    }
    // What another version wrote need not have our keys: then its form is what is wrong.
    let form: Form = serde_json::from_slice(&text).map_err(damaged)?;
    if form.schema != u64::from(SPEC_SCHEMA) {
        return Err(ResolvedSpecError::OtherVersion {
            path,
            found: form.schema,
        });
    }
    read.map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::{ResolvedSpecError, keep_resolved_spec, resolved_spec};
    use crate::{DataRoot, Durability, RunDir};
    use fairtrial_model::UtcTime;
    use fairtrial_spec::{Format, LoadOptions, load_text};

    #[test]
    fn what_is_absent_unreadable_damaged_and_of_another_version_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let root = DataRoot::at(folder.path());
        let run = RunDir::create(
            &root,
            "bench",
            fairtrial_model::Access::Owner,
            UtcTime::from_micros(0),
        )
        .unwrap();
        let path = run.resolved_spec();
        let why = |part: &str| {
            let error = resolved_spec(&run).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("spec.resolved.json"), "{text}");
            assert!(text.contains(part), "{text}");
            error
        };
        assert!(matches!(why("is not there"), ResolvedSpecError::Absent(_)));
        // Not even root can read a folder as a file.
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(
            why("cannot read"),
            ResolvedSpecError::Unreadable(_)
        ));
        std::fs::remove_dir(&path).unwrap();
        let spec = load_text(
            "bench.toml",
            "command = \"true\"\n",
            Format::Toml,
            &LoadOptions::default(),
        );
        let spec = spec.spec.unwrap();
        let text = serde_json::to_string(&spec).unwrap();
        let half = &text[..text.len() / 2];
        for broken in ["", "{}", "{\"schema\":1}", half] {
            std::fs::write(&path, broken).unwrap();
            assert!(matches!(
                why("is damaged"),
                ResolvedSpecError::Damaged { .. }
            ));
        }
        std::fs::write(&path, "{\"schema\":2,\"name\":[\"bench\"]}").unwrap();
        assert!(matches!(
            why("has form 2"),
            ResolvedSpecError::OtherVersion { found: 2, .. }
        ));
        std::fs::write(&path, &text).unwrap();
        assert_eq!(resolved_spec(&run).unwrap(), spec);
        // Where the run goes with the process, nobody else reads a file.
        let passing = DataRoot::passing(folder.path().join("passing"));
        let runs = [&root, &passing].map(|root| {
            let owner = fairtrial_model::Access::Owner;
            let run = RunDir::create(root, "kept", owner, UtcTime::from_micros(0)).unwrap();
            keep_resolved_spec(&run, &spec, Durability::Process).unwrap();
            assert_eq!(resolved_spec(&run).unwrap(), spec);
            run
        });
        assert!(runs[0].resolved_spec().exists() && !runs[1].resolved_spec().exists());
        let of_another = DataRoot::passing(folder.path().join("passing"));
        let run = RunDir::named(&of_another, "kept", runs[1].stamp());
        assert!(matches!(
            resolved_spec(&run),
            Err(ResolvedSpecError::Absent(_))
        ));
    }
}
