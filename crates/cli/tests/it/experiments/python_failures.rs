//! Python experiments that fail, or report what is no number: told in the experiment's own words, and never hidden.

use super::python::{MODULE, expect, mine, no_python};
use super::results;

#[test]
fn iterations_without_a_value_are_told() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a}\n");
    let module = MODULE.replace(
        "{\"count\": self.count, \"odd\": float(\"nan\"),",
        "{**({\"some\": 1} if self.count % 2 else {}), \"odd\": float(\"inf\") if self.count == 4 else self.count, \"count\": 1,",
    );
    project.write("mine.py", &module);
    expect(&project, 0, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    assert_eq!(result["metrics"]["odd"]["dropped"], 1);
    assert_eq!(result["metrics"]["some"]["dropped"], 2);
    assert!(result["metrics"]["count"].get("dropped").is_none());
    let folder = std::fs::read_dir(project.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.join("README.md").exists());
    let page = std::fs::read_to_string(folder.unwrap().join("README.md")).unwrap();
    assert!(page.contains("| metric | n | no value | mean |"), "{page}");
    assert!(page.contains("| odd | 3 | 1 | "), "{page}");
    let record = project
        .journal("bench")
        .into_iter()
        .find(|line| line["event"] == "finished")
        .unwrap();
    let note =
        "some: 2 of 4 iterations have no finite value; odd: 1 of 4 iterations has no finite value";
    assert_eq!(record["notes"], serde_json::json!([note]), "{record}");
    assert!(record.get("facts").is_none(), "{record}");
}

#[test]
fn a_result_that_json_cannot_take_fails_its_iteration() {
    if no_python() {
        return;
    }
    let cases = [
        ("return {(1, 2): 3}", "TypeError: keys must be str"),
        (
            "d = {}; d[\"d\"] = d; return d",
            "ValueError: Circular reference detected",
        ),
        ("return {\"s\": \"\\udcff\"}", "UnicodeEncodeError: "),
        (
            "return []",
            "TypeError: execute_once returned list, not a dict",
        ),
        (
            "return 0",
            "TypeError: execute_once returned int, not a dict",
        ),
        (
            "return False",
            "TypeError: execute_once returned bool, not a dict",
        ),
        (
            "return {\"v\": 1 + 2j}",
            "TypeError: (1+2j) (complex) is no number that can be reported",
        ),
        (
            "return {\"v\": b\"abc\"}",
            "TypeError: b'abc' (bytes) is no number that can be reported",
        ),
        ("raise ValueError(\"half \\udcff\")", "ValueError: half ?"),
    ];
    for (body, words) in cases {
        let project = mine("params: {mode: a, fail_at: 2}\n");
        let module = MODULE.replace("raise ValueError(\"as told\")", body);
        project.write("mine.py", &module);
        expect(&project, 1, &["run", "bench.yaml"]);
        let result = &results(&project, "out")[0];
        let message = result["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(words), "{body}: {message}");
        assert_eq!(result["error"]["iteration"], 2, "{body}");
        assert_eq!(result["metrics"]["count"]["n"], 2, "{body}");
        assert!(project.path().join("torn-down").exists(), "{body}");
    }
}

#[test]
fn an_instrument_that_swallows_errors_hides_no_failure() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a, fail_at: 2}\ninstrumentation: [timing, marks]\n");
    let swallows = "    try:\n        yield\n    except BaseException:\n        pass\n";
    project.write("mine.py", &MODULE.replacen("    yield\n", swallows, 1));
    expect(&project, 1, &["run", "bench.yaml"]);
    let result = &results(&project, "out")[0];
    assert_eq!(result["error"]["message"], "ValueError: as told");
    assert_eq!(result["error"]["iteration"], 2);
    assert_eq!(result["metrics"]["count"]["n"], 2);
}

#[test]
fn records_have_the_experiments_own_words_and_what_is_not_named_is_counted() {
    if no_python() {
        return;
    }
    let project = mine("params: {mode: a, fail_at: [0, 1, 2, 3], other: [1, 2, 3]}\n");
    let module = MODULE.replace(
        "\"mode\": {",
        "\"other\": {\"type\": \"integer\"}, \"mode\": {",
    );
    project.write("mine.py", &module.replace("as told", "as\\ntold"));
    let said = expect(&project, 1, &["run", "bench.yaml"]).err;
    assert!(said.contains("and 2 more trials failed"), "{said}");
    let causes: Vec<_> = project
        .journal("bench")
        .into_iter()
        .filter(|line| line["event"] == "finished")
        .map(|line| line["cause"].clone())
        .collect();
    assert_eq!(causes.len(), 12);
    for cause in causes {
        let message = cause["message"].as_str().unwrap_or_default();
        assert!(
            message.starts_with("measured iteration ")
                && message.ends_with(": ValueError: as told"),
            "{cause}"
        );
    }
}
