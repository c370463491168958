//! Catch2's XML reporter: statistics of benchmarks inside test cases, in nanoseconds. Single samples are not in it.

use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::xml::{Attributes, Xml, XmlPiece};
use fairtrial_model::{Number, Outcome};

/// See the module.
pub(crate) struct Catch2;

const WAYS: &[Way] = &[way(Arm::None, &["test", "benchmark"])];

const RULES: Rules = Rules::timing(WAYS, WAYS);

impl Format for Catch2 {
    fn name(&self) -> &'static str {
        "catch2"
    }

    fn title(&self) -> &'static str {
        "benchmarks of Catch2"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let roots = ["<Catch2TestRun", "<Catch ", "<Catch>"];
        head.lines()
            .any(|line| roots.iter().any(|root| line.trim_start().starts_with(root)))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let name = input.name();
        let mut xml = Xml::new(&name, input.reader()?);
        let scale = Scale::of("ns");
        let mut test = String::new();
        let mut open: Option<Execution> = None;
        let number = |attributes: &Attributes| Number::parse(attributes.get("value")?);
        while let Some(piece) = xml.next()? {
            match piece {
                XmlPiece::Open { name, attributes } => match (name.as_str(), &mut open) {
                    ("TestCase", _) => {
                        let name = attributes.get("name").unwrap_or_default();
                        name.clone_into(&mut test);
                    }
                    ("BenchmarkResults", _) => {
                        let mut execution = Execution::of(&path);
                        execution.set("test", &test);
                        execution.set_some("benchmark", attributes.get("name"));
                        open = Some(execution);
                    }
                    ("mean", Some(execution)) => {
                        let Some(Number(mean)) = number(&attributes) else {
                            let place = xml.place().field("mean");
                            let message = "the mean has no number for its value";
                            return Err(InteropError::content(place, message));
                        };
                        let time = sink.metric(&scale.time());
                        execution.metrics.push((time, scale.apply(mean)));
                        execution.notes.push(ONLY_MEAN.to_owned());
                    }
                    ("failed", Some(execution)) => {
                        let message = attributes.get("message").unwrap_or("it failed");
                        execution.fail(Outcome::Failed, message);
                    }
                    _ => {}
                },
                XmlPiece::Close { name } if name == "BenchmarkResults" => {
                    if let Some(execution) = open.take() {
                        sink.execution(execution);
                    }
                }
                XmlPiece::Close { .. } => {}
            }
        }
        Ok(())
    }
}
