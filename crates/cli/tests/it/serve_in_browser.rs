//! The live page in a real browser: a run followed as it goes, 100,000 trials filtered, two runs compared, on a telephone,
//! dark, and by the keyboard alone.

use crate::common::Project;
use crate::devtools::{Browser, have_chromium};
use crate::serve::Server;
use std::fmt::Write as _;
use std::process::Stdio;

const SPEC: &str = r#"
name = "live"
seeds = 6
parallel = 2
[[tasks]]
id = "train"
command = ["sh", "train.sh", "{seed}", "{lift}"]
[arms.control]
lift = 0
[arms.candidate]
lift = 5
[metrics.reward]
direction = "up"
"#;

/// Waits in the middle until the test lets it go on.
const TRAIN: &str = r#"
for i in 1 2 3 4; do echo "{\"step\": $i, \"reward\": $(($1 % 7 + i * $2))}" >> "$FAIRTRIAL_METRICS"; done
echo "half of it is done"
while [ ! -e go ]; do sleep 0.05; done
[ "$1 $2" != "3014 5" ] || { echo "<img src=x onerror=alert(1)> is broken" >&2; exit 3; }
echo "all of it is done"
"#;

/// What makes a page hard to use for some: parts without a name, letters that hardly stand out, more than one main heading.
const HARD_TO_USE: &str = r#"(() => {
  const found = [];
  const shown = e => e.getClientRects().length > 0;
  for (const e of document.querySelectorAll("button, a[href], input, select, [role=button], [role=img], img")) {
    const label = e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.[0]?.textContent || e.alt || e.getAttribute("aria-labelledby");
    if (shown(e) && !label) found.push("no name: " + e.outerHTML.slice(0, 100));
  }
  if (document.querySelectorAll("h1").length !== 1) found.push("main headings: " + document.querySelectorAll("h1").length);
  if (!document.documentElement.lang || !document.title) found.push("no language or title");
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const id of new Set(ids)) if (ids.filter(it => it === id).length > 1) found.push("twice: " + id);
  const light = color => {
    const [r, g, b, a] = color.match(/[\d.]+/g).map(Number);
    if (a === 0) return null;
    const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = e => { for (; e; e = e.parentElement) { const l = light(getComputedStyle(e).backgroundColor); if (l !== null) return l; } return 1; };
  for (const e of document.querySelectorAll("p, td, th, a, button, small, h1, h2, h3, dt, dd, li, .badge, .ft-row > div")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !shown(e) || e.disabled) continue;
    const [a, b] = [light(getComputedStyle(e).color), behind(e)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push("faint: " + e.outerHTML.slice(0, 100));
  }
  return found;
})()"#;

/// Whether something is wider than the window.
const TOO_WIDE: &str = "document.documentElement.scrollWidth > innerWidth";

fn easy_to_use(browser: &mut Browser, place: &str) {
    let found = browser.js(HARD_TO_USE);
    assert_eq!(found, serde_json::json!([]), "{place}");
}

#[test]
fn a_run_is_followed_as_it_goes() {
    if !have_chromium() {
        return;
    }
    let project = Project::with_spec(SPEC);
    project.write("train.sh", TRAIN);
    let mut run = project
        .command(&["run", "bench.toml"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server::start(&project, &[]);
    let mut browser = Browser::new();
    browser.open(&server.url);
    browser.wait("document.querySelector('.runs .b-running')");
    easy_to_use(&mut browser, "all runs");
    browser.click(".runs a[href^=\"#/run/\"]");
    // Before anything has ended: what runs, what waits, and the curves so far.
    browser.wait("document.querySelectorAll('.card')[0]?.querySelectorAll('li').length === 2");
    browser.wait("document.querySelectorAll('.card')[1].innerText.includes('Waiting: 10')");
    browser.wait("document.querySelectorAll('.report [data-kind=trace]').length >= 2");
    assert!(
        browser
            .js("document.querySelector('.report').innerText")
            .as_str()
            .unwrap()
            .contains("no verdict")
    );
    easy_to_use(&mut browser, "a run as it goes");
    // The log of one that runs, followed to its end.
    browser.click(".card li a");
    browser.wait("document.querySelector('pre.text')?.innerText.includes('half of it is done')");
    project.write("go", "");
    browser.wait("document.querySelector('pre.text').innerText.includes('all of it is done')");
    browser.wait("document.querySelector('.badge').innerText === 'ok'");
    easy_to_use(&mut browser, "a trial");
    browser.js("history.back()");
    browser.wait("document.querySelector('.badge')?.innerText === 'finished'");
    run.wait().unwrap();
    browser.wait("document.querySelector('.meter').getAttribute('aria-label') === '12 of 12 trials ended, 1 failed'");
    // What a trial wrote is shown and not obeyed; the verdict is there.
    browser.wait("document.querySelector('.report .verdict .word')");
    browser.wait(
        "document.querySelector('.report').innerText.includes('<img src=x onerror=alert(1)>')",
    );
    assert_eq!(browser.js("document.querySelectorAll('img').length"), 0);
    for (width, scheme) in [(1280, "dark"), (390, "light"), (390, "dark")] {
        browser.scheme(scheme);
        browser.size(width, 900);
        assert_eq!(browser.js(TOO_WIDE), false, "{width} {scheme}");
        easy_to_use(&mut browser, &format!("{width} {scheme}"));
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// The journal of an imported run of so many trials.
fn journal_of(trials: u64) -> String {
    let mut journal = String::new();
    let mut add = |body: String| {
        let crc = crc32fast::hash(body.as_bytes());
        let _ = writeln!(journal, "{body},\"crc\":\"{crc:08x}\"}}");
    };
    add(format!(
        "{{\"event\":\"opened\",\"schema\":1,\"name\":\"many\",\"stamp\":\"20250824__12-34-56\",\"config\":\"many\",\
         \"spec_sha256\":\"\",\"plan_hash\":\"\",\"trials\":{trials},\"imported\":true,\"parallel\":1,\"version\":\"0.1.0\",\
         \"created_at\":\"2025-08-24T12:34:56Z\",\"host\":\"vm\""
    ));
    for index in 0..trials {
        let (arm, seed, score) = (["a", "b"][index as usize % 2], index / 2, index % 997);
        add(format!(
            "{{\"event\":\"finished\",\"schema\":1,\"trial\":{{\"index\":{index},\"task\":\"t\",\"arm\":\"{arm}\",\
             \"seed\":{seed}}},\"id\":\"{index:032x}\",\"attempt\":1,\"outcome\":\"ok\",\
             \"ended_at\":\"2025-08-24T12:34:57Z\",\"resources\":{{}},\"metrics\":{{\"score\":{score}}}"
        ));
    }
    journal
}

#[test]
fn a_hundred_thousand_trials_are_filtered_and_only_those_on_the_screen_are_there() {
    if !have_chromium() {
        return;
    }
    let project = Project::new();
    project.write(
        "data/rollouts/many/20250824__12-34-56/journal.jsonl",
        &journal_of(100_000),
    );
    let server = Server::start(&project, &[]);
    let mut browser = Browser::new();
    browser.open(&server.url);
    browser.wait("document.querySelector('.runs a')");
    browser.click(".runs a[href^=\"#/run/\"]");
    browser.wait("document.querySelector('.ft-count')?.innerText === '100,000 trials'");
    let rows = "document.querySelectorAll('.ft-space .ft-row').length";
    assert!(browser.js(rows).as_u64().unwrap() < 60);
    browser.js("document.querySelector('.ft-scroll').scrollTop = 1e9");
    browser
        .wait("[...document.querySelectorAll('.ft-space a')].some(a => a.innerText === '99999')");
    assert!(browser.js(rows).as_u64().unwrap() < 60);
    browser.js(
        "{ const i = document.querySelector('.ft-filter input'); i.value = 'seed 49999'; i.dispatchEvent(new Event('input')) }",
    );
    browser.wait("document.querySelector('.ft-count').innerText === '2 trials'");
    browser.js("{ const i = document.querySelector('.ft-filter input'); i.value = ''; i.dispatchEvent(new Event('input')) }");
    browser.wait("document.querySelector('.ft-count').innerText === '100,000 trials'");
    // By the largest score: the header is pressed twice.
    for _ in 0..2 {
        browser.js("[...document.querySelectorAll('.ft-head button')].find(b => b.innerText.startsWith('score')).click()");
        browser.wait("document.querySelector('.ft-head [aria-sort]:last-child').getAttribute('aria-sort') !== 'none'");
    }
    browser.wait("document.querySelector('.ft-space .ft-row > :last-child').innerText === '996'");
}

#[test]
fn two_runs_are_chosen_and_compared() {
    if !have_chromium() {
        return;
    }
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = 12\nshell = true\ncommand = '''echo \"{{\\\"m\\\": $(({seed} % 7 + 1))}}\" >> $FAIRTRIAL_METRICS'''\n[metrics.m]\ndirection = \"up\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["run", "bench.toml"]);
    let server = Server::start(&project, &[]);
    let mut browser = Browser::new();
    browser.open(&server.url);
    browser.wait("document.querySelectorAll('.runs input[type=checkbox]').length === 2");
    browser
        .js("document.querySelectorAll('.runs input[type=checkbox]').forEach(box => box.click())");
    browser.wait("!document.querySelector('.tools button').disabled");
    browser.click(".tools button");
    browser.wait("document.querySelector('.verdict .word')");
    assert_eq!(
        browser.js("document.querySelector('.verdict .word').innerText"),
        "identical"
    );
    easy_to_use(&mut browser, "a comparison");
    // All runs of the benchmark, metric by metric.
    browser.open(&server.url);
    browser.wait("document.querySelector('.runs a[href^=\"#/history/\"]')");
    browser.click(".runs a[href^=\"#/history/\"]");
    browser
        .wait("document.querySelector('.report figure svg')?.textContent.includes('run by run')");
    easy_to_use(&mut browser, "a history");
    // What cannot be compared says why.
    let url = format!(
        "{}#/compare?a=bench/20250824__12-34-56&b=no/20250824__12-34-56",
        server.url
    );
    browser.open(&url);
    browser.wait("document.querySelector('.said.bad')?.innerText.includes('there is no run')");
}
