//! What a bisect came to, for people and programs.

use super::{BisectCommit, Bisected};
use crate::bench::Counter;
use fairtrial_analysis::bisect::{Change, Difference, Finding};
use fairtrial_report::bisect::{
    BisectAnswer, BisectChange, BisectEnd, BisectPart, NamedCommit, SkippedCommit,
};

impl Bisected {
    /// The findings with the commits that they are about.
    pub fn answer(&self) -> BisectAnswer {
        answer(self)
    }
}

fn answer(bisected: &Bisected) -> BisectAnswer {
    let commit = |place: usize| named(&bisected.commits[place]);
    let bench = &bisected.question.bench;
    let last = bisected.commits.len() - 1;
    let mut answer = BisectAnswer {
        end: end(bisected),
        metric: match bench.counter {
            Some(Counter::Callgrind) => "instructions",
            None => bench.metric.words(),
        },
        alpha: bisected.question.alpha,
        margin: bench.margin,
        good: commit(0),
        bad: commit(last),
        commits: last,
        changes: Vec::new(),
        same: Vec::new(),
        open: Vec::new(),
        skipped: (bisected.skipped.iter())
            .map(|(place, why)| SkippedCommit {
                commit: commit(*place),
                why: why.clone(),
            })
            .collect(),
        builds: bisected.builds,
        trials: bisected.trials,
        runs: bisected.runs.clone(),
    };
    let part = |from: usize, to: usize, difference: Difference, probability| BisectPart {
        from: commit(from),
        to: commit(to),
        commits: to - from,
        difference,
        probability,
    };
    for finding in &bisected.findings {
        match finding {
            Finding::Change(found) => answer.changes.push(change(found, commit)),
            Finding::Same {
                from,
                to,
                difference,
            } => answer.same.push(part(*from, *to, *difference, None)),
            Finding::Open {
                from,
                to,
                difference,
                probability,
            } => answer
                .open
                .push(part(*from, *to, *difference, *probability)),
        }
    }
    answer
}

fn change(found: &Change, commit: impl Fn(usize) -> NamedCommit) -> BisectChange {
    BisectChange {
        commit: commit(found.to),
        or: (found.from + 1..found.to).map(&commit).collect(),
        before: commit(found.from),
        difference: found.difference,
        probability: found.probability,
        earlier: found.before.map(|(_, difference)| difference),
        later: found.after.map(|(_, difference)| difference),
    }
}

fn end(bisected: &Bisected) -> BisectEnd {
    let any = |is: fn(&Finding) -> bool| bisected.findings.iter().any(is);
    if bisected.interrupted {
        BisectEnd::Interrupted
    } else if any(|it| matches!(it, Finding::Open { .. })) {
        BisectEnd::Open
    } else if any(|it| matches!(it, Finding::Change(_))) {
        BisectEnd::Found
    } else {
        BisectEnd::Same
    }
}

fn named(commit: &BisectCommit) -> NamedCommit {
    NamedCommit {
        commit: commit.commit.clone(),
        short: commit.short().to_owned(),
        subject: commit.subject.clone(),
        author: commit.author.clone(),
        date: commit.date.clone(),
        merge: commit.merge,
    }
}
