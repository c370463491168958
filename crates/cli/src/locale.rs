//! What a terminal that does not show UTF-8 gets: our own signs in plain letters. Names and what trials wrote stay as they
//! are, and so does data.

use std::borrow::Cow;

/// Our signs, and what stands for them. Most are as wide, so that columns stay columns.
const PLAIN: [(char, &str); 22] = [
    ('✓', "+"),
    ('✗', "x"),
    ('─', "-"),
    ('·', "-"),
    ('±', "+-"),
    ('×', "x"),
    ('→', ">"),
    ('…', "~"),
    ('Δ', "d"),
    ('µ', "u"),
    ('≥', ">="),
    ('≤', "<="),
    ('≠', "!="),
    ('–', "-"),
    ('▁', "_"),
    ('▂', "."),
    ('▃', "-"),
    ('▄', "="),
    ('▅', "+"),
    ('▆', "*"),
    ('▇', "%"),
    ('█', "#"),
];

/// Whether the user's locale is one without UTF-8. Where none is set, as in many containers, nothing is said against it.
pub(crate) fn is_plain() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut set = set.filter_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
    set.next().is_some_and(|locale| names_plain(&locale))
}

fn names_plain(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    !locale.contains("utf-8") && !locale.contains("utf8")
}

/// Text without our signs.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match PLAIN.iter().find(|(sign, _)| *sign == c) {
            Some((_, plain)) => written.push_str(plain),
            None => written.push(c),
        }
    }
    Cow::Owned(written)
}

#[cfg(test)]
mod tests {
    use super::{names_plain, plain};

    #[test]
    fn our_signs_become_letters_and_names_stay() {
        assert_eq!(plain("✓ Müller 1.5 ± 0.2"), "+ Müller 1.5 +- 0.2");
        assert_eq!(plain("ok"), "ok");
    }

    #[test]
    fn a_locale_says_by_its_name_whether_it_has_utf_8() {
        assert!(["C", "POSIX", "de_DE.ISO-8859-1"].map(names_plain) == [true; 3]);
        assert!(["C.UTF-8", "en_US.utf8"].map(names_plain) == [false; 2]);
    }
}
