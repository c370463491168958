//! Caps of a run that goes on: what was given by `--set` when it began holds until another value is given, so that a
//! forgotten flag spends nothing.

use fairtrial_spec::Budget;

/// The caps of a budget by their keys in `[budget]`.
const KEYS: [&str; 4] = ["time", "trials", "cost", "tokens"];

/// Puts caps that `--set` gave at the beginning back where nobody says otherwise now; gives their keys.
pub(super) fn keep(
    now: &mut Budget,
    began: &Budget,
    (set_then, set_now): (&[String], &[String]),
) -> Vec<&'static str> {
    let kept: Vec<&str> = KEYS
        .into_iter()
        .filter(|key| is_set(set_then, key) && !is_set(set_now, key))
        .collect();
    let before = now.clone();
    for key in &kept {
        match *key {
            "time" => now.wall_s = began.wall_s,
            "trials" => now.trials = began.trials,
            "cost" => now.cost.clone_from(&began.cost),
            _ => now.tokens.clone_from(&began.tokens),
        }
    }
    if *now == before { Vec::new() } else { kept }
}

/// Whether a change is about this cap: `budget.cost=5`, `budget.cost.max=5`, or the whole table.
fn is_set(changes: &[String], key: &str) -> bool {
    changes.iter().any(|change| {
        let path = change.split_once('=').map_or("", |(path, _)| path.trim());
        let cap = path.strip_prefix("budget.").unwrap_or(path);
        path == "budget" || (path != cap && cap.split('.').next() == Some(key))
    })
}
