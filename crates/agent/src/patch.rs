//! What an agent changed, as a patch that git can apply to what it started from.

use crate::baseline::Baseline;
use crate::bulk::{self, LeftOut};
use crate::error::{AgentError, At};
use crate::ignored::Ignored;
use crate::nested::Aside;
use crate::survey::Survey;
use fairtrial_process::git::Git;
use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What differs in a workspace.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// For git.
    pub(crate) text: Vec<u8>,
    /// What the task's repository ignores.
    pub(crate) ignored: Ignored,
    /// What would be too much, or cannot be read.
    pub(crate) left_out: Vec<LeftOut>,
}

impl Baseline {
    /// What differs in a workspace that was a copy of this one. What the agent did to its own history is not asked.
    pub(crate) fn diff(&self, workspace: &Path) -> Result<Patch, AgentError> {
        let survey = Survey::of(workspace)?;
        let rules = survey.rules.iter().map(|file| &file.name);
        let aside = Aside::put(workspace, survey.nested.iter().chain(rules))?;
        let look = Look {
            start: self.tree(),
            own: self.tree().join(".git"),
            workspace,
            index: workspace.with_file_name("diff.index"),
        };
        let patch = look.patch(&survey);
        let _ = fs::remove_file(&look.index);
        aside.restore()?;
        patch
    }
}

/// Git's view of a workspace, in an index of its own.
struct Look<'a> {
    start: PathBuf,
    /// The history of what the agent started from.
    own: PathBuf,
    workspace: &'a Path,
    index: PathBuf,
}

impl Look<'_> {
    fn git(&self, name: &str) -> Git {
        let git = Git::own(name).dir(&self.own).work_tree(self.workspace);
        git.index(&self.index)
    }

    fn patch(&self, survey: &Survey) -> Result<Patch, AgentError> {
        fs::copy(self.own.join("index"), &self.index).at("copy", &self.own)?;
        let tracked = if survey.is_harmless() {
            Vec::new()
        } else {
            self.listed()?
        };
        let tracked: HashSet<&Path> = bulk::names(&tracked).collect();
        // Put aside, they would look deleted.
        let rules = survey.rules.iter().map(|file| file.name.as_path());
        self.keep_as_before(rules.filter(|name| tracked.contains(name)))?;
        // The objects of new files go to the baseline's store unless told otherwise: only their names are noted.
        self.git("add").args(["-A", "-N", "."]).run()?;
        let others = ["-z", "--others", "--ignored", "--exclude-standard"];
        let others = self.git("ls-files").args(others).output()?;
        let ignored = Ignored::sort(&others, &self.start, self.workspace)?;
        if !ignored.taken.is_empty() {
            let from = ["--pathspec-file-nul", "--pathspec-from-file=-"];
            let add = self.git("add").args(["-N", "-f"]).args(from);
            add.input(ignored.pathspecs()).run()?;
        }
        let mut left_out = Vec::new();
        if !survey.is_harmless() {
            left_out = self.leave_out(survey, &tracked)?;
        }
        let text = self
            .git("diff")
            .args(["--binary", "--no-color", "--no-ext-diff"])
            // A file that was moved is one that went and one that came: which of the two may count is asked for each.
            .args(["--no-textconv", "--no-renames", "HEAD"])
            .output()?;
        Ok(Patch {
            text,
            ignored,
            left_out,
        })
    }

    /// What git knows of by now.
    fn listed(&self) -> Result<Vec<u8>, AgentError> {
        Ok(self.git("ls-files").args(["-z"]).output()?)
    }

    /// Keeps git from reading what is too much or cannot be read.
    fn leave_out(
        &self,
        survey: &Survey,
        tracked: &HashSet<&Path>,
    ) -> Result<Vec<LeftOut>, AgentError> {
        let listed = self.listed()?;
        let mut all = survey.rules.clone();
        all.extend(survey.shut.iter().cloned());
        let known: HashSet<PathBuf> = all.iter().map(|file| file.name.clone()).collect();
        let rest = bulk::names(&listed).filter(|name| !known.contains(*name));
        all.extend(bulk::pick(rest, tracked, &self.start, self.workspace));
        let names: HashSet<&Path> = all.iter().map(|file| file.name.as_path()).collect();
        // A folder that cannot be read has all that is in it out of reach.
        let is_out = |name: &&Path| name.ancestors().any(|part| names.contains(part));
        let (before, new): (Vec<&Path>, Vec<&Path>) = bulk::names(&listed)
            .filter(is_out)
            .partition(|name| tracked.contains(name));
        self.keep_as_before(before.into_iter())?;
        self.update_index("--force-remove", new.into_iter())?;
        Ok(all)
    }

    /// Files of the start count as unchanged, whatever stands in their place.
    fn keep_as_before<'n>(&self, names: impl Iterator<Item = &'n Path>) -> Result<(), AgentError> {
        self.update_index("--skip-worktree", names)
    }

    fn update_index<'n>(
        &self,
        how: &str,
        names: impl Iterator<Item = &'n Path>,
    ) -> Result<(), AgentError> {
        let mut text = Vec::new();
        for name in names {
            text.extend_from_slice(name.as_os_str().as_bytes());
            text.push(0);
        }
        if text.is_empty() {
            return Ok(());
        }
        let update = self.git("update-index").args([how, "-z", "--stdin"]);
        Ok(update.input(text).run()?)
    }
}

#[cfg(test)]
mod tests {
    use crate::baseline::{Baseline, commit};
    use crate::bulk::told;
    use crate::{git, tree};
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    /// Larger than any memory: the test ends only where nobody reads it.
    const HUGE: u64 = 1 << 40;

    struct Place {
        dir: tempfile::TempDir,
        baseline: Baseline,
    }

    impl Place {
        fn new(files: &[(&str, &str)]) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let baseline = Baseline::at(dir.path().join("base"));
            for (name, text) in files {
                let path = baseline.tree().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            commit(&baseline.tree()).unwrap();
            let place = Self { dir, baseline };
            tree::copy(&place.baseline.tree(), &place.at(""), None).unwrap();
            place
        }

        fn at(&self, name: &str) -> PathBuf {
            self.dir.path().join("work").join(name)
        }

        fn huge(&self, name: &str) {
            let file = File::create(self.at(name)).unwrap();
            file.set_len(HUGE).unwrap();
        }

        /// The patch, what is told of it, and the start with the patch on it.
        fn diff(&self) -> (String, Vec<String>, PathBuf) {
            let patch = self.baseline.diff(&self.at("")).unwrap();
            let text = String::from_utf8(patch.text).unwrap();
            let (file, fresh) = (self.dir.path().join("p"), self.dir.path().join("fresh"));
            tree::copy(&self.baseline.tree(), &fresh, None).unwrap();
            if !text.is_empty() {
                fs::write(&file, &text).unwrap();
                git::apply(&file, &fresh, &[]).unwrap();
            }
            (text, told(&patch.left_out), fresh)
        }
    }

    #[test]
    fn what_is_huge_is_left_out_and_told_and_the_rest_is_there() {
        let place = Place::new(&[
            ("a.txt", "1\n"),
            ("empty", ""),
            ("d/.gitignore", "*.o\n"),
            ("was.txt", "1\n"),
        ]);
        fs::write(place.at("a.txt"), "2\n").unwrap();
        fs::write(place.at("new.txt"), "3\n").unwrap();
        place.huge("empty");
        place.huge("d/model.bin");
        // Git reads these as a whole wherever they are.
        place.huge("d/.gitignore");
        place.huge(".gitattributes");
        fs::remove_file(place.at("was.txt")).unwrap();
        symlink("/dev/zero", place.at("was.txt")).unwrap();
        let (text, told, fresh) = place.diff();
        let words = "(1.0 TiB; a file may have 16 MiB)";
        let grown = "empty (1.0 TiB; a file may grow by 16 MiB, so it counts as unchanged)";
        let large = [".gitattributes", "d/.gitignore", "d/model.bin"];
        let mut expected = large.map(|name| format!("{name} {words}")).to_vec();
        expected.push(grown.to_owned());
        assert_eq!(told, expected);
        assert_eq!(text.matches("diff --git").count(), 4, "{text}");
        assert_eq!(fs::read_to_string(fresh.join("a.txt")).unwrap(), "2\n");
        assert_eq!(fs::read_to_string(fresh.join("new.txt")).unwrap(), "3\n");
        assert_eq!(fs::read_to_string(fresh.join("empty")).unwrap(), "");
        assert!(fresh.join("d/.gitignore").is_file());
        assert!(fresh.join("was.txt").is_symlink());
        assert!(!fresh.join("d/model.bin").exists());
        // What was put aside is back.
        assert_eq!(fs::metadata(place.at("d/.gitignore")).unwrap().len(), HUGE);
        let objects = place.baseline.tree().join(".git/objects");
        let stored = fs_size(&objects);
        assert!(stored < 100_000, "{stored} bytes in {}", objects.display());
    }

    fn fs_size(folder: &std::path::Path) -> u64 {
        let size = |entry: fs::DirEntry| {
            let data = entry.metadata().unwrap();
            if data.is_dir() {
                fs_size(&entry.path())
            } else {
                data.len()
            }
        };
        fs::read_dir(folder).unwrap().flatten().map(size).sum()
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_and_a_huge_file_in_that_of_a_folder() {
        let place = Place::new(&[("file", "1\n"), ("folder/in", "2\n"), ("a.txt", "1\n")]);
        fs::remove_file(place.at("file")).unwrap();
        fs::create_dir(place.at("file")).unwrap();
        place.huge("file/huge");
        fs::remove_dir_all(place.at("folder")).unwrap();
        place.huge("folder");
        fs::write(place.at("a.txt"), "2\n").unwrap();
        let (text, told, fresh) = place.diff();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(text.contains("+2"), "{text}");
        assert_eq!(fs::read_to_string(fresh.join("a.txt")).unwrap(), "2\n");
    }

    /// The owner of a file may forbid it to himself; whoever runs as root is never refused.
    #[test]
    fn what_its_owner_may_not_read_is_in_the_patch_all_the_same() {
        let place = Place::new(&[("a.txt", "1\n"), ("d/b.txt", "1\n")]);
        for name in ["a.txt", "d/b.txt", "new.txt"] {
            fs::write(place.at(name), "2\n").unwrap();
        }
        for name in ["a.txt", "new.txt", "d"] {
            let none = Permissions::from_mode(0o000);
            fs::set_permissions(place.at(name), none).unwrap();
        }
        let snapshot = tree::Snapshot::default();
        let found = tree::compare(&place.baseline.tree(), &place.at(""), &snapshot);
        assert_eq!(found.unwrap(), tree::Difference::Files);
        let (text, told, fresh) = place.diff();
        assert_eq!(
            (told.len(), text.matches("\n+2\n").count()),
            (0, 3),
            "{text}"
        );
        assert_eq!(fs::read_to_string(fresh.join("d/b.txt")).unwrap(), "2\n");
    }
}
