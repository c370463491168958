//! Where learning curves come from, and the metric that is meant where none is named.

use crate::error::SessionError;
use crate::find::Among;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_analysis::curves::{ForeignCurves, Histories};
use fairtrial_interop::Recognised;
use fairtrial_journal::resolved_spec;
use fairtrial_spec::Filter;
use std::path::PathBuf;

/// The metric of curves that no spec describes.
const USUAL_METRIC: &str = "overview/reward";

impl Session {
    /// Curves of runs of this data root, of files, and of a table or folder; of runs, only the trials that pass a
    /// filter.
    pub fn histories(&self, from: Option<PathBuf>, only: Option<Filter>) -> Histories {
        let foreign = ForeignCurves {
            mapping: self.in_place().mapping().clone(),
            access: self.access(),
        };
        Histories::new(self.data_root(), from)
            .only(only)
            .with_foreign(foreign)
    }

    /// Tells which runs were passed over to find the newest ones, and which other tools' files were read.
    pub fn tell_sources(&self, histories: &mut Histories) -> Result<(), SessionError> {
        for run in histories.take_newest() {
            self.tell_passed_over(&run, Among::SameName)?;
        }
        self.tell_recognised(histories);
        Ok(())
    }

    /// Files of one kind are told of together.
    fn tell_recognised(&self, histories: &mut Histories) {
        let mut kinds: Vec<(Recognised, usize)> = Vec::new();
        for one in histories.take_recognised() {
            match kinds.iter_mut().find(|(kind, _)| kind.format == one.format) {
                Some((kind, sources)) => {
                    *sources += 1;
                    kind.name = format!("{sources} sources");
                    kind.executions += one.executions;
                    kind.roles.clear();
                    kind.notes.extend(one.notes);
                }
                None => kinds.push((one, 1)),
            }
        }
        for (kind, _) in kinds {
            self.tell(Notice::Recognised(kind));
        }
    }

    /// The primary metric of a run that is named as `NAME[/STAMP][:ARM[:SEED]]`, else the usual one.
    pub fn curve_metric(&self, run: &str) -> Result<String, SessionError> {
        let name = run.split_once(':').map_or(run, |(name, _)| name);
        let spec = self.search(name)?.map(|(run, _)| resolved_spec(&run));
        let spec = spec.transpose()?;
        let primary = spec.as_ref().and_then(|spec| spec.primary_metric());
        Ok(primary.unwrap_or(USUAL_METRIC).to_owned())
    }
}
