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
    refuse_unused(&question)?;
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
            name: named(name.as_deref(), text, point, &filled),
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

/// A name, or a command, that does not hold every parameter is told from the others by the values of those that it leaves
/// out; a command that holds all of them needs no name.
fn named(
    name: Option<&str>,
    text: &str,
    point: &[(String, String)],
    filled: &impl Fn(&str, &[(String, String)]) -> String,
) -> Option<String> {
    let base = name.unwrap_or(text);
    let values: Vec<String> = point
        .iter()
        .filter(|(parameter, _)| !holds(base, parameter))
        .map(|(parameter, value)| format!("{parameter}={value}"))
        .collect();
    let base = filled(base, point);
    match &values[..] {
        [] => name.map(|_| base),
        values => Some(format!("{base} ({})", values.join(", "))),
    }
}

fn holds(text: &str, parameter: &str) -> bool {
    text.contains(&format!("{{{parameter}}}"))
}

/// Refuses a parameter that changes nothing: its commands would be the same one, timed again and again.
fn refuse_unused(question: &BenchQuestion) -> Result<(), SessionError> {
    let BenchQuestion {
        setup,
        prepare,
        conclude,
        cleanup,
        ..
    } = question;
    let around = [setup, prepare, conclude, cleanup].into_iter().flatten();
    let commands = question.commands.iter().map(|command| &command.text);
    let texts: Vec<&String> = commands.chain(around).collect();
    let unused = |parameter: &&BenchParameter| !texts.iter().any(|it| holds(it, &parameter.name));
    question.parameters.iter().find(unused).map_or(Ok(()), |it| {
        let why = format!(
            "no command uses the parameter `{name}`; write `{{{name}}}` where its value belongs; nothing was run",
            name = it.name
        );
        Err(SessionError::Input(why))
    })
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
                command(None, "go {a}"),
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
        // What it leaves out stands elsewhere, as in a command that prepares.
        assert_eq!(found.commands[0].name, None);
        assert_eq!(found.commands[9].name.as_deref(), Some("go 1 (b=y)"));
        assert_eq!(found.prepare.len(), 12);
        assert_eq!(found.prepare[3], "make y");
    }

    #[test]
    fn a_parameter_that_changes_nothing_is_refused() {
        let question = BenchQuestion {
            parameters: vec![BenchParameter::list("size", "1,2")],
            ..BenchQuestion::new(vec![BenchCommand::new(None, "run {sice}")])
        };
        let why = expanded(question).unwrap_err().to_string();
        assert!(
            why.contains("no command uses the parameter `size`"),
            "{why}"
        );
    }
}
