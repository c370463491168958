//! Values from what a trial printed: the last match of a regular expression.

use super::collected::CollectError;
use super::files::read_log;
use super::reduce::Reading;
use fairtrial_model::Number;
use regex::bytes::Regex;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

thread_local! {
    /// Compiling costs more than matching a short log, and a run asks for the same few patterns every time.
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
}

/// The number in the first group (or the whole) of the last match.
pub(super) fn last_match(dir: &Path, log: &str, pattern: &str) -> Result<Reading, CollectError> {
    let text = read_log(dir, log)?;
    let regex = compiled(pattern)?;
    let last = regex.captures_iter(&text).last();
    let group = last
        .as_ref()
        .and_then(|found| found.get(1).or_else(|| found.get(0)));
    let words = group.map(|group| String::from_utf8_lossy(group.as_bytes()).into_owned());
    let Some(words) = words else {
        return Err(CollectError::NoValue(format!(
            "nothing in {log} matches `{pattern}`"
        )));
    };
    let number = Number::parse(&words);
    number
        .map(|number| Reading::Scalar(number.0))
        .ok_or_else(|| {
            CollectError::NoValue(format!(
                "`{words}`, matched by `{pattern}` in {log}, is not a number"
            ))
        })
}

fn compiled(pattern: &str) -> Result<Regex, CollectError> {
    COMPILED.with_borrow_mut(|known| {
        if let Some(regex) = known.get(pattern) {
            return Ok(regex.clone());
        }
        let regex = Regex::new(pattern)
            .map_err(|error| CollectError::NoValue(format!("bad pattern: {error}")))?;
        known.insert(pattern.to_owned(), regex.clone());
        Ok(regex)
    })
}
