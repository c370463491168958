//! Trials page by page, one of them whole, and what it wrote.

use super::error::{Answered, ApiError};
use super::state::Api;
use crate::http::{Query, Response};
use fairtrial_chart::Layout;
use fairtrial_chart::charts::{self, Curve, Curves, Heading};
use fairtrial_session::{RowOrder, RowQuery, SeriesPoints, TrialDetail};
use serde::Serialize;

pub(super) fn trials(api: &Api, query: &Query) -> Answered {
    let run = api.run(query)?;
    let asked = RowQuery {
        words: query.text("q").to_owned(),
        status: query.text("status").to_owned(),
        arm: query.text("arm").to_owned(),
        task: query.text("task").to_owned(),
        order: RowOrder::of(query.text("sort")),
        backwards: query.text("desc") == "1",
    };
    let mut view = run.look()?;
    let live = view.is_live()?;
    let (from, most) = (
        query.get("offset").unwrap_or(0),
        query.get("limit").unwrap_or(100),
    );
    Ok(Response::json(&view.rows(&asked, live, from, most)))
}

/// A trial with its curves drawn.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    detail: TrialDetail,
    charts: Vec<String>,
}

pub(super) fn trial(api: &Api, query: &Query) -> Answered {
    let run = api.run(query)?;
    let view = run.look()?;
    let (trial, attempt) = which(query)?;
    let mut detail = view.trial(trial, attempt, view.is_live()?)?;
    let series = std::mem::take(&mut detail.series);
    let charts = series.iter().map(|series| drawn(series, &detail.label));
    Ok(Response::json(&Shown {
        charts: charts.collect(),
        detail,
    }))
}

/// One curve as a picture of the page.
fn drawn(series: &SeriesPoints, label: &str) -> String {
    let points = series.points.iter();
    let figure = charts::curves(&Curves {
        heading: Heading {
            title: series.metric.clone(),
            subtitle: label.to_owned(),
            notes: Vec::new(),
        },
        step: "step".to_owned(),
        value: series.metric.clone(),
        band: String::new(),
        arms: vec![Curve {
            name: series.arm.clone().unwrap_or_default(),
            runs: 1,
            mean: points
                .map(|(step, value)| [*step, f64::NAN, *value, f64::NAN])
                .collect(),
            traces: Vec::new(),
        }],
    });
    figure.svg_in(&Layout::in_page())
}

pub(super) fn text(api: &Api, query: &Query) -> Answered {
    let run = api.run(query)?;
    let view = run.look()?;
    let (trial, attempt) = which(query)?;
    let attempt = attempt.unwrap_or_else(|| view.state().trial(trial).started.max(1));
    let part = view.file_part((trial, attempt), query.text("path"), query.get("from"))?;
    Ok(Response::json(&part))
}

pub(super) fn file(api: &Api, query: &Query) -> Answered {
    let run = api.run(query)?;
    let view = run.look()?;
    let (trial, attempt) = which(query)?;
    let attempt = attempt.unwrap_or_else(|| view.state().trial(trial).started.max(1));
    let path = query.text("path");
    let (file, size) = view.file(trial, attempt, path)?;
    Ok(Response::file(file, size, path))
}

fn which(query: &Query) -> Result<(u64, Option<u32>), ApiError> {
    let trial = query.get("trial");
    let trial = trial.ok_or_else(|| ApiError::Status(400, "which trial?".to_owned()))?;
    Ok((trial, query.get("attempt")))
}
