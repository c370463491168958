//! The learning-curve pipeline against what the original made of the same runs.

use crate::compare::lab::objects;
use fairtrial_analysis::compare::{Objection, ObjectionKind, Pairing, Word};
use fairtrial_analysis::curves::{
    Analysis, Design, Histories, History, Pair, PowerQuestion, Question, Runs, SummaryRule,
    SummaryType, SummaryWindow, analyze,
};
use fairtrial_journal::DataRoot;
use fairtrial_model::Outcome;
use fairtrial_series::{CurvePoints, CurveSeries};
use fairtrial_stats::bootstrap::{Method, Resampling};
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::series::Scale;
use fairtrial_stats::{Level, Side};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Goldens of this crate, else those that it shares with the statistics.
fn golden(name: &str) -> PathBuf {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = crate_dir.join("tests/goldens/metta").join(name);
    if own.exists() {
        own
    } else {
        crate_dir.join("../stats/tests/goldens").join(name)
    }
}

fn json(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(golden(name)).unwrap()).unwrap()
}

fn histories() -> Histories {
    Histories::new(DataRoot::at("nowhere"), Some(golden("run_histories.csv")))
}

const SEEDS: [u64; 15] = fairtrial_model::DOCUMENTED_SEEDS;

fn ids(arm: &str) -> Vec<String> {
    SEEDS
        .iter()
        .map(|seed| format!("{arm}.seed{seed}"))
        .collect()
}

/// Both sides, read once for all tests.
fn lists() -> Runs {
    static RUNS: OnceLock<[Vec<History>; 2]> = OnceLock::new();
    let [control, candidate] = RUNS
        .get_or_init(|| {
            ["control", "candidate"]
                .map(|arm| histories().read(&ids(arm), "overview/reward").unwrap())
        })
        .clone();
    Runs::Lists { control, candidate }
}

fn analysis(change: impl FnOnce(&mut Question)) -> Analysis {
    let mut question = Question::new("overview/reward");
    change(&mut question);
    analyze(lists(), &question).unwrap()
}

/// Steps in the golden's windows are whole numbers below 2^53, so that the very same sums come out.
#[test]
fn every_summary_of_the_original_is_reproduced_to_the_last_bits() {
    let rules: [(&str, SummaryRule); 9] = {
        let auc = |window, scale| SummaryRule {
            window,
            scale,
            ..SummaryRule::default()
        };
        let steps = SummaryWindow::Steps {
            min: 5e8,
            max: 1.5e9,
        };
        let last = |n| SummaryRule {
            kind: SummaryType::EvalLastN,
            n,
            ..SummaryRule::default()
        };
        [
            ("auc_last25_norm", SummaryRule::default()),
            (
                "auc_first25_norm",
                auc(SummaryWindow::FirstPoints(0.25), Scale::Normalised),
            ),
            (
                "auc_last50_raw",
                auc(SummaryWindow::LastPoints(0.5), Scale::Raw),
            ),
            ("auc_full_norm", auc(SummaryWindow::All, Scale::Normalised)),
            ("auc_window_5e8_15e8_norm", auc(steps, Scale::Normalised)),
            ("auc_window_5e8_15e8_raw", auc(steps, Scale::Raw)),
            ("eval_last_5", last(5)),
            ("eval_last_20", last(20)),
            (
                "derivative_slope",
                SummaryRule {
                    kind: SummaryType::Slope,
                    ..SummaryRule::default()
                },
            ),
        ]
    };
    let mut table = csv::Reader::from_path(golden("golden_summaries.csv")).unwrap();
    let titles = table.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 30);
    for (title, rule) in rules {
        let column = titles.iter().position(|known| known == title).unwrap();
        let found = analysis(|question| question.summary = rule);
        for run in found.control.iter().chain(&found.candidate) {
            let row = rows.iter().find(|row| row[0] == run.id).unwrap();
            let expected: f64 = row[column].parse().unwrap();
            let got = run.value.unwrap();
            // Numpy adds pairwise and fits through a matrix: the last bits may differ, nothing more.
            let slack = if rule.kind == SummaryType::Slope {
                1e-9
            } else {
                4e-15
            };
            assert!(
                (got - expected).abs() <= slack * expected.abs(),
                "{title} of {}: {got} for {expected}",
                run.id
            );
        }
    }
}

#[test]
fn t_tests_and_their_assumptions_agree_with_the_original() {
    let cases = json("metta_ttests.json")["cases"]
        .as_array()
        .unwrap()
        .clone();
    for design in [Pairing::Auto, Pairing::Unpaired] {
        let found = analysis(|question| question.pairing = design)
            .ttest
            .unwrap();
        let paired = design == Pairing::Auto;
        let case = cases
            .iter()
            .find(|case| case["name"] == "auc_15_pairs" && case["paired"] == paired)
            .unwrap();
        let result = &case["result"];
        let test = found.test.unwrap();
        close(test.t, &result["ttest"]["t_stat"], 1e-10);
        close(test.p, &result["ttest"]["p_value"], 1e-9);
        let names: &[[&str; 2]] = if paired {
            &[["normality_shapiro_W", "normality_p"]]
        } else {
            &[
                ["normality_control_W", "normality_control_p"],
                ["normality_candidate_W", "normality_candidate_p"],
            ]
        };
        for ([w, p], of) in names.iter().zip(&found.normality) {
            let test = of.shapiro_wilk.as_ref().unwrap();
            close(test.w, &result["assumptions"][w], 1e-9);
            close(test.p, &result["assumptions"][p], 1e-4);
        }
        if let Some(levene) = &found.spread {
            close(
                levene.statistic,
                &result["assumptions"]["levene_stat"],
                1e-9,
            );
            close(levene.p, &result["assumptions"]["levene_p"], 1e-9);
        }
        assert_eq!(found.spread.is_some(), !paired);
    }
}

fn close(got: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap();
    assert!(
        (got - expected).abs() <= tolerance * expected.abs().max(1e-300),
        "{got} for {expected}"
    );
}

/// The original leaves the t test out where Shapiro-Wilk objects; here it is shown with the doubt.
#[test]
fn a_doubtful_assumption_is_said_and_hides_nothing() {
    let found = analysis(|question| question.assumption_alpha = Some(0.9))
        .ttest
        .unwrap();
    assert!(found.test.is_some());
    assert_eq!(found.doubts.len(), 1, "{:?}", found.doubts);
    assert!(
        analysis(|question| question.assumption_alpha = None)
            .ttest
            .is_none()
    );
}

#[test]
fn required_n_is_right_and_the_original_number_stands_beside_it() {
    for case in json("metta_power.json")["upstream"].as_array().unwrap() {
        let target = case["target_effect_size"].as_f64().unwrap();
        if target == 0.0 {
            continue;
        }
        let side = match case["side"].as_str().unwrap() {
            "greater" => Side::Greater,
            "less" => Side::Less,
            _ => Side::TwoSided,
        };
        for (name, pairing) in [("paired", Pairing::Auto), ("unpaired", Pairing::Unpaired)] {
            let found = analysis(|question| {
                question.pairing = pairing;
                question.bootstrap.level = Level { alpha: 0.05, side };
                question.power = Some(PowerQuestion {
                    target,
                    power: case["beta_as_power"].as_f64().unwrap(),
                });
            });
            let plan = found.power.unwrap();
            let original = plan.original.unwrap();
            close(original.required_n, &case[name]["approx_required_N"], 1e-9);
            close(original.scale, &case[format!("{name}_scale")], 1e-9);
        }
    }
    let target = Some(PowerQuestion {
        target: 0.2,
        power: 0.8,
    });
    let paired = analysis(|question| question.power = target).power.unwrap();
    // The normal approximation says 8.36 pairs and 98.1 per arm; the t distribution needs a little more.
    assert_eq!(paired.required.unwrap().n, 11);
    let unpaired = analysis(|question| {
        question.power = target;
        question.pairing = Pairing::Unpaired;
    });
    assert_eq!(unpaired.power.unwrap().required.unwrap().n, 100);
}

#[test]
fn effect_zero_has_no_plan() {
    let mut question = Question::new("overview/reward");
    question.power = Some(PowerQuestion {
        target: 0.0,
        power: 0.8,
    });
    let error = analyze(lists(), &question).unwrap_err();
    assert!(error.to_string().contains("target_effect_size"), "{error}");
}

/// All resamples count unless draws are asked for: no seed changes anything, and draws scatter around it.
#[test]
fn the_bootstrap_has_no_noise_unless_it_is_asked_to_draw() {
    let of = |drawn: bool, seed: u64| {
        let found = analysis(|question| {
            question.drawn = drawn;
            question.bootstrap.seed = seed;
        });
        found.bootstrap.interval().unwrap().clone()
    };
    let exact = of(false, 0);
    assert_eq!(exact.resampling, Resampling::Exact);
    assert_eq!(exact.interval, of(false, 1).interval);
    let [a, b] = [of(true, 0), of(true, 1)];
    assert_ne!(a.interval, b.interval);
    for drawn in [a, b] {
        // A 2.5 % quantile of 10,000 draws has a noise of about 0.0014 here.
        assert!((drawn.interval.low - exact.interval.low).abs() < 0.007);
        assert!((drawn.interval.high - exact.interval.high).abs() < 0.007);
    }
}

/// The original's interval came from unseeded draws: ours must lie within the noise of 10,000 resamples.
#[test]
fn the_bootstrap_agrees_with_the_original_within_its_noise() {
    let text = std::fs::read_to_string(golden("golden_e2e_paired.csv")).unwrap();
    let result = |name: &str| -> f64 {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("result,{name},")));
        line.unwrap().split(',').nth(2).unwrap().parse().unwrap()
    };
    let found = analysis(|question| question.bootstrap.method = Method::BcaMetta);
    let interval = &found.bootstrap.interval().unwrap().interval;
    // The bootstrap's standard error is 0.0515; a 2.5 % quantile of 10,000 draws has a noise of about 0.0014.
    for (got, expected) in [
        (interval.low, result("ci_low")),
        (interval.high, result("ci_high")),
    ] {
        assert!((got - expected).abs() < 0.01, "{got} for {expected}");
    }
    let effect = found.bootstrap.effect().unwrap();
    assert!((effect - result("effect")).abs() < 0.002, "{effect}");
}

#[test]
fn one_sided_levels_leave_an_end_open() {
    let found = analysis(|question| {
        question.bootstrap.level = Level {
            alpha: 0.05,
            side: Side::Greater,
        };
    });
    let interval = found.bootstrap.interval().unwrap().interval;
    assert!(interval.high.is_infinite() && interval.low > 0.2);
}

#[test]
fn the_same_seeds_on_both_sides_are_pairs_and_the_verdict_says_improved() {
    let found = analysis(|_| {});
    assert_eq!(found.comparison.verdict.word, Word::Improved);
    assert!(found.comparison.count.paired);
    assert_eq!(found.comparison.count.control, 15);
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("same 15 seeds"))
    );
    let unpaired = analysis(|question| question.pairing = Pairing::Unpaired);
    assert_eq!(unpaired.comparison.verdict.word, Word::Inconclusive);
    assert!(unpaired.comparison.verdict.advice.is_some());
}

#[test]
fn the_seed_of_a_pair_is_checked_against_its_runs() {
    let mut histories = histories();
    let mut pairs = |seed: u64| -> Runs {
        let argument = format!(
            r#"[{{"control": "control.seed1072", "candidate": "candidate.seed1072", "seed": {seed}}},
                {{"control": "control.seed2043", "candidate": "candidate.seed2043"}}]"#
        );
        let pairs = Pair::parse(&[argument]).unwrap();
        let read = |pair: Pair| {
            let control = histories
                .read_one(&pair.control, "overview/reward")
                .unwrap();
            let candidate = histories
                .read_one(&pair.candidate, "overview/reward")
                .unwrap();
            (pair, control, candidate)
        };
        Runs::Pairs(pairs.into_iter().map(read).collect())
    };
    let question = Question::new("overview/reward");
    assert!(analyze(pairs(1072), &question).is_ok());
    let error = analyze(pairs(7), &question).unwrap_err().to_string();
    assert!(
        error.contains("says seed 7") && error.contains("seed 1072"),
        "{error}"
    );
}

#[test]
fn wrong_pairs_are_refused_with_their_reason() {
    for (text, part) in [
        ("{\"control\": \"a\"}", "missing field `candidate`"),
        (
            "{\"control\": \"a\", \"candidate\": \"b\", \"sed\": 1}",
            "unknown field `sed`",
        ),
        ("[]", "holds no pair"),
        ("run1", "--pairs 'run1'"),
    ] {
        let error = Pair::parse(&[text.to_owned()]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_run_without_a_number_is_a_broken_pair_that_is_named() {
    let mut histories = histories();
    let mut control = histories.read(&ids("control"), "overview/reward").unwrap();
    let candidate = histories
        .read(&ids("candidate"), "overview/reward")
        .unwrap();
    let mut points = control[3].series.points().unwrap().into_owned();
    points.values[199] = f64::NAN;
    control[3].series = CurveSeries::held(points);
    control[5].outcome = Outcome::Timeout;
    control[5]
        .notes
        .push("the trial ended as timeout".to_owned());
    let question = Question::new("overview/reward");
    let found = analyze(Runs::Lists { control, candidate }, &question).unwrap();
    assert_eq!(found.comparison.count.control, 13);
    let dropped: Vec<&str> = found
        .comparison
        .dropped
        .iter()
        .map(|dropped| dropped.unit.as_str())
        .collect();
    assert_eq!(dropped.len(), 2, "{dropped:?}");
    assert!(found.control[3].why_none.as_ref().unwrap().contains("NaN"));
    assert_eq!(
        found.control[5].why_none.as_deref(),
        Some("the trial ended as timeout")
    );
    // As bad as values get for the verdict, these two would not change it.
    assert_eq!(found.bootstrap.interval().unwrap().n, [13]);
}

#[test]
fn a_missing_run_breaks_its_pair_and_no_other() {
    let Runs::Lists {
        control,
        mut candidate,
    } = lists()
    else {
        panic!("two lists");
    };
    candidate.remove(4);
    let runs = Runs::Lists { control, candidate };
    let question = Question::new("overview/reward");
    let found = analyze(runs.clone(), &question).unwrap();
    assert_eq!((found.design, found.control.len()), (Design::Paired, 14));
    let alone: Vec<&str> = found.alone.iter().map(|run| run.id.as_str()).collect();
    let missing = SEEDS[4];
    assert_eq!(alone, [format!("control.seed{missing}")]);
    let dropped = &found.comparison.dropped;
    assert_eq!(dropped.len(), 1);
    assert_eq!(dropped[0].unit, format!("seed {missing}"));
    assert_eq!(dropped[0].why, "candidate: no trial");
    assert!(found.notes[0].starts_with("14 seeds were run on both sides"));
    // Pairs that are complete are compared as if nobody had planned the other.
    let complete = analysis(|_| {}).comparison.effect.unwrap().absolute;
    let effect = found.comparison.effect.unwrap().absolute;
    assert!(
        (effect.low - complete.low).abs() < 0.05,
        "{effect:?} {complete:?}"
    );
    assert!(
        (effect.high - complete.high).abs() < 0.05,
        "{effect:?} {complete:?}"
    );
    // Asked for by name, pairs are found too; where too many are broken, there is no verdict.
    let asked = Question {
        pairing: Pairing::Paired,
        ..question.clone()
    };
    assert_eq!(analyze(runs, &asked).unwrap().design, Design::Paired);
    let Runs::Lists { control, candidate } = lists() else {
        panic!("two lists");
    };
    let half = Runs::Lists {
        control,
        candidate: candidate[..8].to_vec(),
    };
    let found = analyze(half, &question).unwrap();
    assert_eq!(found.comparison.verdict.word, Word::Insufficient);
    assert_eq!(found.alone.len(), 7);
}

#[test]
fn sides_without_a_common_seed_or_without_seeds_are_groups_and_say_so() {
    let question = Question::new("reward");
    let mut candidate = side("b", &[1.0, 1.1, 0.9, 1.2, 1.3, 0.8]);
    for (place, run) in candidate.iter_mut().enumerate() {
        run.seed = Some(100 + place as u64);
    }
    let control = side("a", &[1.0, 1.1, 0.9, 1.2, 1.3, 5.8]);
    let runs = Runs::Lists {
        control: control.clone(),
        candidate: candidate.clone(),
    };
    let mut question = Question {
        pairing: Pairing::Paired,
        ..question
    };
    question.summary.window = SummaryWindow::All;
    let message = analyze(runs.clone(), &question).unwrap_err().to_string();
    assert!(message.contains("they have no seed in common"), "{message}");
    question.pairing = Pairing::Auto;
    let found = analyze(runs, &question).unwrap();
    assert_eq!(found.design, Design::Unpaired);
    assert!(objects(
        &found.comparison.verdict,
        &ObjectionKind::NoSharedUnits
    ));
    // Chosen groups that share seeds are not said to share none.
    let same = Runs::Lists {
        control: control.clone(),
        candidate: side("b", &[1.0, 1.1, 0.9, 1.2, 1.3, 0.8]),
    };
    question.pairing = Pairing::Unpaired;
    let found = analyze(same, &question).unwrap();
    assert!(!objects(
        &found.comparison.verdict,
        &ObjectionKind::NoSharedUnits
    ));
    candidate[2].seed = None;
    question.pairing = Pairing::Auto;
    let found = analyze(Runs::Lists { control, candidate }, &question).unwrap();
    assert!(
        found.notes[0].ends_with("no recorded seed of their own: b2"),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_run_without_a_seed_is_called_by_its_own_name() {
    let unseeded = |mut runs: Vec<History>| {
        for run in &mut runs {
            run.seed = None;
        }
        runs
    };
    // Without the last run of the candidate the verdict would be another.
    let runs = Runs::Lists {
        control: unseeded(side("a", &[1.0, 1.1, 0.9, 1.05, 0.95, 1.0])),
        candidate: unseeded(side("b", &[1.14, 1.06, 1.2, 1.0, 1.11, 1.16])),
    };
    let mut question = Question::new("reward");
    question.summary.window = SummaryWindow::All;
    let found = analyze(runs, &question).unwrap();
    let mut objections = found.comparison.verdict.objections.iter();
    let carries = |objection: &Objection| matches!(&objection.kind, ObjectionKind::Fragile { unit, .. } if unit == "b5");
    assert!(objections.any(carries), "{:?}", found.comparison.verdict);
}

#[test]
fn a_run_given_twice_is_refused() {
    let mut histories = histories();
    let twice = ["control.seed1072".to_owned(), "control.seed1072".to_owned()];
    let runs = Runs::Lists {
        control: histories.read(&twice, "overview/reward").unwrap(),
        candidate: histories
            .read(&ids("candidate"), "overview/reward")
            .unwrap(),
    };
    let error = analyze(runs, &Question::new("overview/reward")).unwrap_err();
    assert!(error.to_string().contains("given twice"), "{error}");
}

#[test]
fn shares_of_steps_compare_the_same_part_of_every_run() {
    let by_steps = analysis(|question| question.summary.window = SummaryWindow::LastSteps(0.25));
    let by_points = analysis(|_| {});
    let (a, b) = (
        by_steps.control[0].value.unwrap(),
        by_points.control[0].value.unwrap(),
    );
    assert!((a - b).abs() < 0.1 && a != b);
    // Half of a run cut off: the common steps are too few to be a fair window.
    let mut histories = histories();
    let mut control = histories.read(&ids("control"), "overview/reward").unwrap();
    let mut points = control[0].series.points().unwrap().into_owned();
    points.steps.truncate(100);
    points.values.truncate(100);
    control[0].series = CurveSeries::held(points);
    let runs = Runs::Lists {
        control,
        candidate: histories
            .read(&ids("candidate"), "overview/reward")
            .unwrap(),
    };
    let mut question = Question::new("overview/reward");
    question.summary.window = SummaryWindow::LastSteps(0.25);
    let error = analyze(runs, &question).unwrap_err().to_string();
    assert!(error.contains("share only the steps"), "{error}");
}

/// One side's runs: a level per run, a curve of twenty points around it.
fn side(arm: &str, levels: &[f64]) -> Vec<History> {
    let run = |(seed, level): (usize, &f64)| {
        let points = CurvePoints {
            steps: (0..20).map(f64::from).collect(),
            values: (0..20).map(|step| level + 0.01 * f64::from(step)).collect(),
            notes: Vec::new(),
        };
        History {
            seed: Some(seed as u64),
            ..History::of(format!("{arm}{seed}"), CurveSeries::held(points))
        }
    };
    levels.iter().enumerate().map(run).collect()
}

/// Share of 1,000 comparisons with a verdict; paired sides share what their seed does to them.
fn verdicts(pairing: Pairing, effect: f64) -> f64 {
    let mut found = 0;
    for number in 0..1_000 {
        let mut stream = Stream::new(31, Purpose::new("pipeline-null"), number);
        let (mut control, mut candidate) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            let shared = if pairing == Pairing::Auto {
                2.0 * stream.normal()
            } else {
                0.0
            };
            control.push(10.0 + shared + stream.normal());
            candidate.push(10.0 + shared + effect + stream.normal());
        }
        let mut question = Question::new("reward");
        question.pairing = pairing;
        question.summary.window = SummaryWindow::All;
        let runs = Runs::Lists {
            control: side("a", &control),
            candidate: side("b", &candidate),
        };
        let word = analyze(runs, &question).unwrap().comparison.verdict.word;
        found += u32::from(matches!(word, Word::Improved | Word::Regressed));
    }
    f64::from(found) / 1_000.0
}

#[test]
fn runs_without_a_difference_get_a_verdict_as_rarely_as_alpha_says() {
    let most = 0.05 + 3.0 * (0.05_f64 * 0.95 / 1_000.0).sqrt();
    for pairing in [Pairing::Auto, Pairing::Unpaired] {
        let share = verdicts(pairing, 0.0);
        assert!(share <= most, "{pairing:?}: {share}");
    }
    // An effect of 1.2 sd of the paired difference is found in about 96 % of experiments with 12 pairs.
    let share = verdicts(Pairing::Auto, 1.2 * std::f64::consts::SQRT_2);
    assert!(share > 0.93, "{share}");
}
