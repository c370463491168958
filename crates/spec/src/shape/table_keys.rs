//! The part of the table of keys that results tables and per-episode files have.

use super::section::{Key, Keys, Section, TEXTS, Type, key};

const ANY_NUMBER: Type = Type::Number(f64::NEG_INFINITY);
const WORDS: Type = Type::Either(&[Type::Scalar, Type::List(&Type::Scalar, 1)]);
const CONDITIONS: Type = Type::Map(
    &Type::Either(&[
        Type::Scalar,
        Type::List(&Type::Scalar, 1),
        Type::Section(&CONDITION),
    ]),
    Keys::Free,
);

/// Keys of the top level.
pub(super) static ROOT_TABLE_KEYS: &[Key] = &[
    key("episode_files", Type::Map(&Type::Section(&EPISODE_FILE), Keys::Names), "", "Per-episode files that trials leave, by name; `[metrics]` with `from = \"episodes:NAME\"` measure over them.").example("{\"eval\": {\"file\": \"eval_stats.csv\"}}"),
    key("tables", Type::Map(&Type::Section(&TABLE), Keys::Names), "", "Results tables kept in the repository, by name; tasks with `table = NAME` feed them (`fairtrial table update`).").example("{\"main\": {\"file\": \"benchmarks/main.csv\", \"columns\": {\"Correct (%)\": \"percent_correct\"}}}"),
];

/// Keys of a task.
pub(super) static TASK_TABLE_KEYS: &[Key] = &[
    key("table", Type::FilledText, "none", "The results table (`[tables.NAME]`) that this task feeds. The metrics of the table's columns are then required of it, and of no task that does not feed the table.").example("\"main\""),
    key("row", Type::FilledText, "{task}", "The row's key in the table. May hold placeholders. Trials with the same row (seeds, rollouts) are averaged.").example("\"{task} ({arm})\""),
    key("was", TEXTS, "[]", "Former keys of the row: a row found under one of these is renamed.").example("[\"old_experiment_name\"]"),
    key("episodes", Type::FilledText, "all of them", "Which episodes to run: `all`, `3`, `0,3,5:8`, `4:`, `:8` (ends excluded, from 0). The command takes it as `{episodes}`. A row is not written from a part of the episodes unless asked.").example("\"0,3,5:8\""),
    key("outputs", TEXTS, "[]", "Files and folders that the task makes for others, relative to the spec's folder. Where an earlier run of this very trial made them and they are unchanged since, the trial is not run again. May hold placeholders, but none that is another in every attempt (`{dir}`, `{trial}`, `{run}`, `{attempt}`).").example("[\"models/pretrained.pt\"]"),
    key("inputs", TEXTS, "[]", "Files and folders whose change makes `outputs` stale. May hold the same placeholders.").example("[\"configs/pretrain.yaml\"]"),
];

/// Keys of a metric.
pub(super) static METRIC_TABLE_KEYS: &[Key] = &[
    key("convert", Type::FilledText, "", "Unit that the number comes in and unit to keep it in: `s to min`, `share to %`, `rad to deg`, `B to MiB`.").example("\"s to min\""),
    key("round", Type::Whole(0, 17), "full precision", "Decimals to round the number to before it is kept.").example("4"),
    key("episodes", Type::FilledText, "all of them", "With `from = \"episodes:NAME\"`: which episodes count, by place (`:10`, `10:`, `0,3,5:8`).").example("\":10\""),
    key("where", CONDITIONS, "", "With `from = \"episodes:NAME\"`: which episodes count, by value. All conditions must hold.").example("{\"verdict\": [\"correct\", \"correct_mlh\"]}"),
    key("count", Type::Bool, "", "The metric is the number of episodes.").example("true"),
    key("share", CONDITIONS, "", "The metric is the share of episodes for which all conditions hold.").example("{\"verdict\": [\"correct\", \"correct_mlh\"]}"),
    key("mean", Type::FilledText, "", "The metric is the mean of this value.").example("\"rotation_error\""),
    key("sum", Type::FilledText, "", "The metric is the sum of this value.").example("\"time\""),
    key("first", Type::FilledText, "", "The metric is this value in the first episode.").example("\"time\""),
    key("last", Type::FilledText, "", "The metric is this value in the last episode.").example("\"mean_objects_per_graph\""),
    key("min", Type::FilledText, "", "The metric is the smallest of this value.").example("\"time\""),
    key("max", Type::FilledText, "", "The metric is the largest of this value.").example("\"time\""),
    key("distinct", Type::FilledText, "", "The metric is how many different words this value has.").example("\"possible_match_sources\""),
    key("per", Type::FilledText, "", "One metric per word in this column; the metric's name holds `{column}`.").example("\"lm_id\""),
    key("empty", ANY_NUMBER, "no value", "The metric where no episode is left to measure.").example("-1"),
];

/// The keys of a metric that say what is measured over episodes; exactly one goes with `episodes:`.
pub(crate) const MEASURE_KEYS: [&str; 9] = [
    "count", "share", "mean", "sum", "first", "last", "min", "max", "distinct",
];

/// The keys of an episode's value that name its column; exactly one is given.
pub(crate) const REDUCE_KEYS: [&str; 7] =
    ["mean", "sum", "max", "min", "first", "last", "strongest"];

static EPISODE_FILE: Section = Section {
    name: "episode_file",
    noun: "an episode file",
    doc: "A CSV file with a title line and a row per episode, or several (one per module). A name in a metric is one of `values`, else a column (of the episode's last row).",
    keys: &[&[
        key("file", Type::FilledText, "", "The file, relative to the trial's directory. `*` stands for any text, folders included (`**/eval_stats.csv`); two matches are an error.").required().example("\"eval_stats.csv\""),
        key("episode", Type::Section(&EPISODE), "every row", "Which rows are one episode."),
        key("values", Type::Map(&Type::Section(&EPISODE_VALUE), Keys::Free), "", "What the rows of an episode are condensed to, by name.").example("{\"verdict\": {\"strongest\": \"performance\", \"order\": [\"time_out\", \"correct\"]}}"),
        key("identity", TEXTS, "the place", "Columns that say which episode it is: two runs' episodes with the same words are compared in pairs.").example("[\"object\", \"episode_seed\"]"),
    ]],
    open: false,
};

static EPISODE: Section = Section {
    name: "episode",
    noun: "`episode`",
    doc: "Which rows are one episode: exactly one of these.",
    keys: &[&[
        key(
            "repeats",
            Type::FilledText,
            "",
            "A new episode begins when a word of this column comes again.",
        )
        .example("\"lm_id\""),
        key(
            "same",
            Type::FilledText,
            "",
            "Rows that follow one another with the same word in this column.",
        )
        .example("\"episode\""),
        key(
            "rows",
            Type::Whole(1, u32::MAX as u64),
            "",
            "Always this many rows.",
        )
        .example("5"),
    ]],
    open: false,
};

static EPISODE_VALUE: Section = Section {
    name: "episode_value",
    noun: "an episode's value",
    doc: "How the rows of an episode become one value: exactly one of `mean`, `sum`, `max`, `min`, `first`, `last`, `strongest` names the column.",
    keys: &[&[
        key(
            "mean",
            Type::FilledText,
            "",
            "Mean of the column's numbers.",
        )
        .example("\"rotation_error\""),
        key("sum", Type::FilledText, "", "Their sum.").example("\"time\""),
        key("max", Type::FilledText, "", "The largest.").example("\"num_steps\""),
        key("min", Type::FilledText, "", "The smallest.").example("\"num_steps\""),
        key("first", Type::FilledText, "", "What the first row has.").example("\"object\""),
        key("last", Type::FilledText, "", "What the last row has.").example("\"object\""),
        key(
            "strongest",
            Type::FilledText,
            "",
            "Of the words that the rows have, the one that stands last in `order`.",
        )
        .example("\"primary_performance\""),
        key(
            "order",
            TEXTS,
            "",
            "The words for `strongest`, the weakest first.",
        )
        .example("[\"time_out\", \"confused\", \"correct\"]"),
        key(
            "over",
            Type::FilledText,
            "",
            "A second column that the first is divided by, row by row.",
        )
        .example("\"goal_states_attempted\""),
        key(
            "by_zero",
            ANY_NUMBER,
            "no value",
            "What a division by zero gives.",
        )
        .example("0"),
        key(
            "empty",
            ANY_NUMBER,
            "no value",
            "The value of an episode whose rows have none.",
        )
        .example("-1"),
    ]],
    open: false,
};

static CONDITION: Section = Section {
    name: "condition",
    noun: "a condition",
    doc: "What a value must be. A plain word, number or list is short for `is`.",
    keys: &[&[
        key("is", WORDS, "", "One of these words or numbers.")
            .example("[\"correct\", \"correct_mlh\"]"),
        key("not", WORDS, "", "None of these.").example("\"time_out\""),
        key(
            "contains",
            Type::FilledText,
            "",
            "A word that holds this text.",
        )
        .example("\"-\""),
        key("present", Type::Bool, "", "Whether there must be a value.").example("true"),
        key("min", ANY_NUMBER, "", "A number of at least this.").example("0"),
        key("max", ANY_NUMBER, "", "A number of at most this.").example("500"),
    ]],
    open: false,
};

static TABLE: Section = Section {
    name: "table",
    noun: "a results table",
    doc: "A CSV file in the repository with a row per experiment.",
    keys: &[&[
        key("file", Type::FilledText, "", "The CSV file, relative to the spec's folder.").required().example("\"benchmarks/main.csv\""),
        key("key", Type::FilledText, "the first column", "Title of the column that names the experiment.").example("\"Experiment\""),
        key("columns", Type::Map(&Type::Either(&[Type::FilledText, Type::Section(&COLUMN)]), Keys::Free), "", "The metric of each column, by the column's title without its options.").required().example("{\"Correct (%)\": \"percent_correct\"}"),
        key("provenance_column", Type::FilledText, "none", "Title (options allowed) of a column that says in the table itself which run, commit, date and machine a row came from. The side file says so always.").example("\"Source|hidden\""),
    ]],
    open: false,
};

static COLUMN: Section = Section {
    name: "column",
    noun: "a column",
    doc: "What stands in a column.",
    keys: &[&[
        key("metric", Type::FilledText, "", "The metric.")
            .required()
            .example("\"run_time\""),
        key(
            "convert",
            Type::FilledText,
            "",
            "Unit of the metric and unit of the column: `s to min`.",
        )
        .example("\"s to min\""),
        key(
            "decimals",
            Type::Whole(0, 17),
            "as the column has",
            "Decimals, instead of those that the column has.",
        )
        .example("2"),
        key(
            "missing",
            Type::Text,
            "the row is left alone",
            "What to write where the trial has no value.",
        )
        .example("\"-1\""),
    ]],
    open: false,
};
