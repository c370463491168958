//! Trials without a folder: in a large run, what a trial leaves that ends well and leaves little goes into a file of the run.

use fairtrial_journal::{
    DataRoot, FolderFiles, JournalError, LOG_NAMES, Packer, RECORD_NAME, RecordFile, RunDir,
    RunState, SCRIPT_NAME, put_back, remove_small, small_files,
};
use fairtrial_model::{Outcome, Record};
use fairtrial_plan::Plan;
use fairtrial_trial::TrialJob;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Trials that a run may have and still keep a folder for each: in so many somebody may look.
const MOST_FOLDERS: u64 = 1000;

/// What packs the files of a run's trials; absent where each keeps its folder.
pub(crate) fn packer_of(run: &RunDir, plan: &Plan) -> Option<Arc<Packer>> {
    let large = plan.len() > MOST_FOLDERS;
    let keeps = plan.spec().keep_folders.unwrap_or(!large);
    (!keeps && !run.root().is_passing()).then(|| Arc::new(Packer::new(run)))
}

/// Whether what a trial leaves may go elsewhere than into its folder: not where others find it there by its path.
pub(crate) fn may_pack(job: &TrialJob) -> bool {
    let plain = job.timed.is_none() && job.checkpoint.is_none() && job.script.is_some();
    plain && job.makes.outputs.is_empty()
}

/// Removes folders of trials whose files stand elsewhere, which a controller that was killed had no time for. One that somebody
/// unpacked stays: it has a record in it.
pub(crate) fn sweep(run: &RunDir, known: &RunState) -> Result<(), JournalError> {
    if known.opened.is_none() || known.closed().is_some() {
        return Ok(());
    }
    let mut journal = None;
    let entries = fs::read_dir(run.root().runs_dir()).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((_, index)) = DataRoot::trial_named(&name).filter(|(of, _)| *of == run.stamp())
        else {
            continue;
        };
        let journal = match &mut journal {
            Some(journal) => journal,
            none => none.insert(RecordFile::open(&run.journal())?),
        };
        let record = journal.record(&known.trial(index))?;
        let packed = record.is_some_and(|it| it.packed.is_some() && it.dir.ends_with(&name));
        if packed && !entry.path().join(RECORD_NAME).exists() {
            remove_small(&entry.path());
        }
    }
    Ok(())
}

/// What is not in the folder of a trial that has just ended, and would be where nothing is packed.
pub(crate) struct BareFolder {
    pub(crate) script: Option<String>,
    /// What it said on standard output and error, where its launcher held that.
    pub(crate) held: Option<[String; 2]>,
}

impl BareFolder {
    /// Packs what the trial left, and says so in its record; where that is not for it, puts into its folder what belongs there.
    pub(crate) fn leave(self, packer: &Packer, dir: &Path, record: &mut Record) -> io::Result<()> {
        let mut missing = FolderFiles::new();
        missing.extend(self.script.map(|script| (SCRIPT_NAME.to_owned(), script)));
        let held = self.held.unwrap_or_default();
        missing.extend(LOG_NAMES.map(str::to_owned).into_iter().zip(held));
        // Curves are looked for in folders, and so is the reason for a failure.
        if record.outcome == Outcome::Ok
            && record.series.is_empty()
            && let Ok(Some(left)) = small_files(dir)
        {
            let mut files = missing.clone();
            files.extend(left);
            let name = record.dir.rsplit('/').next().unwrap_or_default();
            // A folder that stays because its files could not be packed is no loss.
            record.packed = packer.pack(name, &record.trial, files).unwrap_or(None);
        }
        if record.packed.is_none() && dir.is_dir() {
            put_back(dir, &missing)?;
        }
        Ok(())
    }
}
