//! What a rollout of an agent task left, for whoever reads why it scored as it did: its scores with the judge's reasons,
//! what the agent said and called, what it changed, and the end of its log.

use super::failures::{LogTail, tail};
use fairtrial_episode::open_regular;
use fairtrial_journal::FilesOfTrial;
use fairtrial_text::escape::terminal_removed;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Bytes of a file that are read, and lines and letters of a line that are shown.
const BYTES: u64 = 1 << 20;
const LINES: usize = 120;
const LETTERS: usize = 400;
/// Lines of one answer of a tool that are shown.
const ANSWER: usize = 6;
/// Where an agent's steps are kept: its own, and those of other harnesses in the same form (ATIF).
const STEPS: &str = "artifacts/trajectory.json";

/// The files of a trial that say how its agent did; nothing for any other trial.
pub(super) fn rollout_files(files: &FilesOfTrial) -> Vec<LogTail> {
    let scores = "scoring_results.md";
    let dir = files.dir();
    let Some(scored) = text(dir, scores) else {
        return Vec::new();
    };
    let steps = text(dir, STEPS).and_then(|text| steps(&text));
    let changes = "artifacts/diff.patch";
    let parts = [
        Some((scores, scored)),
        steps.map(|text| (STEPS, text)),
        text(dir, changes).map(|text| (changes, text)),
    ];
    let heads = parts.into_iter().flatten();
    heads
        .filter_map(|(file, text)| head(file, &text))
        .chain(tail(files, "logs/agent.log"))
        .collect()
}

fn text(dir: &Path, file: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let file = open_regular(&dir.join(file)).ok()?;
    file.take(BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first lines.
fn head(file: &str, text: &str) -> Option<LogTail> {
    let all = text.trim_end();
    let lines: Vec<String> = all.lines().take(LINES).map(short).collect();
    (!all.is_empty()).then(|| LogTail {
        file: file.to_owned(),
        more: all.lines().nth(LINES).is_some(),
        lines,
    })
}

fn short(line: &str) -> String {
    let clean = terminal_removed(line);
    match clean.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

/// The steps of an agent in lines; nothing where the file holds none in the form that is known.
fn steps(text: &str) -> Option<String> {
    let whole: Value = serde_json::from_str(text).ok()?;
    let steps = whole.get("steps")?.as_array()?;
    let mut lines = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let who = step.get("source").and_then(Value::as_str).unwrap_or("?");
        lines.push(format!("── step {}, {who}", place + 1));
        lines.extend(said(step.get("message"), usize::MAX));
        for call in step["tool_calls"].as_array().into_iter().flatten() {
            let name = call.get("function_name").and_then(Value::as_str);
            lines.push(format!(
                "→ {}: {}",
                name.unwrap_or("?"),
                arguments(&call["arguments"])
            ));
        }
        for answer in step["observation"]["results"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let answer = said(answer.get("content"), ANSWER);
            lines.extend(answer.into_iter().map(|line| format!("← {line}")));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a tool is called with: a command as it is, anything else as JSON.
fn arguments(of: &Value) -> String {
    let command = of.get("command").and_then(Value::as_str);
    command.map_or_else(|| of.to_string(), |command| command.replace('\n', "\n    "))
}

/// The first lines of a text, or of the texts of a message in parts.
fn said(content: Option<&Value>, most: usize) -> Vec<String> {
    let text = match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let mut lines: Vec<String> = text
        .trim_end()
        .lines()
        .take(most)
        .map(str::to_owned)
        .collect();
    let left = text.trim_end().lines().count().saturating_sub(lines.len());
    if left > 0 {
        lines.push(format!("… {left} more lines"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{FilesOfTrial, LINES, LogTail};
    use std::fs;

    fn rollout_files(dir: &std::path::Path) -> Vec<LogTail> {
        super::rollout_files(&FilesOfTrial::in_folder(dir))
    }

    #[test]
    fn a_rollout_is_read_down_to_what_its_agent_said() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("artifacts/diff.patch", &"+a line\n".repeat(LINES + 1));
        assert!(rollout_files(folder.path()).is_empty(), "it is no rollout");
        put("scoring_results.md", "- Total score: 50%\n");
        put("logs/agent.log", "done\n");
        put(
            "artifacts/trajectory.json",
            r#"{"steps": [{"source": "user", "message": "do it"},
            {"source": "agent", "message": [{"type": "text", "text": "I look"}],
             "tool_calls": [{"function_name": "shell", "arguments": {"command": "ls -l"}}],
             "observation": {"results": [{"content": "1\n2\n3\n4\n5\n6\n7\n8"}]}}]}"#,
        );
        let found = rollout_files(folder.path());
        let names: Vec<&str> = found.iter().map(|file| file.file.as_str()).collect();
        let whole = [
            "scoring_results.md",
            "artifacts/trajectory.json",
            "artifacts/diff.patch",
            "logs/agent.log",
        ];
        assert_eq!(names, whole);
        let steps = found[1].lines.join("\n");
        for part in [
            "── step 1, user\ndo it",
            "I look\n→ shell: ls -l\n← 1",
            "← … 2 more lines",
        ] {
            assert!(steps.contains(part), "{part}\n{steps}");
        }
        assert!(found[2].more && found[2].lines.len() == LINES);
        // What is in no known form is left where it is.
        put("artifacts/trajectory.json", "[1, 2]");
        assert_eq!(rollout_files(folder.path()).len(), 3);
    }
}
