//! The answer of a comparison.

use super::lines::{Cut, Line, ShownVerdicts, aligned, fitting, shortened};
use crate::comparison::{
    absolute_size, answer_size, dropped_text, mismatch_sentences, title, tone, watched_sentence,
    why,
};
use crate::console::page::height;
use crate::grid::Tone;
use crate::ranking::{format_of, standing_word};
use crate::words;
use fairtrial_analysis::Comparison;
use fairtrial_analysis::compare::{Contrast, MetricComparison, ObjectionKind, Ranking, Role, Word};
use fairtrial_analysis::watch::WatchReport;
use fairtrial_text::count::{and_more, counted, first_of};

/// Candidates that have a line each; more of them are ranked, or counted.
const MOST_CANDIDATES: usize = 4;
/// Lines of verdicts; where there would be more, those of the primary metric are shown.
const MOST_VERDICTS: usize = 8;
/// Metrics that are named where nothing says which one decides.
const MOST_NAMED: usize = 6;
/// Places of a ranking that are shown.
const PLACES: usize = 6;

/// What the answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonAnswer<'a> {
    /// What was found.
    pub comparison: &'a Comparison,
    /// What changed in the paths that the spec watches.
    pub watched: Option<&'a WatchReport>,
    /// What to type next, in words.
    pub next: Option<&'a str>,
}

impl ComparisonAnswer<'_> {
    /// The lines, the verdict last but for what to type next: the most telling of them that have `room` in a terminal of
    /// this width.
    pub(crate) fn lines(&self, width: usize, room: usize) -> Vec<Line> {
        fitting(width, room, |cut| self.cut_to(cut))
    }

    fn cut_to(&self, cut: &Cut) -> Vec<Line> {
        let watched = self.watched.filter(|_| cut.concerns > 0);
        let watched = watched.map(|report| Line::new(watched_sentence(report), Tone::Faint));
        let mut lines: Vec<Line> = watched.into_iter().collect();
        lines.extend(failure_lines(self.comparison, cut));
        lines.extend(heading(&self.comparison.contrasts));
        lines.extend(verdict_part(self.comparison, cut));
        lines.extend(source_lines(self.comparison, cut));
        let next = self.next.map(|next| format!("more: {next}"));
        lines.extend(next.map(|next| Line::new(next, Tone::Faint)));
        lines
    }
}

/// Which sides were compared.
fn heading(contrasts: &[Contrast]) -> Option<Line> {
    let text = match contrasts {
        [] => return None,
        [contrast] => title(contrast),
        [first, ..] => {
            let (control, candidate) = (&first.control, &first.candidate.source);
            let is_alike = |of: &Contrast| {
                of.candidate.source == *candidate && of.control.source == control.source
            };
            match contrasts.iter().all(is_alike) {
                true if *candidate != control.source => {
                    format!("{candidate} against {}", control.source)
                }
                true if control.arm.is_some() => {
                    format!("against {} ({})", control.short(), control.source)
                }
                _ => format!("against {}", control.short()),
            }
        }
    };
    Some(Line::new(text, Tone::Plain))
}

/// How often the sides failed, where one did.
fn failure_lines(comparison: &Comparison, cut: &Cut) -> Vec<Line> {
    let mut texts: Vec<String> = Vec::new();
    for contrast in &comparison.contrasts {
        let failures = &contrast.failures;
        let control = (contrast.control.short().to_owned(), failures.control);
        for (side, count) in [control, (candidate(contrast), failures.candidate)] {
            if count.failed == 0 {
                continue;
            }
            let of = counted(count.trials, "trial");
            let text = format!("✗ {} of {of} of {side} failed", count.failed);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let shown = texts.len().min(cut.concerns.max(1));
    if shown < texts.len() {
        texts = vec![and_more(&texts[..shown], texts.len() - shown)];
    }
    texts
        .into_iter()
        .map(|text| Line::new(text, Tone::Bad))
        .collect()
}

/// What is wrong with the records themselves.
pub(super) fn source_lines(comparison: &Comparison, cut: &Cut) -> Vec<Line> {
    let texts = source_texts(comparison);
    let more = texts.len().saturating_sub(cut.concerns);
    let shown = texts.into_iter().take(cut.concerns);
    let rest =
        (more > 0).then(|| format!("{more} more about the records (`compare -v` shows all)"));
    shown.chain(rest).map(caution).collect()
}

fn source_texts(comparison: &Comparison) -> Vec<String> {
    let problems = comparison.problems.iter().cloned();
    problems
        .chain(mismatch_sentences(&comparison.mismatches))
        .collect()
}

fn caution(text: impl AsRef<str>) -> Line {
    Line::new(format!("! {}", text.as_ref()), Tone::Caution)
}

/// The verdicts, or the places of many arms, and what speaks against them.
pub(super) fn verdict_part(comparison: &Comparison, cut: &Cut) -> Vec<Line> {
    let contrasts = &comparison.contrasts;
    let concerns = concerns(contrasts);
    let of_all = |concern: &Concern| concern.about.len() == contrasts.len();
    if let [ranking] = comparison.rankings.as_slice()
        && contrasts.len() > MOST_CANDIDATES
    {
        // What is about one of many is for those who look at that one.
        let shared: Vec<Concern> = concerns.into_iter().filter(of_all).collect();
        let mut lines = ranking_lines(ranking, cut.width);
        lines.extend(concern_lines(&shared, contrasts.len(), cut.concerns));
        return lines;
    }
    let mut lines = verdict_lines(contrasts, cut);
    lines.extend(concern_lines(&concerns, contrasts.len(), cut.concerns));
    lines
}

/// The places of many arms, each in one line where short names have room.
fn ranking_lines(ranking: &Ranking, width: usize) -> Vec<Line> {
    let format = format_of(ranking.arms.iter().map(|arm| &arm.standing));
    let table = |letters: usize| {
        let rows = ranking.arms.iter().enumerate().take(PLACES);
        let rows = rows.map(|(place, arm)| {
            let word = standing_word(&arm.arm, place, &arm.standing);
            let interval = arm.standing.interval.map_or(String::new(), |interval| {
                format.range(interval.low, interval.high)
            });
            let mean = format.number(arm.standing.mean);
            let rank = format!("{}.", place + 1);
            let name = shortened(&arm.arm, letters);
            (vec![rank, name, mean, interval, word.text], word.tone)
        });
        aligned(rows.collect())
    };
    let fits = |lines: &Vec<Line>| lines.iter().all(|line| height(&line.text, width) == 1);
    let short = SHORT_NAMES.into_iter().map(table);
    let places = std::iter::once(table(usize::MAX)).chain(short).find(fits);
    let places = places.unwrap_or_else(|| table(usize::MAX));
    let mut lines = vec![Line::new(
        format!("{} arms by {}", ranking.arms.len(), ranking.metric),
        Tone::Plain,
    )];
    lines.extend(places);
    let more = ranking.arms.len().saturating_sub(PLACES);
    if more > 0 {
        lines.push(Line::new(
            format!("and {}", counted(more as u64, "more arm")),
            Tone::Faint,
        ));
    }
    lines
}

/// A comparison in one line per metric and candidate, and what is wrong with the records.
pub(crate) fn brief_lines(comparison: &Comparison, width: usize) -> Vec<Line> {
    let contrasts = comparison.contrasts.iter();
    let all = contrasts.flat_map(|contrast| {
        let metrics = contrast.metrics.iter();
        metrics.map(move |metric| (contrast, metric))
    });
    let all: Vec<(&Contrast, &MetricComparison)> = all.collect();
    let mut lines = verdict_table(&all, comparison.contrasts.len(), width);
    lines.extend(source_texts(comparison).iter().map(caution));
    lines
}

/// What a line of a verdict says besides the verdict.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// The difference, also as a share of the control, and the number of units.
    All,
    /// Not the share.
    NoShare,
    /// Not the number of units either.
    Difference,
}

/// Verdicts under each other, of one of so many candidates each; what has no room in one line is left out of all.
fn verdict_table(
    all: &[(&Contrast, &MetricComparison)],
    candidates: usize,
    width: usize,
) -> Vec<Line> {
    let table = |said: Said, letters: usize| {
        let rows = all.iter().map(|(contrast, metric)| {
            let who = if candidates > 1 {
                shortened(&candidate(contrast), letters)
            } else {
                String::new()
            };
            verdict_row(who, shortened(&metric.metric, letters), metric, said)
        });
        aligned(rows.collect())
    };
    let fits = |lines: &Vec<Line>| lines.iter().all(|line| height(&line.text, width) == 1);
    let said = [Said::All, Said::NoShare, Said::Difference];
    let tries = said.into_iter().map(|said| table(said, usize::MAX));
    // Names that differ must not look alike.
    let differ = |lines: &Vec<Line>| {
        let mut texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        texts.sort_unstable();
        texts.windows(2).all(|two| two[0] != two[1])
    };
    let short = SHORT_NAMES.into_iter().flat_map(|letters| {
        let said = [Said::NoShare, Said::Difference];
        said.map(|said| table(said, letters))
    });
    let found = tries.chain(short.filter(differ)).find(fits);
    found.unwrap_or_else(|| table(Said::Difference, usize::MAX))
}

/// Letters of a name that is cut where there is no room for it.
const SHORT_NAMES: [usize; 4] = [40, 32, 26, 20];

/// Whose metric, the verdict, how much it moved, and by how many units that is known.
fn verdict_row(
    who: String,
    name: String,
    metric: &MetricComparison,
    said: Said,
) -> (Vec<String>, Tone) {
    let word = metric.verdict.word;
    let size = match said {
        Said::All => answer_size(metric),
        Said::NoShare | Said::Difference => absolute_size(metric),
    };
    let units = (said != Said::Difference).then(|| words::units(&metric.count));
    let cells = vec![
        who,
        name,
        word.text().to_owned(),
        size,
        units.unwrap_or_default(),
    ];
    (cells, tone(word))
}

/// One line per metric of each candidate.
fn verdict_lines(contrasts: &[Contrast], cut: &Cut) -> Vec<Line> {
    let rows = |shown: ShownVerdicts| -> Vec<(&Contrast, &MetricComparison)> {
        let first = contrasts.iter().take(MOST_CANDIDATES);
        let rows = first.flat_map(|contrast| {
            let metrics = contrast.metrics.iter();
            let metrics = metrics.filter(move |metric| shown.has(metric));
            metrics.map(move |metric| (contrast, metric))
        });
        rows.collect()
    };
    let (mut all, mut shown) = (rows(cut.metrics), cut.metrics);
    if all.len() > MOST_VERDICTS || contrasts.len() > MOST_CANDIDATES {
        shown = ShownVerdicts::Primary;
        all = rows(shown);
    }
    let mut lines = verdict_table(&all, contrasts.len(), cut.width);
    lines.extend(other_candidates(contrasts));
    lines.extend(moved_too(contrasts, shown));
    lines.extend(not_named(contrasts));
    lines
}

/// Where nothing says which metric decides, the first one does: the names of the others.
fn not_named(contrasts: &[Contrast]) -> Option<Line> {
    let [first, others @ ..] = contrasts.first()?.metrics.as_slice() else {
        return None;
    };
    let is_undeclared = |metric: &MetricComparison| {
        let mut objections = metric.verdict.objections.iter();
        objections.any(|objection| objection.kind == ObjectionKind::Undeclared)
    };
    if others.is_empty() || !is_undeclared(first) || !others.iter().all(is_undeclared) {
        return None;
    }
    let names = others.iter().map(|metric| &metric.metric);
    let names = first_of(names, MOST_NAMED);
    let text =
        format!("nothing says which metric decides; there is also {names} (`--metric NAME`)");
    Some(caution(text))
}

impl ShownVerdicts {
    fn has(self, metric: &MetricComparison) -> bool {
        let is_declared = metric.direction.is_some();
        metric.role == Role::Primary || self == Self::Declared && is_declared
    }
}

/// The verdicts of candidates that have no line, counted.
fn other_candidates(contrasts: &[Contrast]) -> Option<Line> {
    let rest = contrasts.get(MOST_CANDIDATES..)?;
    let mut words: Vec<(Word, usize)> = Vec::new();
    for metric in rest.iter().flat_map(primary) {
        let word = metric.verdict.word;
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    let words = words.iter().map(|(word, count)| format!("{count} {word}"));
    let words: Vec<String> = words.collect();
    let more = counted(rest.len(), "more comparison");
    (!rest.is_empty()).then(|| Line::new(format!("and {more}: {}", words.join(", ")), Tone::Plain))
}

/// Secondary metrics that moved and have no line of their own, in one line.
fn moved_too(contrasts: &[Contrast], shown: ShownVerdicts) -> Option<Line> {
    let [contrast] = contrasts else {
        return None;
    };
    let moved = contrast.metrics.iter().filter(|metric| {
        let word = metric.verdict.word;
        !shown.has(metric) && matches!(word, Word::Improved | Word::Regressed)
    });
    let moved: Vec<String> = moved
        .map(|metric| format!("{} {}", metric.metric, metric.verdict.word))
        .collect();
    (!moved.is_empty()).then(|| Line::new(format!("also: {}", moved.join(", ")), Tone::Plain))
}

/// What speaks against verdicts, and whose.
struct Concern {
    text: String,
    about: Vec<String>,
}

/// What speaks against the verdicts, each once.
fn concerns(contrasts: &[Contrast]) -> Vec<Concern> {
    let mut concerns: Vec<Concern> = Vec::new();
    for contrast in contrasts {
        for text in primary(contrast).flat_map(concerns_of) {
            let who = candidate(contrast);
            match concerns.iter_mut().find(|concern| concern.text == text) {
                Some(concern) => concern.about.push(who),
                None => concerns.push(Concern {
                    text,
                    about: vec![who],
                }),
            }
        }
    }
    concerns
}

fn concern_lines(concerns: &[Concern], contrasts: usize, most: usize) -> Vec<Line> {
    let line = |concern: &Concern| {
        let who = if concern.about.len() == contrasts {
            String::new()
        } else {
            format!("{}: ", concern.about.join(", "))
        };
        caution(format!("{who}{}", concern.text))
    };
    let mut lines: Vec<Line> = concerns.iter().take(most).map(line).collect();
    let more = concerns.len().saturating_sub(most);
    if more > 0 {
        let more = counted(more, "more objection");
        lines.push(caution(format!("{more} (`compare -v` shows all)")));
    }
    lines
}

/// Why a metric is undecided and what would decide it, and what a reader must know of a verdict.
fn concerns_of(metric: &MetricComparison) -> Vec<String> {
    let verdict = &metric.verdict;
    let mut concerns = Vec::new();
    if matches!(verdict.word, Word::Inconclusive | Word::Insufficient) {
        let advice = verdict.advice.as_ref().map(words::advice);
        concerns.push(format!("{}.{}", why(metric), advice.unwrap_or_default()));
    }
    let noted = verdict.objections.iter().filter(|of| !of.holds_back());
    concerns.extend(noted.map(words::objection));
    concerns.extend(dropped_text(metric));
    concerns
}

fn primary(contrast: &Contrast) -> impl Iterator<Item = &MetricComparison> {
    let metrics = contrast.metrics.iter();
    metrics.filter(|metric| metric.role == Role::Primary)
}

/// The candidate, with its point of a sweep.
fn candidate(contrast: &Contrast) -> String {
    let name = contrast.candidate.short();
    if contrast.point.is_empty() {
        name.to_owned()
    } else {
        format!("{name} at {}", contrast.point)
    }
}
