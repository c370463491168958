//! The report of a run as it is now, made by the same code as the file.

use super::error::Answered;
use super::state::Api;
use crate::http::{Query, Response};
use fairtrial_report::html;
use fairtrial_report::seal::SealFacts;
use fairtrial_session::{SessionError, VERSION};

pub(super) fn report(api: &Api, query: &Query) -> Answered {
    let run = api.run(query)?;
    let html = run.report(|seen| {
        let data = api.session.report_so_far(seen)?;
        let history = data.history_runs();
        let facts = SealFacts {
            version: VERSION,
            template: None,
            history: &history,
            masked: &data.masked,
            bundle: false,
        };
        let html = html::report(&data, None, &facts);
        html.map_err(|error| SessionError::Machine(error.to_string()))
    })?;
    Ok(Response::report(&html, &html::policy()))
}
