//! What arms must share.

use super::lab::{GAIN, UP, dataset, objects, only_contrast, paired, run};
use fairtrial_analysis::CompareOptions;
use fairtrial_analysis::compare::{ObjectionKind, UnfairKey};

#[test]
fn arms_that_differ_in_what_they_must_share_are_flagged() {
    let with = |params: f64| {
        let mut records = paired(&GAIN);
        for record in &mut records {
            let own = if record.trial.arm.as_deref() == Some("candidate") {
                params
            } else {
                1_000_000.0
            };
            record
                .metrics
                .insert("model_params".into(), fairtrial_model::Number(own));
        }
        let mut data = dataset(UP, None, &records);
        let curriculum = |word: &str| {
            [("curriculum".to_owned(), word.into())]
                .into_iter()
                .collect()
        };
        data.arm_params = vec![
            ("control".into(), curriculum("terrain")),
            ("candidate".into(), curriculum("terrain")),
        ];
        let options = CompareOptions {
            equal: vec![
                "model_params=1%".parse().unwrap(),
                "curriculum=exact".parse().unwrap(),
                "steps=exact".parse().unwrap(),
            ],
            ..CompareOptions::default()
        };
        only_contrast(&run(&data, &options)).clone()
    };
    let near = with(1_009_000.0);
    let equal: Vec<Option<bool>> = near.fairness.iter().map(|found| found.equal).collect();
    assert_eq!(equal, [Some(true), Some(true), None]);
    let far = with(1_011_000.0);
    assert_eq!(far.fairness[0].equal, Some(false));
    let keys = [("model_params", true), ("steps", false)].map(|(key, known)| UnfairKey {
        key: key.to_owned(),
        known,
    });
    let unfair = ObjectionKind::Unfair {
        keys: keys.to_vec(),
    };
    assert!(objects(&far.metrics[0].verdict, &unfair));
}

#[test]
fn what_trials_say_in_words_is_compared_too() {
    let mut records = paired(&GAIN);
    for record in &mut records {
        let candidate = record.trial.arm.as_deref() == Some("candidate");
        let word = if candidate && record.trial.seed > 103 {
            "arena-v3"
        } else {
            "arena-v2"
        };
        record.facts.insert("curriculum".into(), word.into());
        record.facts.insert("data".into(), "sha256:12".into());
    }
    let options = CompareOptions {
        equal: vec![
            "curriculum=exact".parse().unwrap(),
            "data=exact".parse().unwrap(),
        ],
        ..CompareOptions::default()
    };
    let found = run(&dataset(UP, None, &records), &options);
    let fairness = &only_contrast(&found).fairness;
    assert_eq!(fairness[0].equal, Some(false));
    assert_eq!(fairness[0].candidate.as_deref(), Some("arena-v2, arena-v3"));
    assert_eq!(fairness[1].equal, Some(true));
}
