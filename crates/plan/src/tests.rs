//! Plans as a user meets them: counts, order, identity, needs, filters.

use super::{Plan, Shortage};
use fairtrial_spec::{Format, LoadOptions, Spec, load_text};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

fn spec(text: &str) -> Arc<Spec> {
    let loaded = load_text("test.toml", text, Format::Toml, &LoadOptions::default());
    Arc::new(
        loaded
            .spec
            .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)),
    )
}

fn plan(text: &str) -> Plan {
    Plan::new(spec(text), None).unwrap()
}

const PAIRED: &str = "
seeds = 3
[[tasks]]
id = \"train\"
command = \"prog {arch} {seed} {lr} {dir}\"
[arms.control]
arch = \"a\"
[arms.candidate]
arch = \"b\"
[sweep]
lr = [0.1, 0.2]
";

#[test]
fn blocks_hold_one_seed_across_everything() {
    let plan = plan(PAIRED);
    assert_eq!(plan.len(), 12);
    let seeds: Vec<u64> = plan.trials().map(|trial| trial.key.seed).collect();
    assert_eq!(seeds, [[1072; 4], [2043; 4], [3014; 4]].concat());
    for block in 0..3 {
        let cells: HashSet<String> = (block * 4..block * 4 + 4)
            .map(|place| format!("{:?}", plan.trial(place).unwrap().argv(None)))
            .collect();
        assert_eq!(cells.len(), 4);
    }
}

#[test]
fn the_same_spec_gives_the_same_plan_and_another_order_seed_another_order() {
    let labels = |plan: &Plan| {
        plan.trials()
            .map(|trial| trial.key.label().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(labels(&plan(PAIRED)), labels(&plan(PAIRED)));
    let other = plan(&format!("order_seed = 5\n{PAIRED}"));
    assert_ne!(labels(&plan(PAIRED)), labels(&other));
    assert_eq!(
        labels(&plan(PAIRED)).into_iter().collect::<HashSet<_>>(),
        labels(&other).into_iter().collect()
    );
}

#[test]
fn spec_order_is_the_order_of_the_file() {
    let plan = plan(&format!("order = \"spec\"\n{PAIRED}"));
    let first: Vec<String> = plan
        .trials()
        .take(4)
        .map(|trial| trial.key.label().to_string())
        .collect();
    assert_eq!(
        first,
        [
            "train · control · lr=0.1 · seed 1072",
            "train · control · lr=0.1 · seed 2043",
            "train · control · lr=0.1 · seed 3014",
            "train · control · lr=0.2 · seed 1072",
        ]
    );
    assert_eq!(
        plan.trial(3).unwrap().argv(None).unwrap(),
        ["prog", "a", "1072", "0.2", "{dir}"]
    );
}

#[test]
fn identity_survives_what_does_not_matter_and_names_what_does() {
    let old = plan(PAIRED);
    let renamed = plan(&format!(
        "name = \"other\"\nparallel = 9\nnotes = \"n\"\n{PAIRED}"
    ));
    assert_eq!(renamed.changes_since(&old).same, 12);
    assert_eq!(renamed.hash(), old.hash());
    let slower = plan(&PAIRED.replace("id = \"train\"", "id = \"train\"\ntimeout = \"2h\""));
    let change = slower.changes_since(&old);
    assert_eq!(
        (change.same, change.changed, change.added, change.removed),
        (0, 12, 0, 0)
    );
    assert_eq!(change.fields.len(), 1);
    assert_eq!(
        (change.fields[0].field, change.fields[0].after.as_str()),
        ("timeout", "7200")
    );
    let more = plan(&PAIRED.replace("seeds = 3", "seeds = 4"));
    let change = more.changes_since(&old);
    assert_eq!((change.same, change.added), (12, 4));
    assert_ne!(more.hash(), old.hash());
}

#[test]
fn zip_and_random_sweeps() {
    let zip =
        plan("command = \"p {a} {b}\"\nstrategy = \"zip\"\n[sweep]\na = [1, 2]\nb = [3, 4]\n");
    let argv = |plan: &Plan| {
        plan.trials()
            .map(|trial| trial.argv(None).unwrap().join(" "))
            .collect::<HashSet<_>>()
    };
    assert_eq!(argv(&zip), ["p 1 3".to_owned(), "p 2 4".to_owned()].into());
    let text = "command = \"p {a} {b}\"\nstrategy = \"random\"\nsamples = 50\n[sweep]\na = [1, 2, 3]\nb = [4, 5]\n";
    // There are six points: each is there once.
    let random = plan(text);
    assert_eq!((random.len(), argv(&random).len()), (6, 6));
    assert_eq!(argv(&random), argv(&plan(text)));
}

#[test]
fn random_draws_never_meet_and_do_not_depend_on_later_ones() {
    let points = |samples: usize| {
        let text = format!(
            "order = \"spec\"\nseeds = 2\ncommand = \"p {{a}} {{b}} {{c}}\"\nstrategy = \"random\"\nsamples = {samples}\n\
             params = {{ c = [1, 2] }}\n[sweep]\na = [1, 2, 3, 4]\nb = [5, 6, 7]\n"
        );
        let plan = plan(&text);
        let ids: HashSet<String> = plan.trials().map(|trial| trial.id().0).collect();
        assert_eq!(ids.len() as u64, plan.len());
        plan.trials()
            .map(|trial| trial.argv(None).unwrap().join(" "))
            .collect::<Vec<_>>()
    };
    let few = points(4);
    // Draws are of the axes of `sweep`; each meets every value of a list in `params`, and every seed.
    assert_eq!(few.len(), 4 * 2 * 2);
    for samples in 5..=12 {
        assert_eq!(points(samples)[..few.len()], few);
    }
    assert_eq!(points(13), points(12));
    // Points that never met are those of earlier versions.
    let first: Vec<&str> = few.iter().step_by(4).map(String::as_str).collect();
    assert_eq!(first, ["p 2 5 1", "p 2 7 1", "p 3 7 1", "p 4 7 1"]);
}

#[test]
fn a_random_sweep_has_as_many_points_as_asked_that_satisfy_the_constraints() {
    let text = |samples: usize| {
        format!(
            "command = \"p {{a}} {{b}}\"\nconstraints = [\"b <= a\"]\nstrategy = \"random\"\nsamples = {samples}\n\
             [sweep]\na = [1, 2, 3, 4]\nb = [1, 2, 3, 4]\n"
        )
    };
    let some = plan(&text(8));
    assert_eq!((some.len(), some.shortages()), (8, Vec::new()));
    let all = plan(&text(12));
    let found = Shortage {
        asked: 12,
        found: 10,
        combinations: 16,
    };
    assert_eq!((all.len(), all.shortages()), (10, vec![found]));
}

#[test]
fn needs_match_arm_and_seed() {
    let plan = plan(
        "seeds = 2\n[[tasks]]\nid = \"pre\"\ncommand = \"p\"\n[[tasks]]\nid = \"eval\"\ncommand = \"e\"\nneeds = [\"pre\"]\n[arms.a]\nx = 1\n[arms.b]\nx = 2\n",
    );
    for trial in plan.trials().filter(|trial| trial.key.task == "eval") {
        let needed = plan.needs(trial.key.index);
        assert_eq!(needed.len(), 1);
        let needed = plan.trial(needed[0]).unwrap();
        assert!(needed.key.index < trial.key.index);
        assert_eq!(
            (&needed.key.arm, needed.key.seed),
            (&trial.key.arm, trial.key.seed)
        );
    }
}

#[test]
fn filters_select_and_refuse() {
    let spec = spec(PAIRED);
    let only = |text: &str| Plan::new(Arc::clone(&spec), Some(text));
    assert_eq!(only("arm=control").unwrap().len(), 6);
    assert_eq!(only("lr=0.2,seed=1072").unwrap().len(), 2);
    assert_eq!(only("0,3,5:8").unwrap().len(), 5);
    assert!(
        only("depth=3")
            .unwrap_err()
            .to_string()
            .contains("no trial has a parameter `depth`")
    );
    assert!(
        only("arm=nobody")
            .unwrap_err()
            .to_string()
            .starts_with("no trial matches `arm=nobody`; there are the tasks `")
    );
    assert!(only("0:99").is_err());
    let indexes: Vec<u64> = only("arm=control")
        .unwrap()
        .trials()
        .map(|trial| trial.key.index)
        .collect();
    assert_eq!(indexes, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_plan_beyond_numbering_is_refused() {
    let axis: Vec<String> = (0..2000).map(|value| value.to_string()).collect();
    let axis = axis.join(",");
    let text = format!("command = \"p\"\n[sweep]\na = [{axis}]\nb = [{axis}]\nc = [{axis}]\n");
    assert!(
        Plan::new(spec(&text), None)
            .unwrap_err()
            .to_string()
            .contains("8000000000 trials")
    );
}

proptest! {
    #[test]
    fn every_order_is_a_permutation(seeds in 1usize..6, arms in 1usize..4, points in 1usize..5, order in 0usize..3) {
        let order = ["spec", "blocks", "random"][order];
        let arms: Vec<String> = (0..arms).map(|arm| format!("[arms.a{arm}]\nx = {arm}\n")).collect();
        let arms = arms.concat();
        let points: Vec<String> = (0..points).map(|point| point.to_string()).collect();
        let text = format!("order = \"{order}\"\nseeds = {seeds}\ncommand = \"p {{x}} {{y}}\"\n{arms}[sweep]\ny = [{}]\n", points.join(","));
        let plan = plan(&text);
        let ids: HashSet<String> = plan.trials().map(|trial| trial.id().0).collect();
        prop_assert_eq!(ids.len() as u64, plan.len());
    }
}
