//! A line as far as a fold over a run needs it. The first half of a record holds that: the rest is read by whoever asks
//! for the record.

use crate::event::Event;
use crate::line::{FINISHED, Flaw, STARTED, parse};
use fairtrial_model::Outcome;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// What a fold over a run needs of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Brief {
    /// An attempt started.
    Started {
        /// The trial.
        index: u64,
        /// The attempt.
        attempt: u32,
    },
    /// An attempt ended.
    Finished {
        /// The trial.
        index: u64,
        /// The attempt.
        attempt: u32,
        /// How.
        outcome: Outcome,
        /// Wall seconds.
        wall: Option<f64>,
    },
    /// Any other event, in full.
    Other(Box<Event>),
}

/// Reads of a checked line only what a fold needs.
pub(crate) fn decode_brief(line: &[u8]) -> Result<Brief, Flaw> {
    #[derive(Deserialize)]
    struct Started {
        index: u64,
        attempt: u32,
    }
    #[derive(Deserialize)]
    struct Finished {
        trial: Trial,
        attempt: u32,
        outcome: Outcome,
        resources: Option<Used>,
    }
    if line.starts_with(FINISHED) {
        if let Some(finished) = Head::read(line).and_then(Head::complete) {
            return Ok(finished);
        }
        parse(line).map(|line: Finished| Brief::Finished {
            index: line.trial.index,
            attempt: line.attempt,
            outcome: line.outcome,
            wall: line.resources.and_then(|used| used.wall_s),
        })
    } else if line.starts_with(STARTED) {
        parse(line).map(|line: Started| Brief::Started {
            index: line.index,
            attempt: line.attempt,
        })
    } else {
        parse(line).map(|event| Brief::Other(Box::new(event)))
    }
}

#[derive(Deserialize)]
struct Trial {
    index: u64,
}

#[derive(Deserialize)]
struct Used {
    wall_s: Option<f64>,
}

/// The first keys of a `finished` line.
#[derive(Default)]
struct Head {
    trial: Option<Trial>,
    attempt: Option<u32>,
    outcome: Option<Outcome>,
    resources: Option<Used>,
}

impl Head {
    /// Reads until it is complete; nothing where the line has another form.
    fn read(line: &[u8]) -> Option<Self> {
        let text = str::from_utf8(line).ok()?;
        let mut head = Self::default();
        let mut json = serde_json::Deserializer::from_str(text);
        // That the object goes on is an error to the library, and none to us.
        let _ = json.deserialize_map(HeadVisitor(&mut head));
        Some(head)
    }

    fn complete(self) -> Option<Brief> {
        Some(Brief::Finished {
            index: self.trial?.index,
            attempt: self.attempt?,
            outcome: self.outcome?,
            wall: self.resources?.wall_s,
        })
    }

    const fn is_complete(&self) -> bool {
        let begun = self.trial.is_some() && self.attempt.is_some();
        begun && self.outcome.is_some() && self.resources.is_some()
    }
}

struct HeadVisitor<'a>(&'a mut Head);

impl<'de> Visitor<'de> for HeadVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<&str>()? {
            match key {
                "trial" => self.0.trial = Some(map.next_value()?),
                "attempt" => self.0.attempt = Some(map.next_value()?),
                "outcome" => self.0.outcome = Some(map.next_value()?),
                "resources" => self.0.resources = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            if self.0.is_complete() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Brief, decode_brief};
    use fairtrial_model::Outcome;

    #[test]
    fn a_record_is_read_as_far_as_it_is_needed_whatever_its_order() {
        let found = Brief::Finished {
            index: 3,
            attempt: 2,
            outcome: Outcome::Ok,
            wall: Some(0.5),
        };
        let rest = r#""attempt":2,"notes":["a \"quoted\" one"],"outcome":"ok""#;
        for line in [
            format!(
                r#"{{"event":"finished","trial":{{"index":3,"seed":7}},{rest},"resources":{{"wall_s":0.5}},"x":1}}"#
            ),
            format!(
                r#"{{"event":"finished","resources":{{"wall_s":0.5}},{rest},"trial":{{"index":3}}}}"#
            ),
        ] {
            assert_eq!(decode_brief(line.as_bytes()).unwrap(), found, "{line}");
        }
        let without = format!(r#"{{"event":"finished","trial":{{"index":3}},{rest}}}"#);
        let Brief::Finished { wall, .. } = decode_brief(without.as_bytes()).unwrap() else {
            panic!("a record");
        };
        assert_eq!(wall, None);
        for wrong in [
            r#"{"event":"finished","trial":{"index":3},"attempt":2}"#,
            r#"{"event":"finished","trial":{"index":"3"},"attempt":2,"outcome":"ok","resources":{}}"#,
            r#"{"event":"finished","#,
        ] {
            assert!(decode_brief(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
