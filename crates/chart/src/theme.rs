//! How things look: colours by class, for light and dark pages.
//!
//! The series colours are those of Okabe and Ito, which people with any of the common kinds of colour blindness can
//! tell apart; on dark pages the dark ones are lightened.

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

struct Colors {
    page: &'static str,
    ink: &'static str,
    faint: &'static str,
    grid: &'static str,
    series: [&'static str; 6],
}

const LIGHT: Colors = Colors {
    page: "#ffffff",
    ink: "#1b1f24",
    faint: "#57606a",
    grid: "#d8dee4",
    series: [
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37a00", "#3a9bd9",
    ],
};

const DARK: Colors = Colors {
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
const DASHES: [&str; 6] = ["", "7 4", "2 3", "9 3 2 3", "4 2", "1 3"];

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
        ".{prefix} text {{ font-family: 'Noto Sans', system-ui, sans-serif; font-size: 12px; }}\n\
         .{prefix} .h {{ font-size: 17px; }}\n\
         .{prefix} .p {{ font-size: 14px; }}\n\
         .{prefix} .l {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}\n\
         .{prefix} .o {{ fill: none; stroke-width: 5; stroke-opacity: 0.75; stroke-linejoin: round; }}\n\
         .{prefix} .t {{ fill: none; stroke-width: 1; stroke-opacity: 0.25; stroke-linejoin: round; }}\n\
         .{prefix} .w {{ fill: none; stroke-width: 1.2; }}\n\
         .{prefix} .b {{ stroke: none; fill-opacity: 0.2; }}\n\
         .{prefix} .m {{ stroke: none; fill-opacity: 0.12; }}\n\
         .{prefix} .k {{ stroke: none; fill-opacity: 0.85; }}\n\
         .{prefix} .e {{ stroke: none; fill-opacity: 0.4; }}\n\
         .{prefix} .r {{ fill: none; stroke-width: 1.5; }}\n\
         .{prefix} .g {{ fill: none; stroke-width: 1; }}\n"
    );
    for (place, dash) in DASHES
        .iter()
        .enumerate()
        .filter(|(_, dash)| !dash.is_empty())
    {
        let _ = writeln!(css, ".{prefix} .d{place} {{ stroke-dasharray: {dash}; }}");
    }
    css
}

fn colors(prefix: &str, colors: &Colors) -> String {
    let Colors {
        page,
        ink,
        faint,
        grid,
        series,
    } = colors;
    let mut css = format!(
        ".{prefix} .bg {{ fill: {page}; }}\n\
         .{prefix} text {{ fill: {ink}; }}\n\
         .{prefix} .f {{ fill: {faint}; }}\n\
         .{prefix} .m {{ fill: {ink}; }}\n\
         .{prefix} .g {{ stroke: {grid}; }}\n\
         .{prefix} .o {{ stroke: {page}; }}\n\
         .{prefix} .x {{ stroke: {ink}; }}\n"
    );
    for (place, color) in series.iter().enumerate() {
        let _ = writeln!(
            css,
            ".{prefix} .s{place} {{ stroke: {color}; }}\n.{prefix} .c{place} {{ fill: {color}; }}"
        );
    }
    css
}
