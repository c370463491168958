//! Facts with which a trial explains its own end and its numbers to the runner, which takes them out of the record's other facts.

/// How the names of these facts begin.
pub const OWN_WORD: &str = "fairtrial.";
/// Why the trial failed.
pub const CAUSE_FACT: &str = "fairtrial.cause";
/// A memory limit of the trial's own making ended its work; the limit in bytes, where it has one.
pub const OOM_FACT: &str = "fairtrial.oom";
/// The machine or a provider is to blame, and trying again may help.
pub const INFRA_FACT: &str = "fairtrial.infra";
/// The same where trying again cannot help.
pub const BROKEN_FACT: &str = "fairtrial.broken";
/// What a person should know of the trial, a line each; they become notes of the record.
pub const NOTES_FACT: &str = "fairtrial.notes";
