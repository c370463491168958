//! A benchmark over all its runs, metric by metric.

use super::error::{Answered, ApiError};
use super::state::Api;
use crate::http::{Query, Response};
use fairtrial_report::html;
use fairtrial_session::HistoryQuestion;
use serde_json::json;
use std::path::Path;

pub(super) fn history(api: &Api, query: &Query) -> Answered {
    let name = query.text("name");
    // A results table has a history, too, and is named by its path: of those nothing is read here.
    let is_known = api.session.runs()?.iter().any(|run| run.name == name);
    let ending = Path::new(name).extension();
    let is_table = ending.is_some_and(|ending| ending == "csv" || ending == "tsv");
    if !is_known || is_table {
        let text = format!("there are no runs of {name}");
        return Err(ApiError::Status(404, text));
    }
    let found = api.session.history(&HistoryQuestion {
        name: name.to_owned(),
        ..HistoryQuestion::default()
    })?;
    Ok(Response::json(&json!({ "html": html::history(&found) })))
}
