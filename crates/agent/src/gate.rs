//! How many agents may talk to one provider at the same time: a limit that all rollouts of a run share, halved when the
//! provider says that it is too much and raised again, one by one, while it does not.
//!
//! It lives in files with locks that die with their holder, because rollouts are processes of their own.

use crate::error::{AgentError, At};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// More than any machine runs at the same time: no limit.
const MOST: u64 = 1024;
/// Good rollouts after which the limit rises by one.
const PROOF: u64 = 5;
/// The first wait after a complaint that names no time, and the longest that is believed.
const FIRST_MS: u64 = 10_000;
const LONGEST_MS: u64 = 2 * 3_600_000;
/// How often a waiting rollout looks.
const PAUSE: Duration = Duration::from_millis(200);

/// The gate to one provider.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    dir: PathBuf,
}

/// A place inside, given back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _lock: File,
    /// Seconds waited for it.
    pub(crate) waited: f64,
}

/// The limit and the good rollouts since it last changed; complaints since the last good one, and until when nobody enters,
/// in milliseconds of the system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    limit: u64,
    good: u64,
    complaints: u64,
    until: u64,
}

impl Gate {
    /// The gate in a folder, which is made. Until the provider complains everybody may be inside.
    pub(crate) fn open(dir: &Path) -> Result<Self, AgentError> {
        fs::create_dir_all(dir).at("create", dir)?;
        Ok(Self {
            dir: dir.to_owned(),
        })
    }

    /// Waits for a place.
    pub(crate) fn enter(&self) -> Result<Place, AgentError> {
        let began = Instant::now();
        loop {
            let state = self.with_state(|state| *state)?;
            // A clock that was set back by much keeps nobody out for ever.
            let is_shut = (now_ms() + 1..now_ms() + LONGEST_MS).contains(&state.until);
            for number in 0..if is_shut { 0 } else { state.limit } {
                let path = self.dir.join(format!("place-{number}"));
                let file = open(&path)?;
                if file.try_lock().is_ok() {
                    return Ok(Place {
                        _lock: file,
                        waited: began.elapsed().as_secs_f64(),
                    });
                }
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The provider was content.
    pub(crate) fn went_well(&self) -> Result<(), AgentError> {
        self.with_state(|state| {
            state.complaints = 0;
            if state.limit == MOST {
                return;
            }
            state.good += 1;
            if state.good >= PROOF {
                (state.limit, state.good) = (state.limit + 1, 0);
            }
        })
    }

    /// The provider said that it is too much; gives the new limit. Nobody enters for as long as it wants, or for a time that
    /// doubles with each complaint: a few quick attempts would not outlast a rate limit.
    pub(crate) fn was_too_much(&self, wait: Option<Duration>) -> Result<u64, AgentError> {
        // Places are taken from the first on: there are as many as were ever inside together.
        let places = fs::read_dir(&self.dir).at("list", &self.dir)?.flatten();
        let used = places
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("place-"))
            .count() as u64;
        self.with_state(|state| {
            let own = FIRST_MS << state.complaints.min(5);
            let wait = wait.map_or(own, |wait| wait.as_millis().try_into().unwrap_or(own));
            *state = State {
                limit: (state.limit.min(used) / 2).max(1),
                good: 0,
                complaints: state.complaints + 1,
                until: state.until.max(now_ms() + wait),
            };
            state.limit
        })
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, AgentError> {
        let path = self.dir.join("limit");
        let mut file = open(&path)?;
        file.lock().at("lock", &path)?;
        let mut text = String::new();
        file.read_to_string(&mut text).at("read", &path)?;
        let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
        let mut next = || numbers.next().flatten();
        let before = State {
            limit: next().unwrap_or(MOST).clamp(1, MOST),
            good: next().unwrap_or(0),
            complaints: next().unwrap_or(0),
            until: next().unwrap_or(0),
        };
        let mut state = before;
        let result = change(&mut state);
        if state != before {
            let text = format!(
                "{} {} {} {}\n",
                state.limit, state.good, state.complaints, state.until
            );
            file.set_len(0)
                .and_then(|()| file.seek(SeekFrom::Start(0)))
                .and_then(|_| file.write_all(text.as_bytes()))
                .at("write", &path)?;
        }
        Ok(result)
    }
}

/// Milliseconds of the system's clock, which all processes share.
fn now_ms() -> u64 {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
    now.unwrap_or_default()
        .as_millis()
        .try_into()
        .unwrap_or(u64::MAX / 2)
}

fn open(path: &Path) -> Result<File, AgentError> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
        .at("open", path)
}

#[cfg(test)]
mod tests {
    use super::{FIRST_MS, Gate, now_ms};
    use std::time::Duration;

    #[test]
    fn the_limit_halves_at_once_and_comes_back_slowly() {
        let dir = tempfile::tempdir().unwrap();
        let gate = Gate::open(dir.path()).unwrap();
        let eight: Vec<_> = (0..8).map(|_| gate.enter().unwrap()).collect();
        drop(eight);
        assert_eq!(gate.was_too_much(Some(Duration::ZERO)).unwrap(), 4);
        assert_eq!(gate.was_too_much(Some(Duration::ZERO)).unwrap(), 2);
        for _ in 0..5 {
            gate.went_well().unwrap();
        }
        assert_eq!(gate.with_state(|state| state.limit).unwrap(), 3);
        assert_eq!(gate.was_too_much(Some(Duration::ZERO)).unwrap(), 1);
        let first = gate.enter().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let other = gate.clone();
        let waiting = std::thread::spawn(move || {
            let place = other.enter().unwrap();
            sender.send(()).unwrap();
            drop(place);
        });
        assert!(receiver.try_recv().is_err());
        drop(first);
        waiting.join().unwrap();
        receiver.recv().unwrap();
    }

    #[test]
    fn nobody_enters_while_the_provider_wants_to_be_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let gate = Gate::open(dir.path()).unwrap();
        drop(gate.enter().unwrap());
        let until = || gate.with_state(|state| state.until).unwrap();
        gate.was_too_much(None).unwrap();
        let first = until();
        assert!(first >= now_ms() + FIRST_MS / 2);
        gate.was_too_much(None).unwrap();
        assert!(until() > first + FIRST_MS / 2, "the second wait is longer");
        gate.with_state(|state| (state.until, state.complaints) = (0, 0))
            .unwrap();
        gate.was_too_much(Some(Duration::from_millis(300))).unwrap();
        assert!(gate.enter().unwrap().waited > 0.1);
    }
}
