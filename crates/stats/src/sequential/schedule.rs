//! When the data are looked at, out of which budget, and how the error chance is spread over the looks.

use serde::Serialize;

use super::spending::Spending;
use crate::sample::open_chance;
use crate::{Outcome, Undefined};

/// The planned looks. They may be anything that was not chosen from the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Schedule {
    looks: Vec<usize>,
    budget: usize,
}

impl Schedule {
    /// Looks after these numbers of pairs, which must increase and end at or before the budget.
    pub fn new(looks: Vec<usize>, budget: usize) -> Outcome<Self> {
        let (Some(&first), Some(&last)) = (looks.first(), looks.last()) else {
            return Err(Undefined::Empty {
                what: "the planned looks".into(),
            });
        };
        if first < 2 {
            return Err(Undefined::TooFew {
                method: "a look".into(),
                have: first,
                need: 2,
            });
        }
        if last > budget || looks.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(Undefined::BadArgument {
                name: "looks".into(),
                value: last as f64,
                expected: format!("increasing numbers of pairs, at most the budget of {budget}"),
            });
        }
        Ok(Self { looks, budget })
    }

    /// A look after every `batch` pairs from `from` on, and at the end of the budget.
    pub fn every(batch: usize, from: usize, budget: usize) -> Outcome<Self> {
        let mut looks: Vec<usize> = (from..budget).step_by(batch.max(1)).collect();
        looks.push(budget);
        Self::new(looks, budget)
    }

    /// Looks from `from` pairs on, each at `growth` times as many as the one before (at least one more), and at the end of
    /// the budget. Thousands of pairs need no thousands of looks.
    pub fn growing(growth: f64, from: usize, budget: usize) -> Outcome<Self> {
        let growth = crate::sample::positive("growth", growth)?;
        let mut looks = Vec::new();
        let mut at = from;
        while at < budget {
            looks.push(at);
            at = ((at as f64 * growth) as usize).max(at + 1);
        }
        looks.push(budget);
        Self::new(looks, budget)
    }

    /// The numbers of pairs at which the data are looked at.
    pub fn looks(&self) -> &[usize] {
        &self.looks
    }

    /// Which look there is at so many pairs, counted from 0.
    pub(super) fn place_of(&self, pairs: usize) -> Outcome<usize> {
        let place = self.looks.iter().position(|&planned| planned == pairs);
        place.ok_or_else(|| Undefined::BadArgument {
            name: "pairs".into(),
            value: pairs as f64,
            expected: format!("one of the planned looks {:?}", self.looks),
        })
    }

    /// The largest number of pairs.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// The share of the budget at each look.
    pub fn fractions(&self) -> Vec<f64> {
        self.looks
            .iter()
            .map(|&n| n as f64 / self.budget as f64)
            .collect()
    }
}

/// A group-sequential design, two-sided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Design {
    /// The looks.
    pub schedule: Schedule,
    /// How the error chance is spent.
    pub spending: Spending,
    /// The error chance over all looks together.
    pub alpha: f64,
}

impl Design {
    /// Refuses an alpha or an exponent that means nothing.
    pub(super) fn checked(&self) -> Outcome<()> {
        open_chance("alpha", self.alpha)?;
        if let Spending::Power { rho } = self.spending {
            crate::sample::positive("rho", rho)?;
        }
        Ok(())
    }

    /// The error chance spent up to and including each look.
    pub fn cumulative_alpha(&self) -> Vec<f64> {
        self.schedule
            .fractions()
            .into_iter()
            .map(|f| self.spending.cumulative(self.alpha, f))
            .collect()
    }
}
