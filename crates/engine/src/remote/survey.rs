//! Which engines can be used from this machine, and why others cannot: for people who ask before they write a spec.

use super::command::Shell;
use super::contract::PlaceError;
use super::skypilot::Skypilot;
use super::slurm::Slurm;
use crate::remote::template::profiles::PROFILES;
use fairtrial_journal::provenance::physical_cores;
use serde::Serialize;

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
    vec![
        EngineOffer {
            name: "local",
            reachable: true,
            detail: format!("this machine, {cores} physical cores"),
        },
        offer("slurm", Slurm::here()),
        template(),
        offer("skypilot", Skypilot::version()),
    ]
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

/// The user's own commands always can be; of the profiles, those whose programs are here.
fn template() -> EngineOffer {
    let shell = Shell::on(None);
    let profiles = PROFILES.map(|(profile, program, _)| {
        if shell.has(program) {
            format!("{profile} ({program} is here)")
        } else {
            format!("{profile} (no {program} here)")
        }
    });
    EngineOffer {
        name: "template",
        reachable: true,
        detail: format!("your own commands; profiles: {}", profiles.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::survey;

    #[test]
    fn every_engine_is_named_with_what_was_found() {
        let found = survey();
        let names: Vec<&str> = found.iter().map(|offer| offer.name).collect();
        assert_eq!(names, ["local", "slurm", "template", "skypilot"]);
        assert!(found.iter().all(|offer| !offer.detail.is_empty()));
        assert!(found[0].reachable && found[2].reachable);
        let kinds = fairtrial_spec::EngineKind::ALL;
        assert_eq!(names, kinds.map(fairtrial_spec::EngineKind::word));
    }
}
