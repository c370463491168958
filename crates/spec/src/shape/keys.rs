//! The table itself. Its order is the order of the reference page.

use super::analysis_keys::{ANALYSIS, FAIRNESS, METRIC};
use super::budget_keys::BUDGET;
use super::engine_keys::{ENGINE, ENGINES};
use super::hook_keys::{HOOK_TYPE, REPORTER};
use super::section::{
    ANY_MAP, Key, Keys, MANY, SEEDS, SEEDS_DOC, SWEEP_DOC, Section, TEXTS, Type, key,
};
use super::table_keys::{ROOT_TABLE_KEYS, TASK_TABLE_KEYS};
use super::task_keys::{DEFAULTS, ID_KEY, TASK, TASK_FOLDERS, TASK_KEYS};

const STRATEGIES: &[&str] = &["cartesian", "zip", "random"];

/// The whole spec.
pub(crate) static ROOT: Section = Section {
    name: "spec",
    noun: "a spec",
    doc: "The top level of a spec. Where there are no `[[tasks]]`, the keys of a task may stand here and make the single task.",
    keys: &[
        ROOT_KEYS,
        ROOT_TABLE_KEYS,
        ID_KEY,
        TASK_KEYS,
        TASK_TABLE_KEYS,
    ],
    open: false,
};

static ROOT_KEYS: &[Key] = &[
    key("name", Type::PlainName, "the file's stem", "Name of the benchmark; names the folder of its runs.").example("\"vit-vs-trxl\""),
    key("seeds", SEEDS, "1 documented seed; for experiments as many as `processes`", SEEDS_DOC).alias(&["seed"]).nullable().example("15"),
    key("parallel", Type::Whole(1, MANY), "the number of physical cores; 1 where a task is an experiment", "How many trials run at the same time on this machine.").alias(&["parallelism"]).example("4"),
    key("serial", Type::Bool, "true where the metric that decides is from `resource:` and no peak_memory or instructions", "Run one trial at a time, whatever `parallel` says: trials beside each other are in each other's times. `false` lets them run beside each other all the same.").example("true"),
    key("tasks", Type::Either(&[Type::List(&Type::Section(&TASK), 1), Type::Section(&TASK_FOLDERS)]), "", "The work, one table per task; or a table that names folders of agent tasks.").example("[{\"id\": \"train\", \"command\": \"python train.py --seed {seed}\"}]"),
    key("defaults", Type::Section(&DEFAULTS), "", "Values for every task that does not set the key itself; tables (`env`, `params`, `limits`, ...) merge key by key."),
    key("arms", Type::Map(&ANY_MAP, Keys::Names), "one arm per `model`, where tasks have one", "The variants under comparison; each is a table of parameters.").example("{\"control\": {\"lr\": 0.001}, \"candidate\": {\"lr\": 0.0003}}"),
    key("sweep", Type::Sweep, "", SWEEP_DOC).nullable().example("{\"lr\": [0.001, 0.0003]}"),
    key("strategy", Type::Word(STRATEGIES), "cartesian", "How the axes of `sweep` combine: every combination, first with first and second with second (`zip`), or random draws. Lists in `params` and a task's own `sweep` are combined with every point that comes of it; without a `sweep` it is about the lists in `params`.").nullable().example("\"random\""),
    key("samples", Type::Whole(1, MANY), "", "How many draws `strategy = \"random\"` makes. No point is drawn twice; where there are fewer, each is taken once.").nullable().example("20"),
    key("metrics", Type::Map(&Type::Section(&METRIC), Keys::Free), "`duration_s`, lower is better, where all tasks are experiments and share their sweep", "The metrics that trials report. Metrics that are not declared are kept too.").example("{\"loss\": {\"direction\": \"down\"}}"),
    key("analysis", Type::Section(&ANALYSIS), "", "What is compared, and how strictly."),
    key("fairness", Type::Section(&FAIRNESS), "", "What the arms must share for their comparison to be fair."),
    key("budget", Type::Section(&BUDGET), "", "Caps for the whole run. When one is reached, no trial is started any more: the rest has no record, and `run --resume` runs it once the cap is raised."),
    key("watch", TEXTS, "[]", "Files and folders whose content is part of what a trial runs, besides the program's own file and what a Python script imports from the project; relative to the spec's folder.").example("[\"src/\", \"configs/\"]"),
    key("provenance", Type::Section(&PROVENANCE), "", "What to record about the environment beyond the default."),
    key("reporters", Type::Map(&Type::Section(&REPORTER), Keys::Names), "", "Programs (or Python functions) that make files of a finished run's report; each is a table under its name.").example("{\"table\": {\"command\": \"python make_table.py\"}}"),
    key("on_finish", HOOK_TYPE, "", "A command for when a run comes to its end: its summary as JSON is on standard input.").example("\"./notify.sh done\""),
    key("on_failure", HOOK_TYPE, "", "A command for when trials failed, or a run was stopped or could not go on.").example("{\"command\": \"./notify.sh failed\", \"timeout\": \"10s\"}"),
    key("order", Type::Word(&["blocks", "random", "spec"]), "blocks", "Order in which trials start: `blocks` (one seed across everything, shuffled inside the block, then the next seed), `random` (shuffled altogether), `spec` (as written).").example("\"blocks\""),
    key("order_seed", Type::Whole(0, u64::MAX), "0", "Seed of the shuffles and of random sweeps.").example("7"),
    key("include", Type::Either(&[Type::FilledText, TEXTS]), "", "Files whose values are defaults under this file: tables merge, lists are replaced, later files win over earlier ones, this file wins over all. Paths are relative to the including file; `preset:NAME` is a set of definitions that comes with the program (`fairtrial preset`).").example("[\"base.toml\"]"),
    key("experiments", Type::Section(&EXPERIMENTS), "", "Where registered experiments come from, besides those that are built in."),
    key("output_dir", Type::FilledText, "benchmarks/results", "Where the result files of registered experiments go, relative to the folder that holds the data folder.").example("\"benchmarks/results/observation\""),
    key("engine", Type::Either(&[Type::Word(ENGINES), Type::Section(&ENGINE)]), "local", "Where trials run: the engine's name, or a table.").example("\"slurm\""),
    key("share", Type::Bool, "false", "Let other users of the machine read the folders of the run and of its trials, as far as your mask allows; else only you can.").example("true"),
    key("keep_folders", Type::Bool, "in runs of up to 1,000 trials", "Whether each trial keeps a folder. Where not, what a trial leaves that ends well and leaves nothing but little text goes into `packed.jsonl` of the run; `fairtrial unpack` makes the folder.").nullable().example("true"),
    key("tags", TEXTS, "[]", "Free tags, kept with the run.").example("[\"baseline\"]"),
    key("notes", Type::Text, "\"\"", "Free text, kept with the run.").nullable().example("\"after the cache change\""),
];

static EXPERIMENTS: Section = Section {
    name: "experiments",
    noun: "`experiments`",
    doc: "Where registered experiments come from, besides those that are built in (`fairtrial list experiments`).",
    keys: &[&[
        key("python", TEXTS, "[]", "Python modules or packages whose `@register_experiment` classes are offered; found from the spec's folder and on Python's own path.").example("[\"my_pkg.benchmarks\"]"),
        key("rust", TEXTS, "[]", "Programs that speak the worker protocol (the Rust SDK's `main` does), relative to the spec's folder.").example("[\"./target/release/my-bench\"]"),
        key("interpreter", Type::FilledText, "python3", "The Python that runs Python experiments; a path is relative to the spec's folder.").example("\".venv/bin/python\""),
        key("reporters", TEXTS, "[]", "Python functions, as `module:function`, that get the result files and the output folder when the run has ended.").example("[\"my_pkg.reports:generate_custom_report\"]"),
    ]],
    open: false,
};

static PROVENANCE: Section = Section {
    name: "provenance",
    noun: "`provenance`",
    doc: "What to record about the environment beyond the default.",
    keys: &[&[
        key("env", TEXTS, "[]", "Names of environment variables to record, `*` at the end allowed; values that look like secrets are redacted.").example("[\"CUDA_*\"]"),
        key("watch", TEXTS, "[]", "The same as the top-level `watch`; both are read.").example("[\"src/\"]"),
    ]],
    open: false,
};
