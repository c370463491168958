//! A table for readers: HTML as the original documentation tool makes it, and Markdown.

mod html;
mod markdown;

pub use html::html;
pub use markdown::markdown;

/// The line that stands where a table should be that cannot be shown, in the words of the original renderer.
pub fn failure(path: &str, reason: &str) -> String {
    format!("[Failed to load table from {path} - {reason}]")
}
