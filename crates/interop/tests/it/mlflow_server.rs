//! A real MLflow server, and the Python that it takes. The tests of the command line use this file, too.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The folder of this crate, from any crate.
fn interop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop")
}

/// A Python that has a module: the one that `./test` sets up, else the system's.
pub fn python_with(module: &str) -> Option<PathBuf> {
    let ours = interop().join("../../target/tools/interop/bin/python");
    let found = [ours, PathBuf::from("python3")].into_iter().find(|python| {
        let import = format!("import {module}");
        let output = Command::new(python).args(["-c", &import]).output();
        output.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "no Python with `{module}`"
        );
        println!("skipped: no Python with the module `{module}`");
    }
    found
}

/// A server over a copy of the store in the fixtures; it ends with the test.
pub struct Server {
    process: Child,
    pub url: String,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = self.process.id().to_string();
        let _ = Command::new("kill")
            .args(["--", &format!("-{group}")])
            .status();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts one; it answers when this returns.
    pub fn start(python: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = interop().join("tests/fixtures/mlflow/mlflow.db.gz");
        let unpacked = Command::new(python)
            .args(["-c", "import gzip, shutil, sys; shutil.copyfileobj(gzip.open(sys.argv[1]), open(sys.argv[2], 'wb'))"])
            .arg(store)
            .arg(folder.path().join("mlflow.db"))
            .status();
        assert!(unpacked.unwrap().success());
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let store = format!("sqlite:///{}/mlflow.db", folder.path().display());
        let mut command = Command::new(python);
        command
            .args([
                "-m",
                "mlflow",
                "server",
                "--workers",
                "1",
                "--host",
                "127.0.0.1",
                "--port",
            ])
            .arg(port.to_string())
            .args(["--backend-store-uri", &store])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let process = command.spawn().unwrap();
        let server = Self {
            process,
            url: format!("http://127.0.0.1:{port}"),
            _folder: folder,
        };
        for _ in 0..600 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        panic!("the server does not answer");
    }
}
