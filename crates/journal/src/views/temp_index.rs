//! `rollouts/temp/rollout_<name>__<stamp>.json`: the index that the original tool leaves beside its runs. Its list of
//! directories is that of `runs.txt`, which was written just before.

use super::manifest::WrittenRows;
use crate::atomic::{Durability, parent, write_atomic};
use crate::error::{At, JournalError};
use crate::run_dir::RunDir;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};

/// Writes the index.
pub(super) fn write(
    run: &RunDir,
    rows: &WrittenRows,
    durability: Durability,
) -> Result<(), JournalError> {
    let path = run.temp_index();
    fs::create_dir_all(parent(&path)).at("create", parent(&path))?;
    let runs_txt = run.runs_txt();
    let runs = BufReader::new(File::open(&runs_txt).at("open", &runs_txt)?);
    write_atomic(&path, durability, |out| {
        let created_at = json(&run.stamp().to_string())?;
        let rollout_dir = json(&run.root().outward(&run.relative()))?;
        write!(
            out,
            "{{\n  \"created_at\": {created_at},\n  \"rollout_dir\": {rollout_dir},\n"
        )?;
        list(out, "runs", runs.lines())?;
        out.write_all(b",\n")?;
        list(out, "tasks", rows.task_dirs().map(|dir| Ok(dir.to_owned())))?;
        out.write_all(b"\n}\n")
    })
}

fn list(
    out: &mut impl Write,
    key: &str,
    items: impl Iterator<Item = io::Result<String>>,
) -> io::Result<()> {
    write!(out, "  {}: [", json(key)?)?;
    for (place, item) in items.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        write!(out, "{comma}\n    {}", json(&item?)?)?;
    }
    out.write_all(b"\n  ]")
}

fn json(text: &str) -> io::Result<String> {
    Ok(serde_json::to_string(text)?)
}
