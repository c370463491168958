//! Tables of other tools (TOML, YAML, JSON) read with the readers of specs, as plain values.

use crate::diagnostic::Problems;
use crate::read::{Format, read};
use crate::source::Sources;
use serde_json::Value;

/// A text as a table of values; else what is wrong with it. Values that are not finite become text.
pub fn read_table(name: &str, text: &str, format: Format) -> Result<Value, String> {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut problems = Problems::default();
    let root = read(source, format, &sources, &mut problems);
    let problems = problems.finish(&sources);
    let errors = problems.iter().filter(|problem| problem.is_error());
    let said: Vec<String> = errors
        .map(|problem| format!("line {}: {}", problem.line(), problem.message))
        .collect();
    match root {
        Some(root) if said.is_empty() => Ok(root.to_param()),
        _ => Err(said.join("; ")),
    }
}
