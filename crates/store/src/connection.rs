//! HTTP for the clients of clouds, by the client that the rest of Fairtrial has: one request at a time, on our own thread.

use object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use std::io::ErrorKind;
use std::time::Duration;

/// Makes connections.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    agent: ureq::Agent,
}

impl Connector {
    /// One whose requests each take at most so long.
    pub(crate) fn new(most: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(10).min(most)))
            .timeout_global(Some(most))
            .http_status_as_error(false)
            // A redirect says that the region is wrong, which the clients tell by themselves.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("fairtrial")
            .build();
        Self {
            agent: config.into(),
        }
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait::async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = if let Some(bytes) = body.as_bytes() {
            bytes.to_vec()
        } else {
            use http_body_util::BodyExt as _;
            let collected = body.collect().await;
            let collected = collected.map_err(|error| failed(HttpErrorKind::Unknown, error))?;
            collected.to_bytes().to_vec()
        };
        let has_body = parts.method != http::Method::GET
            && parts.method != http::Method::HEAD
            && (parts.method != http::Method::DELETE || !body.is_empty());
        let answer = if has_body {
            self.agent.run(http::Request::from_parts(parts, body))
        } else {
            self.agent.run(http::Request::from_parts(parts, ()))
        };
        let (parts, mut body) = answer.map_err(refused)?.into_parts();
        let bytes = body.with_config().limit(u64::MAX).read_to_vec();
        let bytes = bytes.map_err(|error| match refused(error) {
            error if error.kind() == HttpErrorKind::Timeout => error,
            error => failed(HttpErrorKind::Interrupted, error),
        })?;
        Ok(HttpResponse::from_parts(
            parts,
            HttpResponseBody::from(bytes),
        ))
    }
}

fn failed(kind: HttpErrorKind, error: impl std::error::Error + Send + Sync + 'static) -> HttpError {
    HttpError::new(kind, error)
}

/// What kind of failure it was: by this the client decides whether it asks again.
fn refused(error: ureq::Error) -> HttpError {
    let kind = match &error {
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => HttpErrorKind::Connect,
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            HttpErrorKind::Connect
        }
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused => HttpErrorKind::Connect,
            ErrorKind::TimedOut => HttpErrorKind::Timeout,
            _ => HttpErrorKind::Interrupted,
        },
        ureq::Error::Protocol(_) => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    };
    failed(kind, error)
}
