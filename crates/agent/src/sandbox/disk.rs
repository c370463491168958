//! How much a program of a rollout adds on disk. Few file systems can cap a folder, so the folders are measured while
//! the program runs: only when the file system says that it got fuller by a good part of the cap, since that is one
//! question, and measuring takes one for each file.

use rustix::fs::{StatVfs, statvfs};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The part of a cap that must be gone before folders are measured.
const PART: u64 = 8;
/// What a file costs besides its content: a disk is also full when it can hold no more files.
const FILE: u64 = 4096;

/// Watches some folders.
pub(super) struct DiskWatch {
    folders: Vec<PathBuf>,
    /// What the program was given, which does not count.
    given: Vec<PathBuf>,
    cap: u64,
    /// The file systems that are asked, and what each could take before.
    places: Vec<(PathBuf, Option<Room>)>,
    given_bytes: Option<u64>,
}

/// What a file system can still take.
#[derive(Debug, Clone, Copy)]
struct Room {
    bytes: u64,
    files: u64,
}

impl Room {
    fn of(folder: &Path) -> Option<Self> {
        let StatVfs {
            f_bfree,
            f_frsize,
            f_ffree,
            ..
        } = statvfs(folder).ok()?;
        Some(Self {
            bytes: f_bfree.saturating_mul(f_frsize),
            files: f_ffree,
        })
    }

    fn max(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            files: self.files.max(other.files),
        }
    }

    fn lost_since(self, before: Self) -> u64 {
        let files = before.files.saturating_sub(self.files);
        let bytes = before.bytes.saturating_sub(self.bytes);
        bytes.saturating_add(files.saturating_mul(FILE))
    }
}

impl DiskWatch {
    /// Watches what is added to folders, which are of one file system; `given` holds what was in them before.
    pub(super) fn new(folders: Vec<PathBuf>, given: Vec<PathBuf>, cap: u64) -> Self {
        let mut watch = Self {
            given,
            cap,
            places: Vec::new(),
            given_bytes: None,
            folders: Vec::new(),
        };
        if let Some(first) = folders.first() {
            watch.ask_also(first.clone());
        }
        watch.folders = folders;
        watch
    }

    /// Asks a further file system whether it got fuller.
    pub(super) fn ask_also(&mut self, place: PathBuf) {
        let before = Room::of(&place);
        self.places.push((place, before));
    }

    /// Whether a file system got fuller by a good part of the cap since it was last so.
    fn got_fuller(&mut self) -> bool {
        let mut fuller = false;
        for (place, before) in &mut self.places {
            let Some(now) = Room::of(place) else { continue };
            let most = before.get_or_insert(now);
            // Who frees room meanwhile must not hide what is added: it counts from the most room that was there.
            *most = most.max(now);
            if now.lost_since(*most) >= self.cap / PART {
                *most = now;
                fuller = true;
            }
        }
        fuller
    }

    pub(super) fn cap(&self) -> u64 {
        self.cap
    }

    /// Bytes that were added, where that is more than the cap. `elsewhere` is asked for more that counts.
    pub(super) fn over(&mut self, elsewhere: impl Fn() -> u64) -> Option<u64> {
        if !self.got_fuller() {
            return None;
        }
        let given = *self
            .given_bytes
            .get_or_insert_with(|| self.given.iter().map(|folder| used(folder)).sum());
        let used: u64 = self.folders.iter().map(|folder| used(folder)).sum();
        let added = used.saturating_sub(given).saturating_add(elsewhere());
        (added > self.cap).then_some(added)
    }
}

/// Bytes on disk of all that lies below a folder, which changes meanwhile.
fn used(folder: &Path) -> u64 {
    let mut sum: u64 = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata() else { continue };
            sum = sum.saturating_add(data.blocks().saturating_mul(512).saturating_add(FILE));
            if data.is_dir() {
                open.push(entry.path());
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::{DiskWatch, Room};
    use std::fs;

    #[test]
    fn what_was_given_does_not_count_and_what_is_added_does() {
        let dir = tempfile::tempdir().unwrap();
        let (work, given) = (dir.path().join("work"), dir.path().join("given"));
        for folder in [&work, &given] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("a"), vec![1; 300_000]).unwrap();
        }
        let mut watch = DiskWatch::new(vec![work.clone()], vec![given], 200_000);
        // The file system of a test is everybody's: what others do must not decide.
        let full = Room {
            bytes: u64::MAX,
            files: u64::MAX,
        };
        watch.places[0].1 = Some(full);
        assert_eq!(watch.over(|| 0), None);
        watch.places[0].1 = Some(full);
        assert!(watch.over(|| 200_001).is_some());
        fs::write(work.join("b"), vec![1; 300_000]).unwrap();
        watch.places[0].1 = Some(full);
        let added = watch.over(|| 0).unwrap();
        assert!((300_000..400_000).contains(&added), "{added}");
        for number in 0..100 {
            fs::write(work.join(format!("{number}")), "").unwrap();
        }
        fs::remove_file(work.join("b")).unwrap();
        watch.places[0].1 = Some(full);
        assert!(watch.over(|| 0).is_some(), "files cost, empty ones too");
    }

    #[test]
    fn room_that_others_free_hides_nothing() {
        let room = |bytes| Room { bytes, files: 10 };
        let most = room(1_000).max(room(9_000));
        assert_eq!(room(8_000).lost_since(most), 1_000);
    }
}
