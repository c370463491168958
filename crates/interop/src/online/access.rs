//! The way to servers, which only the user has.

use std::time::Duration;

/// What the way to a server needs, which only the user has.
#[derive(Debug, Clone)]
pub struct Access {
    /// The Python that has the user's `wandb`.
    pub python: String,
    /// How long one question may take.
    pub limit: Duration,
    /// The token for MLflow (`MLFLOW_TRACKING_TOKEN`).
    pub token: Option<String>,
    /// The name and password for MLflow (`MLFLOW_TRACKING_USERNAME`, `MLFLOW_TRACKING_PASSWORD`).
    pub password: Option<(String, String)>,
}
