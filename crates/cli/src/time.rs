//! Times for people.

/// A duration in the largest two units that say something: `2h 5m`, `1m 3s`, `12.4 s`, `85 ms`.
pub(crate) fn span(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match seconds {
        seconds if seconds >= 3600.0 => format!("{}h {}m", whole / 3600, whole % 3600 / 60),
        seconds if seconds >= 60.0 => format!("{}m {}s", whole / 60, whole % 60),
        seconds if seconds >= 1.0 => format!("{seconds:.1} s"),
        seconds => format!("{:.0} ms", seconds * 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_are_short() {
        let shown: Vec<String> = [0.0851, 12.42, 63.0, 7500.0]
            .into_iter()
            .map(span)
            .collect();
        assert_eq!(shown, ["85 ms", "12.4 s", "1m 3s", "2h 5m"]);
    }
}
