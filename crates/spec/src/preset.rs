//! Definitions that come with the program: spec files in the language that users write, taken with
//! `include = ["preset:NAME"]`.

/// What an include of a preset begins with.
pub(crate) const SCHEME: &str = "preset:";

/// Name, one line about it, text.
const PRESETS: [(&str, &str, &str); 1] = [(
    "tbp",
    "Thousand Brains Project: eval_stats.csv and train_stats.csv to every benchmark statistic, and the six tables",
    include_str!("../presets/tbp.toml"),
)];

/// The names.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, ..)| *name)
}

/// One line about a preset.
pub fn about(name: &str) -> Option<&'static str> {
    PRESETS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(_, about, _)| *about)
}

/// The text of a preset.
pub fn text(name: &str) -> Option<&'static str> {
    PRESETS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(.., text)| *text)
}
