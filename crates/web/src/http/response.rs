//! Answers, each with the headers that keep a browser from doing more than to show them.

use super::request::HttpMethod;
use fairtrial_journal::TrialFile;
use serde::Serialize;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// What our own pages may do: their own scripts and styles, their own server, nothing else.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// What anything else may do: nothing.
const INERT: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

type WriteEvents = Box<dyn FnOnce(&mut EventStream<'_>) -> io::Result<()> + Send>;

/// What is in an answer.
enum Content {
    Bytes(Vec<u8>),
    /// So many bytes of a file.
    File(TrialFile, u64),
    /// Events, by whoever writes them, until the reader goes away.
    Events(WriteEvents),
}

/// An answer.
pub(crate) struct Response {
    status: u16,
    kind: &'static str,
    policy: String,
    content: Content,
    extra: Vec<(&'static str, String)>,
}

impl Response {
    fn new(status: u16, kind: &'static str, policy: &str, content: Content) -> Self {
        Self {
            status,
            kind,
            policy: policy.to_owned(),
            content,
            extra: Vec::new(),
        }
    }

    /// A refusal, or another plain sentence.
    pub(crate) fn plain(status: u16, text: &str) -> Self {
        let text = format!("{text}\n").into_bytes();
        Self::new(
            status,
            "text/plain; charset=utf-8",
            INERT,
            Content::Bytes(text),
        )
    }

    /// A part of our own page.
    pub(crate) fn asset(kind: &'static str, text: &str) -> Self {
        let bytes = text.as_bytes().to_vec();
        Self::new(200, kind, PAGE_POLICY, Content::Bytes(bytes))
    }

    /// A whole report, whose own policy names the one script in it.
    pub(crate) fn report(html: &str, policy: &str) -> Self {
        let bytes = html.as_bytes().to_vec();
        Self::new(
            200,
            "text/html; charset=utf-8",
            policy,
            Content::Bytes(bytes),
        )
    }

    /// Data.
    pub(crate) fn json<T: Serialize>(value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::new(200, "application/json", INERT, Content::Bytes(bytes)),
            Err(error) => Self::plain(500, &error.to_string()),
        }
    }

    /// A file of a trial: a picture that cannot hold a program as it is, anything else to be kept as a file.
    pub(crate) fn file(file: TrialFile, size: u64, name: &str) -> Self {
        let ending = name
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let picture = match ending.as_str() {
            "png" => Some("image/png"),
            "jpg" | "jpeg" => Some("image/jpeg"),
            "gif" => Some("image/gif"),
            "webp" => Some("image/webp"),
            _ => None,
        };
        let kind = picture.unwrap_or("application/octet-stream");
        let mut response = Self::new(200, kind, INERT, Content::File(file, size));
        if picture.is_none() {
            let safe = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let name = name.rsplit('/').next().unwrap_or_default();
            let name: String = name
                .chars()
                .map(|c| if safe(c) { c } else { '_' })
                .collect();
            let header = format!("attachment; filename=\"{name}\"");
            response.extra.push(("Content-Disposition", header));
        }
        response
    }

    /// Events until the reader goes away.
    pub(crate) fn events(
        write: impl FnOnce(&mut EventStream<'_>) -> io::Result<()> + Send + 'static,
    ) -> Self {
        let content = Content::Events(Box::new(write));
        Self::new(200, "text/event-stream", INERT, content)
    }

    /// The same with one more header.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.extra.push((name, value.to_owned()));
        self
    }

    /// Sends it; says whether the connection may be used again.
    pub(crate) fn send(
        self,
        to: &mut TcpStream,
        method: HttpMethod,
        keep: bool,
    ) -> io::Result<bool> {
        let (length, stays) = match &self.content {
            Content::Bytes(bytes) => (Some(bytes.len() as u64), keep),
            Content::File(_, size) => (Some(*size), keep),
            Content::Events(_) => (None, false),
        };
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Security-Policy: {}\r\n\
             X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Cache-Control: no-store\r\nConnection: {}\r\n",
            self.status,
            reason(self.status),
            self.kind,
            self.policy,
            if stays { "keep-alive" } else { "close" },
        );
        for (name, value) in &self.extra {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        }
        if let Some(length) = length {
            head.push_str("Content-Length: ");
            head.push_str(&length.to_string());
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        if method == HttpMethod::Head {
            to.write_all(head.as_bytes())?;
            return Ok(stays);
        }
        match self.content {
            Content::Bytes(bytes) => {
                let mut whole = head.into_bytes();
                whole.extend_from_slice(&bytes);
                to.write_all(&whole)?;
            }
            Content::File(file, size) => {
                to.write_all(head.as_bytes())?;
                let sent = io::copy(&mut file.take(size), to)?;
                // A file that became shorter meanwhile: the reader must not wait for the rest.
                return Ok(stays && sent == size);
            }
            Content::Events(write) => {
                to.write_all(head.as_bytes())?;
                write(&mut EventStream(to))?;
            }
        }
        Ok(stays)
    }
}

/// Where events go.
pub(crate) struct EventStream<'a>(&'a mut TcpStream);

impl EventStream<'_> {
    /// Sends an event; fails where the reader has gone.
    pub(crate) fn event<T: Serialize>(&mut self, name: &str, data: &T) -> io::Result<()> {
        // JSON has no line end of its own.
        let data = serde_json::to_string(data)?;
        write!(self.0, "event: {name}\ndata: {data}\n\n")
    }

    /// Says that nothing happened, by which one learns whether the reader is still there.
    pub(crate) fn still_here(&mut self) -> io::Result<()> {
        self.0.write_all(b": nothing new\n\n")
    }
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
