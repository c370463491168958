//! The flags about which part of a learning curve an area is taken over.

use super::choices::switch;
use clap::ValueEnum;
use fairtrial_analysis::curves::{DEFAULT_PERCENT, SummaryWindow};
use fairtrial_stats::series::Scale;

/// Which part of a curve counts.
#[derive(Debug, clap::Args)]
pub(super) struct WindowArgs {
    /// Share of the curve that an area is taken over [default: 0.25, unless steps are given]
    #[arg(long = "summary.percent", value_name = "SHARE", conflicts_with_all = ["step_min", "step_max"])]
    percent: Option<f64>,
    /// At which end [default: last]
    #[arg(long = "summary.percent_window", value_enum, conflicts_with_all = ["step_min", "step_max"])]
    percent_window: Option<EndChoice>,
    /// What the share is one of: logged points (each run by itself), or the steps that all runs have [default: points]
    #[arg(long = "summary.share_of", value_enum, conflicts_with_all = ["step_min", "step_max"])]
    share_of: Option<ShareChoice>,
    /// First step that counts
    #[arg(long = "summary.step_min", value_name = "STEP", requires = "step_max")]
    step_min: Option<f64>,
    /// Last step that counts
    #[arg(long = "summary.step_max", value_name = "STEP", requires = "step_min")]
    step_max: Option<f64>,
    /// Divide an area by its width in steps [default: true]
    #[arg(long = "summary.normalize_steps", value_parser = switch, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    normalize_steps: Option<bool>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EndChoice {
    Last,
    First,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShareChoice {
    Points,
    Steps,
}

impl WindowArgs {
    /// The first of these flags that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("percent", self.percent.is_some()),
            ("percent_window", self.percent_window.is_some()),
            ("share_of", self.share_of.is_some()),
            ("step_min", self.step_min.is_some()),
            ("normalize_steps", self.normalize_steps.is_some()),
        ];
        let mut given = flags.into_iter().filter(|(_, given)| *given);
        given.next().map(|(name, _)| name)
    }

    pub(super) fn window(&self) -> SummaryWindow {
        let share = self.percent.unwrap_or(DEFAULT_PERCENT);
        match (
            self.step_min,
            self.step_max,
            self.share_of.unwrap_or(ShareChoice::Points),
            self.percent_window.unwrap_or(EndChoice::Last),
        ) {
            (Some(min), Some(max), _, _) => SummaryWindow::Steps { min, max },
            (_, _, ShareChoice::Points, EndChoice::Last) => SummaryWindow::LastPoints(share),
            (_, _, ShareChoice::Points, EndChoice::First) => SummaryWindow::FirstPoints(share),
            (_, _, ShareChoice::Steps, EndChoice::Last) => SummaryWindow::LastSteps(share),
            (_, _, ShareChoice::Steps, EndChoice::First) => SummaryWindow::FirstSteps(share),
        }
    }

    pub(super) fn scale(&self) -> Scale {
        if self.normalize_steps.unwrap_or(true) {
            Scale::Normalised
        } else {
            Scale::Raw
        }
    }
}
