//! The rules of a gate: which metrics may block, which way is worse, and by how much they may get worse.

use crate::compare::data::definition;
use crate::compare::data::side::Inputs;
use crate::compare::margin_text::parse_margin;
use crate::compare::question::or_cases;
use crate::dataset::{Dataset, FactKind};
use crate::error::AnalysisError;
use crate::order;
use fairtrial_model::{Direction, Margin, MetricDeclaration};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::str::FromStr;

/// One rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateRule {
    /// The metric.
    pub metric: String,
    /// How much worse is too little to matter; absent means as declared.
    pub margin: Option<Margin>,
    /// Which way is better; absent means as declared.
    pub direction: Option<Direction>,
}

impl FromStr for GateRule {
    type Err = String;

    /// Reads `cpu=5%`, `reward=0.02:up`, `latency:down`, `loss`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (rest, direction) = match text.rsplit_once(':') {
            Some((rest, "up" | "higher")) => (rest, Some(Direction::Up)),
            Some((rest, "down" | "lower")) => (rest, Some(Direction::Down)),
            _ => (text, None),
        };
        // Labels of a case have a `=` of their own: `rows{size=100}`, `rows{size=100}=5%`.
        let margin = rest.rsplit_once('=').filter(|(_, end)| !end.ends_with('}'));
        let (metric, margin) = match margin {
            Some((metric, margin)) => (metric, Some(parse_margin(margin)?)),
            None => (rest, None),
        };
        if metric.trim().is_empty() {
            return Err(format!(
                "`{text}` names no metric: write `metric=5%` or `metric=5%:down`"
            ));
        }
        Ok(Self {
            metric: metric.trim().to_owned(),
            margin,
            direction,
        })
    }
}

/// The rules that hold: those that were given, else every declared metric that says which way is better.
pub(super) fn asked(
    inputs: Inputs<'_>,
    given: &[GateRule],
) -> Result<Vec<GateRule>, AnalysisError> {
    let declared = |name: &str| {
        inputs
            .datasets()
            .find_map(|data| data.declaration(name))
            .map(Cow::into_owned)
    };
    let reported: BTreeSet<String> = inputs.datasets().flat_map(Dataset::metric_names).collect();
    if given.is_empty() {
        let reported: Vec<String> = reported.into_iter().collect();
        // As in `compare`, cases are judged where a rule asks for them.
        let alone = |name: &str| or_cases(name, &reported) == [name];
        let mut names: Vec<String> = Vec::new();
        for metric in inputs.datasets().flat_map(|data| &data.declared) {
            let has_way = metric.direction.is_some() && alone(&metric.name);
            if has_way && !names.contains(&metric.name) {
                names.push(metric.name.clone());
            }
        }
        let rules: Vec<GateRule> = names.into_iter().map(plain).collect();
        return if rules.is_empty() {
            Err(AnalysisError::Question(
                "no metric says which way is better, so nothing can get worse: declare `direction`, or give a rule like \
                 `--rule latency=5%:down`"
                    .to_owned(),
            ))
        } else {
            Ok(rules)
        };
    }
    for (place, rule) in given.iter().enumerate() {
        let before = &given[..place];
        if before.iter().any(|other| other.metric == rule.metric) {
            return Err(AnalysisError::Question(format!(
                "there are two rules about `{}`, and only one can hold: leave the other out",
                rule.metric
            )));
        }
        if !reported.contains(&rule.metric) && declared(&rule.metric).is_none() {
            return Err(AnalysisError::Question(format!(
                "no trial reports the metric `{}` of a rule; there are {}",
                rule.metric,
                reported.into_iter().collect::<Vec<_>>().join(", ")
            )));
        }
        let way = rule.direction.or_else(|| declared(&rule.metric)?.direction);
        if way.is_none() {
            return Err(AnalysisError::Question(format!(
                "the rule about `{0}` does not say which way is better: write `{0}=5%:down` or `{0}=5%:up`",
                rule.metric
            )));
        }
    }
    Ok(given.to_vec())
}

/// What the two sources declare differently about a rule's metric, where the rule does not say it. The baseline's margin
/// and reference points hold: a change must not loosen the rule that it is judged by. Which way is better cannot be two
/// things at once.
pub(super) fn disputed(
    inputs: Inputs<'_>,
    rules: &[GateRule],
) -> Result<Vec<String>, AnalysisError> {
    let Inputs::Two(baseline, candidate) = inputs else {
        return Ok(Vec::new());
    };
    let mut notes = Vec::new();
    for rule in rules {
        let name = rule.metric.as_str();
        let (Some(before), Some(now)) = (baseline.declaration(name), candidate.declaration(name))
        else {
            continue;
        };
        let both = before.direction.zip(now.direction);
        if rule.direction.is_none() && both.is_some_and(|(before, now)| before != now) {
            return Err(AnalysisError::Question(format!(
                "the baseline and the run do not agree on which way `{name}` is better: write `--rule {name}:up` or \
                 `--rule {name}:down`"
            )));
        }
        if rule.margin.is_none() && before.margin != now.margin {
            let (before, now) = (in_words(before.margin), in_words(now.margin));
            notes.push(format!(
                "{name}: the baseline says {before}, the run {now}; the baseline's holds, and `--rule {name}=MARGIN` \
                 says another"
            ));
        }
        notes.extend(other_points((baseline, &before), (candidate, &now))?);
    }
    Ok(notes)
}

/// Refuses a baseline whose numbers were made in another way: whatever the change did, they would differ. What is `accepted`
/// is told among the differences between the sides.
pub(super) fn made_alike(
    inputs: Inputs<'_>,
    rules: &[GateRule],
    accepted: &[FactKind],
) -> Result<(), AnalysisError> {
    let Inputs::Two(baseline, candidate) = inputs else {
        return Ok(());
    };
    if accepted.contains(&FactKind::Definition) {
        return Ok(());
    }
    for rule in rules {
        let name = rule.metric.as_str();
        let found = definition::mismatches(baseline, candidate, name);
        let changes = definition::changes_of(name, &found);
        if !changes.is_empty() {
            let words = definition::in_words(&changes);
            return Err(AnalysisError::Question(format!(
                "the baseline and the run make the numbers of `{name}` differently ({words}): make the baseline again with \
                 the spec of today, or say --accept-definition where they mean the same"
            )));
        }
    }
    Ok(())
}

/// Reference points that are not the same on both sides, where several tasks report the metric. The baseline's hold; but
/// where only the run has some, raw scores would be averaged of which the run says that they have no common scale.
fn other_points(
    (baseline, before): (&Dataset, &MetricDeclaration),
    (candidate, now): (&Dataset, &MetricDeclaration),
) -> Result<Option<String>, AnalysisError> {
    let name = before.name.as_str();
    let several = |data: &Dataset| data.reporting_tasks(name).len() > 1;
    if before.reference == now.reference || !(several(baseline) || several(candidate)) {
        return Ok(None);
    }
    let said = match (&before.reference, &now.reference) {
        (None, _) => {
            return Err(AnalysisError::Question(format!(
                "the run declares reference points for `{name}` and the baseline does not, so that its tasks would be \
                 averaged without a common scale: make the baseline again with the spec of today"
            )));
        }
        (Some(_), None) => "the run has none",
        (Some(_), Some(_)) => "the run has others",
    };
    Ok(Some(format!(
        "{name}: the baseline has reference points, {said}; the baseline's hold"
    )))
}

fn in_words(margin: Option<Margin>) -> String {
    match margin {
        None => "no margin".to_owned(),
        Some(Margin::Absolute(size)) => format!("a margin of {size}"),
        Some(Margin::Relative(share)) => {
            format!("a margin of {} %", (1e6 * share).round() / 1e4)
        }
    }
}

fn plain(metric: String) -> GateRule {
    GateRule {
        metric,
        margin: None,
        direction: None,
    }
}

/// A source whose declarations say what the rules say.
pub(super) fn applied(data: &Dataset, rules: &[GateRule]) -> Dataset {
    let mut data = data.clone();
    for rule in rules {
        let known = data
            .declared
            .iter()
            .position(|metric| metric.name == rule.metric);
        let place = known.unwrap_or_else(|| {
            // A case is declared as its metric is.
            let metric = data.declaration(&rule.metric).map(Cow::into_owned);
            let metric = metric.unwrap_or_else(|| MetricDeclaration::named(rule.metric.as_str()));
            data.declared.push(metric);
            data.declared.len() - 1
        });
        let metric = &mut data.declared[place];
        metric.margin = rule.margin.or(metric.margin);
        metric.direct(rule.direction);
    }
    let names: Vec<String> = rules.iter().map(|rule| rule.metric.clone()).collect();
    let listed = order::Listed::of(&names);
    data.declared.sort_by(|a, b| listed.cmp(&a.name, &b.name));
    data
}

#[cfg(test)]
mod tests {
    use super::GateRule;
    use fairtrial_model::{Direction, Margin};

    #[test]
    fn rules_are_read_from_text() {
        let rule: GateRule = "time/step=5%:down".parse().unwrap();
        assert_eq!(rule.metric, "time/step");
        assert_eq!(rule.margin, Some(Margin::Relative(0.05)));
        assert_eq!(rule.direction, Some(Direction::Down));
        let rule: GateRule = "reward=0.02".parse().unwrap();
        assert_eq!(
            (rule.margin, rule.direction),
            (Some(Margin::Absolute(0.02)), None)
        );
        let rule: GateRule = "a:b".parse().unwrap();
        assert_eq!((rule.metric.as_str(), rule.margin), ("a:b", None));
        let rule: GateRule = "rows{size=100}:up".parse().unwrap();
        assert_eq!(
            (rule.metric.as_str(), rule.margin),
            ("rows{size=100}", None)
        );
        let rule: GateRule = "rows{size=100}=5%".parse().unwrap();
        assert_eq!(rule.metric, "rows{size=100}");
        assert_eq!(rule.margin, Some(Margin::Relative(0.05)));
        assert!("=5%".parse::<GateRule>().is_err());
        assert!("cpu=much".parse::<GateRule>().is_err());
    }
}
