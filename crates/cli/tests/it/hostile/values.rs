//! Values that would be more than values: references to variables, commands of a shell, secrets in other dress.

use crate::common::{Project, Ran};

#[test]
fn a_reference_in_a_parameter_is_not_looked_up() {
    let project = Project::with_spec(
        "name = 'b'\ncommand = ['sh', 'say.sh', '{word}', '${GREETING} {word}']\nenv = { SAID = '{word} ${GREETING}' }\n\
         params = { word = '${DB_PASSWORD}' }\n",
    );
    project.write("say.sh", "echo \"<$1> <$2> <$SAID>\"\n");
    let mut command = project.command(&["run", "bench.toml"]);
    command.envs([("DB_PASSWORD", "hunter22"), ("GREETING", "hello {seed}")]);
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let log = project.expect(0, &["logs", "b", "--trial", "0"]).out;
    let said = "<${DB_PASSWORD}> <hello {seed} ${DB_PASSWORD}> <${DB_PASSWORD} hello {seed}>\n";
    assert_eq!(log, said);
}

const SCRIPT: &str = "name = 'b'\nshell = true\ncommand = 'printf \"%s\\n\" WORD'\n[params]\nword = \"a'b; touch pwned $(touch pwned) \\\"\"\n";

#[test]
fn a_quoted_parameter_is_one_word_of_the_shell() {
    let project = Project::with_spec(&SCRIPT.replace("WORD", "{word:q}"));
    let checked = project.expect(0, &["check", "bench.toml"]);
    assert!(!checked.err.contains("not quoted"), "{}", checked.err);
    project.expect(0, &["run", "bench.toml"]);
    let log = project.expect(0, &["logs", "b", "--trial", "0"]).out;
    assert_eq!(log, "a'b; touch pwned $(touch pwned) \"\n");
    assert!(!project.path().join("pwned").exists());
}

#[test]
fn check_warns_of_a_parameter_that_a_shell_would_read() {
    let project = Project::with_spec(&SCRIPT.replace("WORD", "{word}"));
    let said = project.expect(0, &["check", "bench.toml"]).err;
    assert!(said.contains("warning: `{word}` is not quoted"), "{said}");
    assert!(said.contains("write `{word:q}`"), "{said}");
    // As a word of a list it is no part of a script; neither is a value that a shell takes as it is.
    for command in [
        "['echo', '{word}']",
        "['sh', '-c', 'echo $1', 'x', '{word}']",
    ] {
        let spec = SCRIPT
            .replace("shell = true\n", "")
            .replace("'printf \"%s\\n\" WORD'", command);
        let project = Project::with_spec(&spec);
        let said = project.expect(0, &["check", "bench.toml"]).err;
        assert!(!said.contains("not quoted"), "{said}");
    }
    let plain = SCRIPT
        .replace("WORD", "{word} {seed}")
        .replace("a'b; touch pwned $(touch pwned) \\\"", "adam-2");
    let said = Project::with_spec(&plain)
        .expect(0, &["check", "bench.toml"])
        .err;
    assert!(!said.contains("not quoted"), "{said}");
}

/// The forms of the secret `hunter/22 "x_y"`: base64 alone and in a header, in an address, in JSON.
const FORMS: [&str; 5] = [
    "hunter/22 \\\"x_y\\\"",
    "aHVudGVyLzIyICJ4X3ki",
    "Basic bWU6aHVudGVyLzIyICJ4X3ki",
    "https://me:hunter%2F22%20%22x_y%22@host",
    "hunter\\\\/22 \\\\\\\"x_y\\\\\\\"",
];

#[test]
fn a_secret_is_masked_in_every_dress_and_as_a_name() {
    let project = Project::with_spec("name = 'b'\ncommand = ['sh', 'say.sh']\n");
    let lines: Vec<String> = FORMS
        .iter()
        .enumerate()
        .map(|(n, form)| format!("{{\"m{n} {form}\": {n}, \"f{n} {form}\": \"{form}\", \"fairtrial.notes\": \"{form}\"}}"))
        .collect();
    project.write("lines.jsonl", &(lines.join("\n") + "\n"));
    project.write("say.sh", "cat lines.jsonl >> \"$FAIRTRIAL_METRICS\"\n");
    let mut command = project.command(&["run", "bench.toml"]);
    command.env("DB_PASSWORD", "hunter/22 \"x_y\"");
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = project.newest_run("b");
    for name in ["journal.jsonl", "manifest.json", "summary.md"] {
        let text = std::fs::read_to_string(run.join(name)).unwrap();
        for part in [
            "hunter",
            "aHVudGVy",
            "h1bnRlci",
            "odW50ZXIv",
            "x_y",
            "x\\_y",
        ] {
            assert!(!text.contains(part), "{part} in {name}: {text}");
        }
        assert!(
            text.contains("[redacted]") || name == "manifest.json",
            "{name}: {text}"
        );
    }
    // None is lost: numbers keep their places under their masked names.
    let record = &project.journal("b");
    let record = record
        .iter()
        .find_map(|line| line["metrics"].as_object().cloned());
    let record = record.or_else(|| {
        let journal = project.journal("b");
        journal
            .iter()
            .find_map(|line| line["record"]["metrics"].as_object().cloned())
    });
    assert_eq!(record.unwrap().len(), FORMS.len());
}

#[test]
fn a_secret_in_a_parameter_is_warned_about_and_not_shown() {
    let project = Project::with_spec(
        "name = 'b'\ncommand = ['true']\n[params]\nhunter22 = 'x'\nword = 'my hunter22'\n",
    );
    let mut command = project.command(&["check", "bench.toml"]);
    let said = Ran::from(command.env("DB_PASSWORD", "hunter22").output().unwrap());
    assert_eq!(said.code, 0, "{}", said.err);
    for held in [
        "`[redacted]` holds a secret",
        "`my [redacted]` holds a secret",
    ] {
        assert!(said.err.contains(held), "{}", said.err);
    }
    assert!(!said.err.contains("hunter22"), "{}", said.err);
}
