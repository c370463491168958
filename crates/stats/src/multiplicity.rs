//! Many tests at once: adjusted p values that keep the error rate of the whole family.

use serde::Serialize;

use crate::sample::dropped;
use crate::{Dropped, Explain, Outcome, Undefined};
use fairtrial_text::count::counted;

/// How a family of p values is adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Adjustment {
    /// Holm: controls the chance of any false alarm, under any dependence; the default for verdicts.
    #[default]
    Holm,
    /// Hochberg: as Holm, somewhat stronger, for positively dependent tests.
    Hochberg,
    /// Hommel: as Hochberg, stronger still, harder to explain.
    Hommel,
    /// Bonferroni: simplest and weakest.
    Bonferroni,
    /// Šidák: Bonferroni for independent tests.
    Sidak,
    /// Holm's steps with Šidák's bound.
    HolmSidak,
    /// Benjamini-Hochberg: the share of false alarms among alarms; for screening.
    BenjaminiHochberg,
    /// Benjamini-Yekutieli: as Benjamini-Hochberg, under any dependence.
    BenjaminiYekutieli,
}

impl Adjustment {
    /// The name a report shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holm => "Holm",
            Self::Hochberg => "Hochberg",
            Self::Hommel => "Hommel",
            Self::Bonferroni => "Bonferroni",
            Self::Sidak => "Šidák",
            Self::HolmSidak => "Holm-Šidák",
            Self::BenjaminiHochberg => "Benjamini-Hochberg",
            Self::BenjaminiYekutieli => "Benjamini-Yekutieli",
        }
    }
}

/// A family of adjusted p values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Family {
    /// How they were adjusted.
    pub method: Adjustment,
    /// Tests that took part.
    pub n: usize,
    /// Tests without a p value: not in the family.
    pub dropped: Option<Dropped>,
    /// The adjusted p values, in the order given; absent for tests without one.
    pub adjusted: Vec<Option<f64>>,
}

impl Family {
    /// Which tests are significant at `alpha`.
    pub fn rejected(&self, alpha: f64) -> Vec<bool> {
        self.adjusted
            .iter()
            .map(|p| p.is_some_and(|p| p <= alpha))
            .collect()
    }
}

/// Adjusts a family of p values. A NaN stands for a test without a result: it is left out of the family, and counted.
pub fn adjust(p_values: &[f64], method: Adjustment) -> Outcome<Family> {
    if let Some(p) = p_values
        .iter()
        .find(|p| !p.is_nan() && !(0.0..=1.0).contains(*p))
    {
        return Err(Undefined::BadArgument {
            name: "p".into(),
            value: *p,
            expected: "between 0 and 1".into(),
        });
    }
    let mut order: Vec<usize> = (0..p_values.len())
        .filter(|i| !p_values[*i].is_nan())
        .collect();
    if order.is_empty() {
        return Err(Undefined::Empty {
            what: "the family of tests".into(),
        });
    }
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let ascending: Vec<f64> = order.iter().map(|i| p_values[*i]).collect();
    let mut adjusted = vec![None; p_values.len()];
    for (place, value) in order.iter().zip(adjusted_ascending(&ascending, method)) {
        adjusted[*place] = Some(value);
    }
    Ok(Family {
        method,
        n: order.len(),
        dropped: dropped(p_values.len() - order.len(), "no p value"),
        adjusted,
    })
}

fn adjusted_ascending(p: &[f64], method: Adjustment) -> Vec<f64> {
    let m = p.len() as f64;
    let left = |i: usize| m - i as f64;
    let sidak = |p: f64, tests: f64| -(tests * (-p).ln_1p()).exp_m1();
    match method {
        Adjustment::Bonferroni => each(p, |_, p| p * m),
        Adjustment::Sidak => each(p, |_, p| sidak(p, m)),
        Adjustment::Holm => running_max(each(p, |i, p| p * left(i))),
        Adjustment::HolmSidak => running_max(each(p, |i, p| sidak(p, left(i)))),
        Adjustment::Hochberg => running_min(each(p, |i, p| p * left(i))),
        Adjustment::BenjaminiHochberg => running_min(each(p, |i, p| p * m / (i as f64 + 1.0))),
        Adjustment::BenjaminiYekutieli => {
            let harmonic: f64 = (1..=p.len()).map(|i| 1.0 / i as f64).sum();
            running_min(each(p, |i, p| p * m * harmonic / (i as f64 + 1.0)))
        }
        Adjustment::Hommel => hommel(p),
    }
}

fn each(p: &[f64], f: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    p.iter()
        .enumerate()
        .map(|(i, p)| f(i, *p).min(1.0))
        .collect()
}

/// Steps down: no test may have a smaller p than the one before it.
fn running_max(mut p: Vec<f64>) -> Vec<f64> {
    for i in 1..p.len() {
        p[i] = p[i].max(p[i - 1]);
    }
    p
}

/// Steps up: no test may have a larger p than the one after it.
fn running_min(mut p: Vec<f64>) -> Vec<f64> {
    for i in (0..p.len().saturating_sub(1)).rev() {
        p[i] = p[i].min(p[i + 1]);
    }
    p
}

/// Hommel (1988) by Wright's algorithm.
fn hommel(p: &[f64]) -> Vec<f64> {
    let n = p.len();
    let simes = (0..n)
        .map(|i| n as f64 * p[i] / (i as f64 + 1.0))
        .fold(f64::INFINITY, f64::min);
    let mut q = vec![simes; n];
    let mut adjusted = vec![simes; n];
    for m in (2..n).rev() {
        let (head, tail) = (n - m + 1, n - m + 1..n);
        let smallest = tail
            .clone()
            .enumerate()
            .map(|(j, i)| m as f64 * p[i] / (j as f64 + 2.0))
            .fold(f64::INFINITY, f64::min);
        for i in 0..head {
            q[i] = smallest.min(m as f64 * p[i]);
        }
        for i in tail {
            q[i] = q[n - m];
        }
        for i in 0..n {
            adjusted[i] = adjusted[i].max(q[i]);
        }
    }
    (0..n).map(|i| adjusted[i].max(p[i]).min(1.0)).collect()
}

impl Explain for Family {
    fn reading(&self) -> String {
        let significant = self.rejected(0.05).iter().filter(|r| **r).count();
        let left_out = self.dropped.as_ref().map_or(String::new(), |d| {
            format!(" ({} without a p value left out)", d.count)
        });
        format!(
            "After {} adjustment, {significant} of {} stand at 0.05{left_out}.",
            self.method.name(),
            counted(self.n, "test")
        )
    }
}
