//! The one reading of patterns. `*` stands for any text and `?` for one character; everything else for itself.

use regex::{Regex, RegexBuilder};

/// A pattern, ready to be held against many texts.
#[derive(Debug, Clone)]
pub struct Glob(Option<Regex>);

/// Room for a compiled pattern: more than one of a hundred thousand `?` takes.
const LARGEST: usize = 256 << 20;

/// A piece of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// A character that stands for itself.
    Letter(char),
    /// `*`.
    Any,
    /// `?`.
    One,
}

impl Glob {
    /// A pattern of names: `*` and `?` stand for anything, also for `/`.
    pub fn name(pattern: &str) -> Self {
        Self::pieces(pattern.chars().map(|c| match c {
            '*' => Piece::Any,
            '?' => Piece::One,
            c => Piece::Letter(c),
        }))
    }

    /// The same where the caller has read what stands for what.
    pub fn pieces(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut regex = String::new();
        for piece in pieces {
            match piece {
                Piece::Any => regex.push_str(".*"),
                Piece::One => regex.push('.'),
                Piece::Letter(c) => letter(c, &mut regex),
            }
        }
        Self::new(&regex)
    }

    /// A pattern of paths: `*` and `?` stay inside one folder, `**` stands for any folders, and a pattern that names a
    /// folder names everything in it.
    pub fn path(pattern: &str) -> Self {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let parts: Vec<&str> = pattern.split('/').collect();
        let mut regex = String::new();
        for (place, part) in parts.iter().enumerate() {
            let last = place + 1 == parts.len();
            match *part {
                // `a/**` is what is in the folder, and not the folder.
                "**" if last => regex.push_str(".+"),
                "**" => regex.push_str("(?:[^/]*/)*"),
                part => {
                    for c in part.chars() {
                        match c {
                            '*' => regex.push_str("[^/]*"),
                            '?' => regex.push_str("[^/]"),
                            c => letter(c, &mut regex),
                        }
                    }
                    regex.push_str(if last { "(?:/.*)?" } else { "/" });
                }
            }
        }
        Self::new(&regex)
    }

    fn new(regex: &str) -> Self {
        let mut builder = RegexBuilder::new(&format!("^(?:{regex})$"));
        // A pattern beyond any size means nothing.
        Self(
            builder
                .dot_matches_new_line(true)
                .size_limit(LARGEST)
                .build()
                .ok(),
        )
    }

    /// Whether the pattern means this text.
    pub fn matches(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().map(Regex::as_str) == other.0.as_ref().map(Regex::as_str)
    }
}

fn letter(c: char, regex: &mut String) {
    regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    use super::Glob;
    use proptest::prelude::*;

    #[test]
    fn names_have_stars_and_single_characters_and_nothing_else() {
        let yes = [
            ("a*c", "abbc"),
            ("a*", "a"),
            ("*", ""),
            ("caf?", "café"),
            ("a[1]", "a[1]"),
            ("{a,b}", "{a,b}"),
            ("*/x", "a/b/x"),
            ("a*", "a\nb"),
        ];
        for (pattern, text) in yes {
            assert!(Glob::name(pattern).matches(text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a?", "a"), ("a[1]", "a1"), ("A*", "abc")] {
            assert!(!Glob::name(pattern).matches(text), "{pattern} {text}");
        }
    }

    #[test]
    fn paths_name_files_and_what_is_in_folders() {
        let yes = [
            ("src/a.py", "src/a.py"),
            ("src", "src/deep/a.py"),
            ("src/", "src/a.py"),
            ("*.md", "README.md"),
            ("docs/*.md", "docs/a.md"),
            ("**/*.md", "docs/deep/a.md"),
            ("**/*.md", "a.md"),
            ("tests/**", "tests/x/y"),
            ("a?c", "abc"),
            ("*a*b*", "xxaxxbxx"),
        ];
        for (pattern, path) in yes {
            assert!(Glob::path(pattern).matches(path), "{pattern} {path}");
        }
        let no = [
            ("*.md", "docs/a.md"),
            ("src", "src2/a"),
            ("docs/*.md", "docs/x/a.md"),
            ("a?c", "ac"),
            ("tests/**", "tests"),
        ];
        for (pattern, path) in no {
            assert!(!Glob::path(pattern).matches(path), "{pattern} {path}");
        }
    }

    proptest! {
        #[test]
        fn a_text_without_signs_means_itself_and_stars_mean_more(text in "[^*?]{0,20}", other in any::<String>()) {
            prop_assert!(Glob::name(&text).matches(&text));
            prop_assert_eq!(Glob::name(&text).matches(&other), text == other);
            let within = [other.as_str(), &text, &other].concat();
            let found = Glob::name(&["*", &text, "*"].concat()).matches(&within);
            prop_assert!(found);
        }
    }
}
