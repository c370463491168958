//! The parameters of an experiment: types, defaults, ranges and choices, checked before anything runs.

use fairtrial_text::excerpt::excerpt;
use serde_json::{Map, Value};

/// What kind of value a parameter takes.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamType {
    /// A whole number.
    Whole,
    /// Any finite number.
    Number,
    /// Text.
    Text,
    /// True or false.
    Bool,
    /// A list; a single value counts as a list of one, so that the parameter can be swept.
    List(Box<ParamType>),
    /// A table with free keys.
    Table,
    /// Any value.
    Any,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub doc: String,
    /// What it takes.
    pub ty: ParamType,
    /// Its value where the spec gives none; a parameter without one is required or stays absent.
    pub default: Option<Value>,
    /// Whether the spec must give it.
    pub required: bool,
    /// Smallest number (of each item, for a list).
    pub min: Option<f64>,
    /// Largest number (of each item, for a list).
    pub max: Option<f64>,
    /// The only values allowed (of each item, for a list); empty means any.
    pub choices: Vec<Value>,
    /// Whether it takes null beside them (`Optional[int]`).
    pub nullable: bool,
}

/// All parameters of an experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParamSchema {
    /// The parameters in the order they are shown.
    pub params: Vec<Param>,
    /// Whether further parameters are allowed.
    pub open: bool,
}

impl Param {
    fn new(name: &str, ty: ParamType, default: Option<Value>) -> Self {
        Self {
            name: name.to_owned(),
            doc: String::new(),
            ty,
            default,
            required: false,
            min: None,
            max: None,
            choices: Vec::new(),
            nullable: false,
        }
    }

    /// A whole number.
    pub fn whole(name: &str, default: i64) -> Self {
        Self::new(name, ParamType::Whole, Some(default.into()))
    }

    /// A number.
    pub fn number(name: &str, default: f64) -> Self {
        Self::new(name, ParamType::Number, Some(default.into()))
    }

    /// A text.
    pub fn text(name: &str, default: &str) -> Self {
        Self::new(name, ParamType::Text, Some(default.into()))
    }

    /// True or false.
    pub fn bool(name: &str, default: bool) -> Self {
        Self::new(name, ParamType::Bool, Some(default.into()))
    }

    /// A list of values of one type.
    pub fn list<V: Into<Value>>(
        name: &str,
        item: ParamType,
        default: impl IntoIterator<Item = V>,
    ) -> Self {
        let default: Value = default.into_iter().map(Into::into).collect();
        Self::new(name, ParamType::List(Box::new(item)), Some(default))
    }

    /// A table with free keys, empty by default.
    pub fn table(name: &str) -> Self {
        Self::new(name, ParamType::Table, Some(Value::Object(Map::new())))
    }

    /// A value of this type that has no default and may be left out.
    pub fn optional(name: &str, ty: ParamType) -> Self {
        Self::new(name, ty, None)
    }

    /// Says what it is for.
    #[must_use]
    pub fn doc(mut self, doc: &str) -> Self {
        doc.clone_into(&mut self.doc);
        self
    }

    /// Sets the smallest number.
    #[must_use]
    pub fn at_least(mut self, min: f64) -> Self {
        self.min = Some(min);
        self
    }

    /// Sets the largest number.
    #[must_use]
    pub fn at_most(mut self, max: f64) -> Self {
        self.max = Some(max);
        self
    }

    /// Sets the only values allowed.
    #[must_use]
    pub fn one_of<V: Into<Value>>(mut self, choices: impl IntoIterator<Item = V>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }

    /// Whether its own type is a list, so that a list in a spec is its value and not a sweep.
    pub fn is_list(&self) -> bool {
        matches!(self.ty, ParamType::List(_) | ParamType::Any)
    }

    /// The value in the parameter's own form (a single value becomes a list of one), or what is wrong with it.
    pub fn fit(&self, value: &Value) -> Result<Value, String> {
        match (&self.ty, value) {
            (_, Value::Null) if self.nullable => Ok(Value::Null),
            (ParamType::List(item), Value::Array(values)) => {
                for value in values {
                    self.check_one(item, value)?;
                }
                Ok(value.clone())
            }
            (ParamType::List(item), single) => {
                self.check_one(item, single)?;
                Ok(Value::Array(vec![single.clone()]))
            }
            (ty, value) => self.check_one(ty, value).map(|()| value.clone()),
        }
    }

    fn check_one(&self, ty: &ParamType, value: &Value) -> Result<(), String> {
        let right_kind = ty.takes(value);
        let in_range = value.as_f64().is_none_or(|number| {
            self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
        });
        let chosen = self.choices.is_empty() || self.choices.contains(value);
        if right_kind && in_range && chosen {
            return Ok(());
        }
        Err(format!(
            "expected {}, found {}",
            self.expected(ty),
            found(value)
        ))
    }

    /// What it takes, in words.
    pub fn expected(&self, ty: &ParamType) -> String {
        if !self.choices.is_empty() {
            let words: Vec<String> = self.choices.iter().map(plain).collect();
            return format!("one of {}", words.join(", "));
        }
        let kind = ty.words();
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{kind} from {min} to {max}"),
            (Some(min), None) => format!("{kind} of at least {min}"),
            (None, Some(max)) => format!("{kind} of at most {max}"),
            (None, None) => kind.to_owned(),
        }
    }
}

impl ParamType {
    /// Whether a value is of this kind.
    fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Whole => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            Self::Number => value.is_number(),
            Self::Text => value.is_string(),
            Self::Bool => value.is_boolean(),
            Self::List(item) => value
                .as_array()
                .is_some_and(|items| items.iter().all(|value| item.takes(value))),
            Self::Table => value.is_object(),
            Self::Any => true,
        }
    }

    /// The kind in words.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Bool => "true or false",
            Self::List(_) => "a list",
            Self::Table => "a table",
            Self::Any => "any value",
        }
    }
}

impl ParamSchema {
    /// A schema with these parameters and no others.
    pub fn of(params: impl IntoIterator<Item = Param>) -> Self {
        Self {
            params: params.into_iter().collect(),
            open: false,
        }
    }

    /// The parameter with this name.
    pub fn get(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// The names of all parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(|param| param.name.as_str())
    }

    /// The parameters with defaults filled in and every value in its own form, or everything that is wrong.
    pub fn complete(&self, given: &Map<String, Value>) -> Result<Map<String, Value>, Vec<String>> {
        let mut complete = Map::new();
        let mut wrong = Vec::new();
        for param in &self.params {
            match given.get(&param.name) {
                Some(value) => match param.fit(value) {
                    Ok(value) => drop(complete.insert(param.name.clone(), value)),
                    Err(message) => wrong.push(format!("`{}`: {message}", param.name)),
                },
                None if param.required => wrong.push(format!("`{}` is required", param.name)),
                None => {
                    if let Some(default) = &param.default {
                        complete.insert(param.name.clone(), default.clone());
                    }
                }
            }
        }
        for (name, value) in given {
            if self.get(name).is_some() {
                continue;
            }
            if self.open {
                complete.insert(name.clone(), value.clone());
            } else {
                wrong.push(format!("there is no parameter `{name}`"));
            }
        }
        if wrong.is_empty() {
            Ok(complete)
        } else {
            Err(wrong)
        }
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "nothing (null)".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        Value::String(text) => {
            format!("the text `{}`", excerpt(text, 40))
        }
        other => format!("`{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Param, ParamSchema, ParamType};
    use serde_json::{Value, json};

    fn schema() -> ParamSchema {
        ParamSchema::of([
            Param::whole("agents", 30).at_least(1.0).at_most(1000.0),
            Param::list("radii", ParamType::Whole, [5, 8]).at_least(1.0),
            Param::text("device", "cpu").one_of(["cpu", "gpu"]),
        ])
    }

    fn complete(given: Value) -> Result<Value, Vec<String>> {
        let Value::Object(given) = given else {
            unreachable!("the tests give objects")
        };
        schema().complete(&given).map(Value::Object)
    }

    #[test]
    fn defaults_are_filled_in_and_single_values_become_lists() {
        assert_eq!(
            complete(json!({"radii": 3})),
            Ok(json!({"agents": 30, "radii": [3], "device": "cpu"}))
        );
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let wrong = complete(json!({"agents": 0, "radii": ["x"], "device": "tpu", "agent": 3}));
        assert_eq!(
            wrong.unwrap_err(),
            [
                "`agents`: expected a whole number from 1 to 1000, found `0`",
                "`radii`: expected a whole number of at least 1, found the text `x`",
                "`device`: expected one of cpu, gpu, found the text `tpu`",
                "there is no parameter `agent`",
            ]
        );
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        assert!(complete(json!({"agents": 5.0})).is_ok());
        assert!(complete(json!({"agents": 5.5})).is_err());
    }
}
