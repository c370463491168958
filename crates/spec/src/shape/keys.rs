//! The table itself. Its order is the order of the reference page.

use super::Presence::{Nullable, Optional, Required};
use super::analysis_keys::{ANALYSIS, FAIRNESS, METRIC};
use super::engine_keys::{ENGINE, ENGINES, RESOURCES};
use super::table_keys::{ROOT_TABLE_KEYS, TASK_TABLE_KEYS};
use super::{Key, Keys, Section, Type, Zero};

pub(super) const fn key(
    name: &'static str,
    ty: Type,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        name,
        aliases: &[],
        ty,
        default,
        doc,
        example: "",
        presence: Optional,
    }
}

impl Key {
    pub(super) const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(super) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    pub(super) const fn nullable(mut self) -> Self {
        self.presence = Nullable;
        self
    }

    pub(super) const fn required(mut self) -> Self {
        self.presence = Required;
        self
    }
}

/// More than anybody counts up to in a spec.
pub(super) const MANY: u64 = 1_000_000;
const U32: u64 = u32::MAX as u64;
pub(super) const TEXTS: Type = Type::List(&Type::FilledText, 0);
const ANY_MAP: Type = Type::Map(&Type::Any, Keys::Free);
const SEEDS: Type = Type::Either(&[
    Type::Whole(1, MANY),
    Type::List(&Type::Whole(0, u64::MAX), 1),
]);
const SEEDS_DOC: &str = "A count (the first N of a fixed, documented list: 1072, 2043, 3014, ...) or the seeds themselves. All arms run with the same seeds. `seed = 42` is short for `seeds = [42]`.";
const SWEEP_DOC: &str = "Parameters to vary: each key is an axis, each value a list. `strategy` and `samples` may stand inside (a list under one of these two names is an axis).";
const STRATEGIES: &[&str] = &["cartesian", "zip", "random"];

/// The keys that say what kind of work a task is.
pub(crate) const WORK_KEYS: [&str; 3] = ["command", "experiment", "prepared_dir"];

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
    key("seeds", SEEDS, "1 documented seed", SEEDS_DOC).alias(&["seed"]).nullable().example("15"),
    key("parallel", Type::Whole(1, MANY), "the number of physical cores; 1 where a task is an experiment", "How many trials run at the same time on this machine.").alias(&["parallelism"]).example("4"),
    key("tasks", Type::List(&Type::Section(&TASK), 1), "", "The work, one table per task.").example("[{\"id\": \"train\", \"command\": \"python train.py --seed {seed}\"}]"),
    key("defaults", Type::Section(&DEFAULTS), "", "Values for every task that does not set the key itself; tables (`env`, `params`, `limits`, ...) merge key by key."),
    key("arms", Type::Map(&ANY_MAP, Keys::Names), "one arm per `model`, where tasks have one", "The variants under comparison; each is a table of parameters.").example("{\"control\": {\"lr\": 0.001}, \"candidate\": {\"lr\": 0.0003}}"),
    key("sweep", Type::Sweep, "", SWEEP_DOC).nullable().example("{\"lr\": [0.001, 0.0003]}"),
    key("strategy", Type::Word(STRATEGIES), "cartesian", "How the axes of `sweep` combine: every combination, first with first and second with second (`zip`), or random draws. Lists in `params` and a task's own `sweep` are combined with every point that comes of it; without a `sweep` it is about the lists in `params`.").nullable().example("\"random\""),
    key("samples", Type::Whole(1, MANY), "", "How many draws `strategy = \"random\"` makes. No point is drawn twice; where there are fewer, each is taken once.").nullable().example("20"),
    key("metrics", Type::Map(&Type::Section(&METRIC), Keys::Free), "`duration_s`, lower is better, where all tasks are experiments and share their sweep", "The metrics that trials report. Metrics that are not declared are kept too.").example("{\"loss\": {\"direction\": \"down\"}}"),
    key("analysis", Type::Section(&ANALYSIS), "", "What is compared, and how strictly."),
    key("fairness", Type::Section(&FAIRNESS), "", "What the arms must share for their comparison to be fair."),
    key("budget", Type::Section(&BUDGET), "", "Caps for the whole run; trials that are not started when a cap is reached are skipped."),
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

const HOOK_TYPE: Type = Type::Either(&[Type::FilledText, Type::Section(&HOOK)]);

static HOOK: Section = Section {
    name: "hook",
    noun: "a hook",
    doc: "A command that is told how a run ended. It runs in the spec's folder, gets JSON on standard input and has limited time; its failure is reported and changes nothing.",
    keys: &[&[
        key(
            "command",
            Type::FilledText,
            "",
            "The program with its arguments, split like a shell would; no shell is run.",
        )
        .required()
        .example("\"./notify.sh\""),
        HOOK_TIMEOUT,
    ]],
    open: false,
};

const HOOK_TIMEOUT: Key = key(
    "timeout",
    Type::Duration(Zero::Refused),
    "1m",
    "Time after which it is ended.",
)
.example("\"10s\"");

static REPORTER: Section = Section {
    name: "reporter",
    noun: "a reporter",
    doc: "Makes files of a report. It runs in the spec's folder, gets the report's data as JSON on standard input, and writes into the folder that `FAIRTRIAL_OUTPUT` names (`reporters/NAME` in the run's folder). Exactly one of `command` and `python`.",
    keys: &[&[
        key(
            "command",
            Type::FilledText,
            "",
            "The program with its arguments, split like a shell would; no shell is run.",
        )
        .example("\"python make_table.py\""),
        key(
            "python",
            Type::FilledText,
            "",
            "A Python function, `module:function`, called with the data and the output folder.",
        )
        .example("\"reports:make_table\""),
        HOOK_TIMEOUT,
    ]],
    open: false,
};

static TASK: Section = Section {
    name: "task",
    noun: "a task",
    doc: "One piece of work. A task has exactly one of `command`, `experiment`, `prepared_dir`.",
    keys: &[ID_KEY, TASK_KEYS, TASK_TABLE_KEYS, TASK_ONLY_KEYS],
    open: false,
};

static DEFAULTS: Section = Section {
    name: "defaults",
    noun: "`defaults`",
    doc: "The keys of a task, except `id`.",
    keys: &[TASK_KEYS, TASK_TABLE_KEYS, TASK_ONLY_KEYS],
    open: false,
};

static ID_KEY: &[Key] = &[
    key("id", Type::Name, "from the work", "Name of the task. Default: the last part of `prepared_dir`, the experiment, or the program's file stem; a task that repeats a default id gets `-2`, `-3`, ... unless it differs only in `model` (and `rollouts`).").example("\"train\""),
];

static TASK_KEYS: &[Key] = &[
    key("command", Type::Either(&[Type::FilledText, Type::List(&Type::Text, 1)]), "", "Any program with its arguments: one text, split like a shell would (no shell is run), or a list. May hold placeholders.").example("\"python train.py --seed {seed} --out {dir}\""),
    key("shell", Type::Bool, "false", "Hand `command` to `/bin/sh -c` as one script.").example("true"),
    key("experiment", Type::FilledText, "", "A registered experiment.").example("\"observation_flow\""),
    key("prepared_dir", Type::FilledText, "", "The folder of a prepared agent task.").example("\"data/tasks/prepared/task_1\""),
    key("params", ANY_MAP, "{}", "Parameters of the task. A list is swept, unless it belongs to a registered experiment whose parameter is itself a list.").nullable().example("{\"num_agents\": [100, 200], \"radius\": 6}"),
    key("constraints", TEXTS, "[]", "Conditions over parameters that every trial of the task satisfies; combinations that do not are left out of the plan (a random sweep then has fewer trials than `samples`).").example("[\"fov_radius <= radius\"]"),
    key("iterations", Type::Section(&ITERATIONS), "", "How often an experiment runs inside one trial."),
    key("instrumentation", Type::List(&Type::Either(&[Type::FilledText, Type::Section(&INSTRUMENT)]), 0), "[\"timing\"]", "What observes an experiment: names, or tables with `name` and options.").example("[\"timing\", {\"name\": \"cprofile\", \"top_n\": 30}]"),
    key("model", Type::FilledText, "gpt-5-mini for agent tasks", "The model of an agent task. Without `[arms]`, each distinct model is an arm; with `[arms]` it is a parameter.").example("\"gpt-5-mini\""),
    key("rollouts", Type::Whole(1, U32), "1", "Repetitions under each seed.").example("3"),
    key("apply_overrides", Type::Bool, "true", "Whether the overrides of an agent task apply.").example("true"),
    key("overrides", Type::FilledText, "", "The overrides file of an agent task.").example("\"data/tasks/prepared/task_1/overrides.json\""),
    key("agent", Type::Either(&[Type::Word(AGENT_WORDS), Type::Section(&AGENT)]), "codex", "Who works on an agent task: a name, or a table. An arm may set a parameter `agent` to another name.").example("{\"command\": \"my-agent --model {model} {instruction_file}\"}"),
    key("sandbox", Type::Either(&[Type::Word(SANDBOX_WORDS), Type::Section(&SANDBOX)]), "`SANDBOX_BACKEND` of the environment, else bubblewrap where it is installed, else process", "Where agent and tests run: a kind, or a table.").example("\"bubblewrap\""),
    key("scoring", Type::Word(&["weighted", "oneshot"]), "weighted", "How rubrics become a score: the weighted mean over those that something scores, or the original's rule, in which the others count as 0.").example("\"oneshot\""),
    key("setup", COMMAND, "`setup.sh` of the task", "What is run in the workspace and the sandbox of an agent task before the agent. What it changes belongs to what the agent starts from. Where it fails or takes too long, the rollout is `infra`. Placeholders as in `agent.command`.").example("\"npm ci\""),
    key("setup_timeout", Type::Duration(Zero::Refused), "10m", "Time for that.").example("\"30m\""),
    key("judge", Type::Section(&JUDGE), "none", "A model that scores rubrics; it is shown the diff."),
    key("verify_timeout", Type::Duration(Zero::Refused), "10m", "Time for one test script of an agent task.").example("\"2m\""),
    key("pass_score", Type::Fraction, "1", "The score from which a rollout counts as solved.").example("0.8"),
    key("env", Type::Map(&Type::Scalar, Keys::Variables), "{}", "Environment variables added for the trial. Values may hold placeholders and `${NAME}` references, which are resolved when the trial starts.").alias(&["environment_variables"]).example("{\"OMP_NUM_THREADS\": \"1\"}"),
    key("inherit_env", Type::Section(&INHERIT_ENV), "", "Which of the caller's environment variables a trial sees."),
    key("workdir", Type::FilledText, "the spec's folder", "Working directory, relative to the spec's folder. May hold placeholders.").alias(&["cwd"]).example("\"{dir}\""),
    key("timeout", Type::Duration(Zero::Refused), "none", "Wall time after which a trial is ended and counted as `timeout`. For an agent task: the time for the agent (default: `TIMEOUT_SEC` of `env`, else 1h), after which its work is collected and scored, marked as limited.").example("\"2h\""),
    key("kill_grace", Type::Duration(Zero::Allowed), "5s", "Time between the polite and the forced end of a trial.").example("\"10s\""),
    key("limits", Type::Section(&LIMITS), "", "Limits on one trial."),
    key("resources", Type::Section(&RESOURCES), "", "What one trial takes of a machine."),
    key("needs", TEXTS, "[]", "Ids of tasks that must have succeeded before this one starts.").example("[\"pretrain\"]"),
    key("retries", Type::Either(&[Type::Whole(0, 1000), Type::Section(&RETRIES)]), "2 after `infra`, 0 else", "Further attempts: a number (after `infra`), or a table by outcome.").example("{\"infra\": 2, \"timeout\": 1}"),
    key("log_limit", Type::Bytes, "16MiB", "How much of standard output, and of standard error, is kept: the beginning and the end.").example("\"1MiB\""),
];

static TASK_ONLY_KEYS: &[Key] = &[
    key("seeds", SEEDS, "those of the spec", SEEDS_DOC)
        .alias(&["seed"])
        .nullable()
        .example("[1, 2, 3]"),
    key("sweep", Type::Sweep, "", SWEEP_DOC)
        .nullable()
        .example("{\"depth\": [2, 4]}"),
];

static ITERATIONS: Section = Section {
    name: "iterations",
    noun: "`iterations`",
    doc: "How often an experiment runs inside one trial.",
    keys: &[&[
        key(
            "warmup",
            Type::Whole(0, U32),
            "0",
            "Iterations that run first and are not measured.",
        )
        .example("1"),
        key("measured", Type::Whole(1, U32), "1", "Measured iterations.").example("3"),
    ]],
    open: false,
};

static INSTRUMENT: Section = Section {
    name: "instrument",
    noun: "an instrument",
    doc: "An instrument with its options: every key but `name` is an option.",
    keys: &[&[key("name", Type::FilledText, "", "Which instrument.")
        .required()
        .example("\"cprofile\"")]],
    open: true,
};

const AGENT_WORDS: &[&str] = &crate::rollout::AGENTS;
const SANDBOX_WORDS: &[&str] = &crate::sandbox::SandboxKind::WORDS;
const COMMAND: Type = Type::Either(&[Type::FilledText, Type::List(&Type::Text, 1)]);

static AGENT: Section = Section {
    name: "agent",
    noun: "an agent",
    doc: "An agent and its limits. At a limit the agent is ended, and its work is collected and scored, marked as limited.",
    keys: &[&[
        key("name", Type::Word(AGENT_WORDS), "codex, or `command` where a command is given", "Which agent; `oracle` applies the reference solution and `nop` does nothing, to validate tasks.").example("\"claude\""),
        key("command", COMMAND, "", "Any program. Placeholders: `model`, `instruction_file`, `workspace`, `task_files`, `out`, `timeout`, `max_tokens`, `max_cost`, `seed`, `rollout`, and every parameter of the trial.").example("\"my-agent --model {model} {instruction_file}\""),
        key("args", TEXTS, "[]", "Further arguments of a known agent.").example("[\"--config\", \"effort=high\"]"),
        key("max_tokens", Type::Whole(1, u64::MAX), "none", "Tokens after which a rollout's agent is ended.").example("200000"),
        key("max_cost", Type::Number(0.0), "none", "Dollars after which a rollout's agent is ended.").example("0.5"),
        key("price", Type::Section(&PRICE), "", "What tokens cost, for an agent that does not say what it spent."),
    ]],
    open: false,
};

static PRICE: Section = Section {
    name: "price",
    noun: "a price",
    doc: "Dollars per million tokens.",
    keys: &[&[
        key("input", Type::Number(0.0), "", "Tokens read.")
            .required()
            .example("1.25"),
        key("output", Type::Number(0.0), "", "Tokens written.")
            .required()
            .example("10.0"),
        key(
            "cached",
            Type::Number(0.0),
            "as `input`",
            "Tokens read from the cache.",
        )
        .example("0.125"),
    ]],
    open: false,
};

static SANDBOX: Section = Section {
    name: "sandbox",
    noun: "a sandbox",
    doc: "Where agent and tests run. A key that the kind does not use is refused.",
    keys: &[&[
        key("kind", Type::Word(SANDBOX_WORDS), "as for `sandbox`", "The kind.").example("\"podman\""),
        key("network", Type::Bool, "true", "Whether programs inside have the network. For `bubblewrap`, `podman`, `docker`.").example("false"),
        key("read", TEXTS, "[]", "Further files and folders of this machine that programs inside may read. For `bubblewrap`, `podman`, `docker`.").example("[\"/opt/tools\"]"),
        key("image", Type::FilledText, "built from the task's `Dockerfile`", "The image of `podman` or `docker`; it must be there, nothing is pulled.").example("\"python:3.12-slim\""),
        key("memory", Type::Bytes, "none", "Memory of a container; an agent that needs more ends as `oom`. For `podman`, `docker`; elsewhere `limits.memory` of the task.").example("\"4GiB\""),
        key("cpus", Type::Number(0.0), "none", "Processors of a container. For `podman`, `docker`.").example("2"),
        key("build_timeout", Type::Duration(Zero::Refused), "30m", "Time for building the image of a task's `Dockerfile`. For `podman`, `docker`.").example("\"1h\""),
        key("command", COMMAND, "", "For `modal`: the command that runs a command elsewhere; placeholders `workspace`, `inputs`, `out`, `home`, `name`.").example("\"modal-run --workspace {workspace} --out {out}\""),
    ]],
    open: false,
};

static JUDGE: Section = Section {
    name: "judge",
    noun: "a judge",
    doc: "A model behind an OpenAI-compatible endpoint that scores the rubrics of an agent task. Where it gives no answer the rollout is `infra`, never 0.",
    keys: &[&[
        key("model", Type::FilledText, "", "Which model.")
            .required()
            .example("\"gpt-5-mini\""),
        key(
            "url",
            Type::FilledText,
            "https://api.openai.com/v1",
            "The endpoint, without `/chat/completions`.",
        )
        .example("\"http://localhost:8000/v1\""),
        key(
            "key_env",
            Type::FilledText,
            "OPENAI_API_KEY",
            "The environment variable with the key; no key is sent where it is not set.",
        )
        .example("\"OPENAI_API_KEY\""),
    ]],
    open: false,
};

static INHERIT_ENV: Section = Section {
    name: "inherit_env",
    noun: "`inherit_env`",
    doc: "Which of the caller's environment variables a trial sees.",
    keys: &[&[
        key(
            "allow",
            TEXTS,
            "[\"*\"]",
            "Names to pass, `*` at the end allowed.",
        )
        .example("[\"PATH\", \"HOME\", \"CUDA_*\"]"),
        key("deny", TEXTS, "[]", "Names not to pass; wins over `allow`.").example("[\"AWS_*\"]"),
    ]],
    open: false,
};

static LIMITS: Section = Section {
    name: "limits",
    noun: "`limits`",
    doc: "Limits on one trial, all its processes together where the system allows.",
    keys: &[&[
        key(
            "cpu_time",
            Type::Duration(Zero::Refused),
            "none",
            "CPU time.",
        )
        .example("\"30m\""),
        key(
            "memory",
            Type::Bytes,
            "none",
            "Memory; a trial that needs more ends as `oom`.",
        )
        .example("\"8GiB\""),
        key(
            "processes",
            Type::Whole(1, U32),
            "none",
            "Processes and threads at the same time; more cannot be started, and a note in the record says how often that was tried.",
        )
        .example("64"),
    ]],
    open: false,
};

static RETRIES: Section = Section {
    name: "retries",
    noun: "`retries`",
    doc: "Further attempts by outcome. The evidence of every attempt is kept.",
    keys: &[&[
        key(
            "infra",
            Type::Whole(0, 1000),
            "2",
            "After `infra` (could not start, machine lost).",
        )
        .example("2"),
        key("failed", Type::Whole(0, 1000), "0", "After `failed`.").example("1"),
        key("timeout", Type::Whole(0, 1000), "0", "After `timeout`.").example("1"),
        key("oom", Type::Whole(0, 1000), "0", "After `oom`.").example("1"),
    ]],
    open: false,
};

static BUDGET: Section = Section {
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

static PROVENANCE: Section = Section {
    name: "provenance",
    noun: "`provenance`",
    doc: "What to record about the environment beyond the default.",
    keys: &[&[
        key("env", TEXTS, "[]", "Names of environment variables to record, `*` at the end allowed; values that look like secrets are redacted.").example("[\"CUDA_*\"]"),
        key("watch", TEXTS, "[]", "Paths whose changes since a baseline matter.").example("[\"src/\"]"),
    ]],
    open: false,
};

/// Whether a top-level key belongs to the single task that the top level may hold.
pub(crate) fn is_task_key(name: &str) -> bool {
    ID_KEY
        .iter()
        .chain(TASK_KEYS)
        .chain(TASK_TABLE_KEYS)
        .any(|key| key.name == name)
}
