//! The spec of a bench: its commands as arms of one task, in random blocks, one at a time.

use super::command::{ArmProgram, Programs};
use super::counter::COLLECTED;
use super::question::{BenchMetric, BenchQuestion, for_command};
use crate::caller::Caller;
use crate::error::SessionError;
use fairtrial_model::{
    Beyond, Direction, Margin, Method, MetricDeclaration, MetricSource, Params, Timed,
    documented_seeds,
};
use fairtrial_spec::{
    Arm, Format, LoadOptions, Order, Spec, StopRule, Task, Threads, Work, load_text,
};

/// Name of the benchmark that benches are runs of.
pub const BENCH: &str = "bench";
/// A spec with every default filled in, and one task.
const EMPTY: &str = "name = \"bench\"\ncommand = \"bench\"\n";
/// Each look at the pairs is at so many times the pairs of the one before.
const GROWTH: f64 = 1.15;

/// How many blocks a bench has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blocks {
    /// Before the first look.
    pub(super) least: u32,
    /// At most.
    pub(super) most: u32,
}

/// How each command is timed.
pub(super) fn timed(question: &BenchQuestion, programs: &Programs) -> Vec<Timed> {
    let helper = |list: &[String], place| {
        for_command(list, place).map_or(Vec::new(), |text| programs.helper(text))
    };
    let of = |place| Timed {
        output: question.output.clone(),
        input: question.input.clone(),
        prepare: helper(&question.prepare, place),
        conclude: helper(&question.conclude, place),
        accepts: question.accepts.clone(),
        quiet: question.quiet,
    };
    (0..programs.arms.len()).map(of).collect()
}

/// What a bench's spec is made from.
pub(super) struct Made<'a> {
    pub(super) question: &'a BenchQuestion,
    pub(super) programs: &'a Programs,
    pub(super) timed: &'a [Timed],
    /// Seconds that an empty shell takes.
    pub(super) shell: Option<f64>,
    pub(super) blocks: Blocks,
    /// The name of the benchmark that it is a run of.
    pub(super) name: &'static str,
    /// Whether it ends when every command is told from the first, or equivalent.
    pub(super) ends_by_looks: bool,
}

impl Made<'_> {
    pub(super) fn spec(&self, caller: &Caller) -> Result<Spec, SessionError> {
        let empty = load_text("bench.toml", EMPTY, Format::Toml, &LoadOptions::default());
        let no_spec = || SessionError::Machine("the empty spec has errors".to_owned());
        let empty = empty.spec.ok_or_else(no_spec)?;
        let template = empty.tasks.first().cloned().ok_or_else(no_spec)?;
        let arms = &self.programs.arms;
        let several = arms.len() > 1;
        let tasks = arms.iter().zip(self.timed).enumerate();
        let tasks = tasks.map(|(place, (arm, timed))| Task {
            id: if several {
                "command".to_owned()
            } else {
                arm.name.clone()
            },
            arm: several.then(|| arm.name.clone()),
            work: work(&arm.argv),
            workdir: (arm.folder != caller.folder).then(|| {
                arm.folder
                    .to_string_lossy()
                    .replace('{', "{{")
                    .replace('}', "}}")
            }),
            timed: self.question.counter.is_none().then(|| timed.clone()),
            discards_output: true,
            params: if several { Params::new() } else { params(arm) },
            threads: Some(Threads::Inherit),
            place,
            ..template.clone()
        });
        let blocks = self.blocks;
        let mut analysis = empty.analysis.clone();
        analysis.metric = Some(self.question.field().to_owned());
        analysis.control = arms.first().filter(|_| several).map(|arm| arm.name.clone());
        let looks = several && self.question.counter.is_none() && self.ends_by_looks;
        analysis.stop = looks.then(|| StopRule {
            growth: Some(GROWTH),
            ..StopRule::decided(blocks.least, blocks.most)
        });
        Ok(Spec {
            name: self.name.to_owned(),
            source: "fairtrial bench".to_owned(),
            base_dir: caller.folder.to_string_lossy().into_owned(),
            seeds: (0..blocks.most as usize).map(documented_seeds).collect(),
            parallel: Some(1),
            order: Order::Blocks,
            // Recorded with the plan: which command goes first in a pair must not be the same in every bench.
            order_seed: (caller.now)().as_micros().unsigned_abs(),
            tasks: tasks.collect(),
            arms: (arms.iter().filter(|_| several))
                .map(|arm| Arm {
                    name: arm.name.clone(),
                    params: params(arm),
                })
                .collect(),
            metrics: vec![self.metric()],
            analysis,
            ..empty
        })
    }

    fn metric(&self) -> MetricDeclaration {
        let field = self.question.field();
        if self.question.counter.is_some() {
            return MetricDeclaration {
                source: MetricSource::Stderr {
                    pattern: COLLECTED.to_owned(),
                },
                direction: Some(Direction::Down),
                margin: Some(Margin::Relative(self.question.margin)),
                required: true,
                deterministic: true,
                beyond: Some(Beyond::Zero),
                ..MetricDeclaration::named(field)
            };
        }
        MetricDeclaration {
            direction: Some(Direction::Down),
            unit: self
                .question
                .metric
                .counter()
                .is_none()
                .then(|| "s".to_owned()),
            margin: Some(Margin::Relative(self.question.margin)),
            required: true,
            method: Some(Method::Rank),
            beyond: Some(Beyond::Zero),
            ..resource(self.question.metric, self.shell.unwrap_or(0.0))
        }
    }
}

/// What is compared, less what a shell takes of it.
pub(super) fn resource(metric: BenchMetric, less: f64) -> MetricDeclaration {
    let field = metric.field().to_owned();
    MetricDeclaration {
        source: MetricSource::Resource { field, less },
        ..MetricDeclaration::named(metric.field())
    }
}

/// The parameters of a command, as its arm has them.
fn params(arm: &ArmProgram) -> Params {
    let each = arm.parameters.iter();
    each.map(|(name, value)| (name.clone(), value.clone().into()))
        .collect()
}

/// A command whose words are plain text: nothing in them is a placeholder or a variable of ours.
fn work(argv: &[String]) -> Work {
    let braces = |word: &String| word.replace('{', "{{").replace('}', "}}");
    let words = Work::Command {
        argv: argv.iter().map(braces).collect(),
        shell: false,
    };
    if words.env_words().is_empty() {
        return words;
    }
    let plain = |word: &String| braces(word).replace("${", "$${");
    Work::Command {
        argv: argv.iter().map(plain).collect(),
        shell: false,
    }
}
