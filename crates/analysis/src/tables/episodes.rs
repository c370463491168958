//! One number per episode of the trials behind a cell, from the files that they left.
//!
//! A file that was cleaned away is not missed. One that is there and cannot be used is told: the lines that need it are
//! judged by weaker evidence, and nothing else would say why.

use super::rows::RunRow;
use super::unit::share_scale;
use fairtrial_episode::{EpisodeError, EpisodeNumber, locate, open_regular, per_episode};
use fairtrial_journal::{DataRoot, home_in};
use fairtrial_model::{EpisodeFile, Measure, MeasureKind, MetricDeclaration, MetricSource};
use fairtrial_spec::TableColumn;
use std::path::{Path, PathBuf};

/// Episode files that are there and cannot be used, each with the first reason that was met.
#[derive(Default)]
pub(super) struct Unusable {
    files: Vec<(PathBuf, String)>,
}

impl Unusable {
    fn add(&mut self, path: PathBuf, note: impl FnOnce() -> String) {
        // Every column that comes from the file meets it again.
        if self.files.iter().all(|(known, _)| *known != path) {
            self.files.push((path, note()));
        }
    }

    /// What a reader should know, file by file.
    pub(super) fn notes(self) -> impl Iterator<Item = String> {
        self.files.into_iter().map(|(_, note)| note)
    }
}

/// The numbers of all episodes of a row; none where a trial's file is not here or cannot be used.
pub(super) fn episodes(
    row: &RunRow,
    (column, metric): (&TableColumn, &MetricDeclaration),
    root: &DataRoot,
    unusable: &mut Unusable,
) -> Vec<EpisodeNumber> {
    let MetricSource::Episodes { episodes, measure } = &metric.source else {
        return Vec::new();
    };
    let factor = match measure.kind {
        _ if measure.per.is_some() => return Vec::new(),
        MeasureKind::Mean(_) => share_scale(metric, column),
        MeasureKind::Share(_) => 1.0,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut complete = true;
    for trial in &row.trials {
        match of_trial(episodes, measure, (root, &trial.dir)) {
            Ok(numbers) => found.extend(numbers.into_iter().map(|number| EpisodeNumber {
                identity: format!("{}/{}/{}", trial.seed, trial.rollout, number.identity),
                value: number.value * factor,
            })),
            Err(problem) => {
                complete = false;
                if let Some((path, why)) = problem {
                    let key = &row.row.key;
                    unusable.add(path, || {
                        format!("{key}: judged without an episode file that cannot be used: {why}")
                    });
                }
            }
        }
    }
    if complete { found } else { Vec::new() }
}

/// The file in question and what is wrong with it; nothing where there is no file.
type Problem = Option<(PathBuf, String)>;

fn of_trial(
    episodes: &EpisodeFile,
    measure: &Measure,
    (root, dir): (&DataRoot, &str),
) -> Result<Vec<EpisodeNumber>, Problem> {
    let home = home_in(root, dir);
    let folder = home.join(dir);
    let path = locate(&folder, &episodes.file).map_err(|error| {
        let why = |error| format!("in {dir}, {error}");
        there(error).map(|error| (folder.join(&episodes.file), why(error)))
    })?;
    // Messages name this very file, not the pattern by which it was found.
    let inside = path.strip_prefix(&home).unwrap_or(&path);
    let named = EpisodeFile {
        file: inside.display().to_string(),
        ..episodes.clone()
    };
    numbers(&named, &path, measure)
        .map_err(|error| there(error).map(|error| (path.clone(), error.to_string())))
}

fn numbers(
    file: &EpisodeFile,
    path: &Path,
    measure: &Measure,
) -> Result<Vec<EpisodeNumber>, EpisodeError> {
    let opened = open_regular(path).map_err(|error| EpisodeError::io(&file.file, &error))?;
    Ok(per_episode(file, opened, measure)?.numbers)
}

/// The error of a file that is there.
fn there(error: EpisodeError) -> Option<EpisodeError> {
    Some(error).filter(|error| !matches!(error, EpisodeError::NoFile(_)))
}
