//! What a sandbox is opened for.

use super::image::Recipe;

/// What a sandbox is opened for.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// What it is found by.
    pub labels: Labels,
    /// How the task's image is made, where it brings one.
    pub recipe: Option<Recipe>,
}

/// What makes a sandbox findable by whoever cleans up.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// The run's stamp.
    pub run: String,
    /// The attempt's name.
    pub trial: String,
}
