//! Records that a verdict was made from, taken over into a run with other seeds.

use crate::exit::Failure;
use crate::printer::Printer;
use crate::sequential;
use fairtrial_engine::Reusable;
use fairtrial_journal::RunDir;
use fairtrial_plan::Plan;
use std::collections::BTreeSet;

/// Says where seeds are added to a comparison that was looked at; a budget that looks were planned for is not changed.
pub(crate) fn check(
    (earlier, offered): (&RunDir, &Reusable),
    plan: &Plan,
    printer: Printer,
) -> Result<(), Failure> {
    let seeds: BTreeSet<u64> = plan.trials().map(|trial| trial.key.seed).collect();
    if seeds == offered.seeds || !offered.was_compared(plan) {
        return Ok(());
    }
    let name = format!("{} {}", earlier.name(), earlier.stamp());
    if plan.spec().analysis.stop.is_some() && sequential::is_looked_at(earlier) {
        return Err(Failure::input(format!(
            "run {name} was looked at with a budget of {} seeds, and taking over its records with {} would look at them \
             again at a fresh error rate",
            offered.seeds.len(),
            seeds.len()
        ))
        .hint("`--resume` goes on with that run and its budget; without --reuse a new run starts with its own"));
    }
    if !seeds.is_subset(&offered.seeds) {
        printer.warn(format!(
            "this adds {} seeds to run {name}, whose verdict could be seen: such a verdict is false more often than the \
             error rate says (without --reuse, and on other seeds, it is not)",
            seeds.difference(&offered.seeds).count()
        ));
    }
    Ok(())
}
