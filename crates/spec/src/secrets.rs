//! Secrets that stand in a spec. Its text is kept with every run, so they would be too.

use crate::spec::Spec;
use fairtrial_model::secret::{is_secret_name, looks_secret};
use std::collections::BTreeSet;

/// The shortest value of a variable with a secret's name that is taken for one; shorter ones are rather settings.
const LEAST: usize = 16;

/// The variables in `env` of tasks whose values are written out and look like secrets, without the values.
pub fn written_secrets(spec: &Spec) -> BTreeSet<&str> {
    let variables = spec.tasks.iter().flat_map(|task| &task.env);
    variables
        .filter(|(name, value)| is_secret(name, value))
        .map(|(name, _)| name.as_str())
        .collect()
}

fn is_secret(name: &str, value: &str) -> bool {
    let value = value.trim();
    let refers = value.contains(['$', '{']);
    let random = value.len() >= LEAST
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.contains(['/', ' ']);
    !refers && (looks_secret(value) || is_secret_name(name) && random)
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn keys_are_told_from_settings_and_references() {
        assert!(is_secret("ANY", "sk-abcdefghijklmnop1234"));
        assert!(is_secret("DB_PASSWORD", "hunter2hunter2hunter2"));
        for (name, value) in [
            ("OPENAI_API_KEY", "${OPENAI_API_KEY}"),
            ("CACHE_KEY", "train-v1"),
            ("SSL_KEY", "/etc/ssl/private/server1.pem"),
            ("OMP_NUM_THREADS", "1"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}
