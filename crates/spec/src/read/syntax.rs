//! A problem of the text itself, whatever the format.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// A syntax problem.
pub(super) fn syntax(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, span, message)
}
