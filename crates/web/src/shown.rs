//! The runs that somebody looks at: what was read of them is kept for the next look.

use fairtrial_journal::RunDir;
use fairtrial_session::{RunView, Session, SessionError, Snapshot};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Runs that are kept at once.
const MOST: usize = 8;
/// A report is made again no sooner than after so many times what it cost: one in a hundred of a core.
const REST: u32 = 100;
/// The shortest and the longest time that a report of a living run stands.
const FRESH: Duration = Duration::from_secs(1);
const STALE: Duration = Duration::from_mins(1);

/// A run that somebody looks at.
pub(crate) struct ShownRun {
    run: RunDir,
    view: Mutex<RunView>,
    report: Mutex<Option<KeptReport>>,
}

/// A report as it was last made.
struct KeptReport {
    version: u64,
    live: bool,
    made: Instant,
    cost: Duration,
    html: Arc<str>,
}

impl ShownRun {
    /// The run.
    pub(crate) fn run(&self) -> &RunDir {
        &self.run
    }

    /// What is known of it, with what was added since.
    pub(crate) fn look(&self) -> Result<MutexGuard<'_, RunView>, SessionError> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        view.refresh()?;
        Ok(view)
    }

    /// Its report: the one there is, or, where that is old, a new one.
    pub(crate) fn report(
        &self,
        make: impl FnOnce(&Snapshot) -> Result<String, SessionError>,
    ) -> Result<Arc<str>, SessionError> {
        let mut kept = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        let (version, live) = {
            let view = self.look()?;
            (view.version(), view.is_live()?)
        };
        if let Some(kept) = kept.as_ref() {
            let rest = (kept.cost * REST).clamp(FRESH, STALE);
            let same = kept.version == version && kept.live == live;
            let ended = kept.live && !live;
            if (same && !live) || (!ended && kept.made.elapsed() < rest) {
                return Ok(Arc::clone(&kept.html));
            }
        }
        let began = Instant::now();
        let seen = self.look()?.snapshot()?;
        let html: Arc<str> = make(&seen)?.into();
        let cost = began.elapsed();
        *kept = Some(KeptReport {
            version,
            live,
            made: Instant::now(),
            cost,
            html: Arc::clone(&html),
        });
        Ok(html)
    }
}

/// The runs that were looked at last.
#[derive(Default)]
pub(crate) struct ShownRuns(Mutex<Vec<Arc<ShownRun>>>);

impl ShownRuns {
    /// A run, read now where nobody looked at it lately.
    pub(crate) fn open(
        &self,
        session: &Session,
        run: RunDir,
    ) -> Result<Arc<ShownRun>, SessionError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |known: &Arc<ShownRun>| known.run.path() == run.path();
        if let Some(place) = kept.iter().position(is_it) {
            let found = kept.remove(place);
            kept.push(Arc::clone(&found));
            return Ok(found);
        }
        drop(kept);
        let found = Arc::new(ShownRun {
            view: Mutex::new(session.look(run.clone())?),
            run,
            report: Mutex::new(None),
        });
        kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(Arc::clone(&found));
        Ok(found)
    }
}
