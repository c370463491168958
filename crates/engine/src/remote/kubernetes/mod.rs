//! Kubernetes, through `kubectl`: an Indexed Job per submission, one pod per chunk, which is never started twice. Pods
//! share a volume with this machine: chunks, heartbeats and records are read there.

mod answers;
mod cluster;
mod manifest;
mod status;

use super::command::{CommandError, Shell};
use super::contract::{Adopted, Batch, Engine, JobState, PlaceError, Probe, Sightings, Submitted};
use super::script;
use answers::{Event, INDEX_LABEL, Job, KEY_LABEL, List, Pod};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::KubernetesOptions;
use fairtrial_text::shell_word::shell_word;
use serde::de::DeserializeOwned;
use status::Pulls;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "kubernetes";

/// A Kubernetes cluster.
pub(crate) struct Kubernetes {
    shell: Shell,
    options: KubernetesOptions,
    program: PathBuf,
    places: Places,
    pulls: Mutex<Pulls>,
}

/// What pods must see.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// Where runs lie.
    pub(crate) data: PathBuf,
    /// The spec's folder.
    pub(crate) base_dir: PathBuf,
    /// Whether the spec names the binary, which may then be in the image.
    pub(crate) program_is_named: bool,
}

impl Kubernetes {
    pub(crate) fn new(options: &KubernetesOptions, program: &Path, places: Places) -> Self {
        Self {
            shell: Shell::on(None),
            options: options.clone(),
            program: program.to_owned(),
            places,
            pulls: Mutex::default(),
        }
    }

    /// A command of `kubectl` for this cluster and namespace.
    fn words(&self, rest: &[&str]) -> Vec<String> {
        let KubernetesOptions {
            context, namespace, ..
        } = &self.options;
        let mut words = vec!["kubectl".to_owned()];
        words.extend(context.as_ref().map(|name| format!("--context={name}")));
        words.extend(namespace.as_ref().map(|name| format!("--namespace={name}")));
        words.extend(rest.iter().map(|word| (*word).to_owned()));
        words
    }

    /// The same as a line for people.
    fn line(&self, rest: &[&str]) -> String {
        let words: Vec<String> = self
            .words(rest)
            .iter()
            .map(|word| shell_word(word))
            .collect();
        words.join(" ")
    }

    fn run(&self, rest: &[&str]) -> Result<String, CommandError> {
        let words = self.words(rest);
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        self.shell.run(&argv)
    }

    /// What there is of a kind, as JSON.
    fn list<T: DeserializeOwned>(&self, rest: &[&str]) -> Result<Vec<T>, PlaceError> {
        let mut words = vec!["get", "-o", "json"];
        words.extend(rest);
        let answer = self.run(&words)?;
        let list: List<T> = serde_json::from_str(&answer).map_err(|error| PlaceError::Answer {
            engine: NAME,
            message: format!("`kubectl get` printed no list: {error}"),
        })?;
        Ok(list.items)
    }

    /// Why no pod of a Job could be made, where the cluster says so.
    fn refused_pods(&self, job: &str) -> Option<String> {
        let about =
            format!("involvedObject.kind=Job,involvedObject.name={job},reason=FailedCreate");
        let mut events: Vec<Event> = self.list(&["events", "--field-selector", &about]).ok()?;
        events.sort_by(|one, other| one.last_timestamp.cmp(&other.last_timestamp));
        events.pop().map(|event| event.message)
    }

    /// The filter for pods of some elements.
    fn pods_of(batch: &Submitted, elements: &[u64]) -> String {
        let list: Vec<String> = elements.iter().map(u64::to_string).collect();
        format!(
            "{KEY_LABEL}={},{INDEX_LABEL} in ({})",
            batch.key,
            list.join(",")
        )
    }

    /// What ends a batch, or some of its elements: those that have no pod yet leave by themselves when they begin.
    fn ending(batch: &Submitted, elements: Option<&[u64]>) -> Vec<String> {
        let words: &[&str] = match elements {
            None => &["delete", "job", &batch.key, "--cascade=foreground"],
            Some(elements) => &["delete", "pods", "-l", &Self::pods_of(batch, elements)],
        };
        let rest = ["--wait=false", "--ignore-not-found"];
        let all = words.iter().chain(&rest);
        all.map(|word| (*word).to_owned()).collect()
    }

    fn pulls(&self) -> std::sync::MutexGuard<'_, Pulls> {
        self.pulls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine for Kubernetes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn probe(&self) -> Result<Probe, PlaceError> {
        self.check_places()?;
        self.check_cluster()
    }

    fn rehearse(&self, batch: &Batch) -> Result<Option<String>, PlaceError> {
        self.rehearse_job(batch)
    }

    fn preview(&self, batch: &Batch) -> Result<String, PlaceError> {
        let (script, job) = (batch.file("sh"), batch.file("json"));
        let text = script::text(batch, &self.script(batch));
        let create = self.line(&["create", "-f", &job.display().to_string()]);
        Ok(format!(
            "# {}\n{text}\n# {}\n{}\n# {create}\n",
            script.display(),
            job.display(),
            self.manifest_text(batch),
        ))
    }

    fn submit(&self, batch: &Batch) -> Result<String, PlaceError> {
        script::write(batch, &self.script(batch))?;
        let job = batch.file("json");
        let text = self.manifest_text(batch);
        write_atomic_bytes(&job, Durability::Content, text.as_bytes())?;
        match self.run(&["create", "-f", &job.display().to_string()]) {
            // The name is the key: one that is there is that of an earlier try.
            Err(CommandError::Failed { message, .. }) if message.contains("(AlreadyExists)") => {}
            other => drop(other?),
        }
        Ok(batch.key.clone())
    }

    fn adopt(&self, key: &str) -> Result<Adopted, PlaceError> {
        let found = self.run(&["get", "job", key, "--ignore-not-found", "-o", "name"])?;
        let there = !found.trim().is_empty();
        Ok(if there {
            Adopted::Handle(key.to_owned())
        } else {
            Adopted::NotThere
        })
    }

    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError> {
        let mut seen = Sightings::new();
        if batches.is_empty() {
            return Ok(seen);
        }
        let keys: Vec<&str> = batches.iter().map(|batch| batch.key.as_str()).collect();
        let ours = format!("{KEY_LABEL} in ({})", keys.join(","));
        // Pods first: one that succeeds in between is then in its Job's list. Those that have are only there.
        let running = "--field-selector=status.phase!=Succeeded";
        let pods: Vec<Pod> = self.list(&["pods", "-l", &ours, running])?;
        let jobs: Vec<Job> = self.list(&["jobs", "-l", &ours])?;
        let mut by_job: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
        for pod in &pods {
            if let Some(key) = pod.metadata.labels.get(KEY_LABEL) {
                by_job.entry(key).or_default().push(pod);
            }
        }
        for batch in batches {
            let Some(job) = jobs.iter().find(|job| job.metadata.name == batch.key) else {
                continue;
            };
            let pods = by_job.remove(batch.key.as_str()).unwrap_or_default();
            let states = status::states(job, &pods, batch.elements, &mut self.pulls());
            let podless = states.values().any(status::has_no_pod);
            let refusal = (podless && pods.is_empty())
                .then(|| self.refused_pods(&batch.key))
                .flatten();
            for (element, mut state) in states {
                if let (Some(words), true) = (&refusal, status::has_no_pod(&state)) {
                    state = status::refused(words);
                }
                seen.insert((batch.key.clone(), element), state);
            }
        }
        Ok(seen)
    }

    /// A Job that was made and is not there was deleted: Kubernetes forgets none before its time.
    fn second_look(&self, missed: &[(&Submitted, Vec<u64>)]) -> Result<Sightings, PlaceError> {
        let mut seen = Sightings::new();
        for (batch, elements) in missed {
            if batch.handle.is_some() && self.adopt(&batch.key)? == Adopted::NotThere {
                let gone = |element: &u64| ((batch.key.clone(), *element), JobState::Cancelled);
                seen.extend(elements.iter().map(gone));
            }
        }
        Ok(seen)
    }

    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError> {
        let words = Self::ending(batch, elements);
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run(&argv)?;
        Ok(())
    }

    fn cancel_line(&self, batch: &Submitted, elements: &[u64]) -> Option<String> {
        let open = elements.len() as u64;
        let words = Self::ending(batch, (open < batch.elements).then_some(elements));
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        Some(self.line(&argv))
    }

    fn release(&self, batch: &Submitted, reason: &str) -> Option<String> {
        let resume = r#"{"spec":{"suspend":false}}"#;
        let words = ["patch", "job", &batch.key, "--type=merge", "-p", resume];
        (reason == status::SUSPENDED).then(|| self.line(&words))
    }

    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError> {
        // What the script writes is on the volume, and stays. Where it did not begin, only the cluster knows why.
        let kept = batch.folder.join(format!("{}-{element}.log", batch.key));
        if kept.exists() {
            return script::read_log(NAME, &kept);
        }
        let pods = Self::pods_of(batch, &[element]);
        let said = self.run(&["logs", "-l", &pods, "--tail=-1", "--ignore-errors"])?;
        if !said.trim().is_empty() {
            return Ok(said);
        }
        let pods: Vec<Pod> = self.list(&["pods", "-l", &pods])?;
        let words = pods.iter().filter_map(Pod::last_words);
        Ok(words.collect::<Vec<_>>().join("\n"))
    }
}

/// Reads a text as every answer of `kubectl` that there is.
pub(super) fn read_any(text: &str) {
    let _ = serde_json::from_str::<List<Event>>(text);
    let pods = serde_json::from_str::<List<Pod>>(text);
    let jobs = serde_json::from_str::<List<Job>>(text);
    if let (Ok(pods), Ok(jobs)) = (pods, jobs) {
        let pods: Vec<&Pod> = pods.items.iter().collect();
        for job in jobs.items {
            status::states(&job, &pods, 8, &mut Pulls::default());
        }
    }
}
