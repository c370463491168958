//! The version of this program, as runs record it.

/// The version that runs record.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
