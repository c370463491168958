//! Several tasks in a few numbers: who beats whom, and scores on one scale.

use super::lab::{DOWN, UP, dataset, only_contrast, run};
use crate::common::{measured, record};
use fairtrial_analysis::compare::{
    DataKind, Inputs, MethodNote, NoScores, Pairing, Ranged, SuiteOpinion, TaskRole, Word,
};
use fairtrial_analysis::{CompareOptions, compare};
use fairtrial_model::{Direction, Margin, Outcome, Points, Record, Reference};
use fairtrial_stats::rng::{Purpose, Stream};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Runs of both arms: by task, control and candidate.
type Runs = Vec<(String, Vec<f64>, Vec<f64>)>;

fn records(runs: &Runs) -> Vec<Record> {
    let mut all = Vec::new();
    for (task, control, candidate) in runs {
        for (arm, scores) in [("control", control), ("candidate", candidate)] {
            for (seed, score) in scores.iter().enumerate() {
                let record = record(all.len() as u64, task, arm, seed as u64);
                all.push(measured(record, &[("score", *score)]));
            }
        }
    }
    all
}

fn suite(
    runs: &Runs,
    direction: Option<Direction>,
    reference: Option<Reference>,
) -> Option<SuiteOpinion> {
    let mut data = dataset(direction, None, &records(runs));
    data.declared[0].reference = reference;
    suite_of(&data, &CompareOptions::default())
}

fn suite_of(data: &fairtrial_analysis::Dataset, options: &CompareOptions) -> Option<SuiteOpinion> {
    let comparison = run(data, options);
    only_contrast(&comparison).metrics[0]
        .second_opinions
        .suite
        .clone()
}

fn two_tasks() -> Runs {
    vec![
        ("easy".into(), vec![1.0, 2.0, 3.0], vec![2.5, 3.5, 4.0]),
        (
            "hard".into(),
            vec![10.0, 20.0, 30.0],
            vec![15.0, 20.0, 25.0],
        ),
    ]
}

fn points(zero: f64, one: f64) -> Points {
    Points::new(zero, one).unwrap()
}

#[test]
fn the_chance_to_beat_a_run_counts_ties_by_half_and_knows_which_way_is_better() {
    // easy: 2.5 beats two, 3.5 and 4 all three: 8 of 9. hard: 15 beats one, 20 one and ties one, 25 two: 4.5 of 9.
    let chance = 0.5 * (8.0 / 9.0 + 4.5 / 9.0);
    let found = suite(&two_tasks(), UP, None).unwrap();
    let better = found.improvement.unwrap();
    assert!((better.value - chance).abs() < 1e-12, "{better:?}");
    assert!(better.low < chance && chance < better.high);
    let lower = suite(&two_tasks(), DOWN, None).unwrap().improvement;
    assert!((lower.unwrap().value - (1.0 - chance)).abs() < 1e-12);
    // Without reference points the scores of two tasks have no common scale.
    assert_eq!(
        (found.tasks, found.scores, found.no_scores),
        (2, vec![], None)
    );
}

#[test]
fn scores_are_put_on_one_scale_by_their_reference_points() {
    let by_task = BTreeMap::from([
        ("easy".to_owned(), points(0.0, 4.0)),
        ("hard".to_owned(), points(0.0, 40.0)),
    ]);
    let found = suite(&two_tasks(), UP, Some(Reference::ByTask(by_task.clone()))).unwrap();
    let names: Vec<&str> = found.scores.iter().map(|score| score.statistic).collect();
    assert_eq!(
        names,
        ["interquartile mean", "mean", "median", "optimality gap"]
    );
    let mean = &found.scores[1];
    assert!((mean.control.value - 0.5).abs() < 1e-12);
    let easy = (2.5 + 3.5 + 4.0) / 12.0;
    assert!((mean.candidate.value - 0.5 * (easy + 0.5)).abs() < 1e-12);
    let iqm = &found.scores[0];
    // All six in order, without one at each end.
    assert!((iqm.control.value - 0.5).abs() < 1e-12);
    for score in &found.scores {
        let apart = score.candidate.value - score.control.value;
        assert!((score.difference.value - apart).abs() < 1e-12);
        assert!(score.difference.low <= apart && apart <= score.difference.high);
    }
    let mut lacking = by_task;
    lacking.remove("hard");
    let found = suite(&two_tasks(), UP, Some(Reference::ByTask(lacking))).unwrap();
    assert!(found.scores.is_empty());
    assert_eq!(
        found.no_scores,
        Some(NoScores::NoPoints {
            task: "hard".to_owned()
        })
    );
}

#[test]
fn each_side_has_an_interval_of_its_own() {
    let mut stream = Stream::new(4, Purpose::new("suite-sides"), 0);
    let mut side = |spread: f64| -> Vec<f64> {
        let runs = (0..30).map(|_| 0.5 + spread * stream.normal());
        runs.collect()
    };
    let (control, candidate) = ([side(0.1), side(0.1)], [side(0.4), side(0.4)]);
    let tasks = ["easy", "hard"].iter().zip(control.iter().zip(&candidate));
    let runs: Runs = tasks
        .map(|(task, (control, candidate))| ((*task).into(), control.clone(), candidate.clone()))
        .collect();
    let found = suite(&runs, UP, Some(Reference::Same(points(0.0, 1.0)))).unwrap();
    let mean = &found.scores[1];
    // Of a mean over two tasks the bootstrap gives 1.96 standard errors to each side: of this side alone.
    for (shown, runs) in [(mean.control, &control), (mean.candidate, &candidate)] {
        let variance = |runs: &Vec<f64>| {
            let mean = runs.iter().sum::<f64>() / 30.0;
            runs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 29.0
        };
        let error = (runs.iter().map(variance).sum::<f64>() / 30.0 / 4.0).sqrt();
        for end in [shown.value - shown.low, shown.high - shown.value] {
            assert!(
                (end / (1.96 * error) - 1.0).abs() < 0.08,
                "{shown:?} {error}"
            );
        }
    }
    for score in &found.scores {
        let width = |of: Ranged| of.high - of.low;
        assert!(
            width(score.candidate) > 2.0 * width(score.control),
            "{score:?}"
        );
    }
}

/// Lower is better, and the second task counts in thousands: raw, it alone would decide.
fn errors() -> Runs {
    let small: Vec<f64> = (0..6).map(|seed| 10.0 + 0.1 * f64::from(seed)).collect();
    let large: Vec<f64> = (0..6)
        .map(|seed| 9000.0 + 300.0 * f64::from(seed))
        .collect();
    let better = small.iter().zip([0.9, 1.1, 1.0, 1.2, 0.8, 1.0]);
    let same = large
        .iter()
        .zip([400.0, -700.0, 600.0, -200.0, 100.0, -150.0]);
    vec![
        (
            "small".into(),
            small.clone(),
            better.map(|(x, less)| x - less).collect(),
        ),
        (
            "large".into(),
            large.clone(),
            same.map(|(x, more)| x + more).collect(),
        ),
    ]
}

#[test]
fn the_verdict_is_made_on_the_common_scale() {
    let raw = dataset(DOWN, None, &records(&errors()));
    let comparison = run(&raw, &CompareOptions::default());
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(found.verdict.word, Word::Inconclusive);
    // The worse end first: 1 is the better one.
    let by_task = BTreeMap::from([
        ("small".to_owned(), points(12.0, 8.0)),
        ("large".to_owned(), points(100_000.0, 0.0)),
    ]);
    let mut data = raw.clone();
    data.declared[0].reference = Some(Reference::ByTask(by_task));
    let comparison = run(&data, &CompareOptions::default());
    let contrast = only_contrast(&comparison);
    let found = &contrast.metrics[0];
    assert_eq!(found.verdict.word, Word::Improved, "{:?}", found.effect);
    assert_eq!(
        (found.direction, found.unit.as_deref()),
        (UP, Some("normalised"))
    );
    assert!(found.method.as_ref().unwrap().between_points);
    let small = 1.0 / 4.0;
    let large = -(400.0 - 700.0 + 600.0 - 200.0 + 100.0 - 150.0) / 6.0 / 100_000.0;
    let gain = found.effect.as_ref().unwrap().absolute.value;
    assert!((gain - 0.5 * (small + large)).abs() < 1e-9, "{gain}");
    // The tasks are on that scale too.
    let task = contrast.tasks.iter().find(|line| line.task == "small");
    assert!((task.unwrap().difference.unwrap() - small).abs() < 1e-9);
}

#[test]
fn arms_are_ranked_on_the_common_scale() {
    let runs = errors();
    let mut all = records(&runs);
    let third: Vec<Record> = all
        .iter()
        .filter(|record| record.trial.arm.as_deref() == Some("control"))
        .cloned()
        .collect();
    for mut record in third {
        record.trial.index += 1000;
        record.trial.arm = Some("worse".into());
        let score = record.metrics.get_mut("score").unwrap();
        // A tenth worse where errors are small, a little better where they are large.
        score.0 += if record.trial.task == "small" {
            1.0
        } else {
            -900.0
        };
        all.push(record);
    }
    let mut data = dataset(DOWN, None, &all);
    data.arm_order.push("worse".into());
    let by_task = BTreeMap::from([
        ("small".to_owned(), points(12.0, 8.0)),
        ("large".to_owned(), points(100_000.0, 0.0)),
    ]);
    let order = |data: &fairtrial_analysis::Dataset| -> Vec<String> {
        let comparison = run(data, &CompareOptions::default());
        let ranked = comparison.rankings[0].arms.iter();
        ranked.map(|arm| arm.arm.clone()).collect()
    };
    assert_eq!(order(&data)[0], "worse");
    data.declared[0].reference = Some(Reference::ByTask(by_task));
    assert_eq!(order(&data), ["candidate", "control", "worse"]);
}

#[test]
fn points_on_the_command_line_win() {
    let data = dataset(UP, None, &records(&two_tasks()));
    let options = CompareOptions {
        reference: Some(Reference::Same(points(0.0, 10.0))),
        ..CompareOptions::default()
    };
    let found = suite_of(&data, &options).unwrap();
    assert!((found.scores[1].control.value - 1.1).abs() < 1e-12);
}

#[test]
fn nothing_is_said_about_one_task_about_tasks_like_these_or_about_pass_and_fail() {
    let one = two_tasks()[..1].to_vec();
    assert_eq!(suite(&one, UP, None), None);
    let data = dataset(UP, None, &records(&two_tasks()));
    let options = CompareOptions {
        tasks: TaskRole::Random,
        ..CompareOptions::default()
    };
    assert_eq!(suite_of(&data, &options), None);
    let passes: Runs = ["a", "b"]
        .map(|task| (task.to_owned(), vec![0.0, 1.0, 0.0], vec![1.0, 1.0, 0.0]))
        .to_vec();
    let data = dataset(UP, None, &records(&passes));
    let options = CompareOptions {
        tasks: TaskRole::Fixed,
        ..CompareOptions::default()
    };
    assert_eq!(suite_of(&data, &options), None);
}

fn shared() -> PathBuf {
    std::env::var_os("FAIRTRIAL_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    )
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The published Atari 100k runs, as a user would compare them: raw scores, with the random and the human player as
/// reference points.
#[test]
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
fn published_results_come_out_of_raw_scores() {
    let Ok(text) = std::fs::read_to_string(shared().join("fixtures/upstream/atari100k.json"))
    else {
        println!("skipped: no Atari 100k scores in the shared folder");
        return;
    };
    let data: Value = serde_json::from_str(&text).unwrap();
    let golden: Value = serde_json::from_str(include_str!(
        "../../../../stats/tests/goldens/rliable_atari100k.json"
    ))
    .unwrap();
    let games: Vec<String> = serde_json::from_value(data["games"].clone()).unwrap();
    let (random, human) = (numbers(&data["random"]), numbers(&data["human"]));
    let scores = |arm: &str, game: usize| -> Vec<f64> {
        let runs = data["scores"][arm].as_array().unwrap();
        runs.iter().map(|run| numbers(run)[game]).collect()
    };
    let runs: Runs = (0..games.len())
        .map(|game| {
            let sides = (scores("SimPLe", game), scores("IRIS", game));
            (games[game].clone(), sides.0, sides.1)
        })
        .collect();
    let by_game = (0..games.len())
        .map(|game| (games[game].clone(), points(random[game], human[game])))
        .collect();
    let mut source = dataset(UP, None, &records(&runs));
    source.declared[0].reference = Some(Reference::ByTask(by_game));
    let options = CompareOptions {
        pairing: Pairing::Unpaired,
        ..CompareOptions::default()
    };
    let found = suite_of(&source, &options).unwrap();
    let close = |got: f64, want: &Value| {
        let want = want.as_f64().unwrap();
        assert!((got - want).abs() < 1e-10 * want.abs(), "{got} {want}");
    };
    let chance = found.improvement.unwrap();
    close(chance.value, &golden["prob_improvement"]["IRIS>SimPLe"]);
    for (score, key) in found
        .scores
        .iter()
        .zip(["iqm", "mean", "median", "optimality_gap"])
    {
        close(score.control.value, &golden["point"]["SimPLe"][key]);
        close(score.candidate.value, &golden["point"]["IRIS"][key]);
    }
}

#[test]
fn points_that_contradict_the_direction_are_refused() {
    let mut data = dataset(UP, None, &records(&two_tasks()));
    data.declared[0].reference = Some(Reference::Same(points(10.0, 0.0)));
    let refused = compare(Inputs::Arms(&data), &CompareOptions::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the reference points of `score` have their better end where its direction has the worse one"
    );
}

/// Scores of 50 against 40 on three tasks.
fn a_clear_loss() -> Runs {
    let noise = |task: u32, seed: u32| f64::from((task * 7 + seed * 5) % 6) * 0.5;
    let runs = |task: u32, level: f64| (0..6).map(|seed| level + noise(task, seed)).collect();
    let task = |task: u32| {
        (
            format!("task{task}"),
            runs(task, 50.0),
            runs(task + 1, 40.0),
        )
    };
    (0..3).map(task).collect()
}

#[test]
fn a_margin_in_the_metrics_unit_stays_in_it() {
    let mut data = dataset(UP, Some(Margin::Absolute(2.0)), &records(&a_clear_loss()));
    let margin_and_word = |data: &fairtrial_analysis::Dataset, options: &CompareOptions| {
        let found = run(data, options);
        let metric = &only_contrast(&found).metrics[0];
        let margin = metric.effect.as_ref().unwrap().margin.unwrap();
        (margin, metric.verdict.word)
    };
    let (margin, word) = margin_and_word(&data, &CompareOptions::default());
    assert_eq!((margin, word), (2.0, Word::Regressed));
    let given = CompareOptions {
        reference: Some(Reference::Same(points(0.0, 100.0))),
        ..CompareOptions::default()
    };
    let (margin, word) = margin_and_word(&data, &given);
    assert!((margin - 0.02).abs() < 1e-12 && word == Word::Regressed);
    data.declared[0].reference = given.reference;
    let (margin, word) = margin_and_word(&data, &CompareOptions::default());
    assert!((margin - 0.02).abs() < 1e-12 && word == Word::Regressed);
    // Two points are another score in each task.
    let by_task = (0..3_u32).map(|task| {
        let far = 100.0 + f64::from(task);
        (format!("task{task}"), points(0.0, far))
    });
    data.declared[0].reference = Some(Reference::ByTask(by_task.collect()));
    let refused = compare(Inputs::Arms(&data), &CompareOptions::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the margin 2 of `score` is in its unit, which is not the same score in every task: their reference points are \
         differently far apart; give a share of the control's score, like 2%"
    );
    data.declared[0].margin = Some(Margin::Relative(0.04));
    let (_, word) = margin_and_word(&data, &CompareOptions::default());
    assert_eq!(word, Word::Regressed);
}

#[test]
fn the_scale_does_not_hang_on_what_failed() {
    let mut all = records(&a_clear_loss());
    for record in &mut all {
        if record.trial.task != "task0" {
            record.outcome = Outcome::Failed;
            record.metrics.clear();
        }
    }
    let mut data = dataset(UP, None, &all);
    data.declared[0].reference = Some(Reference::Same(points(0.0, 100.0)));
    let found = run(&data, &CompareOptions::default());
    let metric = &only_contrast(&found).metrics[0];
    assert_eq!(metric.unit.as_deref(), Some("normalised"));
    assert!(metric.effect.as_ref().unwrap().absolute.value > -0.2);
    // A task without points counts as one though it failed.
    let only = BTreeMap::from([("task0".to_owned(), points(0.0, 100.0))]);
    data.declared[0].reference = Some(Reference::ByTask(only));
    let found = run(&data, &CompareOptions::default());
    assert_eq!(only_contrast(&found).metrics[0].unit, None);
}

#[test]
fn pass_and_fail_need_no_points() {
    let passes: Runs = (0..12)
        .map(|task| {
            let pass = |of: bool| vec![f64::from(u8::from(of))];
            (format!("task{task}"), pass(task < 2), pass(task < 10))
        })
        .collect();
    let data = dataset(UP, None, &records(&passes));
    let options = CompareOptions {
        reference: Some(Reference::Same(points(0.25, 1.0))),
        ..CompareOptions::default()
    };
    let found = only_contrast(&run(&data, &options)).metrics[0].clone();
    assert_eq!(
        (found.kind, found.unit.as_deref()),
        (DataKind::Binary, None)
    );
    let method = found.method.unwrap();
    assert!(method.name.starts_with("Tango"), "{method:?}");
    assert_eq!(method.note, Some(MethodNote::NoPointsNeeded));
}

#[test]
fn differences_of_pairs_are_drawn_in_pairs() {
    // Runs of a pair share nearly all of their noise.
    let runs: Runs = (0..8_u32)
        .map(|task| {
            let control: Vec<f64> = (0..5_u32)
                .map(|seed| 0.3 + f64::from((task * 7 + seed * 5) % 11) * 0.05)
                .collect();
            let shifted = control.iter().zip([0.03, 0.02, 0.04, 0.035, 0.025]);
            let candidate = shifted.map(|(score, shift)| score + shift).collect();
            (format!("task{task}"), control, candidate)
        })
        .collect();
    let data = dataset(UP, None, &records(&runs));
    let with = |pairing: Pairing| {
        let options = CompareOptions {
            reference: Some(Reference::Same(points(0.0, 1.0))),
            pairing,
            ..CompareOptions::default()
        };
        let metric = only_contrast(&run(&data, &options)).metrics[0].clone();
        let scores = metric.second_opinions.suite.unwrap().scores;
        (metric.effect.unwrap().absolute, scores)
    };
    for pairing in [Pairing::Auto, Pairing::Unpaired] {
        let (verdict, scores) = with(pairing);
        let mean = scores[1].difference;
        assert!((mean.value - verdict.value).abs() < 1e-12);
        let wide = (mean.high - mean.low) / (verdict.high - verdict.low);
        assert!((0.7..1.3).contains(&wide), "{pairing:?} {wide}");
    }
    let width = |pairing: Pairing, place: usize| {
        let of = with(pairing).1[place].difference;
        of.high - of.low
    };
    for place in 0..4 {
        assert!(
            width(Pairing::Auto, place) < 0.5 * width(Pairing::Unpaired, place),
            "{place}"
        );
    }
}
