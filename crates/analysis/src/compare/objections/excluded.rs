//! What a verdict's word rules out, for tests that stand beside its interval.

use crate::compare::method::choose::Case;
use crate::compare::word::Word;
use fairtrial_model::Direction;

/// The differences that a word says the truth is not; those without a bound are ruled out by anything.
pub(crate) fn excluded(case: &Case, word: Word) -> Vec<f64> {
    let rule = case.rule();
    let (to_clear, margin) = (rule.to_clear(), rule.margin);
    let down = rule.direction == Some(Direction::Down);
    let (above, below) = (to_clear.above, -to_clear.below);
    let edges = match (word, margin) {
        (Word::Improved, _) => vec![if down { below } else { above }],
        (Word::Regressed, _) => vec![if down { above } else { below }],
        (Word::Equivalent, Some(margin)) => vec![margin.above, -margin.below],
        (Word::NotWorse, Some(margin)) => {
            vec![if down { margin.above } else { -margin.below }]
        }
        _ => Vec::new(),
    };
    let bounded = edges.into_iter().filter(|edge| edge.is_finite());
    bounded.collect()
}
