//! `compare` as a user meets it: arms of a run, two runs, result files, tables, and what it refuses.

use crate::common::Project;
use std::fmt::Write;

/// A program whose score is its seed's luck plus the arm's gain, with some noise of its own.
const SPEC: &str = r#"
name = "arms"
seeds = 8
shell = true
command = "awk 'BEGIN { srand({seed}); luck = rand(); srand({seed} * 7 + {salt}); print \"score=\" luck + {gain} + rand() / 10; print \"params=\" {size} }'"

[arms.control]
gain = 0
salt = 1
size = 1000

[arms.candidate]
gain = 1
salt = 2
size = 1500

[metrics.score]
from = "stdout:score=([0-9.]+)"
direction = "up"
margin = 0.2

[metrics.params]
from = "stdout:params=([0-9]+)"

[fairness]
equal = { params = "1%" }
"#;

fn verdict(comparison: &serde_json::Value) -> &str {
    comparison["contrasts"][0]["metrics"][0]["verdict"]["word"]
        .as_str()
        .unwrap()
}

#[test]
fn a_part_of_a_run_is_compared_with_a_word_about_it() {
    let project = Project::with_spec(SPEC);
    project.run(&["run", "bench.toml", "--set", "budget.trials=10"]);
    let said = project.expect(0, &["compare", "arms"]);
    let word = "is not finished: 10 of 16 trials are done";
    assert!(said.out.contains("improved"), "{}", said.out);
    let all = format!("{}{}", said.out, said.err).replace('\n', " ");
    assert!(all.contains(word), "{all}");
    let json = project.expect(0, &["compare", "arms", "--json"]).json();
    let problem = json["problems"][0].as_str().unwrap();
    assert!(problem.contains(word), "{problem}");
    // Whoever gives no verdict on it goes by the same answer.
    let refused = project.expect(3, &["gate", "arms"]);
    assert!(
        refused.err.contains("is not finished: budget"),
        "{}",
        refused.err
    );
    project.expect(0, &["report", "arms", "--md", "part.md"]);
    let page = project.read("part.md");
    for part in [
        "There is no verdict: the run is not finished",
        "The run did not finish: budget.",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    project.expect(
        0,
        &["run", "bench.toml", "--resume", "--set", "budget.trials=16"],
    );
    let json = project.expect(0, &["compare", "arms", "--json"]).json();
    assert!(json.get("problems").is_none(), "{json}");
    project.expect(0, &["gate", "arms", "--rule", "score"]);
    project.expect(0, &["report", "arms", "--md", "whole.md"]);
    let page = project.read("whole.md");
    assert!(!page.contains("not finish"), "{page}");
}

#[test]
fn arms_of_a_run_end_in_a_verdict_with_what_is_unfair_beside_it() {
    let project = Project::with_spec(SPEC);
    let ran = project.expect(0, &["run", "bench.toml"]);
    assert!(ran.out.contains("improved"), "{}", ran.out);
    assert!(ran.out.contains("not alike in params"), "{}", ran.out);

    let json = project.expect(0, &["compare", "arms", "--json"]).json();
    assert_eq!(verdict(&json), "improved");
    assert_eq!(json["contrasts"][0]["metrics"][0]["count"]["paired"], true);
    let fairness = &json["contrasts"][0]["fairness"][0];
    assert_eq!(
        (&fairness["equal"], &fairness["control"]),
        (&false.into(), &"1000".into())
    );

    // The command line wins over the spec about the same key.
    let relaxed = project.expect(0, &["compare", "arms", "--equal", "params=60%", "--json"]);
    assert_eq!(relaxed.json()["contrasts"][0]["fairness"][0]["equal"], true);
    let swapped = project.expect(
        1,
        &[
            "compare",
            "candidate",
            "control",
            "--json",
            "--fail-on",
            "regressed",
        ],
    );
    assert_eq!(verdict(&swapped.json()), "regressed");
}

#[test]
fn two_runs_are_compared_arm_by_arm_and_a_missing_pair_is_named() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let first = project.newest_run("arms");
    project.expect(0, &["run", "bench.toml", "--set", "seeds=7"]);
    let first = format!("arms/{}", first.file_name().unwrap().to_str().unwrap());
    let json = project
        .expect(0, &["compare", &first, "arms", "--json"])
        .json();
    // The program is deterministic: the same seeds give the same numbers.
    assert_eq!(verdict(&json), "identical");
    let second = project.newest_run("arms");
    let [before, after] = [first.as_str(), second.to_str().unwrap()]
        .map(|run| run.rsplit('/').next().unwrap().to_owned());
    let said = project.expect(0, &["compare", &first, "arms"]).out;
    let sides = format!("arms {after} against arms {before}");
    assert!(said.contains(&sides), "{sides}: {said}");
    let metric = &json["contrasts"][0]["metrics"][0];
    assert_eq!(metric["count"]["control"], 7);
    assert_eq!(metric["dropped"].as_array().unwrap().len(), 1);
    let kinds: Vec<&str> = json["mismatches"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|found| found["kind"].as_str())
        .collect();
    assert!(kinds.contains(&"seeds"), "{kinds:?}");
}

#[test]
fn tables_give_markdown_and_csv_too() {
    let project = Project::new();
    project.write(
        "a.csv",
        "seed,score\n1,1.0\n2,2.1\n3,2.9\n4,4.2\n5,5.0\n6,6.1\n",
    );
    project.write(
        "b.csv",
        "seed,score\n1,2.0\n2,3.0\n3,4.1\n4,5.1\n5,6.2\n6,7.0\n",
    );
    let arguments = [
        "compare",
        "a.csv",
        "b.csv",
        "--direction",
        "up",
        "--md",
        "c.md",
        "--csv",
        "c.csv",
    ];
    let ran = project.expect(0, &arguments);
    assert!(ran.out.contains("improved"), "{}", ran.out);
    assert!(project.read("c.md").contains("✅ improved"));
    let csv = project.read("c.csv");
    assert_eq!(csv.lines().count(), 2);
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .starts_with("a.csv,b.csv,,score,primary,improved,"),
        "{csv}"
    );
}

#[test]
fn a_file_or_a_run_that_is_not_there_is_not_called_an_arm() {
    let project = Project::with_spec(
        "name = \"bench\"\nparallel = 1\nseeds = 2\n[[tasks]]\ncommand = \"true {x}\"\n[arms.control]\nx = 1\n[arms.\"new.json\"]\nx = 2\n[metrics.m]\nfrom = \"resource:wall\"\n",
    );
    project.write("before.csv", "seed,score\n1,1.5\n");
    let unknown = project.expect(2, &["compare", "no.csv", "no2.csv"]).err;
    assert!(unknown.contains("there is no file `no.csv`"), "{unknown}");
    project.expect(0, &["run", "bench.toml"]);
    let stamp = project.newest_run("bench");
    let stamp = stamp.file_name().unwrap().to_str().unwrap();
    let like = format!("help: a run is named like `bench/{stamp}`");
    for (sides, message, help) in [
        (
            ["no.csv", "no2.csv"],
            "there is no file `no.csv`",
            "check the path",
        ),
        (
            ["befor.csv", "after.json"],
            "there is no file `befor.csv`",
            "did you mean `before.csv`?",
        ),
        (
            ["bench/2020", "bench"],
            "there is no run `bench/2020`",
            &like,
        ),
        (
            ["bench/20200101__00-00-00", "bench"],
            "there is no run `bench/20200101__00-00-00`",
            &like,
        ),
        (
            ["bnech/2020", "bench"],
            "there is no file or run `bnech/2020`",
            "did you mean `bench`?",
        ),
        (
            ["bench", "bnech"],
            "there is no run, result file or table `bnech`",
            "did you mean `bench`?",
        ),
        (["control", "candidat"], "no arm `candidat`", ""),
    ] {
        let ran = project.expect(2, &["compare", sides[0], sides[1]]);
        assert!(
            ran.err.contains(message) && ran.err.contains(help),
            "{sides:?}: {}",
            ran.err
        );
        assert!(
            sides[0] == "control" || !ran.err.contains("arm"),
            "{}",
            ran.err
        );
    }
    // An arm may be named like a file.
    project.expect(0, &["compare", "control", "new.json"]);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let project = Project::new();
    project.write("a.csv", "seed,score\n1,1.5\n");
    project.write("odd.txt", "x");
    for (arguments, part) in [
        (
            &["compare", "nowhere"][..],
            "there is no run, result file or table `nowhere`",
        ),
        (
            &["compare", "a.csv", "odd.txt"],
            "odd.txt holds nothing that can be read here",
        ),
        (
            &["compare", "a.csv", "a.csv", "--metric", "loss"],
            "no trial reports the metric `loss`",
        ),
        (&["compare", "a.csv", "a.csv", "--alpha", "2"], "alpha"),
    ] {
        let ran = project.expect(2, arguments);
        assert!(ran.err.contains(part), "{arguments:?}: {}", ran.err);
    }
    // One value on each side says nothing about chance.
    let json = project
        .expect(0, &["compare", "a.csv", "a.csv", "--json"])
        .json();
    assert!(
        matches!(verdict(&json), "insufficient" | "identical"),
        "{json}"
    );
}

#[test]
fn the_arms_of_a_table_can_be_named_and_no_option_is_ignored() {
    let project = Project::new();
    let mut rows = vec!["arm,seed,score".to_owned()];
    for seed in 0..6 {
        for (bonus, arm) in ["base", "new", "other"].iter().enumerate() {
            rows.push(format!(
                "{arm},{seed},{}",
                (seed * 3) % 5 + (10 + seed) * bonus
            ));
        }
    }
    project.write("three.csv", &rows.join("\n"));
    let arms = [
        "compare",
        "base",
        "new",
        "--run",
        "three.csv",
        "--direction",
        "up",
    ];
    let found = project.expect(0, &arms);
    assert!(
        found.out.contains("new against base (three.csv)"),
        "{}",
        found.out
    );
    let contradicts = [&arms[..], &["--control", "other"]].concat();
    let refused = project.expect(2, &contradicts);
    assert!(
        refused.err.contains("--control names `other`"),
        "{}",
        refused.err
    );
    let two = ["compare", "three.csv", "three.csv", "--control", "nosuch"];
    let refused = project.expect(2, &two);
    assert!(
        refused.err.contains("`nosuch` cannot be it"),
        "{}",
        refused.err
    );
    let absent = project.expect(2, &["compare", "base", "new", "--run", "thre.csv"]);
    assert!(
        absent.err.contains("did you mean `three.csv`"),
        "{}",
        absent.err
    );
}

#[test]
fn scores_of_several_tasks_are_compared_between_reference_points() {
    let project = Project::new();
    let mut table = "task,arm,seed,score\n".to_owned();
    for seed in 0..4 {
        // `small` gains a tenth of its scale, `large` loses a hundredth of its own.
        let noise = f64::from(seed) / 100.0;
        for (arm, small, large) in [("old", 5.0, 5000.0), ("new", 6.0 + noise, 4900.0 - noise)] {
            for (task, score) in [("small", small), ("large", large)] {
                writeln!(table, "{task},{arm},{seed},{score}").unwrap();
            }
        }
    }
    project.write("scores.csv", &table);
    let asked = [
        "compare",
        "scores.csv",
        "--control",
        "old",
        "--direction",
        "up",
    ];
    let raw = project
        .expect(0, &[&asked[..], &["--json"]].concat())
        .json();
    assert!(raw["contrasts"][0]["metrics"][0]["effect"]["absolute"]["value"].as_f64() < Some(0.0));
    let points = ["--reference", "small=0:10", "--reference", "large=0:10000"];
    let json = project.expect(0, &[&asked[..], &points, &["--json"]].concat());
    let metric = &json.json()["contrasts"][0]["metrics"][0];
    assert_eq!(metric["unit"], "normalised");
    let gain = metric["effect"]["absolute"]["value"].as_f64().unwrap();
    assert!((gain - 0.5 * (0.1 - 0.01)).abs() < 1e-3, "{gain}");
    assert_eq!(
        metric["second_opinions"]["suite"]["scores"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    let tables = project.expect(0, &[&asked[..], &points, &["-v"]].concat());
    let said = tables.out.replace('\n', " ");
    assert!(said.contains("interquartile mean"), "{said}");
    // Points that cannot be used are refused, not left aside.
    let one = project.expect(2, &[&asked[..], &points[..2]].concat());
    assert!(
        one.err.contains("--reference large=ZERO:ONE"),
        "{}",
        one.err
    );
    let refused = project.expect(2, &[&asked[..], &["--reference", "1:1"]].concat());
    assert!(
        refused.err.contains("gives no reference points"),
        "{}",
        refused.err
    );
}

#[test]
fn without_sides_the_arms_of_the_newest_run_are_compared() {
    let project = Project::with_spec(
        "seeds = 6\nshell = true\ncommand = \"echo m=$(({seed} % 7 + {x}))\"\narms = { a = { x = 1 }, b = { x = 9 } }\n\
         metrics = { m = { from = \"stdout:m=([0-9]+)\", direction = \"up\" } }\n",
    );
    let none = project.expect(2, &["compare"]).err;
    assert!(none.contains("no run"), "{none}");
    project.expect(0, &["run", "bench.toml", "--set", "name=first"]);
    project.expect(0, &["run", "bench.toml", "--set", "name=last"]);
    let newest = project.expect(0, &["compare"]).out;
    assert!(newest.contains("b against a (last "), "{newest}");
    let named = project.expect(0, &["compare", "--run", "first"]).out;
    assert!(named.contains("b against a (first "), "{named}");
}

#[test]
fn an_arm_of_a_run_is_a_side() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let first = project.newest_run("arms");
    let first = format!("arms/{}", first.file_name().unwrap().to_str().unwrap());
    project.expect(0, &["run", "bench.toml"]);
    let compare = |sides: &[&str]| {
        let args = [&["compare", "--metric", "score", "--json"], sides].concat();
        project.expect(0, &args).json()
    };
    // Two arms of one run, by either way of saying so.
    let by_run = compare(&["control", "candidate", "--run", "arms"]);
    let by_name = compare(&["arms:control", "arms:candidate"]);
    assert_eq!(verdict(&by_name), "improved");
    assert_eq!(by_name["contrasts"], by_run["contrasts"]);
    // An arm of one run against an arm of another: they ran the same code on the same seeds.
    let (earlier, later) = (format!("{first}:control"), "arms:control");
    assert_eq!(verdict(&compare(&[&earlier, later])), "identical");
    let crossed = compare(&[&earlier, "arms:candidate"]);
    assert_eq!(verdict(&crossed), "improved");
    let metric = |found: &serde_json::Value| found["contrasts"][0]["metrics"][0].clone();
    assert_eq!(metric(&crossed)["effect"], metric(&by_run)["effect"]);
    let refused = project.expect(2, &["compare", &earlier, "arms:other"]);
    assert!(
        refused
            .err
            .contains("has no arm `other`; its arms are control, candidate"),
        "{}",
        refused.err
    );
}

/// The same question to both commands: the last value of each run, arm against arm.
#[test]
fn compare_and_analyze_agree_on_arms_of_runs() {
    let project = Project::with_spec(
        "name = \"curves\"\nseeds = 10\ncommand = \"sh work.sh {seed} {lift}\"\n\
         [arms.control]\nlift = 0\n[arms.candidate]\nlift = 4\n\
         [metrics.reward]\ndirection = \"up\"\nsummary = \"last\"\n",
    );
    project.write(
        "work.sh",
        "for step in 1 2 3; do\n\
         echo \"{\\\"step\\\": $step, \\\"reward\\\": $(($1 * 7 % 5 + $2 * step + $1 * $2 % 3))}\" \
         >> \"$FAIRTRIAL_METRICS\"\ndone\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let run = project.newest_run("curves");
    let run = format!("curves/{}", run.file_name().unwrap().to_str().unwrap());
    let (control, candidate) = (format!("{run}:control"), format!("{run}:candidate"));
    let compared = project
        .expect(0, &["compare", &control, &candidate, "--json"])
        .json();
    let sides = [
        "--control-run-ids",
        &control,
        "--candidate-run-ids",
        &candidate,
    ];
    let last = ["--summary.type", "eval_last_n", "--summary.n", "1"];
    let asked = [
        &["analyze", "--metric", "reward", "--json"],
        &sides[..],
        &last,
    ];
    let analyzed = project.expect(0, &asked.concat()).json();
    assert_eq!(
        analyzed["comparison"]["verdict"]["word"],
        verdict(&compared),
        "{analyzed:#}"
    );
    assert_eq!(verdict(&compared), "improved");
    let effect = &compared["contrasts"][0]["metrics"][0]["effect"]["absolute"];
    assert_eq!(&analyzed["comparison"]["effect"]["absolute"], effect);
}

#[test]
fn tables_with_tabs_are_tables() {
    let project = Project::new();
    let rows = |lift: f64| -> String {
        let row = |seed: i32| format!("{seed}\t{}", f64::from(seed % 5) * lift / 7.0 + lift);
        let rows: Vec<String> = (0..8).map(row).collect();
        format!("seed\tscore\n{}\n", rows.join("\n"))
    };
    project.write("a.tsv", &rows(1.0));
    project.write("b.tsv", &rows(9.0));
    let sides = ["compare", "a.tsv", "b.tsv", "--direction", "up", "--json"];
    assert_eq!(verdict(&project.expect(0, &sides).json()), "improved");
    let timed = project.expect(0, &[&sides[..], &["--unit", "ms"]].concat());
    assert_eq!(timed.json()["contrasts"][0]["metrics"][0]["kind"], "timing");
}

#[test]
fn several_sources_are_compared_with_the_first_and_ranked() {
    let project = Project::new();
    for (name, lift) in [("a", 0.0), ("b", 2.0), ("c", 4.0)] {
        let row = |seed: i32| {
            let noise = f64::from(seed * 7 % 5) / 10.0 + lift * f64::from(seed % 3) / 20.0;
            format!("{seed},{}", 10.0 + lift + noise)
        };
        let rows: Vec<String> = (1..=10).map(row).collect();
        project.write(
            &format!("{name}.csv"),
            &format!("seed,score\n{}\n", rows.join("\n")),
        );
    }
    let sides = ["compare", "a.csv", "b.csv", "c.csv", "--direction", "up"];
    let json = project
        .expect(0, &[&sides[..], &["--json"]].concat())
        .json();
    let contrasts = json["contrasts"].as_array().unwrap();
    let named: Vec<(&str, &str, &str)> = contrasts
        .iter()
        .map(|contrast| {
            let source = |side: &str| contrast[side]["source"].as_str().unwrap();
            let word = contrast["metrics"][0]["verdict"]["word"].as_str().unwrap();
            (source("control"), source("candidate"), word)
        })
        .collect();
    assert_eq!(
        named,
        [
            ("a.csv", "b.csv", "improved"),
            ("a.csv", "c.csv", "improved")
        ]
    );
    let ranked: Vec<&str> = json["rankings"][0]["arms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arm| arm["arm"].as_str().unwrap())
        .collect();
    assert_eq!(ranked, ["c.csv", "b.csv", "a.csv"]);
    // Both comparisons are one family: p values are larger than those of each alone.
    let alone = project
        .expect(
            0,
            &["compare", "a.csv", "b.csv", "--direction", "up", "--json"],
        )
        .json();
    let family = |found: &serde_json::Value| {
        let family = &found["contrasts"][0]["metrics"][0]["family"];
        (
            family["size"].as_u64().unwrap(),
            family["adjusted_p"].as_f64().unwrap(),
        )
    };
    assert_eq!((family(&alone).0, family(&json).0), (1, 2));
    assert!(family(&json).1 >= family(&alone).1);
    let text = project.expect(0, &sides).out;
    assert!(text.contains("b.csv") && text.contains("c.csv"), "{text}");
}
