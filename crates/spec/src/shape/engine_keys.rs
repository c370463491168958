//! The keys of `engine` and of `resources`: where trials run and what one of them takes.

use super::kubernetes_keys::KUBERNETES;
use super::section::{Key, Keys, Section, TEXTS, Type, Zero, key};

/// The engines, as words.
pub(super) const ENGINES: &[&str] = &[
    "local",
    "slurm",
    "template",
    "skypilot",
    "kubernetes",
    "sge",
    "ray",
    "htcondor",
    "pbs",
    "lsf",
    "modal",
];

/// What the words of a scheduler can mean.
const STATES: &[&str] = &[
    "pending",
    "held",
    "running",
    "suspended",
    "done",
    "failed",
    "timeout",
    "oom",
    "cancelled",
    "preempted",
    "node_lost",
    "unknown",
];

pub(super) static ENGINE: Section = Section {
    name: "engine",
    noun: "`engine`",
    doc: "Where trials run. `engine = \"slurm\"` is short for the table with `kind`; `--engine` of `run` wins over it. Nothing here changes the plan or a trial's identity.",
    keys: &[ENGINE_KEYS],
    open: false,
};

static ENGINE_KEYS: &[Key] = &[
    key("kind", Type::Word(ENGINES), "local", "Which engine.").example("\"slurm\""),
    key("pack", Type::Whole(1, 1_000_000), "worked out", "Trials in one job of a scheduler. Worked out from an earlier run's times (about a minute of work per job), else so that every place has at most two jobs; trials whose `timeout` is above ten minutes are not packed.").example("25"),
    key("poll", Type::Duration(Zero::Refused), "30s", "Time between two questions to the scheduler; one call serves all jobs.").example("\"1m\""),
    key("grace", Type::Duration(Zero::Refused), "5m", "Time without a sign of life after which a job counts as lost and its trials are given out again.").example("\"10m\""),
    key("pair_on", Type::Word(&["node"]), "", "`node`: the trials of all arms with the same task, point, seed and rollout stand in one job and run on one node.").example("\"node\""),
    key("program", Type::FilledText, "this binary", "The `fairtrial` binary on the nodes.").example("\"/shared/bin/fairtrial\""),
    key("store", Type::FilledText, "nodes see the data folder", "Object store through which jobs get their work and leave what they did, where nodes share no disk with this machine: `s3://bucket/prefix`, `gs://…`, `az://…`, or `file:///folder`. Credentials come from the environment, here and on the nodes.").example("\"s3://lab-bench/fairtrial\""),
    key("carry", TEXTS, "[]", "Files and folders, from the spec's folder, that travel to the nodes through `store` beside what git tracks.").example("[\"models/small.bin\"]"),
    key("gpus", Type::Either(&[Type::Whole(1, 1024), Type::List(&Type::Either(&[Type::Whole(0, 1_000_000), Type::FilledText]), 1)]), "none", "GPUs of this machine that local trials lease, one each unless `resources.gpus` says more: a count, or the devices. A trial sees its own in `CUDA_VISIBLE_DEVICES`.").example("2"),
    key("cpus", Type::Whole(1, 1_000_000), "physical cores", "CPUs of this machine for local trials that declare `resources.cpus`.").example("16"),
    key("memory", Type::Bytes, "this machine's", "Memory of this machine for local trials that declare `resources.memory`.").example("\"64GiB\""),
    key("slurm", Type::Section(&SLURM), "", "Slurm."),
    key("template", Type::Section(&TEMPLATE), "", "Any scheduler, by its commands."),
    key("sge", Type::Section(&PROFILE), "", "Grid Engine, where `engine` names it."),
    key("ray", Type::Section(&PROFILE), "", "Ray, likewise."),
    key("htcondor", Type::Section(&PROFILE), "", "HTCondor, likewise."),
    key("pbs", Type::Section(&PROFILE), "", "PBS, likewise."),
    key("lsf", Type::Section(&PROFILE), "", "LSF, likewise."),
    key("modal", Type::Section(&PROFILE), "", "Modal, likewise."),
    key("skypilot", Type::Section(&SKYPILOT), "", "SkyPilot."),
    key("kubernetes", Type::Section(&KUBERNETES), "", "Kubernetes."),
];

static SLURM: Section = Section {
    name: "slurm",
    noun: "`engine.slurm`",
    doc: "What jobs ask of Slurm beyond what `resources` of the tasks says.",
    keys: &[&[
        key("partition", Type::FilledText, "the cluster's default", "Partition.").example("\"gpu\""),
        key("account", Type::FilledText, "", "Account that is charged.").example("\"lab\""),
        key("qos", Type::FilledText, "", "Quality of service.").example("\"normal\""),
        key("constraint", Type::FilledText, "", "Features that a node must have.").example("\"a100\""),
        key("time", Type::Duration(Zero::Refused), "the sum of the trials' timeouts, where all have one", "Time limit of one job.").example("\"4h\""),
        key("gpu_type", Type::FilledText, "any", "Type of GPU where tasks ask for some.").example("\"h100\""),
        key("args", TEXTS, "[]", "Further arguments of `sbatch`.").example("[\"--reservation=bench\"]"),
        key("setup", Type::FilledText, "", "Shell lines that run on the node before the trials.").example("\"module load cuda\""),
        key("ssh", Type::FilledText, "the commands are run here", "Login node on which the Slurm commands are run; the data folder must be the same there.").example("\"me@login\""),
        key("requeue", Type::Bool, "true", "Whether Slurm may start a job again after a lost node or a preemption.").example("false"),
    ]],
    open: false,
};

static TEMPLATE: Section = Section {
    name: "template",
    noun: "`engine.template`",
    doc: "A scheduler described by its commands, which are run by `/bin/sh`. Placeholders: `{key}`, `{script}`, `{description}`, `{first}`, `{last}`, `{count}`, `{parallel}`, `{cpus}`, `{memory_mb}`, `{gpus}`, `{minutes}`, `{asked_memory_mb}`, `{asked_minutes}`, `{folder}`, `{workdir}`, `{program}`; after submitting also `{handle}`, `{handles}`, `{element}`.",
    keys: &[
        &[
            key("profile", Type::Word(&["sge", "ray", "htcondor", "pbs", "lsf", "modal"]), "", "A shipped description whose values are defaults under these; `engine = \"sge\"` is short for it.").example("\"htcondor\""),
        ],
        SCHEDULER_KEYS,
    ],
    open: false,
};

static PROFILE: Section = Section {
    name: "engine.NAME",
    noun: "the scheduler's table",
    doc: "What differs from the shipped description of a scheduler (`sge`, `ray`, `htcondor`, `pbs`, `lsf`, `modal`), where `engine` names it. Keys and placeholders are those of `engine.template`, over which these win.",
    keys: &[SCHEDULER_KEYS],
    open: false,
};

static SCHEDULER_KEYS: &[Key] = &[
    key("probe", Type::FilledText, "nothing is asked", "Prints the scheduler's version; where it fails, nothing is submitted.").example("\"my-queue --version\""),
    key("submit", Type::FilledText, "the profile's", "Submits `{count}` elements of `{script}` and prints a handle.").example("\"my-submit {script} {count}\""),
    key("handle", Type::FilledText, r"(\S+)", "Regex whose first group is the handle in what `submit` and `find` print.").example("\"job (\\\\d+)\""),
    key("find", Type::FilledText, "", "Prints the handle of the jobs with `{key}`, or nothing: after a crash between submitting and writing down. Without it such jobs are known by what they leave in the run's folder alone.").example("\"my-find {key}\""),
    key("poll", Type::FilledText, "the profile's", "Prints the state of `{handles}`, a line for each.").example("\"my-poll {handles}\""),
    key("line", Type::FilledText, r"(?<handle>\S+)\s+(?<element>\d+)\s+(?<state>\S+)", "Regex for a line of `poll` with the groups `handle`, `element` (left out: the line is about all elements) and `state`.").example("\"(?<handle>\\\\d+)\\\\.(?<element>\\\\d+) (?<state>\\\\w+)\""),
    key("states", Type::Map(&Type::Word(STATES), Keys::Free), "the profile's", "Words of the scheduler and what they mean.").example("{\"Q\": \"pending\", \"R\": \"running\"}"),
    key("cancel", Type::FilledText, "the profile's", "Ends the jobs of `{handle}`.").example("\"my-cancel {handle}\""),
    key("logs", Type::FilledText, "the file that the script writes", "Prints what element `{element}` of `{handle}` wrote.").example("\"my-logs {handle} {element}\""),
    key("collect", Type::FilledText, "nothing: the filesystem is shared", "Brings `{folder}` up to date with what nodes wrote.").example("\"rsync -a far:{folder}/ {folder}/\""),
    key("element", Type::FilledText, "$1", "The element's number inside the script, in the shell's words.").example("\"$PBS_ARRAY_INDEX\""),
    key("first", Type::Whole(0, 1_000_000), "0", "Number of the first element.").example("1"),
    key("max_elements", Type::Whole(1, 1_000_000), "1000", "Most elements in one submission.").example("1000"),
    key("description", Type::FilledText, "", "Text of a file that is written for `submit` as `{description}`.").example("\"executable = {script}\\nqueue {count}\""),
    key("setup", Type::FilledText, "", "Shell lines that run on the node before the trials.").example("\"module load cuda\""),
];

static SKYPILOT: Section = Section {
    name: "skypilot",
    noun: "`engine.skypilot`",
    doc: "What the machines that SkyPilot starts shall be.",
    keys: &[&[
        key("infra", Type::FilledText, "the cheapest", "Cloud, region, zone.").example("\"aws/us-east-1\""),
        key("accelerators", Type::FilledText, "", "GPUs of a machine: their type, with or without a number. Without one it is `resources.gpus`; tasks with `resources.gpus` need the key, because SkyPilot starts no machine with GPUs of any type.").example("\"H100:1\""),
        key("cpus", Type::Amount, "`resources.cpus` or more", "Virtual CPUs; `+` for at least.").example("\"8+\""),
        key("memory", Type::Amount, "`resources.memory` or more", "Memory in GB; `+` for at least.").example("\"32+\""),
        key("spot", Type::Bool, "false", "Use cheaper machines that can be taken away.").example("true"),
        key("image", Type::FilledText, "SkyPilot's", "Machine image or container.").example("\"docker:python:3.12\""),
        key("disk_size", Type::Whole(1, 1_000_000), "SkyPilot's", "Disk in GB.").example("256"),
        key("setup", Type::FilledText, "", "Shell lines that prepare a machine.").example("\"pip install -r requirements.txt\""),
        key("workdir", Type::FilledText, "the spec's folder", "Folder that is copied to each machine, where trials run.").example("\".\""),
        key("secrets", TEXTS, "[]", "Names of variables that trials need and that must not be written down; the values come from your environment at launch.").example("[\"WANDB_API_KEY\"]"),
        key("store", Type::FilledText, "", "Bucket to which the machines copy what trials leave. Records come back without it.").example("\"s3://my-bucket/fairtrial\""),
        key("program", Type::FilledText, "this binary, copied", "The `fairtrial` binary on the machine.").example("\"/usr/local/bin/fairtrial\""),
    ]],
    open: false,
};

pub(super) static RESOURCES: Section = Section {
    name: "resources",
    noun: "`resources`",
    doc: "What one trial takes of a machine: decides how many fit at once here, and what a scheduler is asked for. `limits` are what ends a trial; these are not.",
    keys: &[&[
        key(
            "cpus",
            Type::Whole(1, 1_000_000),
            "not counted here; 1 for a scheduler",
            "CPUs.",
        )
        .example("4"),
        key("memory", Type::Bytes, "not counted", "Memory.").example("\"8GiB\""),
        key(
            "gpus",
            Type::Whole(0, 1024),
            "1 where `engine.gpus` is set, else 0",
            "GPUs.",
        )
        .example("1"),
        key(
            "exclusive",
            Type::Bool,
            "false",
            "Nothing else may run beside it: for trials whose time is measured.",
        )
        .example("true"),
    ]],
    open: false,
};
