//! The baseline of a task: the workspace as the agent first meets it, made once per task and overrides and copied for
//! every rollout. Its history is one commit, so that no solution can be found in it.

use crate::error::{AgentError, At};
use crate::nested::Aside;
use crate::survey::Survey;
use crate::task::{AgentTask, ReadTask, Repo, Solution};
use crate::tree;
use fairtrial_process::git::Git;
use rustix::process::{Pid, test_kill_process};
use std::fs;
use std::path::{Path, PathBuf};

/// Version of how baselines are made; part of a task's digest.
pub(crate) const VERSION: u32 = 2;

/// The folder beside the tree with what the task's image is built from.
const IMAGE_FOLDER: &str = "image";

/// The folder beside the tree with what is put into the task's container.
const CONTAINED_FOLDER: &str = "contained";

/// The message of the one commit.
const COMMIT_MESSAGE: &str = "baseline";

/// The file with the task itself.
const TASK_FILE: &str = "task.json";

/// A baseline in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    dir: PathBuf,
}

impl Baseline {
    /// The baseline of a task with this digest, made or not.
    pub fn of(cache: &Path, digest: &str) -> Self {
        Self::at(folder(cache).join(digest))
    }

    /// The baseline in a folder of the cache.
    pub fn at(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Whether it is made: the task's file is written last.
    pub fn is_made(&self) -> bool {
        self.dir.join(TASK_FILE).is_file()
    }

    /// The folder in the cache.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The workspace that is copied.
    pub fn tree(&self) -> PathBuf {
        self.dir.join("tree")
    }

    /// The task.
    pub fn task(&self) -> Result<AgentTask, AgentError> {
        let path = self.dir.join(TASK_FILE);
        let text = fs::read(&path).at("read", &path)?;
        serde_json::from_slice(&text).map_err(|error| AgentError::Content {
            path,
            message: error.to_string(),
        })
    }

    /// What the task's image is built from, where it brings one.
    pub fn image_files(&self) -> PathBuf {
        self.dir.join(IMAGE_FOLDER)
    }

    /// One of the folders that are put into the task's container.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.dir.join(CONTAINED_FOLDER).join(name)
    }

    /// The reference solution as a patch, where it is one.
    pub fn solution_patch(&self) -> PathBuf {
        self.dir.join("solution.patch")
    }

    /// Makes a baseline of its own, in a folder that does not exist, of a workspace that was copied from this one and
    /// changed since. The workspace goes there. Its history is one commit still; what the task's repository ignores is
    /// kept, and ignored still.
    pub(crate) fn moved_on(&self, workspace: &Path, dir: PathBuf) -> Result<Self, AgentError> {
        let next = Self { dir };
        let (tree, git_dir) = (next.tree(), next.tree().join(".git"));
        fs::create_dir(&next.dir).at("create", &next.dir)?;
        fs::rename(workspace, &tree).at("rename", workspace)?;
        // Whatever was done to the history is not asked.
        let removed = match fs::symlink_metadata(&git_dir) {
            Ok(data) if data.is_dir() => fs::remove_dir_all(&git_dir),
            Ok(_) => fs::remove_file(&git_dir),
            Err(_) => Ok(()),
        };
        removed.at("remove", &git_dir)?;
        tree::copy(&self.tree().join(".git"), &git_dir, None)?;
        let git = |name| Git::own(name).work_tree(&tree).dir(&git_dir);
        let aside = Aside::put(&tree, &Survey::of(&tree)?.nested)?;
        git("add").args(["-A", "."]).run()?;
        aside.restore()?;
        git("commit")
            .args(["-q", "--amend", "--allow-empty", "--no-gpg-sign"])
            .args(["-m", COMMIT_MESSAGE])
            .run()?;
        // What a repository does not need is not copied.
        let _ = fs::remove_dir_all(git_dir.join("logs"));
        Ok(next)
    }
}

/// The baseline of a task, made where the cache does not have it.
pub fn ensure(cache: &Path, read: &ReadTask, token: Option<&str>) -> Result<Baseline, AgentError> {
    let baseline = Baseline::of(cache, &read.digest);
    if baseline.is_made() {
        return Ok(baseline);
    }
    let folder = folder(cache);
    fs::create_dir_all(&folder).at("create", &folder)?;
    let building = folder.join(format!(".{}.{}.tmp", read.digest, std::process::id()));
    if building.exists() {
        fs::remove_dir_all(&building).at("remove", &building)?;
    }
    let made = make(cache, &building, &read.task, token);
    if let Err(error) = made {
        let _ = fs::remove_dir_all(&building);
        return Err(error);
    }
    match fs::rename(&building, baseline.dir()) {
        Ok(()) => {}
        // Another controller was faster; its baseline is as good.
        Err(_) if baseline.is_made() => {
            fs::remove_dir_all(&building).at("remove", &building)?;
        }
        Err(error) => return Err(error).at("rename", &building),
    }
    Ok(baseline)
}

/// Brings a task's commits into the cache, where it has a repository: whether they are there shows only then.
pub fn fetch(cache: &Path, task: &AgentTask, token: Option<&str>) -> Result<(), AgentError> {
    let Some(repo) = &task.repo else {
        return Ok(());
    };
    let mirror = Mirror::fetch(cache, repo, token)?;
    let Some(subdir) = &repo.subdir else {
        return Ok(());
    };
    let start = repo.start.as_deref().unwrap_or("HEAD");
    let wanted = mirror.git("cat-file").args(["-e", &repo.tree_at(start)]);
    wanted.run().map_err(|_| AgentError::Program {
        program: "git cat-file".to_owned(),
        message: format!("commit {start} has no folder `{subdir}` (`repo.subdir`)"),
    })
}

fn folder(cache: &Path) -> PathBuf {
    cache.join("tasks")
}

/// Folders of baselines that nobody will finish: whoever began them is no more.
pub fn abandoned(cache: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(cache)).into_iter().flatten().flatten();
    let unfinished = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with('.') && !is_being_made(&name)
    });
    unfinished.map(|entry| entry.path()).collect()
}

fn is_being_made(name: &str) -> bool {
    let pid = name
        .strip_suffix(".tmp")
        .and_then(|name| name.rsplit('.').next());
    let pid = pid.and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
    pid.is_some_and(|pid| match test_kill_process(pid) {
        Ok(()) => true,
        // It is there and belongs to somebody else.
        Err(error) => error == rustix::io::Errno::PERM,
    })
}

fn make(cache: &Path, dir: &Path, task: &AgentTask, token: Option<&str>) -> Result<(), AgentError> {
    let tree = dir.join("tree");
    fs::create_dir_all(&tree).at("create", &tree)?;
    let mut patch = match &task.solution {
        Some(Solution::Patch { text }) => Some(text.clone().into_bytes()),
        _ => None,
    };
    if let Some(repo) = &task.repo {
        let mirror = Mirror::fetch(cache, repo, token)?;
        mirror.check_out(repo, dir, &tree)?;
        if task.solution == Some(Solution::EndCommit) {
            patch = Some(mirror.solution(repo)?);
        }
    }
    for pattern in &task.removed {
        tree::remove(&tree, pattern)?;
    }
    for (name, body) in &task.files {
        tree::place(&tree, name, body)?;
    }
    commit(&tree)?;
    let image = task
        .image
        .as_ref()
        .map(|image| (dir.join(IMAGE_FOLDER), image));
    let contained = task
        .contained
        .iter()
        .flat_map(|contained| &contained.folders);
    let contained = contained.map(|(name, files)| (dir.join(CONTAINED_FOLDER).join(name), files));
    for (folder, files) in image.into_iter().chain(contained) {
        fs::create_dir_all(&folder).at("create", &folder)?;
        for (name, body) in &files.files {
            tree::place(&folder, name, body)?;
        }
    }
    if let Some(patch) = patch {
        let path = dir.join("solution.patch");
        fs::write(&path, patch).at("write", &path)?;
    }
    let path = dir.join(TASK_FILE);
    let text = serde_json::to_vec(task).map_err(|error| AgentError::Content {
        path: path.clone(),
        message: error.to_string(),
    })?;
    fs::write(&path, text).at("write", &path)
}

/// One commit with everything, packed into few files because every rollout copies them.
pub(crate) fn commit(tree: &Path) -> Result<(), AgentError> {
    let nested = tree.join(".git");
    if nested.exists() {
        fs::remove_dir_all(&nested).at("remove", &nested)?;
    }
    let git = |name| Git::own(name).work_tree(tree).dir(&nested);
    Git::own("init")
        .work_tree(tree)
        .dir(&nested)
        .args(["-q", "--template=", "-b", "main"])
        .run()?;
    git("add").args(["-A", "-f", "."]).run()?;
    git("commit")
        .args(["-q", "--allow-empty", "--no-gpg-sign", "-m", COMMIT_MESSAGE])
        .run()?;
    git("repack").args(["-a", "-d", "-q", "-n"]).run()?;
    git("pack-refs").args(["--all"]).run()?;
    // What a repository does not need is not copied ten thousand times.
    let _ = fs::remove_dir_all(nested.join("logs"));
    let _ = fs::remove_dir_all(nested.join("objects/info"));
    for empty in ["refs/heads", "refs/tags"] {
        let _ = fs::remove_dir(nested.join(empty));
    }
    let _ = fs::remove_file(nested.join("COMMIT_EDITMSG"));
    Ok(())
}

/// A local store of one remote repository.
struct Mirror {
    dir: PathBuf,
}

impl Mirror {
    fn fetch(cache: &Path, repo: &Repo, token: Option<&str>) -> Result<Self, AgentError> {
        check_place(repo)?;
        let name = crate::short_hash(&repo.url);
        let dir = cache.join("repos").join(format!("{name}.git"));
        let mirror = Self { dir };
        if !mirror.dir.join("HEAD").is_file() {
            fs::create_dir_all(&mirror.dir).at("create", &mirror.dir)?;
            mirror.git("init").args(["-q", "--bare"]).run()?;
        }
        for commit in [&repo.start, &repo.end].into_iter().flatten() {
            if !mirror.has(commit) {
                mirror.bring(repo, commit, token)?;
            }
        }
        Ok(mirror)
    }

    fn git(&self, name: &str) -> Git {
        Git::users(name).dir(&self.dir)
    }

    fn has(&self, commit: &str) -> bool {
        let wanted = format!("{commit}^{{commit}}");
        self.git("cat-file").args(["-e", &wanted]).run().is_ok()
    }

    /// The one commit where the server gives single commits, else everything.
    fn bring(&self, repo: &Repo, commit: &str, token: Option<&str>) -> Result<(), AgentError> {
        let fetch = || self.git("fetch").authorised(&repo.url, token);
        let alone = fetch()
            .args(["-q", "--depth", "1", "--", &repo.url, commit])
            .run();
        if alone.is_ok() && self.has(commit) {
            return Ok(());
        }
        fetch()
            .args(["-q", "--", &repo.url, "+refs/*:refs/remotes/origin/*"])
            .run()?;
        if self.has(commit) {
            return Ok(());
        }
        Err(AgentError::Program {
            program: "git fetch".to_owned(),
            message: format!("{} has no commit {commit}", repo.url),
        })
    }

    fn check_out(&self, repo: &Repo, scratch: &Path, tree: &Path) -> Result<(), AgentError> {
        let from = repo.tree_at(repo.start.as_deref().unwrap_or("HEAD"));
        let index = scratch.join("checkout.index");
        let git = |name| self.git(name).work_tree(tree).index(&index);
        git("read-tree").args([&from]).run()?;
        let mut paths = vec!["-q".to_owned(), "-f".to_owned(), "--".to_owned()];
        if repo.sparse.is_empty() {
            paths = vec!["-q".to_owned(), "-a".to_owned(), "-f".to_owned()];
            git("checkout-index").args(paths).run()?;
        } else {
            paths.extend(repo.sparse.iter().cloned());
            git("checkout").args(paths).run()?;
        }
        let _ = fs::remove_file(index);
        Ok(())
    }

    fn solution(&self, repo: &Repo) -> Result<Vec<u8>, AgentError> {
        let (Some(start), Some(end)) = (&repo.start, &repo.end) else {
            return Ok(Vec::new());
        };
        let (start, end) = (repo.tree_at(start), repo.tree_at(end));
        let diff = self.git("diff").args(["--binary", "--no-color"]);
        Ok(diff.args([&start, &end]).output()?)
    }
}

/// A URL or a commit that git would read as an option is none, and a path must be there.
fn check_place(repo: &Repo) -> Result<(), AgentError> {
    if repo.url.starts_with('/') && !Path::new(&repo.url).exists() {
        return Err(AgentError::Content {
            path: repo.url.clone().into(),
            message: "there is no such repository (`repo.git_url`)".to_owned(),
        });
    }
    let words = [Some(&repo.url), repo.start.as_ref(), repo.end.as_ref()];
    match words
        .into_iter()
        .flatten()
        .find(|word| word.starts_with('-'))
    {
        None => Ok(()),
        Some(word) => Err(AgentError::Program {
            program: "git fetch".to_owned(),
            message: format!("`{word}` is no repository and no commit"),
        }),
    }
}

/// Names the commit that a branch points at, so that every rollout starts from the same one.
pub fn pin(task: &mut AgentTask, token: Option<&str>) -> Result<Option<String>, AgentError> {
    let Some(repo) = task.repo.as_mut().filter(|repo| repo.start.is_none()) else {
        return Ok(None);
    };
    check_place(repo)?;
    let wanted = if repo.branch.is_empty() {
        "HEAD".to_owned()
    } else {
        format!("refs/heads/{}", repo.branch)
    };
    let git = Git::users("ls-remote").authorised(&repo.url, token);
    let line = git.args(["--", &repo.url, &wanted]).line()?;
    let Some(commit) = line.split_whitespace().next() else {
        return Err(AgentError::Program {
            program: "git ls-remote".to_owned(),
            message: format!("{} has no branch `{}`", repo.url, repo.branch),
        });
    };
    repo.start = Some(commit.to_owned());
    Ok(Some(commit.to_owned()))
}
