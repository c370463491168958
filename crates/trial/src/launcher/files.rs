//! What stands on disk before a program starts: its directory and its logs; and the pipes between.

use super::child::StepError;
use super::folder::{Folder, LOGS};
use super::output::Log;
use super::quiet;
use super::state::Launcher;
use crate::wire::{Launch, LaunchFailure, LaunchTimed, TimedStdout};
use fairtrial_model::{Access, Quiet};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

/// Directory, logs and pipes of one program.
pub(super) struct Ready<'a> {
    pub(super) logs: [Log<'a>; 2],
    /// Our ends of the pipes, not blocking; absent for output that is not read.
    pub(super) read: [Option<File>; 2],
    /// The child's ends; absent for what is thrown away.
    pub(super) write: [Option<OwnedFd>; 2],
    /// Its standard input, where it is a file.
    pub(super) stdin: Option<File>,
}

/// Makes them. The directory must be new: an attempt never writes over another's evidence.
pub(super) fn prepare<'a>(
    launch: &'a Launch,
    launcher: &mut Launcher,
) -> Result<Ready<'a>, LaunchFailure> {
    let dir = Path::new(&launch.dir);
    launcher
        .counters
        .open(&launch.counters)
        .map_err(|(counter, error)| failure(&format!("count its {}", counter.words()), &error))?;
    let (mut stdin, mut stdout) = (None, None);
    let mut read_stdout = !launch.discards_output;
    match &launch.timed {
        None if launch.holds() => make_bare_dir(launch, launcher)?,
        None => make_dir(launch, launcher)?,
        Some(timed) => {
            let wanted = Quiet {
                cpu: timed.cpu,
                nice: timed.nice,
                fixed_addresses: timed.fixed_addresses,
            };
            quiet::apply(wanted, &mut launcher.quiet)
                .map_err(|(step, error)| failure(step, &error))?;
            (stdin, stdout) = timed_files(timed)?;
            read_stdout = matches!(timed.stdout, TimedStdout::Read);
        }
    }
    let (out_read, out_write) = if read_stdout {
        pipe().map(|(read, write)| (Some(read), Some(write)))?
    } else {
        (None, stdout.map(OwnedFd::from))
    };
    let (err_read, err_write) = pipe()?;
    let log = |name| match &launch.timed {
        None if launch.holds() => Log::held(dir, name, launch.log_limit),
        None => Log::new(dir, name, launch.log_limit),
        Some(_) => Log::held(dir, name, launch.log_limit.min(HELD)),
    };
    Ok(Ready {
        logs: LOGS.map(log),
        read: [out_read, Some(err_read)],
        write: [out_write, Some(err_write)],
        stdin,
    })
}

/// Bytes that are held of each stream of a program that is timed as a whole, in case it fails.
const HELD: u64 = 64 << 10;

/// Makes the directory of a program, with what stands in it from the start.
pub(super) fn make_dir(launch: &Launch, launcher: &mut Launcher) -> Result<(), LaunchFailure> {
    make_bare_dir(launch, launcher)?;
    furnish_dir(launch, launcher)
}

/// Makes the directory alone.
fn make_bare_dir(launch: &Launch, launcher: &mut Launcher) -> Result<(), LaunchFailure> {
    let dir = Path::new(&launch.dir);
    let made = folder_of(dir, launcher).and_then(|folder| make(dir, folder, launch.access));
    made.and_then(|()| make_workdir(dir, launch))
        .map_err(|(stage, error)| failure(stage, &error))
}

/// Puts into the directory what stands in it from the start of most programs.
pub(super) fn furnish_dir(launch: &Launch, launcher: &mut Launcher) -> Result<(), LaunchFailure> {
    let dir = Path::new(&launch.dir);
    let script = launch.script.as_deref();
    let made =
        folder_of(dir, launcher).and_then(|folder| furnish(dir, folder, launch.access, script));
    made.map_err(|(stage, error)| failure(stage, &error))
}

/// The files that a timed program reads from and writes to, opened outside of the measured time.
fn timed_files(timed: &LaunchTimed) -> Result<(Option<File>, Option<File>), LaunchFailure> {
    let input = timed.stdin.as_ref().map(File::open).transpose();
    let stdin = input.map_err(|error| failure("open its input", &error))?;
    let output = match &timed.stdout {
        TimedStdout::Null | TimedStdout::Read => Ok(None),
        TimedStdout::File(path) => File::create(path).map(Some),
    };
    let stdout = output.map_err(|error| failure("open its output", &error))?;
    Ok((stdin, stdout))
}

/// A step of making what stands on disk, with what the system said.
type Failed = (&'static str, io::Error);

const DIRECTORY: &str = "make the trial's directory";

/// The folder that a trial's directory belongs in: nearly always the one of the trial before.
fn folder_of<'a>(dir: &Path, launcher: &'a mut Launcher) -> Result<&'a mut Folder, Failed> {
    let parent = dir.parent().unwrap_or(dir);
    let known = launcher.folder.take();
    let folder = match known.filter(|folder| folder.path() == parent) {
        Some(folder) => folder,
        None => Folder::open(parent).map_err(|error| (DIRECTORY, error))?,
    };
    Ok(launcher.folder.insert(folder))
}

fn make(dir: &Path, folder: &mut Folder, access: Access) -> Result<(), Failed> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let made = match folder.make(&name, access) {
        // What was held open may not be what stands there any more.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Folder::open(folder.path())
            .and_then(|fresh| {
                *folder = fresh;
                folder.make(&name, access)
            }),
        made => made,
    };
    made.map_err(|error| (DIRECTORY, error))
}

fn furnish(
    dir: &Path,
    folder: &mut Folder,
    access: Access,
    script: Option<&str>,
) -> Result<(), Failed> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    if let Some(script) = script {
        let written = folder.write(&format!("{name}/command.sh"), script);
        unless_there(written).map_err(|error| ("write the trial's command.sh", error))?;
    }
    let mut path = format!("{name}/logs");
    let made = folder.make(&path, access);
    unless_there(made).map_err(|error| ("make the trial's logs directory", error))?;
    let logs = path.len();
    for log in LOGS {
        path.truncate(logs);
        path.push('/');
        path.push_str(log);
        let placed = folder.place(&path);
        unless_there(placed).map_err(|error| ("make a log file", error))?;
    }
    Ok(())
}

/// A program that has begun may have made a file or folder of this name itself.
fn unless_there(made: io::Result<()>) -> io::Result<()> {
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// A working directory below the trial's own is as new as that, so nobody else can have made it.
fn make_workdir(dir: &Path, launch: &Launch) -> Result<(), Failed> {
    let workdir = Path::new(launch.workdir.texts().next().unwrap_or("/"));
    let below = workdir.strip_prefix(dir).unwrap_or(Path::new(""));
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
    if below == Path::new("") || !below.components().all(inside) {
        return Ok(());
    }
    std::fs::create_dir_all(workdir).map_err(|error| ("make the working directory", error))
}

fn pipe() -> Result<(File, OwnedFd), LaunchFailure> {
    let make = || -> io::Result<(File, OwnedFd)> {
        let (read, write) = io::pipe()?;
        // A program that opens /dev/stdout can take from a pipe what we were told is there.
        rustix::io::ioctl_fionbio(&read, true)?;
        Ok((File::from(OwnedFd::from(read)), OwnedFd::from(write)))
    };
    make().map_err(|error| failure("make a pipe", &error))
}

fn failure(stage: &str, error: &io::Error) -> LaunchFailure {
    let taken = stage == DIRECTORY && error.kind() == io::ErrorKind::AlreadyExists;
    LaunchFailure {
        stage: stage.to_owned(),
        errno: error.raw_os_error().unwrap_or(0),
        taken,
    }
}

impl From<StepError> for LaunchFailure {
    fn from(error: StepError) -> Self {
        Self {
            stage: error.step.into_owned(),
            errno: error.errno,
            taken: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Folder, furnish, make};
    use std::fs;

    #[test]
    fn a_folder_that_was_replaced_is_found_again() {
        let home = tempfile::tempdir().unwrap();
        let runs = home.path().join("runs");
        fs::create_dir(&runs).unwrap();
        let mut folder = Folder::open(&runs).unwrap();
        make(&runs.join("one"), &mut folder, Access::Owner).unwrap();
        fs::remove_dir_all(&runs).unwrap();
        let (stage, _) = make(&runs.join("two"), &mut folder, Access::Owner).unwrap_err();
        assert_eq!(stage, super::DIRECTORY);
        fs::create_dir(&runs).unwrap();
        let dir = runs.join("three");
        make(&dir, &mut folder, Access::Owner).unwrap();
        // What a program made itself meanwhile stays.
        fs::create_dir(dir.join("logs")).unwrap();
        fs::write(dir.join("logs/stdout.log"), "mine").unwrap();
        furnish(&dir, &mut folder, Access::Owner, Some("true")).unwrap();
        let own = fs::read_to_string(dir.join("logs/stdout.log")).unwrap();
        assert_eq!(own, "mine");
        assert!(runs.join("three/logs/stderr.log").is_file());
        let script = fs::read_to_string(runs.join("three/command.sh")).unwrap();
        assert_eq!(script, "true");
    }
}
