//! The sign-flip test of a mean with its interval, and the studentised permutation test, against plain enumeration.

use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::permutation::{
    Studentised, flipped_mean, flipped_share, sign_flip_of, studentised,
};
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::{Level, Undefined, permutation};

const LEVEL: Level = Level::TWO_SIDED_95;

fn normals(name: &str, number: u64, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(3, Purpose::new(name), number);
    (0..n).map(|_| 0.4 + stream.normal()).collect()
}

/// The ends by listing the means of all subsets: the textbook form.
fn by_listing(d: &[f64], alpha: f64) -> (f64, f64) {
    let n = d.len();
    let mut means: Vec<f64> = (1u32..1 << n)
        .map(|set| {
            let chosen = (0..n).filter(|i| set >> i & 1 == 1);
            chosen.map(|i| d[i]).sum::<f64>() / f64::from(set.count_ones())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let rejected = (alpha / 2.0 * f64::from(1u32 << n)).floor() as usize;
    (means[rejected - 1], means[means.len() - rejected])
}

#[test]
fn the_interval_is_that_of_the_subset_means_in_order() {
    for n in [6, 7, 10, 13] {
        for number in 0..5 {
            let d = normals("listed", number, n);
            let found = flipped_mean(&d, LEVEL).unwrap();
            let (low, high) = by_listing(&d, 0.05);
            assert!(
                (found.interval.low - low).abs() < 1e-9,
                "{n}: {found:?} {low}"
            );
            assert!(
                (found.interval.high - high).abs() < 1e-9,
                "{n}: {found:?} {high}"
            );
            let test = sign_flip_of(&d, permutation::Options::default()).unwrap();
            assert!((found.p - test.p).abs() < 1e-12);
            assert!(found.exact);
        }
    }
}

#[test]
fn interval_and_p_value_agree() {
    for n in [6, 8, 12, 19, 20, 21, 40, 130] {
        for number in 0..40 {
            let shift = 0.05 * number as f64 - 1.0;
            let d: Vec<f64> = normals("agree", number, n)
                .iter()
                .map(|d| d + shift)
                .collect();
            let found = flipped_mean(&d, LEVEL).unwrap();
            let excludes = !found.interval.contains(0.0);
            assert_eq!(excludes, found.p <= 0.05, "{n} {number}: {found:?}");
            assert!(found.interval.contains(found.estimate));
        }
    }
}

#[test]
fn moving_a_difference_up_moves_no_end_down() {
    for n in [10, 15, 20, 25, 70] {
        for number in 0..10 {
            let d = normals("monotone", number, n);
            let before = flipped_mean(&d, LEVEL).unwrap().interval;
            for (place, size) in [(0, 0.5), (n / 2, 30.0), (n - 1, 1e6)] {
                let mut moved = d.clone();
                moved[place] += size;
                let after = flipped_mean(&moved, LEVEL).unwrap().interval;
                let slack = 1e-9 * (1.0 + size);
                assert!(after.low >= before.low - slack, "{n} {number} {place}");
                assert!(after.high >= before.high - slack, "{n} {number} {place}");
            }
        }
    }
}

#[test]
fn of_very_many_pairs_neighbours_share_a_sign() {
    let n = 10_001;
    let d = normals("neighbours", 0, n);
    let found = flipped_mean(&d, LEVEL).unwrap();
    assert_eq!(found.patterns, 1 << 14);
    let t = mean_interval(&d, LEVEL).unwrap();
    assert!((found.estimate - t.mean).abs() < 1e-12);
    let width = t.interval.high - t.interval.low;
    for (end, by_t) in [
        (found.interval.low, t.interval.low),
        (found.interval.high, t.interval.high),
    ] {
        assert!((end - by_t).abs() < 0.04 * width, "{found:?} {t:?}");
    }
    // Wherever a difference stands, moving it up moves no end down.
    for (place, size) in [(0, 0.5), (n / 2, 300.0), (n - 1, 1e6)] {
        let mut moved = d.clone();
        moved[place] += size;
        let after = flipped_mean(&moved, LEVEL).unwrap().interval;
        let slack = 1e-9 * (1.0 + size);
        assert!(after.low >= found.interval.low - slack, "{place}");
        assert!(after.high >= found.interval.high - slack, "{place}");
    }
    // The share of a control that is 2 throughout is half the difference, with the same signs.
    let share = flipped_share(&d, &vec![2.0; n], LEVEL).unwrap();
    assert!((share.interval.low - found.interval.low / 2.0).abs() < 1e-12);
    assert_eq!(share.p, found.p);
    let constant = flipped_mean(&vec![0.1; n], LEVEL).unwrap();
    assert_eq!((constant.interval.low, constant.interval.high), (0.1, 0.1));
}

#[test]
fn a_constant_difference_has_an_interval_of_one_point() {
    for (n, p) in [(6, 1.0 / 32.0), (15, 1.0 / 16_384.0)] {
        let found = flipped_mean(&vec![500_000.0; n], LEVEL).unwrap();
        assert_eq!(
            (found.interval.low, found.interval.high),
            (500_000.0, 500_000.0)
        );
        assert_eq!((found.estimate, found.p), (500_000.0, p));
    }
    let many = flipped_mean(&[0.1; 300], LEVEL).unwrap();
    assert_eq!((many.interval.low, many.interval.high), (0.1, 0.1));
    // Five pairs cannot reach 5 %.
    let few = flipped_mean(&[1.0; 5], LEVEL).unwrap();
    assert_eq!(few.interval.low, f64::NEG_INFINITY);
    assert!(matches!(
        flipped_mean(&[0.0; 8], LEVEL),
        Err(Undefined::ZeroVariance { .. })
    ));
    assert!(flipped_mean(&[], LEVEL).is_err());
    assert!(flipped_mean(&[1.0, f64::NAN], LEVEL).is_err());
}

#[test]
fn sizes_near_the_ends_of_numbers_change_nothing() {
    let d = normals("sizes", 1, 12);
    let plain = flipped_mean(&d, LEVEL).unwrap();
    for unit in [1e-300, 1e300] {
        let scaled: Vec<f64> = d.iter().map(|d| d * unit).collect();
        let found = flipped_mean(&scaled, LEVEL).unwrap();
        assert_eq!(found.p, plain.p);
        assert!((found.interval.low / unit - plain.interval.low).abs() < 1e-9);
    }
}

/// Welch's t of every arrangement, listed by bit patterns.
fn arranged(control: &[f64], candidate: &[f64]) -> f64 {
    let pooled: Vec<f64> = candidate.iter().chain(control).copied().collect();
    let (n, k) = (pooled.len(), candidate.len() as u32);
    let t = |set: u32| {
        let of = |inside: bool| -> Vec<f64> {
            let mine = (0..n).filter(|i| (set >> i & 1 == 1) == inside);
            mine.map(|i| pooled[i]).collect()
        };
        let part = |values: Vec<f64>| {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
            (mean, squares / (n - 1.0) / n)
        };
        let ((a, va), (b, vb)) = (part(of(true)), part(of(false)));
        (a - b) / (va + vb).sqrt()
    };
    let observed = t((1 << k) - 1);
    let all: Vec<f64> = (0u32..1 << n)
        .filter(|set| set.count_ones() == k)
        .map(t)
        .collect();
    let hits = all.iter().filter(|t| t.abs() >= observed.abs() - 1e-9);
    hits.count() as f64 / all.len() as f64
}

#[test]
fn the_studentised_test_counts_every_arrangement() {
    for (a, b) in [(4, 4), (3, 6), (7, 5)] {
        let control = normals("control", a as u64, a);
        let candidate: Vec<f64> = normals("candidate", b as u64, b)
            .iter()
            .map(|x| x + 0.9)
            .collect();
        let found = studentised(&control, &candidate, Studentised::TWO_SIDED).unwrap();
        assert!(found.exact);
        assert!((found.p - arranged(&control, &candidate)).abs() < 1e-12);
    }
    assert!(studentised(&[1.0], &[1.0, 2.0], Studentised::TWO_SIDED).is_err());
}

/// Draws are near to the count, whichever group is the smaller one.
#[test]
fn drawn_arrangements_agree_with_listed_ones() {
    let (control, candidate) = (normals("a", 1, 11), normals("b", 2, 9));
    let exact = arranged(&control, &candidate);
    let drawn = |a: &[f64], b: &[f64]| studentised(a, b, Studentised::TWO_SIDED).unwrap().p;
    let slack = 4.0 * (exact * (1.0 - exact) / 10_000.0).sqrt();
    assert!((drawn(&control, &candidate) - exact).abs() < slack);
    assert!((drawn(&candidate, &control) - exact).abs() < slack);
}

#[test]
fn the_share_of_the_control_excludes_0_where_the_difference_does() {
    for n in [7, 12, 30] {
        for number in 0..30 {
            let d = normals("share", number, n);
            let mut stream = Stream::new(5, Purpose::new("control"), number);
            let control: Vec<f64> = (0..n).map(|_| 2.0 + stream.unit()).collect();
            let (of_mean, of_share) = (
                flipped_mean(&d, LEVEL).unwrap(),
                flipped_share(&d, &control, LEVEL).unwrap(),
            );
            assert_eq!(of_mean.p, of_share.p);
            let excludes = |interval: &fairtrial_stats::Interval| !interval.contains(0.0);
            assert_eq!(excludes(&of_mean.interval), excludes(&of_share.interval));
            let share = d.iter().sum::<f64>() / control.iter().sum::<f64>();
            assert!((of_share.estimate - share).abs() < 1e-12);
            assert!(of_share.interval.contains(share));
        }
    }
    assert!(flipped_share(&[1.0, 2.0], &[1.0, -1.0], LEVEL).is_err());
}
