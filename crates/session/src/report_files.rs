//! The report of a run as files: pages, charts, and what the spec's reporters write.

use crate::error::SessionError;
use crate::feature::HTML;
use crate::picture::Picture;
use crate::session::Session;
use crate::version::VERSION;
use fairtrial_analysis::report::ReportData;
use fairtrial_journal::{Durability, RunDir, resolved_spec, write_atomic_bytes};
use fairtrial_model::Stamp;
use fairtrial_report::markdown::MarkdownReport;
use fairtrial_report::seal::SealFacts;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the pages of a report go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportFiles {
    /// The HTML page.
    pub html: Option<PathBuf>,
    /// The Markdown page, its charts beside it.
    pub md: Option<PathBuf>,
}

impl ReportFiles {
    /// Both pages in a folder; only Markdown where this build has no other.
    fn within(folder: &Path) -> Self {
        Self {
            html: HTML.built_in.then(|| folder.join("report.html")),
            md: Some(folder.join("report.md")),
        }
    }

    /// Writes the pages, the HTML page by this template where there is one, and gives their paths.
    pub fn write(
        &self,
        data: &ReportData,
        template: Option<&str>,
    ) -> Result<Vec<PathBuf>, SessionError> {
        let mut written = Vec::new();
        if let Some(path) = &self.html {
            write(path, &html_page(data, template)?)?;
            written.push(path.clone());
        }
        if let Some(path) = &self.md {
            let report = markdown(data, &stem(path))?;
            write(path, &report.text)?;
            for (name, svg) in &report.charts {
                write(&path.with_file_name(name), svg)?;
            }
            written.push(path.clone());
        }
        Ok(written)
    }
}

/// The HTML page of a report, by this template where there is one.
pub fn html_page(data: &ReportData, template: Option<&str>) -> Result<String, SessionError> {
    let history = data.history_runs();
    page(data, template, &facts(data, template, &history))
}

/// The HTML page of a report with a page for each trial beside it.
pub(crate) fn bundled_page(
    data: &ReportData,
    template: Option<&str>,
) -> Result<String, SessionError> {
    let history = data.history_runs();
    let facts = SealFacts {
        bundle: true,
        ..facts(data, template, &history)
    };
    page(data, template, &facts)
}

/// The Markdown page of a report; its charts are files beside it, which are not written.
pub fn markdown_page(data: &ReportData) -> Result<String, SessionError> {
    Ok(markdown(data, "report")?.text)
}

fn markdown(data: &ReportData, stem: &str) -> Result<MarkdownReport, SessionError> {
    let history = data.history_runs();
    fairtrial_report::markdown::report(data, stem, &facts(data, None, &history))
        .map_err(|error| SessionError::Machine(error.to_string()))
}

fn facts<'a>(
    data: &'a ReportData,
    template: Option<&'a str>,
    history: &'a [Stamp],
) -> SealFacts<'a> {
    SealFacts {
        version: VERSION,
        template,
        history,
        masked: &data.masked,
        bundle: false,
    }
}

/// The template of the HTML page, where this build can write one.
pub fn page_template() -> Result<&'static str, SessionError> {
    #[cfg(feature = "html")]
    return Ok(fairtrial_report::html::TEMPLATE);
    #[cfg(not(feature = "html"))]
    HTML.need().map(|()| "")
}

#[cfg(feature = "html")]
fn page(
    data: &ReportData,
    template: Option<&str>,
    facts: &SealFacts<'_>,
) -> Result<String, SessionError> {
    fairtrial_report::html::report(data, template, facts)
        .map_err(|error| SessionError::Input(error.to_string()))
}

#[cfg(not(feature = "html"))]
fn page(_: &ReportData, _: Option<&str>, _: &SealFacts<'_>) -> Result<String, SessionError> {
    HTML.need().map(|()| String::new())
}

/// Writes every chart of a report as a file of its own and gives their paths.
pub fn write_charts(
    data: &ReportData,
    folder: &Path,
    kind: Picture,
) -> Result<Vec<PathBuf>, SessionError> {
    make(folder)?;
    fairtrial_report::page::charts(data)
        .into_iter()
        .map(|(name, figure)| {
            let path = folder.join(format!("{name}.{}", kind.ending()));
            kind.write(&figure, &path)?;
            Ok(path)
        })
        .collect()
}

impl Session {
    /// Where the pages of a run go: into its own folder; of what another tool left, or what is archived, into
    /// the working folder.
    pub fn usual_report_files(&self, run: &RunDir) -> ReportFiles {
        ReportFiles::within(if self.in_place().holds(run) || run.is_archived() {
            &self.caller().folder
        } else {
            run.path()
        })
    }

    /// Runs the reporters of a run's spec that are named (`all` for every one) and gives their folders.
    pub fn report_by(
        &self,
        names: &[String],
        run: &RunDir,
        data: &ReportData,
    ) -> Result<Vec<PathBuf>, SessionError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let spec = resolved_spec(run)?;
        let known = || spec.reporters.iter().map(|reporter| reporter.name.as_str());
        if let Some(unknown) = names
            .iter()
            .find(|name| *name != "all" && !known().any(|known| known == *name))
        {
            return Err(SessionError::NoReporter {
                unknown: unknown.clone(),
                known: known().map(str::to_owned).collect(),
            });
        }
        let wanted = |reporter: &&fairtrial_spec::Reporter| {
            names
                .iter()
                .any(|name| name == "all" || *name == reporter.name)
        };
        spec.reporters
            .iter()
            .filter(wanted)
            .map(|reporter| self.run_reporter(reporter, run, &spec, data))
            .collect()
    }
}

/// The stem of a file's name, which its charts' names begin with.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(
        || "report".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

fn make(folder: &Path) -> Result<(), SessionError> {
    fs::create_dir_all(folder).map_err(|error| {
        SessionError::Machine(format!("cannot make {}: {error}", folder.display()))
    })
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), SessionError> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        make(folder)?;
    }
    Ok(write_atomic_bytes(
        path,
        Durability::Process,
        text.as_bytes(),
    )?)
}
