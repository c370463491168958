//! Caps on money and tokens hold only where trials say what they spent.

use fairtrial_model::{Outcome, Record};
use fairtrial_spec::{Budget, MetricBudget, Task, Work};

/// The metric with the cost of a rollout.
const COST: &str = "cost_usd";

/// Agents that spend nothing.
const FREE: [&str; 2] = ["oracle", "nop"];

/// Why a cap does not count this attempt, where it is one of those that should have said what they spent.
pub(super) fn uncounted(record: &Record, budget: &Budget, task: Option<&Task>) -> Option<String> {
    // What did not come to its work need not know what it spent.
    let silent = matches!(
        record.outcome,
        Outcome::Infra | Outcome::Cancelled | Outcome::Skipped
    );
    let agent = record.facts.get("agent");
    let free = agent.is_some_and(|agent| FREE.contains(&agent.as_str()));
    if silent || free || record.reused_from.is_some() {
        return None;
    }
    let agent = task.and_then(|task| match &task.work {
        Work::Prepared { options, .. } => Some(&options.agent),
        _ => None,
    });
    let caps = [
        of_run(budget.cost.as_ref(), "`cost` of [budget]"),
        of_run(budget.tokens.as_ref(), "`tokens` of [budget]"),
        agent
            .and_then(|agent| agent.max_cost)
            .map(|_| ("`max_cost`", COST)),
        agent
            .and_then(|agent| agent.max_tokens)
            .map(|_| ("`max_tokens`", "tokens_total")),
    ];
    let (cap, metric) = caps
        .into_iter()
        .flatten()
        .find(|(_, metric)| !record.metrics.contains_key(*metric))?;
    let price = if agent.is_some() && metric == COST {
        ", or give the agent a `price`"
    } else {
        ""
    };
    Some(format!(
        "{cap} does not hold: a trial of {} did not say what it spent (`{metric}`), which counts as nothing; let it report that{price}",
        record.trial.task
    ))
}

fn of_run<'a>(
    cap: Option<&'a MetricBudget>,
    word: &'static str,
) -> Option<(&'static str, &'a str)> {
    cap.map(|cap| (word, cap.metric.as_str()))
}
