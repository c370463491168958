//! The sentences beside a verdict.

use super::suite::suite_sentences;
use super::verdicts::difference_format;
use crate::words;
use fairtrial_analysis::compare::{Effect, MetricComparison, Mismatch, Scale, Word};
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::watch::WatchReport;
use fairtrial_text::count::{capitalised, counted, first_of};
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;

/// Units that are named before "and n more".
const NAMED: usize = 5;

/// `reward: improved, +0.019 [+0.016, +0.022] (+4.7 % [+4.1, +5.4]): the interval excludes 0.`
pub(crate) fn verdict_sentence(metric: &MetricComparison) -> String {
    let verdict = &metric.verdict;
    let size = metric.effect.as_ref().map_or(String::new(), |effect| {
        format!(", {}", effect_words(metric, effect))
    });
    let more = verdict.advice.as_ref().map(words::advice);
    let more = more.unwrap_or_default();
    format!(
        "{}: {}{size}: {}.{more}",
        metric.metric,
        verdict.word,
        why(metric)
    )
}

/// How large the difference is, with its interval; nothing where there is none.
pub(crate) fn answer_size(metric: &MetricComparison) -> String {
    let effect = metric.effect.as_ref();
    effect.map_or(String::new(), |effect| effect_words(metric, effect))
}

/// The same in the metric's unit alone.
pub(crate) fn absolute_size(metric: &MetricComparison) -> String {
    let effect = metric.effect.as_ref();
    effect.map_or(String::new(), |effect| absolute_words(metric, effect))
}

/// Why a verdict has its word.
pub(crate) fn why(metric: &MetricComparison) -> String {
    let scale = metric.effect.as_ref().map(|effect| effect.scale);
    words::why(&metric.verdict, scale)
}

fn absolute_words(metric: &MetricComparison, effect: &Effect) -> String {
    let format = difference_format(metric);
    let unit = metric
        .unit
        .as_ref()
        .map_or(String::new(), |unit| format!(" {unit}"));
    format!(
        "{}{unit} {}",
        format.signed(effect.absolute.value),
        format.signed_range(effect.absolute.low, effect.absolute.high)
    )
}

fn effect_words(metric: &MetricComparison, effect: &Effect) -> String {
    let absolute = absolute_words(metric, effect);
    let Some(relative) = effect.relative else {
        return absolute;
    };
    let percent = |share: f64| 100.0 * share;
    let half_width = percent(relative.high - relative.low) / 2.0;
    let ends = (percent(relative.low), percent(relative.high));
    let digits = NumberFormat::choose(&[percent(relative.value)], &[half_width], None)
        .for_difference(ends, half_width);
    format!(
        "{absolute} ({} % {})",
        digits.signed(percent(relative.value)),
        digits.signed_range(ends.0, ends.1)
    )
}

/// Why no share of the control is given.
fn no_relative_words(metric: &MetricComparison) -> Option<String> {
    let why = metric.effect.as_ref()?.no_relative.as_ref()?;
    let why = words::no_relative(why);
    Some(format!("No change in percent is given: {why}."))
}

/// Everything else that a reader of the primary verdict should have at hand.
pub(crate) fn primary_sentences(metric: &MetricComparison) -> Vec<String> {
    let mut said: Vec<String> = metric
        .verdict
        .objections
        .iter()
        .filter(|objection| !objection.holds_back())
        .map(|objection| sentence(&words::objection(objection)))
        .collect();
    said.extend(dropped_text(metric).map(|text| sentence(&text)));
    // Without an estimate there is nothing for the other methods to agree with.
    if metric.effect.is_some() {
        said.extend(words::method(metric).map(|method| format!("Method: {method}.")));
        said.extend(no_relative_words(metric));
        said.extend(margin_words(metric));
        said.extend(pairing_words(metric));
        said.extend(opinions(metric));
        said.extend(suite_sentences(metric));
        said.extend(detectable_words(metric));
    }
    said
}

fn sentence(text: &str) -> String {
    format!("{}.", capitalised(text))
}

fn margin_words(metric: &MetricComparison) -> Option<String> {
    let effect = metric.effect.as_ref()?;
    let margin = effect.margin?;
    let clears =
        effect.clears_margin? && matches!(metric.verdict.word, Word::Improved | Word::Regressed);
    let beyond = if clears {
        "; the whole interval lies beyond it"
    } else {
        ""
    };
    let relative = (effect.control != 0.0).then(|| share::percent(margin / effect.control.abs()));
    let share = relative.map_or(String::new(), |share| format!(" ({share})"));
    Some(format!(
        "Smallest difference that matters: {}{share}{beyond}.",
        NumberFormat::choose(&[margin], &[margin], None).number(margin)
    ))
}

/// Units that are left out, by name.
pub(crate) fn dropped_text(metric: &MetricComparison) -> Option<String> {
    if metric.dropped.is_empty() {
        return None;
    }
    let dropped = metric.dropped.iter();
    let named = dropped.map(|dropped| format!("{} ({})", dropped.unit, dropped.why));
    let what = if metric.count.paired { "pair" } else { "unit" };
    Some(format!(
        "left out: {}: {}",
        counted(metric.dropped.len(), what),
        first_of(named, NAMED)
    ))
}

fn pairing_words(metric: &MetricComparison) -> Option<String> {
    let correlation = metric.second_opinions.correlation?;
    let saved = match metric.second_opinions.variance_ratio {
        Some(ratio) if ratio < 1.0 => format!(
            "; pairing took away {} of the variance",
            share::percent_to(1.0 - ratio, 0)
        ),
        Some(_) => "; pairing did not help".to_owned(),
        None => String::new(),
    };
    Some(format!("The sides correlate at {correlation:.2}{saved}."))
}

/// What other methods say.
fn opinions(metric: &MetricComparison) -> Option<String> {
    let opinions = &metric.second_opinions;
    let mut said = Vec::new();
    if let (Some(p), Word::Equivalent) = (opinions.tost_p, metric.verdict.word) {
        said.push(format!("against the margin (TOST) {}", share::p_value(p)));
    }
    if let Some(p) = opinions.t_p {
        said.push(format!("t {}", share::p_value(p)));
    }
    if let Some(test) = opinions.sign_flip {
        let kind = if test.exact { "exact" } else { "drawn" };
        said.push(format!("sign-flip {} ({kind})", share::p_value(test.p)));
    }
    if let Some(p) = opinions.mann_whitney_p {
        said.push(format!("Mann-Whitney {}", share::p_value(p)));
    }
    if let Some(chance) = opinions.superiority {
        said.push(format!("A12 {chance:.2}"));
    }
    if let Some(shift) = opinions.hodges_lehmann {
        let ratio = metric
            .effect
            .as_ref()
            .is_some_and(|effect| effect.scale == Scale::Ratio);
        let text = if ratio {
            format!("×{shift:.4}")
        } else {
            difference_format(metric).signed(shift)
        };
        said.push(format!("Hodges-Lehmann {text}"));
    }
    if let Some(standardised) = opinions.standardised {
        said.extend(standardised.g_z.map(|g| format!("g_z {g:+.2}")));
        said.extend(standardised.g.map(|g| format!("g {g:+.2}")));
    }
    (!said.is_empty()).then(|| format!("Other statistics: {}.", said.join(", ")))
}

fn detectable_words(metric: &MetricComparison) -> Option<String> {
    let detectable = metric.second_opinions.detectable?;
    let size = difference_format(metric).number(detectable.absolute);
    let share = detectable.relative.map_or(String::new(), |share| {
        format!(" ({})", share::percent(share))
    });
    let often = share::chance(detectable.power, 0);
    Some(format!(
        "With these {} a true change of {size}{share} is found {often} of the time.",
        words::units(&metric.count)
    ))
}

/// In what the sides differ, one sentence per kind.
pub(crate) fn mismatch_sentences(mismatches: &[Mismatch]) -> Vec<String> {
    let kinds = [
        (FactKind::Parameters, "The sides differ in parameters"),
        (FactKind::Seeds, "The sides ran different seeds"),
        (FactKind::Machine, "The sides ran on different machines"),
        (
            FactKind::Definition,
            "The sides make the numbers of a metric differently",
        ),
        (FactKind::Task, "Tasks changed between the sides"),
        (FactKind::Implementation, "The sides are different programs"),
        (FactKind::Source, "The sides ran different sources or tools"),
        (
            FactKind::DirtyTree,
            "Ran with uncommitted changes, so nobody can make it again",
        ),
    ];
    let sentence = |(kind, what): (FactKind, &str)| {
        let of: Vec<String> = mismatches
            .iter()
            .filter(|mismatch| mismatch.kind == kind)
            .map(difference)
            .collect();
        (!of.is_empty()).then(|| format!("{what}: {}.", first_of(&of, NAMED)))
    };
    kinds.into_iter().filter_map(sentence).collect()
}

fn difference(mismatch: &Mismatch) -> String {
    let value = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".to_owned());
    if mismatch.kind == FactKind::Task {
        return mismatch.name.clone();
    }
    if mismatch.kind == FactKind::DirtyTree {
        let sides = [
            ("control", &mismatch.control),
            ("candidate", &mismatch.candidate),
        ];
        let dirty: Vec<String> = sides
            .iter()
            .filter_map(|(name, side)| Some(format!("{name} ({})", side.as_ref()?)))
            .collect();
        return dirty.join(", ");
    }
    format!(
        "{} ({} | {})",
        mismatch.name,
        value(&mismatch.control),
        value(&mismatch.candidate)
    )
}

/// What changed in watched paths.
pub(crate) fn watched_sentence(report: &WatchReport) -> String {
    let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
    let to = report
        .to
        .as_deref()
        .map_or("the work tree".to_owned(), short);
    let span = format!("from {} to {to}", short(&report.from));
    if report.files.is_empty() {
        return format!("Nothing changed in {} {span}.", report.paths.join(", "));
    }
    let lines = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
    let files: Vec<String> = report
        .files
        .iter()
        .map(|file| {
            format!(
                "{} (+{} -{})",
                file.path,
                lines(file.added),
                lines(file.removed)
            )
        })
        .collect();
    format!(
        "Changed in watched paths {span}: {}.",
        first_of(&files, NAMED)
    )
}
