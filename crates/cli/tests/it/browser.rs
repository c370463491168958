//! A report in a real browser: Chromium without a screen, without a network, wide and narrow, light and dark.
//!
//! The page itself says what the test wants to know: a small script, added to a copy of it, tells its measures to a page
//! around it, which Chromium prints. The page around gives it its width, because Chromium makes no window narrower than
//! 500 pixels. `FAIRTRIAL_SCREENSHOTS=DIR` keeps the pictures for a person to look at.

use crate::common::Project;
use std::path::{Path, PathBuf};
use std::process::Command;

const SPEC: &str = r#"
name = "bench"
seeds = 15

[[tasks]]
id = "train"
command = ["awk", "-v", "lift={lift}", "-v", "seed={seed}", "-v", "out={dir}/series.jsonl", "-f", "train.awk"]

[arms.control]
lift = 0
[arms.candidate]
lift = 0.05

[metrics."overview/reward/averaged_over_all_agents_of_the_cooperative_team"]
from = "jsonl:series.jsonl#reward"
direction = "up"
margin = "2%"
[metrics.loss]
from = "jsonl:series.jsonl"
direction = "down"
[metrics.speed]
from = "jsonl:series.jsonl"
direction = "up"
unit = "steps/s"
"#;

const TRAIN: &str = r#"BEGIN {
  srand(seed + 1000 * lift);
  if (lift > 0 && seed % 10 == 3) {
    print "RuntimeError: CUDA error: an illegal memory access was encountered at " \
      "/a/very/long/path/without/any/blank/in/it/that/must/not/make/the/page/wider/than/the/screen" > "/dev/stderr";
    exit 3;
  }
  for (i = 0; i < 2000; i++) {
    s = i / 2000;
    printf "{\"step\": %d, \"reward\": %.6f, \"loss\": %.6f, \"speed\": %.1f}\n", i * 1000,
      (0.5 + lift + 0.0001 * (seed % 97)) * (1 - exp(-4 * s)) + 0.02 * rand(), exp(-3 * s) + 0.05 * rand(),
      9000 + 800 * rand() > out;
  }
}"#;

/// Tells the page around what this one is like.
const MEASURE: &str = r##"<script>
addEventListener("load", () => {
  // The table of all trials scrolls in a box of its own, which must not be too wide.
  const scrolls = e => e.parentElement.closest(".ft-scroll");
  const wide = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e));
  const shown = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0; };
  const figures = [...document.querySelectorAll("figure svg")];
  const letters = Math.min(...[...document.querySelectorAll("figure svg text")].map(
    t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getBoundingClientRect().width
      / t.ownerSVGElement.viewBox.baseVal.width));
  parent.postMessage(JSON.stringify({
    inner: innerWidth, scroll: document.documentElement.scrollWidth, wide: wide.map(e => e.outerHTML.slice(0, 200)).slice(0, 5),
    verdict: document.querySelector("#verdict .word").innerText, figures: figures.length,
    hidden: figures.filter(f => !shown(f)).length, letters, failures: document.querySelector("#failures").innerText,
    background: getComputedStyle(document.body).backgroundColor, loaded: performance.getEntriesByType("resource").length,
  }), "*");
});
</script></body>"##;

fn chromium(args: &[&str], page: &Path) -> std::process::Output {
    let profile = tempfile::tempdir().unwrap();
    Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
        ])
        // Nothing outside can be reached: every name leads nowhere.
        .args([
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--hide-scrollbars",
            "--virtual-time-budget=3000",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap()
}

/// A page that shows another at a width and takes its measures as its title.
fn frame(project: &Project, of: &str, (width, height): (u32, u32)) -> PathBuf {
    let name = format!("frame-{of}-{width}.html");
    let html = format!(
        "<!doctype html><title></title><body style=\"margin:0\">\n\
         <script>addEventListener(\"message\", e => {{ document.title = e.data; }});</script>\n\
         <iframe src=\"{of}\" style=\"border:0;width:{width}px;height:{height}px\"></iframe>\n"
    );
    project.write(&name, &html);
    project.path().join(name)
}

fn measured(page: &Path, width: u32, scheme: u8) -> serde_json::Value {
    let output = chromium(
        &[
            "--dump-dom",
            &format!("--window-size={},1000", width + 200),
            &format!("--blink-settings=preferredColorScheme={scheme}"),
        ],
        page,
    );
    let dom = String::from_utf8_lossy(&output.stdout);
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let json = title
        .unwrap_or_default()
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    serde_json::from_str(&json).unwrap_or_else(|error| {
        panic!(
            "{error}: {json}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn screenshots(project: &Project) {
    let folder = std::env::var_os("FAIRTRIAL_SCREENSHOTS")
        .map_or_else(|| project.path().to_owned(), PathBuf::from);
    for (width, height) in [(1280, 4200), (390, 9000)] {
        let page = frame(project, "report.html", (width, height));
        for (scheme, name) in [(0, "dark"), (1, "light")] {
            let picture = folder.join(format!("report-{width}-{name}.png"));
            let output = chromium(
                &[
                    &format!("--screenshot={}", picture.display()),
                    &format!("--window-size={},{height}", width.max(500)),
                    &format!("--blink-settings=preferredColorScheme={scheme}"),
                ],
                &page,
            );
            let bytes = std::fs::read(&picture).unwrap_or_default();
            assert!(
                bytes.starts_with(b"\x89PNG"),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(
                bytes.len() > 50_000,
                "{name} at {width} is {} bytes: an empty page?",
                bytes.len()
            );
        }
    }
}

#[test]
fn a_report_is_readable_in_a_browser_wide_and_narrow_light_and_dark() {
    if Command::new("chromium").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("CI").is_none(),
            "chromium is not installed"
        );
        eprintln!("skipped: chromium is not installed (./test installs it)");
        return;
    }
    let project = Project::with_spec(SPEC);
    project.write("train.awk", TRAIN);
    project.expect(1, &["run", "bench.toml"]);
    project.expect(0, &["report", "--html", "report.html"]);
    let html = project.read("report.html");
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert_eq!(html.matches("<script>").count(), 1, "the page's own script");
    assert!(html.contains("script-src 'sha256-"), "known by its hash");
    // The copy may run the one script that measures it.
    let measuring = html.replace(
        "default-src 'none';",
        "default-src 'none'; script-src 'unsafe-inline';",
    );
    project.write("measured.html", &measuring.replace("</body>", MEASURE));
    let charts = html.matches("class=\"ft-chart\"").count();
    assert!(charts >= 8, "{charts} charts");
    let mut backgrounds = Vec::new();
    for width in [1280, 390] {
        for scheme in [0, 1] {
            let page = frame(&project, "measured.html", (width, 900));
            let found = measured(&page, width, scheme);
            let place = format!("{width} pixels, scheme {scheme}: {found}");
            assert_eq!(found["inner"], width, "{place}");
            assert_eq!(found["scroll"], width, "{place}");
            assert_eq!(found["wide"], serde_json::json!([]), "{place}");
            assert_eq!(found["figures"], charts, "{place}");
            assert_eq!(
                (&found["hidden"], &found["loaded"]),
                (&0.into(), &0.into()),
                "{place}"
            );
            assert!(found["letters"].as_f64().unwrap() > 8.5, "{place}");
            let words = ["improved", "inconclusive", "equivalent"];
            assert!(
                words.iter().any(|word| found["verdict"] == *word),
                "{place}"
            );
            assert!(
                found["failures"]
                    .as_str()
                    .unwrap()
                    .contains("illegal memory access"),
                "{place}"
            );
            backgrounds.push(found["background"].clone());
        }
    }
    assert_eq!(backgrounds[0], backgrounds[2]);
    assert_ne!(backgrounds[0], backgrounds[1]);
    screenshots(&project);
}
