//! Files with settings for many tools, of which some sections are about tests: those are the task's, the rest is the agent's
//! to change.

/// A file and the heads of its sections that are about tests; a head stands for all that begin with it.
pub(super) struct Guarded {
    pub(super) file: &'static str,
    pub(super) sections: &'static [&'static str],
}

/// Every such file.
pub(super) const ALL: [Guarded; 3] = [
    Guarded {
        file: "pyproject.toml",
        sections: &["[tool.pytest", "[tool.coverage", "[pytest"],
    },
    Guarded {
        file: "setup.cfg",
        sections: &["[tool:pytest", "[coverage:", "[aliases]"],
    },
    Guarded {
        file: "tox.ini",
        sections: &["[pytest", "[tool:pytest"],
    },
];

/// A text with the guarded sections of another, or without them where the other has none; absent where they are the same.
pub(super) fn restored(now: &str, before: Option<&str>, guarded: &[&str]) -> Option<String> {
    let (rest, own) = split(now, guarded);
    let (_, wanted) = split(before.unwrap_or_default(), guarded);
    (own != wanted).then(|| format!("{rest}{wanted}"))
}

/// The text without its guarded sections, and those.
fn split(text: &str, guarded: &[&str]) -> (String, String) {
    let (mut rest, mut own) = (String::new(), String::new());
    let mut is_own = false;
    for line in text.lines() {
        let head = line.trim_start();
        if head.starts_with('[') {
            let plain: String = head.chars().filter(|c| !c.is_whitespace()).collect();
            is_own = guarded.iter().any(|section| plain.starts_with(section));
        }
        let to = if is_own { &mut own } else { &mut rest };
        to.push_str(line);
        to.push('\n');
    }
    (rest, own)
}

#[cfg(test)]
mod tests {
    use super::{ALL, restored};

    #[test]
    fn settings_of_tests_are_the_tasks_and_the_rest_is_the_agents() {
        let guarded = ALL[0].sections;
        let before =
            "[project]\nname = \"x\"\n[tool.pytest.ini_options]\naddopts = \"-q\"\n[tool.ruff]\n";
        let own = "[project]\nname = \"x\"\ndependencies = [\"y\"]\n[tool.pytest.ini_options]\naddopts = \"-q\"\n[tool.ruff]\n";
        assert_eq!(restored(own, Some(before), guarded), None);
        let cheat = own.replace("-q", "--co");
        let mended = restored(&cheat, Some(before), guarded).unwrap();
        assert!(mended.contains("addopts = \"-q\"") && mended.contains("dependencies"));
        assert!(!mended.contains("--co"), "{mended}");
        let added = "[tool.x]\n[ tool . pytest.ini_options ]\naddopts = \"--co\"\n";
        assert_eq!(restored(added, None, guarded).unwrap(), "[tool.x]\n");
        let gone = "[project]\nname = \"x\"\n";
        assert!(
            restored(gone, Some(before), guarded)
                .unwrap()
                .contains("-q")
        );
    }
}
