//! Exact null distributions of rank sums, as probabilities on the lattice of doubled ranks.

/// Chances of the doubled sum of the ranks that get a positive sign, each sign a fair coin.
pub(super) fn signed_sum_distribution(doubled: &[u64]) -> Vec<f64> {
    let total: usize = doubled.iter().sum::<u64>() as usize;
    let mut chance = vec![0.0; total + 1];
    chance[0] = 1.0;
    let mut reach = 0;
    for rank in doubled {
        let rank = *rank as usize;
        reach += rank;
        for s in (0..=reach).rev() {
            let with = if s >= rank { chance[s - rank] } else { 0.0 };
            chance[s] = 0.5 * (chance[s] + with);
        }
    }
    chance
}

/// Chances of the doubled rank sum of `size` values drawn from all without replacement.
pub(super) fn subset_sum_distribution(doubled: &[u64], size: usize) -> Vec<f64> {
    let mut largest = doubled.to_vec();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    let total: usize = largest[..size].iter().sum::<u64>() as usize;
    let width = total + 1;
    // chance[k * width + s]: of all items so far, k are drawn and their ranks add up to s.
    let mut chance = vec![0.0; (size + 1) * width];
    chance[0] = 1.0;
    for (seen, rank) in doubled.iter().enumerate() {
        draw_one(
            &mut chance,
            width,
            &Draw {
                rank: *rank as usize,
                seen,
                items: doubled.len(),
                size,
            },
        );
    }
    chance.split_off(size * width)
}

struct Draw {
    rank: usize,
    seen: usize,
    items: usize,
    size: usize,
}

/// One item is drawn with the chance that a random subset has at this point.
fn draw_one(chance: &mut [f64], width: usize, draw: &Draw) {
    let left = (draw.items - draw.seen) as f64;
    for k in (0..=draw.size.min(draw.seen + 1)).rev() {
        let stay = 1.0 - (draw.size - k) as f64 / left;
        let enter = if k > 0 {
            (draw.size - (k - 1)) as f64 / left
        } else {
            0.0
        };
        for s in (0..width).rev() {
            let from = if k > 0 && s >= draw.rank {
                chance[(k - 1) * width + s - draw.rank]
            } else {
                0.0
            };
            let here = &mut chance[k * width + s];
            *here = *here * stay.max(0.0) + from * enter.min(1.0);
        }
    }
}

/// The chances at or below and at or above a place of the lattice.
pub(super) fn tails(chance: &[f64], place: usize) -> (f64, f64) {
    let below: f64 = chance[..=place].iter().sum();
    let above: f64 = chance[place..].iter().rev().sum();
    (below.min(1.0), above.min(1.0))
}

/// How many of the smallest values of a distribution have together at most `tail`.
pub(super) fn count_within(chance: &[f64], tail: f64) -> usize {
    let mut sum = 0.0;
    chance
        .iter()
        .take_while(|p| {
            sum += **p;
            sum <= tail
        })
        .count()
}
