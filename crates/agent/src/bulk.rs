//! What is too much for a patch. An agent may leave a model, a dump or a disk image among its files, and git would hold all
//! of it in memory and write it into the patch. Such files are left out, and told wherever the score stands: a score that
//! was given without them must say so.

use crate::tree;
use fairtrial_text::bytes::size;
use fairtrial_text::excerpt::excerpt;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Bytes of one file that an agent or its tests left, to be kept or read.
pub(crate) const LARGEST: u64 = 16 << 20;
/// Bytes of all files of a patch.
pub(crate) const TOGETHER: u64 = 8 * LARGEST;
/// Bytes of a patch that tell of a file, whatever is in it.
const HEADING: u64 = 512;
/// Files that are told by name, and letters of a name: all notes of a record together have 2000.
const NAMED: usize = 8;
const LETTERS: usize = 80;

/// A file that is not in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) name: PathBuf,
    bytes: u64,
    why: Why,
}

/// Why a file is not in the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It is new and too large.
    Large,
    /// It was there and grew too much.
    Grown,
    /// Together with smaller ones it is too much.
    Together,
    /// It cannot be read.
    Shut,
}

impl LeftOut {
    pub(crate) fn new(name: PathBuf, bytes: u64, why: Why) -> Self {
        Self { name, bytes, why }
    }

    /// Which file, its size, and why it is not there.
    pub(crate) fn words(&self) -> String {
        let (name, bytes) = (
            excerpt(&self.name.to_string_lossy(), LETTERS),
            size(self.bytes),
        );
        let most = size(LARGEST);
        match self.why {
            Why::Large => format!("{name} ({bytes}; a file may have {most})"),
            Why::Grown => {
                format!("{name} ({bytes}; a file may grow by {most}, so it counts as unchanged)")
            }
            Why::Together => {
                let most = size(TOGETHER);
                format!("{name} ({bytes}; all files together may have {most})")
            }
            Why::Shut => format!("{name} (it cannot be read)"),
        }
    }
}

/// The largest ones in words, and how many others there are.
pub(crate) fn told(left_out: &[LeftOut]) -> Vec<String> {
    let mut order: Vec<&LeftOut> = left_out.iter().collect();
    order.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    let (named, others) = order.split_at(order.len().min(NAMED));
    let mut told: Vec<String> = named.iter().map(|file| file.words()).collect();
    if !others.is_empty() {
        let bytes = others.iter().map(|file| file.bytes);
        let bytes = size(bytes.fold(0, u64::saturating_add));
        told.push(format!("{} more ({bytes})", others.len()));
    }
    told
}

/// What a file of so many bytes may take of a patch.
pub(crate) fn weight(bytes: u64) -> u64 {
    bytes.saturating_add(HEADING)
}

/// The names that git lists, each ended by a 0.
pub(crate) fn names(listed: &[u8]) -> impl Iterator<Item = &Path> {
    let names = listed.split(|byte| *byte == 0);
    let filled = names.filter(|name| !name.is_empty());
    filled.map(|name| Path::new(OsStr::from_bytes(name)))
}

/// Which of the files that git would compare are too much. `tracked` are those that were in `start`, of which the workspace
/// was a copy. Where all are too much together, the small ones go first: those are what people and agents write.
pub(crate) fn pick<'a>(
    listed: impl Iterator<Item = &'a Path>,
    tracked: &HashSet<&Path>,
    start: &Path,
    workspace: &Path,
) -> Vec<LeftOut> {
    let bytes = |path: PathBuf| {
        let data = fs::symlink_metadata(path).ok();
        data.filter(|data| !data.is_dir()).map(|data| data.len())
    };
    let gone = Gone::of(tracked, start, workspace);
    let mut files = Vec::new();
    for name in listed {
        let Some(now) = bytes(workspace.join(name)) else {
            continue;
        };
        let before = tracked.get(name).and_then(|name| bytes(start.join(name)));
        let more = now.saturating_sub(before.unwrap_or(0));
        // What was there before, at this place or another, is not what the agent left.
        let was_there = match before {
            Some(_) => more == 0,
            None => gone.holds(&workspace.join(name), now),
        };
        if !was_there {
            files.push((more, name, now, before));
        }
    }
    files.sort_unstable();
    let mut sum = 0_u64;
    let mut left_out = Vec::new();
    for (more, name, now, before) in files {
        sum = sum.saturating_add(weight(more));
        let why = match before {
            _ if more <= LARGEST && sum <= TOGETHER => continue,
            _ if more <= LARGEST => Why::Together,
            None => Why::Large,
            Some(_) => Why::Grown,
        };
        left_out.push(LeftOut::new(name.to_owned(), now, why));
    }
    left_out
}

/// Files that are not where they were, by their size.
struct Gone(BTreeMap<u64, Vec<PathBuf>>);

impl Gone {
    fn of(tracked: &HashSet<&Path>, start: &Path, workspace: &Path) -> Self {
        let mut gone: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
        for name in tracked {
            let path = start.join(name);
            let data = fs::symlink_metadata(&path)
                .ok()
                .filter(fs::Metadata::is_file);
            if let (Some(data), Err(_)) = (data, fs::symlink_metadata(workspace.join(name))) {
                gone.entry(data.len()).or_default().push(path);
            }
        }
        Self(gone)
    }

    /// Whether a file is one of them at another place: git notes that in a few lines.
    fn holds(&self, path: &Path, bytes: u64) -> bool {
        let alike = self.0.get(&bytes).into_iter().flatten();
        let is_file = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
        is_file
            && alike
                .into_iter()
                .any(|old| tree::same_content(old, path).unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, LeftOut, TOGETHER, Why, pick, told};
    use std::collections::HashSet;
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            for folder in ["start", "work"] {
                fs::create_dir(dir.path().join(folder)).unwrap();
            }
            Self { dir }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.dir.path().join(name)
        }

        /// A file without blocks, however large.
        fn sparse(&self, name: &str, bytes: u64) {
            File::create(self.at(name)).unwrap().set_len(bytes).unwrap();
        }

        fn pick(&self, listed: &[&str], tracked: &[&str]) -> Vec<String> {
            let tracked: HashSet<&Path> = tracked.iter().map(Path::new).collect();
            let listed = listed.iter().map(Path::new);
            let picked = pick(listed, &tracked, &self.at("start"), &self.at("work"));
            told(&picked)
        }
    }

    #[test]
    fn one_file_may_grow_by_so_much_and_no_more() {
        let place = Place::new();
        for (name, before, now) in [
            ("new", None, LARGEST + 1),
            ("fits", None, LARGEST),
            ("grown", Some(0), LARGEST + 1),
            ("large and changed", Some(3 * LARGEST), 3 * LARGEST + 5),
            ("shrunk", Some(3 * LARGEST), 2 * LARGEST),
        ] {
            if let Some(before) = before {
                place.sparse(&format!("start/{name}"), before);
            }
            place.sparse(&format!("work/{name}"), now);
        }
        std::os::unix::fs::symlink("/dev/zero", place.at("work/link")).unwrap();
        let tracked = ["grown", "large and changed", "shrunk", "gone"];
        let all = [
            "new",
            "fits",
            "link",
            "grown",
            "large and changed",
            "shrunk",
        ];
        let picked = place.pick(&all, &tracked);
        let told = [
            "grown (16 MiB; a file may grow by 16 MiB, so it counts as unchanged)",
            "new (16 MiB; a file may have 16 MiB)",
        ];
        assert_eq!(picked, told);
    }

    #[test]
    fn a_file_that_was_moved_is_not_new() {
        let place = Place::new();
        place.sparse("start/old", 2 * LARGEST);
        place.sparse("work/moved", 2 * LARGEST);
        place.sparse("work/other", 2 * LARGEST + 1);
        let picked = place.pick(&["moved", "other"], &["old"]);
        assert_eq!(picked, ["other (32 MiB; a file may have 16 MiB)"]);
    }

    #[test]
    fn many_files_are_too_much_together_and_the_small_ones_stay() {
        let place = Place::new();
        let names: Vec<String> = (10..30).map(|n| format!("part{n}")).collect();
        for name in &names {
            place.sparse(&format!("work/{name}"), LARGEST - 2000);
        }
        place.sparse("work/source.c", 5000);
        let mut listed: Vec<&str> = names.iter().map(String::as_str).collect();
        listed.push("source.c");
        let picked = place.pick(&listed, &[]);
        assert_eq!(picked.len(), 9, "{picked:?}");
        assert_eq!(TOGETHER / LARGEST, 8);
        assert_eq!(
            picked[0],
            "part18 (15 MiB; all files together may have 128 MiB)"
        );
        assert_eq!(picked[8], "4 more (63 MiB)");
    }

    #[test]
    fn a_file_without_content_weighs_something_too() {
        let place = Place::new();
        place.sparse("work/empty", 0);
        // The same name stands for very many.
        let many = usize::try_from(TOGETHER / super::HEADING).unwrap();
        let listed = vec!["empty"; many + 3];
        let picked = place.pick(&listed, &[]);
        assert_eq!(picked.len(), 3, "{picked:?}");
    }

    #[test]
    fn a_name_is_told_in_one_line() {
        let name = format!("a\nb{}", "x".repeat(500));
        let words = LeftOut::new(name.into(), 3 << 40, Why::Large).words();
        let head = format!("a\\nb{}… (3.0 TiB;", "x".repeat(77));
        assert!(words.starts_with(&head), "{words}");
    }
}
