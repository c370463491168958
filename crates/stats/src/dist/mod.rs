//! Special functions and distributions, as plain `f64` functions.
//!
//! Everything a p value or an interval rests on is here, held to `special_functions.json`. The crates on offer do not
//! pass those goldens (`docs/decisions/0010-statistics-distributions.md`), so only `erf`, `erfc` and `lgamma` come from
//! `libm`. An argument outside a function's domain gives NaN here: this is the one layer where NaN may appear, and the
//! methods above check their arguments before they call.
// `!(df > 0.0)` is also true for a NaN, which is what is meant everywhere here.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod beta;
pub mod binomial;
pub mod chi_square;
pub mod fisher_f;
mod gamma_fn;
pub mod hypergeometric;
mod incomplete_beta;
mod incomplete_gamma;
pub mod noncentral_t;
pub mod normal;
mod quadrature;
mod scale;
mod solve;
pub mod student_t;

pub use gamma_fn::{ln_beta, ln_binomial, ln_gamma};
pub use incomplete_beta::{inverse_regularized_beta, regularized_beta_pair};
pub use incomplete_gamma::{
    inverse_regularized_gamma, regularized_gamma_lower, regularized_gamma_upper,
};
pub(crate) use solve::increasing_root;

/// The error function.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// The complementary error function, accurate far into the tail.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
