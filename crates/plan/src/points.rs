//! The points of a sweep, each worked out from its number.

use fairtrial_model::Params;
use fairtrial_spec::{Arm, Axis, Constraint, Strategy, Sweep, Task};
use fairtrial_stats::rng::{Purpose, Stream};
use std::collections::HashSet;

/// How many points a sweep has, given the draws of a random one; one where it sweeps nothing.
pub(crate) fn count(sweep: &Sweep, draws: &Draws) -> u128 {
    if sweep.axes.is_empty() {
        return 1;
    }
    match sweep.strategy {
        Strategy::Cartesian => sweep.combinations(),
        Strategy::Zip => sweep
            .axes
            .iter()
            .map(|axis| axis.values.len() as u128)
            .min()
            .unwrap_or(0),
        Strategy::Random { .. } => draws.0.len() as u128,
    }
}

/// Of so many combinations all that satisfy the constraints are looked for; of more, points are drawn until one does.
const MOST_LISTED: u128 = 1 << 17;
/// After so many draws that are not allowed, or not new, the next is not waited for.
const MOST_TRIES: u32 = 100_000;

/// What the points of a sweep need besides the sweep: for a random one its draws, places of the axes' values each.
#[derive(Debug, Default)]
pub(crate) struct Draws(Vec<Box<[usize]>>);

impl Draws {
    /// Draws the points of a random sweep that are allowed, none twice: a second trial of the same point and seed would
    /// say nothing new. Each comes from a stream of its own, which goes on where it meets an earlier point, so that a
    /// point does not depend on how many come after it.
    pub(crate) fn of(sweep: &Sweep, seed: u64, allowed: &Allowed) -> Self {
        let Strategy::Random { samples } = sweep.strategy else {
            return Self::default();
        };
        if sweep.axes.is_empty() {
            return Self::default();
        }
        let listed = (allowed.is_limited() && sweep.combinations() <= MOST_LISTED)
            .then(|| allowed.points(sweep));
        let most = listed
            .as_ref()
            .map_or(sweep.combinations(), |all| all.len() as u128);
        let mut seen = HashSet::new();
        let draw = |point: u64| {
            let mut stream = Stream::new(seed, Purpose::new("sweep"), point);
            // Where nobody counted the points that are left, there may be none.
            let tries = if listed.is_none() && allowed.is_limited() {
                MOST_TRIES
            } else {
                u32::MAX
            };
            (0..tries).find_map(|_| {
                let places: Box<[usize]> = if let Some(all) = &listed {
                    all[stream.below(all.len())].clone()
                } else {
                    let axes = sweep.axes.iter();
                    axes.map(|axis| stream.below(axis.values.len())).collect()
                };
                let fits = listed.is_some() || allowed.holds(sweep, &places);
                (fits && seen.insert(places.clone())).then_some(places)
            })
        };
        let asked = most.min(samples as u128) as u64;
        Self((0..asked).map_while(draw).collect())
    }

    /// What is missing of the points that a random sweep asks for.
    pub(crate) fn shortage(&self, sweep: &Sweep) -> Option<Shortage> {
        let Strategy::Random { samples } = sweep.strategy else {
            return None;
        };
        let (asked, found) = (samples as u64, self.0.len() as u64);
        let short = !sweep.axes.is_empty() && found < asked;
        short.then(|| Shortage {
            asked,
            found,
            combinations: sweep.combinations(),
        })
    }
}

/// A random sweep that has fewer points than it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Points that it asks for.
    pub asked: u64,
    /// Points that it has.
    pub found: u64,
    /// All combinations of its values, those that break constraints included.
    pub combinations: u128,
}

/// Which points may be drawn: those for which the constraints hold in one of these cases, as far as they speak of the point
/// and of what is fixed. What several sweeps decide together is seen when the trials are there.
#[derive(Debug, Default)]
pub(crate) struct Allowed(Vec<(Params, Vec<Constraint>)>);

impl Allowed {
    /// For a sweep over these axes, given the tasks and arms that its points are combined with.
    pub(crate) fn of<'a>(
        sweep: &Sweep,
        cases: impl IntoIterator<Item = (&'a Task, Option<&'a Arm>)>,
    ) -> Self {
        let mut found = Vec::new();
        for (task, arm) in cases {
            let mut fixed = task.params.clone();
            if let Some(arm) = arm {
                fixed.merge(&arm.params);
            }
            let swept = |name: &str| sweep.axes.iter().any(|axis| axis.name == name);
            let known = |constraint: &Constraint| {
                let names = constraint.names();
                names
                    .iter()
                    .all(|name| swept(name) || fixed.get(name).is_some())
            };
            let parsed = task
                .constraints
                .iter()
                .filter_map(|text| Constraint::parse(text).ok());
            let constraints: Vec<Constraint> = parsed.filter(known).collect();
            if constraints.is_empty() {
                return Self::default();
            }
            found.push((fixed, constraints));
        }
        Self(found)
    }

    fn is_limited(&self) -> bool {
        !self.0.is_empty()
    }

    fn holds(&self, sweep: &Sweep, places: &[usize]) -> bool {
        let hold = |(fixed, constraints): &(Params, Vec<Constraint>)| {
            let mut params = fixed.clone();
            for (axis, place) in sweep.axes.iter().zip(places) {
                set(axis, *place, &mut params);
            }
            constraints
                .iter()
                .all(|constraint| constraint.holds(&params))
        };
        !self.is_limited() || self.0.iter().any(hold)
    }

    /// Every point that is allowed.
    fn points(&self, sweep: &Sweep) -> Vec<Box<[usize]>> {
        let all = (0..sweep.combinations() as usize).map(|point| places_of(&sweep.axes, point));
        all.filter(|places| self.holds(sweep, places)).collect()
    }
}

/// Adds the parameters of one point to `params`.
pub(crate) fn fill(sweep: &Sweep, draws: &Draws, point: usize, params: &mut Params) {
    match sweep.strategy {
        Strategy::Cartesian => fill_cartesian(&sweep.axes, point, params),
        Strategy::Zip => {
            for axis in &sweep.axes {
                set(axis, point, params);
            }
        }
        Strategy::Random { .. } => {
            let places = draws.0.get(point).into_iter().flatten();
            for (axis, place) in sweep.axes.iter().zip(places) {
                set(axis, *place, params);
            }
        }
    }
}

/// The last axis is the fastest; parameters keep the order of the axes.
fn fill_cartesian(axes: &[Axis], point: usize, params: &mut Params) {
    for (axis, place) in axes.iter().zip(places_of(axes, point)) {
        set(axis, place, params);
    }
}

/// The places of the values that a combination has.
fn places_of(axes: &[Axis], mut point: usize) -> Box<[usize]> {
    let mut places = vec![0; axes.len()];
    for (place, axis) in places.iter_mut().zip(axes).rev() {
        *place = point % axis.values.len();
        point /= axis.values.len();
    }
    places.into()
}

fn set(axis: &Axis, place: usize, params: &mut Params) {
    if let Some(value) = axis.values.get(place) {
        params.set(axis.name.clone(), value.clone());
    }
}
