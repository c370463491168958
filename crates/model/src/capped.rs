//! Output within a size: its beginning and its end are kept, the middle is counted. The beginning says what was asked of a
//! program, the end what came of it.

use std::collections::VecDeque;

/// Bytes of the end that are kept once the cap is passed.
const TAIL_BYTES: usize = 64 * 1024;

/// Takes output piece by piece and says what of it is to be written.
#[derive(Debug)]
pub struct Capped {
    head_left: u64,
    tail: VecDeque<u8>,
    tail_limit: usize,
    dropped: u64,
}

impl Capped {
    /// Of `limit` bytes in all.
    pub fn new(limit: u64) -> Self {
        let tail_limit = TAIL_BYTES.min(usize::try_from(limit / 2).unwrap_or(TAIL_BYTES));
        Self {
            head_left: limit - tail_limit as u64,
            tail: VecDeque::new(),
            tail_limit,
            dropped: 0,
        }
    }

    /// Takes what came; gives its part of the beginning, which is to be written at once. The rest may be of the end.
    pub fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let direct =
            usize::try_from(self.head_left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (head, rest) = bytes.split_at(direct);
        self.head_left -= head.len() as u64;
        for chunk in rest.chunks(TAIL_BYTES) {
            self.tail.extend(chunk);
            let over = self.tail.len().saturating_sub(self.tail_limit);
            self.tail.drain(..over);
            self.dropped += over as u64;
        }
        head
    }

    /// Counts bytes that were to be written and could not be.
    pub fn lose(&mut self, bytes: usize) {
        self.dropped += bytes as u64;
    }

    /// Bytes left out so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether all that came was of the beginning.
    pub fn is_within(&self) -> bool {
        self.dropped == 0 && self.tail.is_empty()
    }

    /// What stands in the place of the middle, where something was left out.
    pub fn gap(&self) -> Option<String> {
        let Self { dropped, .. } = self;
        (*dropped > 0).then(|| format!("\n[fairtrial: {dropped} bytes left out here]\n"))
    }

    /// The end, taken out: there is no more output.
    pub fn take_tail(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.tail).into()
    }
}

#[cfg(test)]
mod tests {
    use super::Capped;

    fn kept(limit: u64, pieces: &[&str]) -> String {
        let mut capped = Capped::new(limit);
        let heads = pieces.iter().map(|piece| capped.take(piece.as_bytes()));
        let mut all = heads.collect::<Vec<_>>().concat();
        all.extend(capped.gap().unwrap_or_default().bytes());
        all.extend(capped.take_tail());
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn what_fits_is_whole_and_what_does_not_has_both_ends() {
        assert_eq!(kept(16, &["0123456789", "abcdef"]), "0123456789abcdef");
        let cut = "0123\n[fairtrial: 8 bytes left out here]\ncdef";
        assert_eq!(kept(8, &["0123456789", "abcdef"]), cut);
        assert_eq!(kept(8, &["0123456789abcdef"]), cut);
        assert_eq!(kept(0, &["abc"]), "\n[fairtrial: 3 bytes left out here]\n");
    }
}
