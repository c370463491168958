//! `report`: a run as one self-contained page, verdict first.

use super::choices::PictureChoice;
use super::mapping::MappingArgs;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use fairtrial_session::feature::{HTML, PNG};
use fairtrial_session::{
    Picture, ReportFiles, html_page, markdown_page, page_template, write_charts,
};
use std::fs;
use std::path::{Path, PathBuf};

/// Write the report of a run: verdict, charts, tables, failures, provenance
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial report                                report.html and report.md of the newest run
  fairtrial report bench --html bench.html        one page of the newest run of `bench`
  fairtrial report bench --rollout 20250824__12-34-56 --md report.md
  fairtrial report bench --bundle pages           a folder with a page for each trial
  fairtrial report bench --charts figures --chart-format png    every chart as a picture

The HTML page loads nothing and is whole without JavaScript; its charts follow the reader's light or dark setting. With \
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
    /// Write a folder with a page for each trial: index.html leads to them, and each is read when it is opened
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
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
    chart_format: PictureChoice,
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
    #[command(flatten)]
    mapping: MappingArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = console.printer;
    if args.print_template {
        printer.page(page_template()?);
        return Ok(Exit::Fine);
    }
    if args.html.is_some() || args.bundle.is_some() || args.template.is_some() {
        HTML.need()?;
    }
    if args.charts.is_some() && Picture::from(args.chart_format) == Picture::Png {
        PNG.need()?;
    }
    let files = [args.html.as_deref(), args.md.as_deref()];
    let printer = written::beside(printer, files, args.json)?;
    ends_in(args.html.as_deref(), "--html", &["html", "htm"])?;
    ends_in(args.md.as_deref(), "--md", &["md", "markdown"])?;
    let template = args.template.as_deref().map(read_text).transpose()?;
    let session = args.mapping.session(console);
    let run = session.find_run_with_curves(&args.run.choice())?;
    let data = session.report_data(&run, None)?;
    let asked = args.html.is_some() || args.md.is_some() || args.charts.is_some();
    let asked = asked || args.bundle.is_some() || args.json || !args.reporters.is_empty();
    let named = |file: &Option<PathBuf>| file.clone().filter(|path| !written::is_stdout(path));
    let files = if asked {
        ReportFiles {
            html: named(&args.html),
            md: named(&args.md),
        }
    } else {
        session.usual_report_files(&run)
    };
    let template = template.as_deref();
    let mut written = files.write(&data, template)?;
    if args.html.as_deref().is_some_and(written::is_stdout) {
        let page = html_page(&data, template)?;
        written::write(printer, Path::new("-"), page.as_bytes())?;
    }
    if args.md.as_deref().is_some_and(written::is_stdout) {
        let page = markdown_page(&data)?;
        written::write(printer, Path::new("-"), page.as_bytes())?;
        printer.tell("the charts of the page are not written; `--charts DIR` writes them");
    }
    if let Some(folder) = &args.bundle {
        written.push(session.write_bundle(&run, &data, template, folder)?);
    }
    if let Some(folder) = &args.charts {
        written.extend(write_charts(&data, folder, args.chart_format.into())?);
    }
    written.extend(session.report_by(&args.reporters, &run, &data)?);
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
    let Some(path) = path.filter(|path| !written::is_stdout(path)) else {
        return Ok(());
    };
    let ending = path.extension().and_then(|ending| ending.to_str());
    if ending.is_some_and(|ending| endings.contains(&ending.to_ascii_lowercase().as_str())) {
        return Ok(());
    }
    let wrong = format!("{option} {} must end in .{}", path.display(), endings[0]);
    Err(Failure::input(wrong).hint("pictures of the charts: --charts DIR --chart-format png"))
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))
}
