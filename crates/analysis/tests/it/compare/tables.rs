//! Tables as people have them: read where it is safe, refused with the lines where it is not.

use super::lab::only_contrast;
use fairtrial_analysis::compare::{DataKind, Inputs, Word};
use fairtrial_analysis::{CompareOptions, Comparison, Dataset, compare};
use fairtrial_model::Direction;

fn read(text: &str) -> Dataset {
    Dataset::from_csv("t.csv", text).unwrap()
}

fn lines(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

fn refused(text: &str) -> String {
    Dataset::from_csv("t.csv", text).unwrap_err().to_string()
}

fn arms(data: &Dataset, options: CompareOptions) -> Comparison {
    let options = CompareOptions {
        direction: Some(Direction::Up),
        ..options
    };
    compare(Inputs::Arms(data), &options).unwrap()
}

/// `seed,arm,score`, with 12 seeds on both sides and a clear difference.
fn long() -> String {
    let mut text = vec!["seed,arm,score".to_owned()];
    for seed in 0..12 {
        let noise = f64::from(seed % 5) / 10.0;
        text.push(format!("{seed},control,{}", 10.0 + noise));
        text.push(format!("{seed},candidate,{}", 12.0 + 2.0 * noise));
    }
    lines(&text)
}

fn verdict(data: &Dataset) -> (Word, usize) {
    let comparison = arms(data, CompareOptions::default());
    let metric = &only_contrast(&comparison).metrics[0];
    (metric.verdict.word, metric.count.control)
}

#[test]
fn rows_without_a_seed_are_refused_with_their_lines() {
    let text = long().replace("\n3,control", "\n,control");
    assert_eq!(
        refused(&text),
        "t.csv: no seed in line 8: write one in every row, or remove the column"
    );
    let text = text.replace("\n5,", "\n,");
    assert_eq!(
        refused(&text),
        "t.csv: no seed in lines 8, 12, 13: write one in every row, or remove the column"
    );
}

#[test]
fn a_column_that_counts_rows_is_never_the_metric_by_itself() {
    // By its title.
    let mut text = vec!["seed,arm,epoch,score".to_owned()];
    for seed in 0..6 {
        for epoch in 0..3 {
            let value = f64::from(seed % 4) / 10.0 + f64::from(epoch);
            text.push(format!("{seed},control,{epoch},{value}"));
            text.push(format!(
                "{seed},candidate,{epoch},{}",
                value + 1.0 + value / 9.0
            ));
        }
    }
    let data = read(&lines(&text));
    let comparison = arms(&data, CompareOptions::default());
    let metrics = &only_contrast(&comparison).metrics;
    assert_eq!((metrics.len(), metrics[0].metric.as_str()), (1, "score"));
    assert_eq!(
        data.problems,
        ["t.csv: rows of the same task, arm and seed are averaged, up to 3 in one (over `epoch`)"]
    );
    // Where it is named, it is meant.
    let named = CompareOptions {
        metrics: vec!["epoch".to_owned()],
        ..CompareOptions::default()
    };
    assert_eq!(
        only_contrast(&arms(&data, named)).metrics[0].metric,
        "epoch"
    );
    // By what it does.
    let data = read("number,zeta\n1,1.5\n2,0.5\n3,1.5\n4,2.5\n5,0.5\n");
    assert_eq!(data.counters, ["number"]);
    let only = read("number\n1\n2\n3\n4\n5\n");
    let error = compare(Inputs::Two(&only, &only), &CompareOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the only numbers are in `number`, which seems to count rows: if it is the metric, name it with --metric number"
    );
    assert!(read("seed,score\n1,1\n2,2\n3,3\n").counters.is_empty());
}

#[test]
fn the_same_table_in_other_dress_has_the_same_verdict() {
    let plain = long();
    let expected = verdict(&read(&plain));
    assert_eq!(expected, (Word::Improved, 12));
    for separator in ["\t", ";", " ; "] {
        assert_eq!(verdict(&read(&plain.replace(',', separator))), expected);
    }
    // Seeds that are words, and seeds of a table of floats.
    let words = plain.replace('\n', "\nfold-").replace("fold-seed", "seed");
    let words = read(words.trim_start_matches("fold-").trim_end_matches("fold-"));
    assert_eq!(verdict(&words), expected);
    assert!(
        words.problems[0]
            .starts_with("seeds that are no whole numbers are shown as numbers: `fold-0` = ")
    );
    let floats = plain.replace(",c", ".0,c");
    assert_eq!(verdict(&read(&floats)), expected);
    // One column for each arm.
    let mut wide = vec!["seed,control,candidate".to_owned()];
    for seed in 0..12 {
        let noise = f64::from(seed % 5) / 10.0;
        wide.push(format!("{seed},{},{}", 10.0 + noise, 12.0 + 2.0 * noise));
    }
    let wide = read(&lines(&wide));
    assert_eq!(verdict(&wide), expected);
    assert_eq!(
        wide.problems,
        ["t.csv: each column of numbers is taken as an arm: control, candidate"]
    );
    assert_eq!(wide.metric_names(), ["value"]);
    // A table of metrics has no column called control, and is not taken for one of arms.
    assert_eq!(
        read("seed,acc,loss\n1,2,3\n2,3,4\n").metric_names(),
        ["acc", "loss"]
    );
    // Decimal commas are not safe, whatever stands between the cells.
    assert!(refused("seed;acc\n1;0,95\n2;0,91\n").contains("write a decimal point"));
}

#[test]
fn true_and_false_are_pass_and_fail() {
    let mut text = vec!["seed,arm,solved".to_owned()];
    for seed in 0..20 {
        text.push(format!(
            "{seed},control,{}",
            if seed < 4 { "True" } else { "False" }
        ));
        text.push(format!(
            "{seed},candidate,{}",
            if seed < 17 { "true" } else { "FALSE" }
        ));
    }
    let data = read(&lines(&text));
    let comparison = arms(&data, CompareOptions::default());
    let metric = &only_contrast(&comparison).metrics[0];
    assert_eq!(
        (metric.kind, metric.verdict.word),
        (DataKind::Binary, Word::Improved)
    );
    // Among numbers they are not numbers.
    assert!(refused("seed,x\n1,0.5\n2,0.7\n3,true\n").contains("row 4 (`true`)"));
}

#[test]
fn zeros_and_ones_with_a_unit_are_not_pass_and_fail() {
    let table = |title: &str| {
        let mut text = vec![format!("seed,arm,{title}")];
        for seed in 0..12 {
            text.push(format!("{seed},control,{}", i32::from(seed % 3 == 0)));
            text.push(format!("{seed},candidate,{}", i32::from(seed % 2 == 0)));
        }
        read(&lines(&text))
    };
    let kind = |data: &Dataset, unit: Option<&str>| {
        let options = CompareOptions {
            unit: unit.map(str::to_owned),
            ..CompareOptions::default()
        };
        only_contrast(&arms(data, options)).metrics[0].kind
    };
    assert_eq!(kind(&table("solved"), None), DataKind::Binary);
    assert_eq!(kind(&table("solved"), Some("MB")), DataKind::Scalar);
    assert_eq!(kind(&table("solved"), Some("ms")), DataKind::Timing);
    assert_eq!(kind(&table("tokens_per_second"), None), DataKind::Scalar);
    // Always 1.
    let always = |title| {
        format!("seed,arm,{title}\n1,control,1\n2,control,1\n1,candidate,1\n2,candidate,1\n")
    };
    assert_eq!(kind(&read(&always("gpus")), Some("GPUs")), DataKind::Scalar);
    assert_eq!(kind(&read(&always("fps")), None), DataKind::Scalar);
}

#[test]
fn one_arm_of_a_source_is_compared_alone() {
    let data = read(&long());
    let (control, candidate) = (
        data.of_arm("control").unwrap(),
        data.of_arm("candidate").unwrap(),
    );
    let options = CompareOptions {
        direction: Some(Direction::Up),
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&control, &candidate), &options).unwrap();
    let metric = &only_contrast(&comparison).metrics[0];
    assert_eq!((metric.verdict.word, metric.count.control), verdict(&data));
    assert_eq!(
        data.of_arm("other").unwrap_err().to_string(),
        "t.csv has no arm `other`; its arms are control, candidate"
    );
}
