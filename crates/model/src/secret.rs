//! What looks like a secret: variables by their names, values by the forms of well-known keys.

/// Words at whose end a part of a name (between underscores, plural or not) makes the variable secret: `API_KEY`,
/// `GITHUBTOKEN`, `AWS_CREDENTIALS`.
const SECRET_WORDS: [&str; 9] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "COOKIE",
    "AUTH",
];
/// Whole parts that do the same, and are too short to be looked for at the end of others.
const SECRET_PARTS: [&str; 4] = ["PAT", "PASS", "PWD", "PRIVATE"];
/// Names that merely speak of such things.
const HARMLESS: [&str; 3] = ["SSH_AUTH_SOCK", "PWD", "OLDPWD"];

/// How well-known keys begin, and how many characters at least follow.
const SHAPES: [(&str, usize); 18] = [
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("hf_", 20),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("eyJhbGciOi", 20),
];

/// Whether a variable of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if HARMLESS.contains(&name.as_str()) {
        return false;
    }
    name.split('_').any(|part| {
        let single = part.strip_suffix('S').unwrap_or(part);
        let ends = |word: &&str| part.ends_with(*word) || single.ends_with(*word);
        SECRET_WORDS.iter().any(ends) || SECRET_PARTS.contains(&part)
    })
}

/// Whether a value looks like a well-known kind of key.
pub fn looks_secret(value: &str) -> bool {
    key_len(value).is_some_and(|len| len == value.len())
}

/// Whether a byte may stand in such a key.
pub fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The first bytes of well-known keys: every word of every text is looked at, and few begin so.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        first[SHAPES[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// Length of the well-known key with which the text begins.
pub fn key_len(text: &str) -> Option<usize> {
    let first = text.as_bytes().first()?;
    if !FIRST[usize::from(*first)] {
        return None;
    }
    let run = text.bytes().take_while(|byte| is_token_byte(*byte)).count();
    // Words with hyphens have no digits; keys do.
    let has_digit = text.bytes().take(run).any(|byte| byte.is_ascii_digit());
    let fits =
        |(prefix, rest): &(&str, usize)| text.starts_with(prefix) && run >= prefix.len() + rest;
    (has_digit && SHAPES.iter().any(fits)).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::is_secret_name;

    #[test]
    fn names_are_judged_by_their_parts() {
        let secret = [
            "OPENAI_API_KEY",
            "aws_secret_access_key",
            "GITHUBTOKEN",
            "PRIVATE_GITHUB_PAT",
        ];
        assert!(secret.into_iter().all(is_secret_name));
        let open = [
            "SSH_AUTH_SOCK",
            "PATH",
            "LD_LIBRARY_PATH",
            "GIT_AUTHOR_NAME",
            "PWD",
            "TOKENIZERS_PARALLELISM",
        ];
        assert!(!open.into_iter().any(is_secret_name));
    }
}
