//! The declared metrics of a spec over the files that a trial left, each file read once per declaration.

use crate::error::EpisodeError;
use crate::measure;
use crate::measure::Answer;
use crate::open::open_regular;
use fairtrial_model::{EpisodeFile, Measure, MetricDeclaration, MetricSource};
use std::path::PathBuf;

/// One number, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Place of the metric in the list that was given.
    pub declared: usize,
    /// The metric's name; one that is split by a column has the word in it.
    pub name: String,
    /// The number, converted and rounded as declared.
    pub value: Result<f64, EpisodeError>,
    /// The different words, where these were counted.
    pub words: Vec<String>,
}

/// Measures every metric that comes from an episode file; `locate` says where a file is.
pub fn measure_all(
    declared: &[MetricDeclaration],
    locate: impl Fn(&EpisodeFile) -> Result<PathBuf, EpisodeError>,
) -> Vec<Measured> {
    let mut found = Vec::new();
    for (file, wanted) in by_file(declared) {
        let measures: Vec<&Measure> = wanted.iter().map(|(_, measure)| *measure).collect();
        let answers = locate(file).and_then(|path| {
            let opened =
                open_regular(&path).map_err(|error| EpisodeError::io(&file.file, &error))?;
            measure(file, opened, &measures)
        });
        let answers = answers.unwrap_or_else(|error| vec![Err(error); wanted.len()]);
        for ((place, measure), answer) in wanted.into_iter().zip(answers) {
            take(&declared[place], place, measure, answer, &mut found);
        }
    }
    found
}

type Wanted<'a> = (&'a EpisodeFile, Vec<(usize, &'a Measure)>);

fn by_file(declared: &[MetricDeclaration]) -> Vec<Wanted<'_>> {
    let mut files: Vec<Wanted<'_>> = Vec::new();
    for (place, metric) in declared.iter().enumerate() {
        let MetricSource::Episodes { episodes, measure } = &metric.source else {
            continue;
        };
        match files.iter_mut().find(|(known, _)| *known == &**episodes) {
            Some((_, wanted)) => wanted.push((place, measure)),
            None => files.push((episodes, vec![(place, measure)])),
        }
    }
    files
}

fn take(
    metric: &MetricDeclaration,
    declared: usize,
    measure: &Measure,
    answer: Result<Answer, EpisodeError>,
    found: &mut Vec<Measured>,
) {
    let (answer, words) = match answer {
        Ok(Answer::Per(parts)) => {
            let column = format!("{{{}}}", measure.per.as_deref().unwrap_or_default());
            found.extend(parts.into_iter().map(|(word, value)| Measured {
                declared,
                name: metric.name.replace(&column, &word),
                value: Ok(metric.kept(value)),
                words: Vec::new(),
            }));
            return;
        }
        Ok(Answer::One { value, words }) => (Ok(metric.kept(value)), words),
        Err(error) => (Err(error), Vec::new()),
    };
    found.push(Measured {
        declared,
        name: metric.name.clone(),
        value: answer,
        words,
    });
}
