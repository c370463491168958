//! How many digits after the point a column shows.

/// How many decimals a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimals {
    /// Always this many.
    Fixed(u8),
    /// At most this many: zeros at the end are left out, one decimal stays.
    Trimmed(u8),
    /// As few as tell the number apart.
    Shortest,
}
