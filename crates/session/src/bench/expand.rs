//! Every command with every combination of the parameters' values is a command of its own.

use super::command::BenchCommand;
use super::parameter::{BenchParameter, MOST_COMMANDS};
use super::question::{BenchQuestion, for_command};
use crate::error::SessionError;

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
        let BenchCommand { name, text, .. } = &question.commands[place];
        BenchCommand {
            name: name
                .as_ref()
                .map(|name| named(&filled(name, point), name, point)),
            text: filled(text, point),
            parameters: point.clone(),
        }
    });
    let commands: Vec<BenchCommand> = commands.collect();
    let list = |list: &[String]| -> Vec<String> {
        each()
            .filter_map(|(place, point)| Some(filled(for_command(list, place)?, point)))
            .collect()
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
    let values: Vec<String> = point
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{name} ({})", values.join(", "))
}

/// Every combination, the last parameter fastest.
fn points(parameters: &[BenchParameter]) -> Result<Vec<Vec<(String, String)>>, SessionError> {
    let mut points = vec![Vec::new()];
    for (place, BenchParameter { name, values }) in parameters.iter().enumerate() {
        if parameters[..place]
            .iter()
            .any(|before| before.name == *name)
        {
            let why = format!("the parameter `{name}` is given twice");
            return Err(SessionError::Input(why));
        }
        let longer = |point: &Vec<(String, String)>| {
            let point = point.clone();
            values
                .iter()
                .map(move |value| {
                    let mut point = point.clone();
                    point.push((name.clone(), value.clone()));
                    point
                })
                .collect::<Vec<_>>()
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
    use super::expanded;
    use crate::bench::command::BenchCommand;
    use crate::bench::parameter::BenchParameter;
    use crate::bench::question::BenchQuestion;

    #[test]
    fn every_combination_is_a_command_with_what_belongs_to_it() {
        let command =
            |name: Option<&str>, text: &str| BenchCommand::new(name.map(str::to_owned), text);
        let question = BenchQuestion {
            parameters: vec![
                BenchParameter::list("a", "1,2"),
                BenchParameter::list("b", "x,y"),
            ],
            prepare: vec!["make {b}".to_owned()],
            ..BenchQuestion::new(vec![
                command(None, "run {a} {b}"),
                command(Some("other"), "go {other}"),
            ])
        };
        let found = expanded(question).unwrap();
        let texts: Vec<&str> = found
            .commands
            .iter()
            .map(|command| command.text.as_str())
            .collect();
        assert_eq!(texts[..4], ["run 1 x", "run 1 y", "run 2 x", "run 2 y"]);
        assert_eq!(found.commands[5].name.as_deref(), Some("other (a=1, b=y)"));
        assert_eq!(found.commands[5].text, "go {other}");
        assert_eq!(found.prepare.len(), 8);
        assert_eq!(found.prepare[3], "make y");
    }
}
