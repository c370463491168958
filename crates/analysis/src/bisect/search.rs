//! What to measure next. A pure function of the evidence: whoever has the same measurements goes on in the same way.

use super::difference::{Apart, Difference, looks};
use super::evidence::Evidence;
use super::finding::{Change, Finding, Next};
use super::posterior::Posterior;
use super::rules::BisectRules;

/// An answer that is confirmed is wrong so many times more seldom than was asked for: its neighbours are measured again.
const CONFIRMED: f64 = 10.0;
/// A step is so much stricter than its share of the error chance: a wrong step costs builds until its answer is corrected.
const STRICTER: f64 = 2.0;
/// What is built already is taken before another commit that would tell so many times as much.
const BUILT: f64 = 4.0;
/// Blocks in which the neighbours of an answer are measured at least: they give the size of the change.
const CONFIRMING: usize = 10;

/// What is to be measured next, or the answer.
pub fn next(evidence: &Evidence, rules: &BisectRules) -> Next {
    let search = Search { evidence, rules };
    match search.solve(0, evidence.last) {
        Ok(findings) => Next::Answer(findings),
        Err(arms) => Next::Measure(arms),
    }
}

/// Whether it is worth a look after so many blocks of the same commits. Between looks nothing is decided.
pub fn is_look(blocks: usize) -> bool {
    looks(blocks).last() == Some(blocks)
}

/// The findings, or what has to be measured for them.
type Solved = Result<Vec<Finding>, Vec<usize>>;

struct Search<'a> {
    evidence: &'a Evidence,
    rules: &'a BisectRules,
}

impl Search<'_> {
    fn difference(&self, from: usize, to: usize, alpha: f64) -> Difference {
        Difference::of(self.evidence, (from, to), (self.rules, alpha))
    }

    fn blocks(&self, places: &[usize]) -> usize {
        self.evidence.with(places).count()
    }

    /// The changes between two ends: whether they differ comes first.
    fn solve(&self, from: usize, to: usize) -> Solved {
        let difference = self.difference(from, to, self.rules.alpha);
        match difference.apart {
            Apart::Alike => Ok(vec![Finding::Same {
                from,
                to,
                difference,
            }]),
            Apart::Differ => self.locate(from, to),
            Apart::Open if difference.blocks < self.rules.most => Err(vec![from, to]),
            Apart::Open => Ok(vec![Finding::Open {
                from,
                to,
                difference,
                probability: None,
            }]),
        }
    }

    /// Which commit it is, between two ends that differ.
    fn locate(&self, from: usize, to: usize) -> Solved {
        let inner = self.evidence.between(from, to);
        let steps = f64::from((inner.len() + 1).ilog2() + 1);
        let step_alpha = self.rules.alpha / (STRICTER * steps);
        if let Some(middle) = self.unlike_both((from, to), &inner, step_alpha) {
            let mut all = self.solve(from, middle)?;
            all.extend(self.solve(middle, to)?);
            return Ok(all);
        }
        let posterior = Posterior::of(self.evidence, (from, to), self.rules);
        if let Some(candidate) = self.under_way((from, to), &posterior, step_alpha) {
            return Err(vec![from, candidate, to]);
        }
        let ((before, at), chance) = posterior.best();
        if chance >= 1.0 - self.rules.alpha {
            return self.confirm((from, to), (before, at), chance);
        }
        let built = self.evidence.measured();
        let untold = |place: &usize| {
            let late = posterior.at_or_before(*place);
            let bonus = if built.contains(place) { BUILT } else { 1.0 };
            bonus * late.min(1.0 - late)
        };
        let candidate = inner.iter().copied();
        match candidate.max_by(|a, b| untold(a).total_cmp(&untold(b))) {
            Some(candidate) if self.blocks(&[from, candidate, to]) < self.rules.most => {
                Err(vec![from, candidate, to])
            }
            // What so many blocks do not tell of one, they do not tell of its neighbours.
            _ => Ok(vec![self.open(&posterior)]),
        }
    }

    /// A candidate that differs from both ends: there is more than one change.
    fn unlike_both(
        &self,
        (from, to): (usize, usize),
        inner: &[usize],
        alpha: f64,
    ) -> Option<usize> {
        let differs = |a, b| self.difference(a, b, alpha).apart == Apart::Differ;
        let measured = self.evidence.measured();
        let mut measured = inner.iter().copied().filter(|it| measured.contains(it));
        measured.find(|place| differs(from, *place) && differs(*place, to))
    }

    /// The candidate of the last block, while its side is still open. The next one is begun when it is settled.
    fn under_way(
        &self,
        (from, to): (usize, usize),
        posterior: &Posterior,
        alpha: f64,
    ) -> Option<usize> {
        let [first, candidate, last] = self.evidence.latest()[..] else {
            return None;
        };
        let late = posterior.at_or_before(candidate);
        let told = late.min(1.0 - late) <= alpha;
        let more = self.blocks(&[from, candidate, to]) < self.rules.most;
        let usable = !self.evidence.skipped.contains(&candidate);
        ((first, last) == (from, to) && !told && more && usable).then_some(candidate)
    }

    /// Measures the neighbours of an answer once more, beside each other and beside both ends.
    fn confirm(
        &self,
        (from, to): (usize, usize),
        (before, at): (usize, usize),
        probability: f64,
    ) -> Solved {
        let mut arms = vec![from, before, at, to];
        arms.dedup();
        let blocks = self.blocks(&arms);
        let wanted = if self.rules.exact { 1 } else { CONFIRMING };
        let sure = probability >= 1.0 - self.rules.alpha / CONFIRMED;
        let ends_only = arms.len() == 2;
        if blocks < wanted.min(self.rules.most).max(usize::from(!ends_only))
            || (!sure && blocks < self.rules.most)
        {
            return Err(arms);
        }
        let rest_alpha = 0.5 * self.rules.alpha;
        let rest = |from, to| (from != to).then(|| self.difference(from, to, rest_alpha));
        let (early, late) = (rest(from, before), rest(at, to));
        // More blocks only where there seems to be more: to exclude all that is large enough to matter would cost too much.
        let suspicious = [early, late].into_iter().flatten();
        let suspicious = suspicious.filter(|it| it.is_suspicious(self.rules.margin));
        if blocks < self.rules.most && suspicious.count() > 0 {
            return Err(arms);
        }
        let differs = |rest: &Option<Difference>| {
            rest.is_some_and(|difference| difference.apart == Apart::Differ)
        };
        let mut findings = Vec::new();
        if differs(&early) {
            findings.extend(self.solve(from, before)?);
        }
        findings.push(Finding::Change(Change {
            from: before,
            to: at,
            difference: self.difference(before, at, self.rules.alpha),
            probability,
            before: early.map(|difference| (from, difference)),
            after: late.map(|difference| (to, difference)),
        }));
        if differs(&late) {
            findings.extend(self.solve(at, to)?);
        }
        Ok(findings)
    }

    /// What is left where no candidate may be measured any more.
    fn open(&self, posterior: &Posterior) -> Finding {
        let ((from, to), chance) = posterior.credible(1.0 - self.rules.alpha);
        Finding::Open {
            from,
            to,
            difference: self.difference(from, to, self.rules.alpha),
            probability: Some(chance),
        }
    }
}
