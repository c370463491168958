//! The keys of what is told or made when a run has ended: hooks and reporters.

use super::section::{Key, Section, Type, Zero, key};

pub(super) const HOOK_TYPE: Type = Type::Either(&[Type::FilledText, Type::Section(&HOOK)]);

static HOOK: Section = Section {
    name: "hook",
    noun: "a hook",
    doc: "A command that is told how a run ended. It runs in the spec's folder, gets JSON on standard input and has limited time; its failure is reported and changes nothing.",
    keys: &[&[
        key(
            "command",
            Type::FilledText,
            "",
            "The program with its arguments, split like a shell would; no shell is run.",
        )
        .required()
        .example("\"./notify.sh\""),
        HOOK_TIMEOUT,
    ]],
    open: false,
};

const HOOK_TIMEOUT: Key = key(
    "timeout",
    Type::Duration(Zero::Refused),
    "1m",
    "Time after which it is ended.",
)
.example("\"10s\"");

pub(super) static REPORTER: Section = Section {
    name: "reporter",
    noun: "a reporter",
    doc: "Makes files of a report. It runs in the spec's folder, gets the report's data as JSON on standard input, and writes into the folder that `FAIRTRIAL_OUTPUT` names (`reporters/NAME` in the run's folder). Exactly one of `command` and `python`.",
    keys: &[&[
        key(
            "command",
            Type::FilledText,
            "",
            "The program with its arguments, split like a shell would; no shell is run.",
        )
        .example("\"python make_table.py\""),
        key(
            "python",
            Type::FilledText,
            "",
            "A Python function, `module:function`, called with the data and the output folder.",
        )
        .example("\"reports:make_table\""),
        HOOK_TIMEOUT,
    ]],
    open: false,
};
