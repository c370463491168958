//! The committed schema and reference page are what the table of keys gives. `UPDATE_GOLDENS=1` rewrites them.

use std::fs;
use std::path::Path;

fn assert_committed(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reference")
        .join(name);
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, made).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "{name} is out of date: run the tests with UPDATE_GOLDENS=1"
    );
}

#[test]
fn the_schema_is_current() {
    let text = serde_json::to_string_pretty(&fairtrial_spec::schema()).unwrap() + "\n";
    assert_committed("spec.schema.json", &text);
}

#[test]
fn the_reference_page_is_current() {
    assert_committed("spec.md", &fairtrial_spec::reference());
}

#[test]
fn every_property_has_a_description_and_tables_are_closed() {
    let schema = fairtrial_spec::schema();
    let definitions = schema["$defs"].as_object().unwrap();
    for (name, section) in definitions
        .iter()
        .map(|(n, s)| (n.as_str(), s))
        .chain([("spec", &schema)])
    {
        for (key, property) in section["properties"].as_object().unwrap() {
            assert!(
                property["description"]
                    .as_str()
                    .is_some_and(|text| text.len() > 3),
                "{name}.{key}"
            );
            if let Some(target) = property["$ref"].as_str() {
                assert!(
                    definitions.contains_key(target.trim_start_matches("#/$defs/")),
                    "{target}"
                );
            }
        }
        assert_eq!(
            section["additionalProperties"],
            serde_json::json!(name == "instrument"),
            "{name}"
        );
    }
}

#[test]
fn every_example_in_the_schema_passes_the_checker() {
    let schema = fairtrial_spec::schema();
    let mut tried = 0;
    for (section, place) in [("task", "tasks"), ("defaults", "defaults"), ("", "")] {
        let table = if section.is_empty() {
            &schema
        } else {
            &schema["$defs"][section]
        };
        for (key, property) in table["properties"].as_object().unwrap() {
            let Some(example) = property["examples"].get(0) else {
                continue;
            };
            let mut spec = match place {
                "tasks" => serde_json::json!({ "tasks": [{ key: example }] }),
                "defaults" => serde_json::json!({ "defaults": { key: example } }),
                _ => serde_json::json!({ key: example }),
            };
            if place == "defaults" {
                spec["tasks"] = serde_json::json!([{ "command": "true" }]);
            }
            let text = spec.to_string();
            let loaded = fairtrial_spec::load_text(
                "x.json",
                &text,
                fairtrial_spec::Format::Json,
                &<_>::default(),
            );
            // Shape problems name the key and what was expected; a lone key may lack its companions.
            let shape = loaded
                .diagnostics
                .iter()
                .find(|d| d.message.contains("expected") || d.message.contains("has no key"));
            assert!(shape.is_none(), "{text}: {shape:?}");
            tried += 1;
        }
    }
    assert!(tried > 50);
}
