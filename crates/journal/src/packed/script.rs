//! Scripts of trials with gaps for what differs between them: most trials of a run then share one.

use serde::{Deserialize, Serialize};

/// What stands for the name of a trial's folder and for its seed. No text of a spec holds these.
const NAME: &str = "\u{1}name\u{2}";
const SEED: &str = "\u{1}seed\u{2}";

/// A script with gaps, as a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct SharedScript {
    script: String,
}

impl SharedScript {
    /// Of a script of this trial; absent where it could not be made again.
    pub(super) fn of(script: &str, name: &str, seed: u64) -> Option<Self> {
        if script.contains(['\u{1}', '\u{2}']) {
            return None;
        }
        let script = script.replace(name, NAME);
        Some(Self {
            script: words_replaced(&script, &seed.to_string(), SEED),
        })
    }

    /// The script of this trial.
    pub(super) fn filled(&self, name: &str, seed: u64) -> String {
        let script = self.script.replace(NAME, name);
        script.replace(SEED, &seed.to_string())
    }
}

/// A text with every whole word `word` replaced: digits inside of a number are none.
fn words_replaced(text: &str, word: &str, by: &str) -> String {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        let before = text[..at].chars().next_back().is_some_and(inside);
        let behind = text[end..].chars().next().is_some_and(inside);
        if at < done || before || behind {
            continue;
        }
        out.push_str(&text[done..at]);
        out.push_str(by);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::SharedScript;

    #[test]
    fn trials_that_differ_in_name_and_seed_share_a_script_and_get_theirs_back() {
        let script = |name: &str, seed: u64| {
            format!(
                "dir=${{1:-$(mktemp -d)}}\nexport SEED={seed}\nexport OUT=/d/{name}/x\nexec t --seed {seed} --lr=0.{seed} {name}\n"
            )
        };
        let one = SharedScript::of(&script("s-7", 1072), "s-7", 1072).unwrap();
        let other = SharedScript::of(&script("s-70", 5), "s-70", 5).unwrap();
        assert_ne!(one, other, "a rate that looks like a seed is none");
        let script = |name: &str, seed: u64| script(name, seed).replace("0.5", "0.1072");
        let other = SharedScript::of(&script("s-70", 5), "s-70", 5).unwrap();
        assert_eq!(one, other);
        for (name, seed) in [("s-7", 1072), ("s-70-attempt2", 5), ("s-1", 1)] {
            let script = script(name, seed);
            let shared = SharedScript::of(&script, name, seed).unwrap();
            assert_eq!(shared.filled(name, seed), script);
        }
        assert_eq!(SharedScript::of("a\u{1}name\u{2}", "n", 1), None);
    }
}
