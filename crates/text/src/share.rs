//! Shares and probabilities for people: rounded, but never to something else than the truth beside them.

use crate::number::{NumberFormat, ROUNDING, decimals};
use crate::significant::trimmed;

/// Percents below this would show as zero.
const SMALLEST_CHANGE: f64 = 0.005;
/// Below this a p value is only said to be small.
const SMALLEST_P: f64 = 1e-4;
/// Decimals of a p value that is told from a level that it is close to.
const MOST_P_DECIMALS: usize = 6;

/// A share as percent with a sign, for changes: `+2.4 %`. A small one keeps its size: zero beside a verdict would be read
/// as no change.
pub fn change(share: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < SMALLEST_CHANGE && percent.abs() > ROUNDING {
        return format!("{} %", NumberFormat::Scientific(1).signed(percent));
    }
    let format = NumberFormat::Fixed(if percent.abs() < 10.0 { 2 } else { 1 });
    format!("{} %", format.signed(percent))
}

/// A share as percent with three digits at most: `2 %`, `0.925 %`, `> 99.9 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    // Rounding would take the last digit away from what is nearly all.
    let nearly_all = percent > 99.0 && percent < 100.0;
    let text = percent_to(share, if nearly_all { 1 } else { decimals(percent, 3) });
    format!("{} %", trimmed(text.trim_end_matches(" %")))
}

/// A share as percent with so many decimals: `> 99 %` and not `100 %`, `< 1 %` and not `0 %`, unless it is just that.
pub fn percent_to(share: f64, decimals: usize) -> String {
    let percent = NumberFormat::Fixed(decimals).number(100.0 * share);
    let last = 10f64.powi(-(decimals as i32));
    let is = |round: f64| percent.parse::<f64>().is_ok_and(|shown| shown == round);
    let within = share > 0.0 && share < 1.0;
    if within && is(100.0) {
        format!("> {:.decimals$} %", 100.0 - last)
    } else if within && is(0.0) {
        format!("< {last:.decimals$} %")
    } else {
        format!("{percent} %")
    }
}

/// A probability that was estimated, with so many decimals: it is never certain, whatever the number says.
pub fn chance(probability: f64, decimals: usize) -> String {
    percent_to(
        probability.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON),
        decimals,
    )
}

/// A level as percent, with two digits of what is missing to certainty: `95 %`, `99.17 %`.
pub fn level(alpha: f64) -> String {
    let missing = (100.0 * alpha).abs().max(1e-6);
    let digits = (1.0 - missing.log10().floor()).clamp(0.0, 8.0) as usize;
    format!(
        "{} %",
        trimmed(&format!("{:.digits$}", 100.0 * (1.0 - alpha)))
    )
}

/// The one level that all these intervals have; none where they differ, or where there is none.
pub fn common_level(alphas: impl IntoIterator<Item = f64>) -> Option<String> {
    let mut levels = alphas.into_iter().map(level);
    let first = levels.next()?;
    levels.all(|other| other == first).then_some(first)
}

/// A p value in a cell: `0.031`, `< 0.0001`. One that is close to a round level is told from it: 0.0496 is not `0.050`.
pub fn p_cell(p: f64) -> String {
    if p < SMALLEST_P {
        return format!("< {SMALLEST_P}");
    }
    let places = decimals(p, 2).clamp(2, 4);
    let shown = |places: usize| NumberFormat::Fixed(places).number(p);
    let is_level = |text: &String| {
        let round = text.parse::<f64>().unwrap_or(p);
        round != p
            && round <= 0.1
            && text
                .bytes()
                .filter(|byte| (b'1'..=b'9').contains(byte))
                .count()
                <= 1
    };
    let apart = (places..=MOST_P_DECIMALS)
        .map(shown)
        .find(|text| !is_level(text));
    apart.unwrap_or_else(|| shown(places))
}

/// A p value in a sentence: `p = 0.031`, `p < 0.0001`.
pub fn p_value(p: f64) -> String {
    let cell = p_cell(p);
    let equals = if cell.starts_with('<') { "" } else { "= " };
    format!("p {equals}{cell}")
}

#[cfg(test)]
mod tests {
    use super::{chance, change, common_level, level, p_cell, p_value, percent, percent_to};
    use proptest::prelude::*;

    #[test]
    fn a_level_is_named_where_it_is_that_of_all() {
        assert_eq!(common_level([0.05, 0.05]).as_deref(), Some("95 %"));
        assert_eq!(common_level([0.05, 0.025]), None);
        assert_eq!(common_level([]), None);
        assert_eq!(level(0.05), "95 %");
    }

    #[test]
    fn changes_keep_their_sign_and_size() {
        assert_eq!(change(0.024), "+2.40 %");
        assert_eq!(change(-0.273), "-27.3 %");
        assert_eq!(change(1.2e-9), "+1.2e-7 %");
        assert_eq!(change(0.0), "0.00 %");
    }

    #[test]
    fn only_certainty_is_a_hundred_percent() {
        assert_eq!(percent(0.02), "2 %");
        assert_eq!(percent(0.009_249), "0.925 %");
        assert_eq!(percent(1.5), "150 %");
        assert_eq!(percent(0.999_6), "> 99.9 %");
        assert_eq!((percent(1.0), percent(0.0)), ("100 %".into(), "0 %".into()));
        assert_eq!(percent_to(0.999, 0), "> 99 %");
        assert_eq!(percent_to(0.001, 0), "< 1 %");
        assert_eq!(percent_to(0.999_7, 1), "> 99.9 %");
        assert_eq!(percent_to(0.853, 1), "85.3 %");
        assert_eq!(percent_to(1.0, 0), "100 %");
        assert_eq!(percent_to(0.8, 1), "80.0 %");
        assert_eq!(
            (chance(1.0, 0), chance(0.0, 1)),
            ("> 99 %".into(), "< 0.1 %".into())
        );
        assert_eq!(chance(f64::NAN, 0), "NaN %");
    }

    #[test]
    fn a_p_value_is_never_zero_and_never_a_level_that_it_is_not() {
        assert_eq!(p_value(0.031_4), "p = 0.031");
        assert_eq!(p_value(0.5), "p = 0.50");
        assert_eq!(p_value(1e-9), "p < 0.0001");
        assert_eq!(p_cell(0.05), "0.050");
        assert_eq!(p_cell(0.049_6), "0.0496");
        assert_eq!(p_cell(0.050_03), "0.05003");
        assert_eq!(p_cell(0.000_96), "0.00096");
        assert_eq!(p_cell(1.0), "1.00");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_on_the_right_side_of_a_level(p in 0.0..0.2f64, place in 0usize..4) {
            let alpha = [0.05, 0.01, 0.1, 0.001][place];
            let shown: f64 = p_cell(p).trim_start_matches("< ").parse().unwrap();
            // Closer than any reader looks, the digits may end.
            if p >= 1e-4 && (p - alpha).abs() > 1e-6 {
                prop_assert_eq!(shown < alpha, p < alpha, "{} {}", p, shown);
            }
        }

        #[test]
        fn only_all_and_nothing_are_shown_as_such(share in 1e-12..1.0f64, places in 0usize..4) {
            for text in [percent(share), percent_to(share, places)] {
                prop_assert!(text != "100 %" && text != "0 %", "{share} {text}");
            }
        }
    }
}
