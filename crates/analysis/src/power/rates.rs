//! How many trials a difference of two pass rates needs.

use crate::error::AnalysisError;
use fairtrial_stats::Level;
use fairtrial_stats::planning::{
    ProportionPlan, ProportionPlanMethod, paired_proportions_sample_size, proportions_power,
    proportions_sample_size,
};
use serde::Serialize;

/// The pass rates that are expected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// Of the control.
    pub control: f64,
    /// Of the candidate.
    pub candidate: f64,
}

/// `0.4:0.5`.
pub fn parse_rates(text: &str) -> Result<Rates, String> {
    let rate = |text: &str| {
        let rate: Option<f64> = text.trim().parse().ok();
        rate.filter(|rate| *rate > 0.0 && *rate < 1.0)
    };
    let rates = text.split_once(':');
    let rates = rates.and_then(|(control, candidate)| Some((rate(control)?, rate(candidate)?)));
    let (control, candidate) = rates
        .ok_or_else(|| "two rates between 0 and 1, the control's first: 0.4:0.5".to_owned())?;
    if control == candidate {
        return Err("the two rates are the same: there is nothing to find".to_owned());
    }
    Ok(Rates { control, candidate })
}

/// What is asked about rates.
#[derive(Debug, Clone, PartialEq)]
pub struct RatesOptions {
    /// The share of tasks on which one arm alone passes; absent for arms with nothing in common.
    pub discordance: Option<f64>,
    /// The chance to find the difference.
    pub power: f64,
    /// Two-sided error rate.
    pub alpha: f64,
    /// Numbers of trials per arm whose power is shown.
    pub sizes: Vec<usize>,
}

/// How many trials it takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatesReport {
    /// Version of the JSON form.
    pub schema: u32,
    /// The rates.
    pub rates: Rates,
    /// Trials per arm where nothing is shared.
    pub unpaired: ProportionPlan,
    /// Tasks that both arms try once.
    pub paired: ProportionPlan,
    /// The share of tasks on which one arm alone passes that the pairs were planned with.
    pub discordance: f64,
    /// The chance to find it with so many trials per arm.
    pub points: Vec<RatesPoint>,
}

/// The chance at one number of trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatesPoint {
    /// Trials per arm.
    pub n: usize,
    /// The chance.
    pub power: f64,
}

/// Plans.
pub fn plan_rates(rates: Rates, options: &RatesOptions) -> Result<RatesReport, AnalysisError> {
    let level = Level::two_sided(options.alpha);
    let refused = |why: fairtrial_stats::Undefined| AnalysisError::Question(why.to_string());
    let Rates { control, candidate } = rates;
    let independent = control * (1.0 - candidate) + candidate * (1.0 - control);
    let discordance = options.discordance.unwrap_or(independent);
    let method = ProportionPlanMethod::Score;
    let unpaired = proportions_sample_size(control, candidate, method, options.power, level);
    let paired =
        paired_proportions_sample_size(discordance, candidate - control, options.power, level);
    let point = |n: &usize| {
        let power = proportions_power(control, candidate, *n as u64, level).map_err(refused)?;
        Ok(RatesPoint { n: *n, power })
    };
    Ok(RatesReport {
        schema: 1,
        rates,
        unpaired: unpaired.map_err(refused)?,
        paired: paired.map_err(refused)?,
        discordance,
        points: options
            .sizes
            .iter()
            .map(point)
            .collect::<Result<_, AnalysisError>>()?,
    })
}
