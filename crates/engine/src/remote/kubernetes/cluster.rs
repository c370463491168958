//! What a cluster is and allows, looked at before anything is submitted.

use super::{Kubernetes, NAME};
use crate::remote::command::{CommandError, Shell};
use crate::remote::contract::{Batch, PlaceError, Probe};
use fairtrial_text::shell_word::shell_word;
use serde::Deserialize;
use std::path::Path;

/// The first version in which an element that fails ends no other: `backoffLimitPerIndex`, on by default.
const LEAST_MINOR: u64 = 29;
/// Most elements of one Job: its status holds a list of those that ended.
const MAX_ELEMENTS: u64 = 10_000;

/// What `kubectl version` prints.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    server_version: Option<Version>,
}

#[derive(Debug, Deserialize)]
struct Version {
    major: String,
    minor: String,
    #[serde(rename = "gitVersion")]
    build: String,
}

impl Version {
    /// Managed clusters write `29+`.
    fn minor(&self) -> u64 {
        let digits = self.minor.trim_end_matches(|c: char| !c.is_ascii_digit());
        digits.parse().unwrap_or(0)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Claim {
    spec: ClaimSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClaimSpec {
    access_modes: Vec<String>,
}

/// What one may ask of a cluster, and what is lost without it.
const RIGHTS: [(&str, &str); 4] = [
    ("create", "jobs.batch"),
    ("list", "jobs.batch"),
    ("delete", "jobs.batch"),
    ("list", "pods"),
];

impl Kubernetes {
    /// The cluster that `kubectl` reaches from here, in words.
    pub(crate) fn here() -> Result<String, PlaceError> {
        let words = ["kubectl", "version", "-o", "json", "--request-timeout=5s"];
        let answer = Shell::on(None).run(&words).map_err(unreached)?;
        Ok(of_answer(&answer)?.1)
    }

    /// Pods must see the folders that are written here.
    pub(super) fn check_places(&self) -> Result<(), PlaceError> {
        let Some(volume) = &self.options.volume else {
            return Ok(());
        };
        let root = Path::new(&volume.path);
        let places = &self.places;
        let own_program = (!places.program_is_named).then_some(self.program.as_path());
        let wanted = [
            (
                "the data folder",
                Some(places.data.as_path()),
                "`--data-dir`",
            ),
            (
                "the spec's folder",
                Some(places.base_dir.as_path()),
                "move the spec",
            ),
            (
                "this `fairtrial` binary",
                own_program,
                "copy it there, or name the image's with `engine.program`",
            ),
        ];
        for (what, path, way) in wanted {
            let Some(path) = path.filter(|path| !path.starts_with(root)) else {
                continue;
            };
            return Err(PlaceError::unfit(
                NAME,
                format!(
                    "{what} ({}) is not below {}, where pods see `engine.kubernetes.volume`: {way}",
                    path.display(),
                    root.display()
                ),
            ));
        }
        Ok(())
    }

    pub(super) fn check_cluster(&self) -> Result<Probe, PlaceError> {
        let answer = self.run(&["version", "-o", "json"]).map_err(unreached)?;
        let (minor, version) = of_answer(&answer)?;
        if minor < LEAST_MINOR {
            let message = format!(
                "the cluster is {version}, and 1.{LEAST_MINOR} is needed (`backoffLimitPerIndex`)"
            );
            return Err(PlaceError::unfit(NAME, message));
        }
        self.check_objects()?;
        for (verb, kind) in RIGHTS {
            // It prints `no` and exits with 1 where one may not.
            let may = self.run(&["auth", "can-i", verb, kind, "--quiet"]);
            if let Err(CommandError::Failed { message, .. }) = may {
                let why = if message.contains("it said nothing") {
                    ""
                } else {
                    &message
                };
                let message = format!(
                    "you may not {verb} {kind} there (`{}`) {why}",
                    self.line(&["auth", "can-i", verb, kind])
                );
                return Err(PlaceError::unfit(NAME, message.trim_end()));
            }
            may?;
        }
        let mut warnings = Vec::new();
        warnings.extend(self.claim_warning()?);
        Ok(Probe {
            version,
            max_elements: MAX_ELEMENTS,
            warnings,
            ..Probe::default()
        })
    }

    /// What the spec names must be there. Who may not look at it is not refused for that.
    fn check_objects(&self) -> Result<(), PlaceError> {
        let options = &self.options;
        let named = [
            ("namespace", "namespace", options.namespace.as_deref()),
            (
                "service_account",
                "serviceaccount",
                options.service_account.as_deref(),
            ),
            (
                "priority_class",
                "priorityclass",
                options.priority_class.as_deref(),
            ),
        ];
        let secrets = options.secrets.iter();
        let secrets = secrets.map(|name| ("secrets", "secret", Some(name.as_str())));
        for (key, kind, name) in named.into_iter().chain(secrets) {
            let Some(name) = name else { continue };
            let looked = self.run(&["get", kind, name, "-o", "name"]);
            refuse_missing(looked, key, name)?;
        }
        Ok(())
    }

    /// What to know of the claim: one that only one node may mount keeps all pods on that node.
    fn claim_warning(&self) -> Result<Option<String>, PlaceError> {
        let Some(volume) = &self.options.volume else {
            return Ok(None);
        };
        let looked = self.run(&["get", "persistentvolumeclaim", &volume.claim, "-o", "json"]);
        let answer = refuse_missing(looked, "volume.claim", &volume.claim)?;
        let claim: Claim = answer
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let modes = claim.spec.access_modes;
        let many = modes.is_empty() || modes.iter().any(|mode| mode == "ReadWriteMany");
        Ok((!many).then(|| {
            format!(
                "the claim `{}` is {}: pods may run on one node only",
                volume.claim,
                modes.join(", ")
            )
        }))
    }

    /// Has the server check the Job, with all that a site adds to that, without making it.
    pub(super) fn rehearse_job(&self, batch: &Batch) -> Result<Option<String>, PlaceError> {
        let mut batch = batch.clone();
        // The name of a run that is not there yet has capital letters, which the server would not take.
        batch.key = batch.key.to_lowercase();
        let text = self.manifest(&batch).to_string();
        let create = self.line(&["create", "--dry-run=server", "-o", "name", "-f", "-"]);
        let line = format!(
            "printf %s {} | {create} 2>&1 || {{ code=$?; echo; exit $code; }}",
            shell_word(&text)
        );
        match self.shell.line(&line).map_err(PlaceError::from) {
            Ok(said) => Ok(warnings(&said)),
            Err(error) if error.is_temporary() => Ok(None),
            Err(PlaceError::Command(CommandError::Failed { message, .. })) => {
                let message = format!("the cluster would refuse this Job: {message}");
                Err(PlaceError::Refused {
                    engine: NAME,
                    message,
                })
            }
            Err(error) => Err(error),
        }
    }
}

/// An answer, or the refusal of a name that the cluster does not know.
fn refuse_missing(
    looked: Result<String, CommandError>,
    key: &str,
    name: &str,
) -> Result<Option<String>, PlaceError> {
    match looked {
        Ok(answer) => Ok(Some(answer)),
        Err(CommandError::Failed { message, .. }) if message.contains("(NotFound)") => {
            let message =
                format!("`engine.kubernetes.{key}` is `{name}`, which is not there: {message}");
            Err(PlaceError::unfit(NAME, message))
        }
        Err(CommandError::Failed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the server warned of while it took a Job.
fn warnings(said: &str) -> Option<String> {
    let lines = said.lines().filter(|line| line.starts_with("Warning:"));
    let found: Vec<&str> = lines.collect();
    (!found.is_empty()).then(|| format!("the cluster says of these Jobs: {}", found.join("; ")))
}

/// The server's minor version, and how it calls itself.
fn of_answer(answer: &str) -> Result<(u64, String), PlaceError> {
    let versions: Option<Versions> = serde_json::from_str(answer).ok();
    let server = versions.and_then(|versions| versions.server_version);
    let server = server.ok_or_else(|| PlaceError::Answer {
        engine: NAME,
        message: "`kubectl version` names no server".to_owned(),
    })?;
    let minor = if server.major == "1" {
        server.minor()
    } else {
        u64::MAX
    };
    Ok((minor, format!("kubernetes {}", server.build)))
}

fn unreached(error: CommandError) -> PlaceError {
    match error {
        CommandError::Start { .. } => {
            PlaceError::unfit(NAME, format!("{error}; is `kubectl` installed?"))
        }
        CommandError::Failed { message, .. } => {
            let last = message.lines().last().unwrap_or_default();
            PlaceError::unfit(
                NAME,
                format!("no cluster is reached: {last} (`kubectl config get-contexts`)"),
            )
        }
        error => error.into(),
    }
}
