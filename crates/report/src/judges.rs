//! Judges as tables: what each said and took, how far they agree, and how right they are beside people.

use crate::grid::{Column, Grid, Section};
use crate::rollout_words::{estimate, first};
use fairtrial_analysis::rollouts::{HumanAgreement, JudgeSummary, KappaFound};
use fairtrial_text::count::counted;
use fairtrial_text::share::percent;
use fairtrial_text::significant::significant;

/// The tables; none where one judge was asked, and nobody else scored.
pub(crate) fn sections(summary: &JudgeSummary) -> Vec<Section> {
    let mut sections = Vec::new();
    if !summary.agreement.is_empty() {
        sections.push(each(summary));
        sections.extend(by_rubric(summary));
    }
    sections.extend(summary.humans.as_ref().map(beside));
    sections
}

fn each(summary: &JudgeSummary) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("judge"),
        Column::numbers("rollouts"),
        Column::numbers("mean score"),
        Column::numbers("tokens").may_go(1),
        Column::numbers("$").may_go(2),
    ]);
    for judge in &summary.judges {
        let cost = judge.cost_usd.map(|cost| format!("{cost:.4}"));
        grid.push(vec![
            judge.judge.as_str().into(),
            judge.rollouts.to_string().into(),
            percent(judge.mean).into(),
            judge.tokens.to_string().into(),
            cost.unwrap_or_else(|| "unknown".to_owned()).into(),
        ]);
    }
    let agreement = summary.agreement.iter().map(|of| {
        format!(
            "Agreement of {}: {}, over {} of {}.",
            of.judges.join(", "),
            kappa(&of.kappa),
            counted(of.verdicts, "verdict"),
            counted(of.rollouts, "rollout")
        )
    });
    let mut notes: Vec<String> = agreement.collect();
    notes.push(
        "Kappa is 1 where judges always agree and 0 where they agree as often as chance would; a near miss counts less than a far one. Its interval is over rollouts."
            .to_owned(),
    );
    Section {
        title: "judges".to_owned(),
        grid,
        notes,
    }
}

/// Agreement on each rubric; none where every set of judges has one.
fn by_rubric(summary: &JudgeSummary) -> Option<Section> {
    let mut grid = Grid::new(vec![
        Column::words("judges").may_go(1),
        Column::words("rubric"),
        Column::numbers("verdicts"),
        Column::words("kappa"),
    ]);
    let mut notes = Vec::new();
    for of in &summary.agreement {
        for rubric in &of.rubrics {
            grid.push(vec![
                of.judges.join(", ").into(),
                rubric.criterion.as_str().into(),
                rubric.verdicts.to_string().into(),
                short_kappa(&rubric.kappa).into(),
            ]);
            let why = rubric.kappa.no_kappa.as_ref();
            notes.extend(
                why.map(|why| format!("{}: kappa cannot be computed: {why}.", rubric.criterion)),
            );
        }
    }
    (!grid.rows.is_empty()).then(|| Section {
        title: "agreement by rubric".to_owned(),
        grid,
        notes: first(notes.into_iter(), "rubrics without kappa"),
    })
}

fn beside(humans: &HumanAgreement) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("judge"),
        Column::numbers("verdicts"),
        Column::numbers("accuracy"),
        Column::numbers("judge - human").may_go(1),
        Column::words("kappa"),
    ]);
    for judge in &humans.judges {
        let accuracy = (judge.accuracy.mean, judge.accuracy.interval);
        grid.push(vec![
            judge.judge.as_str().into(),
            judge.verdicts.to_string().into(),
            estimate(Some(accuracy)).into(),
            significant(judge.bias, 2).into(),
            short_kappa(&judge.kappa).into(),
        ]);
    }
    let mut notes = vec![if humans.judges.is_empty() {
        "No human score belongs to a verdict.".to_owned()
    } else {
        "A verdict is right where judge and human are on the same side of 0.5 (0.5 itself is a yes); intervals are over rollouts."
            .to_owned()
    }];
    for judge in &humans.judges {
        let why = judge.kappa.no_kappa.as_ref().map(|why| ("kappa", why));
        let why = why.or(judge
            .kappa
            .no_interval
            .as_ref()
            .map(|why| ("the interval of kappa", why)));
        notes.extend(
            why.map(|(what, why)| format!("{}: {what} cannot be computed: {why}.", judge.judge)),
        );
    }
    let unmatched = humans.unmatched.iter();
    let unmatched = unmatched.map(|row| format!("Human score without a verdict: {row}."));
    notes.extend(first(unmatched, "human scores without a verdict"));
    Section {
        title: "judges beside human scores".to_owned(),
        grid,
        notes,
    }
}

/// A kappa in a sentence.
fn kappa(found: &KappaFound) -> String {
    match (&found.no_kappa, found.method) {
        (None, Some(method)) => {
            let why = found.no_interval.as_ref();
            let why = why.map(|why| format!(" (its interval cannot be computed: {why})"));
            let why = why.unwrap_or_default();
            format!("{method}, {}{why}", short_kappa(found))
        }
        (why, _) => {
            let why = why.as_deref().unwrap_or_default();
            format!("kappa cannot be computed: {why}")
        }
    }
}

fn short_kappa(found: &KappaFound) -> String {
    let Some(value) = found.kappa else {
        return "N/A".to_owned();
    };
    let range = found.interval.map(|range| {
        let [low, high] = [range.low, range.high].map(|end| format!("{end:.2}"));
        format!(" [{low}, {high}]")
    });
    format!("{value:.2}{}", range.unwrap_or_default())
}
