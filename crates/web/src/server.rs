//! The server: connections on threads of their own, as many as one person's browser opens.

use crate::api::{Api, answer};
use crate::guard::Guard;
use crate::http::{HttpMethod, ReadError, Response, read_request};
use crate::token::Token;
use fairtrial_session::Session;
use std::io::{self, ErrorKind, Read};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Connections at once; event streams are some of them.
const MOST: usize = 64;
/// How long a connection may say nothing, and how long an answer may wait for its reader.
const IDLE: Duration = Duration::from_secs(30);
/// How long, and how many bytes, somebody is listened to who was refused.
const LINGER: Duration = Duration::from_millis(500);
const MOST_TAKEN: usize = 1 << 20;

/// How the page is served.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The address that is listened at.
    pub host: IpAddr,
    /// The port; another free one is taken where this one is in use and `any_port` is set.
    pub port: u16,
    /// Whether any free port will do.
    pub any_port: bool,
    /// Further names by which this machine may be asked.
    pub names: Vec<String>,
    /// Whether runs may be cancelled, paused and resumed.
    pub control: bool,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened at.
    #[error("cannot listen at {at}: {error}")]
    Listen {
        /// The address.
        at: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// There is no source of randomness.
    #[error("cannot make a secret: {0}")]
    Secret(io::Error),
}

/// A server that listens and has not begun to answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
}

impl Server {
    /// Listens.
    pub fn listen(options: &ServeOptions) -> Result<Self, ServeError> {
        let at = SocketAddr::new(options.host, options.port);
        let listener = match TcpListener::bind(at) {
            Err(error) if error.kind() == ErrorKind::AddrInUse && options.any_port => {
                TcpListener::bind(SocketAddr::new(options.host, 0))
            }
            other => other,
        };
        let listener = listener.map_err(|error| ServeError::Listen { at, error })?;
        let address = listener.local_addr();
        let address = address.map_err(|error| ServeError::Listen { at, error })?;
        let guard = Guard {
            token: Token::new().map_err(ServeError::Secret)?,
            names: options
                .names
                .iter()
                .map(|name| name.to_lowercase())
                .collect(),
            control: options.control,
        };
        Ok(Self {
            listener,
            address,
            guard,
        })
    }

    /// The address to open in a browser on this machine, the secret in it.
    pub fn url(&self) -> String {
        let mut shown = self.address;
        if shown.ip().is_unspecified() {
            shown.set_ip(IpAddr::from([127, 0, 0, 1]));
        }
        format!("http://{shown}/{}/", self.guard.token.text())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the process ends.
    pub fn run(self, session: &Session) -> io::Result<()> {
        let api = Arc::new(Api::new(session.clone(), self.guard.control));
        let guard = Arc::new(self.guard);
        let open = Arc::new(AtomicUsize::new(0));
        loop {
            let Ok((mut stream, _)) = self.listener.accept() else {
                // A connection that was gone before it was taken, or too many open files for the moment.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            let timed = stream.set_read_timeout(Some(IDLE));
            if timed
                .and_then(|()| stream.set_write_timeout(Some(IDLE)))
                .is_err()
            {
                continue;
            }
            let _ = stream.set_nodelay(true);
            let taken = Taken::of(&open);
            if open.load(Ordering::Acquire) > MOST {
                let full = Response::plain(503, "too many connections");
                let _ = full.send(&mut stream, HttpMethod::Get, false);
                continue;
            }
            let (api, guard) = (Arc::clone(&api), Arc::clone(&guard));
            // Where there is no thread the connection is closed, and the browser tries again.
            let _ = thread::Builder::new().spawn(move || {
                let _taken = taken;
                converse(&mut stream, &guard, &api);
            });
        }
    }
}

/// A place among the connections, given back when dropped.
struct Taken(Arc<AtomicUsize>);

impl Taken {
    fn of(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(open))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Answers the requests of a connection, one after the other.
fn converse(stream: &mut TcpStream, guard: &Guard, api: &Arc<Api>) {
    loop {
        let (response, method, keep) = match read_request(stream) {
            Ok(request) => {
                let response = match guard.admit(&request) {
                    Ok(path) => answer(api, path, &request),
                    Err(refusal) => refusal,
                };
                (response, request.method, request.keep)
            }
            Err(ReadError::Bad(status, why)) => {
                let _ = Response::plain(status, why).send(stream, HttpMethod::Get, false);
                return see_out(stream);
            }
            Err(ReadError::Gone) => return,
        };
        if !matches!(response.send(stream, method, keep), Ok(true)) {
            return;
        }
    }
}

/// Takes what somebody still sends who was refused, for a moment: a connection that is closed before that loses the answer.
fn see_out(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(LINGER));
    let mut part = [0; 4096];
    let mut taken = 0;
    while let Ok(read) = stream.read(&mut part) {
        taken += read;
        if read == 0 || taken > MOST_TAKEN {
            return;
        }
    }
}
