//! Small systems of normal equations: sums of weighted products, and their solution with the inverse.

/// `X'WX` and `X'Wy` of a regression with `P` columns.
#[derive(Debug, Clone)]
pub(crate) struct Normal<const P: usize> {
    pub(crate) matrix: [[f64; P]; P],
    pub(crate) right: [f64; P],
}

impl<const P: usize> Default for Normal<P> {
    fn default() -> Self {
        Self {
            matrix: [[0.0; P]; P],
            right: [0.0; P],
        }
    }
}

impl<const P: usize> Normal<P> {
    /// Adds one row with its outcome and weight (which may be negative, to take a rank-one part away).
    pub(crate) fn add(&mut self, row: [f64; P], y: f64, weight: f64) {
        for (i, a) in row.iter().enumerate() {
            self.right[i] += weight * a * y;
            for (j, b) in row.iter().enumerate() {
                self.matrix[i][j] += weight * a * b;
            }
        }
    }
}

/// The solution of a regression.
#[derive(Debug, Clone)]
pub(crate) struct Fit<const P: usize> {
    pub(crate) coefficients: [f64; P],
    pub(crate) inverse: [[f64; P]; P],
    pub(crate) log_determinant: f64,
}

/// Solves by Gauss-Jordan elimination with pivoting; `None` for a singular (or non-finite) system.
pub(crate) fn solve<const P: usize>(normal: &Normal<P>) -> Option<Fit<P>> {
    let mut a = normal.matrix;
    let mut inverse = [[0.0; P]; P];
    for (i, row) in inverse.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    let scale = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut log_determinant = 0.0;
    for column in 0..P {
        let pivot =
            (column..P).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs()))?;
        a.swap(column, pivot);
        inverse.swap(column, pivot);
        let size = a[column][column];
        if !size.is_finite() || size.abs() <= 1e-13 * scale {
            return None;
        }
        log_determinant += size.abs().ln();
        eliminate(&mut a, &mut inverse, column, size);
    }
    let mut coefficients = [0.0; P];
    for (c, row) in coefficients.iter_mut().zip(&inverse) {
        *c = row.iter().zip(&normal.right).map(|(v, r)| v * r).sum();
    }
    Some(Fit {
        coefficients,
        inverse,
        log_determinant,
    })
}

fn eliminate<const P: usize>(
    a: &mut [[f64; P]; P],
    inverse: &mut [[f64; P]; P],
    column: usize,
    pivot: f64,
) {
    for j in 0..P {
        a[column][j] /= pivot;
        inverse[column][j] /= pivot;
    }
    let (top, top_inverse) = (a[column], inverse[column]);
    for i in (0..P).filter(|i| *i != column) {
        let factor = a[i][column];
        for j in 0..P {
            a[i][j] -= factor * top[j];
            inverse[i][j] -= factor * top_inverse[j];
        }
    }
}
