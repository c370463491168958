//! Schedulers that are described already.

use crate::remote::contract::PlaceError;
use fairtrial_spec::TemplateOptions;

/// The engine.
pub(super) const NAME: &str = "template";

/// The shipped descriptions: name, the program that submits, text.
pub(in crate::remote) const PROFILES: [(&str, &str, &str); 4] = [
    (
        "htcondor",
        "condor_submit",
        include_str!("../../../profiles/htcondor.toml"),
    ),
    ("pbs", "qsub", include_str!("../../../profiles/pbs.toml")),
    ("lsf", "bsub", include_str!("../../../profiles/lsf.toml")),
    (
        "modal",
        "modal",
        include_str!("../../../profiles/modal.toml"),
    ),
];

/// The user's values over those of the profile.
pub(super) fn over_profile(options: &TemplateOptions) -> Result<TemplateOptions, PlaceError> {
    let Some(name) = &options.profile else {
        return Ok(options.clone());
    };
    let (_, _, text) = PROFILES
        .iter()
        .find(|(known, ..)| known == name)
        .ok_or_else(|| PlaceError::unfit(NAME, format!("there is no profile `{name}`")))?;
    let profile: TemplateOptions = toml::from_str(text)
        .map_err(|error| PlaceError::unfit(NAME, format!("profile `{name}`: {error}")))?;
    let own = options.clone();
    let mut states = profile.states;
    states.extend(own.states);
    Ok(TemplateOptions {
        profile: own.profile,
        submit: own.submit.or(profile.submit),
        handle: own.handle.or(profile.handle),
        find: own.find.or(profile.find),
        poll: own.poll.or(profile.poll),
        line: own.line.or(profile.line),
        states,
        cancel: own.cancel.or(profile.cancel),
        logs: own.logs.or(profile.logs),
        collect: own.collect.or(profile.collect),
        element: own.element.or(profile.element),
        first: own.first.or(profile.first),
        max_elements: own.max_elements.or(profile.max_elements),
        description: own.description.or(profile.description),
        setup: own.setup.or(profile.setup),
    })
}
