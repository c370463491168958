//! Results that lie on a server: a W&B project, through the user's own client, and an MLflow server, by its REST interface.

pub(crate) mod access;
#[cfg(feature = "server")]
mod mlflow;
mod wandb;

use crate::collect::{Collected, Keep};
use crate::error::InteropError;
use crate::format::Format;
use crate::formats::format_named;
use access::Access;

/// A place that is no file: `wandb:ENTITY/PROJECT[/RUN]` or `mlflow:http://HOST:5000[#EXPERIMENT]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Online {
    /// A project, or a run of it.
    Wandb(String),
    /// A server.
    Mlflow {
        /// Its address.
        url: String,
        /// One experiment of it, else all.
        experiment: Option<String>,
    },
}

impl Online {
    /// The place that a word on the command line names; nothing where it names none.
    pub fn parse(word: &str) -> Option<Result<Self, InteropError>> {
        if let Some(path) = word.strip_prefix("wandb:") {
            let parts = path.split('/').filter(|part| !part.is_empty()).count();
            return Some(if (2..=3).contains(&parts) {
                Ok(Self::Wandb(path.trim_matches('/').to_owned()))
            } else {
                Err(InteropError::Unknown(format!(
                    "{word}: expected wandb:ENTITY/PROJECT or wandb:ENTITY/PROJECT/RUN"
                )))
            });
        }
        let rest = word.strip_prefix("mlflow:")?;
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            return Some(Err(InteropError::Unknown(format!(
                "{word}: expected mlflow:http://HOST:PORT, with #EXPERIMENT behind it for one experiment"
            ))));
        }
        let (url, experiment) = match rest.split_once('#') {
            Some((url, experiment)) => (url, Some(experiment.to_owned())),
            None => (rest, None),
        };
        Some(Ok(Self::Mlflow {
            url: url.trim_end_matches('/').to_owned(),
            experiment,
        }))
    }

    /// The format whose rules hold for what lies there.
    pub fn format(&self) -> Result<&'static dyn Format, InteropError> {
        format_named(match self {
            Self::Wandb(_) => "wandb",
            Self::Mlflow { .. } => "mlflow",
        })
    }

    /// Reads everything that lies there.
    pub fn read(&self, access: &Access, keep: Keep) -> Result<Collected, InteropError> {
        self.fill(Collected::keeping(keep), access)
    }

    /// The same with what is found there.
    pub(crate) fn fill(
        &self,
        mut found: Collected,
        access: &Access,
    ) -> Result<Collected, InteropError> {
        match self {
            Self::Wandb(path) => wandb::read(path, access, &mut found)?,
            #[cfg(feature = "server")]
            Self::Mlflow { url, experiment } => {
                mlflow::read(url, experiment.as_deref(), access, &mut found)?;
            }
            #[cfg(not(feature = "server"))]
            Self::Mlflow { .. } => {
                return Err(InteropError::Unknown(
                    "this build has no way to servers (feature `server`)".to_owned(),
                ));
            }
        }
        if found.executions.is_empty() {
            return Err(InteropError::Unknown(format!("{self} holds no runs")));
        }
        Ok(found)
    }
}

impl std::fmt::Display for Online {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Wandb(path) => write!(f, "wandb:{path}"),
            Self::Mlflow {
                url,
                experiment: Some(experiment),
            } => write!(f, "mlflow:{url}#{experiment}"),
            Self::Mlflow { url, .. } => write!(f, "mlflow:{url}"),
        }
    }
}
