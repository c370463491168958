//! The keys of `engine.kubernetes`.

use super::section::{Key, Keys, Section, TEXTS, Type, Zero, key};

pub(super) static KUBERNETES: Section = Section {
    name: "kubernetes",
    noun: "`engine.kubernetes`",
    doc: "What pods shall be, beyond what `resources` of the tasks says.",
    keys: &[KEYS],
    open: false,
};

static KEYS: &[Key] = &[
    key("image", Type::FilledText, "", "Image of the container in which trials run. It needs `/bin/sh`.").example("\"registry.example.com/me/bench:1\""),
    key("volume", Type::Section(&VOLUME), "", "A filesystem that pods share with this machine. The data folder, the spec's folder and the `fairtrial` binary (or `engine.program`, which may be in the image) lie on it."),
    key("context", Type::FilledText, "kubectl's current one", "A context of `kubectl`: which cluster, as whom.").example("\"lab\""),
    key("namespace", Type::FilledText, "the context's", "Namespace of the Jobs.").example("\"bench\""),
    key("service_account", Type::FilledText, "the namespace's default", "Service account of the pods.").example("\"bench\""),
    key("node_selector", Type::Map(&Type::FilledText, Keys::Free), "{}", "Labels that a node must have.").example("{\"gpu\": \"a100\"}"),
    key("tolerations", TEXTS, "[]", "Taints of nodes on which pods may run all the same, as `kubectl taint` writes them: `KEY`, `KEY=VALUE`, either with `:EFFECT`.").example("[\"nvidia.com/gpu:NoSchedule\"]"),
    key("labels", Type::Map(&Type::FilledText, Keys::Free), "{}", "Further labels of the Jobs and their pods.").example("{\"kueue.x-k8s.io/queue-name\": \"lab\"}"),
    key("priority_class", Type::FilledText, "the cluster's", "Priority class of the pods.").example("\"low\""),
    key("gpu_resource", Type::FilledText, "nvidia.com/gpu", "What GPUs are called there, for tasks that ask for some.").example("\"amd.com/gpu\""),
    key("time", Type::Duration(Zero::Refused), "the sum of the trials' timeouts, where all have one", "Time limit of one pod, from when its node has it.").example("\"4h\""),
    key("secrets", TEXTS, "[]", "Names of Secrets of the namespace: their keys become variables of the trials.").example("[\"wandb\"]"),
    key("setup", Type::FilledText, "", "Shell lines that run in the pod before the trials.").example("\"pip install -r requirements.txt\""),
    key("user", Type::FilledText, "yours on this machine; the image's where you are root", "User and group of the trials: `UID`, `UID:GID`, or `image` for the image's own.").example("\"1000:1000\""),
];

static VOLUME: Section = Section {
    name: "engine_volume",
    noun: "`engine.kubernetes.volume`",
    doc: "A PersistentVolumeClaim of a filesystem that this machine mounts as well, under the same path.",
    keys: &[&[
        key(
            "claim",
            Type::FilledText,
            "",
            "Name of the claim, in the namespace of the Jobs.",
        )
        .required()
        .example("\"shared\""),
        key(
            "path",
            Type::FilledText,
            "",
            "Where it is mounted, here and in the pods.",
        )
        .required()
        .example("\"/shared\""),
    ]],
    open: false,
};
