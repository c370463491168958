//! Points at which a torture test makes the process die, as `kill -9` or a power cut would.
//!
//! `FAIRTRIAL_FAILPOINT=name` aborts the first time `name` is reached, `name:3` the third time. Reading that variable
//! is this module's job; it is read once, and a process without it pays one relaxed load per point.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that names the point.
pub const VARIABLE: &str = "FAIRTRIAL_FAILPOINT";

struct Armed {
    name: String,
    left: AtomicU64,
}

static ARMED: OnceLock<Option<Armed>> = OnceLock::new();

fn armed() -> Option<&'static Armed> {
    ARMED
        .get_or_init(|| std::env::var(VARIABLE).ok().and_then(|text| parse(&text)))
        .as_ref()
}

fn parse(text: &str) -> Option<Armed> {
    let (name, count) = match text.rsplit_once(':') {
        Some((name, count)) => (name, count.parse().ok()?),
        None => (text, 1),
    };
    let usable = !name.is_empty() && count > 0;
    usable.then(|| Armed {
        name: name.to_owned(),
        left: AtomicU64::new(count),
    })
}

/// Whether this passage of the point `name` is the one to die at; counts the passage.
pub(crate) fn is_due(name: &str) -> bool {
    armed()
        .is_some_and(|armed| armed.name == name && armed.left.fetch_sub(1, Ordering::Relaxed) == 1)
}

/// Dies here, without any clean-up, when the variable names this point.
pub fn hit(name: &str) {
    if is_due(name) {
        die();
    }
}

/// Ends the process without any clean-up.
pub(crate) fn die() -> ! {
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::sync::atomic::Ordering;

    #[test]
    fn reads_name_and_count() {
        let one = parse("journal.before_sync").unwrap();
        assert_eq!(one.name, "journal.before_sync");
        assert_eq!(one.left.load(Ordering::Relaxed), 1);
        assert_eq!(parse("a.b:7").unwrap().left.load(Ordering::Relaxed), 7);
        assert!(parse("").is_none());
        assert!(parse("a:0").is_none());
        assert!(parse("a:x").is_none());
    }
}
