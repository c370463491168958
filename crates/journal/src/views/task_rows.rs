//! The rows of the manifest task by task, and the file that each task has.

use crate::event::OutcomeCounts;
use fairtrial_model::Sha256;

/// Version of the manifest's form, raised when a reader of the old form would misread the new one.
pub const MANIFEST_SCHEMA: u32 = 1;

/// A task with what is counted about it.
pub(super) struct TaskHead {
    pub(super) task: String,
    /// Per arm, in order of appearance.
    pub(super) arms: Vec<(Option<String>, OutcomeCounts)>,
}

/// One task's rows by their place in the manifest.
pub(super) struct TaskRows<'a> {
    pub(super) file: String,
    pub(super) head: &'a TaskHead,
    pub(super) rows: Vec<(u64, u32)>,
}

/// A task's id as a file name. An id that cannot be one is made readable, and told apart by a part of its hash.
pub(super) fn safe_name(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let fits = !id.is_empty() && !id.starts_with('.') && id.len() <= 120 && id.chars().all(plain);
    if fits {
        return id.to_owned();
    }
    let readable = id.chars().map(|c| if plain(c) { c } else { '_' });
    let readable: String = readable.take(100).collect();
    let hash = Sha256::digest(id.as_bytes());
    let short = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    format!("{}-{short:08x}", readable.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::safe_name;

    #[test]
    fn every_id_has_its_own_file_name() {
        assert_eq!(safe_name("train-1.b"), "train-1.b");
        assert_eq!(safe_name("a/b"), "a_b-c14cddc0");
        assert_ne!(safe_name("a/b"), safe_name("a b"));
        assert_ne!(safe_name(""), safe_name(".."));
        assert!(safe_name(&"é".repeat(500)).len() < 200);
    }
}
