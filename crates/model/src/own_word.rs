//! Facts with which a trial explains its own end to the runner, which takes them out of the record's other facts.

/// Why the trial failed.
pub const CAUSE_FACT: &str = "fairtrial.cause";
/// The machine or a provider is to blame, and trying again may help.
pub const INFRA_FACT: &str = "fairtrial.infra";
/// The same where trying again cannot help.
pub const BROKEN_FACT: &str = "fairtrial.broken";
