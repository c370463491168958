//! The commands that are about agents, and that no command is forgotten.

use super::checks::{self, EVIL};
use super::{FILES, OUTPUTS, TOOLS, none, quoted, ran};
use crate::agents::lab::{Lab, meta};
use serde_json::json;

/// Commands that say nothing of what a trial, a task, a table or another tool wrote, or that another test is about.
const NOTHING_HOSTILE: [(&str, &str); 16] = [
    ("run", "all of the tests begin with it"),
    ("logs", "no_output_obeys_what_a_trial_says"),
    (
        "list experiments",
        "no_page_of_an_experiment_obeys_it runs one",
    ),
    ("list engines", "what is built in"),
    ("schema", "what is built in"),
    ("init", "what is built in"),
    ("demo", "a run of its own"),
    ("preset", "what is built in"),
    (
        "completions",
        "candidates.rs offers nothing that a shell obeys",
    ),
    ("self version", "what is built in"),
    ("task new", "writes what is typed"),
    ("watch", "its frame has tests of its own, the rest is `run`"),
    ("serve", "serve.rs, and serve_in_browser.rs in a browser"),
    (
        "cancel",
        "says the name of a run, and nothing that it wrote",
    ),
    ("bisect", "bisect.rs has a hostile commit"),
    (
        "reproduce",
        "reproduce.rs; what it prints is `run` and `compare`",
    ),
];

/// Of an agent whose task, rubric, words, scores and metrics are hostile.
const AGENTS: [&str; 9] = [
    "task check data/tasks/prepared/t",
    "summarize b --rollouts",
    "explain b --trial 0",
    "gate b",
    "report b --html r.html --md r.md",
    "export b --to harbor --output jobs",
    "eval b",
    "status b",
    "summarize b",
];

#[test]
fn what_an_agent_and_its_task_say_is_not_obeyed() {
    let lab = Lab::new();
    let project = &lab.project;
    let mut meta = meta("t");
    meta["metadata"]["title"] = EVIL.into();
    meta["lm"]["instructions"] = EVIL.into();
    for part in ["rubrics", "test_scripts"] {
        let parts = meta["evaluation"][part].as_array_mut().unwrap();
        parts.truncate(1);
    }
    meta["evaluation"]["rubrics"][0]["criterion"] = EVIL.into();
    meta["evaluation"]["test_scripts"][0]["content"] = "cat \"$WORDS\"; cat \"$WORDS\" >&2".into();
    lab.task("t", &meta);
    let words = project.path().join("words.txt").display().to_string();
    project.write("words.txt", &format!("{EVIL}\n```\n{EVIL}\n"));
    let said = json!({ "custom_metrics": { EVIL: 7 }, "rubrics": { "right": 0.5 }, "note": EVIL });
    project.write("said.json", &said.to_string());
    let script =
        format!("cat '{words}'; cp \"$(dirname '{words}')/said.json\" \"$FAIRTRIAL_EVALUATION\"\n");
    project.write("data/tasks/prepared/t/evaluate.sh", &script);
    lab.spec(&format!(
        "name = \"b\"\n[arms.control]\nx = 1\n[arms.candidate]\nx = 2\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 2\nsandbox = \"process\"\n\
         env = {{ WORDS = {} }}\nagent = {{ command = [\"sh\", \"-c\", 'cat \"$WORDS\"; cat \"$WORDS\" >&2; cp \"$WORDS\" answer.txt; exit 3'] }}\n",
        quoted(&words)
    ));
    let mut found = ran(project, "run configs/bench.toml -vv");
    for line in AGENTS {
        found.extend(ran(project, line));
    }
    // An unsound task and a gate of failed trials end with 3; the folder of the export is there the second time.
    found.retain(|it| !it.contains(": code 3:") && !it.contains("is there already"));
    found.extend(checks::html("r.html", &project.read("r.html")));
    found.extend(checks::markdown("r.md", &project.read("r.md")));
    let records = project.journal("b");
    let kept = |line: &serde_json::Value| line.to_string().contains("cmd|");
    assert!(
        records.iter().any(kept),
        "nothing hostile came as far as the journal: {records:?}"
    );
    none(&found);
}

/// The page of commands is made from the program itself: whoever adds one says here how it is read.
#[test]
fn no_command_is_forgotten() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/commands.md"
    );
    let page = std::fs::read_to_string(page).unwrap();
    let headings = page
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(" fairtrial "));
    let names: Vec<&str> = headings.collect();
    assert!(names.len() > 30, "{names:?}");
    let lines = OUTPUTS.iter().chain(&FILES).chain(&TOOLS).chain(&AGENTS);
    let lines: Vec<&str> = lines
        .copied()
        .chain(NOTHING_HOSTILE.map(|(name, _)| name))
        .collect();
    let is_read = |name: &str| {
        let mut lines = lines.iter();
        lines.any(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    // A group of commands is none itself.
    let is_group = |name: &str| {
        names
            .iter()
            .any(|other| other.starts_with(&format!("{name} ")))
    };
    let forgotten: Vec<&&str> = names
        .iter()
        .filter(|name| !is_read(name) && !is_group(name))
        .collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
}
