//! What was noticed, and what to do about it.

use super::bench_answer::BenchAnswer;
use super::unit::Unit;
use fairtrial_analysis::bench::{Noticed, NoticedIn};
use fairtrial_text::count::counted;
use fairtrial_text::duration::span;
use fairtrial_text::number::NumberFormat;

pub(super) fn sentences(answer: &BenchAnswer<'_>) -> Vec<String> {
    let shell = answer.shell_s.map(|seconds| {
        let unit = Unit::of(answer.numbers, std::iter::once(seconds));
        let start = unit.show(seconds, None);
        format!("A shell runs the commands; its start ({start}, measured) is taken off. -N runs them without one.")
    });
    shell
        .into_iter()
        .chain(answer.noticed.iter().map(|it| sentence(it, answer.metric)))
        .collect()
}

fn sentence(noticed: &NoticedIn, metric: &str) -> String {
    let of = noticed
        .command
        .as_ref()
        .map_or(String::new(), |name| format!("{name}: "));
    format!("{of}{}", words(&noticed.what, metric))
}

fn words(noticed: &Noticed, metric: &str) -> String {
    let percent = |share: f64| NumberFormat::Fixed(1).number(100.0 * share);
    match noticed {
        Noticed::Outliers { count, of } => format!(
            "{count} of {} took much longer or shorter than the others. Something else was at work; the typical run is \
             not moved by them, the mean is.",
            counted(*of, "run")
        ),
        Noticed::Drift { change } => {
            let way = if *change > 0.0 { "slower" } else { "faster" };
            format!(
                "later runs were {} % {way} than earlier ones. Commands run in turns, so the comparison stands; for the \
                 times themselves let the machine cool down or warm up longer (--warmup).",
                percent(change.abs())
            )
        }
        Noticed::TwoGroups { at: [low, high] } => format!(
            "the runs form two groups, around {} and {}. Something is on in some runs and off in others (a cache, \
             a core of another kind, the clock rate).",
            span(*low),
            span(*high)
        ),
        Noticed::Waited { share } => {
            let instead = match metric {
                "wall time" => "end them, or compare CPU time (--metric cpu)".to_owned(),
                // It is what the reader asked for already.
                _ => format!("{metric} leaves the waiting out, but ending them gives steadier numbers"),
            };
            format!(
                "the runs waited for a CPU for {} % of their time. Other programs are at work: {instead}.",
                percent(*share)
            )
        }
        Noticed::Fast => "a run takes less than a millisecond, most of which is the start of a process. Let each run do \
             more work, if it is the work that matters."
            .to_owned(),
        Noticed::FirstRun { first, later } => format!(
            "the first run took {}, later ones {}. That was a warm-up and does not count; if cold starts matter, \
             clear caches with --prepare.",
            span(*first),
            span(*later)
        ),
        Noticed::Failures { count, of } => format!(
            "{count} of {} ended with another exit code than 0 and count all the same, as you asked.",
            counted(*of, "run")
        ),
        Noticed::FasterThanShell => "it takes no longer than the shell around it, so its time is not known. Use -N.".to_owned(),
        Noticed::Throttled { times } => format!(
            "The CPU slowed itself down {} because it was too hot. The commands ran in turns, so the comparison stands; \
             the times themselves are too long. Let the machine cool down.",
            counted(*times as usize, "time")
        ),
        Noticed::OutputDiffers => "The commands print different things. Check that they do the same work.".to_owned(),
        Noticed::MeanDisagrees { typical, mean } => format!(
            "the typical run takes {} × the time, the mean {} ×. Rare slow runs are in the mean: if they matter to you, \
             look at the mean and the max.",
            NumberFormat::Fixed(3).number(*typical),
            NumberFormat::Fixed(3).number(*mean)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use fairtrial_analysis::bench::Noticed;

    #[test]
    fn nobody_is_told_to_do_what_they_did_already() {
        let waited = Noticed::Waited { share: 0.5 };
        let wall = words(&waited, "wall time");
        assert!(wall.contains("(--metric cpu)"), "{wall}");
        let cpu = words(&waited, "CPU time");
        assert!(
            cpu.contains("CPU time leaves") && !cpu.contains("--metric"),
            "{cpu}"
        );
    }
}
