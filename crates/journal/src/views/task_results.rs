//! `task_results/<task>.json`: what one task gave, its rows copied out of the manifest.

use super::task_rows::{MANIFEST_SCHEMA, TaskHead, TaskRows};
use crate::atomic::{Durability, write_atomic};
use crate::error::{At, JournalError};
use crate::event::OutcomeCounts;
use crate::run_dir::RunDir;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

#[derive(Serialize)]
struct Head<'a> {
    task: &'a str,
    schema: u32,
    counts: OutcomeCounts,
    arms: Vec<ArmHead<'a>>,
}

#[derive(Serialize)]
struct ArmHead<'a> {
    arm: Option<&'a str>,
    counts: OutcomeCounts,
}

/// Writes one file per task.
pub(super) fn write(
    run: &RunDir,
    tasks: Vec<TaskRows<'_>>,
    durability: Durability,
) -> Result<(), JournalError> {
    let manifest = run.manifest();
    let mut rows = BufReader::with_capacity(1 << 16, File::open(&manifest).at("open", &manifest)?);
    for task in tasks {
        let path = run.task_results().join(&task.file);
        write_atomic(&path, durability, |out| fill(&task, &mut rows, out))?;
    }
    Ok(())
}

fn fill(task: &TaskRows<'_>, rows: &mut BufReader<File>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&head(task.head)?)?;
    let mut row = Vec::new();
    let mut at = rows.stream_position()?;
    for (place, (offset, len)) in task.rows.iter().enumerate() {
        match i64::try_from(offset.wrapping_sub(at)) {
            // Rows of one task mostly stand close together: stay within the buffer.
            Ok(ahead) => rows.seek_relative(ahead)?,
            Err(_) => drop(rows.seek(SeekFrom::Start(*offset))?),
        }
        row.resize(*len as usize, 0);
        rows.read_exact(&mut row)?;
        at = offset + u64::from(*len);
        out.write_all(if place == 0 { b"\n    " } else { b",\n    " })?;
        out.write_all(&row)?;
    }
    out.write_all(b"\n  ]\n}\n")
}

fn head(task: &TaskHead) -> io::Result<Vec<u8>> {
    let mut counts = OutcomeCounts::default();
    for (_, of_arm) in &task.arms {
        counts.merge(of_arm);
    }
    let arms = task.arms.iter().map(|(arm, counts)| ArmHead {
        arm: arm.as_deref(),
        counts: *counts,
    });
    let head = Head {
        task: &task.task,
        schema: MANIFEST_SCHEMA,
        counts,
        arms: arms.collect(),
    };
    let mut text = serde_json::to_vec_pretty(&head)?;
    text.truncate(text.len() - "\n}".len());
    text.extend_from_slice(b",\n  \"trials\": [");
    Ok(text)
}
