//! What a user should know besides the answer: facts, not sentences. Whoever shows them knows how things are typed.

use crate::gate::recorded::Recorded;
use crate::task_finding::TaskFinding;
use fairtrial_analysis::AnalysisError;
use fairtrial_engine::{CodeChange, OtherCode, Remeasured};
use fairtrial_interop::Recognised;
use fairtrial_journal::{Holder, OutcomeCounts, RunDir};
use fairtrial_model::Stamp;
use fairtrial_plan::{PlanChange, Shortage};
use fairtrial_spec::Loaded;
use std::path::PathBuf;

/// One thing to know.
#[derive(Debug)]
pub enum Notice {
    /// Results of another tool, and how they are read.
    Recognised(Recognised),
    /// How other tools' results are read was said of something that is none: a run, or a table in our own form.
    NotForeign(String),
    /// A newer run is passed over, because it was ended before it began.
    PassedOver(RunDir),
    /// What reading a spec found: problems, and values that look like secrets.
    Spec(Box<Loaded>),
    /// What was found in an agent task.
    AgentTask(TaskFinding),
    /// A selected task needs one that the filter leaves out.
    NeedLeftOut {
        /// The task.
        task: String,
        /// What it needs.
        needed: String,
    },
    /// A random sweep has fewer points than it asks for.
    FewerPoints(Shortage),
    /// The spec is not what was registered.
    Deviates {
        /// In how many places.
        places: usize,
        /// The first of them.
        first: String,
    },
    /// More trials at a time were asked for than a spec about times allows.
    Serial,
    /// A run that was ended before it began begins now.
    BeginsNow(Stamp),
    /// Scoring a run again was cut off: it is done before the run is resumed.
    ScoresAgain(Stamp),
    /// Records of an earlier run are taken over.
    Reusing {
        /// The earlier run.
        stamp: Stamp,
        /// What differs between the two plans.
        change: PlanChange,
        /// What differs in the code that its trials ran.
        code: CodeChange,
        /// What becomes of those records.
        other: OtherCode,
    },
    /// A run is resumed with other code than before, as the user accepted.
    MixesCode(CodeChange),
    /// Seeds are added to a comparison whose verdict could be seen.
    SeedsAdded {
        /// How many.
        added: usize,
        /// The earlier run.
        run: RunDir,
    },
    /// A resumed run keeps the stopping rule that it began with.
    KeepsRule,
    /// A resumed run keeps caps that `--set` gave when it began, by their keys in `[budget]`.
    KeepsCaps(Vec<&'static str>),
    /// Metrics of a run that goes on were read again, because their declarations changed.
    Remeasured(Remeasured),
    /// The steps of a series were found under a well-known name.
    StepsFrom {
        /// The metric.
        metric: String,
        /// The file.
        file: String,
        /// The key or column.
        name: String,
    },
    /// Trials waited for a CPU for this share of their time.
    WaitedForCpu {
        /// The share.
        share: f64,
    },
    /// A container was left behind and could not be removed.
    ContainerLeft(String),
    /// What is compared where nothing was said about that.
    Assumed(String),
    /// There is no verdict.
    NoVerdict(AnalysisError),
    /// No point of a sweep is named best.
    NoBest(String),
    /// Why a trial of an experiment failed, in the experiment's own words.
    TrialTrouble(String),
    /// So many more trials failed.
    MoreTroubles(u64),
    /// Where the results of experiments are.
    Results(PathBuf),
    /// Where the summary of a sweep is.
    SweepSummary(PathBuf),
    /// The best point of a sweep is run again on fresh seeds.
    Confirming {
        /// The point, as `name=value`.
        point: Vec<String>,
        /// How many seeds.
        seeds: usize,
    },
    /// The confirmation that the spec asks for was not made.
    NotConfirmed(String),
    /// A reporter wrote its files.
    Reported {
        /// Its name.
        reporter: String,
        /// Their folder.
        folder: PathBuf,
    },
    /// The run that a baseline stands for.
    Baseline {
        /// The run.
        run: RunDir,
        /// By what it was found.
        recorded: Recorded,
    },
    /// Another process controls the run.
    Elsewhere {
        /// Which one.
        holder: Option<Holder>,
        /// What is done.
        counts: OutcomeCounts,
        /// Of how many trials.
        trials: u64,
    },
    /// A warning in plain words.
    Warning(String),
}
