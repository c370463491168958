//! Is a report what its evidence gives? Every number of its data, and every line of its text, against one made again.

#[cfg(feature = "html")]
use crate::html;
use crate::markdown;
use crate::seal::{self, SealFacts};
use fairtrial_analysis::registration::digest;
use fairtrial_analysis::report::{MaskedText, ReportData};
use fairtrial_text::excerpt::excerpt;
use serde::Serialize;
use serde_json::Value;

/// Differences that are named; a report with more is wrong all the same.
const NAMED: usize = 12;
/// Letters of a line that are shown around its first difference.
const AROUND: usize = 60;
const DATA_START: &str = "<script type=\"application/json\" id=\"fairtrial-data\">";

/// One thing that is not as the evidence gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where.
    pub place: String,
    /// What the report says.
    pub says: String,
    /// What the evidence gives.
    pub evidence: String,
}

/// A report as it was found.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// Its text.
    pub text: &'a str,
    /// The stem of its charts' files, for Markdown.
    pub stem: &'a str,
    /// The user's template it was made with, where that is at hand.
    pub template: Option<&'a str>,
    /// Version of this program.
    pub version: &'a str,
}

/// What was found about a report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Verified {
    /// Numbers of its data that were compared.
    pub numbers: usize,
    /// Whether its whole text was made again and compared.
    pub whole_text: bool,
    /// What is not as the evidence gives it.
    pub findings: Vec<Finding>,
}

/// Checks an HTML report against data made again from the evidence.
pub fn html(found: Found<'_>, data: &ReportData) -> Verified {
    let mut verified = sealed(found.text, data);
    let now = serde_json::to_value(data).unwrap_or(Value::Null);
    match embedded(found.text) {
        Ok(then) => {
            let numbers = leaves(&then, &now, "", &mut verified.findings);
            verified.numbers = numbers;
        }
        Err(why) => verified
            .findings
            .push(finding("the report's data", &why, "a JSON object")),
    }
    #[cfg(feature = "html")]
    if let Some(facts) = same_look(found)
        && let Ok(again) = html::report(data, found.template, &facts.borrow())
    {
        verified.whole_text = true;
        lines(found.text, &again, &mut verified.findings);
    }
    verified
}

/// Checks a Markdown report, and gives the charts that belong to it as they should be.
pub fn markdown(found: Found<'_>, data: &ReportData) -> (Verified, Vec<(String, String)>) {
    let mut verified = sealed(found.text, data);
    let Some(facts) = same_look(found) else {
        return (verified, Vec::new());
    };
    let Ok(again) = markdown::report(data, found.stem, &facts.borrow()) else {
        return (verified, Vec::new());
    };
    verified.whole_text = true;
    lines(found.text, &again.text, &mut verified.findings);
    (verified, again.charts)
}

/// The first differing line of a chart.
pub fn chart(name: &str, found: &str, expected: &str) -> Option<Finding> {
    let mut findings = Vec::new();
    lines(found, expected, &mut findings);
    let first = findings.into_iter().next()?;
    Some(Finding {
        place: format!("{name}, {}", first.place),
        ..first
    })
}

fn finding(place: &str, says: &str, evidence: &str) -> Finding {
    Finding {
        place: place.to_owned(),
        says: says.to_owned(),
        evidence: evidence.to_owned(),
    }
}

/// The seal against the text and the data.
fn sealed(text: &str, data: &ReportData) -> Verified {
    let mut verified = Verified::default();
    if let Err(why) = seal::check(text) {
        verified.findings.push(finding(
            "the seal",
            &why.to_string(),
            "the text that was sealed",
        ));
    }
    let json = serde_json::to_string(data).unwrap_or_default();
    if let Ok(seal) = seal::read(text)
        && seal.data_sha256 != digest(json.as_bytes())
    {
        verified.findings.push(finding(
            "the data behind the report",
            &format!("SHA-256 {}", seal.data_sha256),
            &format!("SHA-256 {}", digest(json.as_bytes())),
        ));
    }
    verified
}

/// What a seal said, kept to make the report again.
struct OwnFacts<'a> {
    version: &'a str,
    template: Option<&'a str>,
    history: Vec<fairtrial_model::Stamp>,
    masked: Vec<MaskedText>,
    bundle: bool,
}

impl OwnFacts<'_> {
    fn borrow(&self) -> SealFacts<'_> {
        SealFacts {
            version: self.version,
            template: self.template,
            history: &self.history,
            masked: &self.masked,
            bundle: self.bundle,
        }
    }
}

/// The facts of a report that this version would draw just so; nothing where another version or template drew it.
fn same_look(found: Found<'_>) -> Option<OwnFacts<'_>> {
    let seal = seal::read(found.text).ok()?;
    let template = found.template.map(|text| digest(text.as_bytes()));
    (seal.fairtrial == found.version && seal.template_sha256 == template).then_some(OwnFacts {
        version: found.version,
        template: found.template,
        history: seal.history,
        masked: seal.masked,
        bundle: seal.bundle,
    })
}

/// The data that an HTML report carries.
fn embedded(text: &str) -> Result<Value, String> {
    let start = text.find(DATA_START).ok_or("nothing")? + DATA_START.len();
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.find("</script>").ok_or("no end")?;
    serde_json::from_str(&rest[..end]).map_err(|error| format!("no JSON: {error}"))
}

/// Compares two values leaf by leaf and gives how many numbers there were.
fn leaves(then: &Value, now: &Value, path: &str, findings: &mut Vec<Finding>) -> usize {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            let mut names: Vec<&String> = then.keys().chain(now.keys()).collect();
            names.sort_unstable();
            names.dedup();
            let of = |map: &serde_json::Map<String, Value>, name: &str| {
                map.get(name).cloned().unwrap_or(Value::Null)
            };
            let each = names.into_iter();
            each.map(|name| leaves(&of(then, name), &of(now, name), &below(name), findings))
                .sum()
        }
        (Value::Array(then), Value::Array(now)) => {
            let longest = then.len().max(now.len());
            let of = |list: &[Value], place: usize| list.get(place).cloned().unwrap_or(Value::Null);
            (0..longest)
                .map(|place| {
                    let name = below(&place.to_string());
                    leaves(&of(then, place), &of(now, place), &name, findings)
                })
                .sum()
        }
        (then, now) => {
            if then != now && findings.len() < NAMED {
                findings.push(finding(
                    path,
                    &excerpt(&then.to_string(), AROUND),
                    &excerpt(&now.to_string(), AROUND),
                ));
            }
            usize::from(now.is_number())
        }
    }
}

/// The lines in which two texts differ. The line of the seal and that of the data are compared elsewhere.
fn lines(found: &str, expected: &str, findings: &mut Vec<Finding>) {
    let machine = |line: &str| line.contains("\"page_sha256\":\"") || line.starts_with(DATA_START);
    let (mut ours, mut theirs) = (expected.lines(), found.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (expected, found) = (ours.next(), theirs.next());
        if expected.is_none() && found.is_none() || findings.len() >= NAMED {
            return;
        }
        let (expected, found) = (expected.unwrap_or(""), found.unwrap_or(""));
        if expected != found && !(machine(expected) && machine(found)) {
            let (says, evidence) = around(found, expected);
            findings.push(finding(&format!("line {number}"), &says, &evidence));
        }
    }
}

/// Both lines around their first difference.
fn around(found: &str, expected: &str) -> (String, String) {
    let same = found
        .chars()
        .zip(expected.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let from = same.saturating_sub(AROUND / 2);
    let cut = |line: &str| line.chars().skip(from).take(AROUND).collect::<String>();
    (cut(found), cut(expected))
}
