//! Declared metrics: where their values come from, what margin matters, and how a series becomes one number.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Node};
use crate::episode_file;
use crate::reference_points;
use crate::shape::SUMMARY_KINDS;
use crate::shape::suggest::did_you_mean;
use crate::source::Span;
use fairtrial_model::{
    Conversion, ConversionError, Direction, EpisodeFile, Margin, MetricDeclaration, MetricSource,
    SeriesSummary, SummaryKind, Tolerance,
};

const SCHEMES: [&str; 11] = [
    "jsonl",
    "csv",
    "json",
    "stdout",
    "stderr",
    "block",
    "episodes",
    "size",
    "resource",
    "tensorboard",
    "wandb",
];
const RESOURCE_FIELDS: [&str; 5] = ["wall", "user", "sys", "cpu", "peak_memory"];

/// The duration of an experiment's iterations, as every worker measures it.
pub(crate) fn duration() -> MetricDeclaration {
    MetricDeclaration {
        direction: Some(Direction::Down),
        unit: Some("s".to_owned()),
        ..MetricDeclaration::named("duration_s")
    }
}

/// One entry of `[metrics]`; its shape has been checked.
pub(crate) fn declaration(
    entry: &Entry,
    files: &[EpisodeFile],
    problems: &mut Problems,
) -> MetricDeclaration {
    let node = &entry.value;
    let from = node.get("from").and_then(|from| Some((from, from.text()?)));
    let over_episodes = from.and_then(|(from, text)| Some((from, text.strip_prefix("episodes:")?)));
    let source = match (over_episodes, from) {
        (Some((from, name)), _) => Some(episodes((from, name), entry, files, problems)),
        (None, from) => {
            episode_file::misplaced(entry, problems);
            from.map(|(from, text)| {
                source(&entry.key, text).map_err(|problem| problems.push(problem.at(from.span)))
            })
        }
    };
    let declared = MetricDeclaration {
        name: entry.key.clone(),
        source: source
            .and_then(Result::ok)
            .unwrap_or(MetricSource::Reported),
        direction: node
            .get("direction")
            .and_then(Node::text)
            .and_then(direction),
        unit: node.get("unit").and_then(Node::text).map(str::to_owned),
        precision: node
            .get("precision")
            .and_then(Node::whole)
            .and_then(|n| u8::try_from(n).ok()),
        margin: node
            .get("margin")
            .and_then(|margin| parse_margin(margin).ok()),
        reference: node
            .get("reference")
            .and_then(|node| reference_points::read(node, problems)),
        summary: node.get("summary").and_then(|node| summary(node, problems)),
        required: node.get("required").and_then(Node::bool).unwrap_or(true),
        convert: conversion(node, problems),
        round: node
            .get("round")
            .and_then(Node::whole)
            .and_then(|n| u8::try_from(n).ok()),
    };
    of_no_use(node, &declared, problems);
    declared
}

/// `convert = "s to min"`.
pub(crate) fn conversion(node: &Node, problems: &mut Problems) -> Option<Conversion> {
    let node = node.get("convert")?;
    let parsed = node.text()?.parse();
    parsed
        .map_err(|problem: ConversionError| {
            let units: Vec<&str> = Conversion::unit_names().collect();
            let help = format!("the units are {}", units.join(", "));
            problems
                .push(Diagnostic::new(Severity::Error, node.span, problem.to_string()).help(help));
        })
        .ok()
}

/// `from = "episodes:NAME"`: the file's declaration and the measure, together.
fn episodes(
    (from, name): (&Node, &str),
    entry: &Entry,
    files: &[EpisodeFile],
    problems: &mut Problems,
) -> Result<MetricSource, ()> {
    let measure = episode_file::measure(entry, problems);
    let Some(file) = files.iter().find(|file| file.name == name) else {
        let names = || files.iter().map(|file| file.name.as_str());
        let help = match did_you_mean(name, names()) {
            Some(help) => help,
            None if files.is_empty() => format!("declare it: [episode_files.{name}]"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("there is no episode file `{name}`");
        problems.push(Diagnostic::new(Severity::Error, from.span, message).help(help));
        return Err(());
    };
    Ok(MetricSource::Episodes {
        episodes: Box::new(file.clone()),
        measure: measure.ok_or(())?,
    })
}

fn direction(word: &str) -> Option<Direction> {
    match word {
        "up" | "higher" => Some(Direction::Up),
        "down" | "lower" => Some(Direction::Down),
        _ => None,
    }
}

/// `2%`, `0.5`, or a number.
pub(crate) fn parse_margin(node: &Node) -> Result<Margin, String> {
    let bad = || {
        format!(
            "expected a number or a share like \"2%\", found {}",
            node.found()
        )
    };
    let margin = match (node.number(), node.text().map(str::trim)) {
        (Some(number), _) => Margin::Absolute(number),
        (_, Some(text)) => match text.strip_suffix('%') {
            Some(share) => {
                Margin::Relative(share.trim().parse::<f64>().map_err(|_| bad())? / 100.0)
            }
            None => Margin::Absolute(text.parse().map_err(|_| bad())?),
        },
        _ => return Err(bad()),
    };
    let (Margin::Absolute(size) | Margin::Relative(size)) = margin;
    if size.is_finite() && size >= 0.0 {
        Ok(margin)
    } else {
        Err("a margin is zero or more, and finite".to_owned())
    }
}

/// `exact`, `1%`, or a number.
pub(crate) fn parse_tolerance(node: &Node) -> Result<Tolerance, String> {
    match node.number() {
        Some(number) => number.to_string().parse(),
        None => node.text().unwrap_or_default().parse(),
    }
}

struct SourceProblem {
    message: String,
    help: Option<String>,
}

impl SourceProblem {
    fn new(message: impl Into<String>, help: Option<String>) -> Self {
        Self {
            message: message.into(),
            help,
        }
    }

    fn at(self, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, span, self.message).maybe_help(self.help)
    }
}

fn source(name: &str, text: &str) -> Result<MetricSource, SourceProblem> {
    let known = || {
        Some(format!(
            "write one of {}: and what follows it",
            SCHEMES.join(":, ")
        ))
    };
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(SourceProblem::new(
            "a source has the form `kind:what`",
            known(),
        ));
    };
    if rest.trim().is_empty() {
        return Err(SourceProblem::new(
            format!("nothing follows `{scheme}:`"),
            known(),
        ));
    }
    let split = || {
        rest.split_once('#')
            .map_or((rest, name), |(file, key)| (file, key))
    };
    let (file, key) = (split().0.to_owned(), split().1.to_owned());
    Ok(match scheme {
        "jsonl" => MetricSource::Jsonl { file, key },
        "csv" => MetricSource::Csv { file, column: key },
        "json" => MetricSource::Json { file, pointer: key },
        "stdout" => MetricSource::Stdout {
            pattern: pattern(rest)?,
        },
        "stderr" => MetricSource::Stderr {
            pattern: pattern(rest)?,
        },
        "block" => MetricSource::Block {
            marker: file,
            column: key,
        },
        "size" => MetricSource::Size {
            file: rest.to_owned(),
        },
        "resource" => MetricSource::Resource {
            field: resource_field(rest)?,
        },
        "tensorboard" | "wandb" => MetricSource::Later {
            scheme: scheme.to_owned(),
            rest: rest.to_owned(),
        },
        _ => {
            let help = did_you_mean(scheme, SCHEMES).or_else(known);
            return Err(SourceProblem::new(
                format!("`{scheme}:` is not a source of metrics"),
                help,
            ));
        }
    })
}

fn pattern(text: &str) -> Result<String, SourceProblem> {
    let regex = regex::Regex::new(text).map_err(|error| {
        let message = error.to_string();
        let last = message
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        SourceProblem::new(format!("not a regular expression: {last}"), None)
    })?;
    if regex.captures_len() < 2 {
        let help = "put the number into a group, like `loss=([0-9.]+)`".to_owned();
        return Err(SourceProblem::new(
            "the regular expression has no group",
            Some(help),
        ));
    }
    Ok(text.to_owned())
}

fn resource_field(field: &str) -> Result<String, SourceProblem> {
    if RESOURCE_FIELDS.contains(&field) {
        return Ok(field.to_owned());
    }
    let help = did_you_mean(field, RESOURCE_FIELDS);
    let help = help.unwrap_or_else(|| format!("known fields: {}", RESOURCE_FIELDS.join(", ")));
    Err(SourceProblem::new(
        format!("`{field}` is not a field of the resource record"),
        Some(help),
    ))
}

fn summary(node: &Node, problems: &mut Problems) -> Option<SeriesSummary> {
    let word = node.text().or_else(|| node.get("type")?.text())?;
    if !SUMMARY_KINDS.contains(&word) {
        return None;
    }
    let kind = summary_kind(word)?;
    let number = |key: &str| node.get(key).and_then(Node::number);
    let summary = SeriesSummary {
        kind,
        percent: number("percent"),
        n: node.get("n").and_then(Node::whole),
        step_min: number("step_min"),
        step_max: number("step_max"),
        step: number("step"),
        threshold: number("threshold"),
    };
    check_options(node, &summary, word, problems);
    Some(summary)
}

/// What a declaration says about values of the metric, where its number is none: a number of steps is not converted or
/// rounded like one, and neither it nor a slope lies between reference points.
fn of_no_use(node: &Node, declared: &MetricDeclaration, problems: &mut Problems) {
    if declared.on_own_scale() {
        return;
    }
    let (word, keys) = if declared.counts_steps() {
        ("time_to", &["convert", "reference", "round"][..])
    } else {
        ("slope", &["reference"][..])
    };
    for (key, option) in keys.iter().filter_map(|key| Some((key, node.get(key)?))) {
        let message =
            format!("the summary `{word}` gives no value of the metric, so `{key}` has no use");
        problems.push(Diagnostic::new(Severity::Error, option.span, message).help("remove it"));
    }
}

fn summary_kind(word: &str) -> Option<SummaryKind> {
    // The words of the table are the serde names of the kinds.
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

/// The kinds that look at a window of steps.
const WINDOWED: &[SummaryKind] = &[
    SummaryKind::Auc,
    SummaryKind::Mean,
    SummaryKind::Slope,
    SummaryKind::Max,
    SummaryKind::Min,
];

/// The options that a kind needs, and those that only it understands.
fn check_options(node: &Node, summary: &SeriesSummary, word: &str, problems: &mut Problems) {
    let options = [
        (
            "n",
            summary.n.is_some(),
            &[SummaryKind::LastN][..],
            Need::Always,
        ),
        (
            "step",
            summary.step.is_some(),
            &[SummaryKind::AtStep],
            Need::Always,
        ),
        (
            "threshold",
            summary.threshold.is_some(),
            &[SummaryKind::TimeTo],
            Need::Always,
        ),
        (
            "percent",
            summary.percent.is_some(),
            &[SummaryKind::Auc, SummaryKind::Mean],
            Need::Never,
        ),
        (
            "step_min",
            summary.step_min.is_some(),
            WINDOWED,
            Need::Never,
        ),
        (
            "step_max",
            summary.step_max.is_some(),
            WINDOWED,
            Need::Never,
        ),
    ];
    for (key, given, kinds, need) in options {
        let fits = kinds.contains(&summary.kind);
        if fits && !given && need == Need::Always {
            let problem = Diagnostic::new(
                Severity::Error,
                node.span,
                format!("the summary `{word}` needs `{key}`"),
            );
            problems.push(problem.help(format!("write {{ type = \"{word}\", {key} = ... }}")));
        }
        if given && !fits {
            let span = node.get(key).map_or(node.span, |option| option.span);
            let message = format!("the summary `{word}` has no use for `{key}`");
            problems.push(Diagnostic::new(Severity::Error, span, message).help("remove it"));
        }
    }
    let steps = summary.step_min.is_some() || summary.step_max.is_some();
    if steps && let (Some(_), Some(percent)) = (summary.percent, node.get("percent")) {
        let message = "`percent` and steps are two different windows";
        let help = "remove `percent`, or `step_min` and `step_max`";
        problems.push(Diagnostic::new(Severity::Error, percent.span, message).help(help));
    }
    if let (Some(min), Some(max)) = (summary.step_min, summary.step_max)
        && min > max
    {
        problems.push(Diagnostic::new(
            Severity::Error,
            node.span,
            "`step_min` is above `step_max`",
        ));
    }
}

#[derive(PartialEq, Eq)]
enum Need {
    Always,
    Never,
}
