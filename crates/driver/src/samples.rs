//! The samples of a trial: on disk as they come, and in memory for the aggregates.

use fairtrial_experiment::protocol::{SAMPLES_FILE, Sample};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Collects samples. A line is handed to the system before the next reply is looked at, so that whatever is killed
/// later, only the iteration at hand is lost.
#[derive(Debug)]
pub(crate) struct Samples {
    file: File,
    kept: Vec<Sample>,
}

impl Samples {
    /// Starts a new file.
    pub(crate) fn create(dir: &Path) -> io::Result<Self> {
        let file = File::options()
            .append(true)
            .create_new(true)
            .open(dir.join(SAMPLES_FILE))?;
        Ok(Self::into_file(file))
    }

    /// Collects into this file.
    pub(crate) fn into_file(file: File) -> Self {
        Self {
            file,
            kept: Vec::new(),
        }
    }

    /// Keeps one, with the line it came in.
    pub(crate) fn push(&mut self, sample: Sample, line: &[u8]) -> io::Result<()> {
        let mut whole = Vec::with_capacity(line.len() + 1);
        whole.extend_from_slice(line);
        whole.push(b'\n');
        self.file.write_all(&whole)?;
        self.kept.push(sample);
        Ok(())
    }

    /// Puts the file on the disk itself, and gives what was collected.
    pub(crate) fn finish(self) -> io::Result<Vec<Sample>> {
        self.file.sync_data()?;
        Ok(self.kept)
    }

    /// The samples so far.
    pub(crate) fn kept(&self) -> &[Sample] {
        &self.kept
    }
}
