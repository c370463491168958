//! The reference page of the spec, generated from the same table that checks it.

use super::section::{Key, Section, Type};
use crate::shape::keys::ROOT;
use fairtrial_model::{DOCUMENTED_SEEDS, documented_seeds};
use std::fmt::Write;

/// Groups of keys at the top level that no task has.
const ROOT_GROUPS: usize = 2;
const HEAD: &str = include_str!("reference_head.md");

/// `docs/reference/spec.md`: every key with its type, default and meaning.
pub fn reference() -> String {
    let seeds: Vec<String> = DOCUMENTED_SEEDS.iter().map(ToString::to_string).collect();
    let seed = |number: usize| documented_seeds(number - 1).to_string();
    let mut page = HEAD
        .replace("{{seeds}}", &seeds.join(", "))
        .replace("{{sixteenth}}", &seed(16))
        .replace("{{hundredth}}", &seed(100));
    let mut pending = vec![&ROOT];
    let mut done: Vec<&str> = Vec::new();
    while let Some(section) = pending.pop() {
        if done.contains(&section.name) {
            continue;
        }
        done.push(section.name);
        section_text(section, &mut page);
        let inner: Vec<&'static Section> = section
            .all_keys()
            .flat_map(|key| inner_sections(&key.ty))
            .collect();
        pending.extend(inner.into_iter().rev());
    }
    page
}

fn section_text(section: &Section, page: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(page, "\n## {}\n\n{}\n", heading(section), section.doc);
    if section.name == "defaults" {
        return;
    }
    page.push_str("\n| key | type | default | meaning |\n|---|---|---|---|\n");
    // The keys of a task, which may stand at the top level too, have their own table.
    let groups = if section.name == ROOT.name {
        ROOT_GROUPS
    } else {
        section.keys.len()
    };
    for key in section.keys.iter().take(groups).copied().flatten() {
        key_row(key, page);
    }
}

fn heading(section: &Section) -> String {
    match section.name {
        "spec" => "Top level".to_owned(),
        "task" => "`[[tasks]]`".to_owned(),
        "task_folders" => "`tasks` as a table".to_owned(),
        "metric" => "`[metrics.NAME]`".to_owned(),
        "summary" => "`metrics.NAME.summary`".to_owned(),
        "instrument" => "an entry of `instrumentation`".to_owned(),
        "episode_file" => "`[episode_files.NAME]`".to_owned(),
        "episode" => "`episode_files.NAME.episode`".to_owned(),
        "episode_value" => "`episode_files.NAME.values.NAME`".to_owned(),
        "condition" => "a condition of `where` and `share`".to_owned(),
        "table" => "`[tables.NAME]`".to_owned(),
        "column" => "`tables.NAME.columns.TITLE`".to_owned(),
        "stop" => "`analysis.stop`".to_owned(),
        "cost" => "`budget.cost`".to_owned(),
        "tokens" => "`budget.tokens`".to_owned(),
        name => format!("`{name}`"),
    }
}

fn key_row(key: &Key, page: &mut String) {
    let mut name = format!("`{}`", key.name);
    for alias in key.aliases {
        let _ = write!(name, ", also `{alias}`");
    }
    let example = if key.example.is_empty() {
        String::new()
    } else {
        format!(" Example: `{}`", key.example)
    };
    let row = [
        &name,
        &key.ty.expected(),
        key.default,
        &format!("{}{example}", key.doc),
    ]
    .map(cell);
    let _ = writeln!(page, "| {} |", row.join(" | "));
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn inner_sections(ty: &Type) -> Vec<&'static Section> {
    match ty {
        Type::Section(section) => vec![section],
        Type::List(inner, _) | Type::Map(inner, _) => inner_sections(inner),
        Type::Either(types) => types.iter().flat_map(inner_sections).collect(),
        _ => Vec::new(),
    }
}
