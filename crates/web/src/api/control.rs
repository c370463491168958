//! What changes a run. Nothing here is reached unless the server was started with control.

use super::error::{Answered, ApiError};
use super::state::Api;
use crate::http::{HttpMethod, HttpRequest, Response};
use fairtrial_journal::RunDir;
use fairtrial_session::{CancelWait, Controls};

pub(super) fn control(api: &Api, request: &HttpRequest) -> Answered {
    if request.method != HttpMethod::Post {
        let text = "ask for this with POST".to_owned();
        return Err(ApiError::Status(405, text));
    }
    let run = api.dir(request.query.text("run"))?;
    match request.query.text("do") {
        "cancel" => cancel(api, &run),
        "pause" => pause(api, &run, true),
        "continue" => pause(api, &run, false),
        "resume" => resume(api, &run),
        "priority" => Err(ApiError::Status(
            409,
            "the order of trials is drawn before the run begins, so that drift hits all arms alike: no trial is put \
             before another. Pause another run to give this one the machine."
                .to_owned(),
        )),
        other => Err(ApiError::Status(400, format!("{other} is not known here"))),
    }
}

fn cancel(api: &Api, run: &RunDir) -> Answered {
    api.session
        .cancel(run, CancelWait::No, &Controls::default())?;
    Ok(Response::plain(200, "the run was asked to stop"))
}

fn pause(api: &Api, run: &RunDir, paused: bool) -> Answered {
    api.session.pause(run, paused)?;
    Ok(Response::plain(
        200,
        if paused {
            "the run was asked to start nothing for now"
        } else {
            "the run goes on"
        },
    ))
}

fn resume(api: &Api, run: &RunDir) -> Answered {
    let started = api.session.resume_apart(run)?;
    Ok(Response::plain(200, &started))
}
