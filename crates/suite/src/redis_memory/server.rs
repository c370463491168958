//! A Redis server: one of our own on a socket that nobody else knows, or one that is there already.

use super::resp::Link;
use fairtrial_experiment::Failure;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long our own server may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server; one that was started here ends with this value.
pub(super) struct RedisServer {
    address: String,
    own: Option<(Child, TempDir)>,
}

/// No server can be started.
#[derive(Debug, thiserror::Error)]
enum NoServer {
    #[error(
        "`redis-server` is not installed: install it (`apt-get install redis-server`, `brew install redis`), or name \
         a server that runs with the parameter `address`, as redis://localhost:6379"
    )]
    NotInstalled,
    #[error("`redis-server` did not start listening within {} s", PATIENCE.as_secs())]
    Silent,
    #[error("`redis-server` ended at once ({0}); its output is in the trial's log")]
    Ended(std::process::ExitStatus),
    #[error("`redis-server` could not be started: {0}")]
    Start(#[source] io::Error),
}

impl RedisServer {
    /// A server that is there already.
    pub(super) fn at(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            own: None,
        }
    }

    /// Starts one with nothing in it, that writes nothing to disk.
    pub(super) fn start() -> Result<Self, Failure> {
        // The path of a socket must be short: a trial's directory may not be.
        let folder = tempfile::Builder::new().prefix("ft-redis-").tempdir()?;
        let socket = folder.path().join("redis.sock");
        let child = Command::new("redis-server")
            .args([
                "--port",
                "0",
                "--save",
                "",
                "--appendonly",
                "no",
                "--daemonize",
                "no",
            ])
            .arg("--unixsocket")
            .arg(&socket)
            .arg("--dir")
            .arg(folder.path())
            .stdin(Stdio::null())
            .spawn();
        let child = child.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => NoServer::NotInstalled,
            _ => NoServer::Start(error),
        })?;
        let mut server = Self {
            address: format!("redis+unix://{}", socket.display()),
            own: Some((child, folder)),
        };
        server.wait()?;
        Ok(server)
    }

    fn wait(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if self.connect().is_ok() {
                return Ok(());
            }
            if let Some((child, _)) = &mut self.own
                && let Some(status) = child.try_wait()?
            {
                return Err(NoServer::Ended(status).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(NoServer::Silent.into())
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn connect(&self) -> Result<Link, Failure> {
        let failed = |error| {
            let address = &self.address;
            format!("the Redis server at {address} cannot be reached: {error}")
        };
        Ok(Link::open(&self.address).map_err(failed)?)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.own {
            // One that ended by itself needs no more.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
