//! Whether what a run left is what it recorded: the journal's own checksums, spec and plan, the files that its answers rest
//! on, and every trial's copy of its record.

use crate::error::EngineError;
use fairtrial_journal::{
    FilesOfTrials, Import, JournalError, LineHash, RECORD_NAME, RunDir, RunState,
    effective_records, line_hashes, read_if_there, resolved_spec,
};
use fairtrial_model::{Record, Sha256, hex};
use fairtrial_plan::Plan;
use fairtrial_series::file_digest;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

/// What was looked at, and what is not as it was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Intact lines of the journal.
    pub lines: u64,
    /// Trials that have a record.
    pub trials: u64,
    /// Copies of records that are not there any more, as of trials whose folders were removed.
    pub copies_gone: u64,
    /// Files of curves whose digest is in a record.
    pub curve_files: u64,
    /// Those that are not there any more.
    pub curve_files_gone: u64,
    /// Lines that carry no hash of the line before them, as earlier versions wrote them.
    pub unchained: u64,
    /// The hash of the journal's last line.
    pub last_line: Option<LineHash>,
    /// Whether the run was closed; of one that was not, nobody can tell whether lines are missing at its end.
    pub is_closed: bool,
    /// Bytes of an unfinished last line, which the next session takes away.
    pub torn: Option<u64>,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// One thing that is not as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub place: String,
    /// What is there.
    pub found: String,
    /// What was recorded.
    pub expected: String,
}

impl Difference {
    fn new(
        place: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// Where a hash is not the expected one, or there is nothing to hash.
    fn of_hash(place: impl Into<String>, found: Option<String>, expected: &str) -> Option<Self> {
        let differs = found.as_deref() != Some(expected);
        differs.then(|| Self::new(place, found.unwrap_or_else(|| "gone".to_owned()), expected))
    }
}

/// As many copies that differ are told one by one.
const MOST_COPIES: usize = 20;

/// Checks what a run left.
pub fn check_evidence(run: &RunDir) -> Result<Evidence, EngineError> {
    let state = RunState::read_in_full(&run.journal())?;
    let broken = |problem: &fairtrial_journal::Problem| {
        Difference::new("journal.jsonl", problem.to_string(), "an intact line")
    };
    let mut evidence = Evidence {
        lines: state.summary.intact,
        trials: state.counts.total(),
        copies_gone: 0,
        curve_files: 0,
        curve_files_gone: 0,
        unchained: state.unchained,
        last_line: state.last_line,
        is_closed: state.closed().is_some(),
        torn: state.summary.torn.map(|torn| torn.bytes),
        differences: state.problems.iter().map(broken).collect(),
    };
    let differences = &mut evidence.differences;
    // One that was cut off may end in the middle of a line; the next session takes that away.
    if let Some(torn) = state.summary.torn.filter(|_| evidence.is_closed) {
        differences.push(Difference::new(
            "journal.jsonl",
            format!("{} bytes after the line that closes the run", torn.bytes),
            "its end",
        ));
    }
    differences.extend(spec_and_plan(run, &state)?);
    differences.extend(files(run, &state));
    differences.extend(sources(run)?);
    differences.extend(run.changed_changes().into_iter().map(|file| {
        Difference::new(
            format!("code/{file}"),
            "other changes than its name says",
            "the uncommitted changes as they were kept",
        )
    }));
    let files = copies(run, &state, &mut evidence)?;
    curve_files(run, &files, &mut evidence);
    Ok(evidence)
}

/// The journal against the hash of its last line that was kept elsewhere.
pub fn check_against(run: &RunDir, kept: LineHash) -> Result<Option<Difference>, EngineError> {
    let (mut lines, mut found_at) = (0, None);
    for hash in line_hashes(&run.journal())? {
        lines += 1;
        if hash? == kept {
            found_at = Some(lines);
        }
    }
    let found = match found_at {
        Some(line) if line == lines => return Ok(None),
        Some(line) => format!("the kept line is line {line}, and {} follow", lines - line),
        None => "a journal without the kept line".to_owned(),
    };
    Ok(Some(Difference::new(
        "journal.jsonl",
        found,
        format!("a last line with the hash {kept}"),
    )))
}

/// The spec and the plan against what the journal's first line says.
fn spec_and_plan(run: &RunDir, state: &RunState) -> Result<Vec<Difference>, EngineError> {
    let mut differences = Vec::new();
    // What was imported was planned elsewhere.
    let Some(opened) = state.opened.as_ref().filter(|opened| !opened.imported) else {
        return Ok(differences);
    };
    let plan = Plan::new(Arc::new(resolved_spec(run)?), opened.only.as_deref())?;
    let recorded = state.plan_hash().unwrap_or_default();
    if plan.hash() != recorded {
        differences.push(Difference::new("the plan", plan.hash(), recorded));
    }
    let hash = spec_text(run).map(|text| digest(&text));
    differences.extend(Difference::of_hash(
        "the spec's text, SHA-256",
        hash,
        &opened.spec_sha256,
    ));
    Ok(differences)
}

/// The files that the answers rest on, against what the journal says of them.
fn files(run: &RunDir, state: &RunState) -> Vec<Difference> {
    let mut differences = Vec::new();
    for path in [run.resolved_spec(), run.environment(), run.import()] {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hash = std::fs::read(&path).ok().map(|text| digest(&text));
        match state.files.get(name.as_ref()) {
            Some(said) => {
                let place = format!("{name}, SHA-256");
                differences.extend(Difference::of_hash(place, hash, said));
            }
            // A run that was cut off before it knew its machine has neither; one that was cut off just after, the file
            // alone, until it is resumed.
            None if hash.is_none() || state.closed().is_none() => {}
            None => differences.push(Difference::new(
                name,
                "a file that the journal does not know",
                "a line with its SHA-256",
            )),
        }
    }
    differences
}

/// The files that records were imported from, where they are still there, against what was read.
fn sources(run: &RunDir) -> Result<Vec<Difference>, JournalError> {
    let Some(import) = Import::of(run)? else {
        return Ok(Vec::new());
    };
    let changed = import.sources.iter().filter_map(|source| {
        let text = std::fs::read(&source.path).ok()?;
        Difference::of_hash(
            format!("{}, SHA-256", source.path),
            Some(digest(&text)),
            source.sha256.as_deref()?,
        )
    });
    Ok(changed.collect())
}

/// A file with curves of a trial: its path from the data root on, and its digest as recorded.
type CurveFile = (String, String);

/// Every record of the journal against the trial's own copy of it; gives the files of curves that records tell of.
fn copies(
    run: &RunDir,
    state: &RunState,
    evidence: &mut Evidence,
) -> Result<BTreeSet<CurveFile>, JournalError> {
    let mut told = 0;
    let mut curves = BTreeSet::new();
    let mut files = FilesOfTrials::of(run.root());
    effective_records(&run.journal(), state, |record| {
        // What another run recorded, or what never ran, has no copy here.
        if record.dir.is_empty() || record.reused_from.is_some() {
            return Ok::<(), JournalError>(());
        }
        let of_trial = record.series.values();
        curves.extend(of_trial.filter_map(|series| {
            let path = format!("{}/{}", record.dir, series.file);
            Some((path, series.sha256.clone()?))
        }));
        if record.packed.is_some()
            && let Err(error) = files.files(&record)
            && told < MOST_COPIES
        {
            told += 1;
            evidence.differences.push(Difference::new(
                format!("the packed files of {}", record.dir),
                error.to_string(),
                "what the trial left",
            ));
        }
        let path = run.folder_of(&record.dir).join(RECORD_NAME);
        let Some(text) = read_if_there(&path)? else {
            evidence.copies_gone += u64::from(record.packed.is_none());
            return Ok(());
        };
        // As text, in which a value that is no number equals itself.
        let copy = serde_json::from_slice::<Record>(&text).and_then(|copy| as_text(&copy));
        let same = as_text(&record).is_ok_and(|record| copy.is_ok_and(|copy| copy == record));
        if !same && told < MOST_COPIES {
            told += 1;
            evidence.differences.push(Difference::new(
                format!("{}/record.json", record.dir),
                "another record than the journal's",
                "the same record",
            ));
        }
        Ok(())
    })?;
    Ok(curves)
}

/// The files of curves against their digests, several at a time.
fn curve_files(run: &RunDir, files: &BTreeSet<CurveFile>, evidence: &mut Evidence) {
    let digest = |(path, _): &CurveFile| file_digest(&run.folder_of(path));
    let found: Vec<io::Result<String>> = files.par_iter().map(digest).collect();
    let mut told = 0;
    for ((path, expected), found) in files.iter().zip(found) {
        evidence.curve_files += 1;
        let found = match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                evidence.curve_files_gone += 1;
                continue;
            }
            Err(error) => error.to_string(),
            Ok(digest) => digest,
        };
        let differs = Difference::of_hash(format!("{path}, SHA-256"), Some(found), expected);
        evidence.differences.extend(differs.filter(|_| {
            told += 1;
            told <= MOST_COPIES
        }));
    }
}

fn as_text(record: &Record) -> serde_json::Result<String> {
    serde_json::to_string(record)
}

fn digest(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

/// The spec's text as the run keeps it.
fn spec_text(run: &RunDir) -> Option<Vec<u8>> {
    let formats = ["toml", "yaml", "yml", "json"];
    formats
        .iter()
        .find_map(|extension| std::fs::read(run.spec(extension)).ok())
}
