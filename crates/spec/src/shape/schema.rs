//! The JSON Schema of a spec, for editors and other tools.

use super::section::{Key, Keys, Presence, Section, Type};
use crate::shape::keys::ROOT;
use fairtrial_text::bytes::BYTES_FORM;
use fairtrial_text::duration::DURATION_FORM;
use serde_json::{Map, Value, json};

/// JSON Schema (draft 2020-12) of a spec. An editor applies it to TOML and YAML files as well as to JSON.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    let mut root = section_schema(&ROOT, &mut definitions);
    let head = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Fairtrial spec",
    });
    let mut whole = head.as_object().cloned().unwrap_or_default();
    if let Some(properties) = root.as_object_mut() {
        whole.append(properties);
    }
    whole.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(whole)
}

fn section_schema(section: &'static Section, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for key in section.all_keys() {
        properties.insert(key.name.to_owned(), key_schema(key, definitions));
        for alias in key.aliases {
            properties.insert((*alias).to_owned(), alias_schema(key, alias, definitions));
        }
    }
    let mut schema = json!({
        "type": "object",
        "description": section.doc,
        "properties": properties,
        "additionalProperties": section.open,
    });
    let required: Vec<&str> = section
        .all_keys()
        .filter(|key| key.presence == Presence::Required)
        .map(|key| key.name)
        .collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn key_schema(key: &Key, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = type_schema(&key.ty, definitions);
    if key.presence == Presence::Nullable {
        schema = json!({ "anyOf": [schema, { "type": "null" }] });
    }
    schema["description"] = Value::String(description(key));
    // Only a default that is itself a value can stand in a schema; the others are told in words.
    if let Some(default) = default_value(key) {
        schema["default"] = default;
    }
    if let Ok(example) = serde_json::from_str::<Value>(key.example) {
        schema["examples"] = json!([example]);
    }
    schema
}

fn alias_schema(key: &Key, alias: &str, definitions: &mut Map<String, Value>) -> Value {
    if alias == "seed" {
        let text = "One seed: short for `seeds = [N]`.";
        return json!({ "type": ["integer", "null"], "minimum": 0, "description": text, "examples": [42] });
    }
    let mut schema = key_schema(key, definitions);
    schema["description"] =
        Value::String(format!("The same as `{}`. {}", key.name, description(key)));
    schema
}

fn description(key: &Key) -> String {
    match key.default {
        "" => key.doc.to_owned(),
        default => format!("{} Default: {default}.", key.doc),
    }
}

fn default_value(key: &Key) -> Option<Value> {
    let parsed = serde_json::from_str(key.default).ok();
    parsed.or_else(|| match &key.ty {
        Type::Word(words) if words.contains(&key.default) => Some(json!(key.default)),
        _ => None,
    })
}

fn type_schema(ty: &Type, definitions: &mut Map<String, Value>) -> Value {
    match ty {
        Type::Text => json!({ "type": "string" }),
        Type::FilledText => json!({ "type": "string", "minLength": 1 }),
        Type::Name => json!({ "type": "string", "pattern": r"^[^/\\]+$" }),
        Type::PlainName => json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]+$" }),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Whole(min, u64::MAX) => json!({ "type": "integer", "minimum": min }),
        Type::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Type::Number(min) if min.is_finite() => json!({ "type": "number", "minimum": min }),
        Type::Number(_) => json!({ "type": "number" }),
        Type::OpenFraction => {
            json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
        }
        Type::Fraction => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
        Type::Duration(_) => measure(
            DURATION_FORM,
            r"^[0-9.]+\s*[A-Za-z]*(\s*[0-9.]+\s*[A-Za-z]+)*$",
        ),
        Type::Bytes => measure(BYTES_FORM, r"^[0-9][0-9._]*\s*[A-Za-z]*$"),
        Type::Margin => measure("a number or a share like \"2%\"", r"^[0-9.eE+-]+\s*%?$"),
        Type::Tolerance => measure(
            "`exact`, a share like \"1%\", or a number",
            r"^\s*(exact|[0-9.eE+-]+\s*%?)\s*$",
        ),
        Type::Word(words) => json!({ "enum": words }),
        Type::VariablePattern => {
            json!({ "type": "string", "pattern": r"^[^=*]*\*?$", "minLength": 1 })
        }
        Type::Amount => measure(
            "a number above 0, `+` behind it for at least",
            r"^[0-9.]+\+?$",
        ),
        Type::Scalar => json!({ "type": ["string", "number", "boolean"] }),
        Type::Any => json!({}),
        Type::Sweep => json!({
            "type": "object",
            "properties": {
                "strategy": { "anyOf": [{ "enum": ["cartesian", "zip", "random"] }, { "type": "array", "minItems": 1 }] },
                "samples": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "array", "minItems": 1 }] },
            },
            "additionalProperties": { "type": "array", "minItems": 1, "uniqueItems": true },
        }),
        Type::List(inner, least) => {
            json!({ "type": "array", "items": type_schema(inner, definitions), "minItems": least })
        }
        Type::Map(inner, keys) => map_schema(&type_schema(inner, definitions), *keys),
        Type::Section(section) => reference_to(section, definitions),
        Type::Either(types) => {
            let all: Vec<Value> = types
                .iter()
                .map(|ty| type_schema(ty, definitions))
                .collect();
            json!({ "anyOf": all })
        }
    }
}

fn measure(form: &str, pattern: &str) -> Value {
    json!({ "description": form, "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": pattern }] })
}

fn map_schema(inner: &Value, keys: Keys) -> Value {
    let pattern = match keys {
        Keys::Free => "^.+$",
        Keys::Names => r"^[^/\\]+$",
        Keys::Variables => "^[^=]+$",
    };
    json!({ "type": "object", "propertyNames": { "pattern": pattern }, "additionalProperties": inner })
}

fn reference_to(section: &'static Section, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(section.name) {
        // The placeholder ends the recursion should a section ever contain itself.
        definitions.insert(section.name.to_owned(), Value::Null);
        let schema = section_schema(section, definitions);
        definitions.insert(section.name.to_owned(), schema);
    }
    json!({ "$ref": format!("#/$defs/{}", section.name) })
}
