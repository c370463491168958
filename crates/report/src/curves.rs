//! The learning-curve analysis as text: the verdict in one sentence, its evidence as tables, and the documented CSV.

use crate::comparison::why;
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::words;
use fairtrial_analysis::compare::{MetricComparison, Word};
use fairtrial_analysis::curves::{Analysis, Design, PowerPlan, RunValue, TTestReport, side_word};
use fairtrial_text::count::{capitalised, count, counted};
use fairtrial_text::escape;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share::{chance, change, level, p_value, percent_to};
use fairtrial_text::significant::general;

use std::fmt::Write as _;

/// Digits of the numbers in the CSV form.
const CSV_DIGITS: usize = 9;

/// The verdict's colour.
pub(crate) const fn tone(word: Word) -> Tone {
    match word {
        Word::Improved => Tone::Good,
        Word::Regressed => Tone::Bad,
        Word::Equivalent | Word::NotWorse | Word::Identical => Tone::Plain,
        Word::Inconclusive | Word::Insufficient => Tone::Caution,
    }
}

/// The verdict as the first line of the answer.
pub(crate) fn verdict_sentence(comparison: &MetricComparison) -> String {
    let verdict = &comparison.verdict;
    let mut text = format!(
        "{}: {}",
        capitalised(verdict.word.text()),
        comparison.metric
    );
    if let Some(effect) = &comparison.effect {
        let format = effect_format(comparison);
        let _ = write!(
            text,
            " changes by {} (candidate - control), {} interval {}",
            format.signed(effect.absolute.value),
            level(effect.alpha),
            format.signed_range(effect.absolute.low, effect.absolute.high)
        );
        if let Some(relative) = effect.relative {
            let _ = write!(text, ", {}", change(relative.value));
        }
    }
    let _ = write!(text, "; {}.", why(comparison));
    if let Some(advice) = &verdict.advice {
        text.push_str(&words::advice(advice));
    }
    text
}

fn effect_format(comparison: &MetricComparison) -> NumberFormat {
    let absolute = comparison.effect.as_ref().map(|effect| effect.absolute);
    let Some(range) = absolute else {
        return NumberFormat::choose(&[], &[], comparison.precision);
    };
    let half = (range.high - range.low) / 2.0;
    NumberFormat::choose(&[range.value], &[half], comparison.precision)
        .for_difference((range.low, range.high), half)
}

/// The tables, the evidence of the verdict first.
pub(crate) fn sections(analysis: &Analysis) -> Vec<Section> {
    let mut sections = vec![evidence(analysis), runs(analysis)];
    sections.retain(|section| !section.grid.rows.is_empty() || !section.notes.is_empty());
    sections
}

/// What was compared, in a line.
pub(crate) fn subject(analysis: &Analysis) -> String {
    let design = match analysis.design {
        Design::Paired => "paired",
        Design::Unpaired => "unpaired",
    };
    format!(
        "Analysis ({design}) of {}, {}: {} control and {}.",
        analysis.metric,
        analysis.summary_words,
        analysis.control.len(),
        counted(analysis.candidate.len() as u64, "candidate run")
    )
}

fn evidence(analysis: &Analysis) -> Section {
    let mut grid = Grid::new(vec![Column::words("evidence"), Column::words("result")]);
    let comparison = &analysis.comparison;
    let format = effect_format(comparison);
    if let Some(effect) = &comparison.effect {
        let interval = format.signed_range(effect.absolute.low, effect.absolute.high);
        let text = format!(
            "{} {}, {}",
            level(effect.alpha),
            interval,
            words::method(comparison).unwrap_or_default()
        );
        grid.push(vec!["interval (the verdict)".into(), text.into()]);
    }
    grid.push(vec![
        "bootstrap".into(),
        bootstrap_words(analysis, format).into(),
    ]);
    if let Some(ttest) = &analysis.ttest {
        ttest_rows(ttest, &mut grid);
    }
    beside_rows(comparison, &mut grid);
    if let Some(power) = &analysis.power {
        power_rows(power, analysis.design, &mut grid);
    }
    let objections = comparison.verdict.objections.iter();
    let noted = objections.filter(|objection| !objection.holds_back());
    let noted = noted.map(words::objection);
    let notes = noted.chain(analysis.notes.iter().cloned());
    Section {
        title: subject(analysis),
        grid,
        notes: notes.map(|note| format!("Note: {note}.")).collect(),
    }
}

fn bootstrap_words(analysis: &Analysis, format: NumberFormat) -> String {
    match &analysis.bootstrap {
        fairtrial_analysis::curves::Bootstrap::Interval(found) => {
            let interval = &found.interval;
            let resamples = match found.resampling {
                fairtrial_stats::bootstrap::Resampling::Drawn { resamples, seed } => {
                    format!("{} resamples, seed {seed}", count(resamples as u64))
                }
                _ => "all resamples".to_owned(),
            };
            let effect = analysis.bootstrap.effect().unwrap_or(found.estimate);
            format!(
                "effect {}, {} {} {} ({}, {resamples})",
                format.signed(effect),
                side_word(interval.level.side),
                level(interval.level.alpha),
                format.signed_range(interval.low, interval.high),
                found.method.name()
            )
        }
        fairtrial_analysis::curves::Bootstrap::Undefined { why } => format!("none: {why}"),
    }
}

fn ttest_rows(report: &TTestReport, grid: &mut Grid) {
    let result = match (&report.test, &report.why_none) {
        (Some(test), _) => format!(
            "t = {:.3}, df = {}, {} ({})",
            test.t,
            (100.0 * test.df).round() / 100.0,
            p_value(test.p),
            test.method
        ),
        (None, why) => format!("none: {}", why.as_deref().unwrap_or_default()),
    };
    grid.push(vec!["t test".into(), result.into()]);
    for normality in &report.normality {
        let text = match (&normality.shapiro_wilk, &normality.why_none) {
            (Some(test), _) => format!("W = {:.4}, {} (Shapiro-Wilk)", test.w, p_value(test.p)),
            (None, why) => format!("not known: {}", why.as_deref().unwrap_or_default()),
        };
        grid.push(vec![
            format!("normal {}?", normality.of).into(),
            text.into(),
        ]);
    }
    if let Some(levene) = &report.spread {
        let text = format!(
            "F = {:.4}, {} ({})",
            levene.statistic,
            p_value(levene.p),
            levene.method
        );
        grid.push(vec!["one spread?".into(), text.into()]);
    }
    for doubt in &report.doubts {
        grid.push(vec![
            "doubtful".into(),
            Cell::from(doubt.as_str()).toned(Tone::Caution),
        ]);
    }
}

fn beside_rows(comparison: &MetricComparison, grid: &mut Grid) {
    let opinions = &comparison.second_opinions;
    if let Some(test) = &opinions.sign_flip {
        let exact = if test.exact {
            "exact, assumes no shape"
        } else {
            "random signs"
        };
        grid.push(vec![
            "sign-flip test".into(),
            format!("{} ({exact})", p_value(test.p)).into(),
        ]);
    }
    if let Some(p) = opinions.mann_whitney_p {
        grid.push(vec!["Mann-Whitney test".into(), p_value(p).into()]);
    }
    if let (Some(rho), Some(ratio)) = (opinions.correlation, opinions.variance_ratio) {
        let text = format!(
            "correlation {rho:.2}; the variance of the difference is {} of that of unpaired runs",
            percent_to(ratio, 0)
        );
        grid.push(vec!["pairing".into(), text.into()]);
    }
    if let Some(standardised) = &opinions.standardised {
        let of = |name: &str, value: Option<f64>| value.map(|value| format!("{name} = {value:.2}"));
        let shown: Vec<String> = [of("g_z", standardised.g_z), of("g", standardised.g)]
            .into_iter()
            .flatten()
            .collect();
        grid.push(vec!["standardised effect".into(), shown.join(", ").into()]);
    }
    if let Some(detectable) = &opinions.detectable {
        let format = NumberFormat::alone(detectable.absolute);
        let text = format!(
            "{} ({} of experiments would find it)",
            format.number(detectable.absolute),
            chance(detectable.power, 0)
        );
        grid.push(vec!["smallest findable effect".into(), text.into()]);
    }
}

fn power_rows(plan: &PowerPlan, design: Design, grid: &mut Grid) {
    let unit = match design {
        Design::Paired => "pairs",
        Design::Unpaired => "runs per arm",
    };
    // As the user wrote it.
    let target = plan.question.target;
    let result = match (&plan.required, &plan.why_none) {
        (Some(required), _) => format!(
            "{} {unit} find an effect of {target} in {} of experiments",
            count(required.n),
            chance(plan.question.power, 0)
        ),
        (None, why) => format!("none: {}", why.as_deref().unwrap_or_default()),
    };
    grid.push(vec!["required N".into(), result.into()]);
    if let Some(original) = &plan.original {
        let why = match design {
            Design::Paired => "normal approximation, not rounded up",
            Design::Unpaired => {
                "not to be used: it takes a standard error for a standard deviation"
            }
        };
        let text = format!("{:.1} ({why})", original.required_n);
        grid.push(vec![
            "  as in the original".into(),
            Cell::from(text).toned(Tone::Faint),
        ]);
    }
}

fn runs(analysis: &Analysis) -> Section {
    let values = analysis
        .control
        .iter()
        .chain(&analysis.candidate)
        .filter_map(|run| run.value);
    let values: Vec<f64> = values.collect();
    let format = NumberFormat::choose(&values, &[], analysis.comparison.precision);
    let cell = |run: &RunValue| match (run.value, &run.why_none) {
        (Some(value), _) => Cell::from(format.number(value)),
        (None, why) => Cell::from(why.clone().unwrap_or_default()).toned(Tone::Bad),
    };
    let grid = match analysis.design {
        Design::Paired => pair_grid(analysis, format, cell),
        Design::Unpaired => {
            let mut grid = Grid::new(vec![
                Column::words("side"),
                Column::words("run"),
                Column::numbers("value"),
            ]);
            for (side, runs) in [
                ("control", &analysis.control),
                ("candidate", &analysis.candidate),
            ] {
                for run in runs {
                    grid.push(vec![side.into(), run.id.as_str().into(), cell(run)]);
                }
            }
            grid
        }
    };
    Section {
        title: "Runs".to_owned(),
        grid,
        notes: Vec::new(),
    }
}

fn pair_grid(analysis: &Analysis, format: NumberFormat, cell: impl Fn(&RunValue) -> Cell) -> Grid {
    let mut grid = Grid::new(vec![
        Column::words("control run"),
        Column::words("candidate run"),
        Column::numbers("control"),
        Column::numbers("candidate"),
        Column::numbers("difference"),
    ]);
    for (control, candidate) in analysis.control.iter().zip(&analysis.candidate) {
        let difference = control
            .value
            .zip(candidate.value)
            .map(|(a, b)| format.signed(b - a));
        grid.push(vec![
            control.id.as_str().into(),
            candidate.id.as_str().into(),
            cell(control),
            cell(candidate),
            difference.unwrap_or_default().into(),
        ]);
    }
    grid
}

/// The documented CSV file. Pairs without a number on a side have no row.
pub fn csv(analysis: &Analysis) -> Result<String, csv::Error> {
    let number = |x: f64| general(x, CSV_DIGITS);
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    writer.write_record([
        "group",
        "label",
        "value_or_control",
        "candidate_value_optional",
    ])?;
    match analysis.design {
        Design::Paired => {
            for (control, candidate) in analysis.control.iter().zip(&analysis.candidate) {
                if let (Some(a), Some(b)) = (control.value, candidate.value) {
                    let label = format!("{} vs {}", control.id, candidate.id);
                    writer.write_record([
                        "paired",
                        &escape::csv(&label),
                        &number(a),
                        &number(b),
                    ])?;
                }
            }
        }
        Design::Unpaired => {
            for (side, runs) in [
                ("control", &analysis.control),
                ("candidate", &analysis.candidate),
            ] {
                for (run, value) in runs.iter().filter_map(|run| Some((run, run.value?))) {
                    writer.write_record([side, &escape::csv(&run.id), &number(value), ""])?;
                }
            }
        }
    }
    if let (Some(found), Some(effect)) =
        (analysis.bootstrap.interval(), analysis.bootstrap.effect())
    {
        let interval = &found.interval;
        for (label, value) in [
            ("effect", effect),
            ("ci_low", interval.low),
            ("ci_high", interval.high),
        ] {
            writer.write_record(["result", label, &number(value), ""])?;
        }
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
