//! Paired pass/fail, open-ended: a beta mixture over who wins a discordant pair.

use serde::Serialize;

use crate::dist::ln_beta;
use crate::sample::{open_chance, positive};
use crate::{Dropped, Explain, Interval, Level, Outcome};
use fairtrial_text::significant::short;

/// The logarithm of E after this many discordant pairs: 2^m B(a + wins, a + losses) / B(a, a).
pub fn mcnemar_log_e(wins: u64, losses: u64, a: f64) -> f64 {
    let (w, l) = (wins as f64, losses as f64);
    (w + l) * std::f64::consts::LN_2 + ln_beta(a + w, a + l) - ln_beta(a, a)
}

/// A sequential McNemar test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McNemarProcess {
    /// The method.
    pub method: &'static str,
    /// All pairs so far, concordant ones included.
    pub n: usize,
    /// Pairs that only the candidate passed.
    pub wins: u64,
    /// Pairs that only the control passed.
    pub losses: u64,
    /// The error chance, whenever one stops.
    pub alpha: f64,
    /// The logarithm of E after each pair.
    pub log_e: Vec<f64>,
    /// The first pair at which "no difference" was rejected.
    pub rejected_at: Option<usize>,
    /// The share of discordant pairs that the candidate wins: valid whenever one looks.
    pub win_share: Interval,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for McNemarProcess {
    fn reading(&self) -> String {
        let verdict = match self.rejected_at {
            Some(n) => format!("A difference was established after {n} pairs."),
            None => format!(
                "After {} pairs there is no answer (E = {}; it takes {}).",
                self.n,
                short(self.log_e.last().map_or(1.0, |e| e.exp())),
                short(1.0 / self.alpha)
            ),
        };
        format!(
            "{verdict} The candidate alone passed {} pairs, the control alone {}; the candidate's share of these: {}.",
            self.wins,
            self.losses,
            self.win_share.words()
        )
    }
}

/// Runs the test over pairs `(control passed, candidate passed)` in their declared order; `a` = 2 is the default prior.
pub fn mcnemar_process(pairs: &[(bool, bool)], a: f64, alpha: f64) -> Outcome<McNemarProcess> {
    open_chance("alpha", alpha)?;
    positive("a", a)?;
    let (mut wins, mut losses) = (0, 0);
    let mut log_e = Vec::with_capacity(pairs.len());
    for &(control, candidate) in pairs {
        wins += u64::from(candidate && !control);
        losses += u64::from(control && !candidate);
        log_e.push(crate::sample::representable(
            "E",
            mcnemar_log_e(wins, losses, a),
        )?);
    }
    let rejected_at = log_e
        .iter()
        .position(|&e| e >= -alpha.ln())
        .map(|index| index + 1);
    Ok(McNemarProcess {
        method: "sequential McNemar",
        n: pairs.len(),
        wins,
        losses,
        alpha,
        log_e,
        rejected_at,
        win_share: win_share(wins, losses, (a, alpha)),
        dropped: Vec::new(),
    })
}

/// All win shares p whose own mixture E = B(a+w, a+l) / (B(a,a) p^w (1-p)^l) stays below 1/alpha.
fn win_share(wins: u64, losses: u64, (a, alpha): (f64, f64)) -> Interval {
    let (w, l) = (wins as f64, losses as f64);
    let mixture = ln_beta(a + w, a + l) - ln_beta(a, a);
    let times_log = |count: f64, p: f64| if count == 0.0 { 0.0 } else { count * p.ln() };
    let kept = |p: f64| mixture - times_log(w, p) - times_log(l, 1.0 - p) < -alpha.ln();
    let best = if wins + losses == 0 { 0.5 } else { w / (w + l) };
    let edge = |outside: f64| {
        if kept(outside) {
            return outside;
        }
        let (mut inside, mut outside) = (best, outside);
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            if kept(middle) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    };
    Interval {
        low: edge(0.0),
        high: edge(1.0),
        level: Level::two_sided(alpha),
    }
}
