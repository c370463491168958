//! The keys of a task, which may also stand at the top level.

use super::agent_keys::{AGENT, AGENT_WORDS, COMMAND, JUDGE_RULES, JUDGES, SANDBOX, SANDBOX_WORDS};
use super::engine_keys::RESOURCES;
use super::section::{
    ANY_MAP, Key, Keys, MANY, SEEDS, SEEDS_DOC, SWEEP_DOC, Section, TEXTS, Type, Zero, key,
};
use super::table_keys::TASK_TABLE_KEYS;

const U32: u64 = u32::MAX as u64;

/// The keys that say what kind of work a task is.
pub(crate) const WORK_KEYS: [&str; 3] = ["command", "experiment", "prepared_dir"];

pub(crate) static TASK: Section = Section {
    name: "task",
    noun: "a task",
    doc: "One piece of work. A task has exactly one of `command`, `experiment`, `prepared_dir`.",
    keys: &[ID_KEY, TASK_KEYS, TASK_TABLE_KEYS, TASK_ONLY_KEYS],
    open: false,
};

const FOLDERS: Type = Type::Either(&[Type::FilledText, Type::List(&Type::FilledText, 1)]);

pub(super) static TASK_FOLDERS: Section = Section {
    name: "task_folders",
    noun: "`tasks`",
    doc: "Folders of agent tasks: each folder in them with a task is a task, with the keys of `[defaults]`.",
    keys: &[&[
        key(
            "harbor",
            FOLDERS,
            "",
            "Folders whose folders are tasks of Harbor (`task.toml`), or such a task itself.",
        )
        .example("\"datasets/my-tasks\""),
        key(
            "terminal_bench",
            FOLDERS,
            "",
            "The same for tasks of Terminal-Bench 1 (`task.yaml`).",
        )
        .example("\"original-tasks\""),
        key(
            "prepared",
            FOLDERS,
            "",
            "The same for prepared tasks (`tb_meta.json`).",
        )
        .example("\"data/tasks/prepared\""),
    ]],
    open: false,
};

pub(super) static DEFAULTS: Section = Section {
    name: "defaults",
    noun: "`defaults`",
    doc: "The keys of a task, except `id`.",
    keys: &[TASK_KEYS, TASK_TABLE_KEYS, TASK_ONLY_KEYS],
    open: false,
};

pub(super) static ID_KEY: &[Key] = &[
    key("id", Type::Name, "from the work", "Name of the task. Default: the last part of `prepared_dir`, the experiment, or the program's file stem; a task that repeats a default id gets `-2`, `-3`, ... unless it differs only in what makes its arm (`model`; for agent tasks also `env` and `overrides`) and in `rollouts`.").example("\"train\""),
];

pub(super) static TASK_KEYS: &[Key] = &[
    key("command", Type::Either(&[Type::FilledText, Type::List(&Type::Text, 1)]), "", "Any program with its arguments: one text, split like a shell would (no shell is run), or a list. May hold placeholders.").example("\"python train.py --seed {seed} --out {dir}\""),
    key("shell", Type::Bool, "false", "Hand `command` to `/bin/sh -c` as one script.").example("true"),
    key("experiment", Type::FilledText, "", "A registered experiment.").example("\"observation_flow\""),
    key("prepared_dir", Type::Either(&[Type::FilledText, Type::List(&Type::FilledText, 1)]), "", "The folder of a prepared agent task. A list, or a pattern (`*` and `?` stand for anything in one name), gives a task for each folder.").example("\"data/tasks/prepared/task_1\""),
    key("params", ANY_MAP, "{}", "Parameters of the task. A list is swept, unless it belongs to a registered experiment whose parameter is itself a list.").nullable().example("{\"num_agents\": [100, 200], \"radius\": 6}"),
    key("constraints", TEXTS, "[]", "Conditions over parameters that every trial of the task satisfies; combinations that do not are left out of the plan (a random sweep draws its `samples` among the others).").example("[\"fov_radius <= radius\"]"),
    key("iterations", Type::Section(&ITERATIONS), "", "How often an experiment runs inside one trial."),
    key("processes", Type::Whole(1, MANY), "5, where neither the task nor the spec has `seeds`", "In how many processes an experiment runs, one after the other, each with its warm-up: each is a trial of its own and gets the next of the documented seeds. Verdicts go by processes, since iterations of one process are alike; with one there is no verdict. Not together with `seeds`, of which each is a process.").example("10"),
    key("instrumentation", Type::List(&Type::Either(&[Type::FilledText, Type::Section(&INSTRUMENT)]), 0), "[\"timing\"]", "What observes an experiment: names, or tables with `name` and options.").example("[\"timing\", {\"name\": \"cprofile\", \"top_n\": 30}]"),
    key("model", Type::FilledText, "gpt-5-mini for agents that take one, else the agent's name", "The model of an agent task. Without `[arms]`, each distinct model is an arm; with `[arms]` it is a parameter.").example("\"gpt-5-mini\""),
    key("rollouts", Type::Whole(1, U32), "1", "Repetitions under each seed.").example("3"),
    key("apply_overrides", Type::Bool, "true", "Whether the overrides of an agent task apply.").example("true"),
    key("overrides", Type::FilledText, "", "The overrides file of an agent task.").example("\"data/tasks/prepared/task_1/overrides.json\""),
    key("agent", Type::Either(&[Type::Word(AGENT_WORDS), Type::Section(&AGENT)]), "codex", "Who works on an agent task: a name, or a table. An arm may set a parameter `agent` to another name.").example("{\"command\": \"my-agent --model {model} {instruction_file}\"}"),
    key("sandbox", Type::Either(&[Type::Word(SANDBOX_WORDS), Type::Section(&SANDBOX)]), "`SANDBOX_BACKEND` of the environment, else bubblewrap", "Where agent and tests run: a kind, or a table.").example("\"bubblewrap\""),
    key("scoring", Type::Word(&["weighted", "oneshot"]), "weighted", "How rubrics become a score: the weighted mean over those that something scores, or the original's rule, in which the others count as 0.").example("\"oneshot\""),
    key("setup", COMMAND, "`setup.sh` of the task", "What is run in the workspace and the sandbox of an agent task before the agent. What it changes belongs to what the agent starts from. Where it fails or takes too long, the rollout is `infra`. Placeholders as in `agent.command`.").example("\"npm ci\""),
    key("setup_timeout", Type::Duration(Zero::Refused), "10m", "Time for that.").example("\"30m\""),
    key("judge", JUDGES, "none", "A model that scores rubrics; it is shown the diff. A list of them, or `repeats`, makes several judges, whose agreement the summary shows."),
    key("judge_rule", Type::Word(JUDGE_RULES), "mean", "How the scores that several judges give for a rubric become one: their mean, or 1 where more than half of them give 0.5 or more, 0 where fewer do (half: 0.5).").example("\"majority\""),
    key("verify_timeout", Type::Duration(Zero::Refused), "10m", "Time for one test script of an agent task.").example("\"2m\""),
    key("pass_score", Type::Fraction, "1", "The score from which a rollout counts as solved.").example("0.8"),
    key("env", Type::Map(&Type::Scalar, Keys::Variables), "{}", "Environment variables added for the trial. Values may hold placeholders and `${NAME}` references, which are resolved when the trial starts.").alias(&["environment_variables"]).example("{\"OMP_NUM_THREADS\": \"1\"}"),
    key("pass_env", TEXTS, "[]", "Names of the caller's environment variables that the agent of an agent task is given, `*` at the end allowed. Without it an agent has `PATH`, `HOME`, `LANG`, `LC_*`, `TERM` and `TZ`, what `env` and the task declare, and the keys of its own provider. Tests and setup get those of them whose names are not secret.").example("[\"MY_API_KEY\"]"),
    key("inherit_env", Type::Section(&INHERIT_ENV), "", "Which of the caller's environment variables a trial sees."),
    key("workdir", Type::FilledText, "the spec's folder", "Working directory, relative to the spec's folder. May hold placeholders. It must be there, or be made by a task that this one `needs`; a folder inside `{dir}` is made with the trial.").alias(&["cwd"]).example("\"{dir}\""),
    key("timeout", Type::Duration(Zero::Refused), "none", "Wall time after which a trial is ended and counted as `timeout`. For an agent task: the time for the agent (default: `TIMEOUT_SEC` of the parameters, of `env` or of the overrides, else 1h), after which its work is collected and scored, marked as limited.").example("\"2h\""),
    key("kill_grace", Type::Duration(Zero::Allowed), "5s", "Time between the polite and the forced end of a trial.").example("\"10s\""),
    key("limits", Type::Section(&LIMITS), "", "Limits on one trial."),
    key("resources", Type::Section(&RESOURCES), "", "What one trial takes of a machine."),
    key("threads", Type::Either(&[Type::Word(&["inherit"]), Type::Whole(1, 1_000_000)]), "`resources.cpus`; on this machine else its physical cores divided by the slots", "How many threads the libraries of a trial may start: `OMP_NUM_THREADS`, `MKL_NUM_THREADS`, `OPENBLAS_NUM_THREADS`, `NUMEXPR_NUM_THREADS`, `RAYON_NUM_THREADS` and `TORCH_NUM_THREADS` are set to it, each unless you set it in `env` or in your environment. `inherit` sets none of them. Without it, trials beside each other would start as many threads each as the machine has cores, and wait for each other. Not for agent tasks.").example("4"),
    key("in_arms", TEXTS, "all", "The arms that this task runs in; `[]` for none: it then runs once for each seed, outside of the comparison. Where arms are models, a task that has no use for a model is in none.").example("[\"candidate\"]"),
    key("needs", TEXTS, "[]", "Ids of tasks that must have succeeded before this one starts.").example("[\"pretrain\"]"),
    key("retries", Type::Either(&[Type::Whole(0, 1000), Type::Section(&RETRIES)]), "2 after `infra`, 0 else", "Further attempts: a number (after `infra`), or a table by outcome.").example("{\"infra\": 2, \"timeout\": 1}"),
    key("checkpoint", Type::Either(&[Type::Bool, Type::Section(&CHECKPOINT)]), "false", "Whether the trials of a `command` save their state and go on from it. Every attempt at such a trial gets the same folder, by `FAIRTRIAL_CHECKPOINT` and `{checkpoint}`; before it is ended it gets a signal and time to save; one that is interrupted (a preempted or lost job, a cancelled run) goes on in the next attempt, as a part of the same trial. `timeout` is for all parts together. `true` is a table with nothing in it.").example("{\"notice\": \"2m\", \"signal\": \"USR1\"}"),
    key("warmup", Type::Whole(0, U32), "0", "How often the program of a `command` runs before the first trial of each arm and sweep point, without being recorded: for caches that a first run fills. An experiment has `iterations.warmup` instead.").example("3"),
    key("output", Type::Word(&["keep", "discard"]), "keep", "`discard` hands what a `command` writes to standard output to `/dev/null`, so that nothing of ours reads or stores it while it is timed; what it says on standard error is kept.").example("\"discard\""),
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
            "0; without `measured` until the times are stable, for at most `min_time`",
            "Iterations that run first and are not measured.",
        )
        .example("1"),
        key(
            "measured",
            Type::Whole(1, U32),
            "as many as take `min_time`",
            "Measured iterations of each process.",
        )
        .example("3"),
        key(
            "min_time",
            Type::Duration(Zero::Refused),
            "1s",
            "About how long a process measures, where `measured` is not given. At most 1000 times are kept: short executions are repeated inside of each (`inner` in the result file), so that no time is near the clock's resolution.",
        )
        .example("\"200ms\""),
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

static INHERIT_ENV: Section = Section {
    name: "inherit_env",
    noun: "`inherit_env`",
    doc: "Which of the caller's environment variables a trial sees.",
    keys: &[&[
        key(
            "allow",
            Type::List(&Type::VariablePattern, 0),
            "[\"*\"]",
            "Names to pass, `*` at the end allowed.",
        )
        .example("[\"PATH\", \"HOME\", \"CUDA_*\"]"),
        key(
            "deny",
            Type::List(&Type::VariablePattern, 0),
            "[]",
            "Names not to pass; wins over `allow`.",
        )
        .example("[\"AWS_*\"]"),
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
            "none; for agent tasks 8GiB, or 3/4 of the machine's where that is less",
            "Memory; a trial that needs more ends as `oom`. In an agent task it holds for each of setup, agent and tests, in every sandbox of this machine.",
        )
        .example("\"8GiB\""),
        key(
            "processes",
            Type::Whole(1, U32),
            "none; 4096 for agent tasks",
            "Processes and threads at the same time; more cannot be started, and a note in the record says how often that was tried.",
        )
        .example("64"),
        key(
            "disk",
            Type::Bytes,
            "10GiB for agent tasks",
            "What an agent may add to its workspace, its out folder and its home, or to its container; at the limit it is ended, and its work is scored. Only for agent tasks.",
        )
        .example("\"2GiB\""),
    ]],
    open: false,
};

static CHECKPOINT: Section = Section {
    name: "checkpoint",
    noun: "`checkpoint`",
    doc: "How a trial that saves its state is ended.",
    keys: &[&[
        key(
            "notice",
            Type::Duration(Zero::Refused),
            "60s",
            "Time between the signal and the forced end, in place of `kill_grace`. On a cluster the job asks for its warning that long before its time limit; what the site gives at a preemption (`GraceTime`, `KillWait`) is not ours to choose.",
        )
        .example("\"2m\""),
        key(
            "signal",
            Type::Word(&["TERM", "USR1", "USR2", "INT"]),
            "TERM",
            "What every process of the trial is sent when its end is near. Schedulers send TERM to all processes of a job that they preempt, whatever stands here.",
        )
        .example("\"USR1\""),
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

/// Whether a top-level key belongs to the single task that the top level may hold.
pub(crate) fn is_task_key(name: &str) -> bool {
    ID_KEY
        .iter()
        .chain(TASK_KEYS)
        .chain(TASK_TABLE_KEYS)
        .any(|key| key.name == name)
}
