//! The one random-number policy of the project: every draw comes from a stream keyed by (seed, purpose, block).
//!
//! A stream is a counter with a mixing function (wyrand), so that work cut into blocks gives the same numbers whatever
//! the number of threads, and two purposes never share draws. The draws are pinned by golden tests: a change here
//! changes published intervals, and must be made on purpose (docs/decisions/0011-random-numbers.md).

use std::sync::LazyLock;

use rayon::prelude::*;

const COUNTER_STEP: u64 = 0x2d35_8dcc_aa6c_78a5;
const MIX_KEY: u64 = 0x8bb8_4b93_962e_acc9;

/// What a stream is drawn for; each method has its own, so that no two share their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose(u64);

impl Purpose {
    /// The purpose with this name.
    pub const fn new(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
            i += 1;
        }
        Self(hash)
    }
}

/// The finaliser of splitmix64: spreads a key over all 64 bits.
const fn spread(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    counter: u64,
}

impl Stream {
    /// The stream of this seed, purpose and block of work.
    pub const fn new(seed: u64, purpose: Purpose, block: u64) -> Self {
        Self {
            counter: spread(spread(spread(seed) ^ purpose.0) ^ block),
        }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(COUNTER_STEP);
        let product = u128::from(self.counter) * u128::from(self.counter ^ MIX_KEY);
        (product as u64) ^ (product >> 64) as u64
    }

    /// A number in [0, 1) on the grid of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Two independent indices below `n`, from one draw: for resampling loops with `n` of at most 2^16, where the bias
    /// of the multiply-shift stays below 2^-16 of a chance.
    #[inline]
    pub fn index_pair(&mut self, n: SmallRange) -> (usize, usize) {
        let bits = self.next_u64();
        let low = u64::from(bits as u32) * u64::from(n.0);
        let high = (bits >> 32) * u64::from(n.0);
        ((low >> 32) as usize, (high >> 32) as usize)
    }

    /// Two independent indices below `n`, from one draw and without any bias: Lemire's rejection on each half. For
    /// resampling loops over more items than a [`SmallRange`] holds.
    #[inline]
    pub fn wide_index_pair(&mut self, n: WideRange) -> (usize, usize) {
        let bits = self.next_u64();
        let low = u64::from(bits as u32) * u64::from(n.count);
        let high = (bits >> 32) * u64::from(n.count);
        (self.accepted(low, n), self.accepted(high, n))
    }

    #[inline]
    fn accepted(&mut self, product: u64, n: WideRange) -> usize {
        if (product as u32) < n.threshold {
            return self.below_by_rejection(u64::from(n.count)) as usize;
        }
        (product >> 32) as usize
    }

    /// An index below `n`; without any bias above 2^16 (Lemire's rejection), and 0 for an empty range.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        if n <= SmallRange::LIMIT {
            return (((self.next_u64() >> 32) * n as u64) >> 32) as usize;
        }
        self.below_by_rejection(n as u64) as usize
    }

    fn below_by_rejection(&mut self, n: u64) -> u64 {
        let threshold = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Puts the items into a uniformly random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let chosen = self.below(end + 1);
            items.swap(end, chosen);
        }
    }

    /// A standard normal number (ziggurat with 128 layers, exact in the tail).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let layers = &*LAYERS;
        loop {
            let bits = self.next_u64();
            let layer = (bits & 127) as usize;
            let u = 2.0 * ((bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)) - 1.0;
            if u.abs() < layers.ratio[layer] {
                return u * layers.edge[layer];
            }
            if let Some(value) = self.normal_at_the_rim(layers, layer, u) {
                return value;
            }
        }
    }

    #[cold]
    fn normal_at_the_rim(&mut self, layers: &Layers, layer: usize, u: f64) -> Option<f64> {
        if layer == 0 {
            return Some(self.normal_tail().copysign(u));
        }
        let x = u * layers.edge[layer];
        let upper = libm::exp(-0.5 * (layers.edge[layer].powi(2) - x * x));
        let lower = libm::exp(-0.5 * (layers.edge[layer + 1].powi(2) - x * x));
        (lower + self.unit() * (upper - lower) < 1.0).then_some(x)
    }

    /// Marsaglia's draw from the normal tail beyond the last layer.
    fn normal_tail(&mut self) -> f64 {
        loop {
            let x = libm::log(1.0 - self.unit()) / TAIL_START;
            let y = libm::log(1.0 - self.unit());
            if -2.0 * y >= x * x {
                return TAIL_START - x;
            }
        }
    }
}

/// The seed and the purpose of a piece of work that is cut into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// What the user can set.
    pub seed: u64,
    /// What the draws are for.
    pub purpose: Purpose,
}

impl Source {
    /// How many values one block holds. Part of the policy: another size gives other draws.
    pub const BLOCK: usize = 256;
    /// Below this many draws, starting threads costs more than it saves.
    const WORTH_THREADS: usize = 1 << 18;

    /// The stream of one block.
    pub const fn block(self, index: u64) -> Stream {
        Stream::new(self.seed, self.purpose, index)
    }

    /// Fills `out` block by block, each from its own stream, so that the values do not depend on the number of threads.
    /// `draws_per_value` only decides whether threads are worth starting.
    pub fn fill<T: Send>(
        self,
        out: &mut [T],
        draws_per_value: usize,
        fill_block: impl Fn(&mut Stream, &mut [T]) + Sync,
    ) {
        let one =
            |(index, block): (usize, &mut [T])| fill_block(&mut self.block(index as u64), block);
        if out.len().saturating_mul(draws_per_value) < Self::WORTH_THREADS {
            out.chunks_mut(Self::BLOCK).enumerate().for_each(one);
        } else {
            out.par_chunks_mut(Self::BLOCK).enumerate().for_each(one);
        }
    }
}

/// A count of items that [`Stream::index_pair`] may draw from: at most 2^16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallRange(u32);

impl SmallRange {
    /// The largest count for which multiply-shift without rejection is allowed.
    pub const LIMIT: usize = 1 << 16;

    /// The range, unless it is too large (or empty).
    pub fn new(n: usize) -> Option<Self> {
        (1..=Self::LIMIT).contains(&n).then_some(Self(n as u32))
    }
}

/// A count of items that [`Stream::wide_index_pair`] may draw from: at most 2^32 - 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideRange {
    count: u32,
    /// Remainders below this belong to indices that would come up too often.
    threshold: u32,
}

impl WideRange {
    /// The range, unless it is too large (or empty).
    pub fn new(n: usize) -> Option<Self> {
        let count = u32::try_from(n).ok().filter(|&count| count > 0)?;
        Some(Self {
            count,
            threshold: count.wrapping_neg() % count,
        })
    }
}

const TAIL_START: f64 = 3.442_619_855_899;
const LAYER_AREA: f64 = 9.912_563_035_262_17e-3;

/// The layers of the ziggurat; computed with `libm`, which gives the same bits on every platform.
struct Layers {
    edge: [f64; 129],
    ratio: [f64; 128],
}

static LAYERS: LazyLock<Layers> = LazyLock::new(|| {
    let mut edge = [0.0; 129];
    let mut height = libm::exp(-0.5 * TAIL_START * TAIL_START);
    edge[0] = LAYER_AREA / height;
    edge[1] = TAIL_START;
    for i in 2..128 {
        edge[i] = libm::sqrt(-2.0 * libm::log(LAYER_AREA / edge[i - 1] + height));
        height = libm::exp(-0.5 * edge[i] * edge[i]);
    }
    let mut ratio = [0.0; 128];
    for i in 0..128 {
        ratio[i] = edge[i + 1] / edge[i];
    }
    Layers { edge, ratio }
});

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Purpose = Purpose::new("test");

    #[test]
    fn the_draws_never_change() {
        let mut stream = Stream::new(42, TEST, 0);
        let words: Vec<u64> = (0..4).map(|_| stream.next_u64()).collect();
        assert_eq!(words, GOLDEN_WORDS);
        let indices: Vec<usize> = (0..8).map(|_| stream.below(15)).collect();
        assert_eq!(indices, GOLDEN_INDICES);
        let large: Vec<usize> = (0..3).map(|_| stream.below(1_000_000_007)).collect();
        assert_eq!(large, GOLDEN_LARGE);
        let mut order: Vec<usize> = (0..8).collect();
        stream.shuffle(&mut order);
        assert_eq!(order, GOLDEN_ORDER);
        let normals: Vec<u64> = (0..4).map(|_| stream.normal().to_bits()).collect();
        assert_eq!(normals, GOLDEN_NORMALS);
        let wide = WideRange::new(3_000_000_000).unwrap();
        assert_eq!(stream.wide_index_pair(wide), GOLDEN_WIDE);
    }

    // Computed by a separate program in Python from the description of the generator; the normal draws agree with it to
    // 13 units in the last place (its `exp` and `log` are not `libm`'s).
    const GOLDEN_WORDS: [u64; 4] = [
        0xef438dd618af9c70,
        0xef27afa29258a73a,
        0x94ac236579a737d2,
        0xf99dc13b3004fadf,
    ];
    const GOLDEN_INDICES: [usize; 8] = [11, 10, 3, 9, 1, 8, 3, 0];
    const GOLDEN_LARGE: [usize; 3] = [26332830, 357877014, 255776108];
    const GOLDEN_WIDE: (usize, usize) = (21324210, 2425022522);
    const GOLDEN_ORDER: [usize; 8] = [1, 5, 0, 6, 3, 2, 7, 4];
    const GOLDEN_NORMALS: [u64; 4] = [
        0xbff7f92836ecc35d,
        0x3fcfad9231db5ffb,
        0x3fe3fef8be335e3a,
        0xbff8ac23f04594e2,
    ];

    #[test]
    fn seeds_purposes_and_blocks_give_different_streams() {
        let first = |seed, purpose, block| Stream::new(seed, purpose, block).next_u64();
        let base = first(1, TEST, 0);
        assert_ne!(base, first(2, TEST, 0));
        assert_ne!(base, first(1, Purpose::new("other"), 0));
        assert_ne!(base, first(1, TEST, 1));
    }

    #[test]
    fn indices_are_uniform_within_chance() {
        let mut stream = Stream::new(7, TEST, 0);
        for n in [3usize, 100, 70_000] {
            let draws = 200 * n;
            let mut counts = vec![0u32; n];
            for _ in 0..draws {
                counts[stream.below(n)] += 1;
            }
            let chi2: f64 = counts
                .iter()
                .map(|&c| (f64::from(c) - 200.0).powi(2) / 200.0)
                .sum();
            let df = (n - 1) as f64;
            assert!(
                (chi2 - df).abs() < 5.0 * (2.0 * df).sqrt(),
                "n {n}: chi2 {chi2}"
            );
        }
    }

    #[test]
    fn a_pair_draws_both_indices_uniformly() {
        let range = SmallRange::new(6).unwrap();
        let mut stream = Stream::new(8, TEST, 0);
        let mut cells = [0u32; 36];
        for _ in 0..36_000 {
            let (a, b) = stream.index_pair(range);
            cells[6 * a + b] += 1;
        }
        let chi2: f64 = cells
            .iter()
            .map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!((chi2 - 35.0).abs() < 5.0 * 70f64.sqrt(), "chi2 {chi2}");
    }

    #[test]
    fn normal_draws_have_normal_moments_and_tails() {
        let mut stream = Stream::new(9, TEST, 0);
        let count = 1_000_000;
        let (mut m1, mut m2, mut m4, mut beyond) = (0.0, 0.0, 0.0, 0u32);
        for _ in 0..count {
            let x = stream.normal();
            m1 += x;
            m2 += x * x;
            m4 += x.powi(4);
            beyond += u32::from(x.abs() > 3.5);
        }
        let n = f64::from(count);
        assert!((m1 / n).abs() < 5e-3);
        assert!((m2 / n - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
        assert!((m4 / n - 3.0).abs() < 5.0 * (96.0 / n).sqrt());
        let expected = n * 4.652_581_580_710_5e-4;
        assert!((f64::from(beyond) - expected).abs() < 5.0 * expected.sqrt());
    }

    #[test]
    fn blocks_give_the_same_bits_on_one_and_four_threads() {
        let fill = || {
            let mut out = vec![0.0; 5000];
            let source = Source {
                seed: 3,
                purpose: TEST,
            };
            source.fill(&mut out, 1000, |stream, block| {
                block.fill_with(|| stream.unit());
            });
            out
        };
        let pool = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
        };
        assert_eq!(pool(1).install(fill), pool(4).install(fill));
    }

    #[test]
    fn empty_and_oversized_ranges_are_refused() {
        assert_eq!(WideRange::new(0), None);
        assert_eq!(WideRange::new(1 << 32), None);
        assert_eq!(SmallRange::new(0), None);
        assert_eq!(SmallRange::new(SmallRange::LIMIT + 1), None);
        assert_eq!(Stream::new(1, TEST, 0).below(0), 0);
    }
}
