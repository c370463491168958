//! Records that a verdict was made from, taken over into a run with other seeds.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_analysis::sequential::{may_add_seeds, resumed_rule};
use fairtrial_engine::{Looked, Reusable};
use fairtrial_journal::{RunDir, resolved_spec};
use fairtrial_plan::Plan;

impl Session {
    /// Tells where seeds are added to a comparison that was looked at; a budget that looks were planned for is not
    /// changed. Looks at any time have none.
    pub(super) fn check_looked_at(
        &self,
        earlier: &RunDir,
        offered: &Reusable,
        plan: &Plan,
    ) -> Result<(), SessionError> {
        match offered.looked(plan) {
            Looked::Fine => {}
            Looked::OtherBudget { .. } if may_add_seeds(&resolved_spec(earlier)?, plan.spec()) => {}
            Looked::OtherBudget { before, now } => {
                return Err(SessionError::OtherBudget {
                    run: earlier.into(),
                    before,
                    now,
                });
            }
            Looked::SeedsAdded(added) => self.tell(Notice::SeedsAdded {
                added,
                run: earlier.clone(),
            }),
        }
        if offered.is_looked_at_again(plan) {
            resumed_rule(&resolved_spec(earlier)?, plan.spec())
                .map_err(SessionError::OtherLooks)?;
        }
        Ok(())
    }
}
