//! Texts in the form that system calls take: one behind the other, each ended by a NUL. They travel to the launcher like
//! that, so that it has nothing to convert before it starts a program.

use serde::{Deserialize, Serialize};
use std::ffi::CStr;

/// Several texts in one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Words {
    text: String,
    count: usize,
}

impl Words {
    /// These texts.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        for text in texts {
            words.text.push_str(text);
            words.text.push('\0');
            words.count += 1;
        }
        words
    }

    /// Whether each is what was put in: a text with a NUL inside cannot be given to a program.
    pub(crate) fn are_whole(&self) -> bool {
        self.text.bytes().filter(|byte| *byte == 0).count() == self.count
    }

    /// Each as a text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.text.split_terminator('\0')
    }

    /// Each as a system call takes it.
    pub(crate) fn terminated(&self) -> impl Iterator<Item = &CStr> {
        let mut rest = self.text.as_bytes();
        std::iter::from_fn(move || {
            let first = CStr::from_bytes_until_nul(rest).ok()?;
            rest = &rest[first.count_bytes() + 1..];
            Some(first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn texts_come_out_as_they_went_in() {
        let words = Words::of(["/bin/echo", "", "é x"]);
        assert!(words.are_whole());
        assert_eq!(words.texts().collect::<Vec<_>>(), ["/bin/echo", "", "é x"]);
        let terminated: Vec<_> = words.terminated().map(|one| one.to_str()).collect();
        assert_eq!(terminated, [Ok("/bin/echo"), Ok(""), Ok("é x")]);
        assert_eq!(Words::of([]).terminated().count(), 0);
    }

    #[test]
    fn a_nul_inside_is_seen() {
        assert!(!Words::of(["a", "b\0c"]).are_whole());
    }
}
