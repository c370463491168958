//! Numbers that are the same everywhere.

/// A small generator (xorshift).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of an input.
    pub(crate) fn of(number: u64) -> Self {
        // Zero would stay zero; neighbours begin far apart.
        Self((number | 1 << 63).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next 64 bits.
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.draw() % end.max(1) as u64) as usize
    }
}
