//! Other tools' results: in place, imported, and given back.

use crate::common::{Project, Ran};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A genuine file or folder of another tool.
pub fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/tests/fixtures");
    let path: PathBuf = path.join(name);
    assert!(path.exists(), "no fixture {name}");
    path.display().to_string()
}

/// What hyperfine writes for one command.
fn hyperfine(times: &[f64]) -> String {
    let codes = vec![0; times.len()];
    json!({"results": [{"command": "sort big.txt", "mean": 1.0, "times": times, "exit_codes": codes}]})
        .to_string()
}

const SLOW: [f64; 8] = [1.02, 1.05, 0.99, 1.01, 1.04, 1.03, 0.98, 1.0];
const FAST: [f64; 8] = [0.71, 0.69, 0.72, 0.7, 0.68, 0.73, 0.7, 0.71];

fn csv(times: &[f64]) -> String {
    let rows = times.iter().map(|time| format!("sort big.txt,{time}\n"));
    format!("task,time\n{}", rows.collect::<String>())
}

/// The verdicts and intervals of a comparison, metric by metric.
pub fn verdicts(ran: &Ran) -> Value {
    let all = ran.json();
    let contrasts = all["contrasts"].as_array().unwrap();
    let picked = contrasts.iter().map(|contrast| {
        let metrics = contrast["metrics"].as_array().unwrap().iter();
        let metrics = metrics.map(|metric| {
            json!({
                "metric": metric["metric"],
                "word": metric["verdict"]["word"],
                "effect": metric["effect"],
                "count": metric["count"],
            })
        });
        metrics.collect::<Vec<_>>()
    });
    json!(picked.collect::<Vec<_>>())
}

#[test]
fn the_verdict_on_a_tools_samples_is_that_on_the_same_samples_as_csv() {
    let project = Project::new();
    project.write("old.json", &hyperfine(&SLOW));
    project.write("new.json", &hyperfine(&FAST));
    project.write("old.csv", &csv(&SLOW));
    project.write("new.csv", &csv(&FAST));
    let tool = project.expect(0, &["compare", "old.json", "new.json", "--json"]);
    assert!(
        tool.err.contains("old.json: results of hyperfine"),
        "{}",
        tool.err
    );
    assert_eq!(verdicts(&tool)[0][0]["word"], "improved");
    // A table says nothing about units, so that the method must be named for both.
    let how = [
        "--metric",
        "time",
        "--direction",
        "down",
        "--method",
        "t",
        "--margin",
        "1%",
        "--json",
    ];
    let of = |sides: [&str; 2]| {
        let mut args = vec!["compare"];
        args.extend(sides);
        args.extend(how);
        verdicts(&project.expect(0, &args))
    };
    assert_eq!(of(["old.json", "new.json"]), of(["old.csv", "new.csv"]));
    assert_ne!(of(["old.json", "new.json"]), of(["new.csv", "old.csv"]));
    assert!(
        !project.path().join("data").exists(),
        "reading in place keeps nothing"
    );
}

#[test]
fn every_command_that_takes_a_run_takes_a_tools_file() {
    let project = Project::new();
    project.write("old.json", &hyperfine(&SLOW));
    project.write("new.json", &hyperfine(&FAST));
    let summary = project
        .expect(0, &["summarize", "new.json", "--json"])
        .json();
    assert_eq!(summary["outcomes"]["ok"], 8, "{summary}");
    project.expect(0, &["gate", "new.json", "--baseline", "old.json"]);
    project.expect(1, &["gate", "old.json", "--baseline", "new.json"]);
    project.expect(0, &["report", "new.json"]);
    assert!(project.read("report.html").contains("sort big.txt"));
    let scan = fixture("hyperfine/v1.15_two_commands.json");
    project.expect(0, &["power", &scan, "--effect", "10%"]);
    let ran = project.expect(0, &["compare", &scan]);
    assert!(ran.err.contains("arm  command"), "{}", ran.err);
}

#[test]
fn a_criterion_folder_is_gated_against_its_own_baseline() {
    let project = Project::new();
    let folder = fixture("criterion");
    let ran = project.run(&["gate", &folder, "--baseline", "base", "--json"]);
    assert!(matches!(ran.code, 0 | 1 | 4), "{} {}", ran.code, ran.err);
    assert!(ran.err.contains("benchmarks of criterion"), "{}", ran.err);
    let answer = ran.json();
    assert!(
        answer["lines"][0]["sides"]
            .as_str()
            .unwrap()
            .contains("new"),
        "{answer}"
    );
}

#[test]
fn curves_of_wandb_are_paired_by_their_seeds() {
    let project = Project::new();
    let run = |arm: &str, seed: u32| fixture(&format!("wandb/run-{arm}-s{seed}.wandb"));
    let seeds = [1072, 2081, 4110];
    let control = seeds.map(|seed| run("vit_reset", seed));
    let candidate = seeds.map(|seed| run("trxl", seed));
    let mut args = vec![
        "analyze",
        "--json",
        "--metric",
        "overview/reward",
        "--summary.percent",
        "1",
        "--control-run-ids",
    ];
    args.extend(control.iter().map(String::as_str));
    args.push("--candidate-run-ids");
    args.extend(candidate.iter().map(String::as_str));
    let ran = project.expect(0, &args);
    assert!(ran.err.contains("6 sources: "), "{}", ran.err);
    let text = ran.json().to_string();
    assert!(text.contains("4110"), "{text}");
    let mut args = vec![
        "variance",
        "--json",
        "--summary.percent",
        "1",
        "--metric",
        "overview/reward",
        "--output",
        "v.svg",
    ];
    args.extend(candidate.iter().map(String::as_str));
    project.expect(0, &args);
}

/// A run as Sacred keeps it, with so many points of a loss.
fn sacred(project: &Project, number: usize, config: &Value, points: usize) {
    let write = |file: &str, content: Value| {
        project.write(&format!("sacred/{number}/{file}"), &content.to_string());
    };
    let steps: Vec<usize> = (0..points).collect();
    let times = vec!["2026-01-01T00:00:00"; points];
    let values = steps.iter().map(|step| *step as f64 * 0.5 + number as f64);
    let values: Vec<f64> = values.collect();
    write("config.json", config.clone());
    write(
        "run.json",
        json!({"status": "COMPLETED", "experiment": {"name": "x"}, "command": "main",
            "start_time": "2026-01-01T00:00:00", "stop_time": "2026-01-01T01:00:00"}),
    );
    write(
        "metrics.json",
        json!({"loss": {"steps": steps, "timestamps": times, "values": values}}),
    );
}

#[test]
fn a_field_that_could_be_two_things_is_asked_for() {
    let project = Project::new();
    for (number, (lr, batch)) in [(0.1, 8), (0.1, 16), (0.2, 8), (0.2, 16)]
        .into_iter()
        .enumerate()
    {
        sacred(
            &project,
            number,
            &json!({"lr": lr, "batch": batch, "seed": number}),
            3,
        );
    }
    let ran = project.expect(2, &["compare", "sacred"]);
    assert!(
        ran.err.contains("say it with --arm, as in --arm config.lr"),
        "{}",
        ran.err
    );
    let ran = project.expect(0, &["compare", "sacred", "--arm", "lr"]);
    assert!(
        ran.err.contains("arm   config.lr    0.1, 0.2"),
        "{}",
        ran.err
    );
    let ran = project.expect(2, &["compare", "sacred", "--format", "hyperfin"]);
    assert!(ran.err.contains("did you mean `hyperfine`?"), "{}", ran.err);
}

#[test]
fn an_import_is_a_run_and_again_adds_what_is_new() {
    let project = Project::new();
    project.write("old.json", &hyperfine(&SLOW));
    let first = project
        .expect(0, &["import", "old.json", "--name", "sorting", "--json"])
        .json();
    assert_eq!((&first["added"], &first["known"]), (&json!(8), &json!(0)));
    let again = project
        .expect(0, &["import", "old.json", "--name", "sorting", "--json"])
        .json();
    assert_eq!((&again["added"], &again["known"]), (&json!(0), &json!(8)));
    assert_eq!(first["stamp"], again["stamp"]);
    project.write("new.json", &hyperfine(&FAST));
    let more = project
        .expect(
            0,
            &[
                "import", "old.json", "new.json", "--name", "sorting", "--json",
            ],
        )
        .json();
    assert_eq!((&more["added"], &more["known"]), (&json!(8), &json!(8)));
    let summary = project
        .expect(0, &["summarize", "sorting", "--json"])
        .json();
    assert_eq!(summary["outcomes"]["ok"], 16, "{summary}");
    project.expect(0, &["report", "sorting"]);
    project.expect(0, &["verify", "sorting"]);
    project.expect(0, &["list"]);
    // A source that changed is no longer what was imported.
    project.write("old.json", &hyperfine(&FAST));
    let ran = project.expect(1, &["verify", "sorting"]);
    assert!(ran.out.contains("old.json"), "{} {}", ran.out, ran.err);
}

#[test]
fn a_training_run_that_went_on_replaces_what_was_imported_of_it() {
    let project = Project::new();
    sacred(&project, 1, &json!({"lr": 0.1, "seed": 7}), 5);
    let first = project.expect(0, &["import", "sacred", "--json"]).json();
    assert_eq!(first["added"], 1, "{first}");
    sacred(&project, 1, &json!({"lr": 0.1, "seed": 7}), 9);
    let again = project.expect(0, &["import", "sacred", "--json"]).json();
    assert_eq!(
        (&again["added"], &again["renewed"]),
        (&json!(0), &json!(1)),
        "{again}"
    );
    let exported = project
        .expect(0, &["export", "sacred", "--to", "csv", "--rows", "series"])
        .out;
    assert_eq!(exported.lines().count(), 10, "{exported}");
}

#[test]
fn what_is_exported_gives_the_same_verdict_when_it_comes_back() {
    let project = Project::new();
    project.write("old.json", &hyperfine(&SLOW));
    project.write("new.json", &hyperfine(&FAST));
    let before = verdicts(&project.expect(0, &["compare", "old.json", "new.json", "--json"]));
    for (kind, ending) in [
        ("csv", "csv"),
        ("jsonl", "jsonl"),
        ("parquet", "parquet"),
        ("hyperfine", "json"),
    ] {
        let mut files = Vec::new();
        for side in ["old", "new"] {
            let file = format!("{side}-{kind}.{ending}");
            let source = format!("{side}.json");
            project.expect(0, &["export", &source, "--to", kind, "--output", &file]);
            files.push(file);
        }
        let ran = project.expect(
            0,
            &[
                "compare",
                &files[0],
                &files[1],
                "--direction",
                "down",
                "--metric",
                "time",
                // A table says nothing about units.
                "--unit",
                "s",
                "--json",
            ],
        );
        let after = verdicts(&ran);
        assert_eq!(before[0][0]["word"], after[0][0]["word"], "{kind}");
        let interval = |of: &Value| of[0][0]["effect"]["absolute"].clone();
        assert!(interval(&before)["low"].is_number(), "{before}");
        assert_eq!(interval(&before), interval(&after), "{kind}");
    }
}

#[test]
fn iterations_that_are_exported_give_the_same_verdict_when_they_come_back() {
    // One process with iterations on each side, and several processes.
    let folder = fixture("criterion");
    let processes = fixture("pyperf/command_sleep.json");
    for (source, ending) in [
        (&folder, "csv"),
        (&folder, "jsonl"),
        (&processes, "parquet"),
    ] {
        let project = Project::new();
        let table = format!("iterations.{ending}");
        let export = [
            "export", source, "--to", ending, "--rows", "samples", "--output", &table,
        ];
        project.expect(0, &export);
        let of = |sources: &[&str]| {
            let question = [
                "--metric",
                "time",
                "--direction",
                "down",
                "--unit",
                "s",
                "--json",
            ];
            verdicts(&project.expect(0, &[&["compare"], sources, &question].concat()))
        };
        // The folder holds both of its sides.
        let sides = if source == &folder { 1 } else { 2 };
        let (tool, back) = (vec![source.as_str(); sides], vec![table.as_str(); sides]);
        let before = of(&tool);
        assert!(before[0][0]["word"].is_string(), "{before}");
        assert_eq!(before, of(&back), "{source} as {ending}");
    }
    let project = Project::new();
    let run = fixture("wandb/run-trxl-s1072.wandb");
    project.expect(
        0,
        &[
            "export",
            &run,
            "--to",
            "csv",
            "--rows",
            "series",
            "--output",
            "points.csv",
        ],
    );
    let refused = project
        .expect(2, &["compare", "points.csv", "points.csv"])
        .err;
    assert!(refused.contains("`export --rows trials`"), "{refused}");
}

#[test]
fn a_run_that_failed_before_it_said_its_arm_is_in_none() {
    let project = Project::new();
    let runs = fixture("mlflow/mlruns");
    let question = ["--metric", "overview/reward", "--direction", "up", "--json"];
    let ran = project.expect(0, &[&["compare", &runs], &question[..]].concat());
    assert!(
        ran.err.contains("no `param.arch` in 1 of 5 executions"),
        "{}",
        ran.err
    );
    let contrasts = ran.json()["contrasts"].as_array().unwrap().len();
    assert_eq!(contrasts, 1, "{}", ran.out);
    // An import keeps it as what it is.
    project.expect(0, &["import", &runs, "--name", "kept"]);
    let summary = project.expect(0, &["summarize", "kept", "--json"]).json();
    assert_eq!(summary["outcomes"]["failed"], 1, "{summary}");
    let list = project
        .expect(0, &["compare", "kept", "--metric", "overview/reward"])
        .out;
    assert!(list.contains("trxl against vit_reset"), "{list}");
}

#[test]
fn a_word_that_two_fields_end_in_is_asked_for() {
    let project = Project::new();
    for (number, value) in [(1, 1), (2, 2)] {
        let config = json!({"arm": value, "point": {"arm": value}, "seed": number});
        sacred(&project, number, &config, 3);
    }
    let asked = project
        .expect(2, &["summarize", "sacred", "--arm", "arm"])
        .err;
    let words = "`arm` can be `config.arm`, `config.point.arm`; write the whole name, as in --arm config.arm";
    assert!(asked.contains(words), "{asked}");
    project.expect(0, &["summarize", "sacred", "--arm", "config.arm"]);
}

#[test]
fn exports_for_people_and_ci_hold_every_trial() {
    let project = Project::new();
    project.write("new.json", &hyperfine(&FAST));
    let of = |kind: &str| project.expect(0, &["export", "new.json", "--to", kind]).out;
    let bmf: Value = serde_json::from_str(&of("bmf")).unwrap();
    assert!(
        bmf["sort big.txt"]["time"]["upper_value"].as_f64().unwrap() > 0.705,
        "{bmf}"
    );
    let action: Value = serde_json::from_str(&of("github-action-benchmark")).unwrap();
    assert_eq!(action[0]["unit"], "s", "{action}");
    assert_eq!(of("junit").matches("<testcase ").count(), 8);
    assert_eq!(of("inspect-csv").lines().count(), 9);
    assert_eq!(
        of("csv").lines().next().unwrap(),
        "task,arm,seed,rollout,outcome,time"
    );
    let ran = project.expect(2, &["export", "new.json", "--to", "hyperfin"]);
    assert!(ran.err.contains("did you mean `hyperfine`?"), "{}", ran.err);
}

#[test]
fn a_spec_reads_what_the_trials_own_process_logged() {
    let run = "953398686852424932/f061936d81a6473595ff401a2941d4be";
    let script = format!(
        "mkdir -p $WANDB_DIR/wandb/offline-run-1 $FAIRTRIAL_DIR/runs\n\
         cp {} $WANDB_DIR/wandb/offline-run-1/\n\
         cp {}/events.* $FAIRTRIAL_DIR/runs/\n\
         store=${{MLFLOW_TRACKING_URI#file://}}; mkdir -p $store/953398686852424932\n\
         cp -r {} $store/953398686852424932/\n",
        fixture("wandb/run-trxl-s1072.wandb"),
        fixture("tensorboard/trxl_seed1072"),
        fixture(&format!("mlflow/mlruns/{run}")),
    );
    let project = Project::with_spec(
        "name = \"tracked\"\ncommand = \"sh train.sh\"\n\
         [metrics.\"overview/reward\"]\nfrom = \"wandb:\"\n\
         [metrics.board]\nfrom = \"tensorboard:runs#overview/reward\"\n\
         [metrics.flow]\nfrom = \"mlflow:#overview/reward\"\nsummary = \"max\"\n\
         [metrics.absent]\nfrom = \"wandb:#nothing\"\nrequired = false\n",
    );
    project.write("train.sh", &script);
    project.expect(0, &["check", "bench.toml"]);
    project.expect(0, &["run", "bench.toml"]);
    let journal = project.journal("tracked");
    let record = journal
        .iter()
        .find(|line| line["event"] == "finished")
        .unwrap();
    let metric = |name: &str| record["metrics"][name].as_f64().unwrap();
    assert_eq!(metric("overview/reward"), 1.008_075_118_089_417_9);
    assert!(
        (metric("board") - 0.954_733_908_176_422_1).abs() < 1e-9,
        "{record}"
    );
    assert!(metric("flow") > 0.8, "{record}");
    assert!(record["metrics"]["absent"].is_null(), "{record}");
    let exported = project
        .expect(
            0,
            &[
                "export", "tracked", "--to", "csv", "--rows", "series", "--long",
            ],
        )
        .out;
    let points = exported
        .lines()
        .filter(|line| line.contains("overview/reward"))
        .count();
    assert_eq!(points, 40, "{exported}");
}

#[test]
fn a_trial_that_failed_is_exported_with_its_time_and_how_it_ended() {
    let project = Project::with_spec(
        "name = \"ends\"\ncommand = \"sh end.sh {end}\"\n\
         [arms]\ngood = { end = 0 }\nbad = { end = 3 }\nkilled = { end = 9 }\n\
         [metrics.time]\nfrom = \"stdout:time=([0-9.]+)\"\nunit = \"s\"\ndirection = \"down\"\n",
    );
    project.write(
        "end.sh",
        "[ $1 = 0 ] && echo time=0.5\n[ $1 = 9 ] && kill -9 $$\nexit $1\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    let exported = project.expect(0, &["export", "ends", "--to", "hyperfine"]);
    let exported: Value = serde_json::from_str(&exported.out).unwrap();
    let results = exported["results"].as_array().unwrap();
    let of = |arm: &str| {
        let mut found = results.iter();
        found.find(|result| result["command"] == arm).unwrap()
    };
    assert_eq!(of("good")["times"], json!([0.5]));
    for (arm, code) in [
        ("good", json!([0])),
        ("bad", json!([3])),
        ("killed", json!([null])),
    ] {
        assert_eq!(of(arm)["exit_codes"], code, "{arm}: {exported}");
        assert!(of(arm)["times"][0].as_f64().unwrap() > 0.0, "{exported}");
    }
    project.write("ends.json", &exported.to_string());
    let back = project
        .expect(0, &["summarize", "ends.json", "--json"])
        .json();
    assert_eq!(back["outcomes"]["failed"], 2, "{back}");
}

#[test]
fn a_file_of_no_known_kind_is_named_by_every_command() {
    let project = Project::new();
    project.write("what/is.this", "nothing that anybody knows");
    project.write("what/empty.json", "");
    std::fs::create_dir(project.path().join("what/folder")).unwrap();
    for command in [
        "summarize",
        "report",
        "power",
        "gate",
        "variance",
        "compare",
    ] {
        for there in ["what/empty.json", "what/folder"] {
            let ran = project.expect(2, &[command, there]);
            let denied = ["no such file", "there is no file", "there is no run, "];
            let told = ran.err.contains(there) && !denied.iter().any(|no| ran.err.contains(no));
            assert!(told, "{command} {there}: {}", ran.err);
        }
        let ran = project.expect(2, &[command, "what/is.this"]);
        assert!(ran.err.contains("what/is.this"), "{command}: {}", ran.err);
        assert!(
            !ran.err.contains("cannot name a run"),
            "{command}: {}",
            ran.err
        );
        let ran = project.expect(2, &[command, "what/else.json"]);
        assert!(ran.err.contains("what/else.json"), "{command}: {}", ran.err);
        assert!(
            !ran.err.contains("cannot name a run"),
            "{command}: {}",
            ran.err
        );
    }
}

#[test]
fn rollouts_of_another_tool_are_solved_where_their_score_is_whole() {
    let project = Project::new();
    let jobs = fixture("harbor/jobs");
    let summary = project.expect(0, &["summarize", &jobs, "--json"]).json();
    let arm = &summary["rollouts"]["arms"][0];
    assert_eq!(arm["arm"], "k2-mixed");
    // Both of one task, one of two of another, none of the third.
    assert_eq!(arm["solved"], 3);
    assert_eq!(arm["pass"][0]["any"]["estimate"], 0.5);
    let shown = project.expect(0, &["summarize", &jobs]).out;
    // There is no spec to declare anything in, and nothing that could run again.
    for advice in ["remeasure", "--resume"] {
        assert!(!shown.contains(advice), "{shown}");
    }
}

#[test]
fn folders_that_hold_nothing_are_no_arms_of_the_newest_run() {
    let project = Project::new();
    project.write("bench.toml", "command = \"true\"\n");
    project.expect(0, &["run", "bench.toml"]);
    for folder in ["before", "after"] {
        std::fs::create_dir(project.path().join(folder)).unwrap();
    }
    let ran = project.expect(2, &["compare", "before", "after"]);
    let told = ran
        .err
        .contains("before holds nothing that can be read here");
    assert!(told, "{}", ran.err);
}

#[test]
fn runs_on_the_server_of_wandb_are_named_by_their_ids() {
    let project = Project::new();
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/tests/standin");
    let of = |arm: &str| [1, 2].map(|seed| format!("wandb:lab/bench/{arm}{seed}"));
    let (control, candidate) = (of("a"), of("b"));
    let mut args = vec![
        "analyze",
        "--metric",
        "reward",
        "--summary.share_of",
        "steps",
        "--json",
    ];
    args.push("--control-run-ids");
    args.extend(control.iter().map(String::as_str));
    args.push("--candidate-run-ids");
    args.extend(candidate.iter().map(String::as_str));
    let mut command = project.command(&args);
    command
        .env("PYTHONPATH", module)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.json().to_string().contains("wandb:lab/bench/b2"),
        "{}",
        ran.out
    );
}

#[test]
fn flags_about_other_tools_are_not_ignored_in_silence() {
    let project = Project::with_spec(
        "name = \"own\"\nseeds = 2\ncommand = \"true\"\n[arms.a]\n[arms.b]\n[metrics.wall]\nfrom = \"resource:wall\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(0, &["compare", "own", "--seed-key", "lr"]);
    assert!(
        ran.err.contains("are about other tools' results; own "),
        "{}",
        ran.err
    );
    assert!(
        !project
            .expect(0, &["compare", "own"])
            .err
            .contains("other tools")
    );
}

#[test]
fn what_to_do_next_works_for_results_of_another_tool() {
    let project = Project::new();
    let line = |seed: u64, arm: &str, value: u64| format!("{seed},{arm},{value}\n");
    let rows = (1..7).flat_map(|seed| {
        [("a", seed * 7 % 5), ("b", seed * 3 % 5)].map(|(arm, value)| line(seed, arm, value))
    });
    let rows: String = rows.collect();
    project.write("runs.csv", &format!("seed,arm,score\n{rows}"));
    for number in 1..7 {
        let config = json!({ "lr": number % 2, "seed": number });
        sacred(&project, number, &config, 3);
    }
    project.expect(0, &["import", "sacred", "--arm", "lr", "--name", "kept"]);
    for words in [
        &["compare", "runs.csv", "--direction", "up"][..],
        &["compare", "kept", "--direction", "up"],
        &["compare", "sacred", "--arm", "lr", "--direction", "up"],
    ] {
        let ran = project.expect(0, words);
        assert!(ran.out.contains("inconclusive"), "{}", ran.out);
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("all measured afresh"), "{words}");
        assert!(!ran.out.contains("until decided"), "{}", ran.out);
        let parts: Vec<&str> = ran.out.split('`').collect();
        let commands: Vec<&&str> = parts.iter().skip(1).step_by(2).collect();
        assert!(!commands.is_empty(), "{}", ran.out);
        for command in commands
            .into_iter()
            .filter(|of| of.starts_with("fairtrial"))
        {
            let pasted = project.shell(command);
            assert_eq!(pasted.code, 0, "{command}: {}", pasted.err);
        }
    }
}
