//! Why a question has no answer, for a reader at a browser.

use crate::http::Response;
use fairtrial_session::SessionError;

/// Why not.
pub(crate) enum ApiError {
    /// The question is wrong, or what it is about is not there.
    Status(u16, String),
    /// It could not be worked out.
    Session(SessionError),
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

/// An answer, or why there is none.
pub(crate) type Answered = Result<Response, ApiError>;

/// Says why not.
pub(crate) fn refusal(error: ApiError) -> Response {
    match error {
        ApiError::Status(status, text) => Response::plain(status, &text),
        ApiError::Session(error) => Response::plain(404, &error.to_string()),
    }
}
