//! A report explored in a real browser: values under the pointer, arms that hide, curves that zoom, tables that sort and
//! filter, trials that are searched; and the same page on paper and without scripts.

use crate::common::Project;
use crate::devtools::{Browser, have_chromium};
use serde_json::json;

const SPEC: &str = r#"
name = "bench"
seeds = 10
[[tasks]]
id = "train"
command = ["sh", "train.sh", "{seed}", "{lift}"]
[arms.control]
lift = 0
[arms.candidate]
lift = 5
[metrics.reward]
direction = "up"
[metrics.loss]
direction = "down"
"#;

const TRAIN: &str = r#"
i=0
while [ $i -le 60 ]; do
  echo "{\"step\": $i, \"reward\": $(($1 % 7 + i * $2)), \"loss\": $((100 - i))}" >> "$FAIRTRIAL_METRICS"
  i=$((i + 1))
done
[ "$1 $2" != "3014 5" ] || { echo "this one is broken" >&2; exit 3; }
"#;

fn report() -> (Project, String) {
    let project = Project::with_spec(SPEC);
    project.write("train.sh", TRAIN);
    project.expect(1, &["run", "bench.toml"]);
    project.expect(0, &["report", "--html", "report.html"]);
    let url = format!("file://{}", project.path().join("report.html").display());
    (project, url)
}

/// The middle of what an expression gives, on the screen.
fn middle(browser: &mut Browser, element: &str) -> (f64, f64) {
    let at = browser.js(&format!(
        "(() => {{ const e = {element}; e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
         return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
    ));
    (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

const CURVES: &str =
    "[...document.querySelectorAll('figure')].find(f => f.querySelector('[data-kind=line]'))";

#[test]
fn a_report_is_explored() {
    if !have_chromium() {
        return;
    }
    let (_project, url) = report();
    let mut browser = Browser::new();
    browser.open(&url);
    browser.wait("document.documentElement.classList.contains('ft-scripted')");
    // Values under the pointer, of both arms at one step.
    let plot = format!("{CURVES}.querySelector('.plot [clip-path]')");
    let (x, y) = middle(&mut browser, &plot);
    browser.pointer("mouseMoved", (x, y));
    browser.wait(&format!("!{CURVES}.querySelector('.ft-tip').hidden"));
    let tip = browser.js(&format!("{CURVES}.querySelector('.ft-tip').innerText"));
    let tip = tip.as_str().unwrap();
    assert!(
        tip.starts_with("step 3") || tip.starts_with("step 2"),
        "{tip}"
    );
    assert!(
        tip.contains("control: ") && tip.contains("candidate: "),
        "{tip}"
    );
    // An arm is hidden by its name, and is no longer told of.
    let key = format!(
        "[...{CURVES}.querySelectorAll('.key[role=button]')].find(k => k.dataset.l === 'control')"
    );
    browser.js(&format!(
        "{key}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))"
    ));
    assert_eq!(
        browser.js(&format!("{key}.getAttribute('aria-pressed')")),
        "false"
    );
    browser.pointer("mouseMoved", (x + 3.0, y));
    browser.wait(&format!(
        "!{CURVES}.querySelector('.ft-tip').innerText.includes('control')"
    ));
    // A part is dragged larger; all of it comes back.
    browser.pointer("mousePressed", (x - 40.0, y));
    browser.pointer("mouseMoved", (x, y));
    browser.pointer("mouseMoved", (x + 40.0, y + 1.0));
    browser.pointer("mouseReleased", (x + 40.0, y + 1.0));
    browser.wait(&format!(
        "{CURVES}.querySelector('.ft-zoomed .ft-axes text')"
    ));
    browser.js(&format!("{CURVES}.querySelector('.ft-whole').click()"));
    assert_eq!(
        browser.js(&format!("{CURVES}.querySelector('.ft-zoomed')")),
        json!(null)
    );
    // By the keyboard alone.
    browser.js(&format!("{CURVES}.querySelector('svg').focus()"));
    browser.key("ArrowRight");
    browser.wait(&format!("!{CURVES}.querySelector('.ft-tip').hidden"));
    // A table is sorted by a column.
    let table = "document.querySelector('#results table')";
    browser.js(&format!(
        "{table}.querySelector('th:nth-child(2) button').click()"
    ));
    let first = format!("{table}.tBodies[0].rows[0].cells[1].innerText");
    assert_eq!(browser.js(&first), "candidate");
    browser.js(&format!(
        "{table}.querySelector('th:nth-child(2) button').click()"
    ));
    assert_eq!(browser.js(&first), "control");
    // Trials are searched, and lead to what is known of them.
    browser.wait("document.querySelector('#trial-table .ft-count')?.innerText === '20 trials'");
    browser.js("const i = document.querySelector('#trial-table input'); i.value = 'failed'; i.dispatchEvent(new Event('input'))");
    browser.wait("document.querySelector('#trial-table .ft-count').innerText === '1 trial'");
    browser.click("#trial-table .ft-space a");
    browser.wait("document.querySelector('details[open][id^=trial-]')?.innerText.includes('this one is broken')");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn a_report_is_whole_on_paper_and_without_scripts() {
    if !have_chromium() {
        return;
    }
    let (_project, url) = report();
    let mut browser = Browser::new();
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        json!({ "value": true }),
    );
    browser.open(&url);
    browser.wait("document.querySelector('#verdict .word')");
    assert_eq!(
        browser.js("document.querySelectorAll('.ft-tip, .ft-sort').length"),
        0
    );
    let hidden = "[...document.querySelectorAll('section table')].filter(t => t.getClientRects().length === 0 && !t.closest('details')).length";
    assert_eq!(browser.js(hidden), 0);
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        json!({ "value": false }),
    );
    browser.open(&url);
    browser.wait("document.documentElement.classList.contains('ft-scripted')");
    // A4 and Letter: nothing is wider than the paper, nothing is folded away.
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    for (width, height) in [(8.27, 11.69), (8.5, 11.0)] {
        let pixels = ((width - 0.8) * 96.0) as u32;
        browser.size(pixels, 1000);
        browser.js("dispatchEvent(new Event('beforeprint'))");
        let wide = browser.js(
            "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))",
        );
        assert_eq!(wide, json!([]), "{width} inches");
        assert_eq!(
            browser.js("document.querySelectorAll('details:not([open])').length"),
            0
        );
        assert!(browser.printed((width, height)) > 10_000);
        browser.js("dispatchEvent(new Event('afterprint'))");
    }
}
