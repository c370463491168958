//! Tables of the documents that say what the code says: exit codes, and the flags of `analyze` with their defaults.

use super::read;
use crate::common::Project;

/// The first cells of the rows of the first table with this head.
pub fn first_column(page: &str, head: &str) -> Vec<String> {
    let text = read(page);
    let lines = text.lines().skip_while(|line| !line.starts_with(head));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').nth(1).unwrap().trim().to_owned())
        .collect()
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let codes = first_column("docs/reference/exit-codes.md", "| code |");
    assert_eq!(codes, ["0", "1", "2", "3", "4", "130"]);
    // The help says the same in short.
    let help = Project::new().expect(0, &["--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = help.split("Exit codes: ").nth(1).unwrap();
    for code in codes {
        assert!(said.contains(&format!("{code} ")), "{code}: {said}");
    }
    let of_gate = first_column("docs/guides/gate.md", "| code |");
    assert_eq!(of_gate, ["0", "1", "2", "3", "4"]);
}

/// What stands between backticks in a text.
pub fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The part of a page from a beginning to the next empty line.
fn paragraph(page: &str, beginning: &str) -> String {
    let text = read(page);
    let lines = text.lines().skip_while(|line| !line.starts_with(beginning));
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "{page} has no paragraph `{beginning}`");
    lines.join(" ")
}

fn help(command: &str) -> String {
    let help = Project::new().expect(0, &[command, "--help"]).out;
    help.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_flags_of_analyze_and_their_defaults_are_those_of_the_program() {
    let help = help("analyze");
    let text = read("docs/guides/learning-curves.md");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| flag | default |"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let mut seen = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let mut stem = String::new();
        let flags = quoted(cells[1]).into_iter().map(|flag| {
            if let Some(rest) = flag.strip_prefix('.') {
                return format!("{stem}.{rest}");
            }
            stem = flag.split('.').next().unwrap().to_owned();
            stem = if flag.matches('.').count() > 0 {
                flag.rsplit_once('.').unwrap().0.to_owned()
            } else {
                stem.clone()
            };
            flag.to_owned()
        });
        let flags: Vec<String> = flags.collect();
        let defaults: Vec<&str> = cells[2].split(", ").collect();
        for (place, flag) in flags.iter().enumerate() {
            seen += 1;
            let said = help.split(&format!("{flag} ")).nth(1);
            let said = said.unwrap_or_else(|| panic!("`analyze` has no {flag}"));
            let said = said.split(" --").next().unwrap();
            let default = defaults
                .get(place)
                .map_or("", |word| word.trim_matches('`'));
            let is_word = !default.is_empty() && !default.contains(' ');
            if is_word && flags.len() == defaults.len() {
                assert!(
                    said.contains(&format!("[default: {default}")),
                    "{flag}: the page says {default}, the help: {said}"
                );
            }
        }
    }
    assert!(seen > 20, "{seen} flags");
}

#[test]
fn the_flags_of_the_originals_are_where_the_pages_say() {
    let flags = paragraph(
        "docs/reference/from-metta.md",
        "Its README's flags exist here",
    );
    let analyze = help("analyze");
    for flag in quoted(&flags) {
        assert!(
            analyze.contains(&format!("{flag} ")),
            "`analyze` has no {flag}"
        );
    }
    let variance = help("variance");
    for flag in [
        "--metric",
        "--threshold",
        "--output",
        "--summary.percent",
        "--summary.step_min",
        "--summary.step_max",
    ] {
        assert!(
            variance.contains(&format!("{flag} ")),
            "`variance` has no {flag}"
        );
    }
}

#[test]
fn the_fields_of_the_json_are_those_of_the_program() {
    let page = "docs/reference/json.md";
    let project = Project::with_spec(
        "name = \"fields\"\nseeds = 5\nshell = true\ncommand = \"echo score=$(({seed} * 7 % 5 + {gain} * {k} * (1 + {seed} % 3)))\"\n\
         [sweep]\nk = [1, 2]\n\
         [arms.control]\ngain = 0\n[arms.candidate]\ngain = 1\n[arms.other]\ngain = 2\n\
         [metrics.score]\nfrom = \"stdout:score=([0-9]+)\"\ndirection = \"up\"\nmargin = \"5%\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    for command in ["compare", "summarize"] {
        let json = project.expect(0, &[command, "fields", "--json"]).json();
        let keys = keys(&json);
        let text = paragraph(page, &format!("`{command} --json`"));
        for field in quoted(&text).into_iter().skip(1) {
            // Keys with nothing in them are left out, and some are words of prose.
            if [
                "--only",
                "fairness[]",
                "no_relative",
                "advice",
                "dropped[]",
                "mismatches[]",
                "worst_case",
            ]
            .contains(&field)
            {
                continue;
            }
            for part in field.split('.') {
                let part = part.trim_end_matches("[]");
                assert!(
                    keys.contains(part),
                    "{command} --json has no `{part}`: {keys:?}"
                );
            }
        }
    }
}

#[test]
fn the_outermost_keys_of_each_json_are_those_of_the_program() {
    let project = Project::with_spec(
        "seeds = 5\nshell = true\ncommand = \"echo m=$(({seed} * {x} % 7))\"\narms = { a = { x = 1 }, b = { x = 2 } }\n\
         metrics = { m = { from = \"stdout:m=([0-9]+)\", direction = \"up\" } }\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let text = read("docs/reference/json.md");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| command |"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let mut seen = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let command = quoted(cells[1])[0];
        let command = command
            .replace("SPEC", "bench.toml")
            .replace("NAME", "bench");
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--json");
        let json = project.run(&words).json();
        let first = json.get(0).unwrap_or(&json);
        let keys: Vec<&str> = first
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let said = quoted(cells[2]);
        // What is empty may be left out.
        assert!(
            keys.iter().all(|key| said.contains(key)),
            "{command}: {keys:?}"
        );
        assert!(keys.len() * 2 >= said.len(), "{command}: {keys:?}");
        seen += 1;
    }
    assert!(seen > 5, "{seen} commands");
}

/// Every key of a JSON value, however deep.
fn keys(json: &serde_json::Value) -> std::collections::BTreeSet<String> {
    use serde_json::Value;
    match json {
        Value::Object(map) => {
            let below = map.values().flat_map(keys);
            map.keys().cloned().chain(below).collect()
        }
        Value::Array(items) => items.iter().flat_map(keys).collect(),
        _ => std::collections::BTreeSet::new(),
    }
}
