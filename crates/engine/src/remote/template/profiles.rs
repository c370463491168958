//! Schedulers that are described already.

use crate::remote::contract::PlaceError;
use fairtrial_spec::TemplateOptions;

/// The engine, where no profile gives it a name.
pub(super) const NAME: &str = "template";

/// A description that is shipped.
pub(in crate::remote) struct Profile {
    /// Its name, by which it is an engine.
    pub(in crate::remote) name: &'static str,
    /// The program that submits.
    pub(in crate::remote) program: &'static str,
    text: &'static str,
}

const fn profile(name: &'static str, program: &'static str, text: &'static str) -> Profile {
    Profile {
        name,
        program,
        text,
    }
}

/// All of them.
pub(in crate::remote) const PROFILES: [Profile; 6] = [
    profile("sge", "qsub", include_str!("../../../profiles/sge.toml")),
    profile("ray", "ray", include_str!("../../../profiles/ray.toml")),
    profile(
        "htcondor",
        "condor_submit",
        include_str!("../../../profiles/htcondor.toml"),
    ),
    profile("pbs", "qsub", include_str!("../../../profiles/pbs.toml")),
    profile("lsf", "bsub", include_str!("../../../profiles/lsf.toml")),
    profile(
        "modal",
        "modal",
        include_str!("../../../profiles/modal.toml"),
    ),
];

/// The shipped description of this name.
pub(super) fn named(name: &str) -> Option<&'static Profile> {
    const { &PROFILES }
        .iter()
        .find(|profile| profile.name == name)
}

/// The user's values over those of the profile.
pub(super) fn over_profile(options: &TemplateOptions) -> Result<TemplateOptions, PlaceError> {
    let Some(name) = &options.profile else {
        return Ok(options.clone());
    };
    let shipped = named(name)
        .ok_or_else(|| PlaceError::unfit(NAME, format!("there is no profile `{name}`")))?;
    let shipped: TemplateOptions = toml::from_str(shipped.text)
        .map_err(|error| PlaceError::unfit(NAME, format!("profile `{name}`: {error}")))?;
    Ok(options.clone().over(shipped))
}
