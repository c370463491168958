//! Exact small-sample boundaries for |t|: the null paths of a t statistic do not depend on the unknown scale, so they
//! can be simulated once, with a seed, and kept by the caller.
//!
//! Only the overlap is simulated. The chance of |t| beyond c at a look is known exactly; what must be taken off is the
//! part that was already rejected earlier, which is small and so has little noise.

use rayon::prelude::*;
use serde::Serialize;

use super::schedule::Design;
use crate::dist::student_t;
use crate::planning::{TDesign, smallest_effect};
use crate::rng::{Purpose, Source, Stream};
use crate::{Explain, Level, Outcome, Undefined};

const PURPOSE: Purpose = Purpose::new("sequential/t-boundary");

/// The boundaries of a group-sequential t design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TBoundaries {
    /// The design they belong to.
    pub design: Design,
    /// The error chance spent by each look.
    pub cumulative_alpha: Vec<f64>,
    /// Reject at the look when |t| reaches this.
    pub critical: Vec<f64>,
    /// The effect, in standard deviations, that a fixed test of the whole budget finds with 80 % power.
    pub detectable_effect: f64,
    /// How many null paths were simulated.
    pub paths: usize,
    /// Their seed.
    pub seed: u64,
}

impl Explain for TBoundaries {
    fn reading(&self) -> String {
        format!(
            "{} looks up to {} pairs; over all of them together the chance of a false alarm is {} for normal differences \
             (boundaries from {} simulated paths, seed {}).",
            self.critical.len(),
            self.design.schedule.budget(),
            self.design.alpha,
            self.paths,
            self.seed
        )
    }
}

/// The boundaries of a design, from this many simulated null paths.
pub fn t_boundaries(design: &Design, paths: usize, seed: u64) -> Outcome<TBoundaries> {
    design.checked()?;
    if !(1000..=1 << 26).contains(&paths) {
        return Err(Undefined::BadArgument {
            name: "paths".into(),
            value: paths as f64,
            expected: "between 1000 and 67108864".into(),
        });
    }
    let level = Level::two_sided(design.alpha);
    let detectable = smallest_effect(TDesign::Paired, design.schedule.budget(), 0.8, level)?;
    let cumulative = design.cumulative_alpha();
    let mut simulation = Simulation::new(paths, seed);
    let mut critical = Vec::with_capacity(cumulative.len());
    let mut spent = 0.0;
    let last = design.schedule.looks().len() - 1;
    for (index, (&n, &total)) in design.schedule.looks().iter().zip(&cumulative).enumerate() {
        simulation.advance_to(n);
        let bound = simulation.solve(n, total - spent);
        if index < last {
            simulation.reject(bound);
        }
        spent = total;
        critical.push(bound);
    }
    Ok(TBoundaries {
        design: design.clone(),
        cumulative_alpha: cumulative,
        critical,
        detectable_effect: detectable.effect,
        paths,
        seed,
    })
}

/// One null path: the sums that |t| is made of, and whether it was rejected at an earlier look.
#[derive(Clone, Copy)]
struct Path {
    sum: f64,
    squares: f64,
    rejected: bool,
}

/// From so many values between two looks on, their sums are drawn and not the values.
const AT_ONCE: usize = 32;

impl Path {
    /// Adds so many values: their sum is normal, and the sum of their squared deviations is chi-squared, independent of it.
    /// The latter by Wilson and Hilferty's approximation, whose error is far below the noise of the simulation here.
    fn add_many(&mut self, count: f64, stream: &mut Stream) {
        let sum = count.sqrt() * stream.normal();
        let freedom = count - 1.0;
        let spread = 2.0 / (9.0 * freedom);
        let deviations = freedom * (1.0 - spread + stream.normal() * spread.sqrt()).powi(3);
        self.sum += sum;
        self.squares += deviations + sum * sum / count;
    }

    fn t(&self, n: f64) -> f64 {
        let mean = self.sum / n;
        let variance = (self.squares - self.sum * mean) / (n - 1.0);
        (mean / (variance / n).sqrt()).abs()
    }
}

struct Block {
    stream: Stream,
    paths: Vec<Path>,
}

struct Simulation {
    blocks: Vec<Block>,
    count: usize,
    n: usize,
}

impl Simulation {
    fn new(count: usize, seed: u64) -> Self {
        let source = Source {
            seed,
            purpose: PURPOSE,
        };
        let start = Path {
            sum: 0.0,
            squares: 0.0,
            rejected: false,
        };
        let block = |index: usize| Block {
            stream: source.block(index as u64),
            paths: vec![start; Source::BLOCK.min(count - index * Source::BLOCK)],
        };
        Self {
            blocks: (0..count.div_ceil(Source::BLOCK)).map(block).collect(),
            count,
            n: 0,
        }
    }

    fn advance_to(&mut self, n: usize) {
        let more = n - self.n;
        self.n = n;
        self.blocks.par_iter_mut().for_each(|block| {
            for path in &mut block.paths {
                if more >= AT_ONCE {
                    path.add_many(more as f64, &mut block.stream);
                    continue;
                }
                for _ in 0..more {
                    let x = block.stream.normal();
                    path.sum += x;
                    path.squares += x * x;
                }
            }
        });
    }

    /// The c with P(|t| >= c and not rejected before) = spend: the exact tail minus the simulated overlap.
    fn solve(&self, n: usize, spend: f64) -> f64 {
        let df = n as f64 - 1.0;
        let mut overlap: Vec<f64> = self.rejected().map(|path| path.t(n as f64)).collect();
        overlap.sort_unstable_by(f64::total_cmp);
        let beyond = |c: f64| {
            (overlap.len() - overlap.partition_point(|&t| t < c)) as f64 / self.count as f64
        };
        let (mut low, mut high) = (0.0, student_t::inverse_sf(spend / 2.0, df));
        if overlap.is_empty() {
            return high;
        }
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if student_t::two_sided(middle, df) - beyond(middle) > spend {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    fn rejected(&self) -> impl Iterator<Item = &Path> {
        self.blocks
            .iter()
            .flat_map(|block| &block.paths)
            .filter(|path| path.rejected)
    }

    fn reject(&mut self, bound: f64) {
        let n = self.n as f64;
        for path in self.blocks.iter_mut().flat_map(|block| &mut block.paths) {
            path.rejected |= path.t(n) >= bound;
        }
    }
}
