//! Every chart: its structure, that no text overlaps another or leaves the page, and that a picture comes of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod gallery;

use fairtrial_chart::charts::{Forest, ForestRow, forest};
use fairtrial_chart::{Figure, Layout, Theme};
use std::collections::BTreeMap;

/// Texts in order, and how many marks of each kind: what a person would see, without the coordinates.
fn structure(figure: &Figure) -> String {
    let svg = figure.svg(Theme::Light);
    let mut texts = Vec::new();
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    for line in svg.lines() {
        if let Some((_, rest)) = line.split_once("<text ") {
            let text = rest.split_once('>').map_or("", |(_, rest)| rest);
            texts.push(text.trim_end_matches("</text>").to_owned());
        } else if line.starts_with("<path") || line.starts_with("<circle") {
            let kind = line.split_once(' ').map_or("", |(kind, _)| kind);
            let class = line
                .rsplit("class=\"")
                .next()
                .and_then(|rest| rest.split('"').next());
            *classes
                .entry(format!("{kind} {}", class.unwrap_or("")))
                .or_default() += 1;
        }
    }
    let marks: Vec<String> = classes
        .iter()
        .map(|(class, n)| format!("{n} × {class}>"))
        .collect();
    format!(
        "description: {}\n\ntexts:\n{}\n\nmarks:\n{}\n",
        figure.description,
        texts.join("\n"),
        marks.join("\n")
    )
}

#[test]
fn structure_of_every_chart() {
    for (name, figure) in gallery::figures() {
        insta::assert_snapshot!(name, structure(&figure));
    }
}

/// Where a text stands: left, top, right, bottom.
type Box = [f64; 4];

/// The font that pictures are drawn with.
const FONT: &[u8] = include_bytes!("../font/NotoSans-Regular.ttf");

/// The value of an attribute.
fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
    let value = tag.split_once(&format!("{name}=\""));
    value
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("", |(value, _)| value)
}

/// The boxes of all texts, as the font draws them.
fn text_boxes(svg: &str) -> Vec<(String, Box)> {
    let font = ttf_parser::Face::parse(FONT, 0).unwrap();
    let em = f64::from(font.units_per_em());
    let advance = |c| font.glyph_hor_advance(font.glyph_index(c)?);
    let lines = svg.lines().filter(|line| line.starts_with("<text "));
    lines
        .map(|line| {
            let (tag, rest) = line.split_once('>').unwrap();
            // The whole name behind a short one is not drawn.
            let drawn = rest.split_once("</title>").map_or(rest, |(_, drawn)| drawn);
            let words = drawn.trim_end_matches("</text>").replace("&lt;", "<");
            let words = words.replace("&gt;", ">").replace("&amp;", "&");
            let size = match attribute(tag, "class") {
                "h" => 17.0,
                "p" => 14.0,
                _ => 12.0,
            };
            let units: u32 = words
                .chars()
                .map(|c| u32::from(advance(c).unwrap_or(1000)))
                .sum();
            let width = f64::from(units) * size / em;
            let [x, y] =
                ["x", "y"].map(|name| attribute(tag, &format!(" {name}")).parse::<f64>().unwrap());
            let left = match attribute(tag, "text-anchor") {
                "middle" => -width / 2.0,
                "end" => -width,
                _ => 0.0,
            };
            let (above, below) = (
                f64::from(font.ascender()) * size / em,
                -f64::from(font.descender()) * size / em,
            );
            let place = if tag.contains("rotate(-90") {
                [x - above, y - left - width, x + below, y - left]
            } else {
                [x + left, y - above, x + left + width, y + below]
            };
            (words, place)
        })
        .collect()
}

fn overlap(a: &Box, b: &Box) -> bool {
    // Line boxes hold the room above and below letters; that much may touch.
    let slack = 4.0;
    a[0] + 0.5 < b[2] && b[0] + 0.5 < a[2] && a[1] + slack < b[3] && b[1] + slack < a[3]
}

fn check_texts(name: &str, svg: &str) {
    let [width, height] =
        ["width", "height"].map(|name| attribute(svg, name).parse::<f64>().unwrap());
    let boxes = text_boxes(svg);
    assert!(!boxes.is_empty(), "{name} has no text");
    for (place, (words, of)) in boxes.iter().enumerate() {
        let inside = of[0] >= 0.0 && of[1] >= 0.0 && of[2] <= width && of[3] <= height;
        assert!(inside, "{name}: `{words}` leaves the page: {of:?}");
        for (other, box_of_other) in &boxes[place + 1..] {
            assert!(
                !overlap(of, box_of_other),
                "{name}: `{words}` {of:?} overlaps `{other}` {box_of_other:?}"
            );
        }
    }
}

#[test]
fn no_text_overlaps_another_or_leaves_the_page() {
    for (name, figure) in gallery::figures() {
        check_texts(name, &figure.svg(Theme::Dark));
        check_texts(name, &figure.svg_in(&Layout::in_page()));
    }
}

#[test]
fn long_lines_are_thinned_and_pictures_come_in_both_themes() {
    for (name, figure) in gallery::figures() {
        let svg = figure.svg(Theme::Auto);
        assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{name}");
        let [light, dark] =
            [Theme::Light, Theme::Dark].map(|theme| figure.png(theme, 1.0).unwrap());
        assert!(light.starts_with(b"\x89PNG") && light != dark, "{name}");
    }
    let figures: BTreeMap<&str, Figure> = gallery::figures().into_iter().collect();
    let long = figures["curves-10000-points"].svg_in(&Layout::in_page());
    assert!(long.len() < 400_000, "{} bytes", long.len());
    assert!(long.contains("class=\"ft-chart\"") && !long.contains("<style>"));
}

/// Width, height, and how many pixels have each colour.
fn pixels(bytes: &[u8]) -> (u32, u32, BTreeMap<[u8; 3], usize>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    let mut colors = BTreeMap::new();
    for pixel in rgb.chunks_exact(3) {
        *colors.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
    }
    (info.width, info.height, colors)
}

#[test]
fn a_picture_has_the_size_and_the_colours_of_the_drawing() {
    let figures: BTreeMap<&str, Figure> = gallery::figures().into_iter().collect();
    let forest = &figures["forest"];
    let svg = forest.svg(Theme::Light);
    for scale in [1.0, 2.0] {
        let (width, height, colors) = pixels(&forest.png(Theme::Light, scale).unwrap());
        let unit = |name| attribute(&svg, name).parse::<f32>().unwrap() * scale;
        assert_eq!(width, unit("width").ceil() as u32);
        assert_eq!(height, unit("height").ceil() as u32);
        let of = |color: [u8; 3]| colors.get(&color).copied().unwrap_or(0);
        let all = (width * height) as usize;
        assert!(of([0xff; 3]) > all / 2, "the page is white");
        for (what, color) in [
            ("letters", [0x1b, 0x1f, 0x24]),
            ("faint letters", [0x57, 0x60, 0x6a]),
            ("intervals", [0x00, 0x72, 0xb2]),
        ] {
            assert!(of(color) > 20, "{what} at {scale}: {}", of(color));
        }
    }
    assert!(forest.png(Theme::Light, 1e6).is_err(), "too large");
}

#[test]
fn a_page_follows_the_readers_setting() {
    let style = fairtrial_chart::page_style();
    assert!(style.contains("prefers-color-scheme: dark") && style.contains("var(--ft-s0)"));
}

#[test]
fn a_name_that_is_cut_is_told_whole_to_whoever_points_at_it() {
    let name = "train/environment/a_component_with_a_very_long_name/episode_reward_mean_of_ten";
    let row = |name: &str| ForestRow {
        name: name.to_owned(),
        range: [0.1, 0.2, 0.3],
        ..ForestRow::default()
    };
    let data = Forest {
        rows: vec![row(name), row("short")],
        ..Forest::default()
    };
    let svg = forest(&data).svg(Theme::Light);
    assert!(
        svg.contains(&format!("<title>{name}</title>train/")),
        "{svg}"
    );
    assert!(svg.contains(">short</text>"), "{svg}");
    assert_eq!(svg.matches("<title>").count(), 1, "{svg}");
}
