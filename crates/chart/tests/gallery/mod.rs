//! Every chart with ordinary and with awkward data: one point, one seed, gaps, 10,000 points, long names.

mod edges;
mod suites;

use fairtrial_chart::charts::{
    Counted, Curve, Curves, Distribution, DistributionGroup, Forest, ForestRow, Heading, History,
    HistoryPoint, LookPoint, Power, PowerLine, Profile, ProfileLine, Radial, RadialArm, Shift,
    Trajectory, curves, distribution, forest, frontier, heat_map, history, intervals, power,
    profile, radial, trajectory, with_unit,
};
use fairtrial_chart::{Figure, TickFormat};

/// A name that no chart has room for.
pub(crate) const LONG: &str =
    "environment/arena_basic_easy_shaped/agents/cooperative/team_reward_mean_over_episodes";

/// All figures by name.
pub(crate) fn figures() -> Vec<(&'static str, Figure)> {
    vec![
        ("curves", curves(&learning(15, 400, &["vit_reset", "trxl"]))),
        (
            "curves-one-seed",
            curves(&learning(1, 60, &["control", "candidate"])),
        ),
        ("curves-one-point", curves(&learning(3, 1, &["control"]))),
        ("curves-gaps", curves(&gaps())),
        ("curves-no-mean", curves(&no_mean())),
        (
            "curves-10000-points",
            curves(&learning(4, 10_000, &["a", "b", "c", "d", "e", "f", "g"])),
        ),
        (
            "curves-long-names",
            curves(&learning(3, 50, &[LONG, "short"])),
        ),
        ("forest", forest(&differences())),
        ("forest-long-names", forest(&awkward_differences())),
        ("forest-one-row", forest(&one_difference())),
        ("forest-alike-names", forest(&edges::alike())),
        ("radial", radial(&spokes(5))),
        ("radial-long-names", radial(&long_spokes())),
        ("radial-gap", radial(&gap_spokes())),
        (
            "distribution",
            distribution(&groups(&["control", "candidate"], 15)),
        ),
        (
            "distribution-one-value",
            distribution(&groups(&["control", "candidate"], 1)),
        ),
        ("distribution-far-from-zero", distribution(&edges::far())),
        (
            "distribution-many",
            distribution(&groups(&[LONG, "b", "c", "d", "e", "f", "g", "h"], 200)),
        ),
        (
            "distribution-parts",
            distribution(&groups(
                &[
                    "easy · control",
                    "easy · better",
                    "medium · control",
                    "medium · better",
                    "hard · control",
                    "hard · better",
                ],
                15,
            )),
        ),
        ("profile", profile(&shares(&["control", "candidate"], 81))),
        ("profile-lower-is-better", profile(&times())),
        ("profile-one-point", profile(&shares(&["control"], 1))),
        ("history", history(&runs(40, &[24]))),
        ("history-one-run", history(&runs(1, &[]))),
        ("history-gaps", history(&edges::gaps())),
        (
            "history-10000-runs",
            history(&runs(10_000, &[3_000, 7_500])),
        ),
        ("trajectory", trajectory(&looks(5..=17))),
        ("trajectory-one-look", trajectory(&looks(5..=5))),
        ("power", power(&chances())),
        (
            "heat-map",
            heat_map(&suites::grid(6, &["hasty", "careful", "oracle"])),
        ),
        (
            "heat-map-many",
            heat_map(&suites::grid(
                30,
                &["a", "b", "c", "d", "e", "f", "g", LONG],
            )),
        ),
        ("leaderboard", intervals(&suites::leaderboard())),
        ("improvement", intervals(&suites::chances())),
        ("frontier", frontier(&suites::costs())),
    ]
}

/// Noise that is the same everywhere.
fn noise(n: usize) -> f64 {
    let x = (n as f64 * 12.9898).sin() * 43_758.545_3;
    2.0 * (x - x.floor()) - 1.0
}

fn heading(title: &str) -> Heading {
    Heading {
        title: title.to_owned(),
        subtitle: "Pointwise 95 % intervals of the mean; faint lines are single seeds.".to_owned(),
        notes: Vec::new(),
    }
}

fn learning(seeds: usize, points: usize, arms: &[&str]) -> Curves {
    let arm = |(place, name): (usize, &&str)| {
        let value = |seed: usize, point: usize| {
            let share = point as f64 / points.max(2) as f64;
            let level = 0.4 + 0.1 * place as f64 + 0.05 * noise(seed + 7 * place);
            level * (1.0 - (-4.0 * share).exp()) + 0.02 * noise(point + 31 * seed)
        };
        let step = |point: usize| 1_000.0 * point as f64;
        let traces: Vec<Vec<(f64, f64)>> = (0..seeds)
            .map(|seed| {
                (0..points)
                    .map(|point| (step(point), value(seed, point)))
                    .collect()
            })
            .collect();
        let mean = (0..points).map(|point| {
            let mean = (0..seeds).map(|seed| value(seed, point)).sum::<f64>() / seeds as f64;
            let half = if seeds > 1 { 0.04 } else { f64::NAN };
            [step(point), mean - half, mean, mean + half]
        });
        Curve {
            name: (*name).to_owned(),
            runs: seeds,
            mean: mean.collect(),
            traces,
        }
    };
    Curves {
        heading: heading("overview/reward"),
        step: "step".to_owned(),
        value: with_unit("overview/reward", Some("points")),
        band: "95 % interval".to_owned(),
        arms: arms.iter().enumerate().map(arm).collect(),
    }
}

fn gaps() -> Curves {
    let mut data = learning(3, 80, &["control", "candidate"]);
    for arm in &mut data.arms {
        for trace in &mut arm.traces {
            for point in &mut trace[20..32] {
                point.1 = f64::NAN;
            }
        }
        for point in &mut arm.mean[20..32] {
            *point = [point[0], f64::NAN, f64::NAN, f64::NAN];
        }
        arm.mean[50][1] = f64::NEG_INFINITY;
        arm.mean[50][3] = f64::INFINITY;
    }
    data
}

/// One arm has no mean, and it is said why.
fn no_mean() -> Curves {
    let mut data = learning(3, 80, &["control", "candidate"]);
    data.arms[0].mean.clear();
    data.arms[1].runs = 2;
    data.heading.notes = vec![
        "control: no mean: no step is in all of its 3 curves.".to_owned(),
        "candidate: mean of 2 of 3 trials: trial 5 did not end ok and has no curve.".to_owned(),
    ];
    data
}

fn row(name: &str, note: &str, range: [f64; 3], margin: Option<f64>) -> ForestRow {
    ForestRow {
        name: name.to_owned(),
        note: note.to_owned(),
        range,
        margin,
        look: 0,
    }
}

fn differences() -> Forest {
    Forest {
        heading: Heading {
            title: "trxl against vit_reset".to_owned(),
            subtitle: "Relative change with its 95 % interval.".to_owned(),
            notes: Vec::new(),
        },
        axis: "change against the control".to_owned(),
        format: TickFormat::Change,
        rows: vec![
            row(
                "overview/reward",
                "improved",
                [0.041, 0.047, 0.054],
                Some(0.02),
            ),
            row(
                "steps per second",
                "equivalent",
                [-0.008, 0.002, 0.011],
                Some(0.02),
            ),
            row(
                "peak memory",
                "inconclusive",
                [-0.03, 0.012, 0.052],
                Some(0.02),
            ),
            row("loss", "regressed", [-0.09, -0.06, -0.031], None),
        ],
    }
}

fn awkward_differences() -> Forest {
    let mut data = differences();
    data.rows.push(row(
        LONG,
        "insufficient (missing pairs)",
        [f64::NAN; 3],
        None,
    ));
    data.rows.push(row(
        "no bounds",
        "inconclusive",
        [f64::NEG_INFINITY, 0.01, f64::INFINITY],
        None,
    ));
    data.rows
        .push(row("two seeds", "inconclusive", [-9.0, 0.2, 9.4], None));
    data
}

fn one_difference() -> Forest {
    let mut data = differences();
    data.rows.truncate(1);
    data
}

fn spokes(count: usize) -> Radial {
    let names = ["reward", "speed", "memory", "stability", "cost"];
    Radial {
        heading: Heading {
            title: "All metrics at once".to_owned(),
            subtitle: "As a share of the control's, more is better.".to_owned(),
            notes: Vec::new(),
        },
        spokes: names
            .iter()
            .take(count)
            .map(|name| (*name).to_owned())
            .collect(),
        arms: vec![
            RadialArm {
                name: "control".to_owned(),
                look: 0,
                values: vec![1.0; count],
            },
            RadialArm {
                name: "candidate".to_owned(),
                look: 1,
                values: [1.2, 0.9, 1.05, 0.7, 1.4].into_iter().take(count).collect(),
            },
        ],
    }
}

fn long_spokes() -> Radial {
    let mut data = spokes(4);
    data.spokes = vec![LONG.to_owned(); 4];
    data
}

fn gap_spokes() -> Radial {
    let mut data = spokes(5);
    data.arms[1].values[2] = f64::NAN;
    data.arms[1].values[3] = f64::INFINITY;
    data
}

fn groups(names: &[&str], n: usize) -> Distribution {
    let group = |(place, name): (usize, &&str)| {
        let values: Vec<f64> = (0..n)
            .map(|k| 10.0 + place as f64 + noise(k + 91 * place))
            .collect();
        let base = 10.0 + place as f64;
        DistributionGroup {
            name: (*name).to_owned(),
            values,
            five: (n > 4).then_some({
                [
                    base - 0.95,
                    base - 0.5,
                    base + 0.05,
                    base + 0.5,
                    base + 0.97,
                ]
            }),
        }
    };
    Distribution {
        heading: heading("Time per step by arm"),
        value: with_unit("time per step", Some("ms")),
        groups: names.iter().enumerate().map(group).collect(),
    }
}

fn shares(names: &[&str], points: usize) -> Profile {
    let arm = |(place, name): (usize, &&str)| ProfileLine {
        name: (*name).to_owned(),
        look: place,
        points: (0..points)
            .map(|k| {
                let x = 2.0 * k as f64 / points as f64;
                let share = 1.0 / (1.0 + (4.0 * (x - 0.8 - 0.2 * place as f64)).exp());
                [x, (share - 0.06).max(0.0), share, (share + 0.06).min(1.0)]
            })
            .collect(),
    };
    Profile {
        heading: heading("Performance profile"),
        threshold: "normalised score".to_owned(),
        counted: Counted::Above,
        band: "95 % band".to_owned(),
        arms: names.iter().enumerate().map(arm).collect(),
    }
}

/// The same turned round: the share below each time.
fn times() -> Profile {
    let mut data = shares(&["control", "candidate"], 81);
    for point in data.arms.iter_mut().flat_map(|arm| &mut arm.points) {
        let [_, low, share, high] = *point;
        *point = [point[0], 1.0 - high, 1.0 - share, 1.0 - low];
    }
    Profile {
        threshold: with_unit("time", Some("s")),
        counted: Counted::Below,
        ..data
    }
}

fn runs(count: usize, shifts: &[usize]) -> History {
    let level = |run: usize| 20.0 + 3.0 * shifts.iter().filter(|at| **at <= run).count() as f64;
    History {
        heading: heading("Time per step, run by run"),
        value: with_unit("time per step", Some("ms")),
        points: (0..count)
            .map(|run| {
                let value = level(run) + 0.6 * noise(run);
                HistoryPoint {
                    name: format!("run {run}"),
                    range: [value - 0.5, value, value + 0.5],
                }
            })
            .collect(),
        shifts: shifts
            .iter()
            .map(|at| Shift {
                at: *at,
                before: level(at - 1),
                after: level(*at),
            })
            .collect(),
    }
}

fn looks(pairs: std::ops::RangeInclusive<usize>) -> Trajectory {
    let look = |n: usize| {
        let value = 0.05 + 0.02 * noise(n) / n as f64;
        let half = 1.2 / (n as f64).powf(1.2);
        let half = if n < 5 { f64::INFINITY } else { half };
        LookPoint {
            pairs: n,
            range: [value - half, value, value + half],
        }
    };
    let last = *pairs.end();
    Trajectory {
        heading: heading("reward: candidate against control"),
        value: with_unit("difference of reward", Some("points")),
        looks: pairs.map(look).collect(),
        margin: Some(0.02),
        stop: Some((last, format!("improved after {last} pairs"))),
        budget: 30,
    }
}

fn chances() -> Power {
    let line = |name: &str, scale: f64| {
        let chance = move |n: usize| 1.0 - (-(n as f64) / scale).exp();
        let points: Vec<(usize, f64)> = (2..=60).map(|n| (n, chance(n))).collect();
        let required = points.iter().find(|(_, chance)| *chance >= 0.8);
        PowerLine {
            name: name.to_owned(),
            required: required.map(|(n, _)| *n as u64),
            points,
        }
    };
    Power {
        heading: Heading {
            title: "How many seeds are enough".to_owned(),
            subtitle: "For a difference of 2 % at an error rate of 5 %.".to_owned(),
            notes: Vec::new(),
        },
        target: 0.8,
        designs: vec![line("paired by seed", 9.0), line("two groups", 21.0)],
    }
}
