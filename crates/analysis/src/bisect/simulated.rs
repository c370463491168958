//! The whole search on made-up commits: how often it is right, whether it knows how often, and what it costs.

use super::{BisectRules, Evidence, Finding, Next, is_look, next};
use fairtrial_stats::rng::{Purpose, Stream};
use std::collections::BTreeSet;

fn stream(seed: u64) -> Stream {
    Stream::new(seed, Purpose::new("bisect/simulated"), 0)
}

/// How the logarithm of a time is disturbed; all have about the same spread.
#[derive(Debug, Clone, Copy)]
enum Noise {
    Normal,
    /// One run in ten takes much longer.
    Spikes,
    /// Never quicker than it can be, often slower.
    Skewed,
}

impl Noise {
    fn draw(self, rng: &mut Stream) -> f64 {
        match self {
            Self::Normal => rng.normal(),
            Self::Spikes if rng.unit() < 0.1 => 0.5 * rng.normal() + 6.0 * rng.unit(),
            Self::Spikes => 0.5 * rng.normal(),
            Self::Skewed => -(1.0_f64 - rng.unit()).ln(),
        }
    }
}

/// Commits with these levels, disturbed so much.
struct World {
    levels: Vec<f64>,
    noise: (Noise, f64),
    broken: BTreeSet<usize>,
}

/// What a search came to.
#[derive(Debug)]
struct Searched {
    findings: Vec<Finding>,
    builds: usize,
    trials: usize,
}

impl World {
    /// One change of this size at a place.
    fn one(commits: usize, (place, size): (usize, f64), noise: (Noise, f64)) -> Self {
        let level = |at: usize| if at >= place { size } else { 0.0 };
        Self {
            levels: (0..=commits).map(level).collect(),
            noise,
            broken: BTreeSet::new(),
        }
    }

    fn search(&self, rules: &BisectRules, rng: &mut Stream) -> Searched {
        let mut evidence = Evidence {
            last: self.levels.len() - 1,
            ..Evidence::default()
        };
        let (mut built, mut trials) = (BTreeSet::new(), 0);
        loop {
            let arms = match next(&evidence, rules) {
                Next::Answer(findings) => {
                    let builds = built.len();
                    return Searched {
                        findings,
                        builds,
                        trials,
                    };
                }
                Next::Measure(arms) => arms,
            };
            built.extend(arms.iter().copied());
            if let Some(broken) = arms.iter().find(|it| self.broken.contains(it)) {
                evidence.skipped.insert(*broken);
                continue;
            }
            let (noise, spread) = self.noise;
            let value =
                |place: usize, rng: &mut Stream| self.levels[place] + spread * noise.draw(rng);
            loop {
                trials += arms.len();
                let block = arms.iter().map(|it| (*it, value(*it, rng)));
                evidence.blocks.push(block.collect());
                let blocks = evidence.with(&arms).count();
                if rules.exact || blocks >= rules.most || is_look(blocks) {
                    break;
                }
            }
        }
    }
}

fn rules() -> BisectRules {
    BisectRules {
        alpha: 0.05,
        margin: 0.01,
        most: 400,
        exact: false,
    }
}

fn changes(findings: &[Finding]) -> Vec<(usize, usize)> {
    let change = |finding: &Finding| match finding {
        Finding::Change(change) => Some((change.from, change.to)),
        _ => None,
    };
    findings.iter().filter_map(change).collect()
}

#[test]
fn a_change_of_5_percent_among_64_commits_is_found_with_few_builds_and_the_chance_is_honest() {
    for noise in [Noise::Normal, Noise::Spikes, Noise::Skewed] {
        let mut rng = stream(64);
        let tries = 20;
        let (mut right, mut claimed, mut trials, mut most_builds) = (0, 0.0, Vec::new(), 0);
        for _ in 0..tries {
            let place = 1 + rng.below(64);
            let world = World::one(64, (place, 0.05), (noise, 0.04));
            let found = world.search(&rules(), &mut rng);
            right += usize::from(changes(&found.findings) == [(place - 1, place)]);
            if let [Finding::Change(change)] = &found.findings[..] {
                claimed += change.probability;
            }
            trials.push(found.trials);
            most_builds = most_builds.max(found.builds);
        }
        let (right, claimed) = (right as f64 / tries as f64, claimed / tries as f64);
        trials.sort_unstable();
        assert!(trials[tries / 2] <= 600, "{noise:?}: {trials:?}");
        assert!(right >= 0.95, "{noise:?}: {right}");
        // Three standard errors of so many tries.
        assert!(
            claimed <= right + 0.06,
            "{noise:?}: {claimed} claimed, {right} right"
        );
        assert!(most_builds <= 12, "{noise:?}: {most_builds}");
    }
}

#[test]
fn ends_that_do_not_differ_are_said_to_be_so_before_anything_between_is_built() {
    let mut rng = stream(7);
    let mut wrong = 0;
    for _ in 0..100 {
        let world = World::one(64, (1, 0.0), (Noise::Spikes, 0.02));
        let found = world.search(&rules(), &mut rng);
        let same = matches!(found.findings[..], [Finding::Same { .. }]);
        wrong += usize::from(!same || found.builds != 2);
    }
    assert!(wrong <= 5, "{wrong} of 100");
}

#[test]
fn two_changes_are_told_apart() {
    let mut rng = stream(11);
    for (first, second) in [(0.10, 0.10), (0.10, 0.04), (-0.05, 0.15)] {
        let mut right = 0;
        for _ in 0..10 {
            let places = (1 + rng.below(30), 32 + rng.below(30));
            let level = |at: usize| {
                let early = if at >= places.0 { first } else { 0.0 };
                early + if at >= places.1 { second } else { 0.0 }
            };
            let world = World {
                levels: (0..=64).map(level).collect(),
                noise: (Noise::Normal, 0.03),
                broken: BTreeSet::new(),
            };
            let found = world.search(&rules(), &mut rng);
            let wanted = [(places.0 - 1, places.0), (places.1 - 1, places.1)];
            right += usize::from(changes(&found.findings) == wanted);
        }
        assert!(right >= 8, "{first} and {second}: {right} of 10");
    }
}

#[test]
fn commits_that_do_not_build_stand_with_the_one_after_them() {
    let mut rng = stream(3);
    let mut world = World::one(16, (9, 0.2), (Noise::Normal, 0.02));
    world.broken = [7, 8, 9, 12].into();
    let found = world.search(&rules(), &mut rng);
    assert_eq!(changes(&found.findings), [(6, 10)], "{found:?}");
    // Nothing between the ends builds.
    world.broken = (1..16).collect();
    let found = world.search(&rules(), &mut rng);
    assert_eq!(changes(&found.findings), [(0, 16)], "{found:?}");
}

#[test]
fn what_cannot_be_told_with_so_few_blocks_stays_open() {
    let mut rng = stream(5);
    let few = BisectRules { most: 8, ..rules() };
    let world = World::one(16, (9, 0.05), (Noise::Normal, 0.2));
    let found = world.search(&few, &mut rng);
    let [
        Finding::Open {
            from: 0,
            to: 16,
            probability: None,
            ..
        },
    ] = found.findings[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!((found.builds, found.trials), (2, 16));
}

#[test]
fn what_is_counted_needs_one_block_of_each() {
    let mut rng = stream(1);
    let exact = BisectRules {
        exact: true,
        ..rules()
    };
    let world = World::one(64, (41, 0.05), (Noise::Normal, 0.0));
    let found = world.search(&exact, &mut rng);
    assert_eq!(changes(&found.findings), [(40, 41)]);
    assert!(found.builds <= 9, "{}", found.builds);
    let same = World::one(64, (41, 0.001), (Noise::Normal, 0.0)).search(&exact, &mut rng);
    assert!(
        matches!(same.findings[..], [Finding::Same { .. }]),
        "{same:?}"
    );
}

#[test]
fn the_same_evidence_goes_on_in_the_same_way() {
    let world = World::one(32, (20, 0.1), (Noise::Normal, 0.05));
    let (first, second) = (
        world.search(&rules(), &mut stream(9)),
        world.search(&rules(), &mut stream(9)),
    );
    assert_eq!(first.findings, second.findings);
}
