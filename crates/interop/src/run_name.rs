//! What the name of a folder says where nothing else does: `vit_reset_seed1072` is the seed 1072 of `vit_reset`.

use crate::execution::Execution;
use std::path::Path;

/// Sets `run`, and `name` and `seed` where the folder's name (or that of the folder around it) has them.
pub(crate) fn describe(execution: &mut Execution, folder: &Path) {
    let word = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let Some(run) = word(folder) else {
        return;
    };
    let parent = folder.parent().and_then(word);
    let (name, seed) = match split_seed(&run) {
        // `vit/seed1072` and `vit/1072`: what the run is called stands around it.
        Some((name, seed)) if name.is_empty() => (parent.unwrap_or_default(), Some(seed)),
        Some((name, seed)) => (name, Some(seed)),
        None => match run.parse::<u64>() {
            Ok(_) if parent.is_some() => (parent.unwrap_or_default(), Some(run.clone())),
            _ => (run.clone(), None),
        },
    };
    execution.set("run", run);
    execution.set("name", name);
    execution.set_some("seed", seed);
}

/// The name without its seed, and the seed: a number behind the word `seed`, or behind `s` at the end.
fn split_seed(run: &str) -> Option<(String, String)> {
    let lower = run.to_ascii_lowercase();
    let (at, length) = match lower.rfind("seed") {
        Some(at) => (at, 4),
        None => (
            lower
                .rfind(['_', '-'])
                .filter(|at| lower[at + 1..].starts_with('s'))?
                + 1,
            1,
        ),
    };
    let rest = &run[at + length..];
    let digits = rest.trim_start_matches(['_', '-', '=', ':', '.']);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_end = length == 4 || count == digits.len();
    if count == 0 || !is_end {
        return None;
    }
    let behind = &digits[count..];
    let name = format!("{}{behind}", &run[..at]);
    let name = name.trim_matches(['_', '-', '.', '=']).to_owned();
    Some((name, digits[..count].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::describe;
    use crate::execution::Execution;
    use fairtrial_model::Params;
    use std::path::Path;

    #[test]
    fn seeds_are_found_in_names_as_people_write_them() {
        for (folder, name, seed) in [
            ("logs/vit_reset_seed1072", "vit_reset", Some("1072")),
            ("logs/seed=3", "logs", Some("3")),
            ("logs/vit/7", "vit", Some("7")),
            ("logs/ppo-s12", "ppo", Some("12")),
            ("logs/SEED_5_ppo", "ppo", Some("5")),
            ("logs/PPO_1", "PPO_1", None),
            ("logs/big-small", "big-small", None),
            ("logs/reseeded", "reseeded", None),
        ] {
            let mut execution = Execution::of("f");
            describe(&mut execution, Path::new(folder));
            let get = |field: &str| execution.fields.get(field).map(Params::display);
            assert_eq!(get("name").as_deref(), Some(name), "{folder}");
            assert_eq!(get("seed").as_deref(), seed, "{folder}");
        }
    }
}
