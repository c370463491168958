//! What a shell offers for an argument: the names of runs, arms and metrics that there are. Nothing is written and nothing
//! is said, whatever is wrong: a shell is waiting for a key.

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use fairtrial_journal::resolved_spec;
use fairtrial_session::{Caller, Session};
use fairtrial_spec::Spec;
use fairtrial_text::shell_word::shell_word;
use std::ffi::OsStr;

/// Runs by name.
pub(crate) fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| offered(run_names()))
}

/// Arms of the newest run.
pub(crate) fn arms() -> ArgValueCandidates {
    ArgValueCandidates::new(|| offered(arm_names()))
}

/// Metrics of the newest run.
pub(crate) fn metrics() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let metrics = newest_spec().map(|spec| spec.metrics).unwrap_or_default();
        offered(metrics.into_iter().map(|metric| metric.name).collect())
    })
}

/// Sides of a comparison: arms, runs and files.
pub(crate) fn sides() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut names = arm_names();
        names.extend(run_names());
        let begun = typed.to_string_lossy();
        names.retain(|name| name.starts_with(&*begun));
        let mut found = offered(names);
        found.extend(PathCompleter::any().complete(typed));
        found
    })
}

/// Candidates go into the line as they are: a name that a shell would take for more than a word is not offered.
fn offered(names: Vec<String>) -> Vec<CompletionCandidate> {
    let names = names.into_iter();
    let harmless = names.filter(|name| shell_word(name) == *name && !name.starts_with('-'));
    harmless.map(CompletionCandidate::new).collect()
}

/// A session that is silent; none where the data belong to somebody else.
fn session() -> Option<Session> {
    let caller = Caller::this_process().ok()?;
    let session = Session::new(caller, |_: fairtrial_session::Event<'_>| {});
    session.check_data_root().is_ok().then_some(session)
}

fn run_names() -> Vec<String> {
    let rollouts = session().map(|session| session.data_root().rollouts_dir());
    rollouts.map_or(Vec::new(), |rollouts| {
        fairtrial_session::run_names(&rollouts)
    })
}

fn arm_names() -> Vec<String> {
    let arms = newest_spec().map(|spec| spec.arms).unwrap_or_default();
    arms.into_iter().map(|arm| arm.name).collect()
}

fn newest_spec() -> Option<Spec> {
    resolved_spec(&session()?.newest_run().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::offered;

    #[test]
    fn a_name_that_a_shell_would_obey_is_not_offered() {
        let names = [
            "overview/reward",
            "$(touch pwned)",
            "a;b",
            "--force",
            "a\nFORGED",
            "v1.2",
        ];
        let offered = offered(names.map(str::to_owned).to_vec());
        let values: Vec<_> = offered
            .iter()
            .map(|it| it.get_value().to_string_lossy())
            .collect();
        assert_eq!(values, ["overview/reward", "v1.2"]);
    }
}
