//! Networks of sandboxes where the system has no namespaces: there are none that could be entered.

use std::io;
use std::net::TcpListener;

/// What is asked for, in words.
const NO_NETWORKS: &str = "only Linux has networks of sandboxes that can be entered";

/// A socket that listens at a port in the network of a process.
pub(super) fn listener_in(_pid: u32, _port: u16) -> io::Result<TcpListener> {
    Err(io::Error::new(io::ErrorKind::Unsupported, NO_NETWORKS))
}

/// What the helper does.
pub fn listen_inside(_arguments: &[String]) -> Result<(), String> {
    Err(NO_NETWORKS.to_owned())
}
