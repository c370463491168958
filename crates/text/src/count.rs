//! Counts, lists that name the first few, and how a sentence begins.

use std::fmt::Display;

/// A count with its thousands apart: `100,000`.
pub fn count(n: u64) -> String {
    grouped(&n.to_string(), ',')
}

/// `3 trials`, `1 trial`.
pub fn counted(n: impl TryInto<u64>, word: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{} {word}{}", count(n), if n == 1 { "" } else { "s" })
}

/// The digits before the decimal point in groups of three.
pub(crate) fn grouped(digits: &str, mark: char) -> String {
    let (sign, rest) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut text = String::with_capacity(digits.len() + whole.len() / 3);
    text.push_str(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(mark);
        }
        text.push(digit);
    }
    text + fraction
}

/// The first names of a list and how many more there are: `a, b and 3 more`.
pub fn first_of<T: Display>(names: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names
        .by_ref()
        .take(most)
        .map(|name| name.to_string())
        .collect();
    and_more(&first, names.count())
}

/// The same where the rest is only counted.
pub fn and_more(first: &[String], more: usize) -> String {
    match more {
        0 => first.join(", "),
        more if first.is_empty() => format!("{more} more"),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The text as the beginning of a sentence.
pub fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::{count, counted, first_of};
    use proptest::prelude::*;

    #[test]
    fn counts_keep_their_thousands_apart() {
        assert_eq!(count(100_000), "100,000");
        assert_eq!(count(999), "999");
        assert_eq!(
            (counted(1usize, "trial"), counted(2000u64, "trial")),
            ("1 trial".into(), "2,000 trials".into())
        );
    }

    #[test]
    fn long_lists_name_the_first_few() {
        assert_eq!(first_of(["a", "b"], 2), "a, b");
        assert_eq!(first_of(["a", "b", "c", "d"], 2), "a, b and 2 more");
        assert_eq!(first_of(["a"], 0), "1 more");
        assert_eq!(first_of([""; 0], 3), "");
    }

    proptest! {
        #[test]
        fn a_count_without_its_marks_is_the_number(n: u64) {
            prop_assert_eq!(count(n).replace(',', ""), n.to_string());
        }
    }
}
