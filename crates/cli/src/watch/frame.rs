//! What is on the screen: lines that fit it, whatever trials are called.

use fairtrial_model::Outcome;
use fairtrial_session::{RunOverview, TrialRow};
use fairtrial_text::duration::span;
use fairtrial_text::escape::terminal_line;
use fairtrial_text::significant::short;
use unicode_width::UnicodeWidthChar;

/// Ends that are listed at most.
pub(super) const ENDS: usize = 12;
/// Trials that run and are listed at most, where the log is shown and where it is not.
const FLIGHTS: usize = 12;
const FLIGHTS_BESIDE_LOG: usize = 4;
/// Signs of a curve, from low to high.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) painted: bool,
}

/// What there is to show.
pub(super) struct Shown<'a> {
    pub(super) overview: &'a RunOverview,
    /// The trials that ended last, the newest first.
    pub(super) ended: Vec<&'a TrialRow>,
    pub(super) chosen: usize,
    /// Values of the chosen trial's first curve.
    pub(super) curve: &'a [f64],
    /// The end of its log, where that is shown.
    pub(super) log: Option<&'a Vec<String>>,
    pub(super) asks: bool,
    pub(super) said: &'a str,
}

impl Frame {
    /// The lines of the screen, from its top; never more than fit.
    pub(super) fn lines(self, shown: &Shown<'_>) -> Vec<String> {
        let run = shown.overview;
        let ended = run.counts.total();
        let mut lines = vec![
            self.line(
                &format!("{} {}: {}", run.name, run.stamp, run.status),
                Paint::Strong,
            ),
            self.meter(run),
            self.line(&progress(run), Paint::Plain),
            String::new(),
            self.line(&slots(run), Paint::Strong),
        ];
        let most = if shown.log.is_some() {
            FLIGHTS_BESIDE_LOG
        } else {
            FLIGHTS
        };
        // The chosen one is always among them.
        let first = (shown.chosen + 1).saturating_sub(most);
        for (place, flight) in run.in_flight.iter().enumerate().skip(first).take(most) {
            let mark = if place == shown.chosen { '>' } else { ' ' };
            let for_how_long = flight
                .elapsed_s
                .map(|seconds| format!("  {}", span(seconds)));
            let text = format!(
                "{mark} {}{}",
                flight.label,
                for_how_long.unwrap_or_default()
            );
            let paint = if place == shown.chosen {
                Paint::Strong
            } else {
                Paint::Plain
            };
            lines.push(self.line(&text, paint));
        }
        if !shown.curve.is_empty() {
            let room = self.width.saturating_sub(16).min(60);
            let last = shown.curve.last().copied().unwrap_or(f64::NAN);
            let text = format!("    {} {}", sparkline(shown.curve, room), short(last));
            lines.push(self.line(&text, Paint::Plain));
        }
        lines.push(String::new());
        if let Some(log) = shown.log {
            lines.push(self.line("Log", Paint::Strong));
            let room = self.height.saturating_sub(lines.len() + 2);
            let from = log.len().saturating_sub(room);
            let nothing = vec!["(nothing yet)".to_owned()];
            let told = if log.is_empty() { &nothing } else { log };
            lines.extend(
                told[from..]
                    .iter()
                    .map(|line| self.line(line, Paint::Plain)),
            );
        } else if ended > 0 {
            lines.push(self.line("Ended last", Paint::Strong));
            for row in &shown.ended {
                lines.push(self.end(row));
            }
        }
        lines.truncate(self.height.saturating_sub(2));
        lines.push(String::new());
        let keys = if shown.asks {
            "Stop the run and end what is in flight? y / n"
        } else if shown.said.is_empty() {
            "q leave   up/down choose   l log   p pause or continue   c cancel the run"
        } else {
            shown.said
        };
        lines.push(self.line(keys, Paint::Faint));
        lines
    }

    fn end(self, row: &TrialRow) -> String {
        let ok = row.outcome == Some(Outcome::Ok);
        let outcome = row.outcome.map_or("", Outcome::word);
        let cause = row
            .cause
            .as_ref()
            .map_or(String::new(), |cause| format!(": {cause}"));
        let how = if ok {
            String::new()
        } else {
            format!(" {outcome}{cause}")
        };
        let took = row
            .wall
            .map_or(String::new(), |wall| format!("  {}", span(wall)));
        let value = row.values.first().copied().flatten();
        let value = value.map_or(String::new(), |value| format!("  {}", short(value)));
        let mark = if ok { '✓' } else { '✗' };
        let text = format!("{mark} {}{how}{took}{value}", row.label());
        self.line(&text, if ok { Paint::Plain } else { Paint::Bad })
    }

    /// A bar of what has ended well, what has not, and what runs.
    fn meter(self, run: &RunOverview) -> String {
        let room = self.width.saturating_sub(2).min(72);
        let part = |count: u64| {
            let share = count as f64 / run.trials.max(1) as f64;
            (share * room as f64).floor() as usize
        };
        let ended = part(run.counts.total());
        let well = part(run.counts.ok).min(ended);
        let runs = part(run.running as u64).min(room - ended);
        let bar = [
            ('#', well),
            ('x', ended - well),
            ('-', runs),
            ('.', room - ended - runs),
        ];
        let bar: String = bar
            .into_iter()
            .map(|(sign, count)| sign.to_string().repeat(count))
            .collect();
        self.line(&format!("[{bar}]"), Paint::Plain)
    }

    /// A line that fits, of which a terminal obeys nothing.
    fn line(self, text: &str, paint: Paint) -> String {
        let text = terminal_line(text);
        let mut fitting = String::new();
        let mut wide = 0;
        for c in text.chars() {
            wide += c.width().unwrap_or(0);
            if wide > self.width {
                break;
            }
            fitting.push(c);
        }
        match paint {
            Paint::Strong if self.painted => format!("\x1b[1m{fitting}\x1b[0m"),
            Paint::Bad if self.painted => format!("\x1b[31m{fitting}\x1b[0m"),
            Paint::Faint if self.painted => format!("\x1b[2m{fitting}\x1b[0m"),
            _ => fitting,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paint {
    Plain,
    Strong,
    Bad,
    Faint,
}

fn progress(run: &RunOverview) -> String {
    let bad: u64 = Outcome::ALL
        .into_iter()
        .filter(|outcome| *outcome != Outcome::Ok)
        .map(|outcome| run.counts.get(outcome))
        .sum();
    let failed = if bad > 0 {
        format!(", {bad} not ok")
    } else {
        String::new()
    };
    let left = run
        .left_s
        .map_or(String::new(), |left| format!(", about {} left", span(left)));
    format!(
        "{} of {} trials ended{failed}{left}",
        run.counts.total(),
        run.trials
    )
}

fn slots(run: &RunOverview) -> String {
    let of = run
        .slots
        .map_or(String::new(), |slots| format!(" in {slots} slots"));
    format!("Running: {}{of}; waiting: {}", run.running, run.waiting)
}

/// A curve in one line of text, newest at the end.
fn sparkline(values: &[f64], room: usize) -> String {
    let finite: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
    let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let columns = room.min(finite.len()).max(1);
    let sign = |column: usize| {
        let at = finite.get(column * finite.len() / columns)?;
        let share = if high > low {
            (at - low) / (high - low)
        } else {
            0.5
        };
        LEVELS.get(((share * 7.0).round() as usize).min(7)).copied()
    };
    (0..columns).filter_map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::{Frame, Paint, sparkline};

    #[test]
    fn a_curve_goes_up_where_its_values_do() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, f64::NAN, 3.5], 10), "▁▃▅█");
        assert_eq!(sparkline(&[2.0, 2.0], 10), "▅▅");
        assert_eq!(sparkline(&[0.0; 1000], 20).chars().count(), 20);
        assert_eq!(sparkline(&[], 20), "");
    }

    #[test]
    fn a_line_fits_and_obeys_nothing() {
        let frame = Frame {
            width: 10,
            height: 5,
            painted: false,
        };
        assert_eq!(
            frame.line("a name that is long", Paint::Plain),
            "a name tha"
        );
        assert_eq!(frame.line("表表表表表表", Paint::Bad), "表表表表表");
        assert!(!frame.line("\x1b[2Jx", Paint::Plain).contains('\x1b'));
    }
}
