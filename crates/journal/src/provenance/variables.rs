//! Which environment variables are recorded: a short list of those that change results, and what the spec names.

use crate::redact::{REDACTED, Redactor};
use fairtrial_model::secret::is_secret_name;
use std::collections::BTreeMap;

/// Recorded without being asked: language and time zone, thread counts, visible devices, switches of determinism, the
/// scheduler's job. A `*` at the end stands for any rest.
pub const DEFAULT_VARIABLES: [&str; 27] = [
    "LANG",
    "LC_*",
    "TZ",
    "OMP_*",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_LAUNCH_BLOCKING",
    "TF_DETERMINISTIC_OPS",
    "XLA_FLAGS",
    "PYTHONHASHSEED",
    "PYTHONOPTIMIZE",
    "MALLOC_ARENA_MAX",
    "LD_PRELOAD",
    "VIRTUAL_ENV",
    "CONDA_DEFAULT_ENV",
    "CI",
    "SLURM_JOB_ID",
    "SLURM_JOB_PARTITION",
    "SLURM_CPUS_PER_TASK",
    "SLURM_NODELIST",
];

/// The variables to record. One that is secret by name is recorded as present, without its value; other values are
/// redacted.
pub fn recorded_variables(
    environment: &[(String, String)],
    further: &[String],
    redactor: &Redactor,
) -> BTreeMap<String, String> {
    let wanted = |name: &str| {
        let further = further.iter().map(String::as_str);
        DEFAULT_VARIABLES
            .into_iter()
            .chain(further)
            .any(|pattern| matches(pattern, name))
    };
    let value_of = |name: &str, value: &str| {
        if is_secret_name(name) {
            REDACTED.to_owned()
        } else {
            redactor.redact(value).into_owned()
        }
    };
    let recorded = environment.iter().filter(|(name, _)| wanted(name));
    recorded
        .map(|(name, value)| (name.clone(), value_of(name, value)))
        .collect()
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::recorded_variables;
    use crate::redact::Redactor;

    #[test]
    fn only_listed_names_and_never_a_secret() {
        let environment = [
            ("LC_ALL", "C"),
            ("HOME", "/home/me"),
            ("WANDB_PROJECT", "demo"),
            ("WANDB_API_KEY", "0123456789abcdef"),
            ("WANDB_URL", "https://x/0123456789abcdef"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let redactor = Redactor::from_env(environment.iter().map(|(n, v)| (n, v)));
        let recorded = recorded_variables(&environment, &["WANDB_*".to_owned()], &redactor);
        let seen: Vec<_> = recorded.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(
            seen,
            [
                "LC_ALL=C",
                "WANDB_API_KEY=[redacted]",
                "WANDB_PROJECT=demo",
                "WANDB_URL=https://x/[redacted]"
            ]
        );
    }
}
