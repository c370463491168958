//! `list experiments`: what can stand under `experiment` in a spec, and what it takes.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_experiment::{
    Better, Catalogue, Description, Headline, Lookup, LookupError, Origin, Param, Sources,
};
use fairtrial_session::feature::SUITE;
use fairtrial_spec::{LoadOptions, load};
use serde_json::json;
use std::path::{Path, PathBuf};

/// List the registered experiments and the instruments
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial list experiments\n  fairtrial list experiments --spec bench.toml\n  \
                        fairtrial list experiments --python my_pkg.benchmarks"
)]
pub(crate) struct Args {
    /// Only this experiment, with all its parameters
    slug: Option<String>,
    /// Also those that the [experiments] of this spec name
    #[arg(long, value_name = "SPEC")]
    spec: Option<PathBuf>,
    /// Also those of this Python module or package
    #[arg(long, value_name = "MODULE")]
    python: Vec<String>,
    /// Also those of this program
    #[arg(long, value_name = "PROGRAM")]
    rust: Vec<String>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let (sources, base) = sources(args)?;
    let (mut found, broken) = fairtrial_session::catalogue().look_up(&sources, &base);
    for LookupError { message, help, .. } in &broken {
        printer.error(message, Some(help));
    }
    if let Some(slug) = &args.slug {
        found
            .experiments
            .retain(|(described, _)| described.slug == *slug);
        if found.experiments.is_empty() && broken.is_empty() {
            SUITE.need()?;
            return Err(Failure::input(format!("there is no experiment `{slug}`"))
                .hint("`fairtrial list experiments` shows what there is; `--spec SPEC` adds those that a spec names"));
        }
    }
    if args.json {
        printer.json(&as_json(&found));
    } else if args.slug.is_some() {
        for (described, origin) in &found.experiments {
            detail(described, origin, printer);
        }
    } else {
        overview(&found, printer);
    }
    Ok(if broken.is_empty() {
        Exit::Fine
    } else {
        Exit::Input
    })
}

fn sources(args: &Args) -> Result<(Sources, PathBuf), Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let (mut sources, base) = match &args.spec {
        None => (Sources::default(), here),
        Some(path) => {
            let spec = load(path, &LoadOptions::default()).spec.ok_or_else(|| {
                Failure::input(format!("{} cannot be read", path.display()))
                    .hint(format!("`fairtrial check {}` says why", path.display()))
            })?;
            (spec.experiments, Path::new(&spec.base_dir).to_owned())
        }
    };
    sources.python.extend(args.python.iter().cloned());
    sources.rust.extend(args.rust.iter().cloned());
    Ok((sources, base))
}

fn as_json(found: &Lookup) -> serde_json::Value {
    let experiments: Vec<_> = found
        .experiments
        .iter()
        .map(|(described, origin)| {
            json!({
                "slug": described.slug, "summary": described.summary, "tags": described.tags,
                "params": described.params, "metrics": described.metrics, "origin": origin,
            })
        })
        .collect();
    json!({"experiments": experiments, "instruments": found.instruments})
}

fn overview(found: &Lookup, printer: Printer) {
    let width = found
        .experiments
        .iter()
        .map(|(described, _)| described.slug.chars().count())
        .max()
        .unwrap_or(0);
    for (described, origin) in &found.experiments {
        printer.line(format!(
            "{:<width$}  {} [{origin}]",
            described.slug, described.summary
        ));
        let params: Vec<String> = described.params.params.iter().map(short).collect();
        if !params.is_empty() {
            printer.line(format!("{:<width$}    {}", "", params.join(", ")));
        }
    }
    let instruments: Vec<&str> = found
        .instruments
        .iter()
        .map(|on| on.name.as_str())
        .collect();
    printer.line("");
    printer.line(format!("instruments: {}", instruments.join(", ")));
}

/// A parameter with its default.
fn short(param: &Param) -> String {
    match &param.default {
        Some(default) => format!(
            "{}={}",
            param.name,
            fairtrial_model::Params::display(default)
        ),
        None => param.name.clone(),
    }
}

/// A metric that an experiment is about: `rows_per_s (1/s, higher is better)`.
fn headline(metric: &Headline) -> String {
    let better = metric.direction.map(|better| match better {
        Better::Up => "higher is better".to_owned(),
        Better::Down => "lower is better".to_owned(),
    });
    let about: Vec<String> = metric.unit.iter().cloned().chain(better).collect();
    if about.is_empty() {
        return metric.name.clone();
    }
    format!("{} ({})", metric.name, about.join(", "))
}

fn detail(described: &Description, origin: &Origin, printer: Printer) {
    printer.line(format!("{} [{origin}]", described.slug));
    printer.line(&described.summary);
    if !described.tags.is_empty() {
        printer.line(format!("tags: {}", described.tags.join(", ")));
    }
    if !described.metrics.is_empty() {
        let named: Vec<String> = described.metrics.iter().map(headline).collect();
        printer.line(format!("about: {}", named.join(", ")));
    }
    let params = &described.params.params;
    let width = params
        .iter()
        .map(|param| short(param).chars().count())
        .max()
        .unwrap_or(0);
    for param in params {
        let ty = match &param.ty {
            fairtrial_experiment::ParamType::List(item) => {
                format!("a list; each {}", param.expected(item))
            }
            ty => param.expected(ty),
        };
        let doc = if param.doc.is_empty() {
            String::new()
        } else {
            format!(" · {}", param.doc)
        };
        printer.line(format!("  {:<width$}  {ty}{doc}", short(param)));
    }
}
