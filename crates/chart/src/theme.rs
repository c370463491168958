//! How things look: colours and strokes by class, for light and dark pages.
//!
//! The series colours are those of Okabe and Ito, which people with any of the common kinds of colour blindness can
//! tell apart; on dark pages the dark ones are lightened.

use crate::text::SIZE;
use std::fmt::Write as _;

/// Which page a figure is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Follows the reader's setting, where the program that shows it knows one.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The class of figures that take their colours from the page.
pub(crate) const PAGE_CLASS: &str = "ft-chart";

pub(crate) struct Colors {
    pub(crate) page: &'static str,
    pub(crate) ink: &'static str,
    faint: &'static str,
    grid: &'static str,
    series: [&'static str; 6],
}

pub(crate) const LIGHT: Colors = Colors {
    page: "#ffffff",
    ink: "#1b1f24",
    faint: "#57606a",
    grid: "#d8dee4",
    series: [
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37a00", "#3a9bd9",
    ],
};

pub(crate) const DARK: Colors = Colors {
    page: "#0d1117",
    ink: "#e6edf3",
    faint: "#9da7b1",
    grid: "#30363d",
    series: [
        "#4db1e8", "#ff8c42", "#2fd3a0", "#e69fc7", "#f0b429", "#8ecdf5",
    ],
};

/// The same by the names of the page's variables.
const VARIABLES: Colors = Colors {
    page: "var(--ft-page)",
    ink: "var(--ft-ink)",
    faint: "var(--ft-faint)",
    grid: "var(--ft-grid)",
    series: [
        "var(--ft-s0)",
        "var(--ft-s1)",
        "var(--ft-s2)",
        "var(--ft-s3)",
        "var(--ft-s4)",
        "var(--ft-s5)",
    ],
};

/// Dash patterns by shape, so that colour is never the only difference.
pub(crate) const DASHES: [&[f32]; 6] = [
    &[],
    &[7.0, 4.0],
    &[2.0, 3.0],
    &[9.0, 3.0, 2.0, 3.0],
    &[4.0, 2.0],
    &[1.0, 3.0],
];

/// Sizes of text by class; every other class has [`SIZE`].
pub(crate) const SIZES: [(&str, f64); 2] = [("h", 17.0), ("p", 14.0)];

/// Whether a shape is a line or an area, and how strong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ink {
    /// A line of this width.
    Stroke {
        width: f32,
        opacity: f32,
        join: Join,
    },
    /// An area.
    Fill { opacity: f32 },
}

/// How the parts of a line meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    Miter,
    Round,
}

/// A line without transparency.
const fn stroke(width: f32, join: Join) -> Ink {
    Ink::Stroke {
        width,
        opacity: 1.0,
        join,
    }
}

/// The kinds of shapes by class.
pub(crate) const KINDS: [(&str, Ink); 10] = [
    ("l", stroke(2.0, Join::Round)),
    (
        "o",
        Ink::Stroke {
            width: 5.0,
            opacity: 0.75,
            join: Join::Round,
        },
    ),
    (
        "t",
        Ink::Stroke {
            width: 1.0,
            opacity: 0.25,
            join: Join::Round,
        },
    ),
    ("w", stroke(1.2, Join::Miter)),
    ("b", Ink::Fill { opacity: 0.2 }),
    ("m", Ink::Fill { opacity: 0.12 }),
    ("k", Ink::Fill { opacity: 0.85 }),
    ("e", Ink::Fill { opacity: 0.4 }),
    ("r", stroke(1.5, Join::Miter)),
    ("g", stroke(1.0, Join::Miter)),
];

impl Theme {
    /// The style sheet; classes carry the figure's own prefix, so that figures on one page do not mix.
    pub(crate) fn style(self, prefix: &str) -> String {
        let shared = shared(prefix);
        match self {
            Self::Light => shared + &colors(prefix, &LIGHT),
            Self::Dark => shared + &colors(prefix, &DARK),
            Self::Auto => {
                let dark = colors(prefix, &DARK);
                let light = colors(prefix, &LIGHT);
                format!("{shared}{light}@media (prefers-color-scheme: dark) {{ {dark}}}\n")
            }
        }
    }
}

/// The style sheet of a page with figures: its colours as variables (`--ft-page`, `--ft-ink`, `--ft-faint`,
/// `--ft-grid`, `--ft-s0` to `--ft-s5`) that follow the reader's light or dark setting, and the rules of the figures.
pub fn page_style() -> String {
    format!(
        ":root {{ color-scheme: light dark; {}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {}}} }}\n{}{}",
        variables(&LIGHT),
        variables(&DARK),
        shared(PAGE_CLASS),
        colors(PAGE_CLASS, &VARIABLES)
    )
}

fn variables(colors: &Colors) -> String {
    let Colors {
        page,
        ink,
        faint,
        grid,
        series,
    } = colors;
    let mut css =
        format!("--ft-page: {page}; --ft-ink: {ink}; --ft-faint: {faint}; --ft-grid: {grid}; ");
    for (place, color) in series.iter().enumerate() {
        let _ = write!(css, "--ft-s{place}: {color}; ");
    }
    css
}

/// What does not depend on the page.
fn shared(prefix: &str) -> String {
    let mut css = format!(
        ".{prefix} text {{ font-family: 'Noto Sans', system-ui, sans-serif; font-size: {SIZE}px; }}\n"
    );
    for (class, size) in SIZES {
        let _ = writeln!(css, ".{prefix} .{class} {{ font-size: {size}px; }}");
    }
    for (class, ink) in KINDS {
        let _ = write!(css, ".{prefix} .{class} {{ ");
        let (paints, opacity) = match ink {
            Ink::Stroke { width, opacity, .. } => {
                let _ = write!(css, "fill: none; stroke-width: {width}; ");
                ("stroke", opacity)
            }
            Ink::Fill { opacity } => {
                css.push_str("stroke: none; ");
                ("fill", opacity)
            }
        };
        if opacity < 1.0 {
            let _ = write!(css, "{paints}-opacity: {opacity}; ");
        }
        if let Ink::Stroke {
            join: Join::Round, ..
        } = ink
        {
            css.push_str("stroke-linejoin: round; ");
        }
        css.push_str("}\n");
    }
    let dashes = DASHES.iter().enumerate();
    for (place, dash) in dashes.filter(|(_, dash)| !dash.is_empty()) {
        let lengths: Vec<String> = dash.iter().map(f32::to_string).collect();
        let _ = writeln!(
            css,
            ".{prefix} .d{place} {{ stroke-dasharray: {}; }}",
            lengths.join(" ")
        );
    }
    css
}

/// The colour of a class.
pub(crate) struct ColorRule {
    pub(crate) class: String,
    paints: &'static str,
    pub(crate) color: &'static str,
}

pub(crate) fn color_rules(colors: &Colors) -> Vec<ColorRule> {
    let rule = |class: &str, paints, color| ColorRule {
        class: class.to_owned(),
        paints,
        color,
    };
    let mut rules = vec![
        rule("bg", "fill", colors.page),
        rule("f", "fill", colors.faint),
        rule("m", "fill", colors.ink),
        rule("g", "stroke", colors.grid),
        rule("o", "stroke", colors.page),
        rule("x", "stroke", colors.ink),
    ];
    for (place, color) in colors.series.iter().enumerate() {
        rules.push(rule(&format!("s{place}"), "stroke", color));
        rules.push(rule(&format!("c{place}"), "fill", color));
    }
    rules
}

fn colors(prefix: &str, colors: &Colors) -> String {
    let mut css = format!(".{prefix} text {{ fill: {}; }}\n", colors.ink);
    for ColorRule {
        class,
        paints,
        color,
    } in color_rules(colors)
    {
        let _ = writeln!(css, ".{prefix} .{class} {{ {paints}: {color}; }}");
    }
    css
}
