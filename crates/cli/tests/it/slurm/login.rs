//! Slurm's commands on a login node, through a real `sshd` on a port of its own with a key made for the test.

use super::cluster::{Ways, kill};
use super::site::{Site, spec};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const SSHD: &str = "/usr/sbin/sshd";

/// An `sshd` and an `ssh` that reaches it as `login`.
struct Login {
    daemon: Child,
    folder: PathBuf,
}

impl Login {
    /// Absent (with the reason printed) where there is no `sshd`.
    fn start(site: &Site) -> Option<Self> {
        if !Path::new(SSHD).exists() {
            assert!(std::env::var_os("CI").is_none(), "CI must have {SSHD}");
            eprintln!("skipped: needs {SSHD} (`./test` installs it)");
            return None;
        }
        let folder = site.project.path().join("login");
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.join(key))
                .stdin(Stdio::null())
                .status();
            assert!(made.unwrap().success());
        }
        // Free now; whoever takes it in between makes the daemon end, which `expect` shows.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let here = folder.display();
        let daemon = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {here}/host\nPidFile none\nUsePAM no\nStrictModes no\n\
             AuthorizedKeysFile {here}/user.pub\nPasswordAuthentication no\nPermitRootLogin yes\n\
             SetEnv SLURM_CONF={} SQUEUE_FORMAT=%%i\n",
            site.cluster.conf().display()
        );
        std::fs::write(folder.join("sshd_config"), daemon).unwrap();
        let client = format!(
            "Host login\nHostName 127.0.0.1\nPort {port}\nUser root\nIdentityFile {here}/user\nIdentitiesOnly yes\n\
             UserKnownHostsFile /dev/null\nStrictHostKeyChecking no\nLogLevel ERROR\n"
        );
        std::fs::write(folder.join("ssh_config"), client).unwrap();
        // `ssh` finds its settings by the user's entry in the system, so they are given by a program of the same name.
        let ssh = folder.join("bin/ssh");
        std::fs::write(
            &ssh,
            format!("#!/bin/sh\nexec /usr/bin/ssh -F {here}/ssh_config \"$@\"\n"),
        )
        .unwrap();
        std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir_all("/run/sshd").unwrap();
        let daemon = Command::new(SSHD)
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"))
            .stdin(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let login = Self { daemon, folder };
        site.until("sshd listens", |_| login.log().contains("listening"));
        Some(login)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Runs the binary where Slurm's own commands are not reached: without its configuration.
    fn expect(&self, site: &Site, code: i32, args: &[&str]) -> crate::common::Ran {
        let path = std::env::var("PATH").unwrap();
        let mut command = site.command(args);
        command
            .env(
                "PATH",
                format!("{}:{path}", self.folder.join("bin").display()),
            )
            .env("SLURM_CONF", "/no/such/slurm.conf");
        let ran = crate::common::Ran::from(command.output().unwrap());
        assert_eq!(
            ran.code,
            code,
            "{args:?}\n{}\n{}\n{}",
            ran.out,
            ran.err,
            self.log()
        );
        ran
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        kill(i32::try_from(self.daemon.id()).unwrap());
        let _ = self.daemon.wait();
    }
}

#[test]
fn commands_run_on_a_login_node() {
    let text = spec(6, "true", "pack = 3\n[engine.slurm]\nssh = 'login'");
    // Jobs begin with the environment of the login node, where these are not set.
    let text = text.replace("$LEDGER", "$FAIRTRIAL_DIR/../../../ledger");
    let Some(site) = Site::new(&Ways::default(), &text) else {
        return;
    };
    let Some(login) = Login::start(&site) else {
        return;
    };
    let ran = login.expect(&site, 0, &["run", "bench.toml"]);
    assert!(ran.err.contains("in 4 jobs to slurm"), "{}", ran.err);
    site.audit().all(12, "ok");
    login.expect(&site, 0, &["run", "bench.toml", "--detach"]);
    login.expect(&site, 0, &["wait", "bench"]);
    // A machine that cannot be reached is told as that, with what to try.
    site.project
        .write("bench.toml", &text.replace("'login'", "'nobody@127.0.0.1'"));
    let ran = login.expect(&site, 3, &["run", "bench.toml"]);
    assert!(
        ran.err
            .contains("cannot reach `nobody@127.0.0.1` through ssh"),
        "{}",
        ran.err
    );
}
