//! How many pairs sequential designs use, and how often they decide: the table of `docs/reference/statistics-resampling.md`.
//!
//! `cargo run --release -p fairtrial-stats --example stopping`
#![allow(clippy::print_stdout)]

use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::sequential::{
    AnytimeDesign, Decision, Design, Futility, LookTest, Schedule, Spending, TBoundaries, look,
    look_anytime, t_boundaries,
};
use fairtrial_stats::{Outcome, Undefined};
use rayon::prelude::*;

const PURPOSE: Purpose = Purpose::new("example/stopping");
const EFFECTS: [f64; 5] = [0.0, 0.3, 0.5, 0.8, 1.2];

/// Whether a design rejected, and after how many pairs it stopped.
type Stop = (bool, usize);

/// From simulated differences to where a design stops.
type Run = dyn Fn(&[f64]) -> Stop + Sync;

/// A design with the size of its simulation.
struct Way {
    name: &'static str,
    longest: usize,
    trials: u64,
    run: Box<Run>,
}

fn group_sequential(
    name: &'static str,
    schedule: Schedule,
    spending: Spending,
    futile: Option<Futility>,
) -> Outcome<Way> {
    let longest = schedule.budget();
    let boundaries = t_boundaries(
        &Design {
            schedule,
            spending,
            alpha: 0.05,
        },
        1 << 20,
        1,
    )?;
    let run = move |data: &[f64]| {
        stop_of(&boundaries, data, futile.as_ref()).unwrap_or((false, data.len()))
    };
    Ok(Way {
        name,
        longest,
        trials: 20_000,
        run: Box::new(run),
    })
}

/// The pairs after which looks at any time find a difference.
fn rejected_at(data: &[f64]) -> Option<usize> {
    let schedule = Schedule::every(1, 2, data.len()).ok()?;
    let design = AnytimeDesign {
        schedule,
        alpha: 0.05,
    };
    (2..=data.len()).find(|n| {
        let look = look_anytime(&design, &data[..*n]);
        look.is_ok_and(|look| matches!(look.decision, Decision::Greater | Decision::Less))
    })
}

fn stop_of(boundaries: &TBoundaries, data: &[f64], futile: Option<&Futility>) -> Option<Stop> {
    boundaries.design.schedule.looks().iter().find_map(|&n| {
        match look(boundaries, &data[..n], futile, LookTest::T)
            .ok()?
            .decision
        {
            Decision::Greater | Decision::Less => Some((true, n)),
            Decision::Futile => Some((false, n)),
            Decision::Continue | Decision::Exhausted => None,
        }
    })
}

fn open_ended(name: &'static str, cap: usize, rejected_at: fn(&[f64]) -> Option<usize>) -> Way {
    let run = move |data: &[f64]| rejected_at(data).map_or((false, cap), |n| (true, n));
    Way {
        name,
        longest: cap,
        trials: 20_000,
        run: Box::new(run),
    }
}

fn ways() -> Outcome<Vec<Way>> {
    let power = Spending::default();
    let futility = Some(Futility::default());
    let every = |from, budget| Schedule::every(1, from, budget);
    Ok(vec![
        group_sequential("fixed t, N = 15", Schedule::new(vec![15], 15)?, power, None)?,
        group_sequential("fixed t, N = 30", Schedule::new(vec![30], 30)?, power, None)?,
        group_sequential("rho 2, 15, every pair from 5", every(5, 15)?, power, None)?,
        group_sequential(
            "rho 2, 20, looks 5/10/15/20",
            Schedule::every(5, 5, 20)?,
            power,
            None,
        )?,
        group_sequential("rho 2, 30, every pair from 5", every(5, 30)?, power, None)?,
        group_sequential(
            "the same with futility (default)",
            every(5, 30)?,
            power,
            futility,
        )?,
        group_sequential(
            "O'Brien-Fleming, 30, every pair from 5",
            every(5, 30)?,
            Spending::ObrienFleming,
            None,
        )?,
        group_sequential(
            "Pocock, 30, every pair from 5",
            every(5, 30)?,
            Spending::Pocock,
            None,
        )?,
        open_ended("t e-process, at most 30", 30, rejected_at),
        open_ended("t e-process, at most 60", 60, rejected_at),
    ])
}

fn cell(way: &Way, effect: f64) -> String {
    let one = |number: u64| {
        let mut stream = Stream::new(7, PURPOSE, number);
        let data: Vec<f64> = (0..way.longest).map(|_| stream.normal() + effect).collect();
        let (rejected, n) = (way.run)(&data);
        (u64::from(rejected), n)
    };
    let add = |a: (u64, usize), b: (u64, usize)| (a.0 + b.0, a.1 + b.1);
    let (rejected, pairs) = (0..way.trials)
        .into_par_iter()
        .map(one)
        .reduce(|| (0, 0), add);
    let trials = way.trials as f64;
    format!(
        "{:.3} / {:.1}",
        rejected as f64 / trials,
        pairs as f64 / trials
    )
}

fn main() -> Result<(), Undefined> {
    println!(
        "P(reject) / mean pairs used, two-sided alpha 0.05, normal differences, effect in standard deviations\n"
    );
    println!(
        "| design | {} |",
        EFFECTS.map(|d| format!("d = {d}")).join(" | ")
    );
    println!("|---|{}", "---|".repeat(EFFECTS.len()));
    for way in ways()? {
        println!(
            "| {} | {} |",
            way.name,
            EFFECTS.map(|effect| cell(&way, effect)).join(" | ")
        );
    }
    Ok(())
}
