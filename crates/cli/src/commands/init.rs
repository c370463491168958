//! `init`: a spec to start from.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_journal::{Fresh, JournalError, write_once};
use fairtrial_spec::Format;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Print or write a commented spec to start from
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial init my-comparison.toml
  fairtrial plan my-comparison.toml    what it would run
  fairtrial run my-comparison.toml
  fairtrial init --kind training train.toml")]
pub(crate) struct Args {
    /// The file to make: .toml, .yaml, .yml or .json; without it the spec is printed as TOML. A file that is there is
    /// never written over
    file: Option<PathBuf>,
    /// What it is for; without it a comparison of two arms
    #[arg(long, value_enum)]
    kind: Option<Kind>,
}

/// What people come to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Training runs with learning curves
    Training,
    /// Agents that work on prepared tasks
    Agents,
    /// Which of two commands is faster
    Timing,
    /// A registered experiment
    Experiment,
    /// A table of results in the repository
    Table,
}

impl Kind {
    const fn spec(self) -> &'static str {
        match self {
            Self::Training => include_str!("../../assets/starter-training.toml"),
            Self::Agents => include_str!("../../assets/starter-agents.toml"),
            Self::Timing => include_str!("../../assets/starter-timing.toml"),
            Self::Experiment => include_str!("../../assets/starter-experiment.toml"),
            Self::Table => include_str!("../../assets/starter-table.toml"),
        }
    }
}

/// The same spec in each format; JSON has no comments, so there its notes say what they say.
fn starter(format: Format) -> &'static str {
    match format {
        Format::Toml => include_str!("../../assets/starter.toml"),
        Format::Yaml => include_str!("../../assets/starter.yaml"),
        Format::Json => include_str!("../../assets/starter.json"),
    }
}

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let printed = args.file.as_deref().filter(|file| *file != Path::new("-"));
    let Some(file) = printed else {
        let text = args.kind.map_or_else(|| starter(Format::Toml), Kind::spec);
        printer.page(text.trim_end());
        return Ok(Exit::Fine);
    };
    let format = Format::of_path(file).ok_or_else(|| {
        let message = format!(
            "cannot make {}: its extension names no format of a spec",
            file.display()
        );
        Failure::input(message).hint(format!(
            "name it .toml, .yaml, .yml or .json, as {}",
            file.with_extension("toml").display()
        ))
    })?;
    let text = match args.kind {
        None => starter(format),
        Some(kind) if format == Format::Toml => kind.spec(),
        Some(_) => {
            let message = format!("cannot make {}: specs of a kind are TOML", file.display());
            let named = file.with_extension("toml");
            return Err(Failure::input(message).hint(format!("name it {}", named.display())));
        }
    };
    let text = text.as_bytes();
    // In one step: what a full disk leaves half written would stand in the way of the next try.
    match write_once(file, text) {
        Ok(Fresh::Written) => {}
        Ok(Fresh::Taken) => {
            let message = format!("cannot make {}: it is there already", file.display());
            return Err(Failure::input(message).hint("name another file; nothing was changed"));
        }
        Err(error) => return Err(cannot_make(file, error)),
    }
    let shows = format!(
        "`fairtrial plan {0}` shows what it would run",
        file.display()
    );
    let task = (args.kind == Some(Kind::Agents)).then(|| first_task(file));
    let task = task.transpose()?.flatten();
    let task = task.map_or(String::new(), |task| format!(" and {}", task.display()));
    printer.tell(format!("made {}{task}; {shows}", file.display()));
    Ok(Exit::Fine)
}

/// The files of the task that the spec of agents names.
const FIRST_TASK: [(&str, &str); 2] = [
    (
        "tb_meta.json",
        include_str!("../../assets/starter-task.json"),
    ),
    (
        "solution.sh",
        include_str!("../../assets/starter-solution.sh"),
    ),
];

/// Makes that task beside the spec; nothing where there is one.
fn first_task(spec: &Path) -> Result<Option<PathBuf>, Failure> {
    let folder = spec.with_file_name("tasks").join("first");
    if folder.exists() {
        return Ok(None);
    }
    let made = fs::create_dir_all(&folder);
    made.map_err(|error| Failure::input(format!("cannot make {}: {error}", folder.display())))?;
    for (name, text) in FIRST_TASK {
        let file = folder.join(name);
        write_once(&file, text.as_bytes()).map_err(|error| cannot_make(&file, error))?;
    }
    Ok(Some(folder))
}

/// A folder that is not there is the user's slip; a disk that is full is not.
fn cannot_make(file: &Path, error: JournalError) -> Failure {
    match error {
        JournalError::Io { source, .. }
            if matches!(
                source.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
            ) =>
        {
            Failure::input(format!("cannot make {}: {source}", file.display()))
        }
        error => error.into(),
    }
}
