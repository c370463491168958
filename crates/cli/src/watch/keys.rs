//! Keys as they are pressed, without waiting for the end of a line.

use rustix::termios::{OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGTERM};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tenths of a second that a key is waited for.
const WAIT: u8 = 2;

/// A key that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    Enter,
    /// Ctrl-C, a closed terminal, a polite kill.
    Interrupt,
    Letter(char),
}

/// The keyboard; the terminal is as it was when this is dropped.
pub(super) struct Keys {
    before: Termios,
    ended: Arc<AtomicBool>,
}

impl Keys {
    pub(super) fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        raw.special_codes[SpecialCodeIndex::VMIN] = 0;
        raw.special_codes[SpecialCodeIndex::VTIME] = WAIT;
        let ended = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&ended))?;
        }
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before, ended })
    }

    /// The next key; nothing where none was pressed for a moment.
    pub(super) fn next(&mut self) -> io::Result<Option<Key>> {
        let mut bytes = [0; 16];
        let read = match io::stdin().lock().read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            other => other?,
        };
        if self.ended.load(Ordering::Relaxed) {
            return Ok(Some(Key::Interrupt));
        }
        Ok(meaning(&bytes[..read]))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

fn meaning(bytes: &[u8]) -> Option<Key> {
    match bytes {
        [3, ..] => Some(Key::Interrupt),
        [b'\r' | b'\n', ..] => Some(Key::Enter),
        b"\x1b[A" | b"\x1bOA" | [b'k', ..] => Some(Key::Up),
        b"\x1b[B" | b"\x1bOB" | [b'j', ..] => Some(Key::Down),
        [letter, ..] if letter.is_ascii_alphabetic() => {
            Some(Key::Letter(char::from(letter.to_ascii_lowercase())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, meaning};

    #[test]
    fn keys_mean_what_they_say() {
        assert_eq!(meaning(b"\x1b[A"), Some(Key::Up));
        assert_eq!(meaning(b"\x1bOB"), Some(Key::Down));
        assert_eq!(meaning(b"Q"), Some(Key::Letter('q')));
        assert_eq!(meaning(&[3]), Some(Key::Interrupt));
        assert_eq!(meaning(b""), None);
        assert_eq!(meaning(b"\x1b[6~"), None);
    }
}
