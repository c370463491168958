//! Random choices that can be made again: one seed, printed when a test fails.

use std::time::Duration;

/// A generator (SplitMix64) that tells its seed when the test that holds it panics.
pub(crate) struct Dice {
    case: &'static str,
    seed: u64,
    state: u64,
}

impl Dice {
    /// A generator for one test; tests of the same seed draw different numbers.
    pub(crate) fn new(case: &'static str) -> Self {
        let given = std::env::var("FAIRTRIAL_TORTURE_SEED").ok();
        let seed = given.map_or_else(fresh, |text| text.parse().expect("a seed is a number"));
        let salt = case.bytes().fold(0u64, |salt, byte| {
            salt.wrapping_mul(31).wrapping_add(byte.into())
        });
        Self {
            case,
            seed,
            state: seed ^ salt,
        }
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` up to, not including, `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low)
    }

    /// A time between two numbers of milliseconds.
    pub(crate) fn millis(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_millis(self.between(low, high))
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.between(0, times) == 0
    }
}

impl Drop for Dice {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "{}: FAIRTRIAL_TORTURE_SEED={} makes the same choices",
                self.case, self.seed
            );
        }
    }
}

fn fresh() -> u64 {
    let since = std::time::UNIX_EPOCH
        .elapsed()
        .expect("the clock is after 1970");
    since.as_nanos() as u64 ^ u64::from(std::process::id())
}

/// How often a random case is played: a few times, or as often as the long mode asks for.
pub(crate) fn rounds(few: u64) -> u64 {
    let asked = std::env::var("FAIRTRIAL_TORTURE_ROUNDS").ok();
    asked.map_or(few, |text| text.parse().expect("rounds are a number"))
}
