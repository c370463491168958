//! The documented files and reports, byte for byte where the numbers do not come from unseeded draws.

use fairtrial_analysis::compare::Pairing;
use fairtrial_analysis::curves::{Analysis, Histories, Question, Runs, analyze};
use fairtrial_analysis::variance::{Variance, VarianceQuestion, variance};
use fairtrial_chart::Theme;
use fairtrial_journal::DataRoot;
use fairtrial_model::DOCUMENTED_SEEDS;
use fairtrial_report::Terminal;
use fairtrial_stats::bootstrap::Method;
use fairtrial_stats::{Level, Side};
use std::path::Path;

fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/tests/goldens/metta");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn histories() -> Histories {
    let table =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../stats/tests/goldens/run_histories.csv");
    Histories::new(DataRoot::at("nowhere"), Some(table))
}

fn ids(arm: &str) -> Vec<String> {
    let seeds = DOCUMENTED_SEEDS.iter();
    seeds.map(|seed| format!("{arm}.seed{seed}")).collect()
}

fn analysis(change: impl FnOnce(&mut Question)) -> Analysis {
    let mut histories = histories();
    let runs = Runs::Lists {
        control: histories.read(&ids("control"), "overview/reward").unwrap(),
        candidate: histories
            .read(&ids("candidate"), "overview/reward")
            .unwrap(),
    };
    let mut question = Question::new("overview/reward");
    question.bootstrap.method = Method::BcaMetta;
    change(&mut question);
    analyze(runs, &question).unwrap()
}

#[test]
fn the_csv_is_that_of_the_original() {
    let text = fairtrial_report::curves::csv(&analysis(|_| {})).unwrap();
    let expected = golden("golden_e2e_paired.csv");
    let (ours, theirs): (Vec<&str>, Vec<&str>) =
        (text.split('\n').collect(), expected.split('\n').collect());
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        if !theirs.starts_with("result,") {
            assert_eq!(ours, theirs);
            continue;
        }
        // These came from unseeded draws: the same line within their noise.
        let parts = |line: &str| -> (String, f64) {
            let cells: Vec<&str> = line.trim_end().split(',').collect();
            assert_eq!((cells.len(), cells[3]), (4, ""));
            (cells[1].to_owned(), cells[2].parse().unwrap())
        };
        let ((name, ours), (expected, theirs)) = (parts(ours), parts(theirs));
        assert_eq!(name, expected);
        assert!((ours - theirs).abs() < 0.01, "{name}: {ours} for {theirs}");
    }
}

#[test]
fn groups_and_open_ends_have_their_form_too() {
    let found = analysis(|question| {
        question.pairing = Pairing::Unpaired;
        question.bootstrap.level = Level {
            alpha: 0.05,
            side: Side::Less,
        };
    });
    let text = fairtrial_report::curves::csv(&found).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 30 + 3);
    assert_eq!(lines[1], "control,control.seed1072,10.5771737,");
    assert_eq!(lines[16], "candidate,candidate.seed1072,10.591653,");
    assert_eq!(lines[32], "result,ci_low,-inf,");
}

#[test]
fn the_verdict_is_the_first_line_and_every_documented_number_is_shown() {
    let found = analysis(|question| {
        question.power = Some(fairtrial_analysis::curves::PowerQuestion {
            target: 0.2,
            power: 0.8,
        });
    });
    let text = fairtrial_report::console::analysis(&found, Terminal::plain(160));
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("Improved: overview/reward changes by +0.34"),
        "{first}"
    );
    // The numbers of golden_e2e_paired_stdout.txt, at the digits of a terminal.
    for part in [
        "t = 6.418",
        "W = 0.9618",
        "p = 0.72",
        "p < 0.0001",
        "11 pairs find an effect of 0.2",
        "8.4 (normal approximation",
        "all resamples",
        "control.seed15866",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 160));
}

fn spread() -> Variance {
    let runs = histories()
        .read(&ids("control"), "overview/reward")
        .unwrap();
    variance(&runs, &VarianceQuestion::new("overview/reward")).unwrap()
}

#[test]
fn the_variance_report_is_that_of_the_original_to_the_letter() {
    let expected = golden("golden_variance_original_stdout.txt");
    let expected = expected.split("\nPlot saved to").next().unwrap();
    // A check mark that the recording mangled into a control character.
    let expected = expected.replace('\u{13}', "");
    assert_eq!(
        fairtrial_report::variance::documented(&spread()).trim(),
        expected.trim()
    );
}

#[test]
fn the_useful_answer_comes_first_and_says_why_it_differs() {
    let text = fairtrial_report::console::variance(&spread(), Terminal::plain(100));
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("15 runs of overview/reward give the mean to ±3.07 %"),
        "{first}"
    );
    assert!(
        text.contains("AUC: the documented rule stops at N = 3"),
        "{text}"
    );
    assert!(text.contains("It is a constant"), "{text}");
}

#[test]
fn the_figure_has_the_same_bytes_each_time_and_speaks_to_screen_readers() {
    let figure = fairtrial_report::variance::figure(&spread());
    let svg = figure.svg(Theme::Auto);
    assert_eq!(
        svg,
        fairtrial_report::variance::figure(&spread()).svg(Theme::Auto)
    );
    for part in [
        "role=\"img\"",
        "<title id=",
        "<desc id=",
        "prefers-color-scheme: dark",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    let png = figure.png(Theme::Dark, 1.0).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(png, figure.png(Theme::Dark, 1.0).unwrap());
}
