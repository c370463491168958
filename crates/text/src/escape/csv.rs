//! Spreadsheets: a cell that begins like a formula would be computed, and a formula can send data away.

use std::borrow::Cow;

/// The cell with an apostrophe before what a spreadsheet would compute; numbers stay as they are.
pub fn csv(cell: &str) -> Cow<'_, str> {
    // Blanks before the sign are skipped by some programs.
    let starts = cell.trim_start().starts_with([
        '=', '+', '-', '@', '\t', '\r', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]) || cell.starts_with(['\t', '\r', '\n']);
    if starts && cell.parse::<f64>().is_err() {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::csv;

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        assert_eq!(
            csv("=HYPERLINK(\"https://evil\")"),
            "'=HYPERLINK(\"https://evil\")"
        );
        for formula in ["+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1"] {
            assert_eq!(csv(formula), format!("'{formula}"));
        }
        for plain in ["-0.5", "+1e-3", "-inf", "score", "a=b", ""] {
            assert_eq!(csv(plain), plain);
        }
    }
}
