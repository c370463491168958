//! Constraints on parameters: which combinations of a sweep make sense, as `fov_radius <= radius`.

use fairtrial_model::{ParamValue, Params};
use std::cmp::Ordering;

/// The grammar in a line, for messages.
pub const CONSTRAINT_GRAMMAR: &str = "write a condition over parameters, as `fov_radius <= radius`, with + - * / % \
    < <= > >= == != and, or, not, parentheses, numbers and 'texts'";

/// Deeper nesting than this is refused: evaluation recurses.
const DEEPEST: usize = 50;

/// A parsed constraint.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint(Expr);

/// Why a constraint is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConstraintError(String);

#[derive(Debug, Clone, PartialEq)]
enum Expr {
    Value(ParamValue),
    Name(String),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ],
];

/// The level of comparisons, which `not` stands before and which do not chain.
const COMPARISONS: usize = 2;

impl Constraint {
    /// Parses a constraint.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        let mut parser = Parser {
            rest: text.trim_start(),
            depth: 0,
        };
        let expr = parser.level(0)?;
        if parser.rest.is_empty() {
            Ok(Self(expr))
        } else {
            Err(parser.unexpected())
        }
    }

    /// The parameters that it speaks of.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.0.names(&mut names);
        names
    }

    /// Whether a trial's parameters satisfy it. What cannot be compared (a text with a number) does not.
    pub fn holds(&self, params: &Params) -> bool {
        self.0.eval(params).as_bool() == Some(true)
    }
}

impl Expr {
    fn names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Value(_) => {}
            Self::Name(name) => names.push(name),
            Self::Not(inner) | Self::Minus(inner) => inner.names(names),
            Self::Binary(_, left, right) => {
                left.names(names);
                right.names(names);
            }
        }
    }

    fn eval(&self, params: &Params) -> ParamValue {
        match self {
            Self::Value(value) => value.clone(),
            Self::Name(name) => params.get(name).cloned().unwrap_or_default(),
            Self::Not(inner) => match inner.eval(params) {
                ParamValue::Bool(truth) => (!truth).into(),
                _ => ParamValue::Null,
            },
            Self::Minus(inner) => inner.eval(params).as_f64().map(|number| -number).into(),
            Self::Binary(operator, left, right) => {
                operator.apply(&left.eval(params), &right.eval(params))
            }
        }
    }
}

impl Operator {
    fn apply(self, left: &ParamValue, right: &ParamValue) -> ParamValue {
        let truths = || Some((left.as_bool()?, right.as_bool()?));
        let numbers = || Some((left.as_f64()?, right.as_f64()?));
        let ordered =
            |holds: fn(Ordering) -> bool| ParamValue::from(order(left, right).is_some_and(holds));
        let number =
            |make: fn(f64, f64) -> f64| ParamValue::from(numbers().map(|(a, b)| make(a, b)));
        match self {
            Self::Or => truths().map(|(a, b)| a || b).into(),
            Self::And => truths().map(|(a, b)| a && b).into(),
            Self::Less => ordered(Ordering::is_lt),
            Self::LessOrEqual => ordered(Ordering::is_le),
            Self::Greater => ordered(Ordering::is_gt),
            Self::GreaterOrEqual => ordered(Ordering::is_ge),
            Self::Equal => equal(left, right).into(),
            Self::NotEqual => (!equal(left, right)).into(),
            Self::Add => number(|a, b| a + b),
            Self::Subtract => number(|a, b| a - b),
            Self::Multiply => number(|a, b| a * b),
            Self::Divide => number(|a, b| a / b),
            Self::Remainder => number(f64::rem_euclid),
        }
    }
}

fn order(left: &ParamValue, right: &ParamValue) -> Option<Ordering> {
    match (left, right) {
        (ParamValue::String(a), ParamValue::String(b)) => Some(a.cmp(b)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn equal(left: &ParamValue, right: &ParamValue) -> bool {
    order(left, right).map_or_else(|| left == right, Ordering::is_eq)
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    /// A chain of operators of one level, over operands of the next.
    fn level(&mut self, level: usize) -> Result<Expr, ConstraintError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.atom();
        };
        if level == COMPARISONS && self.word("not") {
            return self.deeper(|parser| Ok(Expr::Not(Box::new(parser.level(COMPARISONS)?))));
        }
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.level(level + 1)?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
            self.depth += 1;
            self.check_depth()?;
            if level == COMPARISONS {
                break;
            }
        }
        Ok(left)
    }

    fn operator(&mut self, among: &[(&str, Operator)]) -> Option<Operator> {
        let found = among.iter().find(|(sign, _)| match sign.as_bytes()[0] {
            b'a'..=b'z' => self.word(sign),
            _ => self.sign(sign),
        });
        found.map(|(_, operator)| *operator)
    }

    fn atom(&mut self) -> Result<Expr, ConstraintError> {
        if self.sign("(") {
            return self.deeper(|parser| {
                let inner = parser.level(0)?;
                if parser.sign(")") {
                    Ok(inner)
                } else {
                    Err(parser.unexpected())
                }
            });
        }
        if self.sign("-") {
            return self.deeper(|parser| Ok(Expr::Minus(Box::new(parser.atom()?))));
        }
        for quote in ['\'', '"'] {
            if let Some(after) = self.rest.strip_prefix(quote) {
                let Some((text, after)) = after.split_once(quote) else {
                    return Err(ConstraintError("a quotation mark is not closed".to_owned()));
                };
                self.rest = after.trim_start();
                return Ok(Expr::Value(text.into()));
            }
        }
        let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let end = self.rest.find(|c| !of_word(c)).unwrap_or(self.rest.len());
        let (word, after) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(self.unexpected());
        }
        self.rest = after.trim_start();
        Ok(match word {
            "true" => Expr::Value(true.into()),
            "false" => Expr::Value(false.into()),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let number: f64 = word
                    .parse()
                    .map_err(|_| ConstraintError(format!("`{word}` is no number")))?;
                Expr::Value(number.into())
            }
            _ => Expr::Name(word.to_owned()),
        })
    }

    fn deeper(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<Expr, ConstraintError>,
    ) -> Result<Expr, ConstraintError> {
        self.depth += 1;
        self.check_depth()?;
        parse(self)
    }

    fn check_depth(&self) -> Result<(), ConstraintError> {
        if self.depth > DEEPEST {
            return Err(ConstraintError("the constraint is too long".to_owned()));
        }
        Ok(())
    }

    fn sign(&mut self, sign: &str) -> bool {
        let after = self.rest.strip_prefix(sign);
        self.rest = after.map_or(self.rest, str::trim_start);
        after.is_some()
    }

    /// A word that is not the beginning of a longer one.
    fn word(&mut self, word: &str) -> bool {
        let after = self.rest.strip_prefix(word);
        let after =
            after.filter(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        self.rest = after.map_or(self.rest, str::trim_start);
        after.is_some()
    }

    fn unexpected(&self) -> ConstraintError {
        let near: String = self.rest.chars().take(20).collect();
        ConstraintError(if near.is_empty() {
            "it ends too early".to_owned()
        } else {
            format!("`{}` is not expected here", near.escape_debug())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Constraint;
    use fairtrial_model::Params;
    use serde_json::json;

    fn holds(text: &str) -> bool {
        let params: Params =
            serde_json::from_value(json!({"a": 2, "b": 3.0, "mode": "fast", "on": true})).unwrap();
        Constraint::parse(text).unwrap().holds(&params)
    }

    #[test]
    fn conditions_hold_or_not() {
        let cases = [
            ("a < b", true),
            ("a * 2 + 1 <= b", false),
            ("b - a == 1 and mode == 'fast'", true),
            ("mode != \"fast\" or not a > b", true),
            ("not (a < b or on)", false),
            ("b % a == 1", true),
            ("a == 2.0", true),
            ("-a < 0", true),
            ("on", true),
            ("mode < 3", false),
            ("android == 1", false),
        ];
        for (text, expected) in cases {
            assert_eq!(holds(text), expected, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "a <", "a < b <= 3", "(a", "a b", "'x", "1x", "a == ) b"] {
            assert!(Constraint::parse(text).is_err(), "{text}");
        }
        assert!(Constraint::parse(&"(".repeat(10_000)).is_err());
        assert!(Constraint::parse(&"not ".repeat(10_000)).is_err());
        assert!(Constraint::parse(&format!("a{}", "+a".repeat(10_000))).is_err());
    }
}
