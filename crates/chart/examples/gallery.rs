//! Writes every chart of the tests as PNG, light and dark, so that a person can look at them:
//! `cargo run -p fairtrial-chart --example gallery -- FOLDER [NAME]`.

#[path = "../tests/gallery/mod.rs"]
mod gallery;

use fairtrial_chart::Theme;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: gallery FOLDER [NAME]")?);
    let wanted = arguments.next();
    std::fs::create_dir_all(&folder)?;
    for (name, figure) in gallery::figures() {
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let bytes = figure.png(theme, 1.0)?;
            std::fs::write(folder.join(format!("{name}-{word}.png")), bytes)?;
        }
    }
    Ok(())
}
