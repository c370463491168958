//! What this machine can measure, and what it cannot.

use crate::feature;
use crate::session::Session;
use fairtrial_engine::remote;
use fairtrial_journal::provenance::Host;
use fairtrial_trial::LimitsOffered;
use serde::Serialize;

/// What a machine is and can do.
#[derive(Debug, Serialize)]
pub struct Examination {
    /// The machine.
    pub host: Host,
    /// What was looked at.
    pub findings: Vec<Ability>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Ability {
    /// What.
    pub what: &'static str,
    /// Whether it is there.
    pub good: bool,
    /// What is there, or why not.
    pub detail: String,
}

impl Session {
    /// Looks at what this machine can measure and enforce.
    pub fn examine_machine(&self) -> Examination {
        let mut findings = vec![
            limits(),
            run_queue(),
            subreaper(),
            self.data(),
            git(),
            counters(),
        ];
        findings.extend(instruments());
        findings.extend(left_out());
        findings.extend(engines());
        Examination {
            host: Host::read(),
            findings,
        }
    }

    fn data(&self) -> Ability {
        let found = self.find_data_root();
        let path = found.root.path();
        let there = if path.is_dir() {
            ""
        } else {
            " (made by the first run)"
        };
        let refused = self.check_data_root().err();
        Ability {
            what: "data",
            good: refused.is_none(),
            detail: refused.map_or_else(
                || format!("{}{there}", path.display()),
                |refused| refused.to_string(),
            ),
        }
    }
}

/// The instruments of experiments that need something of the machine.
fn instruments() -> impl Iterator<Item = Ability> {
    let offered = fairtrial_driver::offered_instruments().into_iter();
    offered.map(|(what, offer)| Ability {
        what,
        good: offer.is_ok(),
        detail: offer.unwrap_or_else(|why| why),
    })
}

/// What counts instructions, for `bench --counter`.
fn counters() -> Ability {
    let version = fairtrial_process::version("valgrind");
    Ability {
        what: "counters",
        good: version.is_ok(),
        detail: match version {
            Ok(version) => format!("instructions can be counted by callgrind ({version})"),
            Err(_) => "instructions cannot be counted: valgrind is not installed".to_owned(),
        },
    }
}

/// What this build cannot do; a full one leaves nothing out.
fn left_out() -> Option<Ability> {
    let missing = feature::ALL.iter().filter(|feature| !feature.built_in);
    let names: Vec<&str> = missing.map(|feature| feature.name).collect();
    (!names.is_empty()).then(|| Ability {
        what: "features",
        good: false,
        detail: format!("this build lacks {}", names.join(", ")),
    })
}

/// Where trials could run from here.
fn engines() -> impl Iterator<Item = Ability> {
    remote::survey().into_iter().map(|offer| Ability {
        what: offer.name,
        good: offer.reachable,
        detail: format!("engine: {}", offer.detail),
    })
}

fn limits() -> Ability {
    let (good, detail) = match LimitsOffered::probe() {
        LimitsOffered::Cgroup(found) => (
            true,
            format!("memory and process limits by {}", found.describe()),
        ),
        LimitsOffered::Rlimit(reason) => (
            false,
            format!("memory and process limits per process only: {reason}"),
        ),
    };
    Ability {
        what: "limits",
        good,
        detail,
    }
}

fn run_queue() -> Ability {
    let good = std::fs::read_to_string("/proc/self/schedstat")
        .is_ok_and(|text| text.split_whitespace().count() == 3);
    let detail = if good {
        "waiting for a CPU is recorded per trial"
    } else {
        "waiting for a CPU cannot be seen here"
    };
    Ability {
        what: "contention",
        good,
        detail: detail.to_owned(),
    }
}

fn subreaper() -> Ability {
    let good = cfg!(target_os = "linux");
    let detail = if good {
        "processes that trials leave behind are found and ended"
    } else {
        "processes that leave their trial's group are not found here"
    };
    Ability {
        what: "leftovers",
        good,
        detail: detail.to_owned(),
    }
}

fn git() -> Ability {
    let version = fairtrial_process::version("git");
    let good = version.is_ok();
    let detail = version.unwrap_or_else(|error| {
        let why = if error.is_missing() {
            "git is not found".to_owned()
        } else {
            error.to_string()
        };
        format!("{why}: runs will not know their commit")
    });
    Ability {
        what: "provenance",
        good,
        detail,
    }
}
