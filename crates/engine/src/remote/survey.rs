//! Which engines can be used from this machine, and why others cannot: for people who ask before they write a spec.

use super::contract::PlaceError;
use super::kubernetes::Kubernetes;
use super::skypilot::Skypilot;
use super::slurm::Slurm;
use super::template::Template;
use fairtrial_journal::provenance::physical_cores;
use fairtrial_spec::{PROFILES, TemplateOptions};
use serde::Serialize;
use std::path::Path;

/// An engine, as found from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineOffer {
    /// Its name, for `--engine`.
    pub name: &'static str,
    /// Whether it can be used as things are.
    pub reachable: bool,
    /// What was found, or why it cannot be used.
    pub detail: String,
}

/// Looks for every engine. A scheduler whose controller is down may take some seconds to say so.
pub fn survey() -> Vec<EngineOffer> {
    let cores = physical_cores();
    let mut offers = vec![
        EngineOffer {
            name: "local",
            reachable: true,
            detail: format!("this machine, {cores} physical cores"),
        },
        offer("slurm", Slurm::here()),
        EngineOffer {
            name: "template",
            reachable: true,
            detail: "any other scheduler, by your own commands".to_owned(),
        },
        offer("skypilot", Skypilot::version()),
        offer("kubernetes", Kubernetes::here()),
    ];
    offers.extend(PROFILES.map(|name| offer(name, described(name))));
    offers
}

/// The version of a scheduler that is described already, where it is reached from here.
fn described(name: &str) -> Result<String, PlaceError> {
    let options = TemplateOptions {
        profile: Some(name.to_owned()),
        ..TemplateOptions::default()
    };
    Template::new(&options, Path::new(""))?.version()
}

fn offer(name: &'static str, found: Result<String, PlaceError>) -> EngineOffer {
    let reachable = found.is_ok();
    let detail = found.unwrap_or_else(|error| match error {
        PlaceError::Unfit { message, .. } => message,
        error => error.to_string(),
    });
    EngineOffer {
        name,
        reachable,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::survey;

    #[test]
    fn every_engine_is_named_with_what_was_found() {
        let found = survey();
        let names: Vec<&str> = found.iter().map(|offer| offer.name).collect();
        assert!(found.iter().all(|offer| !offer.detail.is_empty()));
        assert!(found[0].reachable && found[2].reachable);
        let words = fairtrial_spec::EngineChoice::words();
        assert_eq!(names, words.collect::<Vec<_>>());
    }
}
