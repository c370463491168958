//! The texts of one trial in which a secret may stand.

use super::failures::FailedTrial;
use fairtrial_journal::redact::Redactor;

/// Texts of one trial that stand together: the end of a log, or why it ended.
pub(super) struct Texts<'a> {
    pub(super) file: Option<&'a str>,
    pub(super) lines: &'a mut [String],
}

/// All texts of a trial that may hold a secret.
pub(super) fn texts(trial: &mut FailedTrial) -> impl Iterator<Item = Texts<'_>> {
    let logs = trial.logs.iter_mut().map(|log| Texts {
        file: Some(&log.file),
        lines: &mut log.lines,
    });
    logs.chain(trial.cause.as_mut().map(|cause| Texts {
        file: None,
        lines: std::slice::from_mut(cause),
    }))
}

/// Masks the secrets of an environment in one trial.
pub(super) fn mask_trial(trial: &mut FailedTrial, environment: &Redactor) {
    for Texts { lines, .. } in texts(trial) {
        for text in lines {
            *text = environment.redact(text).into_owned();
        }
    }
}
