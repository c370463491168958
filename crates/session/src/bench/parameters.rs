//! Parameters of a bench: every command with every combination of their values is a command of its own.

use super::command::BenchCommand;
use super::question::{BenchQuestion, for_command};
use crate::error::SessionError;
use serde::Serialize;

/// Commands that a bench may have: beyond it, it is no comparison any more.
const MOST_COMMANDS: usize = 1000;

/// A parameter and its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchParameter {
    /// Its name: `{name}` in a command stands for its value.
    pub name: String,
    /// Its values, as they are written into commands.
    pub values: Vec<String>,
}

impl BenchParameter {
    /// `a,b,c`; `\,` is a comma within a value.
    pub fn list(name: &str, values: &str) -> Self {
        let marked = values.replace("\\,", "\0");
        let values = marked.split(',').map(|value| value.replace('\0', ","));
        Self {
            name: name.to_owned(),
            values: values.collect(),
        }
    }

    /// From the least to the largest number in steps, both included.
    pub fn scan(name: &str, [least, most, step]: [&str; 3]) -> Result<Self, SessionError> {
        let refuse = |why: String| Err(SessionError::Input(why));
        let decimals = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
        let places = [least, most, step].map(decimals).into_iter().max().unwrap_or(0);
        let scale = 10f64.powi(i32::try_from(places).unwrap_or(0));
        // In units of the last decimal, so that 0.1 three times is 0.3.
        let units = |text: &str| text.trim().parse::<f64>().map(|value| (value * scale).round());
        let (Ok(from), Ok(to), Ok(by)) = (units(least), units(most), units(step)) else {
            return refuse(format!("`{name}` is scanned from `{least}` to `{most}` in steps of `{step}`: these must be numbers"));
        };
        if by <= 0.0 || to < from || !((to - from) / by).is_finite() {
            return refuse(format!("`{name}` cannot be scanned from {least} to {most} in steps of {step}"));
        }
        let count = ((to - from) / by).floor();
        if count >= MOST_COMMANDS as f64 {
            return refuse(format!("`{name}` would have more than {MOST_COMMANDS} values"));
        }
        let value = |place: u32| format!("{:.places$}", (from + by * f64::from(place)) / scale);
        Ok(Self {
            name: name.to_owned(),
            values: (0..=count as u32).map(value).collect(),
        })
    }
}

/// The question with each command once for every combination of values, and what belongs to it likewise.
pub(super) fn expanded(question: BenchQuestion) -> Result<BenchQuestion, SessionError> {
    if question.parameters.is_empty() {
        return Ok(question);
    }
    let points = points(&question.parameters)?;
    if points.len() * question.commands.len() > MOST_COMMANDS {
        let why = format!("there would be more than {MOST_COMMANDS} commands");
        return Err(SessionError::Input(why));
    }
    let filled = |text: &str, point: &[(String, String)]| {
        let mut text = text.to_owned();
        for (name, value) in point {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    };
    let each = || {
        let commands = 0..question.commands.len();
        let points = &points;
        commands.flat_map(move |place| points.iter().map(move |point| (place, point)))
    };
    let commands = each().map(|(place, point)| {
        let BenchCommand { name, text } = &question.commands[place];
        BenchCommand {
            name: name.as_ref().map(|name| named(&filled(name, point), name, point)),
            text: filled(text, point),
        }
    });
    let commands: Vec<BenchCommand> = commands.collect();
    let list = |list: &[String]| -> Vec<String> {
        let of = |(place, point)| Some(filled(for_command(list, place)?, point));
        each().filter_map(of).collect()
    };
    let [setup, prepare, conclude, cleanup] = [
        list(&question.setup),
        list(&question.prepare),
        list(&question.conclude),
        list(&question.cleanup),
    ];
    Ok(BenchQuestion {
        commands,
        setup,
        prepare,
        conclude,
        cleanup,
        ..question
    })
}

/// A name that holds no placeholder is told from the others by the values.
fn named(filled: &str, name: &str, point: &[(String, String)]) -> String {
    if filled != name {
        return filled.to_owned();
    }
    let values: Vec<String> = point.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{name} ({})", values.join(", "))
}

/// Every combination, the last parameter fastest.
fn points(parameters: &[BenchParameter]) -> Result<Vec<Vec<(String, String)>>, SessionError> {
    let mut points = vec![Vec::new()];
    for (place, BenchParameter { name, values }) in parameters.iter().enumerate() {
        if parameters[..place].iter().any(|before| before.name == *name) {
            let why = format!("the parameter `{name}` is given twice");
            return Err(SessionError::Input(why));
        }
        let longer = |point: &Vec<(String, String)>| {
            let point = point.clone();
            values.iter().map(move |value| {
                let mut point = point.clone();
                point.push((name.clone(), value.clone()));
                point
            }).collect::<Vec<_>>()
        };
        points = points.iter().flat_map(longer).collect();
        if points.len() > MOST_COMMANDS {
            let why = format!("the parameters have more than {MOST_COMMANDS} combinations");
            return Err(SessionError::Input(why));
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::{BenchParameter, expanded};
    use crate::bench::{BenchCommand, BenchQuestion};

    fn scan(range: [&str; 3]) -> Vec<String> {
        BenchParameter::scan("n", range).unwrap().values
    }

    #[test]
    fn a_scan_has_both_ends_and_the_decimals_that_were_typed() {
        assert_eq!(scan(["1", "4", "1"]), ["1", "2", "3", "4"]);
        assert_eq!(scan(["0.1", "0.4", "0.1"]), ["0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(scan(["0", "1", "0.5"]), ["0.0", "0.5", "1.0"]);
        assert_eq!(scan(["3", "3", "1"]), ["3"]);
        for range in [["1", "4", "0"], ["4", "1", "1"], ["a", "1", "1"], ["0", "1e9", "1"]] {
            assert!(BenchParameter::scan("n", range).is_err(), "{range:?}");
        }
    }

    #[test]
    fn a_list_may_hold_commas() {
        let found = BenchParameter::list("x", "a,b\\,c,");
        assert_eq!(found.values, ["a", "b,c", ""]);
    }

    #[test]
    fn every_combination_is_a_command_with_what_belongs_to_it() {
        let command = |name: Option<&str>, text: &str| BenchCommand {
            name: name.map(str::to_owned),
            text: text.to_owned(),
        };
        let question = BenchQuestion {
            parameters: vec![BenchParameter::list("a", "1,2"), BenchParameter::list("b", "x,y")],
            prepare: vec!["make {b}".to_owned()],
            ..BenchQuestion::new(vec![command(None, "run {a} {b}"), command(Some("other"), "go {other}")])
        };
        let found = expanded(question).unwrap();
        let texts: Vec<&str> = found.commands.iter().map(|command| command.text.as_str()).collect();
        assert_eq!(texts[..4], ["run 1 x", "run 1 y", "run 2 x", "run 2 y"]);
        assert_eq!(found.commands[5].name.as_deref(), Some("other (a=1, b=y)"));
        assert_eq!(found.commands[5].text, "go {other}");
        assert_eq!(found.prepare.len(), 8);
        assert_eq!(found.prepare[3], "make y");
    }
}
