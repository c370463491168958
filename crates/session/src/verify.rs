//! Is a report what its evidence gives, and is the evidence what was recorded?

use crate::error::SessionError;
use crate::feature::HTML;
use crate::kept_hash::kept_hash;
use crate::report_files::stem;
use crate::session::Session;
use crate::version::VERSION;
use fairtrial_analysis::registration::Registered;
use fairtrial_analysis::report::{ReportData, RunFacts};
use fairtrial_engine::{Difference, Evidence, check_against, check_evidence};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{RunDir, is_there};
use fairtrial_report::verify::{Finding, Found, Verified};
use fairtrial_report::{seal, verify};
use fairtrial_series::Reading;
use fairtrial_text::count::counted;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What checking a run and its reports found.
#[derive(Debug)]
pub struct RunVerified {
    /// The run.
    pub run: RunFacts,
    /// Everything that was checked.
    pub checks: Vec<Check>,
    /// How many reports were.
    pub reports: usize,
    /// The hash of the journal's last line, to be kept elsewhere.
    pub hash: Option<String>,
}

/// What is checked besides the evidence of a run.
#[derive(Debug, Default)]
pub struct VerifyOptions<'a> {
    /// Reports; without any named, those in the run's folder.
    pub reports: &'a [PathBuf],
    /// The template that an HTML report was made with.
    pub template: Option<&'a str>,
    /// The hash of the journal's last line as it was kept elsewhere: itself, or a file, tag or commit that has it.
    pub against: Option<&'a str>,
}

impl RunVerified {
    /// Whether everything is as the evidence gives it.
    pub fn is_right(&self) -> bool {
        self.checks.iter().all(|check| check.findings.is_empty())
    }
}

/// One thing that was checked.
#[derive(Debug, Serialize)]
pub struct Check {
    /// What was checked.
    pub what: String,
    /// What was compared, in words.
    pub compared: String,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
}

impl Session {
    /// Works out every number of a run's reports again.
    pub fn verify(
        &self,
        run: &RunDir,
        options: &VerifyOptions<'_>,
    ) -> Result<RunVerified, SessionError> {
        let VerifyOptions {
            reports,
            template,
            against,
        } = *options;
        let archive = run.check_archive()?;
        let found = check_evidence(run)?;
        let hash = found.last_line.map(|hash| hash.to_string());
        let mut checks: Vec<Check> = archive.iter().map(|file| whole_archive(file)).collect();
        checks.push(evidence(found));
        if let Some(given) = against {
            let difference = check_against(run, kept_hash(given, run)?)?;
            checks.push(Check {
                what: "kept hash".to_owned(),
                compared: format!("the journal's last line with {given}"),
                findings: difference.map(as_finding).into_iter().collect(),
            });
        }
        let usual = ["report.html", "report.md"].map(|name| run.file(name));
        // One that is there and cannot be read is told of when it is.
        let absent = |path: &PathBuf| is_there(path).is_ok_and(|there| !there);
        let reports: Vec<PathBuf> = if reports.is_empty() {
            usual.into_iter().filter(|path| !absent(path)).collect()
        } else {
            reports.to_vec()
        };
        // Curves are read from the files that trials wrote: what is packed beside those is no evidence.
        let unmasked = self.unmasked_report_data(run, None, Reading::Files)?;
        let mut data = unmasked.clone();
        data.mask(&self.caller().redactor());
        checks.extend(registration(&data.registered));
        for path in &reports {
            checks.push(self.verify_report(path, (run, &unmasked), template)?);
        }
        Ok(RunVerified {
            run: data.run,
            checks,
            reports: reports.len(),
            hash,
        })
    }

    /// One report, against data made again with the same runs in its history and the same texts masked. What is said of
    /// one that differs holds no secret of the caller's environment either.
    fn verify_report(
        &self,
        path: &Path,
        (run, newest): (&RunDir, &ReportData),
        template: Option<&str>,
    ) -> Result<Check, SessionError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            SessionError::Input(format!("cannot read {}: {error}", path.display()))
        })?;
        let (history, masked) = seal::read(&text)
            .ok()
            .map(|seal| (seal.history, seal.masked))
            .unzip();
        let masked = masked.unwrap_or_default();
        // Mostly it shows the same runs in its history, and nothing is read twice.
        let unmasked = match history {
            Some(history) if history != newest.history_runs() => {
                Cow::Owned(self.unmasked_report_data(run, Some(history), Reading::Files)?)
            }
            _ => Cow::Borrowed(newest),
        };
        let check = |environment: &Redactor| {
            let mut data = unmasked.clone().into_owned();
            data.mask_as(&masked, environment);
            against(path, &text, template, &data)
        };
        let mut verified = check(&Redactor::default());
        if !verified.findings.is_empty() {
            verified = check(&self.caller().redactor());
        }
        Ok(Check {
            what: path.display().to_string(),
            compared: compared(&verified),
            findings: verified.findings,
        })
    }
}

fn finding(place: &str, says: impl Into<String>, evidence: impl Into<String>) -> Finding {
    Finding {
        place: place.to_owned(),
        says: says.into(),
        evidence: evidence.into(),
    }
}

/// An archive, of which a damaged one has no other check.
fn whole_archive(file: &Path) -> Check {
    Check {
        what: "archive".to_owned(),
        compared: format!(
            "{}: SHA-256 of the whole and of each file in it",
            file.display()
        ),
        findings: Vec::new(),
    }
}

/// What the run left, against what it recorded.
fn evidence(found: Evidence) -> Check {
    let mut compared = format!(
        "{} lines, the records of {} trials and their own copies, spec, plan and environment",
        found.lines, found.trials
    );
    if found.curve_files > 0 {
        let _ = write!(
            compared,
            "; {} of curves",
            counted(found.curve_files, "file")
        );
    }
    if found.curve_files_gone > 0 {
        let gone = found.curve_files_gone;
        let _ = write!(compared, "; {} of curves gone", counted(gone, "file"));
    }
    if found.copies_gone > 0 {
        let _ = write!(compared, "; {} copies are gone", found.copies_gone);
    }
    if found.unchained > 0 {
        let _ = write!(
            compared,
            "; not chained: {} lines of an earlier version carry no hash of the line before them",
            found.unchained
        );
    }
    if !found.is_closed {
        compared += "; the run is not closed, so lines that are missing at its end are not noticed";
        if let Some(bytes) = found.torn {
            let _ = write!(
                compared,
                "; its last line is not finished ({bytes} bytes), which `fairtrial run --resume` takes away"
            );
        }
    }
    Check {
        what: "evidence".to_owned(),
        compared,
        findings: found.differences.into_iter().map(as_finding).collect(),
    }
}

fn as_finding(difference: Difference) -> Finding {
    Finding {
        place: difference.place,
        says: difference.found,
        evidence: difference.expected,
    }
}

/// A registered plan must be kept to.
fn registration(registered: &Registered) -> Option<Check> {
    let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    let (compared, findings) = match registered {
        Registered::No => return None,
        Registered::AsRegistered { hash, .. } => {
            (format!("as registered, plan {hash}"), Vec::new())
        }
        Registered::Deviates {
            hash, deviations, ..
        } => {
            let findings = deviations
                .iter()
                .map(|deviation| {
                    finding(
                        &deviation.what,
                        value(&deviation.used),
                        value(&deviation.registered),
                    )
                })
                .collect();
            (format!("deviates from plan {hash}"), findings)
        }
        Registered::Broken { why } => (
            "cannot be trusted".to_owned(),
            vec![finding(
                "registration.json",
                why.clone(),
                "the plan that was registered",
            )],
        ),
    };
    Some(Check {
        what: "registered plan".to_owned(),
        compared,
        findings,
    })
}

/// A report's text and charts against its data made again.
fn against(path: &Path, text: &str, template: Option<&str>, data: &ReportData) -> Verified {
    let stem = stem(path);
    let found = Found {
        text,
        stem: &stem,
        template,
        version: VERSION,
    };
    let is_html = path
        .extension()
        .is_some_and(|extension| extension == "html");
    if is_html {
        return verify::html(found, data);
    }
    let found = Found {
        template: None,
        ..found
    };
    let (mut verified, charts) = verify::markdown(found, data);
    for (name, svg) in &charts {
        let there = std::fs::read_to_string(path.with_file_name(name));
        verified.findings.extend(match there {
            Ok(there) => verify::chart(name, &there, svg),
            Err(error) => Some(finding(name, error.to_string(), "the chart")),
        });
    }
    verified
}

fn compared(verified: &Verified) -> String {
    let numbers =
        (verified.numbers > 0).then(|| format!("{} numbers of its data", verified.numbers));
    let text = if verified.whole_text {
        "its whole text"
    } else if verified.numbers > 0 && !HTML.built_in {
        "its seal (this build lacks the feature `html`, which would draw its text again)"
    } else {
        "its seal (its text was drawn by another version or template)"
    };
    let parts: Vec<String> = numbers.into_iter().chain([text.to_owned()]).collect();
    parts.join(", ")
}
