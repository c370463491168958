//! As much of HTTP/1.1 as one person's browser needs: requests of bounded size, answers with a length, and event streams.

mod query;
mod request;
mod response;

pub(crate) use query::Query;
pub(crate) use request::{HttpMethod, HttpRequest, ReadError, read_request};
pub(crate) use response::{EventStream, Response};
