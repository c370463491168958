//! The live page: a small HTTP server for the person at this machine. It shows what `fairtrial-session` reads and works out
//! nothing by itself.
//!
//! Who may ask is settled in one place (`guard`): a secret in the address, a host name that cannot be somebody else's, no
//! foreign origin, no method that changes anything unless the server was started with control. What trials wrote leaves as
//! text or as a download, under a policy that runs nothing.
#![forbid(unsafe_code)]

mod api;
mod assets;
mod guard;
mod http;
mod server;
mod shown;
mod token;

pub use server::{ServeError, ServeOptions, Server};
