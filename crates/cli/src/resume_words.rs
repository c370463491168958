//! The command that resumes a run, from what was typed to have it.

use fairtrial_text::shell_word::shell_word;
use std::path::PathBuf;

/// The words of `run` that say which run is meant.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResumeWords {
    /// The spec's file.
    pub(crate) spec: PathBuf,
    /// What was set over it, the name of the run perhaps among that.
    pub(crate) set: Vec<String>,
    /// Whether the file says something else by now.
    pub(crate) as_recorded: bool,
    /// What finds the data root, where it was named.
    pub(crate) data_words: String,
}

impl ResumeWords {
    /// The command that goes on with the run, with one more key set.
    pub(crate) fn resume(&self, more: Option<&str>) -> String {
        let mut words = format!("fairtrial run {}", self.spec.display());
        let key = |set: &str| set.split_once('=').map(|(key, _)| key.trim().to_owned());
        let replaced = more.and_then(key);
        let kept = self.set.iter().map(String::as_str);
        let kept = kept.filter(|set| replaced.is_none() || key(set) != replaced);
        for set in kept.chain(more) {
            words.push_str(" --set ");
            words.push_str(&shell_word(set));
        }
        words.push_str(" --resume");
        if self.as_recorded {
            words.push_str(" --as-recorded");
        }
        words + &self.data_words
    }
}

#[cfg(test)]
mod tests {
    use super::ResumeWords;

    #[test]
    fn what_was_set_is_typed_again() {
        let typed = ResumeWords {
            spec: "bench.toml".into(),
            set: vec!["name=pilot".to_owned(), "seeds=[1, 2]".to_owned()],
            as_recorded: true,
            data_words: " --data-dir d".to_owned(),
        };
        assert_eq!(
            typed.resume(Some("budget.tokens=N")),
            "fairtrial run bench.toml --set name=pilot --set 'seeds=[1, 2]' --set budget.tokens=N --resume --as-recorded --data-dir d"
        );
    }
}
