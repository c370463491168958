//! Taking secrets out of text before it reaches the disk.
//!
//! Two nets: the values of environment variables that are secret by name or by look, in every form that programs write
//! them in, and tokens in the text that look like a well-known kind of key. Both replace the whole value by `[redacted]`.

mod forms;

use crate::event::Event;
use aho_corasick::{AhoCorasick, MatchKind};
pub use fairtrial_model::secret::{is_secret_name, looks_secret};
use fairtrial_model::secret::{is_token_byte, key_len};
use fairtrial_model::{Cause, Record};
use forms::forms;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// A value shorter than this is too likely to occur by chance, as `1` or `true`.
const MIN_SECRET: usize = 6;

/// Replaces known secrets in text. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    exact: Option<Arc<AhoCorasick>>,
}

impl Redactor {
    /// Learns the secrets among these variables.
    pub fn from_env<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let mut values = Vec::new();
        for (name, value) in variables {
            let value = value.as_ref().trim();
            let secret = is_secret_name(name.as_ref()) || looks_secret(value);
            if secret && value.len() >= MIN_SECRET {
                values.push(value.to_owned());
            }
        }
        Self::from_values(&values)
    }

    /// Knows exactly these secrets.
    pub fn from_values(values: &[String]) -> Self {
        let values = values.iter().filter(|value| !value.is_empty());
        let forms: BTreeSet<String> = values.flat_map(|value| forms(value)).collect();
        let searcher = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms);
        Self {
            // Building fails only for gigabytes of patterns, which an environment cannot hold.
            exact: searcher
                .ok()
                .filter(|found| found.patterns_len() > 0)
                .map(Arc::new),
        }
    }

    /// The text without secrets.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = match &self.exact {
            Some(exact) if exact.is_match(text) => {
                let blanks = vec![REDACTED; exact.patterns_len()];
                Cow::Owned(exact.replace_all(text, &blanks))
            }
            _ => Cow::Borrowed(text),
        };
        match redact_shapes(&text) {
            Some(clean) => Cow::Owned(clean),
            None => text,
        }
    }

    /// The same for bytes that need not be text, as a patch of a file in an old encoding.
    pub fn redact_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let bytes = match &self.exact {
            Some(exact) if exact.is_match(&bytes) => {
                exact.replace_all_bytes(&bytes, &vec![REDACTED; exact.patterns_len()])
            }
            _ => bytes,
        };
        let mut clean = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            match redact_shapes(chunk.valid()) {
                Some(text) => clean.extend_from_slice(text.as_bytes()),
                None => clean.extend_from_slice(chunk.valid().as_bytes()),
            }
            clean.extend_from_slice(chunk.invalid());
        }
        clean
    }

    /// The event with its free text redacted; copied only where there is something to take out.
    pub(crate) fn redact_event<'a>(&self, event: &'a Event) -> Cow<'a, Event> {
        let mut dirty = false;
        free_text(event, &mut |text| dirty |= self.finds(text));
        if let Event::Finished(record) = event {
            dirty |= names(record).any(|name| self.finds(name));
        }
        if !dirty {
            return Cow::Borrowed(event);
        }
        let mut clean = event.clone();
        free_text_mut(&mut clean, &mut |text| {
            *text = self.redact(text).into_owned();
        });
        if let Event::Finished(record) = &mut clean {
            self.redact_names(record);
        }
        Cow::Owned(clean)
    }

    /// Whether there is something to take out.
    fn finds(&self, text: &str) -> bool {
        matches!(self.redact(text), Cow::Owned(_))
    }

    /// The record with its free text redacted.
    pub fn redact_record(&self, record: &mut Record) {
        let mut dirty = false;
        record_text(record, &mut |text| dirty |= self.finds(text));
        if dirty {
            self.redact_texts(record);
        }
        self.redact_names(record);
    }

    fn redact_texts(&self, record: &mut Record) {
        record_text_mut(record, &mut |text| *text = self.redact(text).into_owned());
    }

    fn redact_names(&self, record: &mut Record) {
        let Record {
            metrics,
            facts,
            series,
            ..
        } = record;
        self.redact_keys(metrics);
        self.redact_keys(facts);
        self.redact_keys(series);
    }

    /// Names that hold a secret. Two that come out alike are numbered, so that none is lost.
    fn redact_keys<V>(&self, map: &mut BTreeMap<String, V>) {
        if !map.keys().any(|name| self.finds(name)) {
            return;
        }
        for (name, value) in std::mem::take(map) {
            let clean = self.redact(&name).into_owned();
            let numbered = (2..).map(|n| format!("{clean} {n}"));
            let free = std::iter::once(clean.clone())
                .chain(numbered)
                .find(|name| !map.contains_key(name));
            map.insert(free.unwrap_or(clean), value);
        }
    }
}

/// The names that a trial gave to what it says.
fn names(record: &Record) -> impl Iterator<Item = &String> {
    record
        .metrics
        .keys()
        .chain(record.facts.keys())
        .chain(record.series.keys())
}

/// Whether `masked` is `text` with secrets taken out: every `[redacted]` in it stands for a secret, of whatever length,
/// and the rest is the same.
pub fn covers(masked: &str, text: &str) -> bool {
    let parts: Vec<&[u8]> = masked.split(REDACTED).map(str::as_bytes).collect();
    let [first, between @ .., last] = parts.as_slice() else {
        return masked == text;
    };
    let rest = text.as_bytes().strip_prefix(*first);
    let Some(mut rest) = rest.and_then(|rest| rest.strip_suffix(*last)) else {
        return false;
    };
    for part in between {
        // The first place that fits leaves the most room for what follows.
        let after = rest.get(MIN_SECRET..).unwrap_or_default();
        let found = (0..=after.len()).find(|at| after[*at..].starts_with(part));
        match found.filter(|_| rest.len() >= MIN_SECRET) {
            Some(at) => rest = &after[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= MIN_SECRET
}

/// Where free text stands: one list, read to look for secrets and again to take them out. A kind of event or cause that
/// is added must be entered here before this compiles.
macro_rules! free_text {
    ($of_event:ident, $of_record:ident $(, $change:tt)?) => {
        fn $of_event(event: &$($change)? Event, see: &mut impl FnMut(&$($change)? String)) {
            match event {
                Event::Note { text, .. } => see(text),
                Event::Opened(opened) => (&$($change)? opened.set).into_iter().for_each(see),
                Event::Finished(record) => $of_record(record, see),
                Event::CodeAccepted { names, .. } | Event::CodeChanged { names, .. } => names.into_iter().for_each(see),
                Event::Session { .. }
                | Event::Started { .. }
                | Event::Files { .. }
                | Event::Submitting { .. }
                | Event::Submitted { .. }
                | Event::Scored { .. }
                | Event::Measuring { .. }
                | Event::Measured { .. }
                | Event::Closed { .. }
                | Event::Unknown => {}
            }
        }

        fn $of_record(record: &$($change)? Record, see: &mut impl FnMut(&$($change)? String)) {
            let Record { notes, facts, cause, .. } = record;
            for text in notes {
                see(text);
            }
            for (_, text) in facts {
                see(text);
            }
            match cause {
                Some(
                    Cause::Launch { message, .. }
                    | Cause::Lost { message }
                    | Cause::JobEnded { message, .. }
                    | Cause::Said { message, .. },
                ) => see(message),
                Some(
                    Cause::MissingMetric { metrics: texts }
                    | Cause::MissingOutput { outputs: texts },
                ) => {
                    for text in texts {
                        see(text);
                    }
                }
                None
                | Some(
                    Cause::ExitCode { .. }
                    | Cause::Signal { .. }
                    | Cause::WallTime { .. }
                    | Cause::CpuTime { .. }
                    | Cause::Memory { .. }
                    | Cause::User
                    | Cause::Needs { .. },
                ) => {}
            }
        }
    };
}

free_text!(free_text, record_text);
free_text!(free_text_mut, record_text_mut, mut);

/// The text without keys of well-known kinds; `None` where there are none.
fn redact_shapes(text: &str) -> Option<String> {
    let mut clean = String::new();
    let mut copied = 0;
    let mut inside_token = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let found = if inside_token || !text.is_char_boundary(at) {
            None
        } else {
            key_len(&text[at..])
        };
        inside_token = is_token_byte(*byte);
        if let Some(len) = found {
            clean.push_str(&text[copied..at]);
            clean.push_str(REDACTED);
            copied = at + len;
            at = copied;
        } else {
            at += 1;
        }
    }
    (copied > 0).then(|| clean + &text[copied..])
}

#[cfg(test)]
mod tests {
    use super::{Redactor, covers, looks_secret};
    use crate::event::Event;
    use fairtrial_model::{Cause, Record};

    #[test]
    fn values_of_secret_variables_go() {
        let redactor = Redactor::from_env([
            ("DB_PASSWORD", "hunter22"),
            ("DB_PASSWORD_LONG", "hunter22-and-more"),
            ("SHORT_TOKEN", "1"),
            ("HOME", "/home/me"),
        ]);
        let text = "login hunter22-and-more, hunter22; 1 /home/me";
        assert_eq!(
            redactor.redact(text),
            "login [redacted], [redacted]; 1 /home/me"
        );
        assert!(matches!(
            redactor.redact("clean"),
            std::borrow::Cow::Borrowed(_)
        ));
    }

    #[test]
    fn bytes_that_are_no_text_are_redacted_too() {
        let redactor = Redactor::from_env([("DB_PASSWORD", "hunter22")]);
        let patch = b"+caf\xe9 hunter22 \xff sk-abcdefghijklmnop1234\n".to_vec();
        assert_eq!(
            redactor.redact_bytes(patch),
            b"+caf\xe9 [redacted] \xff [redacted]\n"
        );
        assert_eq!(redactor.redact_bytes(vec![0, 255, 7]), [0, 255, 7]);
    }

    #[test]
    fn keys_of_known_kinds_go_wherever_they_come_from() {
        let redactor = Redactor::default();
        let text = "Authorization: Bearer sk-abcdefghijklmnop1234 (401) risk-9-assessment-of-something sk-learn-and-its-friends";
        assert_eq!(
            redactor.redact(text),
            "Authorization: Bearer [redacted] (401) risk-9-assessment-of-something sk-learn-and-its-friends"
        );
        assert!(looks_secret("ghp_0123456789012345678901234567890123456"));
        assert!(!looks_secret("sk-"));
        assert_eq!(redactor.redact("é=AKIAIOSFODNN7EXAMPLE."), "é=[redacted]");
    }

    #[test]
    fn a_masked_text_covers_what_it_was_made_from_and_nothing_else() {
        let secrets = ["hunter22", "hunter22 and more", "é-secret"].map(str::to_owned);
        let redactor = Redactor::from_values(&secrets);
        for text in [
            "hunter22",
            "hunter22hunter22",
            "login hunter22, é-secret; sk-abcdefghijklmnop1234",
            "a hunter22 and more a hunter22 a",
            "it said [redacted] to hunter22",
        ] {
            let masked = redactor.redact(text);
            assert!(covers(&masked, text), "{masked}");
            assert!(!covers(&masked, &format!("{text}.")) || masked.ends_with("[redacted]"));
            assert!(!covers(&masked, &masked.replace("[redacted]", "")));
        }
        assert!(covers("plain", "plain") && !covers("plain", "plains"));
        assert!(covers("a[redacted]b", "a another b"));
        assert!(!covers("a[redacted]b", "a another c"));
        assert!(!covers("a[redacted]b", "ab"));
        assert!(!covers("aaa[redacted]aaa", "aaaaa"));
        assert!(!covers("a[redacted]b[redacted]c", "a one b two c"));
        assert!(covers("a[redacted]b[redacted]c", "a b thing b other c"));
    }

    #[test]
    fn no_free_text_of_an_event_keeps_a_secret() {
        let redactor = Redactor::from_values(&["hunter22".to_owned()]);
        let said = || "login hunter22".to_owned();
        let causes = [
            Cause::Launch {
                message: said(),
                permanent: true,
            },
            Cause::Lost { message: said() },
            Cause::JobEnded {
                message: said(),
                first: false,
                warned: false,
            },
            Cause::Said {
                message: said(),
                permanent: false,
            },
            Cause::MissingMetric {
                metrics: vec![said()],
            },
            Cause::MissingOutput {
                outputs: vec![said()],
            },
        ];
        for cause in causes {
            let mut record = record();
            record.cause = Some(cause);
            let event = Event::Finished(Box::new(record.clone()));
            assert!(!text(&redactor.redact_event(&event)).contains("hunter22"));
            redactor.redact_record(&mut record);
            assert!(!text(&record).contains("hunter22"));
        }
        let mut noted = record();
        noted.notes.push(said());
        noted.facts.insert("who".to_owned(), said());
        let mut named = record();
        named.metrics.insert("a hunter22".to_owned(), 1.0.into());
        named
            .metrics
            .insert("a aHVudGVyMjI=".to_owned(), 2.0.into());
        named.facts.insert(said(), "it".to_owned());
        redactor.redact_record(&mut named);
        assert_eq!(named.metrics.len(), 2);
        assert!(!text(&named).contains("hunter22") && !text(&named).contains("aHVudGVy"));
        let note = Event::Note {
            at: noted.ended_at,
            text: said(),
        };
        for event in [note, Event::Finished(Box::new(noted))] {
            let clean = redactor.redact_event(&event);
            assert_eq!(clean, redactor.redact_event(&clean));
            assert!(!text(&clean).contains("hunter22"));
            assert_ne!(clean.as_ref(), &event);
        }
    }

    fn record() -> Record {
        let json = serde_json::json!({
            "schema": 1, "trial": { "index": 0, "task": "t", "point": {}, "seed": 1 },
            "id": "00000000000000000000000000000000", "attempt": 1, "outcome": "infra",
            "ended_at": "2025-08-24T12:34:56Z", "resources": {},
        });
        serde_json::from_value(json).unwrap()
    }

    fn text(value: &impl serde::Serialize) -> String {
        serde_json::to_string(value).unwrap()
    }
}
