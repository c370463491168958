//! Podman or docker with a store of its own, so that a test sees its containers and images and nobody else's.

use super::lab::{Lab, is_let, works};
use crate::common::Ran;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The image of most tests: a static shell and nothing else.
pub const BASE: &str = "localhost/base:1";

/// What podman and docker mount on themselves, with a space as the list of mounts has it.
pub const STORE_MOUNTS: [&str; 2] = ["/podman/graph/overlay ", "/docker/data "];

/// A program that runs containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containers {
    Podman,
    Docker,
}

impl Containers {
    /// The program, which is also the word for the sandbox.
    pub fn word(self) -> &'static str {
        match self {
            Self::Podman => "podman",
            Self::Docker => "docker",
        }
    }
}

/// Makes a test of each function for each program that runs containers.
macro_rules! with_each {
    ($($test:ident),+ $(,)?) => {
        mod podman {
            $( #[test] fn $test() { $crate::agents::pod::Pod::with($crate::agents::pod::Containers::Podman, super::$test); } )+
        }
        mod docker {
            $( #[test] fn $test() { $crate::agents::pod::Pod::with($crate::agents::pod::Containers::Docker, super::$test); } )+
        }
    };
}
pub(crate) use with_each;

/// A lab whose podman or docker keeps everything in the lab's folder.
pub struct Pod {
    pub lab: Lab,
    containers: Containers,
    /// Docker's, which ends with the test.
    daemon: Option<Child>,
}

impl Pod {
    /// Runs a test in a lab with [`BASE`]; where the program does not work, that is said.
    pub fn with(containers: Containers, test: impl FnOnce(&Self)) {
        if let Some(pod) = Self::new(containers) {
            test(&pod);
        }
    }

    /// The same for a test that keeps the lab in its own.
    pub fn owned(containers: Containers, test: impl FnOnce(Self)) {
        if let Some(pod) = Self::new(containers) {
            test(pod);
        }
    }

    fn new(containers: Containers) -> Option<Self> {
        let program = match containers {
            Containers::Podman => "podman",
            Containers::Docker => "dockerd",
        };
        if !works(program, Command::new(program).arg("--version")) {
            return None;
        }
        let mut pod = Self {
            lab: Lab::new(),
            containers,
            daemon: None,
        };
        std::fs::create_dir_all(pod.store()).unwrap();
        match containers {
            Containers::Podman => pod.configure_podman(),
            Containers::Docker => pod.start_docker()?,
        }
        let word = pod.word();
        pod.lay_out_base();
        // Imported, not built: no container runs for it, and every test has a store of its own.
        let script = format!(
            "tar -C {word}/base --owner=0 --group=0 -c bin | \
             {word} import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - {BASE}"
        );
        let mut import = Command::new("sh");
        import.args(["-c", &script]);
        let import = pod.in_store(&mut import);
        let usable = match containers {
            Containers::Podman => works(word, import),
            // Its daemon needs more of a machine than any installation gives.
            Containers::Docker => is_let(word, import),
        };
        usable.then_some(pod)
    }

    /// Where everything is kept.
    fn store(&self) -> std::path::PathBuf {
        self.lab.project.path().join(self.word())
    }

    /// The files of [`BASE`]: busybox under all its names.
    fn lay_out_base(&self) {
        let bin = self.store().join("base/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let script = "cp -L \"$(command -v busybox)\" . && ./busybox --list";
        let mut laid = Command::new("sh");
        let laid = laid.args(["-c", script]).current_dir(&bin);
        let names = String::from_utf8(laid.output().unwrap().stdout).unwrap();
        for name in names.lines().filter(|name| *name != "busybox") {
            std::os::unix::fs::symlink("/bin/busybox", bin.join(name)).unwrap();
        }
    }

    fn configure_podman(&self) {
        let root = self.store();
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
        self.lab.project.write("podman/containers.conf", &engine);
        self.lab.project.write("podman/storage.conf", &storage);
    }

    /// A daemon that touches nothing of the machine: no bridge, no firewall, no file outside of the lab.
    fn start_docker(&mut self) -> Option<()> {
        let at = |name: &str| self.store().join(name).display().to_string();
        let log = std::fs::File::create(at("dockerd.log")).unwrap();
        // A test that is killed takes its daemon with it.
        let mut daemon = Command::new("setpriv")
            .args(["--pdeathsig", "TERM", "dockerd", "--storage-driver=vfs"])
            .args(["--bridge=none", "--iptables=false", "--ip6tables=false"])
            .arg(format!("--data-root={}", at("data")))
            .arg(format!("--exec-root={}", at("exec")))
            .arg(format!("--pidfile={}", at("pid")))
            .arg(format!("--host=unix://{}", at("sock")))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let ready = wait_for("dockerd", || {
            let ended = daemon.try_wait().unwrap().is_some();
            (ended || answers(&at("sock"))).then_some(!ended)
        });
        let log = std::fs::read_to_string(at("dockerd.log")).unwrap();
        self.daemon = Some(daemon);
        let mut ready_or_why = Command::new("sh");
        let script = if ready {
            "true"
        } else {
            "echo \"$WHY\" >&2; false"
        };
        let asked = ready_or_why.args(["-c", script]).env("WHY", log);
        is_let("dockerd", asked).then_some(())
    }

    /// The program, which is also the word for the sandbox.
    pub fn word(&self) -> &'static str {
        self.containers.word()
    }

    /// Options of `build` that this machine needs.
    pub fn build_options(&self) -> &'static [&'static str] {
        match self.containers {
            Containers::Podman => &["--isolation=chroot"],
            Containers::Docker => &[],
        }
    }

    /// A command that uses this store.
    pub fn in_store<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let root = self.store();
        command.current_dir(self.lab.project.path());
        match self.containers {
            Containers::Podman => command
                .env("CONTAINERS_CONF", root.join("containers.conf"))
                .env("CONTAINERS_STORAGE_CONF", root.join("storage.conf")),
            Containers::Docker => command.env(
                "DOCKER_HOST",
                format!("unix://{}", root.join("sock").display()),
            ),
        }
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

    /// Asks the program itself.
    pub fn ask(&self, args: &[&str]) -> Output {
        self.in_store(Command::new(self.word()).args(args))
            .output()
            .unwrap()
    }

    /// The words that a command of the program prints.
    pub fn words(&self, args: &[&str]) -> Vec<String> {
        let text = String::from_utf8(self.ask(args).stdout).unwrap();
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
        let left = self.words(&["ps", "-aq"]);
        let left = left.iter().map(String::as_str);
        if self.containers == Containers::Docker {
            self.ask(
                &["rm", "-f", "-v"]
                    .into_iter()
                    .chain(left)
                    .collect::<Vec<_>>(),
            );
        } else {
            self.ask(&["rm", "-fa", "-t", "0"]);
            let store = self.store().join("graph/overlay");
            let _ = Command::new("umount").arg("-q").arg(store).output();
        }
        if let Some(mut daemon) = self.daemon.take() {
            if let Some(pid) = rustix::process::Pid::from_raw(daemon.id().cast_signed()) {
                // It ends its own children.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
            let _ = daemon.wait();
        }
    }
}

/// Whether a daemon answers at this socket. Asked without its client, of which each start costs more than the answer.
fn answers(socket: &str) -> bool {
    let Ok(mut stream) = UnixStream::connect(socket) else {
        return false;
    };
    let mut said = String::new();
    stream
        .set_read_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let asked = stream.write_all(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n");
    asked.is_ok() && stream.read_to_string(&mut said).is_ok() && said.contains(" 200 OK")
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
