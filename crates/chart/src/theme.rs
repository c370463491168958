//! How things look: colours and strokes by class, for light and dark pages, as a style sheet and for pixels.
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
const DASHES: [&[f32]; 6] = [
    &[],
    &[7.0, 4.0],
    &[2.0, 3.0],
    &[9.0, 3.0, 2.0, 3.0],
    &[4.0, 2.0],
    &[1.0, 3.0],
];

/// Sizes of text by class; every other class has [`SIZE`].
const SIZES: [(&str, f64); 2] = [("h", 17.0), ("p", 14.0)];

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
const KINDS: [(&str, Ink); 10] = [
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

/// How one shape is painted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub(crate) ink: Ink,
    pub(crate) color: Rgb,
    pub(crate) dash: &'static [f32],
}

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

impl Theme {
    /// Its colours on paper, which cannot follow anybody's setting.
    fn printed(self) -> &'static Colors {
        match self {
            Self::Auto | Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }

    /// The colour of the page.
    pub(crate) fn page(self) -> Rgb {
        rgb(self.printed().page)
    }

    /// How a shape of these classes is painted; the last class that says something wins, as in the style sheet.
    pub(crate) fn look(self, classes: &str) -> Look {
        let colors = self.printed();
        let mut look = Look {
            ink: Ink::Fill { opacity: 1.0 },
            color: rgb(colors.ink),
            dash: &[],
        };
        for class in classes.split(' ') {
            if let Some((_, ink)) = KINDS.iter().find(|(name, _)| *name == class) {
                look.ink = *ink;
            }
            let rules = color_rules(colors).into_iter();
            if let Some(rule) = rules.rev().find(|rule| rule.class == class) {
                look.color = rgb(rule.color);
            }
            let shape = class.strip_prefix('d').and_then(|shape| shape.parse().ok());
            if let Some(dash) = shape.and_then(|shape: usize| DASHES.get(shape)) {
                look.dash = dash;
            }
        }
        look
    }

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

/// The size of a text.
pub(crate) fn text_size(class: &str) -> f64 {
    let own = SIZES.iter().find(|(name, _)| *name == class);
    own.map_or(SIZE, |(_, size)| *size)
}

/// The colour of a class.
struct ColorRule {
    class: String,
    paints: &'static str,
    color: &'static str,
}

fn color_rules(colors: &Colors) -> Vec<ColorRule> {
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

/// A colour of ours, written `#rrggbb`.
fn rgb(color: &str) -> Rgb {
    let channel = |place: usize| {
        let digits = color.get(place..place + 2);
        digits.map_or(0, |digits| u8::from_str_radix(digits, 16).unwrap_or(0))
    };
    [channel(1), channel(3), channel(5)]
}

#[cfg(test)]
mod tests {
    use super::{Ink, Theme};

    #[test]
    fn pixels_and_style_sheet_say_the_same() {
        let look = Theme::Light.look("l s1 d1");
        assert_eq!(look.color, [0xd5, 0x5e, 0x00]);
        assert_eq!(look.dash, [7.0, 4.0]);
        assert!(matches!(look.ink, Ink::Stroke { width: 2.0, .. }));
        let css = Theme::Light.style("p");
        for rule in [
            ".p .l { fill: none; stroke-width: 2; stroke-linejoin: round; }",
            ".p .o { fill: none; stroke-width: 5; stroke-opacity: 0.75; stroke-linejoin: round; }",
            ".p .b { stroke: none; fill-opacity: 0.2; }",
            ".p .d1 { stroke-dasharray: 7 4; }",
            ".p .s1 { stroke: #d55e00; }",
        ] {
            assert!(css.contains(rule), "{rule} is not in {css}");
        }
        // An axis is a rule in the colour of the text.
        assert_eq!(Theme::Dark.look("g x").color, [0xe6, 0xed, 0xf3]);
        assert_eq!(Theme::Dark.look("").color, [0xe6, 0xed, 0xf3]);
        assert_eq!(Theme::Auto.look("f"), Theme::Light.look("f"));
    }
}
