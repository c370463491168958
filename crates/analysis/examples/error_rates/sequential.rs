//! Runs that look again and again until they are decided.

use crate::lab::{HEAVY, NORMAL, OUTLIERS, Shape, declared, record, share};
use fairtrial_analysis::sequential::{SequentialPlan, SequentialRule, Stop, with_budget};
use fairtrial_model::documented_seeds;
use fairtrial_spec::{Format, LoadOptions, Spec, StopRule, load_text};
use fairtrial_stats::rng::Stream;

const SPEC: &str = "[[tasks]]\nid = \"train\"\ncommand = \"true\"\n\n[arms.control]\na = 1\n[arms.candidate]\na = 2\n";

fn spec(rule: &StopRule) -> Option<Spec> {
    let loaded = load_text("bench.toml", SPEC, Format::Toml, &LoadOptions::default());
    let mut spec = loaded.spec?;
    spec.metrics = vec![declared()];
    with_budget(&spec, rule).ok()
}

/// Feeds one simulated run: its answer and the pairs it took.
fn answered(
    rule: &SequentialRule,
    budget: usize,
    mut pair: impl FnMut() -> [f64; 2],
) -> (Option<Stop>, usize) {
    let mut rule = rule.clone();
    let mut index = 0;
    for place in 0..budget {
        for (arm, value) in ["control", "candidate"].into_iter().zip(pair()) {
            let one = record(index, "train", arm, documented_seeds(place), value);
            index += 1;
            if rule.settled(&one) {
                let trajectory = rule.trajectory();
                return (trajectory.stop, trajectory.pairs);
            }
        }
    }
    (None, budget)
}

/// The ways to look that are compared.
fn ways() -> [(&'static str, StopRule); 5] {
    let every = StopRule::decided(5, 15);
    [
        ("`--until decided`, 15 seeds", every.clone()),
        ("`--until decided`, 30 seeds", StopRule::decided(5, 30)),
        ("`--looks 5,10,20`", every.looking_at(vec![5, 10, 20])),
        (
            "`--anytime`, 30 seeds",
            StopRule::decided(5, 30).at_any_time(),
        ),
        (
            "`--anytime`, 60 seeds",
            StopRule::decided(5, 60).at_any_time(),
        ),
    ]
}

pub(crate) fn rates(comparisons: u64) {
    println!("## Sequential runs\n");
    println!(
        "False answers where there is no difference, over all looks together, and the share found at a difference of 0.8"
    );
    println!("standard deviations.\n");
    println!("| data | looks | false answers | found at 0.8 |\n|---|---|---|---|");
    for (way, rule) in ways() {
        let budget = rule.max as usize;
        let Some(spec) = spec(&rule) else { continue };
        let Ok(plan) = SequentialPlan::new(&spec, rule) else {
            continue;
        };
        let Ok(rule) = SequentialRule::new(&spec, plan) else {
            continue;
        };
        let decided = |stop: Option<Stop>| matches!(stop, Some(Stop::Improved | Stop::Regressed));
        for shape in [NORMAL, HEAVY, OUTLIERS] {
            let at = |shift: f64| {
                share(&format!("{way} {}", shape.name), comparisons, |stream| {
                    decided(answered(&rule, budget, || scores(stream, shape, shift)).0)
                })
            };
            println!(
                "| {} | {way} | {:.3} | {:.3} |",
                shape.name,
                at(0.0),
                at(0.8)
            );
        }
        let passes = share(&format!("{way} passes"), comparisons, |stream| {
            let pass = |stream: &mut Stream| f64::from(u8::from(stream.unit() < 0.5));
            decided(answered(&rule, budget, || [pass(stream), pass(stream)]).0)
        });
        println!("| pass or fail, half of each | {way} | {passes:.3} | |");
    }
    println!();
}

fn scores(stream: &mut Stream, shape: Shape, shift: f64) -> [f64; 2] {
    let shared = 50.0 + 3.0 * stream.normal();
    let own = |stream: &mut Stream| (shape.draw)(stream) * std::f64::consts::FRAC_1_SQRT_2;
    let control = shared + own(stream);
    [control, shared + shift + own(stream)]
}
