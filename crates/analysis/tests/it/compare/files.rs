//! Result files and tables as sources.

use super::lab::{UP, objects, only_contrast};
use fairtrial_analysis::compare::{Inputs, MetricComparison, ObjectionKind, UnitKind, Word};
use fairtrial_analysis::{AnalysisError, CompareOptions, Dataset, compare};
use fairtrial_stats::rng::{Purpose, Stream};

#[test]
fn result_files_give_the_numbers_of_the_original_and_say_what_they_rest_on() {
    let a = Dataset::from_result_json(
        "result_A.json",
        include_str!("../../goldens/agentfarm/result_A.json"),
    )
    .unwrap();
    let b = Dataset::from_result_json(
        "result_B.json",
        include_str!("../../goldens/agentfarm/result_B.json"),
    )
    .unwrap();
    let comparison = compare(Inputs::Two(&a, &b), &CompareOptions::default()).unwrap();
    let contrast = only_contrast(&comparison);
    let durations = &contrast.metrics[0];
    assert_eq!(
        (durations.metric.as_str(), durations.count.unit),
        ("duration_s", UnitKind::Iteration)
    );
    // The original's report: mean A=0.192000, B=0.140000.
    let golden = include_str!("../../goldens/agentfarm/compare_A_B.md");
    let (control, candidate) = (
        durations.control.unwrap().mean,
        durations.candidate.unwrap().mean,
    );
    assert!(
        golden.contains(&format!("mean: A={control:.6}, B={candidate:.6}")),
        "{control} {candidate}"
    );
    assert!(objects(&durations.verdict, &ObjectionKind::OneProcess));
    assert_eq!(durations.verdict.word, Word::Inconclusive);
    let throughput = contrast
        .metrics
        .iter()
        .find(|metric| metric.metric == "operations_per_second")
        .unwrap();
    assert_eq!(throughput.direction, UP);
}

#[test]
fn results_of_the_original_and_of_a_built_in_experiment_are_of_two_implementations() {
    let text = include_str!("../../goldens/agentfarm/result_A.json");
    let marked = |origin: &str| {
        let marked = text.replacen('{', &format!("{{\"spec\": {{\"origin\": {origin}}}, "), 1);
        Dataset::from_result_json("result_B.json", &marked).unwrap()
    };
    let original = Dataset::from_result_json("result_A.json", text).unwrap();
    let objection = ObjectionKind::OtherImplementation {
        control: "AgentFarm".to_owned(),
        candidate: "built into Fairtrial".to_owned(),
    };
    for (origin, other) in [
        ("{\"kind\": \"builtin\"}", true),
        ("{\"kind\": \"python\", \"module\": \"theirs\"}", false),
    ] {
        let ours = marked(origin);
        let comparison =
            compare(Inputs::Two(&original, &ours), &CompareOptions::default()).unwrap();
        let verdict = &only_contrast(&comparison).metrics[0].verdict;
        assert_eq!(objects(verdict, &objection), other, "{origin}");
    }
}

#[test]
fn iterations_that_a_failed_trial_did_not_reach_are_failures() {
    let result = |seconds: f64, status: &str, there: u32| {
        let iterations: Vec<String> = (0..there)
            .map(|index| {
                let duration = seconds + f64::from(index) * 0.001;
                format!("{{\"index\": {index}, \"duration_s\": {duration}, \"metrics\": {{}}}}")
            })
            .collect();
        let text = format!(
            "{{\"name\": \"w\", \"run_id\": \"R\", \"status\": \"{status}\", \"iterations\": {{\"warmup\": 0, \
             \"measured\": 10}}, \"iteration_metrics\": [{}]}}",
            iterations.join(", ")
        );
        Dataset::from_result_json("w.json", &text).unwrap()
    };
    let (whole, broken) = (result(1.0, "success", 10), result(0.5, "failed", 8));
    assert!(whole.problems.is_empty());
    assert_eq!(
        broken.problems,
        [
            "result R: the trial ended as `failed`; 2 of its 10 iterations are not there, which counts as one failure"
        ]
    );
    let comparison = compare(Inputs::Two(&whole, &broken), &CompareOptions::default()).unwrap();
    let failures = &only_contrast(&comparison).failures;
    assert_eq!(
        (failures.candidate.failed, failures.candidate.trials),
        (1, 1)
    );
    assert_eq!((failures.control.failed, failures.control.trials), (0, 1));
    // One process against one: that one of them broke says nothing.
    assert!(failures.p.unwrap() > 0.4, "{failures:?}");
    assert_eq!(comparison.problems.len(), 1);
    let torn = result(0.5, "failed", 10);
    assert_eq!(
        torn.problems,
        ["result R: the trial ended as `failed`; all its iterations are there"]
    );
}

#[test]
fn a_file_that_is_no_result_file_is_refused() {
    let error = Dataset::from_result_json("x.json", "{\"name\": 1}").unwrap_err();
    assert!(matches!(error, AnalysisError::Content { .. }));
    assert!(
        error.to_string().starts_with("x.json: not a result file"),
        "{error}"
    );
}

#[test]
fn tables_are_paired_by_their_names_and_seeds() {
    let table = |lift: f64| {
        let mut text = "experiment,seed,percent_correct,match_steps\n".to_owned();
        for (place, name) in ["base_10", "noise", "pose"].iter().enumerate() {
            for seed in 1..=4_i32 {
                let value = 80.0
                    + place as f64
                    + f64::from(seed * seed % 3)
                    + lift * (1.0 + 0.1 * f64::from(seed));
                text.push_str(
                    &[
                        name.to_string(),
                        seed.to_string(),
                        format!("{value}%"),
                        "31".to_owned(),
                    ]
                    .join(","),
                );
                text.push('\n');
            }
        }
        Dataset::from_csv("table.csv", &text).unwrap()
    };
    let (a, b) = (table(0.0), table(2.0));
    let options = CompareOptions {
        direction: UP,
        metrics: vec!["percent_correct".into()],
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&a, &b), &options).unwrap();
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(found.verdict.word, Word::Improved);
    assert_eq!((found.count.paired, found.count.tasks), (true, 3));
    assert_eq!(only_contrast(&comparison).tasks.len(), 3);
    let options = CompareOptions {
        metrics: vec!["match_steps".into()],
        ..options
    };
    let comparison = compare(Inputs::Two(&a, &b), &options).unwrap();
    assert_eq!(
        only_contrast(&comparison).metrics[0].verdict.word,
        Word::Identical
    );
}

/// Rows in which the first arm named is 0, 1, 2, ..., and every further one better by 10.
fn arms_table(arms: &[&str]) -> Dataset {
    let mut rows = vec!["arm,seed,score".to_owned()];
    for seed in 0..6 {
        for (place, arm) in arms.iter().enumerate() {
            let value = seed * seed % 5 + 10 * place as i32 + seed % 2 * place as i32;
            rows.push(format!("{arm},{seed},{value}"));
        }
    }
    Dataset::from_csv("two.csv", &rows.join("\n")).unwrap()
}

#[test]
fn the_control_of_a_table_is_the_arm_of_that_name_else_the_first() {
    let options = CompareOptions {
        direction: UP,
        ..CompareOptions::default()
    };
    let found = |arms: &[&str]| {
        let data = arms_table(arms);
        let comparison = compare(Inputs::Arms(&data), &options).unwrap();
        let contrast = only_contrast(&comparison);
        let control = contrast.control.arm.clone().unwrap();
        (control, contrast.metrics[0].verdict.word)
    };
    // "candidate" comes before "control" and "old" after "new" in the alphabet.
    let is = |control: &str, word| (control.to_owned(), word);
    assert_eq!(
        found(&["control", "candidate"]),
        is("control", Word::Improved)
    );
    assert_eq!(
        found(&["candidate", "control"]),
        is("control", Word::Regressed)
    );
    assert_eq!(found(&["old", "new"]), is("old", Word::Improved));
}

#[test]
fn bad_tables_are_refused_with_their_row() {
    let message = |text: &str| Dataset::from_csv("t.csv", text).unwrap_err().to_string();
    assert_eq!(
        message("task,score\na,x\n"),
        "t.csv: no column holds numbers"
    );
    assert_eq!(
        message("task,rollout,score\na,one,1\n"),
        "t.csv: row 2: `one` is not a rollout"
    );
    let twice = "task,seed,rollout,score\na,1,0,1\na,1,0,2\n";
    assert_eq!(
        message(twice),
        "t.csv: row 3: this task, arm, seed and rollout stands in the table twice"
    );
}

#[test]
fn rows_have_a_cell_for_every_title() {
    let message = |text: &str| Dataset::from_csv("t.csv", text).unwrap_err().to_string();
    // A decimal comma without quotes: 0.95 would be 0, and every row the same.
    assert_eq!(
        message("seed,acc\n1,0.5\n2,0,95\n"),
        "t.csv: row 3 has 3 cells, but there are 2 titles: write decimals with a point (`0.95`), and a cell that holds a \
         comma in quotes"
    );
    assert_eq!(
        message("seed,acc,loss\n1,0.5,2\n2,0.9\n"),
        "t.csv: row 3 has 2 cells, but there are 3 titles: write a comma for each cell that is missing (or is the file cut \
         off?)"
    );
    // Nothing after the last comma is nothing.
    let trailing = Dataset::from_csv("t.csv", "seed,acc,\n1,0.5,\n2,0.9\n3,0.8,,\n").unwrap();
    assert_eq!(trailing.metric_names(), ["acc"]);
    assert!(trailing.problems.is_empty());
}

#[test]
fn columns_without_a_title_are_no_metrics_and_titles_differ() {
    let index = ",seed,acc\n0,1,0.91\n1,2,0.92\n";
    let data = Dataset::from_csv("t.csv", index).unwrap();
    assert_eq!(data.metric_names(), ["acc"]);
    assert_eq!(
        data.problems,
        ["t.csv: column 1 has no title and is not used (an index that a program wrote?)"]
    );
    // Names without a title are still names.
    let named = Dataset::from_csv("t.csv", ",acc\npong,0.9\nbreakout,0.8\n").unwrap();
    assert_eq!(
        (named.metric_names(), named.problems.len()),
        (vec!["acc".to_owned()], 0)
    );
    let message = |text: &str| Dataset::from_csv("t.csv", text).unwrap_err().to_string();
    assert_eq!(
        message("seed,acc,loss,acc\n1,2,3,4\n"),
        "t.csv: the title `acc` stands twice (columns 2 and 4): give each column its own"
    );
    assert_eq!(
        message("seed,acc,Seed\n1,2,3\n"),
        "t.csv: the title `Seed` stands twice (columns 1 and 3): give each column its own"
    );
}

#[test]
fn a_column_is_in_percent_or_it_is_not() {
    let error = Dataset::from_csv("t.csv", "seed,acc\n1,90%\n2,0.95\n3,91 %\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv: column `acc` has a percent sign in row 2 (`90%`), row 4 (`91 %`), and none in row 3 (`0.95`): `90%` and \
         `0.9` are read as 90 and 0.9, so write all of them one way"
    );
}

#[test]
fn a_decimal_comma_is_refused_and_not_read_as_thousands() {
    let message = |text: &str| Dataset::from_csv("t.csv", text).unwrap_err().to_string();
    assert_eq!(
        message("seed,score\n1,\"0,95\"\n2,\"0,91\"\n"),
        "t.csv: column `score`, row 2 (`0,95`): write a decimal point (`0.95`); a comma is read between thousands alone \
         (`1,234.5`)"
    );
    let thousands =
        Dataset::from_csv("t.csv", "seed,score\n1,\"1,234\"\n2,\"12,345.5\"\n").unwrap();
    assert_eq!(thousands.metric_names(), ["score"]);
}

#[test]
fn a_missing_value_does_not_make_names_of_the_numbers_beside_it() {
    let read = |bad: &str| {
        let rows = format!("seed,score,loss\n0,6.1,0.9\n1,{bad},1.0\n2,5.2,1.1\n3,5.3,0.8\n");
        Dataset::from_csv("t.csv", &rows)
    };
    let whole = read("4.2").unwrap();
    let options = CompareOptions {
        direction: UP,
        metrics: vec!["score".into()],
        ..CompareOptions::default()
    };
    for mark in ["", "NA", "N/A", "nan", "null", "-"] {
        let data = read(mark).unwrap();
        assert_eq!(data.metric_names(), ["loss", "score"], "{mark}");
        let comparison = compare(Inputs::Two(&whole, &data), &options).unwrap();
        let found = &only_contrast(&comparison).metrics[0];
        assert_eq!((found.count.control, found.dropped.len()), (3, 1), "{mark}");
    }
    let message = read("abc").unwrap_err().to_string();
    assert_eq!(
        message,
        "t.csv: column `score` holds numbers, but none in row 3 (`abc`): write a number, or nothing (or `NA`) where there is \
         none"
    );
    // The names of commits can look like numbers; they are remarks, and the table says so.
    let commits = "seed,commit,score\n0,1234567,6.1\n1,ab34567,4.2\n2,cd34567,5.2\n";
    let data = Dataset::from_csv("t.csv", commits).unwrap();
    assert_eq!(data.metric_names(), ["score"]);
    assert_eq!(
        data.problems,
        ["the column `commit` holds more words than numbers and is not used"]
    );
}

#[test]
fn metrics_that_both_sides_have_are_named_once() {
    let data = Dataset::from_csv("t.csv", "seed,loss\n0,1\n1,2\n").unwrap();
    let options = CompareOptions {
        metrics: vec!["score".into()],
        ..CompareOptions::default()
    };
    let error = compare(Inputs::Two(&data, &data), &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no trial reports the metric `score`; there are loss"
    );
}

#[test]
fn rows_of_a_table_without_seeds_are_repetitions() {
    let table = |values: &[f64]| {
        let rows: Vec<String> = values
            .iter()
            .map(|value| format!("speed,{value}"))
            .collect();
        Dataset::from_csv("t.csv", &format!("task,score\n{}\n", rows.join("\n"))).unwrap()
    };
    let (a, b) = (
        table(&[1.0, 1.1, 0.9, 1.05, 0.95]),
        table(&[2.0, 2.1, 1.9, 2.05]),
    );
    let options = CompareOptions {
        direction: UP,
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&a, &b), &options).unwrap();
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(
        (found.count.unit, found.count.paired),
        (UnitKind::Rollout, false)
    );
    assert_eq!((found.count.control, found.count.candidate), (5, 4));
    assert_eq!(found.verdict.word, Word::Improved);
}

/// Result files of so many processes, each with its own speed.
fn processes(side: &str, number: u64, slower: f64) -> Vec<(String, String)> {
    let mut stream = Stream::new(14, Purpose::new(side), number);
    let mut file = |process: usize| {
        let speed = slower * (1.0 + 0.05 * stream.normal());
        let mut iterations = Vec::new();
        for index in 0..30 {
            let seconds = speed * (0.01 * stream.normal()).exp();
            iterations.push(format!(
                "{{\"index\": {index}, \"duration_s\": {seconds}, \"metrics\": {{}}}}"
            ));
        }
        let text = format!(
            "{{\"run_id\": \"{side}{process}\", \"name\": \"bench\", \"iterations\": {{\"measured\": 30}}, \
             \"iteration_metrics\": [{}]}}",
            iterations.join(", ")
        );
        (format!("{side}/{process}.json"), text)
    };
    (0..8).map(&mut file).collect()
}

fn of_processes(before: &[(String, String)], after: &[(String, String)]) -> MetricComparison {
    let before = Dataset::from_result_files("before", before).unwrap();
    let after = Dataset::from_result_files("after", after).unwrap();
    let found = compare(Inputs::Two(&before, &after), &CompareOptions::default()).unwrap();
    found.primary().next().unwrap().clone()
}

#[test]
fn several_processes_are_judged_by_their_means() {
    let found = of_processes(&processes("a", 0, 1.0), &processes("b", 0, 1.3));
    assert_eq!(found.verdict.word, Word::Regressed, "{found:?}");
    assert_eq!((found.count.control, found.count.candidate), (8, 8));
    // What processes differ by is five times what iterations do, and is counted.
    let wrong = (1..=300)
        .filter(|number| {
            let sides = [processes("a", *number, 1.0), processes("b", *number, 1.0)];
            let word = of_processes(&sides[0], &sides[1]).verdict.word;
            matches!(word, Word::Improved | Word::Regressed)
        })
        .count();
    assert!(wrong < 25, "{wrong} of 300");
    // A process that ended on the way is one failure, whatever it had measured.
    let mut cut = processes("b", 0, 1.3);
    cut[0].1 = cut[0].1.replace("\"measured\": 30", "\"measured\": 100");
    let found = of_processes(&processes("a", 0, 1.0), &cut);
    assert_eq!((found.count.control, found.count.candidate), (8, 7));
}
