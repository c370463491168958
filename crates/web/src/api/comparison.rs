//! Any two runs, or two arms of one, against each other.

use super::error::{Answered, ApiError};
use super::state::Api;
use crate::http::{Query, Response};
use fairtrial_analysis::CompareOptions;
use fairtrial_report::html;
use fairtrial_session::CompareQuestion;
use serde_json::json;

pub(super) fn compare(api: &Api, query: &Query) -> Answered {
    let (control, candidate) = (query.text("a"), query.text("b"));
    let path = |word: &str| -> Result<String, ApiError> {
        Ok(api.dir(word)?.path().display().to_string())
    };
    // A run is handed on as the path of its folder: of whatever else has its name, nothing is read.
    let (sides, arms_of) = match query.text("run") {
        "" => (vec![path(control)?, path(candidate)?], None),
        run => (
            vec![control.to_owned(), candidate.to_owned()],
            Some(path(run)?),
        ),
    };
    let compared = api.session.compare(&CompareQuestion {
        sides,
        arms_of,
        alpha: None,
        only: None,
        options: CompareOptions::default(),
    });
    Ok(match compared {
        Ok(found) => Response::json(&json!({ "html": html::comparison(&found.comparison) })),
        // Why two runs cannot be compared is an answer, too.
        Err(error) => Response::json(&json!({ "why_not": error.to_string() })),
    })
}
