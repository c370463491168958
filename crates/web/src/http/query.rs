//! The part of an address behind the question mark.

use percent_encoding::percent_decode_str;
use std::str::FromStr;

/// Names with their values, as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads `a=1&b=x%20y`.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let decode = |text: &str| {
            let spaced = text.replace('+', " ");
            percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
        };
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        });
        Self(pairs.collect())
    }

    /// The value of a name; empty where it is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// The value as a number or the like; nothing where it is not there or is none.
    pub(crate) fn get<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn what_was_typed_comes_back() {
        let query = Query::parse("q=a+b%26c&n=7&empty=&%C3%A4=%ff");
        assert_eq!(query.text("q"), "a b&c");
        assert_eq!(query.get::<u32>("n"), Some(7));
        assert_eq!(query.get::<u32>("q"), None);
        assert_eq!((query.text("empty"), query.text("none")), ("", ""));
        assert_eq!(query.text("ä"), "\u{fffd}");
    }
}
