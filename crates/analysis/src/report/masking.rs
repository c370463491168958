//! Secrets in a report's log lines and causes.
//!
//! Which texts hold a secret depends on the environment of whoever makes the report, and nothing else in it does. So a
//! report says which of its texts that environment masked and how they read, and one that is made again elsewhere
//! takes these texts as they are, where they cover what the evidence holds.

use super::data::ReportData;
use super::masked_text::{MaskedText, words};
use super::trial_texts::{Texts, texts};
use fairtrial_journal::redact::Redactor;

/// Stands for the lines of a log that is not what a report with masked lines shows: one of them may hold the secret.
const NOT_SHOWN: &str =
    "(not shown: the report masks a secret in these lines, and they are other ones now)";

impl ReportData {
    /// Masks the secrets of this environment, and keeps which texts they are in. Keys of well-known kinds are masked in
    /// every environment.
    pub fn mask(&mut self, environment: &Redactor) {
        let everywhere = Redactor::default();
        let whole = self.trials.whole.iter_mut().map(|trial| &mut trial.ended);
        for trial in self.failures.shown.iter_mut().chain(whole) {
            let index = trial.index;
            for Texts { file, lines } in texts(trial) {
                for (line, text) in lines.iter_mut().enumerate() {
                    let masked = environment.redact(text).into_owned();
                    if masked != everywhere.redact(text) {
                        self.masked.push(MaskedText {
                            trial: index,
                            file: file.map(str::to_owned),
                            line,
                            text: masked.clone(),
                            words: words(text),
                        });
                    }
                    *text = masked;
                }
            }
        }
    }

    /// Masks what the maker of an earlier report of this run masked, and the secrets of this environment. Where a text
    /// of that report does not cover what the evidence holds, the lines around it are taken out.
    pub fn mask_as(&mut self, earlier: &[MaskedText], environment: &Redactor) {
        let whole = self.trials.whole.iter_mut().map(|trial| &mut trial.ended);
        for trial in self.failures.shown.iter_mut().chain(whole) {
            let index = trial.index;
            for Texts { file, lines } in texts(trial) {
                let here = earlier
                    .iter()
                    .filter(|masked| masked.trial == index && masked.file.as_deref() == file);
                let here: Vec<&MaskedText> = here.collect();
                let is_covered = |masked: &&MaskedText| {
                    let line = lines.get(masked.line);
                    line.is_some_and(|line| masked.covers(line))
                };
                let same = here.iter().all(is_covered);
                for (number, text) in lines.iter_mut().enumerate() {
                    let masked = here.iter().find(|masked| masked.line == number);
                    *text = match masked {
                        _ if !same => NOT_SHOWN.to_owned(),
                        Some(masked) => masked.text.clone(),
                        None => environment.redact(text).into_owned(),
                    };
                }
            }
        }
    }
}
