//! The little of the Redis protocol (RESP2) that the experiment speaks: commands out, one reply for each of them in.
//!
//! A client library would bring forty crates for this; what is measured is the server and the way there and back.

use fairtrial_experiment::Failure;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

/// The port of a server whose address names none.
const PORT: u16 = 6379;
/// A reply longer than this is not one of ours.
const LONGEST: usize = 512 * 1024 * 1024;
/// Replies do not nest deeper than this.
const DEEPEST: usize = 8;

/// Both ways of a connection.
trait ByteStream: Read + Write + Send {}
impl<S: Read + Write + Send> ByteStream for S {}

/// A connection to a server.
pub(super) struct Link {
    stream: BufReader<Box<dyn ByteStream>>,
}

/// What a server answers to one command.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RedisReply {
    /// Nothing is there.
    Nothing,
    /// A number.
    Whole(i64),
    /// Text: a status or a value.
    Text(String),
    /// Several replies.
    List(Vec<RedisReply>),
}

impl RedisReply {
    /// The text of this reply.
    pub(super) fn text(self) -> Result<String, Failure> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(unexpected(&other)),
        }
    }

    /// The number of this reply.
    pub(super) fn count(self) -> Result<usize, Failure> {
        match self {
            Self::Whole(number) => Ok(usize::try_from(number)?),
            other => Err(unexpected(&other)),
        }
    }

    /// The texts of this list.
    pub(super) fn texts(self) -> Result<Vec<String>, Failure> {
        match self {
            Self::List(replies) => replies.into_iter().map(Self::text).collect(),
            other => Err(unexpected(&other)),
        }
    }
}

fn unexpected(reply: &RedisReply) -> Failure {
    format!("the Redis server answered something else than expected: {reply:?}").into()
}

/// Commands that go to the server in one round trip.
#[derive(Debug, Default)]
pub(super) struct Commands {
    bytes: Vec<u8>,
    count: usize,
}

impl Commands {
    /// Adds a command: its name and its arguments.
    pub(super) fn add(&mut self, words: &[&str]) {
        let mut put = |text: &str| self.bytes.extend_from_slice(text.as_bytes());
        put(&format!("*{}\r\n", words.len()));
        for word in words {
            put(&format!("${}\r\n", word.len()));
            put(word);
            put("\r\n");
        }
        self.count += 1;
    }
}

impl Link {
    /// Connects to `redis://[[user]:password@]host[:port][/database]` or to `redis+unix:///path/of/the.sock`.
    pub(super) fn open(address: &str) -> Result<Self, Failure> {
        if let Some(path) = address
            .strip_prefix("redis+unix://")
            .or_else(|| address.strip_prefix("unix://"))
        {
            return Ok(Self::over(UnixStream::connect(path)?));
        }
        let place = Address::parse(address)?;
        let stream = TcpStream::connect((place.host, place.port))?;
        // A command is smaller than a packet and waits for its answer.
        stream.set_nodelay(true)?;
        let mut link = Self::over(stream);
        if let Some((user, password)) = place.login {
            let words = ["AUTH", user, password];
            let without_user = ["AUTH", password];
            link.ask(if user.is_empty() {
                &without_user
            } else {
                &words
            })?;
        }
        if !place.database.is_empty() {
            link.ask(&["SELECT", place.database])?;
        }
        Ok(link)
    }

    fn over(stream: impl ByteStream + 'static) -> Self {
        Self {
            stream: BufReader::new(Box::new(stream)),
        }
    }

    /// Sends one command and waits for its reply.
    pub(super) fn ask(&mut self, words: &[&str]) -> Result<RedisReply, Failure> {
        let mut command = Commands::default();
        command.add(words);
        self.stream.get_mut().write_all(&command.bytes)?;
        self.reply()
    }

    /// Sends all commands and waits for all replies, of which only errors count.
    pub(super) fn send(&mut self, commands: &Commands) -> Result<(), Failure> {
        self.stream.get_mut().write_all(&commands.bytes)?;
        let mut failed = Ok(());
        for _ in 0..commands.count {
            // All are read, so that the next command finds its own reply.
            failed = failed.and(self.reply().map(drop));
        }
        failed
    }

    fn reply(&mut self) -> Result<RedisReply, Failure> {
        read(&mut self.stream, DEEPEST)
    }
}

/// Reads one reply; an error of the server is an error here.
fn read(from: &mut impl BufRead, depth: usize) -> Result<RedisReply, Failure> {
    let mut line = String::new();
    if from.take(LONGEST as u64).read_line(&mut line)? == 0 {
        return Err("the Redis server closed the connection".into());
    }
    let line = line.trim_end_matches(['\r', '\n']);
    let mut letters = line.chars();
    let kind = letters.next();
    let rest = letters.as_str();
    match kind {
        Some('+') => Ok(RedisReply::Text(rest.to_owned())),
        Some('-') => Err(format!("the Redis server refused a command: {rest}").into()),
        Some(':') => Ok(RedisReply::Whole(rest.parse()?)),
        Some('$') => match length(rest)? {
            None => Ok(RedisReply::Nothing),
            Some(length) => {
                let mut bytes = vec![0; length + 2];
                from.read_exact(&mut bytes)?;
                bytes.truncate(length);
                Ok(RedisReply::Text(String::from_utf8(bytes)?))
            }
        },
        Some('*') if depth > 0 => match length(rest)? {
            None => Ok(RedisReply::Nothing),
            Some(length) => {
                let replies = (0..length).map(|_| read(from, depth - 1));
                Ok(RedisReply::List(replies.collect::<Result<_, _>>()?))
            }
        },
        _ => Err(format!("the Redis server answered `{line}`, which is not its protocol").into()),
    }
}

/// The length that a reply announces; less than none means that there is nothing.
fn length(text: &str) -> Result<Option<usize>, Failure> {
    let number: i64 = text.parse()?;
    match usize::try_from(number) {
        Ok(length) if length <= LONGEST => Ok(Some(length)),
        Ok(_) => Err(format!("a reply of {number} bytes is too long").into()),
        Err(_) => Ok(None),
    }
}

/// The parts of an address.
#[derive(Debug, PartialEq, Eq)]
struct Address<'a> {
    host: &'a str,
    port: u16,
    /// User (often empty) and password.
    login: Option<(&'a str, &'a str)>,
    database: &'a str,
}

/// An address that names no server.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not the address of a Redis server; write redis://host:port or redis+unix:///path/of/the.sock \
     (encrypted connections, rediss://, are not supported)"
)]
struct NotAnAddress(String);

impl<'a> Address<'a> {
    fn parse(address: &'a str) -> Result<Self, NotAnAddress> {
        let parsed = || {
            let rest = address.strip_prefix("redis://")?;
            let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
            let (login, place) = match place.rsplit_once('@') {
                Some((login, place)) => (Some(login.split_once(':')?), place),
                None => (None, place),
            };
            let (host, port) = split_port(place)?;
            let number = database.bytes().all(|letter| letter.is_ascii_digit());
            (!host.is_empty() && number).then_some(Self {
                host,
                port,
                login,
                database,
            })
        };
        parsed().ok_or_else(|| NotAnAddress(address.to_owned()))
    }
}

/// Host and port; an IPv6 host stands in brackets.
fn split_port(place: &str) -> Option<(&str, u16)> {
    let (host, port) = if let Some(rest) = place.strip_prefix('[') {
        rest.split_once(']')?
    } else {
        place.find(':').map_or((place, ""), |at| place.split_at(at))
    };
    match port {
        "" => Some((host, PORT)),
        port => Some((host, port.strip_prefix(':')?.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Commands, RedisReply, read};

    fn said(bytes: &str) -> Result<RedisReply, String> {
        read(&mut bytes.as_bytes(), 2).map_err(|error| error.to_string())
    }

    #[test]
    fn replies_of_every_kind_are_read() {
        let text = |text: &str| RedisReply::Text(text.to_owned());
        assert_eq!(said("+OK\r\n"), Ok(text("OK")));
        assert_eq!(said(":-3\r\n"), Ok(RedisReply::Whole(-3)));
        assert_eq!(said("$4\r\na\r\nb\r\n"), Ok(text("a\r\nb")));
        assert_eq!(said("$0\r\n\r\n"), Ok(text("")));
        assert_eq!(said("$-1\r\n"), Ok(RedisReply::Nothing));
        assert_eq!(said("*-1\r\n"), Ok(RedisReply::Nothing));
        let list = RedisReply::List(vec![
            text("1"),
            RedisReply::Whole(2),
            RedisReply::List(Vec::new()),
        ]);
        assert_eq!(said("*3\r\n$1\r\n1\r\n:2\r\n*0\r\n"), Ok(list));
    }

    #[test]
    fn what_is_no_reply_is_said_to_be_none() {
        let refused = said("-ERR unknown command\r\n").unwrap_err();
        assert!(refused.contains("ERR unknown command"), "{refused}");
        assert!(said("").unwrap_err().contains("closed"));
        assert!(said("$5\r\nab").is_err());
        assert!(said("$99999999999\r\n").unwrap_err().contains("too long"));
        assert!(said("$x\r\n").is_err());
        assert!(said("HTTP/1.1 400\r\n").unwrap_err().contains("protocol"));
        // Deeper than any reply of ours.
        assert!(said(&"*1\r\n".repeat(9)).is_err());
    }

    #[test]
    fn commands_carry_their_lengths() {
        let mut commands = Commands::default();
        commands.add(&["SET", "kö", ""]);
        let sent = String::from_utf8(commands.bytes).unwrap();
        assert_eq!(sent, "*3\r\n$3\r\nSET\r\n$3\r\nkö\r\n$0\r\n\r\n");
    }

    #[test]
    fn addresses_are_taken_apart() {
        let plain = |host, port| Address {
            host,
            port,
            login: None,
            database: "",
        };
        assert_eq!(
            Address::parse("redis://there").unwrap(),
            plain("there", 6379)
        );
        assert_eq!(
            Address::parse("redis://there:1/").unwrap(),
            plain("there", 1)
        );
        assert_eq!(Address::parse("redis://[::1]:2").unwrap(), plain("::1", 2));
        let all = Address {
            login: Some(("me", "p@:ss")),
            database: "7",
            ..plain("h", 3)
        };
        assert_eq!(Address::parse("redis://me:p@:ss@h:3/7").unwrap(), all);
        for wrong in [
            "",
            "there:1",
            "redis://",
            "rediss://h",
            "redis://h:x",
            "redis://h/a",
            "redis://p@h",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
