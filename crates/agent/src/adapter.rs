//! Agents: how each is started. What they leave in their logs is read by [`crate::usage`].

use crate::error::AgentError;
use crate::known_agents::known_agent;
use crate::rollout::request::RolloutTrial;
use crate::sandbox::contract::Room;
use fairtrial_model::Params;
use fairtrial_spec::{AgentChoice, Template};
use std::borrow::Cow;
use std::path::PathBuf;

/// The name of the built-in agent, in a spec.
pub(crate) const MINIMAL: &str = "minimal";

/// What an agent is told besides its task.
#[derive(Debug, Clone)]
pub struct Brief<'a> {
    /// Which model.
    pub model: &'a str,
    /// The agent and its limits.
    pub choice: &'a AgentChoice,
    /// Seconds it has.
    pub timeout_s: f64,
    /// The rollout: its place in the design, its attempt and its parameters.
    pub trial: &'a RolloutTrial,
    /// Where it finds its folders.
    pub inside: &'a Room,
}

/// A started agent is a command, possibly with its instructions on standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Whether the instructions are its standard input.
    pub reads_instructions: bool,
    /// Files of the user's home that hold its account, read-only, relative to the home.
    pub account_files: &'static [&'static str],
}

/// What an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Runs a command.
    Run(Invocation),
    /// Applies the reference solution.
    Solve,
    /// Nothing.
    Nothing,
    /// Asks a model what to do.
    Converse,
}

/// The name of the file with the instructions, in the task's folder.
pub const INSTRUCTION_FILE: &str = "instruction.md";

/// What the agent of a rollout does.
pub fn work(brief: &Brief<'_>) -> Result<Work, AgentError> {
    if let Some(agent) = known_agent(&brief.choice.name) {
        let own = |words: &[&str]| -> Result<Vec<String>, AgentError> {
            words.iter().map(|word| expand(word, brief)).collect()
        };
        let argv = [
            own(agent.argv)?,
            brief.choice.args.clone(),
            own(agent.last)?,
        ];
        return Ok(Work::Run(Invocation {
            argv: argv.concat(),
            reads_instructions: agent.reads_instructions,
            account_files: agent.account_files,
        }));
    }
    Ok(match brief.choice.name.as_str() {
        "oracle" => Work::Solve,
        "nop" => Work::Nothing,
        MINIMAL => Work::Converse,
        "command" => Work::Run(Invocation {
            argv: brief
                .choice
                .command
                .iter()
                .map(|word| expand(word, brief))
                .collect::<Result<_, _>>()?,
            reads_instructions: false,
            account_files: &[],
        }),
        other => {
            return Err(AgentError::Sandbox(format!(
                "there is no agent `{other}`; there are {}",
                fairtrial_spec::AGENTS.join(", ")
            )));
        }
    })
}

/// The program that an agent needs on this machine or in its image.
pub fn program(choice: &AgentChoice) -> Option<&str> {
    match choice.name.as_str() {
        "command" => choice.command.first().map(String::as_str),
        name => known_program(name),
    }
}

/// The program of an agent that we know how to start.
pub fn known_program(agent: &str) -> Option<&'static str> {
    known_agent(agent).map(|agent| agent.program)
}

/// The variables by which an agent reaches its provider; `*` at the end of a name stands for anything.
pub(crate) fn keys(agent: &str) -> &'static [&'static str] {
    known_agent(agent).map_or(&[], |agent| agent.keys)
}

/// A word of a command with what it stands for: the parameters of the trial, and the names of
/// [`fairtrial_spec::AGENT_PLACEHOLDERS`].
pub(crate) fn expand(word: &str, brief: &Brief<'_>) -> Result<String, AgentError> {
    let path = |path: PathBuf| Some(Cow::Owned(path.display().to_string()));
    let owned = |text: String| Some(Cow::Owned(text));
    let limit = |limit: Option<String>| owned(limit.unwrap_or_default());
    let value = |name: &str| {
        if name == "model" {
            return Some(Cow::Borrowed(brief.model));
        }
        if let Some(value) = brief.trial.params.get(name) {
            return owned(Params::display(value));
        }
        let key = &brief.trial.key;
        match name {
            "instruction_file" => path(brief.inside.inputs.join(INSTRUCTION_FILE)),
            "workspace" => path(brief.inside.workspace.clone()),
            "task_files" => path(brief.inside.inputs.clone()),
            "out" => path(brief.inside.out.clone()),
            "timeout" => owned(brief.timeout_s.to_string()),
            "max_tokens" => limit(brief.choice.max_tokens.map(|max| max.to_string())),
            "max_cost" => limit(brief.choice.max_cost.map(|max| max.to_string())),
            "seed" => owned(key.own_seed().to_string()),
            "rollout" => owned(key.rollout.to_string()),
            "task" => owned(key.task.clone()),
            "arm" => owned(key.arm.clone().unwrap_or_default()),
            "trial" => owned(brief.trial.name.clone()),
            "attempt" => owned(brief.trial.attempt.to_string()),
            _ => None,
        }
    };
    Template::parse(word)
        .expand(value)
        .map_err(|error| AgentError::Sandbox(format!("in `{word}`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{Brief, Work, work};
    use crate::known_agents::{KNOWN_AGENTS, MINI_TRAJECTORY};
    use crate::rollout::request::RolloutTrial;
    use crate::sandbox::Room;
    use fairtrial_spec::AgentChoice;
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt as _;

    fn words(name: &str, command: &[&str], args: &[&str]) -> Result<Vec<String>, String> {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let choice = AgentChoice {
            name: name.into(),
            command: list(command),
            args: list(args),
            max_tokens: None,
            max_cost: None,
            price: None,
            endpoint: None,
            max_steps: None,
        };
        let inside = Room {
            workspace: "/workspace".into(),
            inputs: "/task".into(),
            out: "/out".into(),
            home: "/home/agent".into(),
            tmp: "/tmp".into(),
            name: "x".into(),
        };
        let trial = RolloutTrial {
            name: "s-0".to_owned(),
            dir: "/run/s-0".into(),
            key: serde_json::from_value(json!({"index": 0, "task": "t", "arm": "a", "seed": 7}))
                .unwrap(),
            attempt: 2,
            params: [("effort".to_owned(), "high".into())].into_iter().collect(),
            scoring: None,
        };
        let brief = Brief {
            model: "gpt-5",
            choice: &choice,
            timeout_s: 60.0,
            trial: &trial,
            inside: &inside,
        };
        match work(&brief).map_err(|error| error.to_string())? {
            Work::Run(invocation) => Ok(invocation.argv),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn each_agent_is_told_its_model_and_a_command_whatever_it_asks_for() {
        let codex = words("codex", &[], &["--config", "x=1"]).unwrap();
        assert!(codex.ends_with(&["--config".into(), "x=1".into(), "-".into()]));
        assert!(codex.windows(2).any(|pair| pair == ["--model", "gpt-5"]));
        assert!(
            words("claude", &[], &[])
                .unwrap()
                .contains(&"gpt-5".to_owned())
        );
        let own = words(
            "command",
            &[
                "a",
                "{model}:{effort}",
                "{instruction_file}",
                "{seed}-{max_cost}",
                "{task}.{arm}.{trial}.{attempt}",
            ],
            &[],
        );
        assert_eq!(
            own.unwrap(),
            ["a", "gpt-5:high", "/task/instruction.md", "7-", "t.a.s-0.2"]
        );
        for name in fairtrial_spec::AGENT_PLACEHOLDERS {
            let word = format!("{{{name}}}");
            assert!(words("command", &[&word], &[]).is_ok(), "{name}");
        }
        assert!(
            words("command", &["{nobody}"], &[])
                .unwrap_err()
                .contains("nobody")
        );
        assert!(
            words("cursor", &[], &[])
                .unwrap_err()
                .contains("codex, claude, gemini")
        );
    }

    #[test]
    fn agents_of_the_command_line_get_model_task_and_own_arguments() {
        for agent in &KNOWN_AGENTS {
            assert!(fairtrial_spec::KNOWN_AGENTS.contains(&agent.name));
            let argv = words(agent.name, &[], &["--own"]).unwrap();
            let has = |word: &str| argv.iter().any(|said| said == word);
            assert!(has("gpt-5") && has("--own"), "{argv:?}");
            assert!(
                agent.reads_instructions || has("/task/instruction.md"),
                "{argv:?}"
            );
            assert!(
                !argv.iter().any(|word| word.contains("{model}")),
                "{argv:?}"
            );
        }
        assert_eq!(KNOWN_AGENTS.len(), fairtrial_spec::KNOWN_AGENTS.len());
        let mini = words("mini-swe-agent", &[], &[]).unwrap();
        assert!(mini.contains(&format!("/out/{MINI_TRAJECTORY}")));
    }

    /// What `sh` makes of the two that need it: a stand-in prints what it was given.
    #[test]
    fn a_task_with_quotes_and_dollars_arrives_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let task = "do `x` \"now\" for $HOME\nand 'more'";
        std::fs::write(path("instruction.md"), task).unwrap();
        for name in ["mini", "aider"] {
            std::fs::write(path(name), "#!/bin/sh\nprintf '%s|' \"$@\"\n").unwrap();
            std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        for (name, begins) in [
            ("mini-swe-agent", format!("--task|{task}|--yolo|")),
            ("aider", "--message-file|".to_owned()),
        ] {
            let argv: Vec<String> = words(name, &[], &["a b"])
                .unwrap()
                .iter()
                .map(|word| word.replace("/task/", &format!("{}/", dir.path().display())))
                .collect();
            let said = std::process::Command::new(&argv[0])
                .args(&argv[1..])
                .env("PATH", format!("{}:/usr/bin:/bin", dir.path().display()))
                .current_dir(dir.path())
                .output()
                .unwrap();
            let said = String::from_utf8(said.stdout).unwrap();
            assert!(said.starts_with(&begins), "{said}");
            assert!(
                said.contains("|gpt-5|") && said.ends_with("|a b|"),
                "{said}"
            );
        }
        let excluded = std::fs::read_to_string(path(".git/info/exclude")).unwrap();
        assert_eq!(excluded, ".aider*\n");
    }
}
