//! How the two sides of a contrast are named.

use crate::compare::result::Contrast;

/// `candidate against control at lr=0.1`; two sources with one arm each go by their own names.
pub(super) fn sides(contrast: &Contrast) -> String {
    let (control, candidate) = (&contrast.control, &contrast.candidate);
    let names = if control.arm == candidate.arm {
        let arm = candidate
            .arm
            .as_ref()
            .map_or(String::new(), |arm| format!("{arm}: "));
        format!("{arm}{} against {}", candidate.source, control.source)
    } else {
        format!("{} against {}", candidate.short(), control.short())
    };
    if contrast.point.is_empty() {
        names
    } else {
        format!("{names} at {}", contrast.point)
    }
}
