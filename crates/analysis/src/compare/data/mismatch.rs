//! A difference between the two sides besides what is compared.

use crate::dataset::FactKind;
use serde::Serialize;

/// A difference between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// What kind.
    pub kind: FactKind,
    /// What differs.
    pub name: String,
    /// On the control's side; absent where it is not there.
    pub control: Option<String>,
    /// On the candidate's side.
    pub candidate: Option<String>,
}
