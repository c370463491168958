//! Every class of problem as the user sees it. A case is written once, in TOML, and shown in all three formats.

use crate::common::{as_json, as_yaml};
use fairtrial_spec::{Format, LoadOptions, Style, load_text, render};
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn shown(name: &str, text: &str, format: Format) -> String {
    let loaded = load_text(name, text, format, &LoadOptions::default());
    assert_eq!(loaded.spec.is_none(), loaded.has_errors(), "{name}");
    assert!(!loaded.diagnostics.is_empty(), "{name} has no problem");
    render(&loaded.diagnostics, &loaded.sources, Style::default())
}

fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn every_case_in_three_formats() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 25);
    for file in files {
        let toml = fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let value: serde_json::Value = toml::from_str(&toml).unwrap();
        let mut all = String::new();
        let formats = [
            ("toml", toml.clone(), Format::Toml),
            ("yaml", as_yaml(&value), Format::Yaml),
            ("json", as_json(&value), Format::Json),
        ];
        for (extension, text, format) in formats {
            let shown = shown(&format!("{name}.{extension}"), &text, format);
            writeln!(all, "{shown}").unwrap();
        }
        assert_snapshot(name, &all);
    }
}

#[test]
fn broken_syntax() {
    let mut all = String::new();
    for (name, text, format) in [
        (
            "two_problems.toml",
            "a = \nname = 'x'\nb = ]\n",
            Format::Toml,
        ),
        ("twice.toml", "name = 'x'\nname = 'y'\n", Format::Toml),
        (
            "indent.yaml",
            "tasks:\n  - id: a\n command: b\n",
            Format::Yaml,
        ),
        ("twice.yaml", "name: x\ncommand: a\nname: y\n", Format::Yaml),
        (
            "two_documents.yaml",
            "command: a\n---\ncommand: b\n",
            Format::Yaml,
        ),
        ("tag.yaml", "command: !python/object x\n", Format::Yaml),
        ("list.yaml", "- a\n- b\n", Format::Yaml),
        ("tab.yaml", "name: x\n\tcommand: a\n", Format::Yaml),
        ("tab_in_map.yaml", "params:\n\ta: 1\n", Format::Yaml),
        ("key.yaml", "? [a, b]\n: c\n", Format::Yaml),
        ("null.yaml", "command: true\ntimeout:\n", Format::Yaml),
        (
            "comma.json",
            "{\"command\": \"a\",\n \"tags\": [1,]}",
            Format::Json,
        ),
        ("bare.json", "{command: \"a\"}", Format::Json),
        (
            "twice.json",
            "{\"name\": \"x\", \"command\": \"a\",\n \"name\": \"y\"}",
            Format::Json,
        ),
        ("text.json", "\"spec\"", Format::Json),
    ] {
        writeln!(all, "{}", shown(name, text, format)).unwrap();
    }
    assert_snapshot("broken_syntax", &all);
}

#[test]
fn an_empty_command_is_one_problem() {
    for text in ["command = ''\n", "command = '  '\n"] {
        let loaded = load_text("x.toml", text, Format::Toml, &LoadOptions::default());
        let messages: Vec<&str> = loaded
            .diagnostics
            .iter()
            .map(|d| d.message.as_str())
            .collect();
        assert_eq!(messages, ["`command`: expected text, found an empty one"]);
    }
}

#[test]
fn a_name_that_no_file_can_have_is_refused() {
    let spec = |length: usize| format!("name = '{}'\ncommand = 'true'\n", "n".repeat(length));
    let load = |length| {
        load_text(
            "x.toml",
            &spec(length),
            Format::Toml,
            &LoadOptions::default(),
        )
    };
    assert!(!load(200).has_errors());
    let long = load(300).diagnostics;
    assert!(
        long[0].message.contains("a name of 300 bytes is too long") && long[0].line() == 1,
        "{long:?}"
    );
}

#[test]
fn a_byte_order_mark_moves_no_place() {
    for (text, format) in [
        ("sedes = 3\ncommand = 'true'\n", Format::Toml),
        ("sedes: 3\ncommand: 'true'\n", Format::Yaml),
        ("{\"sedes\": 3, \"command\": \"true\"}", Format::Json),
        ("{\"seeds\": 3 \"command\": \"true\"}", Format::Json),
    ] {
        let marked = format!("\u{feff}{text}");
        assert_eq!(shown("x", &marked, format), shown("x", text, format));
    }
    let marked = "\u{feff}{\"command\": \"true\"}";
    let loaded = load_text("x.json", marked, Format::Json, &LoadOptions::default());
    assert!(loaded.spec.is_some() && loaded.diagnostics.is_empty());
}

#[test]
fn changes_from_the_command_line() {
    let spec =
        "[[tasks]]\nid = 'train'\ncommand = 'true {lr}'\n[arms.a]\nlr = 1\n[arms.b]\nlr = 2\n";
    let mut all = String::new();
    for change in [
        "timeout",
        "=3",
        "a b=3",
        "tasks.0.timeot=1h",
        "tasks.0.timeout=1 week",
        "tasks.3.timeout=1h",
        "tasks.first.timeout=1h",
        "parallelism=0",
        "name.x=3",
        "tasks.0.command=true {lrr}",
        "arms.\"a.b\".lr=3",
        "order=\"blokcs\"",
    ] {
        let options = LoadOptions {
            set: vec![change.to_owned()],
            ..LoadOptions::default()
        };
        let spec = if change.starts_with("name.") {
            format!("name = 'x'\n{spec}")
        } else {
            spec.to_owned()
        };
        let loaded = load_text("spec.toml", &spec, Format::Toml, &options);
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::default());
        writeln!(
            all,
            "$ --set '{change}'\n{}",
            if shown.is_empty() { "fine\n" } else { &shown }
        )
        .unwrap();
    }
    assert_snapshot("set", &all);
}

#[test]
fn the_json_form_has_what_an_editor_needs() {
    let loaded = load_text(
        "x.toml",
        "name = 'é'\ncomand = 'x'\n",
        Format::Toml,
        &LoadOptions::default(),
    );
    let json = serde_json::to_value(&loaded.diagnostics[1]).unwrap();
    let expected = serde_json::json!({
        "file": "x.toml", "line": 2, "column": 1, "severity": "error",
        "message": "a spec has no key `comand`", "help": "did you mean `command`?",
    });
    assert!(
        loaded
            .diagnostics
            .iter()
            .any(|d| serde_json::to_value(d).unwrap() == expected),
        "{json}"
    );
}

#[test]
fn colour_and_narrow_terminals() {
    let loaded = load_text(
        "x.toml",
        "comand = 'x'\n",
        Format::Toml,
        &LoadOptions::default(),
    );
    let colour = render(
        &loaded.diagnostics,
        &loaded.sources,
        Style {
            color: true,
            width: 0,
        },
    );
    assert!(colour.contains("\u{1b}["));
    assert_eq!(render(&[], &loaded.sources, Style::default()), "");
}
