//! Several arms or sweep points in order: who is best, and who may be as good.

pub(crate) mod arms;
pub(crate) mod standings;
pub(crate) mod sweep;
