//! Which keys a JSON text has, as far as its beginning shows: what a file is recognised by.

use crate::error::InteropError;
use crate::json::{Json, JsonKind};
use std::collections::BTreeSet;

/// How deep keys are looked at.
const DEPTH: usize = 4;
/// Elements of a list that are looked at.
const ELEMENTS: usize = 2;
/// Keys of one table that are looked at: names of benchmarks may be keys.
const KEYS: usize = 64;

/// The paths of the keys at the beginning of a JSON text: `results[].times`.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    paths: BTreeSet<String>,
    /// The last keys of values that are neither tables nor lists, and stand three steps down.
    third: BTreeSet<String>,
    /// Whether all values that are neither tables nor lists stand three steps down.
    only_third: bool,
}

impl Outline {
    /// The keys in the beginning of a text, which may be cut off anywhere. Of lines of JSON, those of the first value.
    pub(crate) fn of(head: &[u8]) -> Self {
        let mut outline = Self {
            only_third: true,
            ..Self::default()
        };
        let mut json = Json::new("", head);
        if matches!(json.kind(), Ok(JsonKind::Object | JsonKind::Array)) {
            // That the text ends early is how it has to be.
            let _ = outline.walk(&mut json, "", 0);
        }
        outline
    }

    fn walk(
        &mut self,
        json: &mut Json<&[u8]>,
        path: &str,
        depth: usize,
    ) -> Result<(), InteropError> {
        match json.kind()? {
            JsonKind::Object if depth < DEPTH => {
                let mut keys = 0;
                json.object(|key, json| {
                    keys += 1;
                    if keys > KEYS {
                        return json.skip();
                    }
                    let path = match path {
                        "" => key.to_owned(),
                        path => format!("{path}.{key}"),
                    };
                    self.paths.insert(path.clone());
                    self.walk(json, &path, depth + 1)
                })
            }
            JsonKind::Array if depth < DEPTH => {
                let path = format!("{path}[]");
                self.paths.insert(path.clone());
                let mut elements = 0;
                json.array(|json| {
                    elements += 1;
                    if elements > ELEMENTS {
                        return json.skip();
                    }
                    self.walk(json, &path, depth + 1)
                })
            }
            _ => {
                match path.rsplit_once('.') {
                    Some((_, key)) if depth == 3 => {
                        self.third.insert(key.to_owned());
                    }
                    _ => self.only_third = false,
                }
                json.skip()
            }
        }
    }

    /// Whether all of these keys are there.
    pub(crate) fn has(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| self.paths.contains(*path))
    }

    /// Whether a key of this name stands somewhere below another.
    pub(crate) fn ends_with(&self, ending: &str) -> bool {
        self.paths.iter().any(|path| path.ends_with(ending))
    }

    /// The keys of the values, where all of them stand three steps down.
    pub(crate) fn third(&self) -> Option<impl Iterator<Item = &str>> {
        self.only_third
            .then(|| self.third.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::Outline;

    #[test]
    fn keys_have_their_paths_also_where_the_text_is_cut() {
        let outline = Outline::of(
            br#"{"results": [{"command": "x", "times": [1, NaN], "parameters": {"d": "1"#,
        );
        assert!(outline.has(&[
            "results",
            "results[].command",
            "results[].times[]",
            "results[].parameters.d"
        ]));
        assert!(!outline.has(&["results[].mean"]));
        assert!(Outline::of(br#"[{"name": 1}]"#).has(&["[].name"]));
        assert!(Outline::of(b"name,mean\n").paths.is_empty());
        assert!(Outline::of(b"").paths.is_empty());
    }
}
