//! A model behind an endpoint of one of the usual kinds: how it is asked, how long it is waited for, and what it took. The
//! judge and the minimal agent both go this way.

mod call;
pub(crate) mod forms;
mod patience;

pub(crate) use call::NO_MODELS;
pub(crate) use patience::{Endpoint, Refused};
