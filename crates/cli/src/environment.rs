//! The caller's environment, which trials inherit and from which secrets are known.

/// Every variable whose name and value are text.
pub(crate) fn read() -> Vec<(String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}
