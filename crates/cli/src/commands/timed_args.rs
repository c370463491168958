//! What is timed and how, in the words of `bench` and of `gate --rev`: the same flags, the same question.

use clap::ValueEnum;
use fairtrial_analysis::compare::parse_margin;
use fairtrial_model::{HardwareCounter, Margin};
use fairtrial_session::{BenchCommand, BenchMetric, BenchQuestion, Counter, Runs};
use fairtrial_text::duration::parse_duration;
use std::time::Duration;

/// Revisions, and what is compared for how long.
#[derive(Debug, clap::Args)]
pub(crate) struct TimedArgs {
    /// A revision to run the one command in, checked out beside your files; once, against your files as they are
    #[arg(long, value_name = "REVISION")]
    rev: Vec<String>,
    /// What builds a revision, in its folder; a revision that was built is kept for the next bench
    #[arg(long, value_name = "CMD", requires = "rev")]
    build: Option<String>,
    /// How long to wait for the answer, as `10s` or `5m` [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "counter")]
    time_limit: Option<Duration>,
    #[command(flatten)]
    measured: MeasuredArgs,
}

/// What is compared.
#[derive(Debug, clap::Args)]
pub(crate) struct MeasuredArgs {
    /// What is compared [default: wall]
    #[arg(long, value_enum)]
    metric: Option<MetricChoice>,
    /// Compare counted instructions instead of times, by one run of each command under this tool: noise has no part in it
    #[arg(long, value_enum, conflicts_with = "metric")]
    counter: Option<CounterChoice>,
    /// The smallest difference that matters [default: 1%]
    #[arg(long, value_parser = margin, value_name = "SHARE", allow_hyphen_values = true)]
    margin: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricChoice {
    /// The time from start to end
    Wall,
    /// CPU time, user and system together
    Cpu,
    /// User CPU time
    User,
    /// System CPU time
    System,
    /// Instructions in user space, by the processor's counters (`fairtrial doctor` says whether there are any)
    Instructions,
    /// CPU cycles, likewise
    Cycles,
    /// Cache misses, likewise
    CacheMisses,
    /// Branches that were predicted wrongly, likewise
    BranchMisses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CounterChoice {
    /// valgrind's simulated CPU
    Callgrind,
}

impl TimedArgs {
    /// The question about these commands.
    pub(crate) fn question(&self, commands: Vec<BenchCommand>) -> BenchQuestion {
        self.measured.measure(BenchQuestion {
            revisions: self.rev.clone(),
            build: self.build.clone(),
            runs: Runs {
                limit: self.time_limit(),
                ..Runs::default()
            },
            ..BenchQuestion::new(commands)
        })
    }

    /// Whether revisions are compared.
    pub(crate) fn has_revisions(&self) -> bool {
        !self.rev.is_empty()
    }

    /// How long the answer is waited for.
    pub(crate) fn time_limit(&self) -> Duration {
        self.time_limit.unwrap_or(Runs::LIMIT)
    }

    /// What is compared.
    pub(crate) const fn metric(&self) -> BenchMetric {
        self.measured.metric()
    }

    /// The first flag that has a meaning only where something is timed.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--time-limit", self.time_limit.is_some()),
            ("--metric", self.measured.metric.is_some()),
            ("--counter", self.measured.counter.is_some()),
            ("--margin", self.measured.margin.is_some()),
        ];
        given
            .into_iter()
            .find_map(|(flag, given)| given.then_some(flag))
    }
}

impl MeasuredArgs {
    /// The question about what was asked for here.
    pub(crate) fn measure(&self, question: BenchQuestion) -> BenchQuestion {
        BenchQuestion {
            metric: self.metric(),
            counter: self
                .counter
                .map(|CounterChoice::Callgrind| Counter::Callgrind),
            margin: self.margin.unwrap_or(BenchQuestion::MARGIN),
            ..question
        }
    }

    const fn metric(&self) -> BenchMetric {
        let counted = BenchMetric::Counted;
        match self.metric {
            None | Some(MetricChoice::Wall) => BenchMetric::Wall,
            Some(MetricChoice::Cpu) => BenchMetric::Cpu,
            Some(MetricChoice::User) => BenchMetric::User,
            Some(MetricChoice::System) => BenchMetric::System,
            Some(MetricChoice::Instructions) => counted(HardwareCounter::Instructions),
            Some(MetricChoice::Cycles) => counted(HardwareCounter::Cycles),
            Some(MetricChoice::CacheMisses) => counted(HardwareCounter::CacheMisses),
            Some(MetricChoice::BranchMisses) => counted(HardwareCounter::BranchMisses),
        }
    }
}

/// A duration as people type it.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = parse_duration(text).map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn margin(text: &str) -> Result<f64, String> {
    match parse_margin(text)? {
        Margin::Relative(share) if share > 0.0 => Ok(share),
        _ => Err("give a share of the time above 0, like 1%".to_owned()),
    }
}
