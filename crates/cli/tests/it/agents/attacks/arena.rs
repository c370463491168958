//! The grounds on which attacks are tried: a project, a sandbox, and who runs it.

use crate::agents::lab::{Lab, json_of, works};
use crate::agents::pod::{BASE, Containers, Pod};
use crate::common::Ran;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plain user, who owns nothing else.
const NOBODY: u32 = 65_534;

/// A sandbox, and who runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arena {
    Process,
    BubblewrapAsRoot,
    BubblewrapAsUser,
    Podman,
    Docker,
}

/// A project in an arena.
pub struct Ground {
    pub arena: Arena,
    place: Place,
    /// A program of ours that everybody may start.
    binary: Option<PathBuf>,
}

enum Place {
    Lab(Lab),
    Pod(Pod),
}

/// What a rollout left.
pub struct Left {
    pub row: Value,
    pub dir: PathBuf,
    pub log: String,
    pub ran: Ran,
}

impl Left {
    pub fn score(&self) -> &Value {
        &self.row["metrics"]["score"]
    }

    pub fn record(&self) -> Value {
        json_of(&self.dir, "record.json")
    }

    /// Everything that a reader is told.
    pub fn notes(&self) -> String {
        self.record()["notes"].to_string()
    }
}

impl Ground {
    /// Runs a test in an arena; where there is none, that is said.
    pub fn with(arena: Arena, test: impl FnOnce(&Self)) {
        let ground = |place| Self {
            arena,
            place,
            binary: None,
        };
        let is_root = rustix::process::geteuid().is_root();
        match arena {
            Arena::Podman => Pod::owned(Containers::Podman, |pod| test(&ground(Place::Pod(pod)))),
            Arena::Docker => Pod::owned(Containers::Docker, |pod| test(&ground(Place::Pod(pod)))),
            Arena::BubblewrapAsRoot if !is_root => eprintln!("skipped: this is not root"),
            Arena::BubblewrapAsUser if is_root => {
                let mut bare = Command::new("bwrap");
                bare.args(["--unshare-user", "--ro-bind", "/", "/", "true"]);
                if works("bwrap as a user", bare.uid(NOBODY).gid(NOBODY)) {
                    let mut ground = ground(Place::Lab(Lab::new()));
                    ground.binary = Some(ground.reachable_binary());
                    test(&ground);
                }
            }
            _ => test(&ground(Place::Lab(Lab::new()))),
        }
    }

    pub fn lab(&self) -> &Lab {
        match &self.place {
            Place::Lab(lab) => lab,
            Place::Pod(pod) => &pod.lab,
        }
    }

    pub fn is_container(&self) -> bool {
        matches!(self.place, Place::Pod(_))
    }

    /// The binary where a plain user can start it: a build folder may lie in a home.
    fn reachable_binary(&self) -> PathBuf {
        let built = PathBuf::from(env!("CARGO_BIN_EXE_fairtrial"));
        let mut tried = Command::new(&built);
        tried.arg("--version").uid(NOBODY).gid(NOBODY);
        if tried.output().is_ok_and(|out| out.status.success()) {
            return built;
        }
        let copy = self.lab().project.path().join("fairtrial");
        std::fs::copy(built, &copy).unwrap();
        copy
    }

    /// The keys of the sandbox, with further ones.
    pub fn sandbox(&self, more: &str) -> String {
        let own = match &self.place {
            Place::Pod(pod) => format!("kind = \"{}\", image = \"{BASE}\"", pod.word()),
            Place::Lab(_) if self.arena == Arena::Process => "kind = \"process\"".to_owned(),
            Place::Lab(_) => "kind = \"bubblewrap\"".to_owned(),
        };
        // Not every machine lets containers make bridges.
        let network = if more.contains("network") || self.arena == Arena::Process {
            ""
        } else {
            "network = \"none\""
        };
        let all = [own.as_str(), network, more.trim()];
        let given: Vec<&str> = all.into_iter().filter(|part| !part.is_empty()).collect();
        given.join(", ")
    }

    /// The same for a spec that is made by a command.
    pub fn sandbox_words(&self) -> Vec<String> {
        let mut words = vec!["--sandbox".to_owned()];
        match &self.place {
            Place::Pod(pod) => {
                words.push(pod.word().to_owned());
                let image = format!("defaults.sandbox.image={BASE}");
                words.extend(["--set".to_owned(), image]);
            }
            Place::Lab(_) if self.arena == Arena::Process => words.push("process".to_owned()),
            Place::Lab(_) => words.push("bubblewrap".to_owned()),
        }
        if self.arena != Arena::Process {
            let network = "defaults.sandbox.network=none";
            words.extend(["--set", network].map(str::to_owned));
        }
        words
    }

    /// The binary in this project, started by whom the arena says.
    pub fn command(&self, args: &[&str]) -> Command {
        let project = &self.lab().project;
        let command = match &self.place {
            Place::Lab(_) => project.command(args),
            Place::Pod(pod) => pod.command(args),
        };
        let Some(binary) = &self.binary else {
            return command;
        };
        let own = Command::new("chown")
            .args(["-R", &format!("{NOBODY}:{NOBODY}")])
            .arg(project.path())
            .status();
        assert!(own.unwrap().success());
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(project.path(), open).unwrap();
        let mut as_user = Command::new(binary);
        as_user.args(args).current_dir(project.path());
        as_user.env("HOME", project.path()).env("COLUMNS", "100");
        as_user.env_remove("FAIRTRIAL_DATA").env("NO_COLOR", "1");
        as_user.uid(NOBODY).gid(NOBODY);
        as_user
    }

    /// Runs one rollout of an agent that is a shell script, on the task `t`. `more` are further lines of the task, `wall`
    /// further keys of its sandbox.
    pub fn attack(&self, script: &str, more: &str, wall: &str) -> Left {
        let sandbox = self.sandbox(wall);
        let place = "data/tasks/prepared/t/overlay_files/attack.sh";
        self.lab().project.write(place, script);
        self.lab().spec(&format!(
            "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nretries = 0\n\
             sandbox = {{ {sandbox} }}\n\
             agent = {{ command = \"sh {{task_files}}/attack.sh\" }}\n{more}\n"
        ));
        let mut command = self.command(&["run", "configs/bench.toml"]);
        command.env("CANARY_TOKEN", "canary-in-the-environment");
        let ran = Ran::from(command.output().unwrap());
        let runs = self.lab().project.path().join("data/rollouts/b");
        assert!(runs.is_dir(), "nothing ran: {}\n{}", ran.out, ran.err);
        let rollouts = self.lab().rollouts("b");
        let (row, dir) = rollouts.into_iter().next().unwrap_or_else(|| {
            panic!("no rollout: {}\n{}", ran.out, ran.err);
        });
        let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap_or_default();
        Left { row, dir, log, ran }
    }
}

/// Whether a text stands in any file below a folder.
pub fn stands_below(folder: &Path, text: &str) -> bool {
    let found = Command::new("grep")
        .args(["-rqs", "--", text])
        .arg(folder)
        .status();
    found.unwrap().success()
}
