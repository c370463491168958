//! The overview of all commands, by what one wants to do. Clap knows one list only.

use clap::Command;
use fairtrial_report::console::wrap;
use std::fmt::Write;

/// What people come for, and the commands that do it, in the order of a usual day.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Run",
        &[
            "demo",
            "init",
            "check",
            "plan",
            "run",
            "bench",
            "status",
            "watch",
            "wait",
            "cancel",
            "eval",
            "remeasure",
        ],
    ),
    (
        "Look",
        &[
            "serve",
            "list",
            "logs",
            "explain",
            "unpack",
            "summarize",
            "report",
            "sql",
            "import",
            "export",
        ],
    ),
    (
        "Decide",
        &[
            "compare",
            "gate",
            "sweep",
            "analyze",
            "variance",
            "history",
            "bisect",
            "power",
            "register",
            "verify",
            "reproduce",
        ],
    ),
    ("Results tables", &["table"]),
    ("Agent tasks", &["task"]),
    (
        "Set-up",
        &[
            "doctor",
            "where",
            "archive",
            "gc",
            "preset",
            "schema",
            "completions",
            "self",
            "help",
        ],
    ),
];
/// Columns before what a command does.
const INDENT: usize = 15;
/// Columns for what it does: the whole fits a usual terminal.
const ROOM: usize = 80;

/// The command line with its commands in groups.
pub(crate) fn grouped(app: Command) -> Command {
    let mut commands = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(commands, "{title}:");
        for command in names.iter().filter_map(|name| app.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string);
            let lines = wrap(&about.unwrap_or_default(), ROOM);
            let lines = lines.join(&format!("\n{:INDENT$}", ""));
            let _ = writeln!(commands, "  {:<12} {lines}", command.get_name());
        }
        commands.push('\n');
    }
    app.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}For every command:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::GROUPS;
    use crate::app::App;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let app = App::command();
        for command in app.get_subcommands().filter(|it| !it.is_hide_set()) {
            let places = grouped.iter().filter(|name| **name == command.get_name());
            assert_eq!(places.count(), 1, "{}", command.get_name());
        }
    }
}
