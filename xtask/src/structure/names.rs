//! Type names that several crates define: a reader should not have to ask which one is meant.

use super::Crate;
use super::tokens::tokens;
use std::collections::{BTreeMap, BTreeSet};

/// Crates that still use names of others. Nothing may be added.
const EXEMPT: [&str; 11] = [
    "agent", "analysis", "cli", "engine", "interop", "journal", "report", "session", "spec",
    "stats", "trial",
];

/// The names that more than one crate defines.
pub(super) fn used_twice(crates: &[Crate]) -> Vec<String> {
    let mut by_name: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for of in crates
        .iter()
        .filter(|of| !EXEMPT.contains(&of.name.as_str()))
    {
        for text in of.files.values() {
            for name in defined(text) {
                by_name.entry(name).or_default().insert(&of.name);
            }
        }
    }
    let twice = by_name.into_iter().filter(|(_, users)| users.len() > 1);
    let words = twice.map(|(name, users)| {
        let users: Vec<&str> = users.into_iter().collect();
        format!(
            "the type name `{name}` is used in crates {}",
            users.join(", ")
        )
    });
    words.collect()
}

/// The types that a file defines. Types inside of traits and their implementations are none of their own.
fn defined(text: &str) -> Vec<&str> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let begins = match pair[0] {
            "struct" | "enum" | "trait" | "union" => true,
            "type" => at == 0 || matches!(tokens[at - 1], ";" | "}" | "pub" | ")" | "]"),
            _ => false,
        };
        let is_name = pair[1].starts_with(|first: char| first.is_ascii_uppercase());
        if begins && is_name {
            found.push(pair[1]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::defined;

    #[test]
    fn types_are_found_where_they_are_defined() {
        let text = "pub(crate) struct A<'a>; enum B { C } fn f() -> D {} impl E for A { type F = B; }\npub type G = u8;";
        assert_eq!(defined(text), ["A", "B", "G"]);
    }
}
