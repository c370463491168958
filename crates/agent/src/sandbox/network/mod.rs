//! A network with some places and no others. The sandbox has a network of its own with nothing in it; in there listens a
//! proxy of ours, which connects from outside and only to the places that are allowed.

#[cfg_attr(not(target_os = "linux"), path = "inside_portable.rs")]
mod inside;
#[cfg(target_os = "linux")]
mod owner;
mod proxy;

pub use inside::listen_inside;

use proxy::Proxy;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

/// The port of the proxy, in a network where nobody else listens.
const PORT: u16 = 3128;
/// Variables by which programs find a proxy.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];
/// Variables by which programs know where no proxy is needed.
const DIRECT_VARIABLES: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The way out of one sandbox.
pub(crate) struct Gateway {
    allowed: Vec<String>,
    proxy: Mutex<Option<Proxy>>,
}

impl Gateway {
    pub(crate) fn new(allowed: &[String]) -> Self {
        Self {
            allowed: allowed.to_vec(),
            proxy: Mutex::default(),
        }
    }

    /// Tells programs inside of the proxy.
    pub(crate) fn tell(env: &mut BTreeMap<String, String>) {
        let proxy = format!("http://127.0.0.1:{PORT}");
        for name in PROXY_VARIABLES {
            env.insert(name.to_owned(), proxy.clone());
        }
        for name in DIRECT_VARIABLES {
            env.insert(name.to_owned(), "localhost,127.0.0.1,::1".to_owned());
        }
        env.insert("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned());
    }

    /// Opens it in the network of a process.
    pub(crate) fn open_for(&self, pid: u32) -> io::Result<()> {
        let listener = inside::listener_in(pid, PORT)?;
        let proxy = Proxy::serve(listener, self.allowed.clone())?;
        *self.proxy.lock().unwrap_or_else(PoisonError::into_inner) = Some(proxy);
        Ok(())
    }

    /// Closes it; says what was asked for in vain.
    pub(crate) fn close(&self) -> Option<String> {
        let mut proxy = self.proxy.lock().unwrap_or_else(PoisonError::into_inner);
        proxy.take().and_then(|proxy| proxy.refused())
    }
}
