//! A place in an object store, between machines that share no disk: a bucket with a prefix, or a folder.
//!
//! Four verbs are all there is: put (anew, or over what is there), get, list, delete. Names have `/` in them and mean no
//! folders. [`Store::put_new`] is what everything stands on: of two who write one name, exactly one is told that it was
//! first. What is asynchronous in the clients of clouds stays in this crate.
#![forbid(unsafe_code)]

mod address;
mod archive;
mod backend;
#[cfg(feature = "cloud")]
mod cloud;
#[cfg(feature = "cloud")]
mod connection;
mod error;
mod examine;
mod folder;
mod store;

pub use address::{FEATURE, StoreAddress, is_in_this_build};
pub use archive::{PackedFolder, pack, unpack};
pub use backend::{Patience, StoredObject};
pub use error::StoreError;
pub use examine::MOST_SKEW;
pub use store::{Put, Store};
