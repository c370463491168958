//! The networks of a task in one container: the stricter of what the task and the spec say.

use crate::contained::Contained;
use fairtrial_spec::{Network, SandboxChoice};

/// A choice with the networks of a task, the stricter of both for agent and setup; and whether the container has no network
/// but ours.
pub(in crate::rollout) fn with_networks(
    choice: &SandboxChoice,
    contained: &Contained,
) -> (SandboxChoice, bool) {
    let agent = stricter(&choice.network, &contained.agent_network);
    let setup = choice.setup_network.clone();
    let setup = setup.unwrap_or_else(|| stricter(&choice.network, &contained.network));
    let tests = choice.tests_network.clone();
    let tests = tests.unwrap_or_else(|| contained.tests_network.clone());
    let is_closed = [&agent, &setup, &tests]
        .into_iter()
        .any(|one| *one != Network::Full);
    // One container has one network. Where not all phases have all of it, those that do reach it through the proxy.
    let through = |network: Network| match network {
        Network::Full if is_closed => Network::Allow(vec!["*".to_owned()]),
        other => other,
    };
    let with = SandboxChoice {
        network: through(agent),
        setup_network: Some(through(setup)),
        tests_network: Some(through(tests)),
        cpus: choice.cpus.or(contained.cpus),
        build_timeout_s: choice.build_timeout_s.or(Some(contained.build_timeout_s)),
        ..choice.clone()
    };
    (with, is_closed)
}

fn stricter(spec: &Network, task: &Network) -> Network {
    match (spec, task) {
        (Network::None, _) | (_, Network::None) => Network::None,
        (Network::Allow(places), _) => Network::Allow(places.clone()),
        (Network::Full, task) => task.clone(),
    }
}
