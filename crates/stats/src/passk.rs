//! pass@k and pass^k from n attempts of which c passed: unbiased, with intervals.
//!
//! pass@k is the chance that at least one of k attempts passes, pass^k that all k do. Plugging c/n into the formula is
//! biased; drawing k of the n attempts without putting them back is not. More attempts asked for than made is refused.

use serde::Serialize;

use crate::one_arm::{Proportion, ProportionMethod, mean_interval, proportion_interval};
use crate::{Dropped, Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

/// Which of the two is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempts {
    /// pass@k: any of k.
    AnyOf,
    /// pass^k: all of k.
    AllOf,
}

impl Attempts {
    fn words(self, k: u64) -> String {
        match self {
            Self::AnyOf => format!("at least one of {k} attempts passes"),
            Self::AllOf => format!("all of {k} attempts pass"),
        }
    }

    /// The chance over k attempts when each passes with chance p; increasing in p.
    fn of_chance(self, p: f64, k: u64) -> f64 {
        match self {
            Self::AnyOf => -(k as f64 * (-p).ln_1p()).exp_m1(),
            Self::AllOf => p.powf(k as f64),
        }
    }
}

/// The unbiased estimate for one task: 1 - C(n-c, k) / C(n, k), or C(c, k) / C(n, k).
pub fn estimate(counts: Proportion, k: u64, attempts: Attempts) -> Outcome<f64> {
    let counts = counts.checked("the attempts")?;
    check_k(counts.trials, k)?;
    let (n, c) = (counts.trials, counts.successes);
    Ok(match attempts {
        Attempts::AnyOf => 1.0 - all_among(n - c, n, k),
        Attempts::AllOf => all_among(c, n, k),
    })
}

/// The chance that k draws without replacement from n all fall among `marked` of them.
fn all_among(marked: u64, n: u64, k: u64) -> f64 {
    if k > marked {
        return 0.0;
    }
    // The shorter of the two equal products.
    if k <= n - marked {
        return (0..k)
            .map(|i| (marked - i) as f64 / (n - i) as f64)
            .product();
    }
    (marked + 1..=n)
        .map(|i| 1.0 - k as f64 / i as f64)
        .product()
}

fn check_k(n: u64, k: u64) -> Outcome<()> {
    if k == 0 {
        return Err(Undefined::BadArgument {
            name: "k".into(),
            value: 0.0,
            expected: "at least 1".into(),
        });
    }
    if k > n {
        return Err(Undefined::TooFew {
            method: format!("an estimate over {k} attempts"),
            have: n as usize,
            need: k as usize,
        });
    }
    Ok(())
}

/// One task's pass@k or pass^k.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskPass {
    /// Any or all.
    pub attempts: Attempts,
    /// How many attempts the question is about.
    pub k: u64,
    /// The attempts made and passed.
    pub counts: Proportion,
    /// The unbiased estimate.
    pub estimate: f64,
    /// The interval: Wilson's for the chance of one attempt, carried over.
    pub interval: Interval,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for TaskPass {
    fn reading(&self) -> String {
        format!(
            "The chance that {} is {}; {} (from {} passes in {} attempts).",
            self.attempts.words(self.k),
            short(self.estimate),
            self.interval.words(),
            self.counts.successes,
            self.counts.trials
        )
    }
}

/// One task, with an interval that comes from Wilson's for a single attempt.
pub fn task(counts: Proportion, k: u64, attempts: Attempts, level: Level) -> Outcome<TaskPass> {
    let estimate = estimate(counts, k, attempts)?;
    let single = proportion_interval(counts, ProportionMethod::Wilson, level)?;
    let interval = single
        .interval
        .map(|p| attempts.of_chance(p.clamp(0.0, 1.0), k));
    Ok(TaskPass {
        attempts,
        k,
        counts,
        estimate,
        interval,
        dropped: Vec::new(),
    })
}

/// The mean over tasks of pass@k or pass^k, tasks as the unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuitePass {
    /// Any or all.
    pub attempts: Attempts,
    /// How many attempts the question is about.
    pub k: u64,
    /// The number of tasks used.
    pub tasks: usize,
    /// The mean of the tasks' estimates.
    pub estimate: f64,
    /// The t interval over tasks; none for a single task or where all tasks agree exactly.
    pub interval: Option<Interval>,
    /// Tasks with fewer than k attempts.
    pub dropped: Vec<Dropped>,
}

impl Explain for SuitePass {
    fn reading(&self) -> String {
        let interval = match &self.interval {
            Some(interval) => interval.words(),
            None => "no interval, because the tasks do not differ or there is only one".into(),
        };
        format!(
            "On average over {} tasks, the chance that {} is {}; {interval}.",
            self.tasks,
            self.attempts.words(self.k),
            short(self.estimate)
        )
    }
}

/// The mean over tasks; tasks with fewer than k attempts are left out and counted.
pub fn suite(tasks: &[Proportion], k: u64, attempts: Attempts, level: Level) -> Outcome<SuitePass> {
    level.checked()?;
    let mut estimates = Vec::with_capacity(tasks.len());
    let mut short = 0;
    for &counts in tasks {
        match estimate(counts, k, attempts) {
            Ok(value) => estimates.push(value),
            Err(Undefined::TooFew { .. } | Undefined::Empty { .. }) => short += 1,
            Err(other) => return Err(other),
        }
    }
    if estimates.is_empty() {
        return Err(Undefined::NoSolution(format!("no task has {k} attempts")));
    }
    let why = format!("tasks with fewer than {k} attempts");
    Ok(SuitePass {
        attempts,
        k,
        tasks: estimates.len(),
        estimate: crate::descriptive::mean(&estimates)?,
        interval: mean_interval(&estimates, level).ok().map(|t| t.interval),
        dropped: crate::sample::dropped(short, &why).into_iter().collect(),
    })
}
