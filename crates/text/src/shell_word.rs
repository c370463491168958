//! Words for a POSIX shell.

/// A word as a shell reads it back: as it stands where that is safe, else in single quotes.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        assert_eq!(shell_word("bench.toml"), "bench.toml");
        assert_eq!(shell_word("--set=a:b,c@%+/_"), "--set=a:b,c@%+/_");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word("$HOME"), "'$HOME'");
        assert_eq!(shell_word("{a,b}"), "'{a,b}'");
        assert_eq!(shell_word(""), "''");
    }
}
