//! Curves of another tool as the files that trials of ours leave: one `metrics.jsonl` for each execution, written while
//! the tool's files are read.

use fairtrial_interop::PointSink;
use fairtrial_model::Number;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of the file that trials report to.
pub(super) const REPORTED: &str = "metrics.jsonl";

/// Writes points into a folder, one file for each execution.
#[derive(Debug)]
pub(super) struct PointFiles {
    folder: PathBuf,
    open: Option<(usize, BufWriter<File>)>,
    failed: Arc<Mutex<Option<io::Error>>>,
}

/// Whether everything was written; asked when the reading is over.
#[derive(Debug)]
pub(super) struct PointsWritten {
    folder: PathBuf,
    failed: Arc<Mutex<Option<io::Error>>>,
}

impl PointFiles {
    /// A folder that does not exist yet.
    pub(super) fn new(folder: PathBuf) -> (Self, PointsWritten) {
        let failed = Arc::new(Mutex::new(None));
        let written = PointsWritten {
            folder: folder.clone(),
            failed: Arc::clone(&failed),
        };
        let files = Self {
            folder,
            open: None,
            failed,
        };
        (files, written)
    }

    fn write(&mut self, execution: usize, line: &[u8]) -> io::Result<()> {
        if self.open.as_ref().is_none_or(|(of, _)| *of != execution) {
            self.close()?;
            fs::create_dir_all(&self.folder)?;
            let file = File::create(file_of(&self.folder, execution))?;
            self.open = Some((execution, BufWriter::new(file)));
        }
        match &mut self.open {
            Some((_, file)) => file.write_all(line),
            None => Ok(()),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        self.open
            .take()
            .map_or(Ok(()), |(_, mut file)| file.flush())
    }

    fn keep(&self, done: io::Result<()>) {
        if let Err(error) = done {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(error);
        }
    }
}

impl PointSink for PointFiles {
    fn point(&mut self, execution: usize, metric: &str, (step, value): (f64, f64)) {
        let mut row = BTreeMap::new();
        row.insert("step", Number(step));
        row.insert(metric, Number(value));
        let done = serde_json::to_vec(&row).map_err(io::Error::other);
        let done = done.and_then(|mut line| {
            line.push(b'\n');
            self.write(execution, &line)
        });
        self.keep(done);
    }

    fn forget(&mut self, execution: usize) {
        let done = self.close();
        self.keep(done);
        // It is not there where the execution had no points.
        let _ = fs::remove_file(file_of(&self.folder, execution));
    }
}

impl Drop for PointFiles {
    fn drop(&mut self) {
        let done = self.close();
        self.keep(done);
    }
}

impl PointsWritten {
    /// What went wrong.
    pub(super) fn check(&self) -> io::Result<()> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take().map_or(Ok(()), Err)
    }

    /// The file of an execution; absent where it has no curve.
    pub(super) fn file(&self, execution: usize) -> Option<PathBuf> {
        let path = file_of(&self.folder, execution);
        path.exists().then_some(path)
    }

    /// Takes away what nobody took.
    pub(super) fn remove(&self) {
        // Nothing refers to what is left there.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn file_of(folder: &Path, execution: usize) -> PathBuf {
    folder.join(format!("{execution}.jsonl"))
}
