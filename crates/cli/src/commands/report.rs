//! `report`: a run as one self-contained page, verdict first.

use super::select::RunArgs;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::hooks;
use crate::picture::Picture;
use crate::printer::Printer;
use crate::report_of::report_of;
use fairtrial_analysis::report::ReportData;
use fairtrial_journal::{Durability, RunDir, resolved_spec, write_atomic_bytes};
use fairtrial_report::seal::SealFacts;
use std::fs;
use std::path::{Path, PathBuf};

/// Write the report of a run: verdict, charts, tables, failures, provenance
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial report                                report.html and report.md of the newest run
  fairtrial report bench --html bench.html        one page of the newest run of `bench`
  fairtrial report bench --rollout 20250824__12-34-56 --md report.md
  fairtrial report bench --charts figures --chart-format png    every chart as a picture

The HTML page loads nothing and needs no JavaScript; its charts follow the reader's light or dark setting. With \
Markdown the charts are SVG files beside it. `fairtrial verify` checks a report against the evidence.")]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Write the HTML page here
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the Markdown page here, its charts beside it
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Write every chart into this folder, as a file of its own
    #[arg(long, value_name = "DIR")]
    charts: Option<PathBuf>,
    /// What the files of `--charts` are
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        requires = "charts",
        default_value_t
    )]
    chart_format: Picture,
    /// A template of your own for the HTML page (Jinja; `report --print-template` shows ours)
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// Print the template of the HTML page and do nothing else
    #[arg(long)]
    print_template: bool,
    /// Run a reporter of the spec, by its name (`all` for every one); files are written only where asked for
    #[arg(long = "reporter", value_name = "NAME")]
    reporters: Vec<String>,
    /// Print the report's data as JSON; files are written only where asked for
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    if args.print_template {
        printer.page(fairtrial_report::html::TEMPLATE);
        return Ok(Exit::Fine);
    }
    ends_in(args.html.as_deref(), "--html", &["html", "htm"])?;
    ends_in(args.md.as_deref(), "--md", &["md", "markdown"])?;
    let template = args.template.as_deref().map(read_text).transpose()?;
    let run = args.run.find(global, printer)?;
    let data = report_of(&run, None, printer)?;
    let asked = args.html.is_some() || args.md.is_some() || args.charts.is_some();
    let files = if asked || args.json || !args.reporters.is_empty() {
        Files {
            html: args.html.clone(),
            md: args.md.clone(),
        }
    } else {
        Files::of(&run)
    };
    let mut written = files.write(&data, template.as_deref())?;
    if let Some(folder) = &args.charts {
        written.extend(pictures(&data, folder, args.chart_format)?);
    }
    written.extend(reported(&args.reporters, &run, &data)?);
    if args.json {
        printer.json(&data);
    } else {
        for path in written {
            printer.line(path.display().to_string());
        }
    }
    Ok(Exit::Fine)
}

/// Refuses a name that says that something else is in the file.
fn ends_in(path: Option<&Path>, option: &str, endings: &[&str]) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let ending = path.extension().and_then(|ending| ending.to_str());
    if ending.is_some_and(|ending| endings.contains(&ending.to_ascii_lowercase().as_str())) {
        return Ok(());
    }
    let wrong = format!("{option} {} must end in .{}", path.display(), endings[0]);
    Err(Failure::input(wrong).hint("pictures of the charts: --charts DIR --chart-format png"))
}

/// Writes every chart as a file of its own and gives their paths.
fn pictures(data: &ReportData, folder: &Path, kind: Picture) -> Result<Vec<PathBuf>, Failure> {
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

/// Runs the reporters that were named and gives their folders.
fn reported(names: &[String], run: &RunDir, data: &ReportData) -> Result<Vec<PathBuf>, Failure> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let spec = resolved_spec(run)?;
    let known = || spec.reporters.iter().map(|reporter| reporter.name.as_str());
    if let Some(unknown) = names
        .iter()
        .find(|name| *name != "all" && !known().any(|known| known == *name))
    {
        let there: Vec<&str> = known().collect();
        return Err(
            Failure::input(format!("the spec has no reporter `{unknown}`")).hint(
                if there.is_empty() {
                    "declare one: [reporters.NAME] with `command` or `python`".to_owned()
                } else {
                    format!("it has {}", there.join(", "))
                },
            ),
        );
    }
    let wanted = |reporter: &&fairtrial_spec::Reporter| {
        names
            .iter()
            .any(|name| name == "all" || *name == reporter.name)
    };
    spec.reporters
        .iter()
        .filter(wanted)
        .map(|reporter| hooks::report(reporter, run, &spec, data).map_err(Failure::machine))
        .collect()
}

/// Where the pages go.
pub(crate) struct Files {
    pub(crate) html: Option<PathBuf>,
    pub(crate) md: Option<PathBuf>,
}

impl Files {
    /// Both pages in the run's own folder.
    pub(crate) fn of(run: &RunDir) -> Self {
        Self {
            html: Some(run.path().join("report.html")),
            md: Some(run.path().join("report.md")),
        }
    }

    /// Writes the pages and gives their paths.
    pub(crate) fn write(
        &self,
        data: &ReportData,
        template: Option<&str>,
    ) -> Result<Vec<PathBuf>, Failure> {
        let history = data.history_runs();
        let facts = SealFacts {
            version: env!("CARGO_PKG_VERSION"),
            template,
            history: &history,
            masked: &data.masked,
        };
        let mut written = Vec::new();
        if let Some(path) = &self.html {
            let page = fairtrial_report::html::report(data, template, &facts)
                .map_err(|error| Failure::input(error.to_string()))?;
            write(path, &page)?;
            written.push(path.clone());
        }
        if let Some(path) = &self.md {
            let facts = SealFacts {
                template: None,
                ..facts
            };
            let report = fairtrial_report::markdown::report(data, &stem(path), &facts)
                .map_err(|error| Failure::machine(error.to_string()))?;
            write(path, &report.text)?;
            for (name, svg) in &report.charts {
                write(&path.with_file_name(name), svg)?;
            }
            written.push(path.clone());
        }
        Ok(written)
    }
}

/// The stem of a file's name, which its charts' names begin with.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(
        || "report".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))
}

fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::machine(format!("cannot make {}: {error}", folder.display())))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
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
