//! Aliases become their canonical keys, so that including, merging and setting meet only one name per meaning.

use super::{Section, Type};
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Kind, Map, Node};
use std::mem;

/// Renames every alias below a section.
pub(crate) fn canonicalize(node: &mut Node, section: &'static Section, problems: &mut Problems) {
    let Kind::Map(map) = &mut node.kind else {
        return;
    };
    let mut renamed = Map::default();
    for mut entry in mem::take(&mut map.entries) {
        let Some(key) = section.key(&entry.key) else {
            renamed.entries.push(entry);
            continue;
        };
        descend(&mut entry.value, &key.ty, problems);
        let written = mem::replace(&mut entry.key, key.name.to_owned());
        entry.value = canonical_value(&written, entry.value);
        if let Some(first) = renamed
            .entry(key.name)
            .filter(|_| is_ambiguous(key.aliases))
        {
            let message = format!("`{written}` says again what another key has said");
            let problem = Diagnostic::new(Severity::Error, entry.key_span, message)
                .label("again here")
                .related(first.key_span, "first here")
                .help(format!(
                    "`{}` and `{}` are the same key: keep one",
                    key.name,
                    key.aliases.join("`, `")
                ));
            problems.push(problem);
        } else {
            renamed.entries.push(entry);
        }
    }
    *map = renamed;
}

/// Only a key with aliases can stand twice: equal keys were refused by the readers.
fn is_ambiguous(aliases: &[&str]) -> bool {
    !aliases.is_empty()
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
