//! Files with settings for many tools, of which some sections are about tests: those are the task's, the rest is the agent's
//! to change.

use fairtrial_spec::{Format, read_table};
use serde_json::{Map, Value};

/// A file and what of it is about tests.
pub(super) struct Guarded {
    pub(super) file: &'static str,
    pub(super) part: Part,
}

/// What of a file is about tests.
pub(super) enum Part {
    /// Sections of an INI file by their heads; a head stands for all that begin with it.
    Sections(&'static [&'static str]),
    /// The same of a TOML file, and the tables that they make: a name may be written in many ways.
    Tables(&'static [&'static str], &'static [&'static [&'static str]]),
    /// Members of a JSON file.
    Members(&'static [&'static [&'static str]]),
}

/// Every such file.
pub(super) const ALL: [Guarded; 4] = [
    Guarded {
        file: "pyproject.toml",
        part: Part::Tables(
            &["[tool.pytest", "[tool.coverage", "[pytest"],
            &[&["tool", "pytest"], &["tool", "coverage"], &["pytest"]],
        ),
    },
    Guarded {
        file: "setup.cfg",
        part: Part::Sections(&["[tool:pytest", "[coverage:", "[aliases]"]),
    },
    Guarded {
        file: "tox.ini",
        part: Part::Sections(&["[pytest", "[tool:pytest"]),
    },
    Guarded {
        file: "package.json",
        part: Part::Members(&[
            &["scripts", "test"],
            &["scripts", "pretest"],
            &["scripts", "posttest"],
            &["jest"],
            &["mocha"],
            &["vitest"],
            &["ava"],
            &["nyc"],
            &["c8"],
        ]),
    },
];

/// A text with the guarded sections of another, or without them where the other has none; absent where they are the same.
pub(super) fn restored(now: &str, before: Option<&str>, guarded: &[&str]) -> Option<String> {
    let (rest, own) = split(now, guarded);
    let (_, wanted) = split(before.unwrap_or_default(), guarded);
    (own != wanted).then(|| format!("{rest}{wanted}"))
}

/// The same for TOML, whose tables must be those of the other text. Where the sections cannot be told from the rest, the
/// whole text is the other one.
pub(super) fn restored_tables(
    now: &str,
    before: Option<&str>,
    guarded: &[&str],
    tables: &[&[&str]],
) -> Option<String> {
    let read = |text: &str| read_table("settings", text, Format::Toml).ok();
    let of = |text: &str| {
        let all = read(text)?;
        let each = tables.iter().map(|path| at(&all, path).cloned());
        Some(each.collect::<Vec<_>>())
    };
    let wanted = of(before.unwrap_or_default());
    let mended = restored(now, before, guarded);
    if wanted.is_some() && of(mended.as_deref().unwrap_or(now)) == wanted {
        return mended;
    }
    let before = before.unwrap_or_default();
    (now != before).then(|| before.to_owned())
}

/// A JSON text with some members as they are in another; absent where they are the same.
pub(super) fn restored_members(
    now: &str,
    before: Option<&str>,
    members: &[&[&str]],
) -> Option<String> {
    let before: Value = serde_json::from_str(before?).ok()?;
    // What is no JSON is no settings of anybody.
    let mut now: Value = serde_json::from_str(now).ok()?;
    let mut is_mended = false;
    for path in members {
        let wanted = at(&before, path).cloned();
        if at(&now, path).cloned() != wanted {
            put(&mut now, path, wanted);
            is_mended = true;
        }
    }
    is_mended.then(|| format!("{now:#}\n"))
}

fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Puts a member into nested objects, or takes it out.
fn put(value: &mut Value, path: &[&str], member: Option<Value>) {
    let Some((key, rest)) = path.split_first() else {
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let Some(object) = value.as_object_mut() else {
        return;
    };
    match (rest, member) {
        ([], None) => {
            object.shift_remove(*key);
        }
        ([], Some(member)) => {
            object.insert((*key).to_owned(), member);
        }
        (rest, member) => put(object.entry(*key).or_insert(Value::Null), rest, member),
    }
}

/// What ends a line for those who read settings in Python.
const LINE_ENDS: [char; 10] = [
    '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// The text without its guarded sections, and those.
fn split(text: &str, guarded: &[&str]) -> (String, String) {
    let (mut rest, mut own) = (String::new(), String::new());
    let mut is_own = false;
    for line in text.split_inclusive(LINE_ENDS) {
        let head = line.trim_start();
        if head.starts_with('[') {
            let plain: String = head.chars().filter(|c| !c.is_whitespace()).collect();
            is_own = guarded.iter().any(|section| plain.starts_with(section));
        }
        let to = if is_own { &mut own } else { &mut rest };
        to.push_str(line);
        if !line.ends_with(LINE_ENDS) {
            to.push('\n');
        }
    }
    (rest, own)
}

#[cfg(test)]
mod tests {
    use super::{restored, restored_members, restored_tables};

    const HEADS: &[&str] = &["[tool.pytest"];
    const TABLES: &[&[&str]] = &[&["tool", "pytest"]];

    #[test]
    fn a_table_is_guarded_however_its_name_is_written() {
        let plain = "[project]\nname = \"x\"\n";
        for cheat in [
            "[\"tool\".pytest.ini_options]\naddopts = \"-p evil\"\n",
            "[tool.'pytest'.ini_options]\naddopts = \"-p evil\"\n",
            "[tool]\npytest = { ini_options = { addopts = \"-p evil\" } }\n",
            "[tool]\npytest.ini_options.addopts = \"-p evil\"\n",
            "[\"t\\u006fol\".pytest.ini_options]\naddopts = \"-p evil\"\n",
        ] {
            let now = format!("{plain}{cheat}");
            let mended = restored_tables(&now, Some(plain), HEADS, TABLES);
            assert_eq!(mended.as_deref(), Some(plain), "{cheat}");
            let mended = restored_tables(&now, None, HEADS, TABLES).unwrap();
            assert!(!mended.contains("evil"), "{mended}");
        }
        // A line in a text is no section; what cannot be read is nobody's.
        let text = "[project]\nname = \"\"\"\n[tool.pytest.ini_options]\n\"\"\"\n";
        assert_eq!(
            restored_tables(text, Some(plain), HEADS, TABLES).as_deref(),
            Some(plain)
        );
        let mended = restored_tables("[project", Some(plain), HEADS, TABLES);
        assert_eq!(mended.as_deref(), Some(plain));
        let more = format!("{plain}[tool.ruff]\nline-length = 90\n");
        assert_eq!(restored_tables(&more, Some(plain), HEADS, TABLES), None);
    }

    #[test]
    fn a_line_ends_where_python_ends_it() {
        for end in ["\u{c}", "\r", "\u{2028}"] {
            let now = format!("[x]\na = 1{end}[tool:pytest]\naddopts = -p evil\n");
            let mended = restored(&now, None, &["[tool:pytest"]).unwrap();
            assert_eq!(mended, format!("[x]\na = 1{end}"));
        }
    }

    #[test]
    fn the_scripts_of_a_package_that_test_it_are_the_tasks() {
        let members: &[&[&str]] = &[&["scripts", "test"], &["jest"]];
        let before = r#"{"name": "x", "scripts": {"test": "node test.js"}}"#;
        let more = r#"{"name": "y", "scripts": {"build": "b", "test": "node test.js"}}"#;
        assert_eq!(restored_members(more, Some(before), members), None);
        let cheat = r#"{"name": "y", "scripts": {"test": "true"}, "jest": {"testMatch": []}}"#;
        let mended = restored_members(cheat, Some(before), members).unwrap();
        assert!(
            mended.contains("node test.js") && mended.contains("\"y\""),
            "{mended}"
        );
        assert!(!mended.contains("jest"), "{mended}");
    }

    #[test]
    fn settings_of_tests_are_the_tasks_and_the_rest_is_the_agents() {
        let guarded = HEADS;
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
