//! The keys of `budget`: caps for the whole run.

use super::section::{Section, Type, Zero, key};

pub(super) static BUDGET: Section = Section {
    name: "budget",
    noun: "`budget`",
    doc: "Caps for the whole run, what earlier sessions spent included.",
    keys: &[&[
        key(
            "time",
            Type::Duration(Zero::Refused),
            "none",
            "Wall time of a session; a resumed run begins anew.",
        )
        .alias(&["wall"])
        .example("\"8h\""),
        key(
            "trials",
            Type::Whole(1, u64::MAX),
            "none",
            "Attempts started, by all sessions of the run together.",
        )
        .example("500"),
        key(
            "cost",
            Type::Either(&[Type::Number(0.0), Type::Section(&COST)]),
            "none",
            "Money: a number, or a table that names the metric.",
        )
        .example("25.0"),
        key(
            "tokens",
            Type::Either(&[Type::Number(0.0), Type::Section(&TOKENS)]),
            "none",
            "Tokens of models: a number, or a table that names the metric.",
        )
        .example("5000000"),
    ]],
    open: false,
};

static TOKENS: Section = Section {
    name: "tokens",
    noun: "`tokens`",
    doc: "A cap on tokens.",
    keys: &[&[
        key("max", Type::Number(0.0), "", "The cap.")
            .required()
            .example("5000000"),
        key(
            "metric",
            Type::FilledText,
            "tokens_total",
            "The metric that carries a trial's tokens.",
        )
        .example("\"tokens_total\""),
    ]],
    open: false,
};

static COST: Section = Section {
    name: "cost",
    noun: "`cost`",
    doc: "A cap on money.",
    keys: &[&[
        key("max", Type::Number(0.0), "", "The cap.")
            .required()
            .example("25.0"),
        key(
            "metric",
            Type::FilledText,
            "cost_usd",
            "The metric that carries a trial's cost.",
        )
        .example("\"cost_usd\""),
    ]],
    open: false,
};
