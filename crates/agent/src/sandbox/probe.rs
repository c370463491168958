//! Whether a sandbox can be had on this machine, found out before a run: a sandbox that confines less than it says is
//! refused, never used.

use super::caps::GivenCaps;
use super::contract::{Env, Room};
use super::opening::open;
use super::run::{Confinement, PhaseJob};
use super::setting::Setting;
use crate::error::{AgentError, At};
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::{Network, Phase, SandboxChoice, SandboxKind};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a program that does nothing may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// What came of trying, once: what a machine can do does not depend on the task.
static TRIED: OnceLock<Result<(), String>> = OnceLock::new();

/// Asks for a sandbox; the answer says why there is none.
pub(crate) fn answers(choice: &SandboxChoice, setting: Setting) -> Result<(), AgentError> {
    let sandbox = open(choice, setting)?;
    sandbox.answers()?;
    if sandbox.kind() != SandboxKind::Bubblewrap {
        return Ok(());
    }
    let tried = TRIED.get_or_init(|| try_out().map_err(|error| error.to_string()));
    tried.clone().map_err(AgentError::Sandbox)
}

/// How the folders begin in which sandboxes are tried out.
const FOLDER: &str = "fairtrial-sandbox-";

/// Makes a sandbox and runs a program in it that does nothing.
fn try_out() -> Result<(), AgentError> {
    sweep_probes();
    let (folder, _held) = hold_folder()?;
    let tried = try_in(&folder);
    let _ = fs::remove_dir_all(&folder);
    tried
}

/// A folder of our own, locked: whoever is killed lets go of it, and the next one removes it.
fn hold_folder() -> Result<(PathBuf, File), AgentError> {
    loop {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos());
        let name = format!("{FOLDER}{}-{now}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).at("create", &folder)?;
        let held = match File::open(&folder) {
            // Before it was locked, somebody took it for a dead one's.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.at("open", &folder)?,
        };
        held.lock_shared().at("lock", &folder)?;
        // The same may have happened since.
        if folder.exists() {
            return Ok((folder, held));
        }
    }
}

/// Removes what processes left that were killed while they tried a sandbox.
pub fn sweep_probes() {
    let entries = fs::read_dir(std::env::temp_dir());
    for entry in entries.into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(FOLDER)
            && let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn try_in(folder: &Path) -> Result<(), AgentError> {
    let choice = SandboxChoice {
        kind: Some(SandboxKind::Bubblewrap),
        network: Network::None,
        ..SandboxChoice::default()
    };
    let sandbox = Confinement::open(&choice, Setting::default(), (GivenCaps::default(), 4096))?;
    let room = Room {
        workspace: folder.join("workspace"),
        inputs: folder.join("inputs"),
        out: folder.join("out"),
        home: folder.join("home"),
        tmp: folder.join("tmp"),
        name: format!("fairtrial-probe-{}", std::process::id()),
    };
    fs::create_dir(&room.workspace).at("create", &room.workspace)?;
    sandbox.make_room(&room)?;
    sandbox.hand_over(&[&room.workspace])?;
    let env: Env = std::env::vars()
        .filter(|(name, _)| name == "PATH")
        .collect();
    // Its own processes, no right, no way to one, and a folder that it may write to.
    let script = "test $$ -lt 10 && grep -q '^CapBnd:.0000000000000000' /proc/self/status && \
                  grep -q '^Seccomp:.2' /proc/self/status && : > written";
    let argv = ["sh", "-c", script].map(str::to_owned);
    let job = PhaseJob {
        phase: Phase::Agent,
        room: &room,
        argv: &argv,
        env: &env,
        stdin: None,
        fixed: &[],
        log: &folder.join("log"),
        timeout: PATIENCE,
        given: &room.workspace,
        redactor: &Redactor::from_values(&[]),
    };
    let end = sandbox.run(&job, None)?;
    if end.ended.code == 0 {
        return Ok(());
    }
    let said = end.ended.last_line();
    Err(AgentError::Sandbox(format!(
        "this machine cannot make the sandbox `bubblewrap`: {said}{}; choose podman or docker, or sandbox = \"process\" for agents that you trust",
        advice(&said)
    )))
}

/// What to do about what `bwrap` says most often.
fn advice(said: &str) -> &'static str {
    let is_about = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if is_about(&["new namespace", "uid map", "unshare"]) {
        " (user namespaces are forbidden here: kernel.unprivileged_userns_clone, user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns, or the filter of a container)"
    } else if is_about(&["mount proc", "mount devpts"]) {
        " (a container around this one hides parts of /proc)"
    } else if is_about(&["nknown option"]) {
        " (bubblewrap 0.5 or newer is needed)"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::{hold_folder, sweep_probes};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Two that begin at once: one sweeps while the other makes its folder.
    #[test]
    fn a_folder_is_held_while_others_sweep() {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        sweep_probes();
                    }
                });
            }
            let held: Result<Vec<_>, _> = (0..300).map(|_| hold_folder()).collect();
            done.store(true, Ordering::Relaxed);
            for (folder, _held) in held.unwrap() {
                std::fs::remove_dir_all(folder).unwrap();
            }
        });
    }
}
