//! Rust as a row of words and signs, without comments, literals and tests: enough to see what a file imports and defines.

/// The words and signs of a file. `::` is one sign.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    without_tests(&all(text))
}

fn all(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        at += match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'"' => string(rest),
            b'r' if raw_start(rest).is_some() => raw_string(rest),
            b'\'' => character(rest),
            first if first.is_ascii_alphanumeric() || first == b'_' => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let end = rest.bytes().position(|byte| !is_word(&byte));
                let end = end.unwrap_or(rest.len());
                found.push(&rest[..end]);
                end
            }
            b':' if rest.starts_with("::") => {
                found.push("::");
                2
            }
            first if first.is_ascii() && !first.is_ascii_whitespace() => {
                found.push(&rest[..1]);
                1
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    found
}

/// How long a string is that begins here.
fn string(rest: &str) -> usize {
    let mut escaped = true;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The number of signs around a raw string, where one begins here.
fn raw_start(rest: &str) -> Option<usize> {
    let signs = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    rest[1 + signs..].starts_with('"').then_some(signs)
}

fn raw_string(rest: &str) -> usize {
    let signs = raw_start(rest).unwrap_or_default();
    let end = format!("\"{}", "#".repeat(signs));
    let begin = signs + 2;
    let found = rest[begin..].find(&end);
    found.map_or(rest.len(), |at| begin + at + end.len())
}

/// How long a character is that begins here; a lifetime is passed over as its sign alone.
fn character(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), _) => {
            let end = rest
                .char_indices()
                .skip(3)
                .find(|(_, letter)| *letter == '\'');
            end.map_or(rest.len(), |(at, _)| at + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// Leaves out what is only there in tests: the item after `#[cfg(test)]` or the like.
fn without_tests<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !marks_test(&tokens[at..]) {
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        let mut depth = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match *token {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                ";" if depth == 0 => break,
                _ => {}
            }
        }
    }
    kept
}

fn marks_test(tokens: &[&str]) -> bool {
    let condition = tokens.iter().take_while(|token| **token != "]");
    let condition: Vec<&str> = condition.copied().collect();
    condition.starts_with(&["#", "[", "cfg"])
        && condition.contains(&"test")
        && !condition.contains(&"not")
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn comments_literals_and_tests_are_left_out() {
        let text = "use a::b; // c\nlet d = \"e\\\"f\"; let g = r#\"h\"i\"#; 'j'; '\\'' ; fn k<'l>() {}\n\
                    #[cfg(test)]\nmod tests { fn m() {} }\nn";
        let expected = "use a :: b ; let d = ; let g = ; ; ; fn k < l > ( ) { } n";
        assert_eq!(tokens(text).join(" "), expected);
    }
}
