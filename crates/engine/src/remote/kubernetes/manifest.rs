//! The Job of a batch.

use super::Kubernetes;
use super::answers::KEY_LABEL;
use crate::remote::contract::{Batch, JobNeeds};
use crate::remote::script::Script;
use fairtrial_spec::{ContainerUser, Toleration};
use fairtrial_text::shell_word::shell_word;
use serde_json::{Map, Value, json};

/// The variable that says to a container which element it is.
const INDEX: &str = "$JOB_COMPLETION_INDEX";
const GPU: &str = "nvidia.com/gpu";
/// How long the cluster keeps a Job that has ended, with its log: whoever looks later than that finds its records.
const KEPT_S: u64 = 7 * 24 * 3600;
/// Seconds between a pod's TERM and its end, and those that a notice needs around it.
const GRACE_S: f64 = 30.0;
const AROUND_NOTICE_S: f64 = 10.0;
const VOLUME: &str = "shared";

impl Kubernetes {
    pub(super) fn script<'s>(&'s self, batch: &'s Batch) -> Script<'s> {
        Script {
            program: &self.program,
            element: INDEX,
            first: 0,
            setup: self.options.setup.as_deref(),
            log: Some(&batch.key),
        }
    }

    /// The Job as text for `kubectl`, which reads JSON too.
    pub(super) fn manifest_text(&self, batch: &Batch) -> String {
        format!("{:#}", self.manifest(batch))
    }

    pub(super) fn manifest(&self, batch: &Batch) -> Value {
        let labels = self.labels(batch);
        let count = batch.len();
        let mut metadata = json!({ "name": batch.key, "labels": labels });
        put(&mut metadata, "namespace", self.options.namespace.as_ref());
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": metadata,
            "spec": {
                "completionMode": "Indexed",
                "completions": count,
                "parallelism": batch.parallel.map_or(count, |most| most.min(count)),
                // What is tried again is given out in another Job.
                "backoffLimitPerIndex": 0,
                "maxFailedIndexes": count,
                "podFailurePolicy": { "rules": [{
                    "action": "FailIndex",
                    "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }],
                }]},
                "podReplacementPolicy": "Failed",
                "ttlSecondsAfterFinished": KEPT_S,
                "template": {
                    "metadata": { "labels": labels },
                    "spec": self.pod(batch),
                },
            },
        })
    }

    fn labels(&self, batch: &Batch) -> Map<String, Value> {
        let own = self.options.labels.iter();
        let own = own.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        let ours = [
            ("app.kubernetes.io/managed-by", "fairtrial"),
            (KEY_LABEL, batch.key.as_str()),
        ];
        let ours = ours.map(|(name, value)| (name.to_owned(), Value::from(value)));
        own.chain(ours).collect()
    }

    fn pod(&self, batch: &Batch) -> Value {
        let options = &self.options;
        let needs = &batch.needs;
        let notice = needs
            .notice_s
            .map_or(0.0, |notice| notice + AROUND_NOTICE_S);
        let mut pod = json!({
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": GRACE_S.max(notice).ceil() as u64,
            "containers": [self.container(batch)],
        });
        if let Some(seconds) = options.time_s.or(needs.time_s) {
            // Of the pod and not of the Job, whose clock also runs while pods wait.
            pod["activeDeadlineSeconds"] = json!(seconds.ceil().max(1.0) as u64);
        }
        put(
            &mut pod,
            "serviceAccountName",
            options.service_account.as_ref(),
        );
        put(
            &mut pod,
            "priorityClassName",
            options.priority_class.as_ref(),
        );
        if !options.node_selector.is_empty() {
            pod["nodeSelector"] = json!(options.node_selector);
        }
        let tolerations: Vec<Value> = options
            .tolerations
            .iter()
            .filter_map(|text| toleration(text))
            .collect();
        if !tolerations.is_empty() {
            pod["tolerations"] = Value::from(tolerations);
        }
        if let Some(ContainerUser::Ids { user, group }) = self.user() {
            pod["securityContext"] = json!({ "runAsUser": user, "runAsGroup": group });
        }
        if let Some(volume) = &options.volume {
            pod["volumes"] = json!([{
                "name": VOLUME,
                "persistentVolumeClaim": { "claimName": volume.claim },
            }]);
        }
        pod
    }

    fn container(&self, batch: &Batch) -> Value {
        let options = &self.options;
        let script = shell_word(&batch.file("sh").display().to_string());
        let mut container = json!({
            "name": NAME_OF_CONTAINER,
            "image": options.image,
            // Which shells an image has is not known here.
            "command": ["/bin/sh", "-c", format!("exec \"$(command -v bash || echo /bin/sh)\" {script}")],
            "workingDir": batch.workdir,
            "resources": self.resources(&batch.needs),
        });
        if let Some(volume) = &options.volume {
            container["volumeMounts"] = json!([{ "name": VOLUME, "mountPath": volume.path }]);
        }
        let secrets = options.secrets.iter();
        let secrets: Vec<Value> = secrets
            .map(|name| json!({ "secretRef": { "name": name } }))
            .collect();
        if !secrets.is_empty() {
            container["envFrom"] = Value::from(secrets);
        }
        container
    }

    /// Without a word of the spec a pod asks for one CPU and is held to nothing.
    fn resources(&self, needs: &JobNeeds) -> Value {
        let (mut requests, mut limits) = (Map::new(), Map::new());
        requests.insert("cpu".to_owned(), json!(needs.cpus.unwrap_or(1).to_string()));
        if let Some(cpus) = needs.cpus {
            limits.insert("cpu".to_owned(), json!(cpus.to_string()));
        }
        if let Some(bytes) = needs.memory_bytes {
            requests.insert("memory".to_owned(), json!(bytes.to_string()));
            limits.insert("memory".to_owned(), json!(bytes.to_string()));
        }
        if needs.gpus > 0 {
            let name = self.options.gpu_resource.as_deref().unwrap_or(GPU);
            limits.insert(name.to_owned(), json!(needs.gpus.to_string()));
        }
        let mut resources = json!({ "requests": requests });
        if !limits.is_empty() {
            resources["limits"] = Value::Object(limits);
        }
        resources
    }

    /// As whom pods run: as who submits them, whose the files on the volume are.
    fn user(&self) -> Option<ContainerUser> {
        if let Some(text) = &self.options.user {
            return ContainerUser::parse(text);
        }
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        (!user.is_root()).then(|| ContainerUser::Ids {
            user: user.as_raw(),
            group: group.as_raw(),
        })
    }
}

const NAME_OF_CONTAINER: &str = "trials";

fn put(object: &mut Value, key: &str, text: Option<&String>) {
    if let Some(text) = text {
        object[key] = json!(text);
    }
}

fn toleration(text: &str) -> Option<Value> {
    let Toleration { key, value, effect } = Toleration::parse(text).ok()?;
    let operator = if value.is_some() { "Equal" } else { "Exists" };
    let mut found = json!({ "key": key, "operator": operator });
    put(&mut found, "value", value.as_ref());
    put(&mut found, "effect", effect.as_ref());
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{Kubernetes, json, toleration};
    use crate::remote::contract::{Batch, JobNeeds};
    use crate::remote::kubernetes::Places;
    use fairtrial_spec::KubernetesOptions;
    use std::path::Path;

    fn batch(needs: JobNeeds) -> Batch {
        Batch {
            key: "ft-1".into(),
            chunks: 4..7,
            needs,
            parallel: Some(2),
            beat_s: 1.0,
            folder: "/shared/it's/chunks".into(),
            plan: "/shared/plan.json".into(),
            workdir: "/shared".into(),
            store: None,
        }
    }

    #[test]
    fn a_pod_asks_for_what_the_tasks_need_and_nothing_else() {
        let options = KubernetesOptions {
            image: Some("bench:1".into()),
            user: Some("image".into()),
            ..KubernetesOptions::default()
        };
        let engine = Kubernetes::new(&options, Path::new("/shared/fairtrial"), Places::default());
        let pod = |needs| engine.manifest(&batch(needs))["spec"]["template"]["spec"].clone();
        let plain = pod(JobNeeds::default());
        assert_eq!(
            plain["containers"][0]["resources"],
            json!({ "requests": { "cpu": "1" } })
        );
        assert_eq!(plain["terminationGracePeriodSeconds"], 30);
        assert!(
            plain.get("activeDeadlineSeconds").is_none() && plain.get("securityContext").is_none()
        );
        let needs = JobNeeds {
            cpus: Some(4),
            memory_bytes: Some(1 << 30),
            gpus: 2,
            time_s: Some(90.5),
            notice_s: Some(60.0),
            ..JobNeeds::default()
        };
        let asked = pod(needs);
        let limits = json!({ "cpu": "4", "memory": "1073741824", "nvidia.com/gpu": "2" });
        assert_eq!(asked["containers"][0]["resources"]["limits"], limits);
        assert_eq!(asked["activeDeadlineSeconds"], 91);
        assert_eq!(
            asked["terminationGracePeriodSeconds"], 70,
            "what saves its state has its notice"
        );
    }

    #[test]
    fn taints_become_tolerations() {
        let wanted =
            json!({ "key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute" });
        assert_eq!(toleration("a=b:NoExecute"), Some(wanted));
        assert_eq!(
            toleration("a"),
            Some(json!({ "key": "a", "operator": "Exists" }))
        );
    }
}
