//! Aliases become their canonical keys, so that including, merging and setting meet only one name per meaning.

use super::section::{Section, Type};
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Kind, Map, Node};
use std::collections::HashMap;
use std::mem;

/// Renames every alias below a section.
pub(crate) fn canonicalize(node: &mut Node, section: &'static Section, problems: &mut Problems) {
    let Kind::Map(map) = &mut node.kind else {
        return;
    };
    let mut renamed = Map::default();
    let mut spellings: HashMap<&str, String> = HashMap::new();
    for mut entry in mem::take(&mut map.entries) {
        let Some(key) = section.key(&entry.key) else {
            renamed.entries.push(entry);
            continue;
        };
        descend(&mut entry.value, &key.ty, problems);
        let written = mem::replace(&mut entry.key, key.name.to_owned());
        entry.value = canonical_value(&written, entry.value);
        let earlier = spellings.insert(key.name, written.clone());
        let (Some(earlier), Some(first)) = (earlier, renamed.entry(key.name)) else {
            renamed.entries.push(entry);
            continue;
        };
        // Equal spellings were refused by the readers.
        if earlier != written {
            let message =
                format!("`{earlier}` and `{written}` are the same key, and both are given");
            let problem = Diagnostic::new(Severity::Error, entry.key_span, message)
                .label("again here")
                .related(first.key_span, "first here")
                .help("keep one of the two");
            problems.push(problem);
        }
    }
    *map = renamed;
}

/// `seed = 42` is `seeds = [42]`.
pub(crate) fn canonical_value(written: &str, value: Node) -> Node {
    match value.kind {
        Kind::Int(_) if written == "seed" => Node::new(value.span, Kind::List(vec![value])),
        _ => value,
    }
}

fn descend(node: &mut Node, ty: &'static Type, problems: &mut Problems) {
    match (ty, &mut node.kind) {
        (Type::Section(section), Kind::Map(_)) => canonicalize(node, section, problems),
        (Type::List(inner, _), Kind::List(items)) => {
            for item in items {
                descend(item, inner, problems);
            }
        }
        (Type::Map(inner, _), Kind::Map(map)) => {
            map.entries
                .iter_mut()
                .for_each(|entry| descend(&mut entry.value, inner, problems));
        }
        (Type::Either(types), _) => types.iter().for_each(|ty| descend(node, ty, problems)),
        _ => {}
    }
}
