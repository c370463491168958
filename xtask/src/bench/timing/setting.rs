//! Where, by what and for how long two commands are compared, and what the right answer is.

use super::claims::Claim;

/// The smallest difference that matters to `fairtrial bench`, where none is named.
const MARGIN: f64 = 0.01;

/// One row of the table.
pub(super) struct Setting {
    /// What `--only` takes.
    pub(super) name: String,
    /// Whether two other programs keep the same CPUs busy.
    pub(super) loaded: bool,
    pub(super) metric: &'static str,
    /// How long a comparison may take.
    pub(super) seconds: f64,
    pub(super) slowdown: f64,
    /// What is asked of us, where something is.
    pub(super) bar: &'static str,
}

impl Setting {
    /// Every setting, of those that begin with one of these names.
    pub(super) fn all(only: &[String]) -> Vec<Self> {
        let places = [
            ("quiet-wall", false, "wall", 10.0),
            ("quiet-cpu", false, "cpu", 10.0),
            ("loaded-wall", true, "wall", 20.0),
            ("loaded-cpu", true, "cpu", 5.0),
        ];
        let of = |(place, loaded, metric, seconds): (&str, bool, &'static str, f64)| {
            [0_u8, 1, 2].map(|percent| Self {
                name: format!("{place}-{percent}"),
                loaded,
                metric,
                seconds,
                slowdown: f64::from(percent) / 100.0,
                bar: match (place, percent) {
                    (_, 0) => "at most 5 % wrong",
                    ("quiet-wall" | "loaded-cpu", 1) | ("loaded-wall", 2) => "90 % right",
                    _ => "-",
                },
            })
        };
        let all = places.into_iter().flat_map(of);
        let wanted = |setting: &Self| {
            only.is_empty() || only.iter().any(|name| setting.name.starts_with(&**name))
        };
        all.filter(wanted).collect()
    }

    /// Whether the two commands are the same one.
    pub(super) fn is_same(&self) -> bool {
        self.slowdown == 0.0
    }

    /// Counts a claim: right, wrong or undecided. That a slowdown of 1 % is not above 1 % is true, and not the answer.
    pub(super) fn judge(&self, claim: Claim) -> Judged {
        match claim {
            Claim::Slower if !self.is_same() => Judged::Right,
            Claim::Slower | Claim::Faster => Judged::Wrong,
            Claim::Equivalent if self.is_same() => Judged::Right,
            Claim::Equivalent if self.slowdown > MARGIN => Judged::Wrong,
            Claim::Equivalent | Claim::Nothing => Judged::Undecided,
        }
    }
}

/// What a claim is worth.
#[derive(Clone, Copy)]
pub(super) enum Judged {
    Right,
    Wrong,
    Undecided,
}
