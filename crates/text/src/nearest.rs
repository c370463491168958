//! "Did you mean ...?": the known word nearest to one that is not known.

/// The candidate nearest to `word`, where one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let scored = candidates
        .into_iter()
        .map(|candidate| (score(&lower, candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.65).then_some(best.1)
}

/// The help for an unknown word: `did you mean ...?`. The same word again would be none.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let others = candidates
        .into_iter()
        .filter(|candidate| *candidate != word);
    nearest(word, others).map(|best| format!("did you mean `{best}`?"))
}

fn score(word: &str, candidate: &str) -> f64 {
    // Comparing is quadratic: a word of a megabyte is not a slip of a finger.
    if word.len() > 100 {
        return 0.0;
    }
    let plain = |text: &str| text.replace(['_', '-'], "");
    let candidate = candidate.to_lowercase();
    strsim::normalized_damerau_levenshtein(&plain(word), &plain(&candidate))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_a_finger_are_found_and_other_words_are_not() {
        let known = ["rollouts", "seeds", "parallel"];
        assert_eq!(nearest("rolouts", known), Some("rollouts"));
        assert_eq!(nearest("Paralell", known), Some("parallel"));
        assert_eq!(nearest("budget", known), None);
        assert_eq!(nearest("seeds", []), None);
        assert_eq!(nearest(&"s".repeat(1 << 20), known), None);
    }
}
