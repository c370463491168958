//! What was found of the metrics, and why one has no value.

use fairtrial_model::{MetricDeclaration, Number, SeriesInfo};
use std::collections::BTreeMap;
use std::io;

/// What was found.
#[derive(Debug, Default)]
pub struct Collected {
    /// One number per metric.
    pub metrics: BTreeMap<String, Number>,
    /// What the trial says about itself in words.
    pub facts: BTreeMap<String, String>,
    /// The series behind some of them.
    pub series: BTreeMap<String, SeriesInfo>,
    /// Required metrics without a value, each with where it was looked for.
    pub missing: Vec<String>,
    /// What could not be read.
    pub notes: Vec<String>,
    /// A file that the machine failed to read: what it holds is not known, and not the trial's fault.
    pub unreadable: Option<String>,
}

impl Collected {
    /// Notes where the machine is to blame for what is missing.
    pub(super) fn blame(&mut self, error: &CollectError) {
        if error.is_of_the_machine() {
            self.unreadable.get_or_insert_with(|| error.to_string());
        }
    }

    /// A metric has no value: listed where it is required or its file is damaged, noted where the reason is worth knowing.
    pub(super) fn without_value(&mut self, metric: &MetricDeclaration, error: &CollectError) {
        self.blame(error);
        if metric.required || matches!(error, CollectError::Damaged(_)) {
            self.missing.push(format!("`{}` ({error})", metric.name));
        } else if matches!(error, CollectError::Io { .. }) {
            let note = format!("metric `{}`: {error}", metric.name);
            self.notes.push(note);
        }
    }
}

/// Why one metric has no value.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The file is not there.
    #[error("{0} is not there")]
    NoFile(String),
    /// The file is there without the value.
    #[error("{0}")]
    NoValue(String),
    /// The file lost a part: whatever else it holds is not to be trusted.
    #[error("{0}")]
    Damaged(String),
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
}

impl CollectError {
    /// Whether the disk, the network file system or the kernel failed, rather than that the trial left something else than
    /// a file that can be read.
    fn is_of_the_machine(&self) -> bool {
        let Self::Io { source, .. } = self else {
            return false;
        };
        matches!(
            source.raw_os_error(),
            Some(
                libc::EIO
                    | libc::ENXIO
                    | libc::ENODEV
                    | libc::ENOMEM
                    | libc::EMFILE
                    | libc::ENFILE
                    | libc::ESTALE
                    | libc::ETIMEDOUT
                    | libc::ENOTCONN
                    | libc::ECONNABORTED
            )
        )
    }

    /// The same once more; what a system error was made of cannot be copied otherwise.
    pub(super) fn again(file: &str, source: &io::Error) -> Self {
        let source = source.raw_os_error().map_or_else(
            || io::Error::from(source.kind()),
            io::Error::from_raw_os_error,
        );
        Self::Io {
            file: file.to_owned(),
            source,
        }
    }

    pub(crate) fn io(file: &str, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound {
            Self::NoFile(file.to_owned())
        } else {
            Self::Io {
                file: file.to_owned(),
                source,
            }
        }
    }
}
