//! XML and HTML: SVG pictures, reports, JUnit files.

/// Text that stands for itself in XML and HTML, also as the value of an attribute in any quotes.
pub fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => push(c, &mut safe),
        }
    }
    safe
}

/// The same between tags, where quotes stand for themselves.
pub fn xml_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        push(c, &mut safe);
    }
    safe
}

fn push(c: char, safe: &mut String) {
    match c {
        '&' => safe.push_str("&amp;"),
        '<' => safe.push_str("&lt;"),
        '>' => safe.push_str("&gt;"),
        '\n' | '\t' => safe.push(c),
        // XML 1.0 has no way to write these at all.
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
        c => safe.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::{xml, xml_text};
    use proptest::prelude::*;

    #[test]
    fn text_of_others_cannot_break_a_page() {
        assert_eq!(xml("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(xml_text("it's <b>"), "it's &lt;b&gt;");
        assert_eq!(
            xml("\u{1}\u{9b}\u{fffe}\u{ffff}\n\t"),
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\n\t"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_left_that_markup_begins_with(text in any::<String>()) {
            let safe = xml(&text);
            prop_assert!(!safe.contains(['<', '>', '"', '\'']));
            let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
            for (at, _) in safe.match_indices('&') {
                prop_assert!(entities.iter().any(|known| safe[at..].starts_with(known)));
            }
            let allowed = |c: char| matches!(c, '\n' | '\t' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
            prop_assert!(safe.chars().all(allowed));
        }
    }
}
