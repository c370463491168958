//! One request, read with bounds on its size and on the time it may take.

use super::query::Query;
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a request's head, its header lines, and bytes of its body.
const HEAD: usize = 16 * 1024;
const HEADERS: usize = 64;
const BODY: usize = 4 * 1024;
/// How long a request may take to arrive once it has begun.
const ARRIVAL: Duration = Duration::from_secs(10);

/// What is asked for, of the methods that there are here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpMethod {
    Get,
    /// The same without the content.
    Head,
    Post,
    /// Anything else.
    Other,
}

/// A request.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: HttpMethod,
    /// Without what follows the question mark, as it came.
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    /// What a browser says of where the request comes from, unless somebody followed a link or typed the address.
    pub(crate) site: Option<String>,
    /// Whether the connection may be used again.
    pub(crate) keep: bool,
}

/// Why there is no request.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The other side went away, or said nothing.
    Gone,
    /// It is none, or too much.
    Bad(u16, &'static str),
}

impl From<io::Error> for ReadError {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Reads the next request of a connection.
pub(crate) fn read_request(stream: &mut TcpStream) -> Result<HttpRequest, ReadError> {
    let mut bytes = Vec::with_capacity(1024);
    let mut began = None;
    loop {
        let mut part = [0; 2048];
        let read = stream.read(&mut part)?;
        let began = *began.get_or_insert_with(Instant::now);
        if read == 0 || began.elapsed() > ARRIVAL {
            return Err(ReadError::Gone);
        }
        bytes.extend_from_slice(&part[..read]);
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&bytes) {
            Ok(httparse::Status::Complete(head)) => {
                let (request, length) = understood(&parsed)?;
                if length > BODY {
                    return Err(ReadError::Bad(413, "the body is too large"));
                }
                return take_body(stream, bytes.len() - head, length).map(|()| request);
            }
            Ok(httparse::Status::Partial) if bytes.len() < HEAD => {}
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                return Err(ReadError::Bad(431, "the request is too large"));
            }
            Err(_) => return Err(ReadError::Bad(400, "this is no HTTP request")),
        }
    }
}

/// Reads a body to its end, so that the next request begins where it should. Nothing here has a use for what is in it.
fn take_body(stream: &mut TcpStream, have: usize, length: usize) -> Result<(), ReadError> {
    if have > length {
        return Err(ReadError::Bad(400, "one request at a time"));
    }
    let mut left = length - have;
    let mut part = [0; BODY];
    while left > 0 {
        let read = stream.read(&mut part[..left])?;
        if read == 0 {
            return Err(ReadError::Gone);
        }
        left -= read;
    }
    Ok(())
}

/// The request, and how long its body is.
fn understood(parsed: &httparse::Request<'_, '_>) -> Result<(HttpRequest, usize), ReadError> {
    let bad = |why| ReadError::Bad(400, why);
    let header = |name: &str| {
        let mut found = parsed.headers.iter();
        let found = found.find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(found.value).trim().to_owned())
    };
    let times = |name: &str| {
        let named = parsed.headers.iter();
        named
            .filter(|header| header.name.eq_ignore_ascii_case(name))
            .count()
    };
    if header("transfer-encoding").is_some() {
        return Err(ReadError::Bad(411, "say how long the body is"));
    }
    if times("host") > 1 || times("content-length") > 1 || times("origin") > 1 {
        return Err(bad("a header is there twice"));
    }
    let length = header("content-length").map_or(Ok(0), |text| text.parse::<usize>());
    let length = length.map_err(|_| bad("the length is no number"))?;
    let target = parsed.path.unwrap_or_default();
    if !target.starts_with('/') {
        return Err(bad("the address is not understood"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let method = match parsed.method {
        Some("GET") => HttpMethod::Get,
        Some("HEAD") => HttpMethod::Head,
        Some("POST") => HttpMethod::Post,
        _ => HttpMethod::Other,
    };
    let navigates = header("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let closes = header("connection").is_some_and(|word| word.eq_ignore_ascii_case("close"));
    let request = HttpRequest {
        method,
        path: path.to_owned(),
        query: Query::parse(query),
        host: header("host"),
        origin: header("origin"),
        site: header("sec-fetch-site").filter(|_| !navigates),
        keep: parsed.version == Some(1) && !closes,
    };
    Ok((request, length))
}
