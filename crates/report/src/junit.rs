//! A gate's answer as JUnit XML, the form that CI systems show: a rule is a test case.

use crate::gate::{headline, rule_size, stable_sides};
use fairtrial_analysis::gate::{Gate, GateLine, GateWord};
use fairtrial_text::escape::xml;
use std::fmt::Write as _;

/// The answer as one test suite. Regressed is a failure, invalid an error, inconclusive is skipped.
pub fn gate(gate: &Gate) -> String {
    let count = |word: GateWord| gate.lines.iter().filter(|line| line.word == word).count();
    let invalid = gate.word == GateWord::Invalid;
    let tests = gate.lines.len() + usize::from(invalid);
    let mut page = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"fairtrial gate\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        count(GateWord::Regressed),
        usize::from(invalid),
        count(GateWord::Inconclusive)
    );
    if invalid {
        let _ = writeln!(
            page,
            "  <testcase classname=\"fairtrial gate\" name=\"machine\"><error message=\"{}\"/></testcase>",
            xml(&headline(gate))
        );
    }
    for (place, line) in gate.lines.iter().enumerate() {
        page.push_str(&case(line, rule_size(gate, place)));
    }
    page.push_str("</testsuite>\n");
    page
}

fn case(line: &GateLine, size: Option<String>) -> String {
    // What changed and by how much comes first: lists of cases show the beginning.
    let size = size.map_or(String::new(), |size| format!("{} {size}: ", line.metric));
    let message = xml(&format!(
        "{size}{}: {}",
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
        xml(&stable_sides(&line.sides)),
        xml(&line.metric)
    )
}
