//! All resamples of a small sample (or of one with few distinct values): each multiset once, with its chance.

use super::convolution::Part;

/// More points than this are left to the convolution.
const MOST_POINTS: f64 = 200_000.0;

/// A discrete distribution: values in order, with the chance up to and including each.
pub(super) struct Enumerated {
    values: Vec<f64>,
    cumulative: Vec<f64>,
    /// Two values nearer than this are the same value.
    slack: f64,
}

#[derive(Clone, Copy)]
struct Atom {
    value: f64,
    chance: f64,
}

impl Enumerated {
    /// The distribution of the sum of the parts, if it has few enough points.
    pub(super) fn of(parts: &[Part]) -> Option<Self> {
        let counts = parts
            .iter()
            .map(distinct)
            .collect::<Option<Vec<Vec<Atom>>>>()?;
        let points: f64 = parts
            .iter()
            .zip(&counts)
            .map(|(part, atoms)| multisets(part.terms.len(), atoms.len()))
            .product();
        if points.is_nan() || points > MOST_POINTS {
            return None;
        }
        let scale = parts.iter().map(Part::largest).fold(0.0, f64::max);
        let mut sums = vec![Atom {
            value: 0.0,
            chance: 1.0,
        }];
        for (part, atoms) in parts.iter().zip(&counts) {
            let own = resampled_sums(part.terms.len(), atoms);
            sums = sums
                .iter()
                .flat_map(|a| {
                    own.iter().map(|b| Atom {
                        value: a.value + b.value,
                        chance: a.chance * b.chance,
                    })
                })
                .collect();
        }
        Some(Self::merged(sums, 1e-14 * scale))
    }

    fn merged(mut atoms: Vec<Atom>, slack: f64) -> Self {
        atoms.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        let (mut values, mut cumulative) = (Vec::new(), Vec::new());
        let mut total = 0.0;
        for atom in atoms {
            total += atom.chance;
            if values
                .last()
                .is_some_and(|&last: &f64| atom.value - last <= slack)
            {
                cumulative.pop();
            } else {
                values.push(atom.value);
            }
            cumulative.push(total);
        }
        Self {
            values,
            cumulative,
            slack,
        }
    }

    /// The smallest value with at least `p` of the chance at or below it.
    pub(super) fn quantile(&self, p: f64) -> f64 {
        let reached = self.cumulative.partition_point(|&c| c < p * (1.0 - 1e-13));
        self.values[reached.min(self.values.len() - 1)]
    }

    pub(super) fn share_below(&self, x: f64) -> f64 {
        self.up_to(self.values.partition_point(|&v| v < x - self.slack))
    }

    pub(super) fn mid_rank(&self, x: f64) -> f64 {
        let not_above = self.up_to(self.values.partition_point(|&v| v <= x + self.slack));
        0.5 * (self.share_below(x) + not_above)
    }

    fn up_to(&self, count: usize) -> f64 {
        if count == 0 {
            0.0
        } else {
            self.cumulative[count - 1].min(1.0)
        }
    }

    pub(super) fn standard_error(&self) -> f64 {
        let mean: f64 = self.atoms().map(|a| a.value * a.chance).sum();
        self.atoms()
            .map(|a| (a.value - mean).powi(2) * a.chance)
            .sum::<f64>()
            .sqrt()
    }

    fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        let before = std::iter::once(0.0).chain(self.cumulative.iter().copied());
        self.values
            .iter()
            .zip(&self.cumulative)
            .zip(before)
            .map(|((&value, c), b)| Atom {
                value,
                chance: c - b,
            })
    }

    pub(super) fn is_degenerate(&self) -> bool {
        self.values.len() == 1
    }
}

/// The distinct terms and the chance to draw each; none where there are too many of them to enumerate.
fn distinct(part: &Part) -> Option<Vec<Atom>> {
    let n = part.terms.len();
    let each = 1.0 / n as f64;
    let mut atoms: Vec<Atom> = Vec::new();
    for &value in &part.terms {
        if let Some(known) = atoms.iter_mut().find(|atom| atom.value == value) {
            known.chance += each;
            continue;
        }
        atoms.push(Atom {
            value,
            chance: each,
        });
        if multisets(n, atoms.len()) > MOST_POINTS {
            return None;
        }
    }
    Some(atoms)
}

/// How many multisets of `n` draws from `kinds` distinct values there are.
fn multisets(n: usize, kinds: usize) -> f64 {
    let mut count = 1.0;
    for i in 1..kinds.min(64) {
        count *= (n + i) as f64 / i as f64;
        if count > MOST_POINTS {
            break;
        }
    }
    count
}

/// The sums of `n` draws with their chances: one distinct value after the other, each taken 0 to n times.
fn resampled_sums(n: usize, atoms: &[Atom]) -> Vec<Atom> {
    let mut out = Vec::new();
    let ln_factorial: Vec<f64> = std::iter::once(0.0)
        .chain((1..=n).scan(0.0, |sum, k| {
            *sum += (k as f64).ln();
            Some(*sum)
        }))
        .collect();
    let start = Atom {
        value: 0.0,
        chance: ln_factorial[n],
    };
    take(atoms, n, start, &ln_factorial, &mut out);
    out
}

/// `partial` holds the sum so far and the logarithm of its weight.
fn take(atoms: &[Atom], left: usize, partial: Atom, ln_factorial: &[f64], out: &mut Vec<Atom>) {
    let Some((first, rest)) = atoms.split_first() else {
        return;
    };
    let with = |count: usize| Atom {
        value: partial.value + count as f64 * first.value,
        chance: partial.chance + count as f64 * first.chance.ln() - ln_factorial[count],
    };
    if rest.is_empty() {
        let last = with(left);
        out.push(Atom {
            value: last.value,
            chance: last.chance.exp(),
        });
        return;
    }
    for count in 0..=left {
        take(rest, left - count, with(count), ln_factorial, out);
    }
}
