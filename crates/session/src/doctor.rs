//! What this machine can measure, and what it cannot.

use crate::feature;
use crate::session::Session;
use crate::tuning::Tuned;
use fairtrial_engine::remote;
use fairtrial_journal::provenance::Host;
use fairtrial_model::HardwareCounter;
use fairtrial_text::count::counted;
use fairtrial_trial::{LimitsOffered, cannot_count};
use serde::Serialize;
use std::path::Path;

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
            hardware_counters(),
            callgrind(),
            self.steadiness(),
            self.shared_cores(),
            self.addresses(),
        ];
        findings.extend(instruments());
        findings.extend(left_out());
        findings.extend(engines());
        Examination {
            host: Host::read(),
            findings,
        }
    }

    /// Looks whether an object store can be used from here.
    pub fn examine_store(&self, url: &str) -> Ability {
        let examined = remote::examine_store(url);
        Ability {
            what: "store",
            good: examined.is_ok(),
            detail: match examined {
                Ok(()) => format!(
                    "{url}: written, listed, read and removed; the first writer of a name stays; the clocks agree"
                ),
                Err(error) => error.to_string(),
            },
        }
    }

    /// Governors and turbo, which `doctor --tune` changes.
    fn steadiness(&self) -> Ability {
        let tuning = self.tuning();
        let settings = tuning.settings();
        let mut unsteady: Vec<&str> = settings
            .iter()
            .filter(|(_, _, steady)| !steady)
            .map(|(file, now, _)| match file.file_name() {
                Some(name) if name == "scaling_governor" => now.as_str(),
                _ => "turbo",
            })
            .collect();
        unsteady.dedup();
        let (good, detail) = match tuning.tuned() {
            Ok(Some(tuned)) => (tuned.complete, tuned_words(&tuned)),
            Err(error) => (false, error.to_string()),
            Ok(None) if settings.is_empty() => (
                true,
                "the machine shows no setting of its CPUs' speed".to_owned(),
            ),
            Ok(None) if unsteady.is_empty() => (true, "CPUs run at a steady speed".to_owned()),
            Ok(None) => (
                false,
                format!(
                    "the speed of CPUs varies ({}); `fairtrial doctor --tune` changes that until you put it back",
                    unsteady.join(", ")
                ),
            ),
        };
        Ability {
            what: "speed",
            good,
            detail,
        }
    }

    fn shared_cores(&self) -> Ability {
        let active = self
            .tuning()
            .read(Path::new("sys/devices/system/cpu/smt/active"));
        let shared = active.is_ok_and(|active| active == "1");
        let detail = if shared {
            "two CPUs share a core: what runs on one slows down the other; `bench --pin` takes a core's first one"
        } else {
            "no two CPUs share a core, as far as the system shows"
        };
        Ability {
            what: "cores",
            good: !shared,
            detail: detail.to_owned(),
        }
    }

    fn addresses(&self) -> Ability {
        let random = self
            .tuning()
            .read(Path::new("proc/sys/kernel/randomize_va_space"));
        let random = random.is_ok_and(|level| level != "0");
        let detail = if random {
            "programs get other addresses in each run, which is part of their noise; `bench --no-aslr` fixes them"
        } else {
            "programs get the same addresses in each run"
        };
        Ability {
            what: "addresses",
            good: true,
            detail: detail.to_owned(),
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

/// That the machine is tuned, and how it is put back.
pub fn tuned_words(tuned: &Tuned) -> String {
    let count = tuned.settings.len();
    let settings = counted(count, "setting");
    let how = if tuned.complete {
        "by `doctor --tune`"
    } else {
        "by a `doctor --tune` that was cut off"
    };
    format!("{settings} of the machine changed {how}; `fairtrial doctor --tune off` puts them back")
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

/// What the processor counts, for `resource:instructions` and `bench --metric instructions`.
fn hardware_counters() -> Ability {
    let refused = HardwareCounter::ALL.map(|counter| (counter, cannot_count(counter)));
    let of = |there: bool| {
        let those = refused.iter().filter(|(_, why)| why.is_none() == there);
        let words: Vec<&str> = those.map(|(counter, _)| counter.words()).collect();
        words.join(", ")
    };
    let why = refused.iter().find_map(|(_, why)| why.as_deref());
    Ability {
        what: "counters",
        good: why.is_none(),
        detail: match (of(true), why) {
            (counted, None) => format!("the processor counts {counted}"),
            (counted, Some(why)) if counted.is_empty() => {
                format!("instructions are not counted by the processor: {why}")
            }
            (counted, Some(why)) => {
                format!(
                    "the processor counts {counted}, but not {}: {why}",
                    of(false)
                )
            }
        },
    }
}

/// What counts instructions by simulation, for `bench --counter`.
fn callgrind() -> Ability {
    let version = fairtrial_process::version("valgrind");
    Ability {
        what: "callgrind",
        good: version.is_ok(),
        detail: match version {
            Ok(version) => format!("`bench --counter callgrind` counts instructions ({version})"),
            Err(_) => {
                "`bench --counter callgrind` cannot count: valgrind is not installed".to_owned()
            }
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
