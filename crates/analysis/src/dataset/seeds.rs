//! The seeds of a table's rows: whole numbers as they are, words as numbers that are the same in every file.

use super::sheet::Sheet;
use fairtrial_model::Sha256;
use fairtrial_text::count::first_of;

/// Lines and words that a message names.
const NAMED: usize = 5;

/// The seeds of all rows.
pub(super) struct Seeds {
    pub(super) of_rows: Vec<u64>,
    /// What a reader should know.
    pub(super) note: Option<String>,
}

/// Reads the seeds. Without a column of them every row has seed 0; a blank cell in it is refused, since the rows without
/// a seed would be taken for repetitions of one.
pub(super) fn seeds(sheet: &Sheet, column: Option<usize>) -> Result<Seeds, String> {
    if column.is_none() {
        return Ok(Seeds {
            of_rows: vec![0; sheet.rows.len()],
            note: None,
        });
    }
    let blank: Vec<String> = (0..sheet.rows.len())
        .filter(|row| sheet.cell(*row, column).is_none())
        .map(|row| sheet.line(row).to_string())
        .collect();
    if !blank.is_empty() {
        let lines = if blank.len() == 1 { "line" } else { "lines" };
        return Err(format!(
            "no seed in {lines} {}: write one in every row, or remove the column",
            first_of(blank, NAMED)
        ));
    }
    let mut words: Vec<(&str, u64)> = Vec::new();
    let mut of_rows = Vec::with_capacity(sheet.rows.len());
    for row in 0..sheet.rows.len() {
        let text = sheet.cell(row, column).unwrap_or_default();
        of_rows.push(whole(text).unwrap_or_else(|| {
            let number = number_for(text);
            if !words.iter().any(|(known, _)| *known == text) {
                words.push((text, number));
            }
            number
        }));
    }
    let note = (!words.is_empty()).then(|| {
        let named = words
            .iter()
            .map(|(word, number)| format!("`{word}` = {number}"));
        format!(
            "seeds that are no whole numbers are shown as numbers: {}",
            first_of(named, NAMED)
        )
    });
    Ok(Seeds { of_rows, note })
}

/// `7`, also as `7.0`, as a table of floats writes it.
fn whole(text: &str) -> Option<u64> {
    let bare = text
        .split_once('.')
        .filter(|(_, zeros)| zeros.bytes().all(|digit| digit == b'0'))
        .map_or(text, |(whole, _)| whole);
    bare.parse().ok()
}

fn number_for(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    // As many bits as every program reads without loss.
    let bytes = digest[..6].iter();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}
