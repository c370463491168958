//! Who may ask for what.
//!
//! The secret stands in the address and not in a cookie: a page of somebody else can make a browser send cookies, and
//! cannot make it send what it does not know. A page whose own name was made to lead to this machine is known by the
//! `Host` header, where a browser writes that name.

use crate::http::{HttpMethod, HttpRequest, Response};
use crate::token::Token;
use std::net::IpAddr;

/// What decides.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) token: Token,
    /// Further names of this machine, in small letters.
    pub(crate) names: Vec<String>,
    /// Whether runs may be cancelled, paused and resumed.
    pub(crate) control: bool,
}

impl Guard {
    /// The path inside of the page, or why there is none.
    pub(crate) fn admit<'a>(&self, request: &'a HttpRequest) -> Result<&'a str, Response> {
        let host = request.host.as_deref().unwrap_or_default();
        if !self.is_ours(host) {
            let why = "this host name is not known here (fairtrial serve --allow-host NAME)";
            return Err(Response::plain(421, why));
        }
        if !same_origin(request, host) {
            return Err(Response::plain(403, "another page may not ask"));
        }
        let inside = request.path.strip_prefix('/').unwrap_or_default();
        let (token, path) = inside.split_once('/').unwrap_or((inside, ""));
        if !self.token.is(token) {
            let why = "open the address that `fairtrial serve` printed: the secret in it is missing or old";
            return Err(Response::plain(403, why));
        }
        let allowed = match request.method {
            HttpMethod::Get | HttpMethod::Head => true,
            HttpMethod::Post => self.control && path == "api/control",
            HttpMethod::Other => false,
        };
        if !allowed {
            let why = if request.method == HttpMethod::Post && path == "api/control" {
                "this page only looks: start it with `fairtrial serve --control`"
            } else {
                "this method is not allowed"
            };
            return Err(Response::plain(405, why).with("Allow", "GET, HEAD"));
        }
        Ok(path)
    }

    /// Whether a `Host` header names this machine. An address in digits cannot be somebody else's name.
    fn is_ours(&self, host: &str) -> bool {
        let name = host_name(host).to_ascii_lowercase();
        let digits = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || digits.parse::<IpAddr>().is_ok() || self.names.contains(&name)
    }
}

/// `Host` without its port.
fn host_name(host: &str) -> &str {
    if let Some(end) = host.find(']') {
        return &host[..=end];
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

/// Whether a request comes from this page, or from somebody who typed the address.
fn same_origin(request: &HttpRequest, host: &str) -> bool {
    let origin = request.origin.as_deref();
    let own = origin.is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    let site = request.site.as_deref();
    own && site.is_none_or(|site| matches!(site, "same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::{Guard, host_name};
    use crate::token::Token;

    #[test]
    fn names_that_can_be_somebody_elses_are_foreign() {
        let guard = Guard {
            token: Token::new().unwrap(),
            names: vec!["node7.cluster".to_owned()],
            control: false,
        };
        for ours in [
            "localhost:8000",
            "LOCALHOST",
            "127.0.0.1:1",
            "[::1]:8000",
            "10.0.0.7",
            "node7.cluster:80",
        ] {
            assert!(guard.is_ours(ours), "{ours}");
        }
        for foreign in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8000",
            "x@localhost",
        ] {
            assert!(!guard.is_ours(foreign), "{foreign}");
        }
        assert_eq!(host_name("[::1]:8000"), "[::1]");
    }
}
