//! The task file of a batch: what machine it wants, what travels to it, and what runs there.

use super::{HOME, Skypilot, run_in_data};
use crate::remote::contract::Batch;
use fairtrial_spec::SkypilotOptions;
use serde_json::Value;
use std::fmt::Write as _;

/// Where SkyPilot puts the working directory.
const WORKDIR: &str = "~/sky_workdir";

impl Skypilot {
    /// The task file of a batch.
    pub(super) fn yaml(&self, batch: &Batch) -> String {
        // JSON's strings are YAML's too, and need no thought about what is special.
        let text = |value: &str| Value::from(value).to_string();
        let mut yaml = format!("name: {}\nresources:\n", text(&batch.key));
        for (key, value) in self.resources(batch) {
            let _ = writeln!(yaml, "  {key}: {value}");
        }
        let _ = writeln!(
            yaml,
            "workdir: {}",
            text(&self.workdir.display().to_string())
        );
        yaml.push_str("file_mounts:\n");
        if self.options.program.is_none() {
            let from = self.program.display().to_string();
            let _ = writeln!(yaml, "  {HOME}/bin/fairtrial: {}", text(&from));
        }
        let stage = batch.file("stage").display().to_string();
        let _ = writeln!(yaml, "  {HOME}/data: {}", text(&stage));
        if let Some(store) = &self.options.store {
            let _ = writeln!(
                yaml,
                "  /fairtrial-store:\n    source: {}\n    mode: MOUNT",
                text(store)
            );
        }
        if let Some(setup) = &self.options.setup {
            let _ = writeln!(yaml, "setup: {}", text(setup));
        }
        let _ = writeln!(yaml, "run: {}", text(&self.run_lines(batch)));
        yaml
    }

    fn resources(&self, batch: &Batch) -> Vec<(&'static str, String)> {
        let SkypilotOptions {
            infra,
            cpus,
            memory,
            spot,
            image,
            disk_size,
            ..
        } = &self.options;
        let needs = &batch.needs;
        let text = |value: String| Value::from(value).to_string();
        let gigabytes = needs
            .memory_bytes
            .map(|bytes| format!("{}+", bytes.div_ceil(1 << 30)));
        let cores = needs.cpus.map(|cpus| format!("{cpus}+"));
        let mut all = vec![
            ("infra", infra.clone().map(text)),
            ("accelerators", self.options.gpus(needs.gpus).map(text)),
            ("cpus", cpus.clone().or(cores).map(text)),
            ("memory", memory.clone().or(gigabytes).map(text)),
            ("image_id", image.clone().map(text)),
            ("disk_size", disk_size.map(|size| size.to_string())),
        ];
        all.push(("use_spot", spot.then(|| "true".to_owned())));
        // A task without wishes still has the key, which may not be empty.
        if all.iter().all(|(_, value)| value.is_none()) {
            all.push(("use_spot", Some("false".to_owned())));
        }
        let named = all.into_iter();
        named
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }

    fn run_lines(&self, batch: &Batch) -> String {
        let own = format!("{HOME}/bin/fairtrial");
        let program = self.options.program.as_deref().unwrap_or(&own);
        let run = batch.plan.parent().map(run_in_data).unwrap_or_default();
        let mut lines = String::new();
        if self.options.program.is_none() {
            let _ = writeln!(lines, "chmod +x {own}");
        }
        let _ = writeln!(
            lines,
            "{program} exec --plan {HOME}/data/{run}/plan.json --chunk $((${{SKYPILOT_JOB_RANK:-0}} + {})) --base-dir {WORKDIR} --print-records",
            batch.chunks.start
        );
        if self.options.store.is_some() {
            let _ = writeln!(lines, "cp -r {HOME}/data/runs/. /fairtrial-store/");
        }
        lines
    }
}
