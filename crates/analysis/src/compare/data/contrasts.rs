//! Which sides are compared with which.

use crate::compare::data::side::{ComparedSide, Inputs, points_of};
use crate::compare::data::trials::TrialsOfBoth;
use crate::compare::options::CompareOptions;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::order;
use fairtrial_model::Params;

/// One contrast that is to be made: two sides at one sweep point.
#[derive(Debug, Clone)]
pub(crate) struct PlannedContrast<'a> {
    pub(crate) control: ComparedSide<'a>,
    pub(crate) candidate: ComparedSide<'a>,
}

impl PlannedContrast<'_> {
    /// The sweep point, which both sides share.
    pub(crate) fn point(&self) -> &Params {
        &self.control.point
    }

    /// The trials of both sides for a metric.
    pub(crate) fn trials(&self, metric: &str) -> TrialsOfBoth {
        TrialsOfBoth::of(&self.control, &self.candidate, metric)
    }
}

/// The contrasts that the inputs and options ask for.
pub(crate) fn plan<'a>(
    inputs: Inputs<'a>,
    options: &CompareOptions,
) -> Result<Vec<PlannedContrast<'a>>, AnalysisError> {
    let sides = match inputs {
        Inputs::Arms(data) => arms_of_one(data, options)?,
        Inputs::Two(control, candidate) => arms_of_two(control, candidate, options)?,
        Inputs::Several(all) => arms_of_several(all, options)?,
    };
    let mut planned = Vec::new();
    for ArmsOfBoth { control, candidate } in sides {
        let theirs = points_of(candidate.data, candidate.arm.as_deref());
        let mut points = points_of(control.data, control.arm.as_deref());
        points.retain(|point| theirs.contains(point));
        points.sort_by(order::points);
        planned.extend(points.into_iter().map(|point| PlannedContrast {
            control: control.at(point.clone()),
            candidate: candidate.at(point),
        }));
    }
    if planned.is_empty() {
        return Err(AnalysisError::Question(
            "the two sides have no sweep point in common".to_owned(),
        ));
    }
    Ok(planned)
}

/// One arm of a source, at whatever point.
#[derive(Debug, Clone)]
struct ArmOf<'a> {
    data: &'a Dataset,
    arm: Option<String>,
}

impl<'a> ArmOf<'a> {
    fn at(&self, point: Params) -> ComparedSide<'a> {
        ComparedSide {
            data: self.data,
            arm: self.arm.clone(),
            point,
        }
    }
}

/// The arms of both sides.
struct ArmsOfBoth<'a> {
    control: ArmOf<'a>,
    candidate: ArmOf<'a>,
}

fn arms_of_one<'a>(
    data: &'a Dataset,
    options: &CompareOptions,
) -> Result<Vec<ArmsOfBoth<'a>>, AnalysisError> {
    let arms = data.arm_names();
    let known = |arm: &String| {
        let found = arms.contains(arm).then(|| arm.clone());
        found.ok_or_else(|| {
            AnalysisError::Question(format!(
                "{} has no arm `{arm}`; it has {}",
                data.label,
                listed(&arms)
            ))
        })
    };
    if arms.len() < 2 {
        let message = format!("{} has {}: nothing to compare", data.label, listed(&arms));
        return Err(AnalysisError::Question(message));
    }
    let named = options
        .control
        .as_ref()
        .or(data.control.as_ref())
        .filter(|arm| options.control.is_some() || arms.contains(arm));
    let control = named.map_or_else(|| Ok(arms[0].clone()), known)?;
    let candidates: Vec<String> = if options.candidates.is_empty() {
        arms.iter()
            .filter(|arm| **arm != control)
            .cloned()
            .collect()
    } else {
        options
            .candidates
            .iter()
            .map(known)
            .collect::<Result<_, _>>()?
    };
    if candidates.contains(&control) {
        return Err(AnalysisError::Question(format!(
            "`{control}` cannot be compared with itself"
        )));
    }
    let side = |arm: String| ArmOf {
        data,
        arm: Some(arm),
    };
    Ok(candidates
        .into_iter()
        .map(|arm| ArmsOfBoth {
            control: side(control.clone()),
            candidate: side(arm),
        })
        .collect())
}

/// The arms of every further source against those of the first.
fn arms_of_several<'a>(
    all: &[&'a Dataset],
    options: &CompareOptions,
) -> Result<Vec<ArmsOfBoth<'a>>, AnalysisError> {
    let mut sides = Vec::new();
    if let [control, others @ ..] = all {
        for candidate in others {
            sides.extend(arms_of_two(control, candidate, options)?);
        }
    }
    Ok(sides)
}

/// Arms that both sources have, each against itself; else the only arm of each.
fn arms_of_two<'a>(
    control: &'a Dataset,
    candidate: &'a Dataset,
    options: &CompareOptions,
) -> Result<Vec<ArmsOfBoth<'a>>, AnalysisError> {
    if let Some(arm) = &options.control {
        return Err(AnalysisError::Question(format!(
            "sources are compared arm by arm and the first is the control, so that `{arm}` cannot be it; name one source"
        )));
    }
    let list = |data: &Dataset| -> Vec<Option<String>> {
        let mut arms: Vec<Option<String>> = data.arms.iter().cloned().collect();
        let place = |arm: &Option<String>| arm.clone().unwrap_or_default();
        let listed = order::Listed::of(&data.arm_order);
        arms.sort_by(|a, b| listed.cmp(&place(a), &place(b)));
        arms
    };
    let (ours, theirs) = (list(control), list(candidate));
    let wanted = |arm: &Option<String>| {
        options.candidates.is_empty()
            || arm
                .as_ref()
                .is_some_and(|arm| options.candidates.contains(arm))
    };
    let side = |data: &'a Dataset, arm: &Option<String>| ArmOf {
        data,
        arm: arm.clone(),
    };
    let shared: Vec<ArmsOfBoth<'a>> = ours
        .iter()
        .filter(|arm| theirs.contains(arm) && wanted(arm))
        .map(|arm| ArmsOfBoth {
            control: side(control, arm),
            candidate: side(candidate, arm),
        })
        .collect();
    match (&ours[..], &theirs[..]) {
        _ if !shared.is_empty() => Ok(shared),
        ([left], [right]) if options.candidates.is_empty() => Ok(vec![ArmsOfBoth {
            control: side(control, left),
            candidate: side(candidate, right),
        }]),
        _ => {
            let names = |arms: &[Option<String>]| {
                listed(&arms.iter().flatten().cloned().collect::<Vec<_>>())
            };
            Err(AnalysisError::Question(format!(
                "no arm in common: {} has {}, {} has {}",
                control.label,
                names(&ours),
                candidate.label,
                names(&theirs)
            )))
        }
    }
}

fn listed(arms: &[String]) -> String {
    match arms {
        [] => "no arms".to_owned(),
        [one] => format!("one arm, `{one}`"),
        many => format!(
            "the arms {}",
            many.iter()
                .map(|arm| format!("`{arm}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}
