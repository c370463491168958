//! Several arms or sweep points in order: who is best, and who cannot be told from the best.

pub(crate) mod arms;
pub(crate) mod standings;
pub(crate) mod sweep;
