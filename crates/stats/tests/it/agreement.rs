//! Agreement of raters against an independent computation.
//!
//! The numbers come from Python's standard library, from the definitions with tables of categories (no sums of squares):
//!
//! ```python
//! from itertools import combinations
//! def cohen(a, b, weight):      # 1 - sum(w * observed) / sum(w * expected), by the table of pairs
//!     cats = sorted(set(a) | set(b)); n = len(a)
//!     obs = sum(weight(x, y) for x, y in zip(a, b)) / n
//!     exp = sum(weight(i, j) * (a.count(i) / n) * (b.count(j) / n) for i in cats for j in cats)
//!     return 1 - obs / exp
//! def fleiss(rows, weight):
//!     m = len(rows[0]); pool = [x for r in rows for x in r]; cats = sorted(set(pool))
//!     obs = sum(sum(weight(x, y) for x, y in combinations(r, 2)) / (m * (m - 1) / 2) for r in rows) / len(rows)
//!     p = {c: pool.count(c) / len(pool) for c in cats}
//!     exp = sum(weight(i, j) * p[i] * p[j] for i in cats for j in cats)
//!     return 1 - obs / exp
//! square = lambda x, y: (x - y) ** 2
//! differ = lambda x, y: float(x != y)
//! ```

use fairtrial_stats::agreement::{kappa, kappa_interval};
use fairtrial_stats::bootstrap::{Method, Plan};
use fairtrial_stats::{Explain, Undefined};

fn pairs(a: &[f64], b: &[f64]) -> Vec<Vec<f64>> {
    a.iter().zip(b).map(|(x, y)| vec![*x, *y]).collect()
}

const A: [f64; 10] = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0];
const B: [f64; 10] = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0];
const X: [f64; 8] = [0.0, 0.25, 0.5, 0.75, 1.0, 0.5, 0.25, 1.0];
const Y: [f64; 8] = [0.25, 0.25, 0.5, 1.0, 0.75, 0.0, 0.25, 1.0];
const THREE: [[f64; 3]; 6] = [
    [1.0, 1.0, 0.0],
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 1.0],
];

fn three() -> Vec<Vec<f64>> {
    THREE.iter().map(|row| row.to_vec()).collect()
}

#[test]
fn kappa_is_that_of_the_definitions() {
    // cohen(A, B, differ), which is cohen(A, B, square) on verdicts of 0 and 1.
    let verdicts = kappa(&pairs(&A, &B)).unwrap();
    assert!(
        (verdicts.kappa - 0.583_333_333_333_333_3).abs() < 1e-12,
        "{verdicts:?}"
    );
    // cohen(X, Y, square)
    let shares = kappa(&pairs(&X, &Y)).unwrap();
    assert!(
        (shares.kappa - 0.774_193_548_387_096_8).abs() < 1e-12,
        "{shares:?}"
    );
    // fleiss(THREE, differ)
    let three = kappa(&three()).unwrap();
    assert!(
        (three.kappa - 0.298_701_298_701_298_8).abs() < 1e-12,
        "{three:?}"
    );
    assert!(
        three.reading().starts_with("Fleiss' kappa"),
        "{}",
        three.reading()
    );
    // A rater who always says the same agrees as chance does.
    let constant = kappa(&pairs(&A, &[1.0; 10])).unwrap();
    assert!(constant.kappa.abs() < 1e-12, "{constant:?}");
}

#[test]
fn what_kappa_cannot_say_has_a_reason() {
    let why = |ratings: &[Vec<f64>]| kappa(ratings).unwrap_err().to_string();
    assert_eq!(
        why(&pairs(&[1.0], &[0.0])),
        "kappa (items) needs at least 2 observations, there is 1"
    );
    assert_eq!(
        why(&pairs(&[1.0; 5], &[1.0; 5])),
        "the score of the raters does not vary (every value is 1)"
    );
    assert_eq!(
        why(&[vec![1.0], vec![0.0]]),
        "kappa (raters) needs at least 2 observations, there is 1"
    );
    assert!(matches!(
        kappa(&[vec![1.0, 0.0], vec![0.0]]),
        Err(Undefined::UnequalLengths { .. })
    ));
    assert!(why(&[vec![1.0, f64::NAN], vec![0.0, 1.0]]).contains("NaN"));
    let plan = Plan::new(Method::Percentile, 7);
    let groups: Vec<usize> = (0..10).collect();
    let equal = kappa_interval(&pairs(&A, &A), &groups, &plan).unwrap_err();
    assert!(equal.to_string().contains("agree on every item"), "{equal}");
    let few = kappa_interval(&pairs(&A, &B), &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1], &plan).unwrap_err();
    assert!(few.to_string().contains("needs at least 3"), "{few}");
}

#[test]
fn the_interval_resamples_groups() {
    // Independent draws of Python's `random`, 100,000 of them, items as their own groups: 0.300 to 0.826.
    let plan = Plan {
        resamples: 50_000,
        ..Plan::new(Method::Percentile, 7)
    };
    let groups: Vec<usize> = (0..40).collect();
    let many: Vec<Vec<f64>> = pairs(&A, &B).into_iter().cycle().take(40).collect();
    let own = kappa_interval(&many, &groups, &plan).unwrap();
    assert!((own.low - 0.300).abs() < 0.02, "{own:?}");
    assert!((own.high - 0.826).abs() < 0.02, "{own:?}");
    assert_eq!(own, kappa_interval(&many, &groups, &plan).unwrap());
    // Copies in one group say nothing new: the interval is that of the groups.
    let tens: Vec<usize> = (0..40).map(|item| item % 10).collect();
    let grouped = kappa_interval(&many, &tens, &plan).unwrap();
    assert!(
        grouped.high - grouped.low > 1.5 * (own.high - own.low),
        "{grouped:?}"
    );
}
