//! Podman with a store of its own, so that a test sees its containers and images and nobody else's.

use crate::common::Ran;
use crate::lab::{Lab, works};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The image of most tests: a static shell and nothing else.
pub const BASE: &str = "localhost/base:1";

/// What podman may mount on itself, with a space as the list of mounts has it.
pub const STORE_MOUNT: &str = "/podman/graph/overlay ";

/// A lab whose podman keeps everything in the lab's folder.
pub struct Pod {
    pub lab: Lab,
}

impl Pod {
    /// A lab with [`BASE`]; none where podman does not work, which is said.
    pub fn new() -> Option<Self> {
        let pod = Self { lab: Lab::new() };
        let root = pod.lab.project.path().join("podman");
        std::fs::create_dir_all(&root).unwrap();
        let root = root.display();
        // crun, podman's first choice, cannot use the control groups of every machine.
        let runtime = match Command::new("runc").arg("--version").output() {
            Ok(_) => "runtime = \"runc\"\n",
            Err(_) => "",
        };
        let engine = format!(
            "[engine]\n{runtime}cgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\nlock_type = \"file\"\ntmp_dir = \"{root}/tmp\"\n"
        );
        let storage = format!(
            "[storage]\ndriver = \"overlay\"\ngraphroot = \"{root}/graph\"\nrunroot = \"{root}/run\"\n"
        );
        pod.lab.project.write("podman/containers.conf", &engine);
        pod.lab.project.write("podman/storage.conf", &storage);
        let script = "set -e; cp -L $(command -v busybox) podman/busybox; \
             printf 'FROM scratch\\nCOPY busybox /bin/busybox\\nRUN [\"/bin/busybox\", \"--install\", \"-s\", \"/bin\"]\\n' > podman/Dockerfile; \
             podman build -q --isolation=chroot -t localhost/base:1 podman";
        let mut build = Command::new("sh");
        build.args(["-c", script]);
        works("podman", pod.in_store(&mut build)).then_some(pod)
    }

    /// A command that uses this store.
    pub fn in_store<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let root = self.lab.project.path().join("podman");
        command
            .current_dir(self.lab.project.path())
            .env("CONTAINERS_CONF", root.join("containers.conf"))
            .env("CONTAINERS_STORAGE_CONF", root.join("storage.conf"))
    }

    /// The binary, not started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.lab.project.command(args);
        self.in_store(&mut command);
        command
    }

    pub fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = Ran::from(self.command(args).output().unwrap());
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    pub fn podman(&self, args: &[&str]) -> Output {
        self.in_store(Command::new("podman").args(args))
            .output()
            .unwrap()
    }

    /// The words that a command of podman prints.
    pub fn words(&self, args: &[&str]) -> Vec<String> {
        let text = String::from_utf8(self.podman(args).stdout).unwrap();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Names of all containers, running or not.
    pub fn containers(&self) -> Vec<String> {
        self.words(&["ps", "-a", "--format", "{{.Names}}"])
    }

    /// Waits until a container runs a rollout.
    pub fn wait_for_container(&self) -> String {
        wait_for("a container", || {
            let running = self.words(&["ps", "--format", "{{.Names}}"]);
            running
                .into_iter()
                .find(|name| name.starts_with("fairtrial-"))
        })
    }
}

impl Drop for Pod {
    fn drop(&mut self) {
        // Containers of a failed test hold mounts in the folder that is to go.
        let _ = self
            .in_store(Command::new("podman").args(["rm", "-fa", "-t", "0"]))
            .output();
        let store = self.lab.project.path().join("podman/graph/overlay");
        let _ = Command::new("umount").arg("-q").arg(store).output();
    }
}

/// Waits for something that must come.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(
            began.elapsed() < Duration::from_mins(2),
            "waited in vain for {what}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
