//! Nothing that a trial, a task or a table says is obeyed: one hostile sentence goes in at every place, and every output of
//! every command is read as its reader would.

mod checks;
mod every;
mod folders;
mod values;

use crate::common::{Project, Ran};
use crate::experiments::python::{no_python, run};
use checks::{EVIL, NAME};
use serde_json::json;

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A run in which a task, an arm, a metric, a parameter, a unit, facts, notes, causes and logs are hostile.
fn project() -> Project {
    let (evil, name) = (quoted(EVIL), quoted(NAME));
    let spec = format!(
        r#"
name = "hostile"
seeds = [1, 2, 3, 4, 5, 6]
[[tasks]]
id = {name}
command = ["sh", "trial.sh", "{{shift}}"]
env = {{ WORD = {evil} }}
params = {{ word = {evil} }}

table = "main"
row = "{{arm}}"
[arms.control]
shift = 0
[arms.{name}]
shift = 5
[metrics.{evil}]
direction = "up"
unit = {evil}
[tables.main]
file = "main.csv"
[tables.main.columns]
{evil} = {evil}
"#
    );
    let project = Project::with_spec(&spec);
    let swept = format!(
        "name = 'swept'\nseeds = [1, 2, 3]\ncommand = ['sh', 'trial.sh', '2']\n[sweep]\n{evil} = [{evil}, 'plain']\n\
         [metrics.{evil}]\ndirection = 'up'\n"
    );
    project.write("sweep.toml", &swept);
    let line = json!({ EVIL: 1.5, "said": EVIL, "fairtrial.notes": EVIL });
    project.write("metrics.json", &format!("{line}\n").replace("1.5", "VALUE"));
    let cause = json!({ "fairtrial.cause": EVIL });
    project.write("cause.json", &format!("{cause}\n"));
    project.write(
        "evil.txt",
        &format!("{EVIL}\n```\n````\n@org-team {EVIL}\n"),
    );
    project.write(
        "trial.sh",
        "cat evil.txt; cat evil.txt >&2\n\
         if [ \"$FAIRTRIAL_SEED\" = 6 ]; then cat cause.json >> \"$FAIRTRIAL_METRICS\"; exit 1; fi\n\
         sed \"s/VALUE/$((FAIRTRIAL_SEED * FAIRTRIAL_SEED * ($1 + 3) % 11 + $1))/\" metrics.json >> \"$FAIRTRIAL_METRICS\"\n",
    );
    let episodes = format!(
        "name = 'episodes'\ncommand = 'true'\n[episode_files.eval]\nfile = 'out.csv'\n[metrics.{evil}]\n\
         from = 'episodes:eval'\nmean = 'step'\n"
    );
    project.write("episodes.toml", &episodes);
    project.write(&format!("{NAME}/out.csv"), "step,note\n1,a\n2,b\n");
    let table = csv(&[
        &["Name", EVIL, "Note"],
        &[NAME, "3", EVIL],
        &[EVIL, "4", "plain"],
    ]);
    project.write("main.csv", &table);
    project.write(
        "other.csv",
        &table
            .replace(",4,", ",5,")
            .replace("plain", "other\u{1b}[2J"),
    );
    let rows = (0..8).map(|row| {
        let arm = if row % 2 == 0 { "control" } else { EVIL };
        [
            EVIL.to_owned(),
            arm.to_owned(),
            row.to_string(),
            format!("{}", (row * 7) % 5),
        ]
    });
    let mut arms = vec![["task", "arm", "seed", EVIL].map(str::to_owned)];
    arms.extend(rows);
    project.write("arms.csv", &csv(&arms));
    let mut curves = vec![["run_id", "step", "overview/reward"].map(str::to_owned)];
    for (place, run) in [EVIL, "a", "b", "c"].iter().enumerate() {
        curves.extend((0..40).map(|step| {
            [
                (*run).to_owned(),
                step.to_string(),
                (place * step + place).to_string(),
            ]
        }));
    }
    project.write("curves.csv", &csv(&curves));
    project
}

fn csv<R: AsRef<[C]>, C: AsRef<[u8]>>(rows: &[R]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.as_ref()).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Commands that print, also as JSON.
pub(super) const OUTPUTS: [&str; 24] = [
    "check bench.toml",
    "plan bench.toml",
    "status hostile",
    "list",
    "summarize hostile",
    "compare hostile",
    "sweep swept",
    "power hostile --effect 1",
    "variance hostile:control --metric EVIL --output v.svg",
    "verify hostile",
    "register bench.toml --replace",
    "table update main.csv --from hostile --allow-part --dry-run",
    "table diff main.csv other.csv",
    "table check main.csv --spec bench.toml",
    "table blame main.csv",
    "table compare main.csv other.csv --spec bench.toml",
    "table render main.csv",
    "compare arms.csv --direction up",
    "gate hostile",
    "explain hostile --trial 0",
    "unpack hostile --all",
    "remeasure hostile",
    "history hostile",
    "sql select\t*\tfrom\tmetrics",
];

/// Commands that write files.
pub(super) const FILES: [&str; 13] = [
    "compare hostile --md c.md --csv c.csv",
    "gate hostile --md g.md --junit g.xml",
    "sweep swept --md s.md --output s.svg",
    "report hostile --html r.html --md r.md --charts charts",
    "report swept --html w.html --md w.md",
    "power hostile --effect 1 --output p.svg",
    "variance hostile:control --metric EVIL --output v.svg",
    "analyze --from curves.csv --control-run-ids EVIL a --candidate-run-ids b c --metric overview/reward --summary.type eval_last_n --output.csv_path a.csv",
    "table compare main.csv other.csv --spec bench.toml --md t.md",
    "table compare main.csv --from hostile --md f.md",
    "history hostile --md hi.md --svg hi.svg",
    "table render main.csv --output m.md",
    "table render main.csv --format html --output m.html",
];

/// Commands that read or write other tools' files, and the rest.
pub(super) const TOOLS: [&str; 21] = [
    "import h.json --name imported",
    "summarize imported",
    "compare imported",
    "summarize h.json",
    "compare h.json",
    "export hostile --to jsonl",
    "export hostile --to inspect-csv --output n.csv",
    "export hostile --to bmf",
    "export hostile --to github-action-benchmark",
    "export hostile --to hyperfine",
    "export hostile --to csv --output e.csv",
    "export hostile --to junit --output e.xml",
    "report imported --html i.html --md i.md",
    "bench -N -w 0 -r 3 -n EVIL -n b true true --export-csv b.csv --export-markdown b.md --export-json b.json",
    "table measure --spec episodes.toml ARM/out.csv",
    "wait hostile",
    "archive hostile",
    "doctor",
    "where",
    "gc",
    "list",
];

/// Words of a command line, which may hold tabs; EVIL and ARM stand for the hostile ones.
fn words(line: &str) -> Vec<String> {
    let word = |word: &str| word.replace("EVIL", EVIL).replace("ARM", NAME);
    line.split(' ').map(word).collect()
}

/// What is wrong with a command: it refuses its input, or what it says on a stream is not harmless.
fn ran(project: &Project, line: &str) -> Vec<String> {
    let words = words(line);
    let args: Vec<&str> = words.iter().map(String::as_str).collect();
    let plain = project.run(&args);
    let mut found = checks::terminal(line, &plain.err);
    if matches!(plain.code, 2 | 3 | 101..) {
        found.push(format!("- {line}: code {}: {}", plain.code, plain.err));
    }
    if args.contains(&"--json") {
        found.extend(checks::json(line, &plain.out));
        return found;
    }
    found.extend(checks::terminal(line, &plain.out));
    let mut painted = project.command(&args);
    let painted = Ran::from(painted.args(["--color", "always"]).output().unwrap());
    for stream in [&painted.out, &painted.err] {
        found.extend(checks::terminal(line, stream));
    }
    found
}

fn none(found: &[String]) {
    assert!(
        found.is_empty(),
        "{} findings:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// What an experiment says in its names, its artifacts, its parameters and its failure.
#[test]
fn no_page_of_an_experiment_obeys_it() {
    if no_python() {
        return;
    }
    let module = r"
import os
from fairtrial import Experiment, register_experiment

@register_experiment('mine')
class Mine(Experiment):
    def execute_once(self, context):
        path = os.path.join(context.run_dir, 'artifacts', 'a ](b).txt')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, 'w').close()
        context.artifact(EVIL, path, EVIL)
        if self.params['word'] == 'fail':
            raise ValueError(EVIL)
        return {EVIL: len(self.params['word']), 'said': EVIL}
";
    let project = Project::new();
    project.write("mine.py", &format!("EVIL = {}\n{module}", quoted(EVIL)));
    let spec = json!({
        "name": "mine", "experiment": "mine", "iterations": {"measured": 2}, "output_dir": "out", "retries": 0,
        "experiments": {"python": ["mine"]}, "notes": NAME, "params": {"word": [EVIL, "plain", "fail"]},
    });
    project.write(
        "bench.json",
        &fairtrial_text::escape::json(&spec.to_string()),
    );
    let ran = run(&project, &["run", "bench.json"]);
    assert_ne!(ran.code, 2, "{}", ran.err);
    let mut found = checks::terminal("run", &(ran.out + &ran.err));
    let mut pages = 0;
    let mut open = vec![project.path().join("out")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let read = || std::fs::read_to_string(&path).unwrap();
            match path.extension().and_then(std::ffi::OsStr::to_str) {
                _ if path.is_dir() => open.push(path),
                Some("md") => found.extend(checks::markdown(&name, &read())),
                Some("svg") => found.extend(checks::xml(&name, &read())),
                _ => continue,
            }
            pages += 1;
        }
    }
    assert!(pages > 4, "{pages} pages: {found:?}");
    none(&found);
}

#[test]
fn no_output_obeys_what_a_trial_says() {
    let project = project();
    let mut found = ran(&project, "run bench.toml");
    found.extend(ran(&project, "run sweep.toml -v"));
    found.extend(ran(&project, "run bench.toml -vv"));
    // The log itself is for whoever asks for it; a terminal is told no more than its colours.
    let log = project.run(&["logs", "hostile", "--trial", "0"]);
    none(&found);
    assert!(
        log.out.contains(EVIL.lines().next().unwrap()),
        "{}",
        log.out
    );
    for line in OUTPUTS {
        found.extend(ran(&project, line));
        found.extend(ran(&project, &format!("{line} --json")));
    }
    none(&found);
}

#[test]
fn no_file_obeys_what_a_trial_says() {
    let project = project();
    let mut found = ran(&project, "run bench.toml");
    found.extend(ran(&project, "run sweep.toml"));
    let run = project.newest_run("hostile");
    let summary = std::fs::read_to_string(run.join("summary.md")).unwrap();
    found.extend(checks::markdown("summary.md", &summary));
    for line in FILES {
        found.extend(ran(&project, line));
    }
    let charts = std::fs::read_dir(project.path().join("charts")).unwrap();
    let charts =
        charts.map(|entry| format!("charts/{}", entry.unwrap().file_name().to_string_lossy()));
    let files = "c.md c.csv g.md g.xml s.md s.svg r.html r.md w.html w.md p.svg v.svg a.csv t.md f.md m.md m.html";
    for name in files.split(' ').map(str::to_owned).chain(charts) {
        let Ok(text) = std::fs::read_to_string(project.path().join(&name)) else {
            found.push(format!("- {name} was not written"));
            continue;
        };
        found.extend(match name.rsplit('.').next() {
            Some("md") => checks::markdown(&name, &text),
            Some("csv") => checks::csv(&name, &text),
            Some("html") => checks::html(&name, &text),
            _ => checks::xml(&name, &text),
        });
    }
    none(&found);
}

#[test]
fn what_comes_from_other_tools_and_goes_to_them_is_not_obeyed() {
    let project = project();
    let times = [1.0, 1.25, 1.5, 1.125];
    let result = |command: &str| {
        json!({
            "command": command, "mean": 1.25, "stddev": 0.2, "median": 1.2, "user": 0.1, "system": 0.1, "min": 1.0,
            "max": 1.5, "times": times, "exit_codes": [0, 0, 0, 0], "parameters": { EVIL: EVIL },
        })
    };
    let results = json!({ "results": [result(EVIL), result("plain")] });
    project.write("h.json", &results.to_string());
    let mut found = ran(&project, "run bench.toml");
    for line in TOOLS {
        found.extend(ran(&project, line));
    }
    for name in ["i.md", "b.md"] {
        found.extend(checks::markdown(name, &project.read(name)));
    }
    for name in ["e.csv", "n.csv", "b.csv"] {
        found.extend(checks::csv(name, &project.read(name)));
    }
    found.extend(checks::html("i.html", &project.read("i.html")));
    found.extend(checks::xml("e.xml", &project.read("e.xml")));
    found.extend(checks::json("b.json", &project.read("b.json")));
    none(&found);
}
