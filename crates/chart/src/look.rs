//! How shapes are painted as pixels: the rules of the style sheet, looked up by class.

use crate::text::SIZE;
use crate::theme::{Colors, DARK, DASHES, Ink, KINDS, LIGHT, SIZES, Theme, color_rules};

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
}

/// The size of a text.
pub(crate) fn text_size(class: &str) -> f64 {
    let own = SIZES.iter().find(|(name, _)| *name == class);
    own.map_or(SIZE, |(_, size)| *size)
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
    use crate::theme::{Ink, Theme};

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
