//! The documented list behind `seeds = N`.

/// The fifteen seeds of the learning-curve protocol that `seeds = 15` reproduces.
pub const DOCUMENTED_SEEDS: [u64; 15] = [
    1072, 2043, 3014, 4085, 5156, 6227, 7298, 8369, 9440, 10511, 11582, 12653, 13724, 14795, 15866,
];

/// The `place`-th documented seed (from 0): the fifteen fixed ones, then on in steps of 1071.
pub fn documented_seeds(place: usize) -> u64 {
    DOCUMENTED_SEEDS.get(place).copied().unwrap_or_else(|| {
        let beyond = (place - DOCUMENTED_SEEDS.len() + 1) as u64;
        DOCUMENTED_SEEDS[DOCUMENTED_SEEDS.len() - 1] + 1071 * beyond
    })
}

#[cfg(test)]
mod tests {
    use super::documented_seeds;

    #[test]
    fn the_list_goes_on_without_repeats() {
        let seeds: Vec<u64> = (0..200).map(documented_seeds).collect();
        assert_eq!(&seeds[..3], &[1072, 2043, 3014]);
        assert_eq!(seeds[15], 16937);
        assert!(seeds.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
