//! What can be asked, one file per subject.

mod comparison;
mod control;
mod error;
mod events;
mod history;
mod report;
mod runs;
mod state;
mod trials;

pub(crate) use state::Api;

use crate::assets;
use crate::http::{HttpRequest, Response};
use std::sync::Arc;

/// The answer to a request that was admitted.
pub(crate) fn answer(api: &Arc<Api>, path: &str, request: &HttpRequest) -> Response {
    let query = &request.query;
    let found = match path {
        "api/runs" => runs::runs(api, query),
        "api/run" => runs::run(api, query),
        "api/trials" => trials::trials(api, query),
        "api/trial" => trials::trial(api, query),
        "api/text" => trials::text(api, query),
        "file" => trials::file(api, query),
        "report" => report::report(api, query),
        "api/compare" => comparison::compare(api, query),
        "api/history" => history::history(api, query),
        "api/events" => events::events(api, query),
        "api/control" => control::control(api, request),
        _ => return assets::asset(path),
    };
    found.unwrap_or_else(error::refusal)
}
