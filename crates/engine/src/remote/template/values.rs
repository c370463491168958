//! What placeholders of a scheduler's commands stand for.

use super::profiles::NAME;
use crate::remote::contract::{Batch, PlaceError};
use fairtrial_spec::Template as Text;
use fairtrial_text::shell_word::shell_word;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// What schedulers that want a figure are told where the spec has none.
const DEFAULT_MEMORY_MB: u64 = 1024;
const DEFAULT_MINUTES: u64 = 24 * 60;

/// Values of placeholders, as they are.
#[derive(Default)]
pub(super) struct Values(
    pub(super) BTreeMap<&'static str, String>,
    BTreeMap<&'static str, Vec<String>>,
);

impl Values {
    pub(super) fn of_batch(batch: &Batch, first: u64, program: &Path) -> Self {
        let mut values = Self::default();
        let needs = &batch.needs;
        let megabytes = needs.memory_bytes.map(|bytes| bytes.div_ceil(1 << 20));
        let minutes = needs
            .time_s
            .map(|seconds| (seconds / 60.0).ceil().max(1.0) as u64);
        values.set("key", &batch.key);
        values.set("script", batch.file("sh").display());
        values.set("description", batch.file("description").display());
        values.set("program", program.display());
        values.set("folder", batch.folder.display());
        values.set("workdir", batch.workdir.display());
        values.set("first", first);
        values.set("last", first + batch.len() - 1);
        values.set("count", batch.len());
        values.set("parallel", batch.parallel.unwrap_or(batch.len()));
        values.set("cpus", needs.cpus.unwrap_or(1));
        values.set("memory_mb", megabytes.unwrap_or(DEFAULT_MEMORY_MB));
        values.set("gpus", needs.gpus);
        values.set("minutes", minutes.unwrap_or(DEFAULT_MINUTES));
        values.set("asked_memory_mb", megabytes.unwrap_or(0));
        values.set("asked_minutes", minutes.unwrap_or(0));
        values
    }

    pub(super) fn set(&mut self, name: &'static str, value: impl fmt::Display) {
        self.0.insert(name, format!("{value}"));
    }

    pub(super) fn list<'v>(&mut self, name: &'static str, values: impl Iterator<Item = &'v str>) {
        self.1.insert(name, values.map(str::to_owned).collect());
    }

    /// Fills in a line of shell: every value is one word, a list is several.
    pub(super) fn fill(&self, line: &str) -> Result<String, PlaceError> {
        self.fill_with(line, |text| Cow::Owned(shell_word(text)))
    }

    /// Fills in a text that no shell reads.
    pub(super) fn fill_plain(&self, text: &str) -> Result<String, PlaceError> {
        self.fill_with(text, Cow::Borrowed)
    }

    fn fill_with<'v>(
        &'v self,
        text: &str,
        word: impl Fn(&'v str) -> Cow<'v, str>,
    ) -> Result<String, PlaceError> {
        let value = |name: &str| {
            let one = self.0.get(name).map(|value| word(value));
            one.or_else(|| {
                let words: Vec<_> = self.1.get(name)?.iter().map(|value| word(value)).collect();
                Some(Cow::Owned(words.join(" ")))
            })
        };
        Text::parse(text).expand(value).map_err(|error| {
            let known: Vec<&str> = self.0.keys().chain(self.1.keys()).copied().collect();
            PlaceError::unfit(
                NAME,
                format!("{error} in `{text}`; there are {}", known.join(", ")),
            )
        })
    }
}
