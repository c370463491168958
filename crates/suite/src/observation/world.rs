//! The world that agents look at: a grid of resources, agents that wander, and a spatial hash to find neighbours.

use super::storage::{CHANNELS, Entry, Kept, Observation, StorageMode};
use crate::spatial::hash_grid::HashGrid;
use fairtrial_stats::rng::{Purpose, Stream};
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Agents that stay where they are in a step.
const STAYING: f64 = 0.5;
/// Channels that this world fills: the agent itself, others, resources, and what is outside the world.
const OWN: usize = 0;
const OTHERS: usize = 1;
const RESOURCES: usize = 3;
const OBSTACLES: usize = 4;

/// How a world is observed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observing {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) agents: usize,
    pub(crate) steps: usize,
    /// Half the side of the square that is seen.
    pub(crate) radius: usize,
    /// How far other agents are seen.
    pub(crate) fov_radius: f64,
    pub(crate) mode: StorageMode,
    /// Whether resources are blended from the four nearest cells, or taken from the nearest.
    pub(crate) bilinear: bool,
}

/// What observing cost so far.
#[derive(Debug, Default)]
struct Costs {
    steps: Vec<f64>,
    hits: u64,
    rebuilds: u64,
    rebuild: Duration,
    query: Duration,
    bilinear: Duration,
    nearest: Duration,
    bilinear_points: u64,
    nearest_points: u64,
}

/// The world.
pub(crate) struct World {
    how: Observing,
    random: Stream,
    resources: Vec<f32>,
    agents: Vec<[f64; 2]>,
    grid: HashGrid,
    observations: Vec<Observation>,
    seen: Vec<Entry>,
    costs: Costs,
}

impl World {
    /// A world with agents at random places.
    pub(crate) fn new(how: Observing, seed: u64) -> Self {
        let mut random = Stream::new(seed, Purpose::new("observation world"), 0);
        let resources = (0..how.width * how.height)
            .map(|_| random.unit() as f32)
            .collect();
        let agents: Vec<[f64; 2]> = (0..how.agents)
            .map(|_| {
                [
                    random.unit() * how.width as f64,
                    random.unit() * how.height as f64,
                ]
            })
            .collect();
        let mut grid = HashGrid::new(how.fov_radius.max(1.0));
        for (place, id) in agents.iter().zip(0..) {
            grid.insert(*place, id);
        }
        let side = 2 * how.radius + 1;
        Self {
            observations: (0..how.agents)
                .map(|_| Observation::new(how.mode, side))
                .collect(),
            how,
            random,
            resources,
            agents,
            grid,
            seen: Vec::new(),
            costs: Costs::default(),
        }
    }

    /// Plays all steps and gives the metrics.
    pub(crate) fn run(mut self) -> Map<String, Value> {
        let began = Instant::now();
        for _ in 0..self.how.steps {
            self.step();
        }
        self.metrics(began.elapsed().as_secs_f64())
    }

    /// Moves the agents and lets every one look.
    pub(crate) fn step(&mut self) {
        let began = Instant::now();
        self.wander();
        for agent in 0..self.agents.len() {
            self.observe(agent);
        }
        self.costs.steps.push(began.elapsed().as_secs_f64());
    }

    fn wander(&mut self) {
        let (width, height) = (self.how.width as f64, self.how.height as f64);
        for (place, id) in self.agents.iter_mut().zip(0..) {
            if self.random.unit() < STAYING {
                continue;
            }
            let to = [
                (place[0] + self.random.unit() * 2.0 - 1.0).rem_euclid(width),
                (place[1] + self.random.unit() * 2.0 - 1.0).rem_euclid(height),
            ];
            self.grid.remove(*place, id);
            self.grid.insert(to, id);
            *place = to;
        }
    }

    fn observe(&mut self, agent: usize) {
        let place = self.agents[agent];
        self.seen.clear();
        self.see_others(agent, place);
        self.see_resources(place);
        let began = Instant::now();
        match self.observations[agent].update(&self.seen) {
            Kept::Hit => self.costs.hits += 1,
            Kept::Rebuilt => {
                self.costs.rebuilds += 1;
                self.costs.rebuild += began.elapsed();
            }
        }
        black_box(self.observations[agent].dense());
    }

    fn place_in_block(&self, channel: usize, row: usize, column: usize) -> u32 {
        let side = 2 * self.how.radius + 1;
        ((channel * side + row) * side + column) as u32
    }

    fn see_others(&mut self, agent: usize, centre: [f64; 2]) {
        let began = Instant::now();
        let radius = self.how.radius as f64;
        let mut found: Vec<(usize, usize, f32)> = Vec::new();
        self.grid
            .each_within(centre, self.how.fov_radius, |place, id| {
                let offset = [place[0] - centre[0], place[1] - centre[1]];
                if id != agent as u64 && offset.iter().all(|axis| axis.abs() <= radius) {
                    let cell = offset.map(|axis| (axis + radius).round() as usize);
                    found.push((cell[1], cell[0], 1.0));
                }
            });
        // The grid's order is that of its map: a fixed one makes equal sights equal.
        found.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        self.costs.query += began.elapsed();
        let own = self.place_in_block(OWN, self.how.radius, self.how.radius);
        self.seen.push((own, 1.0));
        for (row, column, value) in found {
            let place = self.place_in_block(OTHERS + agent % 2, row, column);
            self.seen.push((place, value));
        }
    }

    fn see_resources(&mut self, centre: [f64; 2]) {
        let began = Instant::now();
        let side = 2 * self.how.radius + 1;
        let radius = self.how.radius as f64;
        for row in 0..side {
            for column in 0..side {
                let x = centre[0] + column as f64 - radius;
                let y = centre[1] + row as f64 - radius;
                let value = if self.how.bilinear {
                    self.blended(x, y)
                } else {
                    self.at(x.floor(), y.floor())
                };
                let (channel, value) = value.map_or((OBSTACLES, 1.0), |value| (RESOURCES, value));
                let place = self.place_in_block(channel, row, column);
                self.seen.push((place, value));
            }
        }
        let points = (side * side) as u64;
        if self.how.bilinear {
            self.costs.bilinear += began.elapsed();
            self.costs.bilinear_points += points;
        } else {
            self.costs.nearest += began.elapsed();
            self.costs.nearest_points += points;
        }
    }

    /// The resource in a cell; nothing outside the world.
    fn at(&self, x: f64, y: f64) -> Option<f32> {
        let inside =
            x >= 0.0 && y >= 0.0 && x < self.how.width as f64 && y < self.how.height as f64;
        inside.then(|| self.resources[y as usize * self.how.width + x as usize])
    }

    /// The resource at a place between cells.
    fn blended(&self, x: f64, y: f64) -> Option<f32> {
        let centre = self.at(x.floor(), y.floor())?;
        let (share_x, share_y) = (x.fract() as f32, y.fract() as f32);
        let cell = |right: f64, down: f64| {
            self.at(x.floor() + right, y.floor() + down)
                .unwrap_or(centre)
        };
        let top = cell(0.0, 0.0) * (1.0 - share_x) + cell(1.0, 0.0) * share_x;
        let bottom = cell(0.0, 1.0) * (1.0 - share_x) + cell(1.0, 1.0) * share_x;
        Some(top * (1.0 - share_y) + bottom * share_y)
    }

    /// Everything that observing cost.
    fn metrics(&self, seconds: f64) -> Map<String, Value> {
        let Costs {
            steps,
            hits,
            rebuilds,
            rebuild,
            ..
        } = &self.costs;
        let observes = (self.how.agents * self.how.steps) as f64;
        let sum =
            |of: fn(&Observation) -> usize| self.observations.iter().map(of).sum::<usize>() as f64;
        let (dense, sparse) = (
            sum(Observation::dense_bytes),
            sum(Observation::sparse_bytes),
        );
        let side = (2 * self.how.radius + 1) as f64;
        let flops = CHANNELS as f64 * side * side * 2.0 * *rebuilds as f64;
        let mut ascending = steps.clone();
        ascending.sort_by(f64::total_cmp);
        let p95 = if ascending.is_empty() {
            0.0
        } else {
            use fairtrial_stats::descriptive::{QuantileRule, quantile_sorted};
            quantile_sorted(&ascending, 0.95, QuantileRule::Linear)
        };
        let metrics = json!({
            "total_observes": observes,
            "total_time_s": seconds,
            "observes_per_sec": observes / seconds.max(1e-12),
            "mean_step_time_s": steps.iter().sum::<f64>() / steps.len().max(1) as f64,
            "p95_step_time_s": p95,
            "steps": self.how.steps,
            "num_agents": self.how.agents,
            "obs_dense_bytes": dense,
            "obs_sparse_bytes": sparse,
            "obs_memory_reduction_percent": (1.0 - sparse / dense.max(1.0)) * 100.0,
            "obs_cache_hit_rate": *hits as f64 / (hits + rebuilds).max(1) as f64,
            "obs_dense_rebuilds": rebuilds,
            "obs_dense_rebuild_time_s_total": rebuild.as_secs_f64(),
            "gflops_observation_est": flops / 1e9 / seconds.max(1e-12),
            "perception_profile": {
                "spatial_query_time_s": self.costs.query.as_secs_f64(),
                "bilinear_time_s": self.costs.bilinear.as_secs_f64(),
                "nearest_time_s": self.costs.nearest.as_secs_f64(),
                "bilinear_points": self.costs.bilinear_points,
                "nearest_points": self.costs.nearest_points,
            },
        });
        match metrics {
            Value::Object(metrics) => metrics,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::storage::StorageMode;
    use super::{Observing, World};

    fn how(mode: StorageMode, bilinear: bool) -> Observing {
        Observing {
            width: 30,
            height: 20,
            agents: 12,
            steps: 5,
            radius: 3,
            fov_radius: 3.0,
            mode,
            bilinear,
        }
    }

    #[test]
    fn both_storages_hold_the_same_observations() {
        let run = |mode| {
            let mut world = World::new(how(mode, true), 3);
            (0..5).for_each(|_| world.step());
            world
                .observations
                .iter()
                .map(|seen| seen.dense().to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(run(StorageMode::Hybrid), run(StorageMode::Dense));
    }

    #[test]
    fn every_observation_is_counted_once() {
        let metrics = World::new(how(StorageMode::Hybrid, false), 3).run();
        assert_eq!(metrics["total_observes"], 60.0);
        let rebuilds = metrics["obs_dense_rebuilds"].as_f64().unwrap();
        let hit_rate = metrics["obs_cache_hit_rate"].as_f64().unwrap();
        assert!((hit_rate - (60.0 - rebuilds) / 60.0).abs() < 1e-12 && hit_rate > 0.0);
        assert_eq!(metrics["perception_profile"]["nearest_points"], 60 * 49);
        assert_eq!(metrics["perception_profile"]["bilinear_points"], 0);
    }

    #[test]
    fn blending_stays_between_the_cells() {
        let world = World::new(how(StorageMode::Dense, true), 3);
        assert_eq!(world.blended(4.0, 7.0), world.at(4.0, 7.0));
        let corners =
            [(4.0, 7.0), (5.0, 7.0), (4.0, 8.0), (5.0, 8.0)].map(|(x, y)| world.at(x, y).unwrap());
        let mean = corners.iter().sum::<f32>() / 4.0;
        assert!((world.blended(4.5, 7.5).unwrap() - mean).abs() < 1e-6);
        assert_eq!(world.at(-1.0, 3.0), None);
    }
}
