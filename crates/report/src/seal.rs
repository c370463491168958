//! The seal of a report: hashes by which `verify` finds any byte that was changed after the report was made.
//!
//! A report carries a small JSON object with the hash of its data and of its own text (with that hash as zeros).
//! Recomputing the data from the evidence is what proves the numbers; the seal also covers what is not a number, and
//! works where a later version would draw the page differently.

use fairtrial_analysis::registration::digest;
use fairtrial_analysis::report::MaskedText;
use fairtrial_model::Stamp;
use serde::{Deserialize, Serialize};

/// Version of the seal's form.
pub const SEAL_SCHEMA: u32 = 1;
/// Stands for the hash of the page while the page is hashed.
const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "\"page_sha256\":\"";

/// What the maker of a report says about it.
#[derive(Debug, Clone, Copy)]
pub struct SealFacts<'a> {
    /// Version of Fairtrial.
    pub version: &'a str,
    /// The user's template, where one was used.
    pub template: Option<&'a str>,
    /// The runs of its history.
    pub history: &'a [Stamp],
    /// The texts in which its maker's environment masked secrets.
    pub masked: &'a [MaskedText],
    /// Whether a page for each trial lies beside it.
    pub bundle: bool,
}

/// The seal as it stands in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// [`SEAL_SCHEMA`].
    pub schema: u32,
    /// Version of Fairtrial that made the report.
    pub fairtrial: String,
    /// SHA-256 of the user's template, where one was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_sha256: Option<String>,
    /// The runs of its history.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Stamp>,
    /// The texts in which its maker's environment masked secrets, so that another environment can make it again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<MaskedText>,
    /// Whether a page for each trial lies beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bundle: bool,
    /// SHA-256 of the data as JSON.
    pub data_sha256: String,
    /// SHA-256 of the report with this value as zeros.
    pub page_sha256: String,
}

/// Why a report's seal does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// There is none.
    #[error("it carries no seal: it was not made by `fairtrial report`, or its end is missing")]
    Missing,
    /// It cannot be read.
    #[error("its seal cannot be read: {0}")]
    Form(String),
    /// The text is not the one that was sealed.
    #[error("it was changed after it was made: its text does not match its seal")]
    Page,
}

/// The seal of a page that is not finished yet.
pub(crate) fn open(facts: &SealFacts<'_>, data_json: &str) -> String {
    let seal = Seal {
        schema: SEAL_SCHEMA,
        fairtrial: facts.version.to_owned(),
        template_sha256: facts.template.map(|text| digest(text.as_bytes())),
        history: facts.history.to_vec(),
        masked: facts.masked.to_vec(),
        bundle: facts.bundle,
        data_sha256: digest(data_json.as_bytes()),
        page_sha256: BLANK.to_owned(),
    };
    // It stands in a script or a comment, which no text of a program must end.
    let json = serde_json::to_string(&seal).unwrap_or_default();
    let json = fairtrial_text::escape::json(&json);
    json.replace('<', "\\u003c").replace('>', "\\u003e")
}

/// Puts the hash of the whole page into its seal.
pub(crate) fn close(page: String) -> String {
    let Some(at) = place(&page) else {
        return page;
    };
    let hash = digest(page.as_bytes());
    let mut sealed = page;
    sealed.replace_range(at..at + BLANK.len(), &hash);
    sealed
}

/// Where the hash stands: the last one, so that no text of a user can stand in its place.
fn place(page: &str) -> Option<usize> {
    let at = page.rfind(KEY)? + KEY.len();
    let end = at + BLANK.len();
    let digits = page.get(at..end)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then_some(at)
}

/// Reads the seal of a report and checks its text against it.
pub fn check(page: &str) -> Result<Seal, SealError> {
    let seal = read(page)?;
    let at = place(page).ok_or(SealError::Missing)?;
    let mut blank = page.to_owned();
    blank.replace_range(at..at + BLANK.len(), BLANK);
    if digest(blank.as_bytes()) == seal.page_sha256 {
        Ok(seal)
    } else {
        Err(SealError::Page)
    }
}

/// Reads the seal without checking it.
pub fn read(page: &str) -> Result<Seal, SealError> {
    let at = place(page).ok_or(SealError::Missing)?;
    let start = page[..at].rfind("{\"schema\":").ok_or(SealError::Missing)?;
    let end = page[at..].find('}').ok_or(SealError::Missing)? + at + 1;
    serde_json::from_str(&page[start..end]).map_err(|error| SealError::Form(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{SealError, SealFacts, check, close, open};
    use fairtrial_analysis::report::MaskedText;

    fn sealed(masked: &[MaskedText]) -> String {
        let facts = SealFacts {
            version: "0.1.0",
            template: None,
            history: &[],
            masked,
            bundle: false,
        };
        close(format!(
            "a report with +4.7 %\n<!-- {} -->\n",
            open(&facts, "{}")
        ))
    }

    #[test]
    fn an_altered_digit_breaks_the_seal() {
        let page = sealed(&[]);
        assert!(check(&page).is_ok());
        assert_eq!(check(&page.replace("4.7", "4.8")), Err(SealError::Page));
        assert_eq!(
            check(&page.replace("report", "Report")),
            Err(SealError::Page)
        );
        assert_eq!(check("plain"), Err(SealError::Missing));
        let cut = &page[..page.len() - 20];
        assert!(check(cut).is_err());
    }

    #[test]
    fn what_a_program_wrote_cannot_break_the_seal() {
        let masked = MaskedText {
            trial: 7,
            file: Some("logs/stderr.log".to_owned()),
            line: 1,
            text: "[redacted] --> </script> {\"schema\":1,\"page_sha256\":\"0\"} }".to_owned(),
            words: 5,
        };
        let page = sealed(std::slice::from_ref(&masked));
        assert_eq!(
            (page.matches("-->").count(), page.matches('<').count()),
            (1, 1)
        );
        assert_eq!(check(&page).unwrap().masked, [masked]);
    }
}
