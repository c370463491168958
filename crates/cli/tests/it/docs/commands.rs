//! The reference of commands is generated from the program's own help: `UPDATE_GOLDENS=1` writes it again.

use super::{read, repository};
use crate::common::Project;
use clap::{Arg, Command};
use std::fmt::Write;

const PAGE: &str = "docs/reference/commands.md";
const HEAD: &str = "\
# Commands

For everybody who types `fairtrial`. You will find every command here, with its arguments and flags. `fairtrial COMMAND --help` prints the same.
The page is made from the program, so it cannot disagree with it.

What the exit codes mean is on [a page of its own](exit-codes.md). These flags work with every command:

";

#[test]
fn the_page_of_commands_is_what_the_program_says() {
    let page = page();
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(repository(PAGE), &page).unwrap();
    }
    assert!(read(PAGE) == page, "`UPDATE_GOLDENS=1` writes {PAGE} again");
}

#[test]
fn the_examples_of_the_overview_work_one_after_the_other() {
    let help = fairtrial::command().get_after_help().unwrap().to_string();
    let lines = help.lines().skip(1).take_while(|line| !line.is_empty());
    let project = Project::new();
    let mut seen = 0;
    for line in lines {
        let command = line.trim().split("   ").next().unwrap();
        let ran = project.shell(command);
        assert_eq!(ran.code, 0, "`{command}`\n{}\n{}", ran.out, ran.err);
        seen += 1;
    }
    assert!(seen > 4, "{help}");
}

#[test]
fn the_examples_about_a_spec_work_one_after_the_other_with_the_one_that_init_writes() {
    let project = Project::new();
    project.expect(0, &["init", "bench.toml"]);
    let mut seen = 0;
    for name in ["check", "plan", "run", "register"] {
        let program = fairtrial::command();
        let command = program.find_subcommand(name).unwrap();
        let help = command.get_after_help().unwrap().to_string();
        // There is no cluster.
        let lines = help.lines().skip(1).filter(|it| !it.contains("slurm"));
        for line in lines.take_while(|it| !it.is_empty()) {
            let command = line.trim().split("   ").next().unwrap();
            let ran = project.shell(command);
            assert_eq!(ran.code, 0, "`{command}`\n{}\n{}", ran.out, ran.err);
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

fn page() -> String {
    let mut program = fairtrial::command();
    program.build();
    let mut page = HEAD.to_owned();
    for flag in program.get_arguments().filter(|flag| shown(flag)) {
        page += &argument(flag);
    }
    for command in program.get_subcommands() {
        describe(command, &mut page, 2);
    }
    page
}

fn shown(argument: &Arg) -> bool {
    !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
}

/// A command's part of the page, and those of the commands inside it.
fn describe(command: &Command, page: &mut String, level: usize) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let mut command = command.clone();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('\n', " ");
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = usage.split(" [").next().unwrap_or_default();
    let name = name.split(" <").next().unwrap_or_default();
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(
        page,
        "\n{} {name}\n\n{}\n",
        "#".repeat(level),
        whole(&about)
    );
    if command.has_subcommands()
        && command
            .get_arguments()
            .all(|it| it.is_global_set() || !shown(it))
    {
        let _ = writeln!(page, "`{usage}`");
    } else {
        let _ = writeln!(page, "`{usage}`\n");
    }
    for argument in command.get_arguments() {
        if shown(argument) && !argument.is_global_set() {
            *page += &self::argument(argument);
        }
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    if let Some(after) = after {
        *page += &examples(&after.to_string());
    }
    for inner in command.get_subcommands() {
        describe(inner, page, level + 1);
    }
}

/// A line of a list: the flag, what it takes, what it does, its default and its words.
fn argument(argument: &Arg) -> String {
    let mut head = Vec::new();
    head.extend(argument.get_short().map(|short| format!("-{short}")));
    head.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes = argument.get_action().takes_values();
    let values = argument.get_value_names().unwrap_or_default();
    let may_lack = argument
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0);
    let values = values.iter().map(|name| {
        if may_lack {
            format!("[{name}]")
        } else {
            format!("<{name}>")
        }
    });
    let values = values.collect::<Vec<_>>().join(" ");
    let head = match (head.is_empty(), takes) {
        (true, _) => values.replace(['<', '>'], ""),
        (false, true) => format!("{} {values}", head.join(", ")),
        (false, false) => head.join(", "),
    };
    let help = argument.get_long_help().or(argument.get_help());
    let help = whole(&help.map(ToString::to_string).unwrap_or_default());
    let mut line = format!("- `{head}`: {}", help.replace("\n\n", "\n\n    "));
    let is_sentence = line.ends_with(['.', ':']);
    let mut more = Vec::new();
    let words = argument.get_possible_values();
    let words = words.iter().filter(|word| !word.is_hide_set() && takes);
    let words: Vec<String> = words.map(|word| format!("`{}`", word.get_name())).collect();
    if !words.is_empty() {
        more.push(format!("One of {}", words.join(", ")));
    }
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|word| word.to_string_lossy()).collect();
    if !defaults.is_empty() && takes && !argument.is_hide_default_value_set() {
        more.push(format!("Default: `{}`", defaults.join(" ")));
    }
    if !more.is_empty() {
        let _ = write!(
            line,
            "{} {}",
            if is_sentence { "" } else { "." },
            more.join(". ")
        );
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

/// Text of the help for a page: a word in angle brackets is no tag.
fn whole(text: &str) -> String {
    let mut inside = false;
    let mut made = String::new();
    for letter in text.trim().chars() {
        inside ^= letter == '`';
        match letter {
            '<' if !inside => made.push_str("&lt;"),
            '*' | '_' if !inside => made.extend(['\\', letter]),
            _ => made.push(letter),
        }
    }
    made
}

/// What stands below the flags: examples as code, the rest as text.
fn examples(after: &str) -> String {
    let mut made = String::new();
    for part in after.trim_matches('\n').split("\n\n") {
        let lines: Vec<&str> = part.lines().collect();
        let is_code = |line: &&&str| line.starts_with("  ");
        let code = lines.iter().filter(is_code).count();
        if code == 0 {
            let _ = writeln!(made, "\n{}", whole(part));
            continue;
        }
        let title: Vec<&str> = lines
            .iter()
            .filter(|line| !is_code(line))
            .copied()
            .collect();
        if !title.is_empty() {
            let _ = writeln!(made, "\n{}", whole(&title.join("\n")));
        }
        made += "\n<!-- not run: the guides run theirs -->\n```sh\n";
        for line in lines.iter().filter(is_code) {
            let _ = writeln!(made, "{}", &line[2..]);
        }
        made += "```\n";
    }
    made
}
