//! What of a bench can be refused before anything runs.

use super::question::BenchQuestion;
use crate::error::SessionError;
use fairtrial_model::TimedOutput;
use fairtrial_text::count::count;
use fairtrial_trial::cannot_count;
use std::path::Path;

/// More runs than anybody waits for, and records of them than anything can read.
const MOST_RUNS: u32 = 1_000_000;

/// Refuses what makes no sense or cannot be done here, of so many commands.
pub(super) fn check(question: &BenchQuestion, commands: usize) -> Result<(), SessionError> {
    let refuse = |why: String| Err(SessionError::Input(why));
    if question.build.is_some() && question.revisions.is_empty() {
        return refuse("--build builds revisions: name them by --rev".to_owned());
    }
    let lists = [
        ("setup", &question.setup),
        ("prepare", &question.prepare),
        ("conclude", &question.conclude),
        ("cleanup", &question.cleanup),
    ];
    for (name, list) in lists {
        if list.len() > 1 && list.len() != commands {
            return refuse(format!(
                "--{name} is given {} times for {commands} commands: give it once for all, or once for each",
                list.len()
            ));
        }
    }
    if let Some(input) = &question.input
        && let Err(error) = std::fs::File::open(input)
    {
        return refuse(format!(
            "the input {input} cannot be read: {error}; nothing was run"
        ));
    }
    // What runs before the commands may make its folder.
    let nothing_before = question.setup.is_empty() && question.prepare.is_empty();
    if let (TimedOutput::File(output), true) = (&question.output, nothing_before)
        && let Some(why) = cannot_hold(Path::new(output))
    {
        return refuse(format!(
            "the output {output} cannot be written: {why}; nothing was run"
        ));
    }
    if let Some(counter) = question.metric.counter()
        && let Some(why) = cannot_count(counter)
    {
        return refuse(format!(
            "{} cannot be counted here: {why}; nothing was run. `--counter callgrind` counts instructions by valgrind",
            counter.words()
        ));
    }
    let runs = question.runs;
    if runs.least.is_some_and(|least| least > MOST_RUNS) {
        let most = count(u64::from(MOST_RUNS));
        return refuse(format!(
            "a bench has at most {most} runs of each command: let a run do more work"
        ));
    }
    if let (Some(least), Some(most)) = (runs.least, runs.most)
        && least > most
    {
        return refuse(format!(
            "at least {least} runs and at most {most} cannot both be"
        ));
    }
    if runs.most == Some(1) && commands > 1 && question.counter.is_none() {
        return refuse("one run of each command compares nothing: ask for at least 2".to_owned());
    }
    Ok(())
}

/// Why a path cannot be that of a file, as far as its folders show.
fn cannot_hold(file: &Path) -> Option<String> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    if file.is_dir() {
        return Some("it is a folder".to_owned());
    }
    let missing = folder.filter(|folder| !folder.is_dir())?;
    Some(format!("there is no folder {}", missing.display()))
}
