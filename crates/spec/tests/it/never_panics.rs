//! Whatever stands in a file, loading ends with a spec or with diagnostics that can be drawn.

use fairtrial_spec::{
    FileCheck, Format, LoadOptions, Style, Template, env_references, load_text, render,
};
use fairtrial_text::bytes::parse_bytes;
use fairtrial_text::duration::parse_duration;
use proptest::prelude::*;
use std::fmt::Write;

const FORMATS: [Format; 3] = [Format::Toml, Format::Yaml, Format::Json];
const VALID: [(&str, Format); 3] = [
    (include_str!("../specs/seeds.toml"), Format::Toml),
    (include_str!("../specs/rollouts.toml"), Format::Toml),
    (include_str!("../specs/experiment.yaml"), Format::Yaml),
];

fn survive(text: &str, format: Format, set: Vec<String>) {
    let loaded = load_text(
        "spec",
        text,
        format,
        &LoadOptions {
            set,
            files: FileCheck::Ignore,
        },
    );
    let drawn = render(
        &loaded.diagnostics,
        &loaded.sources,
        Style {
            color: false,
            width: 60,
        },
    );
    assert_eq!(loaded.spec.is_none(), loaded.has_errors(), "{drawn}");
    assert_eq!(drawn.is_empty(), loaded.diagnostics.is_empty());
    for diagnostic in &loaded.diagnostics {
        assert!(
            diagnostic.line() >= 1 && diagnostic.column() >= 1,
            "{diagnostic:?}"
        );
        serde_json::to_string(diagnostic).unwrap();
    }
}

/// A value of any kind, as JSON, which is YAML too.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let word = prop::sample::select(vec![
        "", "x", "2h", "{seed}", "{no}", "a/b", "random", "1", "stdout:(", "é{x}", "all", "-1",
    ]);
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (0i64..4).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        word.prop_map(Into::into),
        "\\PC{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::vec((any_key(), inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    let known = vec![
        "name",
        "seeds",
        "seed",
        "tasks",
        "defaults",
        "arms",
        "sweep",
        "strategy",
        "samples",
        "metrics",
        "analysis",
        "budget",
        "command",
        "experiment",
        "prepared_dir",
        "params",
        "env",
        "environment_variables",
        "needs",
        "retries",
        "limits",
        "timeout",
        "iterations",
        "instrumentation",
        "id",
        "model",
        "shell",
        "summary",
        "type",
        "from",
        "margin",
        "stop",
        "when",
        "min",
        "max",
        "cost",
        "control",
        "include",
        "x",
    ];
    prop_oneof![9 => prop::sample::select(known).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

/// A table of folders that names none is no list of no tasks.
#[test]
fn a_table_of_tasks_without_folders_is_told() {
    for table in [
        "{}",
        "{\"harbor\": []}",
        "{\"harbor\": [], \"prepared\": []}",
    ] {
        let text = format!("{{\"name\": \"x\", \"tasks\": {table}}}");
        survive(&text, Format::Json, Vec::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        for format in FORMATS {
            survive(&text, format, Vec::new());
        }
    }

    #[test]
    fn arbitrary_punctuation(text in "[\\[\\]{}:,\"'#&*|>%!@=.\\-\n \ta1é]{0,120}") {
        for format in FORMATS {
            survive(&text, format, Vec::new());
        }
    }

    #[test]
    fn arbitrary_structures(value in prop::collection::vec((any_key(), any_value()), 0..8)) {
        let value: serde_json::Value = value.into_iter().collect();
        survive(&value.to_string(), Format::Json, Vec::new());
        survive(&serde_json::to_string_pretty(&value).unwrap(), Format::Yaml, Vec::new());
        if let Ok(table) = toml::to_string(&value) {
            survive(&table, Format::Toml, Vec::new());
        }
    }

    #[test]
    fn mutated_specs(which in 0usize..3, cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, "\\PC{0,6}"), 1..5)) {
        let (text, format) = VALID[which];
        let mut text = text.to_owned();
        for (place, length, insert) in cuts {
            let start = text.floor_char_boundary(place.index(text.len().max(1)));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, &insert);
        }
        survive(&text, format, Vec::new());
    }

    #[test]
    fn arbitrary_changes(changes in prop::collection::vec("[a-z0-9.\"'=\\[\\]{} é-]{0,30}", 0..4), key in any_key(), value in any_value()) {
        let mut set = changes;
        set.push(format!("tasks.0.{key}={value}"));
        set.push(format!("{key}={value}"));
        survive(VALID[0].0, Format::Toml, set);
    }

    #[test]
    fn small_parsers(text in "\\PC{0,30}") {
        let _ = (parse_duration(&text), parse_bytes(&text), env_references(&text));
        let doubled = text.replace('{', "{{").replace('}', "}}");
        if !text.contains('$') {
            prop_assert_eq!(Template::parse(&doubled).expand(|_| None).unwrap(), text);
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_never_overflows_the_stack() {
    for depth in [50, 99, 1000, 100_000] {
        let brackets = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let braces = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        survive(
            &format!("params = {{ x = {brackets} }}\ncommand = 'x'"),
            Format::Toml,
            Vec::new(),
        );
        survive(
            &format!("{}= 1", "a.".repeat(depth)),
            Format::Toml,
            Vec::new(),
        );
        survive(
            &format!("{}b = 1", "a.".repeat(depth)),
            Format::Toml,
            Vec::new(),
        );
        survive(
            &format!("[{}b]", "a.".repeat(depth)),
            Format::Toml,
            Vec::new(),
        );
        for format in FORMATS {
            survive(&brackets, format, Vec::new());
            survive(&braces, format, Vec::new());
        }
        survive(&"- ".repeat(depth), Format::Yaml, Vec::new());
        survive(&"a:\n ".repeat(depth.min(2000)), Format::Yaml, Vec::new());
        survive(
            VALID[0].0,
            Format::Toml,
            vec![
                format!("arms.a{}=1", ".b".repeat(depth)),
                format!("arms.a={brackets}"),
            ],
        );
    }
}

#[test]
fn aliases_cannot_grow_without_bound() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let references = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(laughs, "a{level}: &a{level} [{references}]").unwrap();
    }
    survive(&laughs, Format::Yaml, Vec::new());
    survive("a: &a [*a]\n", Format::Yaml, Vec::new());
}

#[test]
fn large_specs_are_read_in_one_pass() {
    let mut tasks = String::new();
    for n in 0..5000 {
        writeln!(
            tasks,
            "[[tasks]]\ncommand = 'run {n}'\nneeds = ['run-{}']",
            n + 3
        )
        .unwrap();
    }
    survive(&tasks, Format::Toml, Vec::new());
    let mut keys = String::new();
    for n in 0..20_000 {
        writeln!(keys, "k{n}: {{}}").unwrap();
    }
    survive(&keys, Format::Yaml, Vec::new());
    survive(
        &format!("command = '{}'", "{x}".repeat(5_000)),
        Format::Toml,
        Vec::new(),
    );
}

#[test]
fn a_flood_of_problems_is_cut_and_says_so() {
    let mut keys = String::new();
    for n in 0..300 {
        writeln!(keys, "k{n} = 1").unwrap();
    }
    let loaded = load_text("s.toml", &keys, Format::Toml, &LoadOptions::default());
    assert_eq!(loaded.diagnostics.len(), 101);
    assert_eq!(
        loaded.diagnostics[100].message,
        "only the first 100 problems are shown"
    );
}
