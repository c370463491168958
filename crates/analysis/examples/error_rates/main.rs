//! False verdicts, power and coverage of `compare` and of sequential runs, by simulation: makes
//! `docs/reference/error-rates.md` (`cargo xtask error-rates`).
#![allow(clippy::print_stdout, reason = "the page goes to standard output")]

mod fixed;
mod lab;
mod sequential;

const HEAD: &str = "# Error rates, power and coverage

For people who ask how often Fairtrial is wrong. At the end of this page you know it for data of many shapes, as simulations found it.

Made by `cargo xtask error-rates`; do not edit. Seeds are fixed, so the numbers are too.
What is promised: where there is no difference, at most 5 % of all comparisons end in `improved` or `regressed`
(alpha 0.05), whatever the shape of the data; the intervals include the truth in 95 %.
";

fn main() {
    let given = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let comparisons: u64 = given.unwrap_or(2_000);
    let error = |share: f64| (share * (1.0 - share) / comparisons as f64).sqrt();
    println!("{HEAD}");
    println!(
        "Each number is from {comparisons} simulated comparisons: the standard error of 0.05 is {:.3}, of 0.80 {:.3}.\n",
        error(0.05),
        error(0.8)
    );
    fixed::null_rates(comparisons);
    fixed::processes(comparisons);
    fixed::power(comparisons);
    fixed::coverage(comparisons);
    fixed::rankings(comparisons);
    sequential::rates(comparisons);
}
