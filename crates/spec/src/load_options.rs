//! How a spec is loaded.

/// How a spec is loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// `key=value` changes to the text, in order.
    pub set: Vec<String>,
    /// What a missing file or folder that the spec names means.
    pub files: FileCheck,
}

/// What a missing file or folder that the spec names means. An include that is missing is always an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileCheck {
    /// Do not look.
    Ignore,
    /// A warning: enough for checking and planning.
    #[default]
    Warn,
    /// An error: nothing can run without it.
    Require,
}
