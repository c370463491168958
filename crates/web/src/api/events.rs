//! What happens, as it happens: a look at the journal's size now and then, and the run at a glance where it grew.

use super::error::Answered;
use super::runs::word;
use super::state::Api;
use crate::http::{EventStream, Query, Response};
use crate::shown::ShownRun;
use fairtrial_session::SessionError;
use std::io;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a run is looked at, how often all runs are, and how long nothing may be said.
const LOOK: Duration = Duration::from_millis(300);
const LOOK_AT_ALL: Duration = Duration::from_secs(2);
const SILENCE: Duration = Duration::from_secs(10);
/// An answer is worked out no sooner than after so many times what the last one cost.
const REST: u32 = 50;

pub(super) fn events(api: &Arc<Api>, query: &Query) -> Answered {
    if query.text("run").is_empty() {
        let api = Arc::clone(api);
        return Ok(Response::events(move |stream| of_all(&api, stream)));
    }
    let run = api.run(query)?;
    Ok(Response::events(move |stream| of_run(&run, stream)))
}

fn failed(error: &SessionError) -> io::Error {
    io::Error::other(error.to_string())
}

/// Says each change of a run.
fn of_run(run: &ShownRun, stream: &mut EventStream<'_>) -> io::Result<()> {
    let (mut known, mut said) = (None, Instant::now());
    loop {
        let cost;
        let seen = {
            let view = run.look().map_err(|error| failed(&error))?;
            let began = Instant::now();
            let live = view.is_live().map_err(|error| failed(&error))?;
            let paused = fairtrial_journal::pause_requested(run.run());
            let seen = (view.version(), live, paused);
            let overview = (known != Some(seen)).then(|| view.overview());
            drop(view);
            cost = began.elapsed();
            if let Some(overview) = overview {
                stream.event("run", &overview.map_err(|error| failed(&error))?)?;
                said = Instant::now();
            }
            seen
        };
        known = Some(seen);
        if said.elapsed() > SILENCE {
            stream.still_here()?;
            said = Instant::now();
        }
        sleep((cost * REST).clamp(LOOK, LOOK_AT_ALL));
    }
}

/// Says when some run changed, was begun or ended.
fn of_all(api: &Api, stream: &mut EventStream<'_>) -> io::Result<()> {
    let (mut known, mut said) = (None, Instant::now());
    loop {
        let began = Instant::now();
        let runs = api.session.runs().map_err(|error| failed(&error))?;
        let facts = runs
            .iter()
            .map(|run| (run.name.clone(), run.stamp, word(run), run.counts.total()));
        let facts: Vec<_> = facts.collect();
        if known.as_ref() != Some(&facts) {
            stream.event("runs", &facts.len())?;
            (known, said) = (Some(facts), Instant::now());
        }
        if said.elapsed() > SILENCE {
            stream.still_here()?;
            said = Instant::now();
        }
        sleep(LOOK_AT_ALL.max(began.elapsed() * REST));
    }
}
