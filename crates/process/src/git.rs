//! The one way to call git. Which repository is meant is said by the caller and never by variables that a hook or a
//! shell left behind, git never asks at the terminal, and it never waits without end.

use crate::error::ProcessError;
use crate::program::Program;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// How long a look at a repository may take.
const LOOK_LIMIT: Duration = Duration::from_mins(1);
/// How long work on a repository may take: it may be large, or come over a slow network.
const WORK_LIMIT: Duration = Duration::from_mins(30);
/// The most that git may print: a patch may hold whole files.
const MOST: usize = 4 << 30;
/// Where the token for private repositories is one.
const TOKEN_SITE: &str = "https://github.com/";

/// A call of git.
#[derive(Debug)]
pub struct Git(Program);

impl Git {
    fn call(name: &str, place: &[&OsStr], settings: &[&str], limit: Duration) -> Self {
        let program = Program::new("git", limit)
            .called(format!("git {name}"))
            .args(place)
            .without(["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .at_most(MOST)
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .args([name]);
        Self(program)
    }

    /// A look at the repository in which a folder lies. It takes none of git's locks and starts none of its helpers.
    pub fn look(folder: &Path, name: &str) -> Self {
        let place = [OsStr::new("-C"), folder.as_os_str()];
        let git = Self::call(name, &place, &["core.fsmonitor=false"], LOOK_LIMIT);
        Self(git.0.env("GIT_OPTIONAL_LOCKS", "0"))
    }

    /// Work on a repository of our own, without the user's settings: what a task or an agent left in a configuration
    /// never decides what we do.
    pub fn own(name: &str) -> Self {
        let git = Self::users(name).0;
        Self(
            git.env("GIT_CONFIG_NOSYSTEM", "1")
                .env("GIT_CONFIG_GLOBAL", "/dev/null"),
        )
    }

    /// Work with the user's settings: for repositories elsewhere, which may need their credentials.
    pub fn users(name: &str) -> Self {
        let settings = [
            "safe.directory=*",
            "core.hooksPath=/dev/null",
            "pack.writeReverseIndex=false",
        ];
        let mut git = Self::call(name, &[], &settings, WORK_LIMIT).0;
        for who in ["AUTHOR", "COMMITTER"] {
            git = git
                .env(format!("GIT_{who}_NAME"), "fairtrial")
                .env(format!("GIT_{who}_EMAIL"), "fairtrial@localhost")
                .env(format!("GIT_{who}_DATE"), "2000-01-01T00:00:00Z");
        }
        Self(git.env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"))
    }

    /// The repository.
    #[must_use]
    pub fn dir(self, git_dir: &Path) -> Self {
        Self(self.0.env("GIT_DIR", git_dir))
    }

    /// Its files.
    #[must_use]
    pub fn work_tree(self, tree: &Path) -> Self {
        Self(self.0.env("GIT_WORK_TREE", tree).dir(tree))
    }

    /// Its index.
    #[must_use]
    pub fn index(self, file: &Path) -> Self {
        Self(self.0.env("GIT_INDEX_FILE", file))
    }

    /// With a token for private repositories, where it is one for this URL. It must not stand in the arguments, where
    /// every process could read it.
    #[must_use]
    pub fn authorised(self, url: &str, token: Option<&str>) -> Self {
        let Some(token) = token.filter(|_| url.starts_with(TOKEN_SITE)) else {
            return self;
        };
        let header = format!("Authorization: Bearer {token}");
        Self(self.0.envs([
            ("GIT_CONFIG_COUNT", "1".to_owned()),
            ("GIT_CONFIG_KEY_0", format!("http.{TOKEN_SITE}.extraHeader")),
            ("GIT_CONFIG_VALUE_0", header),
        ]))
    }

    /// With further arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Self {
        Self(self.0.args(args))
    }

    /// With names to read, more than arguments may be.
    #[must_use]
    pub fn input(self, bytes: Vec<u8>) -> Self {
        Self(self.0.input(bytes))
    }

    /// With another time limit.
    #[must_use]
    pub fn limit(self, limit: Duration) -> Self {
        Self(self.0.limit(limit))
    }

    /// What it prints.
    pub fn output(self) -> Result<Vec<u8>, ProcessError> {
        Ok(self.0.run()?.success()?.stdout)
    }

    /// Gives away what it prints, piece by piece.
    pub fn output_into(self, take: &mut dyn FnMut(&[u8])) -> Result<(), ProcessError> {
        let mut take = |bytes: &[u8]| {
            take(bytes);
            Ok(())
        };
        self.0.run_into(&mut take)?.success().map(drop)
    }

    /// Only that it worked.
    pub fn run(self) -> Result<(), ProcessError> {
        self.output().map(drop)
    }

    /// What it prints, as one line.
    pub fn line(self) -> Result<String, ProcessError> {
        Ok(self.0.run()?.success()?.text().trim_end().to_owned())
    }
}
