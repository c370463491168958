//! The machine, as far as the system shows it; what cannot be read is absent.

/// The machine's name.
pub fn host_name() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}
