//! The drivers inside of trials: which there are, and how they are asked.

use crate::exit::Exit;
use crate::trial_log::broken;
use crate::{agents, experiment};
use fairtrial_agent::sandbox::listen_inside;
use fairtrial_trial::Inner;
use serde::de::DeserializeOwned;

/// What this binary is inside of a trial, by the first argument.
pub(crate) const DRIVERS: &[Inner] = &[
    Inner {
        name: "__experiment",
        main: |arguments| asked(arguments, experiment::run),
    },
    Inner {
        name: "__rollout",
        main: |arguments| asked(arguments, agents::roll_out),
    },
    Inner {
        name: "__score",
        main: |arguments| asked(arguments, agents::rescore),
    },
    Inner {
        name: "__listen",
        main: |arguments| match listen_inside(arguments) {
            Ok(()) => Exit::Fine.code(),
            Err(message) => broken(&message).code(),
        },
    },
];

/// A driver, asked by the file with what all trials of a task share, and the argument with what is the trial's own.
fn asked<T: DeserializeOwned, O: DeserializeOwned>(
    arguments: &[String],
    drive: fn(&T, &O) -> Exit,
) -> u8 {
    let exit = match requests(arguments) {
        Ok((task, trial)) => drive(&task, &trial),
        Err(message) => broken(&message),
    };
    exit.code()
}

fn requests<T: DeserializeOwned, O: DeserializeOwned>(
    arguments: &[String],
) -> Result<(T, O), String> {
    let [task, trial] = arguments else {
        return Err("a driver takes the file of its task and its trial".to_owned());
    };
    let text = std::fs::read(task).map_err(|error| format!("{task}: {error}"))?;
    let task = serde_json::from_slice(&text).map_err(|error| format!("{task}: {error}"))?;
    let trial = serde_json::from_str(trial).map_err(|error| format!("the trial: {error}"))?;
    Ok((task, trial))
}
