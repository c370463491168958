//! `modal`: a command template that runs a command elsewhere. It is given the folders of the room and must bring
//! `{workspace}` and `{out}` back as the command left them.

use super::contract::{Confined, Env, Order, Room, Sandbox, find_program, fixed_room};
use crate::error::AgentError;
use fairtrial_spec::{SandboxChoice, SandboxKind, Template};
use std::borrow::Cow;

/// What names the account.
const CREDENTIALS: [&str; 2] = ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"];

pub(super) struct Elsewhere {
    command: Vec<String>,
}

pub(super) fn open(choice: &SandboxChoice) -> Result<Elsewhere, AgentError> {
    let Some(program) = choice.command.first() else {
        return Err(AgentError::Sandbox(
            "sandbox = \"modal\" needs the command that runs a command there: sandbox = { kind = \"modal\", command = \"my-modal-run --workspace {workspace} --task {inputs} --out {out} --home {home}\" }; see docs/guides/agents.md"
                .to_owned(),
        ));
    };
    if find_program(program).is_none() {
        return Err(AgentError::Sandbox(format!(
            "sandbox.command: program `{program}` is not found"
        )));
    }
    let config =
        std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".modal.toml"));
    let has_file = config.is_some_and(|file| file.is_file());
    if !has_file
        && CREDENTIALS
            .iter()
            .any(|name| std::env::var_os(name).is_none())
    {
        return Err(AgentError::Sandbox(
            "sandbox = \"modal\" has no credentials: set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run `modal token new`"
                .to_owned(),
        ));
    }
    Ok(Elsewhere {
        command: choice.command.clone(),
    })
}

impl Sandbox for Elsewhere {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Modal
    }

    fn inside(&self, room: &Room) -> Room {
        fixed_room(room)
    }

    fn confine(&self, room: &Room, order: &Order<'_>) -> Result<Confined, AgentError> {
        let value = |name: &str| {
            let path = match name {
                "workspace" => &room.workspace,
                "inputs" => &room.inputs,
                "out" => &room.out,
                "home" => &room.home,
                "name" => return Some(Cow::Owned(room.name.clone())),
                _ => return None,
            };
            Some(Cow::Owned(path.display().to_string()))
        };
        let fill = |word: &String| {
            Template::parse(word)
                .expand(value)
                .unwrap_or_else(|_| word.clone())
        };
        let mut words: Vec<String> = self.command.iter().map(fill).collect();
        words.push("--".to_owned());
        words.extend_from_slice(order.argv);
        let credentials = CREDENTIALS.into_iter().chain(["HOME", "PATH"]);
        let credentials = credentials.filter_map(|name| {
            let value = std::env::var(name).ok()?;
            Some((name.to_owned(), value))
        });
        let mut env: Env = credentials.collect();
        env.extend(order.env.clone());
        Ok(Confined {
            argv: words,
            env,
            workdir: room.workspace.clone(),
            files: Vec::new(),
            on_start: None,
            entrance: None,
        })
    }
}
