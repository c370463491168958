//! The folder in which a trial saves its state: what stands in it, as far as it takes to see whether something came.

use fairtrial_model::{Saved, UtcTime};
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Entries that are looked at: a trial may keep a million small files.
const MOST: usize = 100_000;

/// Looks through a folder; one that is not there, or cannot be read, holds nothing.
pub fn look_at(dir: &Path) -> Saved {
    let mut saved = Saved::default();
    let mut looked = 0;
    let mut left = vec![dir.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            looked += 1;
            if looked > MOST {
                return saved;
            }
            // Without following links: the state may be a link to the newest file beside it.
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                left.push(entry.path());
                continue;
            }
            saved.files += 1;
            saved.bytes += data.len();
            let written = data.modified().ok();
            let since = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            let at = since.and_then(|since| i64::try_from(since.as_micros()).ok());
            saved.newest = saved.newest.max(at.map(UtcTime::from_micros));
        }
    }
    saved
}

#[cfg(test)]
mod tests {
    use super::look_at;
    use fairtrial_model::Saved;

    #[test]
    fn what_is_written_is_seen_and_what_is_read_is_not() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(look_at(&dir.path().join("none")), Saved::default());
        std::fs::create_dir(dir.path().join("deep")).unwrap();
        assert_eq!(look_at(dir.path()), Saved::default());
        std::fs::write(dir.path().join("deep/state"), "12").unwrap();
        let first = look_at(dir.path());
        assert_eq!((first.files, first.bytes), (1, 2));
        std::fs::read(dir.path().join("deep/state")).unwrap();
        assert_eq!(look_at(dir.path()), first);
        std::fs::write(dir.path().join("deep/state"), "123").unwrap();
        assert_ne!(look_at(dir.path()), first);
    }
}
