//! How many runs of each command are planned, and what ends them.

use super::question::BenchQuestion;
use super::rehearse::Warmth;
use super::rule::Waits;
use super::spec::Blocks;
use fairtrial_analysis::bench::Precision;

/// Runs of each command at most, where no number is named: by then the interval is far below what matters.
const MOST_RUNS: u32 = 5000;
/// More pairs are planned than fit into the time by the quickest warm-ups: a bench that runs out of pairs before its time
/// would end without its answer, and pairs that are not made cost little.
const SPARE: f64 = 1.25;
/// Runs of each command at most where nothing is known of how long one takes.
const UNKNOWN_MOST: u32 = 1000;
/// Pairs before the first look.
const FIRST_LOOK: u32 = 5;
/// Runs of a command alone before its mean is looked at.
const FIRST_MEAN: u32 = 10;

/// How many blocks fit into the time, by the warm-ups.
pub(super) fn blocks(question: &BenchQuestion, warmth: &Warmth) -> Blocks {
    let runs = question.runs;
    if let (Some(runs), true) = (runs.most, runs.is_fixed()) {
        return Blocks {
            least: runs,
            most: runs,
        };
    }
    let fit = warmth.round().map_or(f64::from(UNKNOWN_MOST), |round| {
        SPARE * runs.limit.as_secs_f64() / round.max(1e-6)
    });
    let first = runs.least.unwrap_or(FIRST_LOOK).max(2);
    let fit = (fit.ceil() as u32).min(MOST_RUNS).max(first);
    let most = runs.most.map_or(fit, |most| fit.min(most)).max(2);
    Blocks {
        least: first.min(most),
        most,
    }
}

/// What ends the run besides its answer.
pub(super) fn waits(question: &BenchQuestion, commands: u64, blocks: Blocks) -> Waits {
    let fixed = question.runs.is_fixed();
    let alone = commands == 1 && !fixed;
    let first = question.runs.least.unwrap_or(FIRST_MEAN).min(blocks.most);
    let least = if alone { first } else { blocks.least };
    Waits {
        metric: question.field(),
        limit: (!fixed).then_some(question.runs.limit),
        least: u64::from(least) * commands,
        precision: alone.then(|| Precision::within(question.margin, least as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::{BenchQuestion, Blocks, Warmth, blocks};

    #[test]
    fn a_slow_warm_up_does_not_end_a_bench_before_its_time() {
        let warmth = Warmth {
            times: vec![vec![0.02, 0.2], vec![0.05, 0.02]],
            ..Warmth::default()
        };
        // 30 s, 40 ms for a pair when nothing disturbs it.
        let planned = blocks(&BenchQuestion::new(Vec::new()), &warmth);
        let least = 5;
        assert_eq!(planned, Blocks { least, most: 938 });
    }
}
