//! Every chart: its structure, that no text overlaps another or leaves the page, and that a picture comes of it.

mod gallery;

use fairtrial_chart::{Figure, Layout, Theme};
use resvg::usvg::{Group, Node, Options, Rect, TextChunk, Tree};
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

/// The boxes of all texts, as the font draws them.
fn text_boxes(group: &Group, boxes: &mut Vec<(String, Rect)>) {
    for node in group.children() {
        match node {
            Node::Group(group) => text_boxes(group, boxes),
            Node::Text(text) => {
                let words = text
                    .chunks()
                    .iter()
                    .map(TextChunk::text)
                    .collect::<String>();
                boxes.push((words, text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    // Line boxes hold the room above and below letters; that much may touch.
    let slack = 4.0;
    a.left() + 0.5 < b.right()
        && b.left() + 0.5 < a.right()
        && a.top() + slack < b.bottom()
        && b.top() + slack < a.bottom()
}

fn check_texts(name: &str, svg: &str) {
    let mut options = Options {
        font_family: "Noto Sans".to_owned(),
        ..Options::default()
    };
    options
        .fontdb_mut()
        .load_font_data(notosans::REGULAR_TTF.to_vec());
    let tree = Tree::from_str(svg, &options).expect("our own SVG");
    let mut boxes = Vec::new();
    text_boxes(tree.root(), &mut boxes);
    assert!(!boxes.is_empty(), "{name} has no text");
    for (place, (words, of)) in boxes.iter().enumerate() {
        let inside = of.left() >= 0.0
            && of.top() >= 0.0
            && of.right() <= tree.size().width()
            && of.bottom() <= tree.size().height();
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

#[test]
fn a_page_follows_the_readers_setting() {
    let style = fairtrial_chart::page_style();
    assert!(style.contains("prefers-color-scheme: dark") && style.contains("var(--ft-s0)"));
}
