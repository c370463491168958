//! The keys of `metrics`, `analysis` and `fairness`: what is measured, and how it is judged.

use super::section::{Keys, MANY, Section, Type, key};
use super::table_keys::METRIC_TABLE_KEYS;
use fairtrial_model::Method;

/// The kinds of series summary.
pub(crate) const SUMMARY_KINDS: &[&str] = &[
    "auc", "last_n", "last", "slope", "max", "min", "mean", "at_step", "time_to",
];

/// Two scores.
const POINTS: Type = Type::List(&Type::Number(f64::NEG_INFINITY), 0);

pub(super) static METRIC: Section = Section {
    name: "metric",
    noun: "a metric",
    doc: "A declared metric.",
    keys: &[&[
        key("from", Type::FilledText, "what the trial appends to `FAIRTRIAL_METRICS`", "Where the values are: `jsonl:FILE[#key]`, `csv:FILE[#column]`, `json:FILE[#/pointer or key]`, `stdout:REGEX`, `stderr:REGEX`, `block:MARKER[#column]` (on standard output: the marker, a line of titles, a line of values), `episodes:NAME` (measured over `[episode_files.NAME]`), `size:FILE`, `resource:FIELD` (wall, user, sys, cpu, peak_memory; counted by the processor: instructions, cycles, cache_misses, branch_misses), `wandb:[FOLDER][#key]`, `tensorboard:[FOLDER][#tag]`, `mlflow:[FOLDER][#key]` (what the trial's own process logged; the folder defaults to `wandb`, `runs`, `mlruns`, and W&B and MLflow are made to write there by `WANDB_DIR` and `MLFLOW_TRACKING_URI`). Files are relative to the trial's directory; key and column default to the metric's name; a regex gives the first group of its last match.").example("\"jsonl:metrics.jsonl\""),
        key("direction", Type::Word(&["up", "down", "higher", "lower"]), "", "Which way of the metric is better. Of the summary `time_to` fewer steps are always better; the direction then says from which side the threshold is reached (`up`, where nothing is said: from below).").example("\"up\""),
        key("unit", Type::Text, "", "Unit for display.").example("\"s\""),
        key("precision", Type::Whole(0, 17), "", "Decimals for display; comparisons use full precision.").example("3"),
        key("margin", Type::Margin, "", "The smallest difference that matters: a number in the unit of what is compared (the metric's; steps for the summary `time_to`, the metric's unit by step for `slope`), or a share of the control's mean like `2%`. With `reference`, a number needs points that are equally far apart in every task.").example("\"2%\""),
        key("reference", Type::Either(&[POINTS, Type::Map(&POINTS, Keys::Free)]), "", "The score that counts as 0 and the better one that counts as 1 (a random and an expert player, say), for every task or by its name. Comparisons are then made on the scores between them, and sum several tasks up by interquartile mean, mean, median and optimality gap. Where a task has none, and for pass/fail, scores are compared as they are.").example("{\"pong\": [-20.7, 14.6], \"breakout\": [1.7, 30.5]}"),
        key("summary", Type::Either(&[Type::Word(SUMMARY_KINDS), Type::Section(&SUMMARY)]), "last", "How a series becomes one number per trial.").example("{\"type\": \"auc\", \"percent\": 0.25}"),
        key("step", Type::FilledText, "the first that is there of `_step`, `step`, `global_step`, `total_timesteps`, `*/total_timesteps`, `iteration`, `epoch`", "The key or column that holds the steps of the series (`csv:`, `jsonl:`, and what trials report). Said for one metric of a file, it counts for the others of that file that say nothing. Rows without the metric are no points. Where there are no steps, summaries that depend on them (`auc`, `slope`, `at_step`, `time_to`, and every window of steps) have no value; the others take the rows in their order.").example("\"time/total_timesteps\""),
        key("deterministic", Type::Bool, "false", "Whether the same task, seed and code always give the same number (a size, a count of instructions, the accuracy of a seeded program). A difference is then exact: one unit per side decides, and a margin that it exceeds blocks at a gate. A unit that reports two values contradicts it, and nothing is concluded.").example("true"),
        key("method", Type::Word(&Method::WORDS), "`method` of `analysis`, else `auto`", "How the interval of this metric is made, as in `analysis`.").example("\"t\""),
        key("required", Type::Bool, "true", "Whether a trial that ends well but without this metric counts as failed.").example("false"),
    ], METRIC_TABLE_KEYS],
    open: false,
};

static SUMMARY: Section = Section {
    name: "summary",
    noun: "a summary",
    doc: "How a series becomes one number per trial.",
    keys: &[&[
        key(
            "type",
            Type::Word(SUMMARY_KINDS),
            "",
            "The kind of summary.",
        )
        .required()
        .example("\"auc\""),
        key(
            "percent",
            Type::Fraction,
            "",
            "Share of the steps at the end of the series that counts (`auc`, `mean`).",
        )
        .example("0.25"),
        key(
            "n",
            Type::Whole(1, MANY),
            "",
            "How many last values (`last_n`).",
        )
        .example("10"),
        key(
            "step_min",
            Type::Number(f64::NEG_INFINITY),
            "",
            "First step of the window (`auc`, `mean`, `slope`, `max`, `min`); without it, that of the series. A trial that does not reach over the window has no value. Not together with `percent`.",
        )
        .example("1000"),
        key(
            "step_max",
            Type::Number(f64::NEG_INFINITY),
            "",
            "Last step of the window, in the same way.",
        )
        .example("50000"),
        key(
            "step",
            Type::Number(f64::NEG_INFINITY),
            "",
            "The step (`at_step`).",
        )
        .example("10000"),
        key(
            "threshold",
            Type::Number(f64::NEG_INFINITY),
            "",
            "The value to reach (`time_to`). Of a trial that does not reach it, only the last step is known: it stands in its place, marked as not reached, and comparisons then count steps up to the smallest such step.",
        )
        .example("0.9"),
    ]],
    open: false,
};

pub(super) static ANALYSIS: Section = Section {
    name: "analysis",
    noun: "`analysis`",
    doc: "What is compared, and how strictly.",
    keys: &[&[
        key(
            "control",
            Type::FilledText,
            "the arm named `control`, else the first",
            "The arm that the others are compared with.",
        )
        .example("\"control\""),
        key("metric", Type::FilledText, "", "The primary metric.").example("\"overview/reward\""),
        key("alpha", Type::OpenFraction, "0.05", "Two-sided error rate.").example("0.05"),
        key(
            "stop",
            Type::Section(&STOP),
            "",
            "When a sequential run ends early.",
        ),
        key(
            "confirm",
            Type::Whole(2, MANY),
            "no confirmation",
            "For a sweep: after it, run its best point (and the control at that point) again on this many seeds that the sweep did not use. Only that second run speaks for the choice: the best of several looks better than it is.",
        )
        .example("15"),
        key(
            "method",
            Type::Word(&Method::WORDS),
            "auto",
            "How intervals are made: `auto` (pass/fail by proportions, timings by ratio, pairs by sign-flips from ten on, the rest by t), `t`, `sign-flip`, `log-ratio`, `rank`, `proportion`, `percentile`, `bca`. A metric may say another one; `--method` of a command goes before both.",
        )
        .example("\"t\""),
        key(
            "valid",
            Type::Fraction,
            "0.95 for agent tasks, else none",
            "The share of each side's trials that must count (be done, or have failed by the arm's own fault) for a verdict; below it the verdict is `inconclusive`. For agent tasks a rollout without a score does not count.",
        )
        .example("0.9"),
    ]],
    open: false,
};

static STOP: Section = Section {
    name: "stop",
    noun: "a stopping rule",
    doc: "When a sequential run ends early; the error rate is kept.",
    keys: &[&[
        key("when", Type::Word(&["decided"]), "", "What to wait for.")
            .required()
            .example("\"decided\""),
        key(
            "min",
            Type::Whole(2, MANY),
            "5",
            "Pairs before the first look.",
        )
        .example("5"),
        key(
            "max",
            Type::Whole(2, MANY),
            "the number of seeds",
            "Pairs at most.",
        )
        .example("30"),
        key(
            "looks",
            Type::List(&Type::Whole(2, MANY), 1),
            "after every pair from `min` on",
            "When to look, in pairs; the last one is the budget. In place of `min` and `max`. Fewer looks find a little more at their last one.",
        )
        .example("[5, 10, 20]"),
        key(
            "anytime",
            Type::Bool,
            "false",
            "Looks whose error rate counts on no budget: you may look whenever you like, and add seeds later (`run --reuse` with more of them). The intervals are wider.",
        )
        .example("true"),
    ]],
    open: false,
};

pub(super) static FAIRNESS: Section = Section {
    name: "fairness",
    noun: "`fairness`",
    doc: "What the arms must share for their comparison to be fair; where they differ, it is said beside the verdict.",
    keys: &[&[key(
        "equal",
        Type::Map(&Type::Tolerance, Keys::Free),
        "{}",
        "A metric that trials report, or a parameter, with how alike the arms must be in it: `exact`, a share of the control's value like `1%`, or a number.",
    )
    .example("{\"model_params\": \"1%\", \"curriculum\": \"exact\"}")]],
    open: false,
};
