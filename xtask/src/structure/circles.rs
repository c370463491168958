//! Circles among the files of a crate, and crates that use one after them.

use super::Crate;
use super::imports::{imports, modules};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

type Graph = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// The circles among the files of a crate.
pub(super) fn among_files(of: &Crate) -> Vec<String> {
    let modules = modules(of);
    let graph: Graph = modules
        .iter()
        .map(|(own, file)| (file.clone(), imports(&of.files[file], own, &modules)))
        .collect();
    let circles = circles(&graph);
    let words = circles.iter().map(|circle| {
        let ways = circle.iter().map(|file| {
            let inside: Vec<String> = graph[file]
                .intersection(circle)
                .map(|to| to.display().to_string())
                .collect();
            format!("  {} imports {}", file.display(), inside.join(", "))
        });
        let ways: Vec<String> = ways.collect();
        format!(
            "crates/{}: {} files import each other in a circle\n{}",
            of.name,
            circle.len(),
            ways.join("\n")
        )
    });
    words.collect()
}

/// Files that can be reached from themselves, in groups that reach each other.
fn circles(graph: &Graph) -> Vec<BTreeSet<PathBuf>> {
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = graph
        .keys()
        .map(|file| (file, reach(graph, file)))
        .collect();
    let mut found: Vec<BTreeSet<PathBuf>> = Vec::new();
    for file in graph.keys().filter(|file| reached[file].contains(file)) {
        if found.iter().any(|circle| circle.contains(file)) {
            continue;
        }
        let members = reached[file].iter().copied();
        let circle = members.filter(|other| reached[other].contains(file));
        found.push(circle.cloned().collect());
    }
    found
}

/// Everything that is imported from a file on, directly or not.
fn reach<'g>(graph: &'g Graph, from: &PathBuf) -> BTreeSet<&'g PathBuf> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for next in graph.get(file).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// Crates that use one which comes after them in the workspace's list, for their tests too.
pub(super) fn among_crates(crates: &[Crate]) -> std::io::Result<Vec<String>> {
    let manifest = fs::read_to_string(crate::repository().join("Cargo.toml"))?;
    let order: Vec<&str> = manifest.lines().filter_map(dependency).collect();
    let rank = |name: &str| order.iter().position(|listed| *listed == name);
    let mut problems = Vec::new();
    for of in crates {
        let manifest = fs::read_to_string(of.path.join("Cargo.toml"))?;
        // The program itself is used by nobody and comes last.
        let own = rank(&of.name).unwrap_or(order.len());
        for used in manifest.lines().filter_map(dependency) {
            if rank(used).is_none_or(|used| used >= own) {
                problems.push(format!(
                    "crates/{} uses crates/{used}, which does not come before it in the workspace's Cargo.toml",
                    of.name
                ));
            }
        }
    }
    Ok(problems)
}

/// The crate of ours that a line of a manifest names.
fn dependency(line: &str) -> Option<&str> {
    let name = line.strip_prefix("fairtrial-")?;
    let end = name.find(['.', ' ', '='])?;
    Some(&name[..end])
}

#[cfg(test)]
mod tests {
    use super::{Graph, circles};

    #[test]
    fn only_files_that_reach_themselves_are_in_a_circle() {
        let edges = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "e")];
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry(from.into()).or_default().insert(to.into());
            graph.entry(to.into()).or_default();
        }
        let found: Vec<Vec<String>> = circles(&graph)
            .iter()
            .map(|circle| {
                circle
                    .iter()
                    .map(|file| file.display().to_string())
                    .collect()
            })
            .collect();
        assert_eq!(found, [vec!["b", "c"], vec!["e"]]);
    }
}
