//! The hash of a journal's last line as somebody kept it elsewhere: given as it is, in a file (a paper, a table of results), or
//! in the message of a tag or commit.

use crate::data_root::absolute;
use crate::error::SessionError;
use fairtrial_journal::{LineHash, RunDir};
use fairtrial_process::git::Git;
use std::path::Path;

/// The hash that is meant for this run.
pub(crate) fn kept_hash(given: &str, run: &RunDir) -> Result<LineHash, SessionError> {
    if let Ok(hash) = given.parse() {
        return Ok(hash);
    }
    let path = absolute(Path::new(given));
    let text = if path.is_file() {
        std::fs::read_to_string(&path).map_err(|error| {
            SessionError::Input(format!("cannot read {}: {error}", path.display()))
        })?
    } else {
        message(given).ok_or_else(|| {
            SessionError::Input(format!(
                "--against {given}: this is no hash of 32 hexadecimal digits, no file, and no tag or commit here"
            ))
        })?
    };
    in_text(&text, run).map_err(|why| SessionError::Input(format!("--against {given}: {why}")))
}

/// The message of a tag, or of the commit that a word names.
fn message(word: &str) -> Option<String> {
    let folder = absolute(Path::new("."));
    let printed = |name: &str, args: &[&str]| {
        let printed = Git::look(&folder, name).args(args).output().ok()?;
        Some(String::from_utf8_lossy(&printed).into_owned())
    };
    let tag = format!("refs/tags/{word}");
    let tag = printed("for-each-ref", &["--format=%(contents)", &tag])?;
    let commit = || {
        printed(
            "log",
            &["-1", "--format=%B", "--end-of-options", word, "--"],
        )
    };
    Some(tag)
        .filter(|text| !text.trim().is_empty())
        .or_else(commit)
}

/// The hash in a text: the one on a line that names the run, else the only one.
fn in_text(text: &str, run: &RunDir) -> Result<LineHash, &'static str> {
    let in_line = |line: &str| {
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
        words.find_map(|word| word.parse::<LineHash>().ok())
    };
    let stamp = run.stamp().to_string();
    let named = text.lines().filter(|line| line.contains(&stamp));
    let mut all: Vec<LineHash> = named.filter_map(in_line).collect();
    if all.is_empty() {
        all = text.lines().filter_map(in_line).collect();
        all.dedup();
    }
    match all.as_slice() {
        [hash] => Ok(*hash),
        [] => Err("there is no hash of 32 hexadecimal digits in it"),
        _ => Err("there are several hashes in it, and no line names this run by its stamp"),
    }
}
