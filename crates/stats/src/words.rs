//! Numbers as a reader wants them in a sentence.

/// Four significant digits, without an exponent where the size allows it.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let size = x.abs();
    if !(1e-4..1e7).contains(&size) {
        return format!("{x:.3e}");
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A p value: "p = 0.031", or "p < 0.0001" where more digits would say nothing.
pub(crate) fn p_value(p: f64) -> String {
    if p < 1e-4 {
        "p < 0.0001".into()
    } else {
        format!("p = {}", number(p))
    }
}

/// "1 pair", "15 pairs".
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Evidence in words: whether the interval of an effect leaves zero outside.
pub(crate) fn against(zero: f64, interval: &crate::Interval) -> &'static str {
    if interval.contains(zero) {
        "no difference is among the plausible values"
    } else {
        "no difference is ruled out"
    }
}
