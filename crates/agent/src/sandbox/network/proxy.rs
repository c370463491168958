//! A small proxy for HTTP: `CONNECT` for everything that is encrypted, and plain requests, to the places that are allowed.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes of a request's head.
const HEAD: usize = 64 << 10;
/// How long a place may take to answer a connection.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a client may take to say where it wants to go.
const CLIENT_PATIENCE: Duration = Duration::from_mins(1);
/// How many places are remembered of those that were refused: an agent chooses their names.
const REMEMBERED: usize = 100;
/// How many are named in a note.
const NAMED: usize = 5;

/// What was refused, and how often.
type Refused = Arc<Mutex<BTreeMap<String, u64>>>;

/// A proxy at work, for as long as it is held.
pub(super) struct Proxy {
    refused: Refused,
    ended: Arc<AtomicBool>,
    listener: TcpListener,
}

impl Proxy {
    pub(super) fn serve(listener: TcpListener, allowed: Vec<String>) -> io::Result<Self> {
        let proxy = Self {
            refused: Refused::default(),
            ended: Arc::default(),
            listener: listener.try_clone()?,
        };
        let (refused, ended) = (Arc::clone(&proxy.refused), Arc::clone(&proxy.ended));
        let allowed: Arc<[String]> = allowed.into();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let (allowed, refused) = (Arc::clone(&allowed), Arc::clone(&refused));
                // A client that goes away, or a place that does, is their affair.
                thread::spawn(move || drop(serve_one(client, &allowed, &refused)));
            }
        });
        Ok(proxy)
    }

    /// What was asked for in vain, in words.
    pub(super) fn refused(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.is_empty() {
            return None;
        }
        let named = refused
            .iter()
            .take(NAMED)
            .map(|(place, times)| match times {
                1 => place.clone(),
                times => format!("{place} ({times} times)"),
            });
        let named: Vec<String> = named.collect();
        let more = match refused.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "the network refused what `allow` does not name: {}{more}",
            named.join(", ")
        ))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // The thread waits for a client that never comes: a socket that is shut down wakes it.
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
    }
}

fn serve_one(mut client: TcpStream, allowed: &[String], refused: &Refused) -> io::Result<()> {
    client.set_read_timeout(Some(CLIENT_PATIENCE))?;
    let (head, rest) = read_head(&mut client)?;
    let Some(request) = Request::parse(&head) else {
        return client.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    };
    let place = format!("{}:{}", request.host, request.port);
    if !allowed.iter().any(|allowed| allows(allowed, &request)) {
        let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < REMEMBERED || refused.contains_key(&place) {
            *refused.entry(place.clone()).or_default() += 1;
        }
        drop(refused);
        let text = format!("{place} is not in `allow` of this sandbox's network\n");
        let answer = format!(
            "HTTP/1.1 403 Forbidden\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        return client.write_all(answer.as_bytes());
    }
    let mut server = match connect(&request) {
        Ok(server) => server,
        Err(error) => {
            let answer = format!("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n{error}\n");
            return client.write_all(answer.as_bytes());
        }
    };
    match &request.plain {
        Some(head) => server.write_all(head.as_bytes())?,
        None => client.write_all(b"HTTP/1.1 200 Connection Established\r\n\r\n")?,
    }
    server.write_all(&rest)?;
    client.set_read_timeout(None)?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    let up = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let _ = io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Both);
    let _ = up.join();
    Ok(())
}

/// The head of a request, and what of its body came with it.
fn read_head(client: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Ok((String::from_utf8_lossy(&bytes).into_owned(), rest));
        }
        if bytes.len() > HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match client.read(&mut chunk)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&chunk[..read]),
        }
    }
}

/// Where a request wants to go.
#[derive(Debug, PartialEq)]
struct Request {
    host: String,
    port: u16,
    /// The head for the server, where the request is not for a tunnel.
    plain: Option<String>,
}

impl Request {
    fn parse(head: &str) -> Option<Self> {
        let (line, headers) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if method == "CONNECT" {
            let (host, port) = place(target, None)?;
            return Some(Self {
                host,
                port,
                plain: None,
            });
        }
        let target = target.strip_prefix("http://")?;
        let (authority, path) = target.split_once('/').unwrap_or((target, ""));
        let (host, port) = place(authority, Some(80))?;
        // One request for each connection: the next one may be for another place.
        let kept = headers.split("\r\n").filter(|header| {
            let name = header.split(':').next().unwrap_or_default().trim();
            let own = ["connection", "proxy-connection", "proxy-authorization"];
            !header.is_empty() && !own.contains(&name.to_ascii_lowercase().as_str())
        });
        let kept: Vec<&str> = kept.collect();
        let headers = kept.join("\r\n");
        let plain = format!("{method} /{path} {version}\r\n{headers}\r\nConnection: close\r\n\r\n");
        Some(Self {
            host,
            port,
            plain: Some(plain),
        })
    }
}

/// Host and port of an authority.
fn place(authority: &str, default: Option<u16>) -> Option<(String, u16)> {
    let authority = authority.rsplit('@').next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (authority, default?),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then(|| (host.to_ascii_lowercase(), port))
}

fn allows(allowed: &str, request: &Request) -> bool {
    let (host, port) = match allowed.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => (host, port.parse().ok()),
        _ => (allowed, None),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = host.to_ascii_lowercase();
    let is_host = match host.strip_prefix('*') {
        Some(end) => request.host.len() > end.len() && request.host.ends_with(end),
        None => request.host == host,
    };
    is_host && port.is_none_or(|port: u16| port == request.port)
}

fn connect(request: &Request) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (request.host.as_str(), request.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::{Proxy, Request, allows};
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn places_are_told_apart_by_host_and_port() {
        let request = |text: &str| Request::parse(&format!("{text}\r\nHost: x\r\n\r\n")).unwrap();
        let tunnel = request("CONNECT API.Example.com:443 HTTP/1.1");
        for yes in [
            "api.example.com:443",
            "api.example.com",
            "*.example.com",
            "*.EXAMPLE.com:443",
        ] {
            assert!(allows(yes, &tunnel), "{yes}");
        }
        for no in [
            "api.example.com:80",
            "example.com",
            "*.api.example.com",
            "api.example.com.evil.org",
            "*.ample.com",
        ] {
            assert!(!allows(no, &tunnel), "{no}");
        }
        let six = request("CONNECT [::1]:8080 HTTP/1.1");
        assert!(allows("[::1]:8080", &six) && !allows("[::1]:80", &six));
        let plain = request("GET http://user:pass@host/a/b?c HTTP/1.1");
        assert_eq!((plain.host.as_str(), plain.port), ("host", 80));
        let head = plain.plain.unwrap();
        assert!(
            head.starts_with("GET /a/b?c HTTP/1.1\r\nHost: x\r\n"),
            "{head}"
        );
        for bad in ["GET / HTTP/1.1", "CONNECT host HTTP/1.1", "x"] {
            assert_eq!(Request::parse(&format!("{bad}\r\n\r\n")), None, "{bad}");
        }
    }

    fn asked(port: u16, request: &str) -> String {
        let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        client.read_to_string(&mut said).unwrap();
        said
    }

    #[test]
    fn what_is_allowed_is_reached_and_all_else_is_refused_and_told() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = server.local_addr().unwrap();
        std::thread::spawn(move || {
            for client in server.incoming() {
                let mut client = client.unwrap();
                let mut text = [0; 4096];
                let _ = client.read(&mut text).unwrap();
                client.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap();
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let proxy = Proxy::serve(listener, vec![place.to_string()]).unwrap();
        let plain = asked(port, &format!("GET http://{place}/ HTTP/1.1\r\n\r\n"));
        assert!(plain.ends_with("hello"), "{plain}");
        let tunnel = format!("CONNECT {place} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        let tunnel = asked(port, &tunnel);
        assert!(
            tunnel.contains("Established") && tunnel.ends_with("hello"),
            "{tunnel}"
        );
        assert_eq!(proxy.refused(), None);
        for _ in 0..2 {
            let refused = asked(port, "CONNECT evil.example:443 HTTP/1.1\r\n\r\n");
            assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
        }
        let told = proxy.refused().unwrap();
        assert!(told.ends_with("evil.example:443 (2 times)"), "{told}");
    }
}
