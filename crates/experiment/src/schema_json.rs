//! The JSON form of a parameter schema: the part of JSON Schema that Python experiments write as `param_schema`.

use crate::schema::{Param, ParamSchema, ParamType};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

impl ParamSchema {
    /// Reads `{"properties": {name: {"type", "default", "minimum", "maximum", "enum", "items", "description"}},
    /// "required": [...], "additionalProperties": bool}`. A schema without properties allows anything.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        let Some(schema) = value.as_object() else {
            return Err("a parameter schema is a table".to_owned());
        };
        let none = Map::new();
        let properties = match schema.get("properties") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(properties)) => properties,
            Some(_) => return Err("`properties` of a parameter schema is a table".to_owned()),
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map_or_else(Vec::new, |names| {
                names.iter().filter_map(Value::as_str).collect()
            });
        let params = properties
            .iter()
            .map(|(name, property)| {
                let mut param = property_of(name, property)?;
                param.required = required.contains(&name.as_str()) && param.default.is_none();
                Ok(param)
            })
            .collect::<Result<Vec<_>, String>>()?;
        let open = schema
            .get("additionalProperties")
            .map_or(params.is_empty(), |more| *more != Value::Bool(false));
        Ok(Self { params, open })
    }

    /// The JSON form.
    pub fn to_json(&self) -> Value {
        let properties: Map<String, Value> = self
            .params
            .iter()
            .map(|param| (param.name.clone(), property_json(param)))
            .collect();
        let required: Vec<&str> = self
            .params
            .iter()
            .filter(|param| param.required)
            .map(|param| param.name.as_str())
            .collect();
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": self.open,
        })
    }
}

fn property_of(name: &str, property: &Value) -> Result<Param, String> {
    let text = |key| property.get(key).and_then(Value::as_str);
    let number = |key| property.get(key).and_then(Value::as_f64);
    let items = property.get("items");
    let bounds = items.unwrap_or(property);
    let bound = |key| number(key).or_else(|| bounds.get(key).and_then(Value::as_f64));
    let choices = property.get("enum").or_else(|| bounds.get("enum"));
    Ok(Param {
        name: name.to_owned(),
        doc: text("description").unwrap_or_default().to_owned(),
        ty: type_of(property).map_err(|word| format!("`{name}` has the unknown type `{word}`"))?,
        default: property.get("default").cloned(),
        required: false,
        min: bound("minimum"),
        max: bound("maximum"),
        choices: choices
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default(),
        nullable: property.get("nullable") == Some(&Value::Bool(true))
            || type_words(property).any(|word| word == NULL),
    })
}

/// The word for nothing among the types.
const NULL: &str = "null";

/// The words under `type`: one, or a list.
fn type_words(property: &Value) -> impl Iterator<Item = &str> {
    let given = property.get("type");
    let several = given.and_then(Value::as_array);
    let one = given.filter(|_| several.is_none());
    one.into_iter()
        .chain(several.into_iter().flatten())
        .filter_map(Value::as_str)
}

/// The type that a property names; Python's words are understood beside those of JSON Schema.
fn type_of(property: &Value) -> Result<ParamType, String> {
    let mut words = type_words(property).filter(|word| *word != NULL);
    // A value of several types is the experiment's to check.
    let (Some(word), None) = (words.next(), words.next()) else {
        return Ok(ParamType::Any);
    };
    Ok(match word {
        "integer" | "int" => ParamType::Whole,
        "number" | "float" => ParamType::Number,
        "string" | "str" => ParamType::Text,
        "boolean" | "bool" => ParamType::Bool,
        "object" | "dict" => ParamType::Table,
        "any" => ParamType::Any,
        "array" | "list" => {
            let item = property.get("items").map_or(Ok(ParamType::Any), type_of)?;
            ParamType::List(Box::new(item))
        }
        other => return Err(other.to_owned()),
    })
}

fn property_json(param: &Param) -> Value {
    let mut property = type_json(&param.ty);
    let Some(map) = property.as_object_mut() else {
        return property;
    };
    if !param.doc.is_empty() {
        map.insert("description".to_owned(), param.doc.as_str().into());
    }
    if let Some(default) = &param.default {
        map.insert("default".to_owned(), default.clone());
    }
    for (key, bound) in [("minimum", param.min), ("maximum", param.max)] {
        if let Some(bound) = bound {
            map.insert(key.to_owned(), bound.into());
        }
    }
    if param.nullable {
        map.insert("nullable".to_owned(), true.into());
    }
    if !param.choices.is_empty() {
        map.insert("enum".to_owned(), param.choices.clone().into());
    }
    property
}

fn type_json(ty: &ParamType) -> Value {
    match ty {
        ParamType::Whole => json!({"type": "integer"}),
        ParamType::Number => json!({"type": "number"}),
        ParamType::Text => json!({"type": "string"}),
        ParamType::Bool => json!({"type": "boolean"}),
        ParamType::Table => json!({"type": "object"}),
        ParamType::Any => json!({}),
        ParamType::List(item) => json!({"type": "array", "items": type_json(item)}),
    }
}

impl Serialize for ParamSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ParamSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Param, ParamSchema, ParamType};
    use serde_json::json;

    #[test]
    fn the_json_form_comes_back_as_it_was() {
        let schema = ParamSchema::of([
            Param::whole("n", 3).at_least(1.0).doc("How many"),
            Param::list("modes", ParamType::Text, ["a"]).one_of(["a", "b"]),
            Param::optional("free", ParamType::Any),
        ]);
        assert_eq!(ParamSchema::from_json(&schema.to_json()), Ok(schema));
    }

    #[test]
    fn the_words_of_python_are_understood() {
        let schema = ParamSchema::from_json(&json!({
            "properties": {"n": {"type": "int", "default": 3}, "s": {"type": "list", "items": {"type": "float", "minimum": 0}}},
            "required": ["s"],
        }));
        let schema = schema.unwrap();
        assert_eq!(schema.params[0].ty, ParamType::Whole);
        assert!(schema.params[1].required && schema.params[1].min == Some(0.0));
        assert!(!schema.open || schema.params.is_empty());
        let optional = ParamSchema::from_json(&json!({
            "properties": {"a": {"type": "int", "nullable": true}, "b": {"type": ["integer", "null"]}},
        }));
        let optional = optional.unwrap();
        for param in &optional.params {
            assert_eq!((&param.ty, param.nullable), (&ParamType::Whole, true));
            assert_eq!(param.fit(&json!(null)), Ok(json!(null)));
            assert!(param.fit(&json!("x")).is_err());
        }
        assert_eq!(ParamSchema::from_json(&optional.to_json()), Ok(optional));
        assert!(ParamSchema::from_json(&json!({})).unwrap().open);
        assert!(ParamSchema::from_json(&json!({"properties": {"n": {"type": "whole"}}})).is_err());
    }
}
