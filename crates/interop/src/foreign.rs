//! From words that a user typed to executions with their parts in a design: the one way that every command takes.

use crate::collect::Collected;
use crate::error::InteropError;
use crate::format::Format;
use crate::formats::format_named;
use crate::locate::{Located, locate};
use crate::online::Online;
use crate::online::access::Access;
use crate::roles::{Given, RoleLine, Roles, Scope};
use fairtrial_model::Params;
use std::path::PathBuf;

/// What the user says about other tools' results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The format's name, where it is not to be told by content.
    pub format: Option<String>,
    /// Which fields have which part.
    pub given: Given,
}

impl Mapping {
    /// Whether nothing is said, so that the rules of each format decide.
    pub fn is_empty(&self) -> bool {
        let Given { arm, task, seed } = &self.given;
        [&self.format, arm, task, seed]
            .into_iter()
            .all(Option::is_none)
    }
}

/// Where results lie.
#[derive(Debug)]
pub enum Source {
    /// In files.
    Files(Located),
    /// On a server.
    Online(Online),
}

/// Results as they were found.
#[derive(Debug)]
pub struct Foreign {
    /// What the user called them.
    pub name: String,
    /// Where they lie.
    pub source: Source,
    /// Everything that was found.
    pub found: Collected,
    /// Which fields have which part.
    pub roles: Roles,
    /// The same with some of their values, as they are shown before use.
    pub lines: Vec<RoleLine>,
}

/// What was recognised, to be shown before use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// What the user called it.
    pub name: String,
    /// What it is.
    pub title: &'static str,
    /// The name that forces it.
    pub format: &'static str,
    /// How many executions it holds.
    pub executions: usize,
    /// Which fields have which part.
    pub roles: Vec<RoleLine>,
    /// What the readers say.
    pub notes: Vec<String>,
}

/// How results are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// What the user says about them.
    pub mapping: &'a Mapping,
    /// Whether they are all arms, or one side.
    pub scope: Scope,
    /// The way to servers.
    pub access: &'a Access,
}

impl Source {
    /// The source that words name, all of one format.
    pub fn of(words: &[String], mapping: &Mapping) -> Result<Self, InteropError> {
        let forced = mapping.format.as_deref().map(format_named).transpose()?;
        if let [word] = words
            && let Some(online) = Online::parse(word)
        {
            return online.map(Self::Online);
        }
        let paths: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
        locate(&paths, forced).map(Self::Files)
    }

    /// The format of what lies there.
    pub fn format(&self) -> Result<&'static dyn Format, InteropError> {
        match self {
            Self::Files(located) => Ok(located.format),
            Self::Online(online) => online.format(),
        }
    }

    /// The files and folders that are read.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let units = match self {
            Self::Files(located) => located.units.as_slice(),
            Self::Online(_) => &[],
        };
        units.iter().flat_map(|unit| &unit.paths)
    }
}

impl Foreign {
    /// Reads what lies at a place into what is given for it, and gives each field its part.
    pub fn read(
        name: &str,
        source: Source,
        into: Collected,
        reading: Reading<'_>,
    ) -> Result<Self, InteropError> {
        let mut found = match &source {
            Source::Files(located) => into.filled(located)?,
            Source::Online(online) => online.fill(into, reading.access)?,
        };
        found.close_points();
        let rules = source.format()?.rules();
        let given = &reading.mapping.given;
        // Of a tool that keeps its own past beside what is new, a side is what is new.
        if let (Scope::Side, Some((field, newest)), None) =
            (reading.scope, rules.newest, &given.arm)
        {
            let is_newest = |value: &serde_json::Value| Params::display(value) == newest;
            found.retain(|execution| execution.fields.get(field).is_none_or(is_newest));
        }
        let roles = Roles::guess(&rules, &found.executions, reading.scope, given)?;
        let without_arm = roles.without_arm(&found.executions);
        found.notes.extend(without_arm);
        Ok(Self {
            name: name.to_owned(),
            source,
            lines: roles.lines(&found.executions),
            found,
            roles,
        })
    }

    /// What is shown before use.
    pub fn recognised(&self) -> Result<Recognised, InteropError> {
        let format = self.source.format()?;
        Ok(Recognised {
            name: self.name.clone(),
            title: format.title(),
            format: format.name(),
            executions: self.found.executions.len(),
            roles: self.lines.clone(),
            notes: self.found.notes.clone(),
        })
    }
}
