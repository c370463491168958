//! The words by which `bwrap` builds a sandbox.

use super::hold::{Hold, INSIDE};
use super::layout::Part;
use crate::process::OnStart;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// The words of a command, with the files that it has open.
pub(super) struct Words {
    pub(super) list: Vec<String>,
    pub(super) files: Vec<OwnedFd>,
}

impl Words {
    pub(super) fn new(program: &Path) -> Self {
        let mut words = Self {
            list: vec![program.display().to_string()],
            files: Vec::new(),
        };
        words.all(&["--die-with-parent", "--new-session", "--unshare-user"]);
        words.all(&["--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
        words.all(&["--unshare-cgroup-try", "--cap-drop", "ALL"]);
        words
    }

    pub(super) fn all(&mut self, words: &[&str]) {
        self.list
            .extend(words.iter().map(|word| (*word).to_owned()));
    }

    /// The filter of system calls, as a file to be read.
    pub(super) fn filter(&mut self, filter: OwnedFd) {
        self.all(&["--seccomp", &filter.as_raw_fd().to_string()]);
        self.files.push(filter);
    }

    pub(super) fn held(&mut self, hold: Hold) -> OnStart {
        self.list.extend(hold.words);
        self.files.extend(hold.files);
        hold.on_start
    }

    /// Everything that is shown; then the program may follow.
    pub(super) fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            self.part(part);
        }
        self.all(&["--remount-ro", "/", "--chdir", "/workspace", "--"]);
    }

    fn part(&mut self, part: &Part) {
        let text = |path: &Path| path.display().to_string();
        match part {
            Part::Folder(at) => self.all(&["--perms", "0755", "--dir", &text(at)]),
            Part::Link { target, at } => self.all(&["--symlink", &text(target), &text(at)]),
            Part::Shown {
                from,
                at,
                is_written,
            } => {
                let how = if *is_written { "--bind" } else { "--ro-bind" };
                self.all(&[how, &text(from), &text(at)]);
            }
            Part::Fixed { from, at } => self.all(&["--ro-bind", &text(from), &text(at)]),
            Part::Processes => {
                self.all(&["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]);
            }
            Part::Devices => {
                self.all(&["--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"]);
                self.all(&["--remount-ro", "/dev"]);
            }
        }
    }

    /// The step from root to the user inside, with no right left.
    pub(super) fn become_user(&mut self, setpriv: &Path) {
        let inside = INSIDE.to_string();
        self.all(&[&setpriv.display().to_string(), "--reuid", &inside]);
        self.all(&["--regid", &inside, "--clear-groups", "--inh-caps=-all"]);
        self.all(&["--bounding-set=-all", "--"]);
    }
}
