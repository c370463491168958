//! Gauss-Legendre quadrature over panels, for the distributions that are defined by an integral.

/// Nodes and weights on `[-1, 1]`.
#[derive(Debug, Clone)]
pub(crate) struct GaussLegendre {
    points: Vec<(f64, f64)>,
}

impl GaussLegendre {
    /// The rule with `n` nodes, by Newton on the Legendre polynomial.
    pub(crate) fn new(n: u32) -> Self {
        let points = (0..n).map(|i| node(i, n)).collect();
        Self { points }
    }

    /// The integral of `f` from `lo` to `hi`, split into `panels` equal parts.
    pub(crate) fn integrate(
        &self,
        lo: f64,
        hi: f64,
        panels: u32,
        mut f: impl FnMut(f64) -> f64,
    ) -> f64 {
        let half = (hi - lo) / f64::from(panels) / 2.0;
        let mut sum = 0.0;
        for panel in 0..panels {
            let centre = lo + half * (2.0 * f64::from(panel) + 1.0);
            sum += self
                .points
                .iter()
                .map(|(x, w)| w * f(centre + half * x))
                .sum::<f64>();
        }
        sum * half
    }
}

fn node(i: u32, n: u32) -> (f64, f64) {
    let size = f64::from(n);
    let mut x = (std::f64::consts::PI * (f64::from(i) + 0.75) / (size + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..100 {
        let (mut p1, mut p0) = (1.0, 0.0);
        for j in 0..n {
            let j = f64::from(j);
            (p1, p0) = (((2.0 * j + 1.0) * x * p1 - j * p0) / (j + 1.0), p1);
        }
        slope = size * (x * p1 - p0) / (x * x - 1.0);
        let step = p1 / slope;
        x -= step;
        if step.abs() < 1e-15 {
            break;
        }
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
}
