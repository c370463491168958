//! What a user should know besides the answer.

use super::changes::{change_words, code_words};
use crate::printer::Printer;
use fairtrial_engine::{CodeChange, OtherCode, Remeasured};
use fairtrial_journal::redact::Redactor;
use fairtrial_model::Params;
use fairtrial_plan::Shortage;
use fairtrial_session::{Notice, Recognised, TaskFinding};
use fairtrial_spec::{Loaded, Spec, Style, render, written_secrets};
use fairtrial_text::count::{counted, first_of};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Shows one.
pub(crate) fn show_notice(notice: &Notice, printer: Printer) {
    match notice {
        Notice::Spec(loaded) => show_spec(loaded, printer),
        Notice::AgentTask(finding) => show_task(finding, printer),
        notice => match words(notice) {
            Some((Tone::Warning, text)) => printer.warn(text),
            Some((Tone::Note, text)) => printer.tell(text),
            None => {}
        },
    }
}

/// What becomes of records of other code.
fn other_code(code: &CodeChange, other: OtherCode) -> String {
    let mut words = String::new();
    if let Some(changed) = code_words(code) {
        let fate = match other {
            _ if code.is_of_tasks() => "their task is another one now, so they run again",
            OtherCode::LeftOut => {
                "they run again (`--accept code` takes their records all the same)"
            }
            OtherCode::Accepted => "their records are taken all the same, as accepted",
        };
        let _ = write!(words, "\n       {changed}: {fate}");
    }
    if code.unknown > 0 {
        let trials = counted(code.unknown, "record");
        let _ = write!(
            words,
            "\n       {trials} of an earlier version of fairtrial do not say what code they ran, and are taken as they are"
        );
    }
    words
}

/// How a thing is said.
enum Tone {
    Warning,
    Note,
}

fn words(notice: &Notice) -> Option<(Tone, String)> {
    use Tone::{Note, Warning};
    let said = match notice {
        Notice::Recognised(found) => (Note, recognised(found)),
        Notice::NotForeign(name) => (
            Warning,
            format!(
                "--format, --arm, --task and --seed-key are about other tools' results; {name} is none, and is read without them"
            ),
        ),
        Notice::PassedOver(run) => (
            Warning,
            format!(
                "run {} {} was ended before it began and is passed over; `fairtrial run SPEC --resume` begins it, and its \
                 folder {} may be removed",
                run.name(),
                run.stamp(),
                run.path().display()
            ),
        ),
        Notice::NeedLeftOut { task, needed } => (
            Warning,
            format!("`{task}` needs `{needed}`, which --only leaves out: it runs without"),
        ),
        Notice::FewerPoints(Shortage {
            asked,
            found,
            combinations,
        }) => (
            Warning,
            format!(
                "the random sweep asks for {asked} points and has {found}: no more of its {combinations} combinations satisfy \
                 the constraints"
            ),
        ),
        Notice::Deviates { places, first } => (
            Warning,
            format!(
                "the spec deviates from its registered plan in {}, first in `{first}`; the report will list them",
                counted(*places, "place")
            ),
        ),
        Notice::BeginsNow(stamp) => (
            Warning,
            format!(
                "run {stamp} was ended before it began: it begins now, with no records of other runs (`--reuse` starts a \
                 new one that takes some over)"
            ),
        ),
        Notice::ScoresAgain(stamp) => (
            Note,
            format!("`eval` of run {stamp} was cut off: its rollouts are scored again first"),
        ),
        Notice::Reusing {
            stamp,
            change,
            code,
            other,
        } => (
            Note,
            format!(
                "reusing records of run {stamp}: {}{}",
                change_words(change),
                other_code(code, *other)
            ),
        ),
        Notice::MixesCode(change) => (
            Warning,
            format!(
                "{}: the trials that are left run the code of now, and every presentation says that the run mixes the two",
                code_words(change).unwrap_or_default()
            ),
        ),
        Notice::SeedsAdded { added, run } => (
            Warning,
            format!(
                "this adds {added} seeds to run {} {}, whose verdict could be seen: such a verdict is false more often \
                 than the error rate says (without --reuse, and on other seeds, it is not)",
                run.name(),
                run.stamp()
            ),
        ),
        Notice::Serial => (
            Warning,
            "trials run one at a time, because the spec is about times; `serial = false` in it lets them run beside each other"
                .to_owned(),
        ),
        Notice::KeepsRule => (
            Warning,
            "the run keeps the stopping rule that it began with".to_owned(),
        ),
        Notice::KeepsCaps(keys) => (Note, kept_caps_words(keys)),
        Notice::Remeasured(measured) => (Note, remeasured_words(measured)),
        Notice::StepsFrom { metric, file, name } => (
            Note,
            format!(
                "steps of `{metric}` are read from `{name}` in {file} (`step` in its declaration names another)"
            ),
        ),
        Notice::WaitedForCpu { share } => (
            Warning,
            format!(
                "trials waited for a CPU for {:.0} % of their time: they ran beside too much else, or with too many threads; \
                 lower `parallel`, set `threads`, or say what one takes by `resources.cpus`",
                100.0 * share
            ),
        ),
        Notice::ContainerLeft(name) => (
            Warning,
            format!("container {name} was left behind and could not be removed"),
        ),
        Notice::Assumed(text) => (Note, text.clone()),
        Notice::NoVerdict(error) => (Note, format!("no verdict: {error}")),
        Notice::NoBest(why) => (Note, format!("no point is named best: {why}")),
        Notice::MoreTroubles(more) => (
            Warning,
            format!("and {} failed", counted(*more, "more trial")),
        ),
        Notice::Results(folder) => (Note, format!("results: {}", folder.display())),
        Notice::SweepSummary(file) => (Note, format!("sweep summary: {}", file.display())),
        Notice::Confirming { point, seeds } => (
            Note,
            format!("confirming {} on {seeds} fresh seeds", point.join(" ")),
        ),
        Notice::NotConfirmed(why) => (Warning, format!("the choice was not confirmed: {why}")),
        Notice::Reported { reporter, folder } => {
            (Note, format!("reporter `{reporter}`: {}", folder.display()))
        }
        Notice::Baseline { run, recorded } => (
            Note,
            format!(
                "baseline: {} {}, recorded {recorded}",
                run.name(),
                run.stamp()
            ),
        ),
        Notice::TrialTrouble(text) | Notice::Warning(text) => (Warning, text.clone()),
        // Whoever watches a run shows where it is; the others are shown by themselves.
        Notice::Elsewhere { .. } | Notice::Spec(_) | Notice::AgentTask(_) => return None,
    };
    Some(said)
}

fn kept_caps_words(keys: &[&str]) -> String {
    let caps: Vec<String> = keys.iter().map(|key| format!("`budget.{key}`")).collect();
    format!(
        "the run keeps {} as `--set` gave it when it began; `--set` gives another",
        caps.join(" and ")
    )
}

/// What measuring again came to, in a sentence.
pub(crate) fn remeasured_words(measured: &Remeasured) -> String {
    let mut said = vec![format!(
        "{} measured again from what they left, none run",
        counted(measured.trials, "trial")
    )];
    if !measured.changed.is_empty() {
        said.push(format!(
            "metrics that changed: {}",
            first_of(&measured.changed, 5)
        ));
    }
    if measured.now_ok > 0 {
        said.push(format!(
            "{} failed before for want of a metric and are ok now",
            counted(measured.now_ok, "trial")
        ));
    }
    if measured.now_failed > 0 {
        said.push(format!(
            "{} lack a required metric now and count as failed",
            counted(measured.now_failed, "trial")
        ));
    }
    said.join("; ")
}

/// Shows the problems of a spec as text.
pub(crate) fn show_spec(loaded: &Loaded, printer: Printer) {
    if !loaded.diagnostics.is_empty() {
        let style = Style {
            color: printer.color_err(),
            width: printer.width(),
        };
        printer.tell_painted(render(&loaded.diagnostics, &loaded.sources, style));
    }
    // Not as a problem with its place in the file, which would print the line.
    for name in loaded.spec.iter().flat_map(written_secrets) {
        printer.warn(format!(
            "the value of `{name}` looks like a secret, and the spec is copied into every run's folder; write \
             {name} = \"${{{name}}}\" and set the variable where you start fairtrial"
        ));
    }
    for text in loaded.spec.iter().flat_map(held_secrets) {
        printer.warn(format!(
            "`{text}` holds a secret of your environment as the name or value of a parameter or metric, and the spec is \
             copied into every run's folder; hand it over in `env` instead"
        ));
    }
}

/// Names and values of a spec that hold the value of a secret variable, masked.
fn held_secrets(spec: &Spec) -> BTreeSet<String> {
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let redactor = Redactor::from_env(environment);
    let tasks = spec.tasks.iter().map(|task| &task.params);
    let params = tasks.chain(spec.arms.iter().map(|arm| &arm.params));
    let texts = params
        .flat_map(Params::iter)
        .flat_map(|(name, value)| [name.to_owned(), Params::display(value)]);
    let axes = spec
        .tasks
        .iter()
        .map(|task| &task.sweep)
        .chain([&spec.sweep]);
    let axes = axes.flat_map(|sweep| &sweep.axes);
    let axes = axes.flat_map(|axis| {
        axis.values
            .iter()
            .map(Params::display)
            .chain([axis.name.clone()])
    });
    let metrics = spec.metrics.iter().map(|metric| metric.name.clone());
    let texts = texts.chain(axes).chain(metrics);
    texts
        .filter_map(|text| match redactor.redact(&text) {
            Cow::Owned(masked) => Some(masked),
            Cow::Borrowed(_) => None,
        })
        .collect()
}

/// Shows what was found in an agent task.
pub(crate) fn show_task(finding: &TaskFinding, printer: Printer) {
    let TaskFinding {
        task,
        prepared_dir,
        message,
        is_error,
    } = finding;
    let text = format!("task `{task}` ({prepared_dir}): {message}");
    if *is_error {
        printer.error(&text, None);
    } else {
        printer.warn(text);
    }
}

/// What another tool's results are, and which of its fields has which part.
fn recognised(found: &Recognised) -> String {
    let mut text = format!(
        "{}: {} ({}; --format {})",
        found.name,
        found.title,
        counted(found.executions, "execution"),
        found.format
    );
    let role = found.roles.iter().map(|line| line.role.len()).max();
    let fields = found
        .roles
        .iter()
        .map(|line| line.fields.chars().count())
        .max();
    let (role, fields) = (role.unwrap_or(0), fields.unwrap_or(0));
    for line in &found.roles {
        let _ = write!(
            text,
            "\n  {:role$}  {:fields$}  {}",
            line.role, line.fields, line.values
        );
    }
    for note in &found.notes {
        let _ = write!(text, "\n  note: {note}");
    }
    text
}
