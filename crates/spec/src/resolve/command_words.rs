//! Commands that do not mean what they look like: signs that only a shell obeys where none reads them, and scripts that
//! are not there. The program would get the signs as words, or the interpreter would find nothing, in every trial.

use super::draft::Draft;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::load_options::FileCheck;
use crate::source::{Sources, Span};
use crate::spec::work::Work;
use crate::spec::{Spec, Task};
use crate::template::{Template, env_references};
use std::path::Path;

/// Words that a shell obeys and no program expects.
const SIGNS: [&str; 12] = [
    "|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>>", "&>", "2>&1",
];
/// Programs whose first argument is a script, and the endings by which one is known.
const INTERPRETERS: [(&str, &str); 9] = [
    ("python", "py"),
    ("bash", "sh"),
    ("sh", "sh"),
    ("node", "js"),
    ("Rscript", "R"),
    ("perl", "pl"),
    ("ruby", "rb"),
    ("lua", "lua"),
    ("julia", "jl"),
];

/// Warns about each.
pub(super) fn check(
    spec: &Spec,
    drafts: &[Draft],
    sources: &Sources,
    files: FileCheck,
    problems: &mut Problems,
) {
    for (task, draft) in spec.tasks.iter().zip(drafts) {
        let Some(node) = draft.node.get("command") else {
            continue;
        };
        let Work::Command { argv, shell: false } = &task.work else {
            continue;
        };
        // Whoever writes a list has written each word on purpose.
        let sign = argv.iter().find(|word| SIGNS.contains(&word.as_str()));
        if let Some(sign) = sign.filter(|_| node.list().is_none()) {
            problems.push(obeyed_by_a_shell(sign, sources.find(node.span, sign)));
        }
        if let Some(script) = script(argv).filter(|_| files != FileCheck::Ignore)
            // A task that this one needs may make it.
            && task.needs.is_empty()
            && !is_there(spec, task, script)
        {
            let message = format!("there is no script `{}`", script.escape_debug());
            let warning =
                Diagnostic::new(Severity::Warning, sources.find(node.span, script), message);
            problems.push(warning.help(
                "a command starts in `workdir`, else in the folder of the spec; the script must be there where the trials run",
            ));
        }
    }
}

fn obeyed_by_a_shell(sign: &str, span: Span) -> Diagnostic {
    let message = format!("no shell reads this command: the program gets `{sign}` as a word");
    Diagnostic::new(Severity::Warning, span, message).help(
        "add `shell = true` to have a shell read it; parameters are then written as `{name:q}`",
    )
}

/// The script that an interpreter is told to read, where it can be known now.
fn script(argv: &[String]) -> Option<&str> {
    let [program, script, ..] = argv else {
        return None;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let known = INTERPRETERS.iter().find(|(name, _)| {
        let version = program.strip_prefix(name);
        version.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    });
    let (_, ending) = known?;
    let is_script = Path::new(script)
        .extension()
        .is_some_and(|of| of == *ending);
    let is_plain =
        Template::parse(script).names().next().is_none() && env_references(script).is_empty();
    (is_script && is_plain).then_some(script)
}

fn is_there(spec: &Spec, task: &Task, script: &str) -> bool {
    let base = Path::new(&spec.base_dir);
    match &task.workdir {
        None => base.join(script).exists(),
        // A folder that only a trial knows is looked at then.
        Some(dir) if Template::parse(dir).names().next().is_some() => true,
        Some(dir) => !env_references(dir).is_empty() || base.join(dir).join(script).exists(),
    }
}
