//! What a trial saves to go on from, and how it hears of its end.

use crate::clock::UtcTime;
use crate::outcome::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// The signal by which a trial hears that its end is near.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoticeSignal {
    /// What schedulers, shells and this program send where nothing else is agreed.
    #[default]
    #[serde(rename = "TERM")]
    Term,
    /// Free for programs.
    #[serde(rename = "USR1")]
    Usr1,
    /// Free for programs.
    #[serde(rename = "USR2")]
    Usr2,
    /// What Ctrl-C sends.
    #[serde(rename = "INT")]
    Int,
}

impl NoticeSignal {
    /// Every signal.
    pub const ALL: [Self; 4] = [Self::Term, Self::Usr1, Self::Usr2, Self::Int];

    /// The word used in specs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Term => "TERM",
            Self::Usr1 => "USR1",
            Self::Usr2 => "USR2",
            Self::Int => "INT",
        }
    }

    /// The signal that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.word() == word)
    }
}

/// The folder that all attempts at a trial share, and the attempts so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The folder, relative to the data root.
    pub dir: String,
    /// What stood there when this part began; nothing where it began from zero.
    pub found: Saved,
    /// What stood there at its end.
    pub left: Saved,
    /// The parts before this one, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// What a folder holds, as far as it takes to see whether something came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// When the newest of them was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<UtcTime>,
}

impl Checkpoint {
    /// Whether this part left something new to go on from.
    pub fn saved(&self) -> bool {
        self.left.files > 0 && self.left != self.found
    }
}

/// An attempt that others followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Which attempt.
    pub attempt: u32,
    /// How it ended; absent where its controller was cut off, and nobody saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<UtcTime>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<UtcTime>,
    /// Wall seconds.
    #[serde(rename = "wall_s", default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<f64>,
    /// CPU seconds in user mode.
    #[serde(rename = "user_s", default, skip_serializing_if = "Option::is_none")]
    pub user: Option<f64>,
    /// CPU seconds in the kernel.
    #[serde(rename = "sys_s", default, skip_serializing_if = "Option::is_none")]
    pub sys: Option<f64>,
    /// Whether it left something new to go on from.
    pub saved: bool,
}

impl Part {
    /// An attempt that began, and of whose end nothing is known.
    pub const fn begun(attempt: u32, at: UtcTime) -> Self {
        Self {
            attempt,
            outcome: None,
            cause: None,
            started_at: Some(at),
            ended_at: None,
            wall: None,
            user: None,
            sys: None,
            saved: false,
        }
    }

    /// Whether something from outside cut it short, so that the next part goes on with the same work.
    pub const fn was_interrupted(&self) -> bool {
        matches!(
            self.outcome,
            None | Some(Outcome::Infra | Outcome::Cancelled)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::NoticeSignal;

    #[test]
    fn words_are_the_serde_form() {
        for signal in NoticeSignal::ALL {
            let text = serde_json::to_string(&signal).unwrap();
            assert_eq!(text, format!("\"{}\"", signal.word()));
            assert_eq!(NoticeSignal::from_word(signal.word()), Some(signal));
        }
    }
}
