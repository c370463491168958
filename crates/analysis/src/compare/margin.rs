//! The smallest difference that matters, on the scale of a verdict.

/// How far below and above "no difference" it lies; both are above 0. In the metric's unit they are equal. As logarithms
/// they are not: a change of 10 % is `ln 0.9` downwards and `ln 1.1` upwards, and one distance for both would call a gain
/// of 9.5 % one of more than 10 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edges {
    pub(crate) below: f64,
    pub(crate) above: f64,
}

impl Edges {
    /// What every difference lies beyond.
    pub(crate) const NONE: Self = Self {
        below: 0.0,
        above: 0.0,
    };

    /// A size in the unit of the differences; none where it is not a size.
    pub(crate) fn of_difference(size: f64) -> Option<Self> {
        let is_size = size.is_finite() && size > 0.0;
        is_size.then_some(Self {
            below: size,
            above: size,
        })
    }

    /// A share of the control, where ratios are compared as logarithms. Nothing is less by all of it or more, so that
    /// such a share has no edge below.
    pub(crate) fn of_ratio(share: f64) -> Option<Self> {
        let is_share = share.is_finite() && share > 0.0;
        is_share.then(|| Self {
            below: if share < 1.0 {
                -(-share).ln_1p()
            } else {
                f64::INFINITY
            },
            above: share.ln_1p(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Edges;

    #[test]
    fn a_share_is_the_same_share_both_ways() {
        let edges = Edges::of_ratio(0.25).unwrap();
        assert!(((-edges.below).exp() - 0.75).abs() < 1e-15);
        assert!((edges.above.exp() - 1.25).abs() < 1e-15);
        assert_eq!(Edges::of_ratio(1.0).unwrap().below, f64::INFINITY);
        for none in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Edges::of_ratio(none), None);
            assert_eq!(Edges::of_difference(none), None);
        }
    }
}
