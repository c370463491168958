//! Proof that tests ran. An exit code is none: code under test can end the runner with any. The proof is a result in a form
//! that machines read, written by the runner at its end, with a mark that only this run has.

use fairtrial_episode::read_own;
use roxmltree::{Document, Node};
use std::path::Path;

/// Bytes of a result.
const LARGEST: u64 = 64 << 20;

/// What a result says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Names of the tests that ran and passed.
    pub(super) passed: Vec<String>,
    /// How many did not pass.
    pub(super) failed: usize,
    /// How many were left out.
    pub(super) skipped: usize,
    /// The mark of the run.
    pub(super) mark: Option<String>,
}

impl Found {
    /// Why this is no proof that tests passed, where it is none.
    pub(super) fn lacks(&self, wanted: &[String]) -> Option<String> {
        if self.passed.is_empty() && self.failed == 0 {
            return Some("its result names no test that ran".to_owned());
        }
        let ran = |name: &str| {
            let is = |passed: &String| {
                let plain = passed.split('[').next().unwrap_or(passed);
                plain == name
            };
            self.passed.iter().any(is)
        };
        let missing = wanted.iter().find(|name| !ran(name));
        missing.map(|name| format!("its result does not have `{name}`"))
    }
}

/// Reads a file of `JUnit` results.
pub(super) fn junit(path: &Path) -> Result<Found, String> {
    let bytes = read_own(path, LARGEST).map_err(|_| "it left no result".to_owned())?;
    let text = String::from_utf8_lossy(&bytes);
    let document =
        Document::parse(&text).map_err(|error| format!("its result is broken: {error}"))?;
    let mut found = Found::default();
    for node in document.descendants() {
        if node.has_tag_name("testsuite") && found.mark.is_none() {
            found.mark = node.attribute("name").map(str::to_owned);
        }
        if !node.has_tag_name("testcase") {
            continue;
        }
        let has = |tag: &str| {
            node.children()
                .any(|child: Node<'_, '_>| child.has_tag_name(tag))
        };
        if has("failure") || has("error") {
            found.failed += 1;
        } else if has("skipped") {
            found.skipped += 1;
        } else {
            let name = node.attribute("name").unwrap_or_default();
            found.passed.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Reads lines of the Test Anything Protocol: a plan, and as many tests as it says.
pub(super) fn tap(output: &str) -> Result<Found, String> {
    let mut found = Found::default();
    let mut planned = None;
    let mut seen = 0;
    for line in output.lines().map(str::trim_end) {
        if let Some(plan) = line.strip_prefix("1..") {
            let count = plan.split_whitespace().next().unwrap_or_default();
            planned = count.parse::<usize>().ok();
            continue;
        }
        if line.starts_with("Bail out!") {
            return Err(format!("its result ends early: {line}"));
        }
        let (passed, rest) = match line.strip_prefix("not ok") {
            Some(rest) => (false, rest),
            None => match line.strip_prefix("ok") {
                Some(rest) => (true, rest),
                None => continue,
            },
        };
        if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
            continue;
        }
        seen += 1;
        let directive = rest
            .split('#')
            .nth(1)
            .unwrap_or_default()
            .trim()
            .to_lowercase();
        if directive.starts_with("skip") || directive.starts_with("todo") {
            found.skipped += 1;
        } else if passed {
            found.passed.push(rest.trim().to_owned());
        } else {
            found.failed += 1;
        }
    }
    match planned {
        None => Err("its output has no plan of tests (`1..N`)".to_owned()),
        Some(planned) if planned != seen => {
            Err(format!("its plan has {planned} tests, its output {seen}"))
        }
        Some(_) => Ok(found),
    }
}

/// What says that a test need not run or need not pass.
const OPTIONAL: [&str; 4] = ["skip", "xfail", "expectedFailure", "importorskip"];

/// The tests that a file of pytest's holds and that must run, as pytest finds them where nobody changed how: functions, and
/// methods of classes, whose names begin with `test`, but those that the file itself lets be left out or fail.
pub(super) fn pytest_names(content: &str) -> Vec<String> {
    let is_optional = |text: &str| OPTIONAL.iter().any(|word| text.contains(word));
    let mut names = Vec::new();
    let (mut in_tests, mut class_optional, mut in_marks, mut marked) = (false, false, false, false);
    for line in content.lines() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        if indent == 0 && is_optional(code) && !code.starts_with(['#', '@']) {
            // `pytestmark`, or a module that may be missing: nothing in the file must run.
            let of_all = code.starts_with("pytestmark") || code.contains("pytest.");
            if of_all && !code.starts_with("def ") && !code.starts_with("class ") {
                return Vec::new();
            }
        }
        if code.starts_with('@') && !in_marks {
            (in_marks, marked) = (true, false);
        }
        let function = code.strip_prefix("async ").unwrap_or(code);
        let begins = function.starts_with("def ") || code.starts_with("class ");
        if in_marks && !begins {
            marked |= is_optional(code);
            continue;
        }
        let is_marked = std::mem::take(&mut in_marks) && std::mem::take(&mut marked);
        if indent == 0 && !code.is_empty() && !code.starts_with(['#', ')']) {
            in_tests = code.starts_with("class Test");
            class_optional = in_tests && is_marked;
        }
        let Some(name) = function.strip_prefix("def ") else {
            // One that leaves itself out.
            if ["skip(", "skipTest(", "xfail("]
                .iter()
                .any(|call| code.contains(call))
            {
                names.pop();
            }
            continue;
        };
        let name: String = name
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let counts = indent == 0 || (in_tests && indent <= 4);
        let may_miss = is_marked || (class_optional && indent > 0);
        if counts && !may_miss && name.starts_with("test") {
            names.push(name);
        }
    }
    names
}

/// Whether a script hands its tests to pytest.
pub(super) fn calls_pytest(script: &str) -> bool {
    let code = script.lines().map(|line| {
        let line = line.trim_start();
        if line.starts_with('#') { "" } else { line }
    });
    let is_word = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
            .any(|word| word == "pytest" || word == "py.test")
    };
    code.into_iter().any(is_word)
}

#[cfg(test)]
mod tests {
    use super::{Found, calls_pytest, junit, pytest_names, tap};

    #[test]
    fn a_result_is_proof_only_of_what_it_names() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.xml");
        assert_eq!(junit(&path).unwrap_err(), "it left no result");
        std::fs::write(&path, "<testsuites><testsuite name=\"m\" tests=\"4\"><testcase name=\"test_a\"/><testcase name=\"test_b[1]\"/><testcase name=\"test_c\"><skipped/></testcase><testcase name=\"test_d\"><failure>x</failure></testcase></testsuite></testsuites>").unwrap();
        let found = junit(&path).unwrap();
        let wanted = Found {
            passed: vec!["test_a".into(), "test_b[1]".into()],
            failed: 1,
            skipped: 1,
            mark: Some("m".into()),
        };
        assert_eq!(found, wanted);
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(found.lacks(&names(&["test_a", "test_b"])), None);
        let lacks = found.lacks(&names(&["test_a", "test_e"])).unwrap();
        assert!(lacks.contains("`test_e`"));
        assert!(Found::default().lacks(&[]).is_some());
        std::fs::write(&path, "<testsuite").unwrap();
        assert!(
            junit(&path)
                .unwrap_err()
                .starts_with("its result is broken")
        );
    }

    #[test]
    fn tests_that_may_be_left_out_need_not_run() {
        let content = "import x\n\n@pytest.mark.xfail(\n    reason=\"r\",\n)\ndef test_a(): pass\n\n@mark\ndef test_b():\n    pass\n\n\
            def test_c():\n    if not x:\n        pytest.skip(\"no\")\n\n@unittest.skipIf(x, \"y\")\nclass TestD:\n    def test_d(self): pass\n\n\
            class TestE:\n    @pytest.mark.skipif(x)\n    def test_e(self): pass\n    def test_f(self): pass\n";
        assert_eq!(pytest_names(content), ["test_b", "test_f"]);
        let content = "x = pytest.importorskip(\"x\")\ndef test_a(): pass\n";
        assert_eq!(pytest_names(content), Vec::<String>::new());
        let content = "def test_skipping():\n    assert skips\n\ndef test_skip_2(): pass\n";
        assert_eq!(pytest_names(content), ["test_skipping", "test_skip_2"]);
    }

    #[test]
    fn a_plan_must_be_carried_out() {
        let good =
            tap("TAP version 13\n1..3\nok 1 - a\nok 2 # SKIP no\nnot ok 3 - c\nokay\n").unwrap();
        assert_eq!((good.passed.len(), good.skipped, good.failed), (1, 1, 1));
        assert!(tap("ok 1\n").unwrap_err().contains("no plan"));
        assert!(
            tap("1..2\nok 1\n")
                .unwrap_err()
                .contains("2 tests, its output 1")
        );
        assert!(tap("1..2\nok 1\nBail out! x\n").is_err());
    }

    #[test]
    fn the_tests_of_a_file_are_known_without_running_it() {
        let content = "import x\n\ndef helper():\n    def test_inner(): pass\n\n@mark\ndef test_a():\n    pass\n\nasync def test_b(x): pass\nclass TestC:\n    def test_d(self): pass\n    def other(self): pass\nclass Helper:\n    def test_no(self): pass\n";
        assert_eq!(pytest_names(content), ["test_a", "test_b", "test_d"]);
        for yes in ["python -m pytest x", "uvx pytest -q", "cd x && pytest"] {
            assert!(calls_pytest(yes), "{yes}");
        }
        for no in ["# pytest", "grep -q pytest_x f", "echo my-pytests"] {
            assert!(!calls_pytest(no), "{no}");
        }
    }
}
