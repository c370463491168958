//! How the times of a command are spread, in one line.

/// The heights of a bar.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Bars in a line.
const WIDTH: usize = 20;

/// One bar per slice of the range, which all lines share; a slice without a run is blank.
pub(super) fn line(values: &[f64], (least, most): (f64, f64)) -> String {
    let mut counts = [0_usize; WIDTH];
    for value in values.iter().filter(|value| value.is_finite()) {
        let share = (value - least) / (most - least);
        let place = (share * WIDTH as f64) as usize;
        counts[place.min(WIDTH - 1)] += 1;
    }
    let highest = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &usize| match count {
        0 => ' ',
        count => BARS[(count * BARS.len()).div_ceil(highest) - 1],
    };
    counts
        .iter()
        .map(bar)
        .collect::<String>()
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn bars_are_as_high_as_their_share_of_the_highest() {
        assert_eq!(line(&[0.0, 0.0, 1.0], (0.0, 1.0)), "█                  ▄");
        assert_eq!(line(&[f64::NAN], (0.0, 1.0)), "");
    }
}
