//! Spatial indexes over points in a square world: k-d tree and R-tree from their crates, a quadtree and a hash grid.

pub(crate) mod comprehensive;
pub(crate) mod hash_grid;
mod index;
pub(crate) mod index_profiler;
pub(crate) mod memory_profiler;
pub(crate) mod performance_analyzer;
mod points;
mod quadtree;
mod timing;

use index::Algorithm;
use points::Pattern;
pub(crate) use timing::resident;

use fairtrial_experiment::{Param, ParamType};

fn algorithms() -> Param {
    Param::list(
        "algorithms",
        ParamType::Text,
        ["quadtree", "spatial_hash", "kd_tree"],
    )
    .one_of(Algorithm::ALL.map(Algorithm::name))
    .doc("The indexes")
}

fn counts(default: &[i64]) -> Param {
    Param::list("agent_counts", ParamType::Whole, default.iter().copied())
        .at_least(1.0)
        .doc("How many points")
}

fn worlds(default: &[f64]) -> Param {
    Param::list("world_sizes", ParamType::Number, default.iter().copied())
        .at_least(1.0)
        .doc("Side of the square world")
}

fn radii(default: &[f64]) -> Param {
    Param::list("query_radii", ParamType::Number, default.iter().copied())
        .at_least(0.001)
        .doc("Radius of range queries")
}

fn steps(default: i64) -> Param {
    Param::whole("steps", default)
        .at_least(1.0)
        .doc("How many queries of each kind")
}

fn query_patterns() -> Param {
    Param::list(
        "query_patterns",
        ParamType::Text,
        Pattern::ALL.map(Pattern::name),
    )
    .one_of(Pattern::ALL.map(Pattern::name))
    .doc("Where the points lie and the queries are asked")
}
