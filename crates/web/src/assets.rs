//! The page itself: plain JavaScript and style sheets that are committed as they are, and need no tool to be made.

use crate::http::Response;
use fairtrial_report::html;

const PAGE: &str = include_str!("../assets/page.html");
const SCRIPT: &str = include_str!("../assets/app.js");
const STYLE: &str = include_str!("../assets/app.css");

/// A part of the page.
pub(crate) fn asset(path: &str) -> Response {
    let script = "text/javascript; charset=utf-8";
    match path {
        "" => Response::asset("text/html; charset=utf-8", PAGE),
        "app.js" => Response::asset(script, SCRIPT),
        "explore.js" => Response::asset(script, html::SCRIPT),
        "app.css" => Response::asset("text/css; charset=utf-8", &(html::style() + STYLE)),
        _ => Response::plain(404, "there is nothing here"),
    }
}
