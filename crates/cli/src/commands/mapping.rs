//! Arguments about other tools' results, wherever a command takes some.

use crate::console::Console;
use fairtrial_session::{Given, Mapping, Session};

/// How other tools' results are read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Other tools' results")]
pub(crate) struct MappingArgs {
    /// What kind of file or folder it is [default: told by its content; `fairtrial import --list` names the kinds]
    #[arg(long, value_name = "KIND")]
    format: Option<String>,
    /// The field of the other tool that is the arm [default: by the rules of the kind]
    #[arg(long, value_name = "FIELD")]
    arm: Option<String>,
    /// The field that is the task
    #[arg(long, value_name = "FIELD")]
    task: Option<String>,
    /// The field that is the seed
    #[arg(long, value_name = "FIELD")]
    seed_key: Option<String>,
}

impl MappingArgs {
    /// Whether anything was said.
    pub(crate) fn is_given(&self) -> bool {
        let said = [&self.format, &self.arm, &self.task, &self.seed_key];
        said.into_iter().any(Option::is_some)
    }

    /// A session that reads other tools' results so.
    pub(crate) fn session(&self, console: &Console) -> Session {
        console.session().mapped(Mapping {
            format: self.format.clone(),
            given: Given {
                arm: self.arm.clone(),
                task: self.task.clone(),
                seed: self.seed_key.clone(),
            },
        })
    }
}
