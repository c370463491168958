//! Programs that are handed what came of a run: reporters and notifications.

use super::parts::error;
use crate::diagnostic::Problems;
use crate::document::{Entry, Node};
use crate::shape::check::node_duration;
use crate::spec::hook::{Hook, Reporter, ReporterKind};

/// Seconds that such a program has where nothing else is said.
const TIMEOUT: f64 = 60.0;

/// `on_finish` or `on_failure`: a command, or a table with one.
pub(super) fn hook(root: &Node, key: &str, problems: &mut Problems) -> Option<Hook> {
    let node = root.get(key)?;
    let command = if node.text().is_some() {
        node
    } else {
        node.get("command")?
    };
    Some(Hook {
        argv: words(command, problems)?,
        timeout_s: timeout(node),
    })
}

/// The reporters, in the user's order.
pub(super) fn reporters(root: &Node, problems: &mut Problems) -> Vec<Reporter> {
    let entries = root
        .get("reporters")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let each = entries.iter();
    each.filter_map(|entry| reporter(entry, problems)).collect()
}

fn reporter(entry: &Entry, problems: &mut Problems) -> Option<Reporter> {
    let node = &entry.value;
    node.map()?;
    let by = match (node.get("command"), node.get("python")) {
        (Some(command), None) => ReporterKind::Command(words(command, problems)?),
        (None, Some(python)) => ReporterKind::Python(function(python, problems)?),
        (both, _) => {
            let how = if both.is_some() { "both" } else { "neither" };
            let message = format!(
                "the reporter `{}` has {how} of `command` and `python`",
                entry.key
            );
            let help =
                "a reporter is one of them: a program, or a Python function `module:function`";
            problems.push(error(entry.key_span, message).help(help));
            return None;
        }
    };
    Some(Reporter {
        name: entry.key.clone(),
        by,
        timeout_s: timeout(node),
    })
}

fn timeout(node: &Node) -> f64 {
    let given = node
        .get("timeout")
        .and_then(|time| node_duration(time).ok());
    given.unwrap_or(TIMEOUT)
}

fn words(node: &Node, problems: &mut Problems) -> Option<Vec<String>> {
    let text = node.text()?;
    match shell_words::split(text) {
        Ok(argv) if argv.first().is_some_and(|program| !program.is_empty()) => Some(argv),
        Ok(_) => {
            problems.push(error(node.span, "the command names no program"));
            None
        }
        Err(_) => {
            let message = "a quote in the command is not closed";
            problems
                .push(error(node.span, message).help("close it, or escape it with a backslash"));
            None
        }
    }
}

fn function(node: &Node, problems: &mut Problems) -> Option<String> {
    let text = node.text()?;
    let name = |part: &str| {
        let letters = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        !part.is_empty() && part.chars().all(letters)
    };
    if text
        .split_once(':')
        .is_some_and(|(module, function)| name(module) && name(function))
    {
        return Some(text.to_owned());
    }
    let message = format!("`{text}` is not a Python function");
    problems
        .push(error(node.span, message).help("write `module:function`, as `reports:make_table`"));
    None
}
