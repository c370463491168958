//! A gate's answer as JUnit XML, the form that CI systems show: a rule is a test case.

use crate::gate::headline;
use fairtrial_analysis::gate::{Gate, GateLine, GateWord};
use std::fmt::Write as _;

/// The answer as one test suite. Regressed is a failure, invalid an error, inconclusive is skipped.
pub fn gate(gate: &Gate) -> String {
    let count = |word: GateWord| gate.lines.iter().filter(|line| line.word == word).count();
    let invalid = gate.word == GateWord::Invalid;
    let tests = gate.lines.len() + usize::from(invalid);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"fairtrial gate\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        count(GateWord::Regressed),
        usize::from(invalid),
        count(GateWord::Inconclusive)
    );
    if invalid {
        let _ = writeln!(
            xml,
            "  <testcase classname=\"fairtrial gate\" name=\"machine\"><error message=\"{}\"/></testcase>",
            escape(&headline(gate))
        );
    }
    for line in &gate.lines {
        xml.push_str(&case(line));
    }
    xml.push_str("</testsuite>\n");
    xml
}

fn case(line: &GateLine) -> String {
    let message = escape(&format!(
        "{}: {}",
        line.word.text(),
        crate::words::line_reason(&line.reason)
    ));
    let inside = match line.word {
        GateWord::Regressed => format!("<failure message=\"{message}\"/>"),
        GateWord::Inconclusive => format!("<skipped message=\"{message}\"/>"),
        GateWord::Invalid => format!("<error message=\"{message}\"/>"),
        GateWord::Improved | GateWord::Equivalent => format!("<system-out>{message}</system-out>"),
    };
    format!(
        "  <testcase classname=\"{}\" name=\"{}\">{inside}</testcase>\n",
        escape(&line.sides),
        escape(&line.metric)
    )
}

/// Text that stands for itself in XML.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(' '),
            // XML 1.0 has no way to write these at all.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn text_from_users_cannot_break_the_file() {
        assert_eq!(escape("a<b>&\"\u{1}\n"), "a&lt;b&gt;&amp;&quot;\u{fffd} ");
    }
}
