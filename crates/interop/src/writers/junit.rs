//! JUnit XML, which every CI system shows: a trial is a test case.

use super::outgoing::{Outgoing, Writer};
use crate::error::InteropError;
use fairtrial_model::{Outcome, Record};
use fairtrial_text::escape::xml;
use std::fmt::Write as _;

/// See the module.
pub(super) struct Junit;

impl Writer for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError> {
        let count = |wanted: fn(Outcome) -> bool| {
            run.records
                .iter()
                .filter(|record| wanted(record.outcome))
                .count()
        };
        let mut page = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
            xml(run.name),
            run.records.len(),
            count(Outcome::is_arm_failure),
            count(|outcome| outcome == Outcome::Infra),
            count(is_skipped),
        );
        for record in run.records {
            case(record, &mut page);
        }
        page.push_str("</testsuite>\n");
        Ok(page)
    }
}

const fn is_skipped(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Skipped | Outcome::Cancelled)
}

fn case(record: &Record, page: &mut String) {
    let trial = &record.trial;
    let class = trial
        .arm
        .as_deref()
        .map_or_else(|| trial.task.clone(), |arm| format!("{}.{arm}", trial.task));
    let mut name = format!("seed {}", trial.seed);
    if trial.rollout > 0 {
        let _ = write!(name, ", rollout {}", trial.rollout);
    }
    if !trial.point.is_empty() {
        let _ = write!(name, ", {}", trial.point);
    }
    let time = record
        .resources
        .wall
        .map_or_else(String::new, |wall| format!(" time=\"{wall}\""));
    let why = record
        .cause
        .as_ref()
        .map_or_else(|| record.outcome.to_string(), ToString::to_string);
    let why = xml(&why);
    let inside = match record.outcome {
        Outcome::Ok => {
            let values = record.metrics.iter();
            let values: Vec<String> = values
                .map(|(name, value)| format!("{name} = {}", value.0))
                .collect();
            format!("<system-out>{}</system-out>", xml(&values.join("\n")))
        }
        Outcome::Infra => format!("<error message=\"{why}\"/>"),
        outcome if is_skipped(outcome) => format!("<skipped message=\"{why}\"/>"),
        _ => format!("<failure message=\"{why}\"/>"),
    };
    let _ = writeln!(
        page,
        "  <testcase classname=\"{}\" name=\"{}\"{time}>{inside}</testcase>",
        xml(&class),
        xml(&name)
    );
}
