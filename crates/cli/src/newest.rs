//! Words about a newer run that is passed over, because it was ended before it began.

use crate::exit::Failure;
use crate::printer::Printer;
use fairtrial_journal::{RunDir, list_runs};

/// Says so where the newest run (of this name, or of all) is not the one that was taken.
pub(crate) fn tell_passed_over(
    taken: &RunDir,
    of_all: bool,
    printer: Printer,
) -> Result<(), Failure> {
    for run in list_runs(taken.root())? {
        let newer = run.stamp() > taken.stamp();
        if newer && (of_all || run.name() == taken.name()) {
            printer.warn(format!(
                "run {} {} was ended before it began and is passed over; `fairtrial run SPEC --resume` begins it, and its \
                 folder {} may be removed",
                run.name(),
                run.stamp(),
                run.path().display()
            ));
        }
    }
    Ok(())
}
