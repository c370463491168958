//! What went wrong, and what to do about it on the command line.

use super::changes::change_words;
use crate::exit::{Exit, Failure};
use crate::resume_words::ResumeWords;
use fairtrial_engine::EngineError;
use fairtrial_engine::agent_tasks::NotReady;
use fairtrial_journal::{JournalError, ResolvedSpecError};
use fairtrial_session::tables::{Lacking, TableError};
use fairtrial_session::{
    Blame, Near, NoLog, RootReason, RunLabel, SessionError, SettledOption, UnusableRoot, near_run,
};
use fairtrial_spec::SandboxKind;
use fairtrial_text::shell_word::shell_word;
use std::io::ErrorKind;

/// What to do about a run without its first files.
const NEVER_BEGAN: &str = "the run was ended before it began: `fairtrial run SPEC --resume` begins it, or remove its folder";
const LISTS_RUNS: &str = "`fairtrial list` shows the runs there are";
const NOTHING_RUN: &str = "nothing was run; `fairtrial plan` works without these";

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let hint = hint(&error);
        Self {
            exit: match error.blame() {
                Blame::Input => Exit::Input,
                Blame::Machine => Exit::Machine,
            },
            message: message(&error),
            hint,
        }
    }
}

/// Errors of other crates, as sessions hand them on.
macro_rules! through_session {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                SessionError::from(error).into()
            }
        }
    )*};
}
through_session!(
    JournalError,
    ResolvedSpecError,
    EngineError,
    fairtrial_plan::PlanError,
    fairtrial_analysis::AnalysisError,
    fairtrial_session::UnusableRoot
);

/// What is wrong.
fn message(error: &SessionError) -> String {
    match error {
        // A changed spec is explained field by field.
        SessionError::Engine(error @ EngineError::SpecChanged { change, .. }) => {
            let mut message = format!("{error}: {}", change_words(change));
            if change.changed + change.added + change.removed == 0 && change.beside.is_empty() {
                message.push_str("; the text of `--only` or the version of fairtrial is another");
            }
            message
        }
        SessionError::DataRoot(error @ UnusableRoot::NotAFolder { path, because }) => {
            let who = match because {
                RootReason::Named => "--data-dir",
                RootReason::Variable => "FAIRTRIAL_DATA",
                _ => return error.to_string(),
            };
            format!("{who} names {}, which is not a folder", path.display())
        }
        SessionError::SettledBefore(option) => format!(
            "{} cannot be chosen now: the run has a sequential stopping rule, and was judged by the metric, the pairs and \
             the error rate that its spec declares",
            flag(*option)
        ),
        SessionError::TwoControls { first, other } => {
            format!("the first arm, `{first}`, is the control, and --control names `{other}`")
        }
        error => error.to_string(),
    }
}

/// What to do about it.
fn hint(error: &SessionError) -> Option<String> {
    let text = match error {
        SessionError::Journal(error)
        | SessionError::Engine(EngineError::Journal(error))
        | SessionError::RecordedSpec(ResolvedSpecError::Unreadable(error)) => {
            return of_journal(error);
        }
        SessionError::Analysis(error) => return of_analysis(error),
        SessionError::RecordedSpec(ResolvedSpecError::Absent(_)) => NEVER_BEGAN,
        SessionError::Engine(EngineError::SpecChanged { .. }) => {
            "`--reuse` starts a new run that keeps the unchanged trials; `--resume --as-recorded` finishes the old one as \
             it was"
        }
        SessionError::Engine(EngineError::Spec(error)) => return of_recorded_spec(error),
        SessionError::NotReady(error) => return of_tasks(error),
        SessionError::DataRoot(UnusableRoot::NotAFolder { .. }) => {
            "name the folder that holds `rollouts/` and `runs/`"
        }
        SessionError::DataRoot(UnusableRoot::OfAnother { path, .. }) => {
            let path = shell_word(&path.display().to_string());
            return Some(format!(
                "if you trust what is in it, name it: --data-dir {path}, or FAIRTRIAL_DATA={path}; else name a folder of \
                 your own"
            ));
        }
        SessionError::Absent(absent) => return Some(of_absent(&absent.near)),
        SessionError::NoSandbox(_) => {
            return Some(format!("there are {}", SandboxKind::WORDS.join(", ")));
        }
        SessionError::Missing(_) => NOTHING_RUN,
        SessionError::NoKnownKind(_) => {
            "`--format KIND` says what it is; `fairtrial import --list` names the kinds"
        }
        SessionError::OtherRoles { .. } => "name another run with `--name`, or the same fields",
        SessionError::LeftOut(feature) => {
            return Some(format!(
                "`cargo build --release --features {}` builds it; published binaries have all features",
                feature.name
            ));
        }
        SessionError::NoRuns(_) => "`fairtrial run SPEC` makes one",
        SessionError::NoScheduler => {
            "`--detach` goes with a scheduler (`--engine slurm`, `sge`, ...); trials on this machine end with their \
             controller"
        }
        SessionError::CodeChanged { .. } => {
            "`--reuse` starts a new run that keeps what did not change; `--accept code` continues all the same and has two \
             versions in one run"
        }
        SessionError::TaskChanged { .. } => {
            "another form of a task makes other trials: `--reuse` starts a new run that keeps what did not change; \
             `--resume --as-recorded` finishes this one with the tasks as they were"
        }
        SessionError::OtherBudget { .. } => {
            "`--resume` continues that run with its budget; without --reuse a new run starts with its own"
        }
        SessionError::OtherLooks(_) => {
            "its records were looked at: without --reuse a new run starts with its own, on other seeds"
        }
        SessionError::ResumedLooks(_) => {
            "`--resume --as-recorded` finishes the run with its old spec; without `--resume` you start a new run"
        }
        SessionError::Broken(_) => "what was recorded is kept: make room and `--resume`",
        SessionError::CutOff { spec, set, .. } => {
            let typed = ResumeWords {
                spec: spec.clone(),
                set: set.clone(),
                as_recorded: false,
                data_words: String::new(),
            };
            return Some(format!("`{}` resumes it", typed.resume(None)));
        }
        SessionError::Unfinished {
            run: RunLabel { name, stamp },
            half_scored: true,
            ..
        } => {
            return Some(format!(
                "`fairtrial eval {name} --rollout {stamp}` completes its scores"
            ));
        }
        SessionError::Unfinished { .. } => "`fairtrial run SPEC --resume` finishes it",
        SessionError::RegisteredAlready(_) => {
            "a registered plan is not changed after the fact: `--replace` registers anew, with today's date"
        }
        SessionError::BadRegistration { .. } => {
            "take the file from the repository again; without it the run is not a registered one, and `fairtrial register \
             SPEC --replace` registers anew, with today's date"
        }
        SessionError::NoArms(_) => {
            "name what to judge it against: --baseline NAME, FILE, branch:NAME or a run"
        }
        SessionError::SettledBefore(option) => {
            let option = flag(*option);
            return Some(format!(
                "leave {option} out, or give --baseline to compare the run as a whole with another one"
            ));
        }
        SessionError::NotRecorded { .. } => {
            "run the benchmark there first, or keep a baseline file: `fairtrial gate --save-baseline main.json`"
        }
        SessionError::OtherCommands { .. } => {
            "compare two commands in one bench; or, where they are versions of one program, keep the baseline with a name and give the same one now: `-n NAME`"
        }
        SessionError::LostRecords(_) => {
            "`fairtrial run SPEC --reuse` makes a run of the records that are left and runs the others again"
        }
        SessionError::BaselineName(_) => {
            "letters, digits, `.`, `_` and `-`; or a file that ends in .json"
        }
        SessionError::SpecGone(_) => "`--spec FILE` names the file that declares the metrics",
        SessionError::NoRollouts(_) => {
            "`eval` scores tasks with `prepared_dir`; `summarize` shows any run"
        }
        SessionError::NoReporter { known, .. } if known.is_empty() => {
            "declare one: [reporters.NAME] with `command` or `python`"
        }
        SessionError::NoReporter { known, .. } => {
            return Some(format!("it has {}", known.join(", ")));
        }
        SessionError::NoLog(NoLog::NotStarted { trials, .. }) => {
            return Some(format!("the run has {trials} trials, from 0"));
        }
        SessionError::NoLog(NoLog::NoneFailed { .. }) => "`--trial N` shows one of the others",
        SessionError::NoLog(NoLog::NeverRan { .. }) => "it never ran, so it wrote nothing",
        SessionError::NoLog(NoLog::Unreadable { .. }) => {
            "a trial that waits in a queue has written nothing yet; `--job` shows what its job wrote"
        }
        SessionError::RunAtWork => "wait for it, or leave out --images",
        SessionError::ThereAlready(_) => "name another folder; nothing was changed",
        SessionError::NoTask(_) => "nothing was made",
        SessionError::NoPlan(_) => {
            "it is `plan.json` in the run's folder, which this node must see"
        }
        SessionError::Table(error) => return Some(of_table(error)),
        _ => return None,
    };
    Some(text.to_owned())
}

/// The flag that chooses what a run with a stopping rule has settled.
const fn flag(option: SettledOption) -> &'static str {
    match option {
        SettledOption::Rules => "--rule",
        SettledOption::Alpha => "--alpha",
        SettledOption::Pairing => "--pairing",
        SettledOption::Method => "--method",
        SettledOption::Only => "--only",
    }
}

fn of_journal(error: &JournalError) -> Option<String> {
    match error {
        JournalError::NoSuchRun { what, rollouts } => {
            Some(near_run(what, rollouts).unwrap_or_else(|| LISTS_RUNS.to_owned()))
        }
        JournalError::Archived { name, stamp } => Some(format!(
            "`fairtrial archive --restore {name}/{stamp}` makes its folder again"
        )),
        JournalError::Locked(_) => Some(
            "`fairtrial status` shows what it is doing, `fairtrial cancel` stops it".to_owned(),
        ),
        JournalError::Io { path, source, .. }
            if path.ends_with("journal.jsonl") && source.kind() == ErrorKind::NotFound =>
        {
            Some(NEVER_BEGAN.to_owned())
        }
        _ => None,
    }
}

fn of_recorded_spec(error: &ResolvedSpecError) -> Option<String> {
    match error {
        ResolvedSpecError::Unreadable(error) => of_journal(error),
        ResolvedSpecError::Absent(_) => Some(NEVER_BEGAN.to_owned()),
        _ => None,
    }
}

fn of_analysis(error: &fairtrial_analysis::AnalysisError) -> Option<String> {
    match error {
        fairtrial_analysis::AnalysisError::Journal(error) => of_journal(error),
        fairtrial_analysis::AnalysisError::Spec(error) => of_recorded_spec(error),
        _ => None,
    }
}

fn of_tasks(error: &NotReady) -> Option<String> {
    match error {
        NotReady::Lacks(_) => Some(NOTHING_RUN.to_owned()),
        NotReady::Changed(_) => {
            Some("start a new run; `--reuse` takes over what did not change".to_owned())
        }
        NotReady::Task { .. } | NotReady::Cache(_) => None,
    }
}

fn of_absent(near: &Near) -> String {
    match near {
        Near::Question(question) => question.clone(),
        Near::Run { name, like } => {
            format!("a run is named like `{like}`; `{name}` is its newest run")
        }
        Near::NoFile => "check the path".to_owned(),
        Near::NoRun => LISTS_RUNS.to_owned(),
        Near::NoBaseline { kept } if kept.is_empty() => {
            "`fairtrial gate --save-baseline NAME` saves one; `fairtrial list` shows the runs"
                .to_owned()
        }
        Near::NoBaseline { kept } => {
            format!(
                "it holds {}; `--baseline NAME` takes one of these",
                kept.join(", ")
            )
        }
    }
}

fn of_table(error: &TableError) -> String {
    let text = match error {
        TableError::NoPreset { known, .. } => {
            return format!("there is {}", known.join(", "));
        }
        TableError::NoRun { root, .. } => {
            return format!("`fairtrial list` shows the runs under {}", root.display());
        }
        TableError::NoTable { known, .. } => {
            return format!("its tables are {}", known.join(", "));
        }
        TableError::Undeclared { known, .. } if known.is_empty() => {
            "declare it: [tables.NAME] with `file` and `columns`"
        }
        TableError::Undeclared { known, .. } => {
            let known = known.join(", ");
            return format!("say which one is meant with --table: {known}");
        }
        TableError::FedByNothing(_) => "give tasks `table = NAME` and declare [tables.NAME]",
        TableError::NoFile(_) => "name the table: fairtrial table update FILE.csv --from RUN",
        TableError::Origins { .. } => {
            "mend it, or remove it: the origins of the rows are then not known"
        }
        TableError::NotExpected(_) => "compare again: fairtrial table compare",
        TableError::ChangedMeanwhile(_) => "look at the change and run the command again",
        TableError::NoRows { .. } => {
            "see `fairtrial status`; --rows and the run's --only choose among them"
        }
        TableError::LacksColumn {
            lacking: Lacking::Target,
            ..
        } => "add it with --add-columns, or choose columns with --columns",
        TableError::LacksColumn {
            lacking: Lacking::Source,
            ..
        } => "choose the columns that are copied with --columns",
        TableError::NothingNamed => "fairtrial table check FILE.csv",
        TableError::NoDeclarations => {
            "name the suite with --spec SPEC, or definitions that come with the program with --preset NAME"
        }
        TableError::NothingToMeasure => "give --spec SPEC or --preset NAME",
        TableError::NoEpisodeMetric => "a metric with `from = \"episodes:NAME\"` is one",
    };
    text.to_owned()
}
