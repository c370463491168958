//! `table render`: a table for readers, as HTML or Markdown, with its column options.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use crate::written;
use clap::ValueEnum;
use fairtrial_session::tables::TableFile;
use fairtrial_table::render;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Render a table as Markdown or HTML with its column options
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The table; `FILE.csv@REVISION` for one in the repository's history
    file: String,
    /// The form
    #[arg(long, value_enum, default_value_t = Form::Markdown)]
    format: Form,
    /// Write the rendered text to this file instead of standard output; with --json, there too
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print columns and the rendered text as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A pipe table
    Markdown,
    /// A table in a `div` of class `data-table`
    Html,
}

pub(super) fn run(args: &Args, printer: Printer) -> Done {
    let printer = written::beside(printer, [args.output.as_deref()], args.json)?;
    let rendered = rendered(args);
    let text = match &rendered {
        Ok((text, _)) => text.clone(),
        // Whoever puts the output into a page sees there what is wrong.
        Err((line, _)) => line.clone(),
    };
    if let Some(path) = &args.output {
        written::write(printer, path, text.as_bytes())?;
    }
    if args.json {
        let columns = rendered.as_ref().ok().map(|(_, columns)| columns);
        printer.json(&json!({ "ok": rendered.is_ok(), "text": text, "columns": columns }));
    } else if args.output.is_none() {
        printer.page(text.trim_end_matches('\n'));
    }
    rendered.map_or_else(|(_, failure)| Err(failure), |_| Ok(Exit::Fine))
}

type Rendered = (String, serde_json::Value);

/// The text, or the line that stands in its place and the failure.
fn rendered(args: &Args) -> Result<Rendered, (String, Failure)> {
    let path = full_path(&args.file);
    let file = TableFile::read(&args.file, None).map_err(|error| {
        let failure = Failure::from(error);
        let reason = if Path::new(&path).exists() {
            failure.message.clone()
        } else {
            format!("[Errno 2] No such file or directory: '{path}'")
        };
        (render::failure(&path, &reason), failure)
    })?;
    let text = match args.format {
        Form::Markdown => render::markdown(&file.table),
        Form::Html => render::html(&file.table),
    };
    let text = text.map_err(|error| {
        let failure = Failure::input(format!("{}: {error}", args.file))
            .hint("write `align left` or `align right` after the title");
        (render::failure(&path, &error.to_string()), failure)
    })?;
    let columns = serde_json::to_value(file.table.columns()).unwrap_or_default();
    Ok((text, columns))
}

/// The path as the original renderer names it in its errors.
fn full_path(name: &str) -> String {
    let path = std::path::absolute(name).unwrap_or_else(|_| name.into());
    let real = fs::canonicalize(&path).unwrap_or_else(|_| {
        let parent = path.parent().and_then(|dir| fs::canonicalize(dir).ok());
        match (parent, path.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => path.clone(),
        }
    });
    real.display().to_string()
}
