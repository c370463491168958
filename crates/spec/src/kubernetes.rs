//! What a spec says of a Kubernetes cluster.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the user wants of Kubernetes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KubernetesOptions {
    /// Image of the container in which trials run.
    pub image: Option<String>,
    /// A context of `kubectl`.
    pub context: Option<String>,
    /// Namespace of the Jobs.
    pub namespace: Option<String>,
    /// Service account of the pods.
    pub service_account: Option<String>,
    /// The filesystem that pods share with this machine.
    pub volume: Option<SharedVolume>,
    /// Labels that a node must have.
    pub node_selector: BTreeMap<String, String>,
    /// Taints of nodes that do not matter.
    pub tolerations: Vec<String>,
    /// Further labels of the Jobs and their pods.
    pub labels: BTreeMap<String, String>,
    /// Priority class of the pods.
    pub priority_class: Option<String>,
    /// What GPUs are called there.
    pub gpu_resource: Option<String>,
    /// Seconds that one pod may take.
    pub time_s: Option<f64>,
    /// Names of Secrets whose keys become variables of the trials.
    pub secrets: Vec<String>,
    /// Shell lines that run in the pod before the trials.
    pub setup: Option<String>,
    /// User and group in the container.
    pub user: Option<String>,
}

/// A claim for a volume, and where pods see it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SharedVolume {
    /// Name of the PersistentVolumeClaim.
    pub claim: String,
    /// Where it is mounted: here and in the pods.
    pub path: String,
}

impl KubernetesOptions {
    /// Whether the spec says nothing of it; then it stays out of the resolved form.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The keys without which no pod can be, and what they are, where they are missing.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let image = "the image of the container in which trials run";
        let volume = "the claim of a filesystem that pods share with this machine, and its path";
        let keys = [
            (self.image.is_none(), ("image", image)),
            (self.volume.is_none(), ("volume", volume)),
        ];
        keys.into_iter()
            .filter_map(|(missing, key)| missing.then_some(key))
    }
}

/// A taint that pods bear, as `kubectl taint` writes it: `KEY`, `KEY=VALUE`, either with `:EFFECT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toleration {
    /// The taint's key.
    pub key: String,
    /// Its value; absent means any.
    pub value: Option<String>,
    /// Its effect; absent means any.
    pub effect: Option<String>,
}

/// What a taint does.
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

impl Toleration {
    /// Reads one; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (taint, effect) = match text.split_once(':') {
            Some((taint, effect)) => (taint, Some(effect.to_owned())),
            None => (text, None),
        };
        if let Some(effect) = effect.as_deref().filter(|word| !EFFECTS.contains(word)) {
            return Err(format!(
                "a taint's effect is one of {}, not `{effect}`",
                EFFECTS.join(", ")
            ));
        }
        let (key, value) = match taint.split_once('=') {
            Some((key, value)) => (key, Some(value.to_owned())),
            None => (taint, None),
        };
        if key.is_empty() {
            return Err("a taint has a key: KEY, KEY=VALUE or KEY:EFFECT".to_owned());
        }
        Ok(Self {
            key: key.to_owned(),
            value,
            effect,
        })
    }
}

/// User and group of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerUser {
    /// Those of the image.
    OfImage,
    /// These.
    Ids {
        /// User.
        user: u32,
        /// Group.
        group: u32,
    },
}

impl ContainerUser {
    /// Reads `image`, `UID` or `UID:GID`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "image" {
            return Some(Self::OfImage);
        }
        let (user, group) = text.split_once(':').unwrap_or((text, text));
        Some(Self::Ids {
            user: user.parse().ok()?,
            group: group.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ContainerUser, Toleration};

    #[test]
    fn tolerations_are_written_as_taints() {
        let read = |text: &str| Toleration::parse(text).unwrap();
        assert_eq!(read("gpu").value, None);
        let whole = read("dedicated=bench:NoSchedule");
        assert_eq!(whole.key, "dedicated");
        assert_eq!(whole.value.as_deref(), Some("bench"));
        assert_eq!(whole.effect.as_deref(), Some("NoSchedule"));
        assert_eq!(read("nvidia.com/gpu:NoExecute").key, "nvidia.com/gpu");
        for wrong in ["", "=x", ":NoSchedule", "a:Never"] {
            assert!(Toleration::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn users_are_numbers_or_the_images() {
        let ids = |user, group| Some(ContainerUser::Ids { user, group });
        assert_eq!(ContainerUser::parse("1000"), ids(1000, 1000));
        assert_eq!(ContainerUser::parse("1000:50"), ids(1000, 50));
        assert_eq!(ContainerUser::parse("image"), Some(ContainerUser::OfImage));
        for wrong in ["me", "1000:", "-1", "1:2:3"] {
            assert_eq!(ContainerUser::parse(wrong), None, "{wrong}");
        }
    }
}
