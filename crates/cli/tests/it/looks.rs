//! When a run looks: where it is told to, and at any time.

use crate::common::Project;

/// Differences of about 6 that vary.
const SPEC: &str = r#"
name = "bench"
seeds = 6
command = "sh work.sh {seed} {bonus}"

[arms.control]
bonus = 0
[arms.candidate]
bonus = 3

[metrics.score]
direction = "up"
"#;

fn project() -> Project {
    let project = Project::with_spec(SPEC);
    let work = "echo \"{\\\"score\\\": $(( ($1 * $1 + 7 * $1 * $2) % 11 + 2 * $2 ))}\" >> \"$FAIRTRIAL_METRICS\"\n";
    project.write("work.sh", work);
    project
}

const UNTIL: [&str; 4] = ["run", "bench.toml", "--until", "decided"];

#[test]
fn looks_are_where_they_are_listed_and_stay_so_when_the_run_is_resumed() {
    let project = project();
    let listed = [&UNTIL[..], &["--looks", "4,8", "--json"]].concat();
    let ran = project.expect(0, &listed).json();
    // The last look is the budget, whatever the spec's number of seeds.
    assert_eq!(ran["sequential"]["planned"], serde_json::json!([4, 8]));
    assert_eq!(ran["sequential"]["trials_planned"], 16);
    let looks = ran["sequential"]["looks"].as_array().unwrap();
    assert!(looks.iter().all(|look| look["n"] == 4 || look["n"] == 8));
    let resumed = project
        .expect(0, &["run", "bench.toml", "--resume", "--json"])
        .json();
    assert_eq!(resumed["ran"], 0);
    assert_eq!(resumed["sequential"]["looks"], ran["sequential"]["looks"]);
    let status = project.expect(0, &["status", "bench", "--json"]).json();
    assert_eq!(status["sequential"]["looks"], ran["sequential"]["looks"]);
    for wrong in ["8,4", "1,4"] {
        let refused = project.expect(2, &[&UNTIL[..], &["--looks", wrong]].concat());
        assert!(refused.err.contains("growing numbers"), "{}", refused.err);
    }
    project.write(
        "keys.toml",
        &format!("{SPEC}\n[analysis]\nstop = {{ when = \"decided\", looks = [4, 8] }}\n"),
    );
    let ran = project.expect(0, &["run", "keys.toml", "--json"]).json();
    assert_eq!(ran["sequential"]["planned"], serde_json::json!([4, 8]));
}

#[test]
fn looks_at_any_time_go_on_with_more_seeds() {
    let project = project();
    let anytime = [&UNTIL[..], &["--anytime"]].concat();
    let ran = project.expect(0, &anytime);
    // Lines are wrapped.
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("(95 % anytime interval)"), "{said}");
    assert!(said.contains("With more seeds"), "{said}");
    let status = project.expect(0, &["status", "bench"]);
    assert!(status.out.contains("anytime interval"), "{}", status.out);
    let more = [&anytime[..], &["--reuse", "--set", "seeds=40", "--json"]].concat();
    let went_on = project.expect(0, &more).json();
    let found = &went_on["sequential"];
    assert_eq!(found["promise"], "anytime");
    assert_eq!(found["stop"], "improved", "{found}");
    assert!(found["pairs"].as_u64().unwrap() > 6, "{found}");
    // Six pairs were there already.
    let ran = went_on["ran"].as_u64().unwrap();
    assert!(ran < 2 * 40 - 12, "{ran}");
    project.expect(0, &["report", "bench", "--md", "page.md"]);
    let page = project.read("page.md");
    assert!(page.contains("An anytime interval holds"), "{page}");
    assert!(!page.contains("Problem:"), "{page}");
}
