//! Words for records that a verdict was made from, taken over into a run with other seeds.

use crate::exit::Failure;
use crate::printer::Printer;
use fairtrial_analysis::sequential::resumed_rule;
use fairtrial_engine::{Looked, Reusable};
use fairtrial_journal::{RunDir, resolved_spec};
use fairtrial_plan::Plan;

/// Says where seeds are added to a comparison that was looked at; a budget that looks were planned for is not changed.
pub(crate) fn check(
    (earlier, offered): (&RunDir, &Reusable),
    plan: &Plan,
    printer: Printer,
) -> Result<(), Failure> {
    let name = format!("{} {}", earlier.name(), earlier.stamp());
    match offered.looked(plan) {
        Looked::Fine => {}
        Looked::OtherBudget { before, now } => {
            return Err(Failure::input(format!(
                "run {name} was looked at with a budget of {before} seeds, and taking over its records with {now} would \
                 look at them again at a fresh error rate"
            ))
            .hint("`--resume` goes on with that run and its budget; without --reuse a new run starts with its own"));
        }
        Looked::SeedsAdded(added) => printer.warn(format!(
            "this adds {added} seeds to run {name}, whose verdict could be seen: such a verdict is false more often than \
             the error rate says (without --reuse, and on other seeds, it is not)"
        )),
    }
    if offered.is_looked_at_again(plan) {
        resumed_rule(&resolved_spec(earlier)?, plan.spec()).map_err(|error| {
            Failure::input(error.to_string()).hint(
                "its records were looked at: without --reuse a new run starts with its own, on other seeds",
            )
        })?;
    }
    Ok(())
}
