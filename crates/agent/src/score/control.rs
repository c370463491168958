//! Files that decide how tests run: an agent that changes them changes its examination, not its work. What an agent did to
//! them is left out of the workspace in which tests run, unless the task allows it, and told.

use super::sections::{self, Guarded, Part};
use crate::error::{AgentError, At};
use crate::task::AgentTask;
use fairtrial_episode::read_own;
use fairtrial_text::glob::Glob;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Names of such files, wherever they stand.
const NAMES: [&str; 17] = [
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "sitecustomize",
    "sitecustomize.*",
    "usercustomize",
    "usercustomize.*",
    "*.pth",
    ".coveragerc",
    "jest.config.*",
    "vitest.config.*",
    ".mocharc.*",
    "karma.conf.*",
    "playwright.config.*",
    ".cargo/config.toml",
];
/// What would be taken for the runner of tests where it stands at the top of the workspace.
const AT_TOP: [&str; 10] = [
    "pytest",
    "pytest.*",
    "_pytest",
    "_pytest.*",
    "pluggy",
    "pluggy.*",
    "iniconfig",
    "iniconfig.*",
    "unittest",
    "unittest.*",
];
/// Bytes of a file with settings.
const SETTINGS: u64 = 4 << 20;

/// Which changes of an agent do not reach the tests.
pub(crate) struct Control<'a> {
    task: &'a AgentTask,
}

impl<'a> Control<'a> {
    pub(crate) fn of(task: &'a AgentTask) -> Self {
        Self { task }
    }

    /// Words for `git apply` that leave such changes out.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut all = |option: &str, pattern: &str| {
            words.push(format!("--{option}={pattern}"));
            words.push(format!("--{option}={pattern}/*"));
        };
        for pattern in &self.task.agent_may_change {
            all("include", pattern.trim_end_matches('/'));
        }
        for name in NAMES {
            all("exclude", name);
            all("exclude", &format!("*/{name}"));
        }
        for name in AT_TOP {
            all("exclude", name);
        }
        for pattern in &self.task.agent_may_not_change {
            all("exclude", pattern.trim_end_matches('/'));
        }
        for test in &self.task.tests {
            all("exclude", &test.path);
        }
        words.push("--include=*".to_owned());
        words
    }

    /// Whether a change of this path does not reach the tests.
    fn keeps_out(&self, path: &str) -> bool {
        let top = path.split('/').next().unwrap_or_default();
        let decides = NAMES.iter().any(|name| bears(path, name))
            || AT_TOP.iter().any(|name| bears(top, name))
            || named(&self.task.agent_may_not_change, path)
            || self.task.tests.iter().any(|test| test.path == path);
        decides && !self.is_allowed(path)
    }

    fn is_allowed(&self, path: &str) -> bool {
        named(&self.task.agent_may_change, path)
    }

    /// What of a diff does not reach the tests, in words: each path and what was done to it.
    pub(crate) fn changed(&self, diff: &str) -> Vec<String> {
        let all = changes(diff);
        let kept_out = all.iter().filter(|(path, _)| self.keeps_out(path));
        kept_out
            .map(|(path, how)| format!("{path} ({how})"))
            .collect()
    }

    /// Puts back the sections of settings files that are about tests; says which of them were changed.
    pub(super) fn restore_sections(
        &self,
        start: &Path,
        workspace: &Path,
    ) -> Result<Vec<String>, AgentError> {
        let mut restored = Vec::new();
        for Guarded { file, part } in sections::ALL {
            if self.is_allowed(file) {
                continue;
            }
            let path = workspace.join(file);
            let text = |path: &Path| {
                let bytes = read_own(path, SETTINGS).ok()?;
                String::from_utf8(bytes).ok()
            };
            let (Some(now), before) = (text(&path), text(&start.join(file))) else {
                continue;
            };
            let mended = match part {
                Part::Sections(heads) => sections::restored(&now, before.as_deref(), heads),
                Part::Tables(heads, tables) => {
                    sections::restored_tables(&now, before.as_deref(), heads, tables)
                }
                Part::Members(members) => {
                    sections::restored_members(&now, before.as_deref(), members)
                }
            };
            if let Some(mended) = mended {
                fs::write(&path, mended).at("write", &path)?;
                restored.push(format!("{file} (its settings of tests were changed)"));
            }
        }
        Ok(restored)
    }
}

/// Whether one of a task's patterns stands for a path.
fn named(patterns: &[String], path: &str) -> bool {
    let mut patterns = patterns.iter();
    patterns.any(|pattern| Glob::path(pattern).matches(path))
}

/// Whether a path, or a folder on its way, ends with a name, in which a `*` stands for anything.
fn bears(path: &str, name: &str) -> bool {
    let ends = path.match_indices('/').map(|(end, _)| end);
    ends.chain([path.len()])
        .any(|end| is_called(&path[..end], name))
}

fn is_called(path: &str, name: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    if let Some((start, end)) = name.split_once('*') {
        return last.starts_with(start) && last.ends_with(end);
    }
    let before = path.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The paths of a diff, and what was done to each.
fn changes(diff: &str) -> BTreeMap<String, &'static str> {
    let mut all = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in diff.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            current = names
                .rsplit_once(" b/")
                .or(names.rsplit_once(" \"b/"))
                .map(|(_, name)| name.trim_end_matches('"').to_owned());
            if let Some(path) = &current {
                all.insert(path.clone(), "changed");
            }
        } else if let Some(path) = &current {
            let how = match line {
                _ if line.starts_with("new file mode") => "added",
                _ if line.starts_with("deleted file mode") => "deleted",
                _ => continue,
            };
            all.insert(path.clone(), how);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::Control;
    use crate::task::{AgentTask, TestScript};

    const DIFF: &str = "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-1\n+2\n\
        diff --git a/conftest.py b/conftest.py\nnew file mode 100644\n\
        diff --git a/deep/pytest.ini b/deep/pytest.ini\ndeleted file mode 100644\n\
        diff --git a/pytest/__init__.py b/pytest/__init__.py\nnew file mode 100644\n\
        diff --git a/docs/pytest/x.md b/docs/pytest/x.md\nnew file mode 100644\n\
        diff --git a/sitecustomize/__init__.py b/sitecustomize/__init__.py\nnew file mode 100644\n\
        diff --git a/pluggy.so b/pluggy.so\nnew file mode 100644\n\
        diff --git a/Makefile b/Makefile\nindex 1..2 100644\n\
        diff --git a/tests/own.py b/tests/own.py\nindex 1..2 100644\n\
        diff --git \"a/odd\\303\\244/conftest.py\" \"b/odd\\303\\244/conftest.py\"\nnew file mode 100644\n";

    #[test]
    fn files_that_decide_how_tests_run_are_told_unless_the_task_allows_them() {
        let mut task = AgentTask {
            tests: vec![TestScript {
                path: "tests/own.py".into(),
                ..TestScript::default()
            }],
            agent_may_not_change: vec!["Makefile".into()],
            ..AgentTask::default()
        };
        let told = Control::of(&task).changed(DIFF);
        assert_eq!(
            told,
            [
                "Makefile (changed)",
                "conftest.py (added)",
                "deep/pytest.ini (deleted)",
                "odd\\303\\244/conftest.py (added)",
                "pluggy.so (added)",
                "pytest/__init__.py (added)",
                "sitecustomize/__init__.py (added)",
                "tests/own.py (changed)",
            ]
        );
        task.agent_may_change = [
            "conftest.py",
            "**/pytest.ini",
            "tests",
            "pluggy.so",
            "sitecustomize",
        ]
        .map(str::to_owned)
        .to_vec();
        let told = Control::of(&task).changed(DIFF);
        assert_eq!(
            told,
            [
                "Makefile (changed)",
                "odd\\303\\244/conftest.py (added)",
                "pytest/__init__.py (added)"
            ]
        );
    }
}
