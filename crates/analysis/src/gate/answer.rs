//! What a gate answers, and why.

use crate::compare::failures::Failures;
use crate::compare::method::kind::Scale;
use crate::compare::result::Comparison;
use crate::compare::verdict::Verdict;
use crate::sequential::trajectory::Trajectory;
use crate::sequential::{ArmReason, Stop};
use serde::Serialize;

/// Version of the gate's JSON form.
pub const GATE_SCHEMA: u32 = 2;

/// The answer of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateWord {
    /// Something is worse than its rule allows.
    Regressed,
    /// Something is better, nothing is worse.
    Improved,
    /// Nothing is worse than its rule allows.
    Equivalent,
    /// The data leave it open.
    Inconclusive,
    /// Too much was broken by the machine, or lost since, or too few trials of a side are valid, to conclude anything.
    Invalid,
}

impl GateWord {
    /// The word itself.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Equivalent => "equivalent",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}

/// Everything that a gate found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// [`GATE_SCHEMA`].
    pub schema: u32,
    /// The answer.
    pub word: GateWord,
    /// Why.
    pub reasons: Vec<GateReason>,
    /// Two-sided error rate of all rules together.
    pub alpha: f64,
    /// What a reader of the answer must know about its rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What is wrong with the sources: what a reader must know before trusting any of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// What the machine broke.
    pub infra: Vec<InfraShare>,
    /// The rules, one line per contrast and metric.
    pub lines: Vec<GateLine>,
    /// The comparison behind it; absent for a run that stopped by looking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// The looks behind it, for a run that stopped by looking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential: Option<Trajectory>,
}

impl Gate {
    /// The answer where nothing can be concluded, and why.
    pub fn invalid(why: GateReason, alpha: f64) -> Self {
        Self {
            schema: GATE_SCHEMA,
            word: GateWord::Invalid,
            reasons: vec![why],
            alpha,
            notes: Vec::new(),
            problems: Vec::new(),
            infra: Vec::new(),
            lines: Vec::new(),
            comparison: None,
            sequential: None,
        }
    }
}

/// One rule's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateLine {
    /// The two sides.
    pub sides: String,
    /// The metric, or `failures`.
    pub metric: String,
    /// The answer.
    pub word: GateWord,
    /// Why.
    pub reason: LineReason,
}

/// Why a line has its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LineReason {
    /// The verdict of the comparison.
    Verdict {
        /// It.
        verdict: Verdict,
        /// The scale that it was made on.
        scale: Option<Scale>,
        /// Whether there is a margin: without one nothing can be shown to be equal.
        has_margin: bool,
    },
    /// The candidate fails more often.
    Failures {
        /// How often.
        failures: Failures,
        /// The p value, adjusted over the contrasts.
        p: f64,
    },
    /// The answer of a run that stopped early.
    Sequential(SequentialReason),
}

/// Why a line about a run that stopped early has its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "sequential", rename_all = "snake_case")]
pub enum SequentialReason {
    /// The run has no answer, or none yet.
    Open {
        /// Why.
        why: Option<ArmReason>,
    },
    /// Every pair has the same value on both sides.
    Identical {
        /// How many.
        pairs: usize,
    },
    /// The run said this after so many pairs, and the margin says more.
    Said {
        /// What the run said.
        stop: Stop,
        /// Pairs that it rests on.
        pairs: usize,
        /// What the repeated interval says against the margin.
        held: Held,
    },
}

/// What a repeated interval says against the margin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "held", rename_all = "snake_case")]
pub enum Held {
    /// The verdict that a gate reads from it.
    Verdict {
        /// It.
        verdict: Verdict,
        /// The scale that it was made on.
        scale: Scale,
    },
    /// Worse, but not surely by more than the margin.
    NotBeyondMargin,
    /// Different, but which way is better is not declared.
    NoDirection,
}

/// Why a gate has its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GateReason {
    /// A rule's answer.
    Line(GateLine),
    /// The machine broke too much of a side.
    Infra(InfraShare),
    /// Records were lost since the run was finished.
    Lost {
        /// Which.
        loss: String,
    },
    /// How often the sides failed, where the data leave the answer open or there are too few of them.
    Failing {
        /// The two sides.
        sides: String,
        /// How often.
        failures: Failures,
    },
    /// No metric is worse than its rule allows.
    NothingWorse,
    /// The run cannot be judged.
    NotJudged {
        /// Why.
        why: String,
    },
}

/// What the machine broke on one side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InfraShare {
    /// The side.
    pub side: String,
    /// Trials that ended `infra`.
    pub infra: usize,
    /// All its trials.
    pub trials: usize,
}

impl InfraShare {
    pub(super) fn share(&self) -> f64 {
        self.infra as f64 / self.trials.max(1) as f64
    }
}
