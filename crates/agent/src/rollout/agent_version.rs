//! Which version of an agent's program worked, where it comes from an image: the machine's own programs are asked by the
//! run itself.

use super::driven::Drive;
use crate::error::{AgentError, At};
use crate::known_agents::known_agent;
use fairtrial_journal::{Durability, write_atomic_bytes};
use std::fs;

/// The fact with the version.
pub(super) const VERSION_FACT: &str = "agent_version";
/// More of a line than any program needs for its version.
const LONGEST: usize = 200;

impl Drive<'_> {
    /// What the program says of itself in a fresh container of the image, which no agent has touched. Each image is asked
    /// once in a run.
    pub(super) fn agent_version(&self) -> Result<Option<String>, AgentError> {
        let agent = known_agent(&self.options.agent.name);
        let (Some(agent), Some(image)) = (agent, self.sandbox.image()) else {
            return Ok(None);
        };
        let folder = self.shared.gates.with_file_name("versions");
        let file = folder.join(crate::short_hash(format!("{image} {}", agent.program)));
        if let Ok(known) = fs::read_to_string(&file) {
            return Ok(Some(known).filter(|known| !known.is_empty()));
        }
        let name = format!("{}-version", self.name());
        let said = self.sandbox.version_in_image(agent.program, &name);
        let said = said.unwrap_or_default();
        let line = said.lines().map(str::trim).find(|line| !line.is_empty());
        let line: String = line.unwrap_or_default().chars().take(LONGEST).collect();
        let line = self.redactor.redact(&line).into_owned();
        fs::create_dir_all(&folder).at("create", &folder)?;
        write_atomic_bytes(&file, Durability::Process, line.as_bytes())?;
        Ok(Some(line).filter(|line| !line.is_empty()))
    }
}
