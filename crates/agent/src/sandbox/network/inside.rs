//! A socket that listens in the network of a sandbox. Only a process that has entered that network can make one, and a
//! plain user cannot go back out of it: a helper, this very binary, goes in and hands the socket out.

use super::owner::owner_of;
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The hidden argument with which the binary becomes the helper.
pub(super) const ARGUMENT: &str = "__listen";
/// How long a sandbox may take to set up its own network.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(2);

/// A socket that listens at a port in the network of a process.
pub(super) fn listener_in(pid: u32, port: u16) -> io::Result<TcpListener> {
    let (ours, theirs) = UnixStream::pair()?;
    let program = std::env::current_exe()?;
    let mut helper = Command::new(program)
        .args([ARGUMENT, &pid.to_string(), &port.to_string()])
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    ours.set_read_timeout(Some(PATIENCE + PATIENCE))?;
    let received = receive(&ours);
    if received.is_err() {
        let _ = helper.kill();
    }
    let said = helper.wait_with_output()?.stderr;
    match received? {
        Some(socket) => Ok(TcpListener::from(socket)),
        None => Err(io::Error::other(
            String::from_utf8_lossy(&said).trim().to_owned(),
        )),
    }
}

/// What the helper does: its arguments name a process and a port, its standard input takes the socket.
pub fn listen_inside(arguments: &[String]) -> Result<(), String> {
    let [pid, port] = arguments else {
        return Err("the helper takes a process and a port".to_owned());
    };
    let port = port.parse().map_err(|_| "no port".to_owned())?;
    enter(pid).map_err(|error| format!("the sandbox's network cannot be entered: {error}"))?;
    let listener = listen(port).map_err(|error| format!("no port in the sandbox: {error}"))?;
    send(&listener).map_err(|error| format!("the socket cannot be handed out: {error}"))
}

/// Enters the network of a process. Root may do so at once; whoever made the sandbox must become the user that the network
/// belongs to first. That need not be the user of the process: bubblewrap changes once more when all is set up.
fn enter(pid: &str) -> io::Result<()> {
    let network = File::open(format!("/proc/{pid}/ns/net"))?;
    let enter = |file, kind| move_into_link_name_space(file, Some(kind));
    if enter(network.as_fd(), LinkNameSpaceType::Network).is_ok() {
        return Ok(());
    }
    let owner = owner_of(&network)?;
    enter(owner.as_fd(), LinkNameSpaceType::User)?;
    Ok(enter(network.as_fd(), LinkNameSpaceType::Network)?)
}

/// Listens as soon as the network has an address of its own.
fn listen(port: u16) -> io::Result<TcpListener> {
    let began = Instant::now();
    loop {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Err(error)
                if error.kind() == io::ErrorKind::AddrNotAvailable
                    && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(PAUSE);
            }
            other => return other,
        }
    }
}

fn send(listener: &TcpListener) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut buffer = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    buffer.push(SendAncillaryMessage::ScmRights(&sockets));
    let text = [IoSlice::new(b"x")];
    sendmsg(io::stdin().as_fd(), &text, &mut buffer, SendFlags::empty())?;
    Ok(())
}

/// The socket that a helper hands out; absent where it ended without.
fn receive(from: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut buffer = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut text = [IoSliceMut::new(&mut byte)];
    recvmsg(from, &mut text, &mut buffer, RecvFlags::CMSG_CLOEXEC)?;
    let mut sockets = buffer.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    Ok(sockets.next())
}
