//! Where the programs of a rollout run: each kind turns a command into one that is confined, and says under which
//! paths the command finds its files.

#[cfg(target_os = "linux")]
mod bubblewrap;
pub(crate) mod caps;
pub(crate) mod container;
pub(crate) mod contract;
mod disk;
mod held;
pub(crate) mod image;
pub(crate) mod lasting;
mod leftover;
mod monitor;
mod network;
pub(crate) mod opening;
mod out_of_memory;
pub(crate) mod owner;
pub(crate) mod probe;
mod program;
pub(crate) mod run;
pub(crate) mod setting;
mod template;

pub use caps::{Caps, GivenCaps};
pub use contract::{Env, Room, find_program};
pub use image::{BuiltImage, Recipe, forget_failures, list_images, remove_image};
pub use leftover::{Leftover, Leftovers, list_leftovers, remove_leftover};
pub use monitor::{Monitor, end_monitor, list_monitors};
pub use network::listen_inside;
pub use opening::{container_kind, kind};
pub use probe::sweep_probes;
pub use setting::{Labels, Setting};
