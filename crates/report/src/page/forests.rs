//! The differences as forest plots: all of them, or it is said which are not.

use fairtrial_analysis::compare::{Comparison, Contrast, MetricComparison, Word};
use fairtrial_chart::charts::{self, Forest, ForestRow, Heading, with_unit};
use fairtrial_chart::{Figure, TickFormat};
use fairtrial_text::count::count;
use fairtrial_text::count::first_of;
use fairtrial_text::share::{common_level, level};

/// Rows of one forest plot at most, and plots of one scale.
const ROWS: usize = 24;
const PLOTS: usize = 4;
/// Metrics without a relative change that are shown, each on its own scale.
const METRICS: usize = 12;
/// Comparisons without a difference that are named.
const NAMED: usize = 5;

/// One difference, and how much a reader must see it.
#[derive(Clone)]
struct Difference {
    row: ForestRow,
    word: Word,
    metric: String,
    unit: Option<String>,
    /// One minus the confidence of its interval.
    alpha: f64,
}

impl Difference {
    /// What came out first, bad news before good, then the largest.
    fn importance(&self) -> (u8, f64) {
        let word = match self.word {
            Word::Regressed => 0,
            Word::Improved => 1,
            _ => 2,
        };
        let size = self.row.range[1].abs();
        (word, if size.is_nan() { 0.0 } else { -size })
    }
}

/// The differences: those that have a relative change together, the others on each metric's own scale.
pub(super) fn forests(comparison: &Comparison) -> Vec<Figure> {
    let several = comparison.contrasts.len() > 1;
    let all = || {
        comparison.contrasts.iter().flat_map(|contrast| {
            let metrics = contrast.metrics.iter();
            metrics.map(move |metric| (contrast, metric))
        })
    };
    let relative: Vec<Difference> = all()
        .filter_map(|(contrast, metric)| relative(contrast, metric, several))
        .collect();
    let interval = interval_words(&relative);
    let mut figures = plots(relative, |rows, part| Forest {
        heading: Heading {
            title: format!("Differences from the control{part}"),
            subtitle: format!("Relative change with its {interval}{}.", shaded(rows)),
            notes: Vec::new(),
        },
        axis: "change against the control".to_owned(),
        format: TickFormat::Change,
        rows: rows.to_vec(),
    });
    let absolute: Vec<Difference> = all()
        .filter_map(|(contrast, metric)| absolute(contrast, metric, several))
        .collect();
    figures.extend(on_own_scales(absolute));
    let without = all().filter(|(_, metric)| metric.effect.is_none());
    let without: Vec<String> = without
        .map(|(contrast, metric)| {
            let name = name(contrast, metric, several);
            format!("{name} ({})", metric.verdict.word.text())
        })
        .collect();
    if let (Some(first), Some(note)) = (figures.first_mut(), without_difference(&without)) {
        first.notes.push(note);
    }
    figures
}

/// Comparisons that have no difference to draw, by name.
fn without_difference(names: &[String]) -> Option<String> {
    let named = first_of(names, NAMED);
    (!names.is_empty()).then(|| format!("Without a difference to draw: {named}."))
}

/// `95 % interval`, or between which levels several tests that share an error rate have theirs.
fn interval_words(of: &[Difference]) -> String {
    let alphas = || of.iter().map(|difference| difference.alpha);
    if let Some(level) = common_level(alphas()) {
        return format!("{level} interval");
    }
    let (least, most) = (
        alphas().fold(f64::INFINITY, f64::min),
        alphas().fold(0.0, f64::max),
    );
    format!("adjusted interval ({} to {})", level(most), level(least))
}

/// One plot per metric, with the rows of all contrasts.
fn on_own_scales(all: Vec<Difference>) -> Vec<Figure> {
    let mut metrics: Vec<Vec<Difference>> = Vec::new();
    for difference in all {
        let known = metrics
            .iter()
            .position(|of| of[0].metric == difference.metric);
        match known {
            Some(place) => metrics[place].push(difference),
            None => metrics.push(vec![difference]),
        }
    }
    let total = metrics.len();
    let kept = most_important(metrics, METRICS, |of| {
        let each = of.iter().map(Difference::importance);
        each.min_by(compared).unwrap_or((u8::MAX, 0.0))
    });
    let mut figures: Vec<Figure> = kept
        .into_iter()
        .flat_map(|of| {
            let (metric, unit) = (of[0].metric.clone(), of[0].unit.clone());
            let interval = interval_words(&of);
            plots(of, |rows, part| Forest {
                heading: Heading {
                    title: format!("Difference in {metric}{part}"),
                    subtitle: format!("With its {interval}{}.", shaded(rows)),
                    notes: Vec::new(),
                },
                axis: with_unit(&format!("difference in {metric}"), unit.as_deref()),
                format: TickFormat::Plain,
                rows: rows.to_vec(),
            })
        })
        .collect();
    if let Some(last) = figures.last_mut().filter(|_| total > METRICS) {
        last.notes.push(format!(
            "{METRICS} of {} metrics without a relative change are shown: those with an answer first. The tables have \
             all.",
            count(total as u64)
        ));
    }
    figures
}

/// The rows in as many plots as they need; what is too much is chosen by importance and said on every plot.
fn plots(all: Vec<Difference>, forest: impl Fn(&[ForestRow], &str) -> Forest) -> Vec<Figure> {
    let total = all.len();
    let kept = most_important(all, ROWS * PLOTS, Difference::importance);
    let note = (kept.len() < total).then(|| {
        format!(
            "{} of {} differences are shown: those with an answer first, then the largest. The tables have all.",
            kept.len(),
            count(total as u64)
        )
    });
    let rows: Vec<ForestRow> = kept.into_iter().map(|difference| difference.row).collect();
    let parts = rows.len().div_ceil(ROWS);
    let each = rows.len().div_ceil(parts.max(1)).max(1);
    rows.chunks(each)
        .enumerate()
        .map(|(place, rows)| {
            let part = if parts > 1 {
                format!(", {} of {parts}", place + 1)
            } else {
                String::new()
            };
            let mut forest = forest(rows, &part);
            forest.heading.notes.extend(note.clone());
            charts::forest(&forest)
        })
        .collect()
}

/// The `most` of the smallest keys, in the order in which they came.
fn most_important<T>(all: Vec<T>, most: usize, key: impl Fn(&T) -> (u8, f64)) -> Vec<T> {
    let mut order: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| compared(&key(a), &key(b)));
    order.truncate(most);
    order.sort_by_key(|(place, _)| *place);
    order.into_iter().map(|(_, kept)| kept).collect()
}

fn compared(a: &(u8, f64), b: &(u8, f64)) -> std::cmp::Ordering {
    a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1))
}

fn shaded(rows: &[ForestRow]) -> &'static str {
    if rows.iter().any(|row| row.margin.is_some()) {
        "; changes inside the shaded margin do not matter"
    } else {
        ""
    }
}

fn relative(contrast: &Contrast, metric: &MetricComparison, several: bool) -> Option<Difference> {
    let effect = metric.effect.as_ref()?;
    let found = effect.relative?;
    let margin = effect.margin.map(|margin| margin / effect.control.abs());
    let range = [found.low, found.value, found.high];
    let shown = (effect.alpha, range, margin);
    Some(difference(contrast, metric, several, shown))
}

fn absolute(contrast: &Contrast, metric: &MetricComparison, several: bool) -> Option<Difference> {
    let effect = metric.effect.as_ref();
    let effect = effect.filter(|effect| effect.relative.is_none())?;
    let range = [
        effect.absolute.low,
        effect.absolute.value,
        effect.absolute.high,
    ];
    let shown = (effect.alpha, range, effect.margin);
    Some(difference(contrast, metric, several, shown))
}

fn difference(
    contrast: &Contrast,
    metric: &MetricComparison,
    several: bool,
    (alpha, range, margin): (f64, [f64; 3], Option<f64>),
) -> Difference {
    let word = metric.verdict.word;
    Difference {
        row: ForestRow {
            name: name(contrast, metric, several),
            note: word.text().to_owned(),
            range,
            margin,
            look: match word {
                Word::Improved => 2,
                Word::Regressed => 1,
                _ => 0,
            },
        },
        word,
        metric: metric.metric.clone(),
        unit: metric.unit.clone(),
        alpha,
    }
}

fn name(contrast: &Contrast, metric: &MetricComparison, several: bool) -> String {
    if !several {
        return metric.metric.clone();
    }
    let mut name = format!("{} · {}", metric.metric, contrast.candidate.short());
    if !contrast.point.is_empty() {
        name = format!("{name} · {}", contrast.point);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{Difference, Forest, PLOTS, ROWS, Word, interval_words, on_own_scales, plots};
    use fairtrial_chart::charts::ForestRow;

    fn differences(count: usize) -> Vec<Difference> {
        let one = |place: usize| Difference {
            row: ForestRow {
                name: format!("row {place}"),
                range: [0.0, 0.01, 0.02],
                ..ForestRow::default()
            },
            word: Word::Inconclusive,
            metric: format!("metric {place}"),
            unit: None,
            alpha: 0.05,
        };
        (0..count).map(one).collect()
    }

    fn forest(rows: &[ForestRow], part: &str) -> Forest {
        let mut forest = Forest {
            rows: rows.to_vec(),
            ..Forest::default()
        };
        forest.heading.title = format!("title{part}");
        forest
    }

    #[test]
    fn more_rows_than_one_plot_has_room_for_are_in_several() {
        let figures = plots(differences(36), forest);
        let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
        assert_eq!(titles, ["title, 1 of 2", "title, 2 of 2"]);
        let words: String = figures.iter().map(|figure| &*figure.description).collect();
        assert!((0..36).all(|place| words.contains(&format!("row {place}:"))));
        assert!(figures.iter().all(|figure| figure.notes.is_empty()));
        assert!(plots(Vec::new(), forest).is_empty());
    }

    #[test]
    fn what_came_out_is_never_left_out_for_want_of_room() {
        let mut all = differences(300);
        all[299].word = Word::Regressed;
        all[298].row.range = [-0.9, -0.5, -0.1];
        let figures = plots(all, forest);
        assert_eq!(figures.len(), PLOTS);
        let last = &figures[PLOTS - 1];
        assert!(last.description.contains("row 298:") && last.description.contains("row 299:"));
        let note = format!("{} of 300 differences are shown", ROWS * PLOTS);
        assert!(
            figures
                .iter()
                .all(|figure| figure.notes[0].starts_with(&note))
        );
    }

    #[test]
    fn metrics_on_their_own_scales_are_all_shown_or_counted() {
        assert_eq!(on_own_scales(differences(5)).len(), 5);
        let mut all = differences(20);
        all[19].word = Word::Regressed;
        let figures = on_own_scales(all);
        assert_eq!(figures.len(), 12);
        assert!(figures[11].title.ends_with("metric 19"));
        assert!(figures[11].notes[0].starts_with("12 of 20 metrics"));
    }

    #[test]
    fn intervals_are_called_by_the_level_that_they_have() {
        let mut all = differences(3);
        assert_eq!(interval_words(&all), "95 % interval");
        for one in &mut all {
            one.alpha = 0.05 / 3.0;
        }
        assert_eq!(interval_words(&all), "98.3 % interval");
        all[0].alpha = 0.05;
        assert_eq!(interval_words(&all), "adjusted interval (95 % to 98.3 %)");
    }
}
