//! The shipped definitions of the Thousand Brains statistics against what their own loggers say.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use fairtrial_episode::{Answer, measure, per_episode};
use fairtrial_model::{EpisodeFile, Measure, MetricDeclaration, MetricSource};
use fairtrial_spec::{Format, LoadOptions, load_text};
use std::collections::BTreeMap;

const EVAL: &str = include_str!("goldens/synthetic_eval_stats.csv");
const TRAIN: &str = include_str!("goldens/synthetic_train_stats.csv");

fn declared() -> Vec<MetricDeclaration> {
    let text = "include = [\"preset:tbp\"]\ncommand = \"true\"\n";
    let loaded = load_text("suite.toml", text, Format::Toml, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    loaded.spec.unwrap().metrics
}

fn source(metric: &MetricDeclaration) -> Option<(&EpisodeFile, &Measure)> {
    match &metric.source {
        MetricSource::Episodes { episodes, measure } => Some((episodes, measure)),
        _ => None,
    }
}

/// Every metric of the preset over one of the two files.
fn measured(file_name: &str, text: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for metric in &declared() {
        let Some((file, asked)) = source(metric).filter(|(file, _)| file.file == file_name) else {
            continue;
        };
        let answers = measure(file, text.as_bytes(), &[asked]).unwrap();
        let convert = |value: f64| metric.convert.as_ref().map_or(value, |c| c.apply(value));
        match answers[0].clone().unwrap() {
            Answer::One { value, .. } => {
                found.insert(metric.name.clone(), convert(value));
            }
            Answer::Per(parts) => found.extend(
                parts
                    .into_iter()
                    .map(|(word, value)| (metric.name.replace("{lm_id}", &word), convert(value))),
            ),
        }
    }
    found
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12 * expected.abs().max(1.0)
}

#[test]
fn every_overall_statistic_is_reproduced() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("goldens/golden_overall_stats.json")).unwrap();
    let found = measured("**/eval_stats.csv", EVAL);
    let overall = golden["get_overall_stats"].as_object().unwrap();
    assert_eq!(overall.len(), 20);
    for (name, expected) in overall {
        let name = name.strip_prefix("overall/").unwrap();
        let expected = expected.as_f64().unwrap();
        assert!(
            near(found[name], expected),
            "{name}: {} {expected}",
            found[name]
        );
    }
    // Shares are exact to the last bit.
    assert_eq!(found["percent_confused"], 14.000000000000002);
    for (name, expected) in golden["per_lm"].as_object().unwrap() {
        assert_eq!(found[name], expected.as_f64().unwrap());
    }
}

#[test]
fn the_printed_statistics_are_reproduced() {
    let eval = measured("**/eval_stats.csv", EVAL);
    assert_eq!(format!("{:.2}", eval["run_time_per_step"]), "0.03");
    let train = measured("**/train_stats.csv", TRAIN);
    assert_eq!(train["unsupervised/first_epoch"], 80.0);
    assert_eq!(
        format!("{:.2}", train["unsupervised/later_epochs"]),
        "83.33"
    );
    assert_eq!(train["unsupervised/objects_per_graph"], 1.22);
    assert_eq!(train["unsupervised/graphs_per_object"], 1.1);
    assert_eq!(train["unsupervised/merged_graphs"], 1.0);
    assert_eq!(format!("{:.2}", train["unsupervised/run_time"]), "660.29");
    assert_eq!(
        format!("{:.1}", train["unsupervised/run_time"] / 60.0),
        "11.0"
    );
    assert_eq!(
        format!("{:.1}", train["unsupervised/avg_episode_run_time"]),
        "6.6"
    );
    assert_eq!(train["unsupervised/num_episodes"], 100.0);
}

/// Two modules per episode; the strongest verdict wins, times are the slowest module's, steps the largest.
const TWO_MODULES: &str = "\
primary_performance,num_steps,rotation_error,time,monty_steps,monty_matching_steps,goal_states_attempted,goal_state_achieved,episode_avg_prediction_error,primary_target_object,episode_seed,lm_id
time_out,10,,1.0,30,10,0,0,0.2,mug,1,LM_0
correct,12,4.0,3.0,30,10,2,1,0.4,mug,1,LM_1
confused,20,,2.0,60,20,4,4,0.2,bowl,2,LM_0
correct_mlh,25,8.0,2.5,60,20,0,0,0.2,bowl,2,LM_1
correct_mlh,30,2.0,4.0,90,30,1,1,0.1,cup,3,LM_0
correct_mlh,30,6.0,5.0,90,30,1,0,0.1,cup,3,LM_1
";

#[test]
fn several_modules_make_one_episode() {
    let found = measured("**/eval_stats.csv", TWO_MODULES);
    assert_eq!(found["num_episodes"], 3.0);
    // Episode 1 is correct through its second module, episode 2 confused (stronger than correct_mlh), episode 3 correct.
    assert!(near(found["percent_correct"], 200.0 / 3.0));
    assert!(near(found["percent_confused"], 100.0 / 3.0));
    assert!(near(found["percent_used_mlh_after_timeout"], 100.0 / 3.0));
    assert!(near(found["avg_rotation_error"], 4.0)); // (4 + (2 + 6) / 2) / 2
    assert!(near(found["avg_num_lm_steps"], (12.0 + 25.0 + 30.0) / 3.0));
    assert!(near(found["run_time"], 3.0 + 2.5 + 5.0));
    assert!(near(found["avg_goal_success"], (0.5 + 0.0 + 0.0) / 3.0));
    assert!(near(found["avg_goal_attempts"], 1.0));
    assert!(near(found["serial/run_time"], 17.5 / 2.0));
    assert!(near(found["serial/avg_rotation_error"], 5.0));
    assert!(near(found["serial/avg_episode_run_time"], 17.5 / 6.0));
    assert!(near(
        found["serial/percent_correct_child_or_parent"],
        400.0 / 6.0
    ));
    assert!(near(found["LM_0/overall/percent_correct"], 100.0 / 3.0));
    assert!(near(found["LM_1/overall/percent_correct"], 100.0));
}

#[test]
fn one_number_per_episode_with_its_identity() {
    let metrics = declared();
    let metric = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap();
    let (file, asked) = source(metric("percent_correct")).unwrap();
    let found = per_episode(file, TWO_MODULES.as_bytes(), asked).unwrap();
    let values: Vec<f64> = found.numbers.iter().map(|number| number.value).collect();
    assert_eq!(values, [1.0, 0.0, 1.0]);
    assert_eq!(found.numbers[0].identity, "mug\u{1f}1\u{1f}1");
    let (file, asked) = source(metric("avg_rotation_error")).unwrap();
    let found = per_episode(file, TWO_MODULES.as_bytes(), asked).unwrap();
    assert_eq!((found.numbers.len(), found.episodes), (2, 3));
}

#[test]
fn what_cannot_be_measured_says_why_and_leaves_the_rest() {
    let metrics = declared();
    let asked: Vec<(&str, (&EpisodeFile, &Measure))> = metrics
        .iter()
        .filter_map(|metric| Some((metric.name.as_str(), source(metric)?)))
        .filter(|(_, (file, _))| file.name == "eval")
        .collect();
    let text = "primary_performance,lm_id,time,num_step\ncorrect,LM_0,fast,1\nodd,LM_0,1,2\n";
    let measures: Vec<&Measure> = asked.iter().map(|(_, (_, measure))| *measure).collect();
    let answers = measure(asked[0].1.0, text.as_bytes(), &measures).unwrap();
    let of = |name: &str| {
        let place = asked.iter().position(|(known, _)| *known == name).unwrap();
        answers[place].clone()
    };
    assert_eq!(
        of("percent_correct").unwrap_err().to_string(),
        "**/eval_stats.csv line 3: `odd` in column `primary_performance` is not in the `order`"
    );
    assert_eq!(
        of("run_time").unwrap_err().to_string(),
        "**/eval_stats.csv line 2: `fast` in column `time` is not a number"
    );
    assert_eq!(
        of("avg_num_lm_steps").unwrap_err().to_string(),
        "no column `num_steps` in **/eval_stats.csv (did you mean `num_step`?)"
    );
    assert_eq!(
        of("num_episodes").unwrap(),
        Answer::One {
            value: 2.0,
            words: Vec::new()
        }
    );
    let (file, first) = source(
        metrics
            .iter()
            .find(|metric| metric.name == "unsupervised/first_epoch")
            .unwrap(),
    )
    .unwrap();
    let short = measure(file, &b"primary_performance\nno_match\n"[..], &[first]).unwrap();
    let message = short[0].clone().unwrap_err().to_string();
    assert!(
        message.starts_with("**/train_stats.csv has 1 episodes: :10 is not a valid range"),
        "{message}"
    );
}
