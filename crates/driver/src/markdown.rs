//! The Markdown page of a result: parameters, every metric with its spread, instruments, files, and what went wrong.

use crate::aggregate::{Aggregate, Described};
use crate::request::{DriveTask, DriveTrial};
use crate::result::{Ending, Status};
use fairtrial_model::{DURATION, WORKER_CLOCKS};
use fairtrial_text::escape::markdown;
use fairtrial_text::significant::significant;
use std::fmt::Write as _;

/// The page.
pub(crate) fn page(
    task: &DriveTask,
    trial: &DriveTrial,
    (ending, described): (&Ending, &Described),
    run_id: &str,
) -> String {
    let mut text = format!("# {} — {run_id}\n", task.experiment);
    let params = serde_json::to_string_pretty(&ending.params).unwrap_or_default();
    let _ = write!(text, "\n## Parameters\n```json\n{params}\n```\n");
    let _ = write!(
        text,
        "\n## Iterations\nWarmup: {}, Measured: {}, Seed: {}\n",
        ending.course.warmup, ending.course.measured, trial.key.seed
    );
    if ending.course.inner > 1 {
        let inner = ending.course.inner;
        let _ = writeln!(text, "\nEach is {inner} executions; times are of one.");
    }
    if let Some(trouble) = &ending.trouble {
        let word = if ending.status == Status::Ended {
            "Ended"
        } else {
            "Failed"
        };
        let kept = ending.samples.len();
        let _ = write!(
            text,
            "\n**{word}** in {} ({kept} samples are kept)\n",
            markdown(&trouble.words())
        );
    }
    metrics(&mut text, &described.metrics);
    instruments(&mut text, ending);
    let artifacts = ending.all_artifacts();
    if !artifacts.is_empty() {
        text.push_str("\n### Artifacts\n");
        for artifact in artifacts {
            let (name, kind) = (markdown(&artifact.name), markdown(&artifact.kind));
            let _ = writeln!(text, "- {} ({kind})", link(&name, &artifact.path));
        }
    }
    if !task.notes.is_empty() {
        let lines: Vec<String> = task.notes.lines().map(markdown).collect();
        let _ = write!(text, "\n### Notes\n{}\n", lines.join("\n"));
    }
    text
}

/// A link to a file of the result; a path that would not stay inside of one is written beside the name.
fn link(name: &str, path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if path.chars().all(plain) && !path.starts_with('/') {
        format!("[{name}]({path})")
    } else {
        format!("{name}: {}", markdown(path))
    }
}

fn figure(value: f64) -> String {
    significant(value, 6)
}

fn metrics(text: &mut String, all: &[(String, Aggregate)]) {
    if let Some((_, duration)) = all.iter().find(|(name, _)| name == DURATION) {
        let _ = write!(
            text,
            "\n### Duration\n- mean: {} s\n- p50: {} s\n- p95: {} s\n",
            figure(duration.mean),
            figure(duration.p50),
            figure(duration.p95)
        );
    }
    if all.is_empty() {
        return;
    }
    // Only where it says something: most experiments report every metric in every iteration.
    let gaps = all.iter().any(|(_, found)| found.dropped > 0);
    let (head, rule) = if gaps {
        (" no value |", "---:|")
    } else {
        ("", "")
    };
    let _ = write!(
        text,
        "\n### Metrics\n| metric | n |{head} mean | 95 % interval | sd | median | p95 | min | max |\n\
         |---|---:|{rule}---:|---|---:|---:|---:|---:|---:|\n"
    );
    let mut all: Vec<&(String, Aggregate)> = all.iter().collect();
    // The times first, then by name: the order in which an experiment reports its cases says nothing.
    let place = |name: &str| {
        WORKER_CLOCKS
            .iter()
            .position(|clock| *clock == name)
            .unwrap_or(WORKER_CLOCKS.len())
    };
    all.sort_by_key(|(name, _)| (place(name), name.as_str()));
    for (name, found) in all {
        let interval = found.ci95.map_or_else(String::new, |ci| {
            format!("{} to {}", figure(ci.low), figure(ci.high))
        });
        let dropped = if gaps {
            format!(" {} |", found.dropped)
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "| {} | {} |{dropped} {} | {interval} | {} | {} | {} | {} | {} |",
            markdown(name),
            found.n,
            figure(found.mean),
            found.sd.map_or_else(String::new, figure),
            figure(found.median),
            figure(found.p95),
            figure(found.min),
            figure(found.max)
        );
    }
}

fn instruments(text: &mut String, ending: &Ending) {
    if ending.findings.is_empty() {
        return;
    }
    text.push_str("\n### Instruments\n");
    for found in &ending.findings {
        let words = match &found.absent {
            Some(why) => format!("absent: {why}"),
            None => serde_json::to_string(&found.summary).unwrap_or_default(),
        };
        let _ = writeln!(text, "- {}: {}", markdown(&found.name), markdown(&words));
    }
}
