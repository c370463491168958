//! Tells the provider's trouble from the agent's: a rate limit, a wrong key or an overloaded server says nothing about
//! the model, and must not be scored.

/// What a provider's error means for the rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// In words.
    pub(crate) message: String,
    /// Whether trying again cannot help.
    pub(crate) permanent: bool,
    /// Whether fewer at a time would help.
    pub(crate) crowded: bool,
}

impl Trouble {
    /// Trouble that stays.
    pub(crate) fn permanent(message: String) -> Self {
        Self {
            message,
            permanent: true,
            crowded: false,
        }
    }
}

/// Signs in an agent's last words: what to look for, what it is, whether it is permanent, whether it is crowding.
const SIGNS: [(&str, &str, bool, bool); 17] = [
    (
        "insufficient_quota",
        "the account's quota is spent",
        true,
        false,
    ),
    (
        "exceeded your current quota",
        "the account's quota is spent",
        true,
        false,
    ),
    (
        "credit balance is too low",
        "the account's quota is spent",
        true,
        false,
    ),
    (
        "invalid_api_key",
        "the provider refused the key",
        true,
        false,
    ),
    (
        "incorrect api key",
        "the provider refused the key",
        true,
        false,
    ),
    (
        "invalid x-api-key",
        "the provider refused the key",
        true,
        false,
    ),
    (
        "authentication_error",
        "the provider refused the key",
        true,
        false,
    ),
    (
        "401 unauthorized",
        "the provider refused the key",
        true,
        false,
    ),
    (
        "invalid api key",
        "the provider refused the key",
        true,
        false,
    ),
    (
        "model_not_found",
        "the provider has no such model",
        true,
        false,
    ),
    ("rate_limit", "the provider's rate limit", false, true),
    ("rate limit", "the provider's rate limit", false, true),
    (
        "429 too many requests",
        "the provider's rate limit",
        false,
        true,
    ),
    (
        "too many requests",
        "the provider's rate limit",
        false,
        true,
    ),
    (
        "overloaded_error",
        "the provider is overloaded",
        false,
        true,
    ),
    (
        "503 service unavailable",
        "the provider is not available",
        false,
        true,
    ),
    (
        "stream disconnected before completion",
        "the connection to the provider broke",
        false,
        false,
    ),
];

/// What an agent that gave up says about its provider, where that is why.
pub(crate) fn trouble(tail: &str) -> Option<Trouble> {
    // An agent that met an error and went on is not meant: only the last words of one that ended badly are asked.
    let last: Vec<&str> = tail.lines().rev().take(20).collect();
    for line in last {
        let low = line.to_lowercase();
        let sign = SIGNS.iter().find(|(sign, ..)| low.contains(sign));
        if let Some((_, what, permanent, crowded)) = sign {
            let said: String = line.trim().chars().take(160).collect();
            return Some(Trouble {
                message: format!("{what} ({said})"),
                permanent: *permanent,
                crowded: *crowded,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::trouble;

    #[test]
    fn rate_limits_and_refused_keys_are_told_apart_from_failures() {
        let limited = trouble("work\nERROR: 429 Too Many Requests\n").unwrap();
        assert!(limited.crowded && !limited.permanent);
        let refused = trouble("{\"error\":{\"code\":\"invalid_api_key\"}}").unwrap();
        assert!(refused.permanent && !refused.crowded);
        assert_eq!(trouble("AssertionError: 429 != 430\n"), None);
    }
}
