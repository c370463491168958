//! The search: candidates in sliding windows with a generous threshold, then merging back what does not hold.

use serde::Serialize;

use super::energy::{Candidate, Distances};
use super::segment::Sides;
use crate::{Dropped, Explain, Outcome, Undefined};
use fairtrial_text::significant::short;

/// How change points are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Options {
    /// The length of the sliding window.
    pub window: usize,
    /// A change is kept when its p score is below this.
    pub max_p: f64,
    /// A change is kept when it is larger than this, relative to the level.
    pub min_magnitude: f64,
    /// The shortest stretch between two changes.
    pub shortest: usize,
}

impl Options {
    /// Windows of 50, stretches of at least 3 points, any magnitude, and this threshold.
    pub const fn new(max_p: f64) -> Self {
        Self {
            window: 50,
            max_p,
            min_magnitude: 0.0,
            shortest: 3,
        }
    }

    /// Otava's: a threshold of 0.001 and no shortest stretch. For comparisons; it raises false alarms.
    pub const fn otava() -> Self {
        Self {
            window: 50,
            max_p: 0.001,
            min_magnitude: 0.0,
            shortest: 1,
        }
    }

    fn checked(&self) -> Outcome<()> {
        crate::sample::open_chance("max_p", self.max_p)?;
        let bad = |name: &str, value: f64, expected: &str| {
            Err(Undefined::BadArgument {
                name: name.into(),
                value,
                expected: expected.into(),
            })
        };
        if !(2..=10_000).contains(&self.window) {
            return bad("window", self.window as f64, "between 2 and 10000");
        }
        if self.shortest == 0 || 2 * self.shortest > self.window {
            return bad(
                "shortest",
                self.shortest as f64,
                "at least 1 and at most half of the window",
            );
        }
        if !(self.min_magnitude >= 0.0 && self.min_magnitude.is_finite()) {
            return bad("min_magnitude", self.min_magnitude, "0 or above");
        }
        Ok(())
    }

    /// The generous threshold of the first pass.
    fn first_pass(&self) -> f64 {
        match self.max_p {
            p if p < 0.05 => 10.0 * p,
            p if p < 0.5 => 2.0 * p,
            p => p,
        }
    }
}

/// One change of level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// The first point of the new level, as an index into the series that was given.
    pub index: usize,
    /// The level before.
    pub mean_before: f64,
    /// The level after.
    pub mean_after: f64,
    /// The spread before (divided by n).
    pub sd_before: f64,
    /// The spread after.
    pub sd_after: f64,
    /// Its p value; of [`change_points`] a score, which would be one if the place had not been searched for.
    pub p: f64,
}

impl ChangePoint {
    pub(super) fn new(index: usize, sides: &Sides, p: f64) -> Self {
        Self {
            index,
            mean_before: sides.mean[0],
            mean_after: sides.mean[1],
            sd_before: sides.sd[0],
            sd_after: sides.sd[1],
            p,
        }
    }
}

/// The changes of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangePoints<O = Options> {
    /// The method.
    pub method: &'static str,
    /// Points used.
    pub n: usize,
    /// How they were searched for.
    pub options: O,
    /// The changes, in order.
    pub points: Vec<ChangePoint>,
    /// Points without a value.
    pub dropped: Vec<Dropped>,
}

impl<O> Explain for ChangePoints<O> {
    fn reading(&self) -> String {
        if self.points.is_empty() {
            return format!("No change of level in {} points.", self.n);
        }
        let change = |c: &ChangePoint| {
            format!(
                "at {} from {} to {}",
                c.index,
                short(c.mean_before),
                short(c.mean_after)
            )
        };
        let all: Vec<String> = self.points.iter().map(change).collect();
        format!(
            "The level changed {}. Confirm by measuring both sides again.",
            all.join("; ")
        )
    }
}

/// The changes of level in a series; points that are NaN (failed measurements) are left out and counted.
pub fn change_points(series: &[f64], options: &Options) -> Outcome<ChangePoints> {
    options.checked()?;
    let (values, places, dropped) = usable(series)?;
    let points = search(&values, options)
        .into_iter()
        .map(|(index, sides)| ChangePoint::new(places[index], &sides, sides.p));
    Ok(ChangePoints {
        method: "E-divisive with t tests",
        n: values.len(),
        options: *options,
        points: points.collect(),
        dropped,
    })
}

/// The points that have a value, where each stands in the series, and how many have none.
pub(super) fn usable(series: &[f64]) -> Outcome<(Vec<f64>, Vec<usize>, Vec<Dropped>)> {
    if series.is_empty() {
        return Err(Undefined::Empty {
            what: "the series".into(),
        });
    }
    let places: Vec<usize> = (0..series.len()).filter(|&i| !series[i].is_nan()).collect();
    let values: Vec<f64> = places.iter().map(|&i| series[i]).collect();
    crate::sample::finite("the series", &values)?;
    let missing = crate::sample::dropped(series.len() - values.len(), "points without a value");
    Ok((values, places, missing.into_iter().collect()))
}

/// The changes with their sides.
fn search(series: &[f64], options: &Options) -> Vec<(usize, Sides)> {
    let mut found: Vec<usize> = Vec::new();
    let mut start = 0;
    while start < series.len() {
        let end = (start + options.window).min(series.len());
        let new = split(&series[start..end], options);
        let last = new.last().map_or(0, |index| index + start);
        found.extend(new.into_iter().map(|index| index + start));
        start = last.max(start + options.window / 2);
    }
    found.sort_unstable();
    found.dedup();
    merge(series, found, options)
}

/// Splits a window again and again at its strongest candidate, until that is no longer significant.
fn split(window: &[f64], options: &Options) -> Vec<usize> {
    let distances = Distances::new(window);
    let mut found: Vec<usize> = Vec::new();
    // The best candidate of each stretch only changes when the stretch is split.
    let mut stretches = vec![(
        0..window.len(),
        distances.strongest(0..window.len(), options.shortest),
    )];
    loop {
        let strength = |c: &Option<Candidate>| c.map_or(f64::NEG_INFINITY, |c| c.strength);
        let Some(place) = (0..stretches.len()).reduce(|a, b| {
            if strength(&stretches[b].1) > strength(&stretches[a].1) {
                b
            } else {
                a
            }
        }) else {
            break;
        };
        let (stretch, Some(candidate)) = stretches[place].clone() else {
            break;
        };
        let sides = Sides::compare(
            &window[stretch.start..candidate.index],
            &window[candidate.index..stretch.end],
        );
        if sides.p > options.first_pass() {
            break;
        }
        found.push(candidate.index);
        let halves = [stretch.start..candidate.index, candidate.index..stretch.end];
        let with_best =
            halves.map(|half| (half.clone(), distances.strongest(half, options.shortest)));
        stretches.splice(place..=place, with_best);
    }
    found.sort_unstable();
    found
}

/// Removes the weakest change until all of them hold, comparing whole stretches between neighbours.
fn merge(series: &[f64], mut found: Vec<usize>, options: &Options) -> Vec<(usize, Sides)> {
    let sides_at = |found: &[usize], place: usize| {
        let before = if place == 0 { 0 } else { found[place - 1] };
        let after = found.get(place + 1).copied().unwrap_or(series.len());
        Sides::compare(&series[before..found[place]], &series[found[place]..after])
    };
    let mut sides: Vec<Sides> = (0..found.len())
        .map(|place| sides_at(&found, place))
        .collect();
    while let Some(weakest) = weakest(&sides, options) {
        found.remove(weakest);
        sides.remove(weakest);
        // Both neighbours now border on a longer stretch.
        let first = weakest.saturating_sub(1);
        for (place, own) in sides.iter_mut().enumerate().take(weakest + 1).skip(first) {
            *own = sides_at(&found, place);
        }
    }
    found.into_iter().zip(sides).collect()
}

/// The change to remove next: the least significant one, else the smallest one; none where all of them hold.
fn weakest(sides: &[Sides], options: &Options) -> Option<usize> {
    let least = (0..sides.len()).max_by(|&a, &b| sides[a].p.total_cmp(&sides[b].p))?;
    if sides[least].p >= options.max_p {
        return Some(least);
    }
    let magnitude = |place: usize| sides[place].magnitude().unwrap_or(f64::INFINITY);
    let smallest = (0..sides.len()).min_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))?;
    (magnitude(smallest) <= options.min_magnitude).then_some(smallest)
}
