//! What the processor counts: measured where it counts, and refused by name where it does not.

use crate::common::Project;

const SPEC: &str = "seeds = 3\ncommand = \"seq {last}\"\n[arms.few]\nlast = 10\n[arms.many]\nlast = 90000\n\
                    [metrics.work]\nfrom = \"resource:instructions\"\n";

/// Whether the processor counts, as `doctor` says.
fn doctor_finds_counters(project: &Project) -> bool {
    let said = project.expect(0, &["doctor", "--json"]).json();
    let findings = said["findings"].as_array().unwrap();
    let found = |what: &str| findings.iter().find(|it| it["what"] == what).unwrap();
    assert!(found("callgrind")["detail"].is_string());
    found("counters")["good"] == true
}

#[test]
fn a_metric_that_the_processor_counts_is_measured_or_refused_by_name() {
    let project = Project::with_spec(SPEC);
    let counts = doctor_finds_counters(&project);
    let checked = project.expect(0, &["check", "bench.toml"]);
    let refusal = "metric `work`: instructions cannot be counted here: ";
    let bench = ["bench", "-r", "5", "-N", "--metric", "instructions"];
    let benched = project.run(&[&bench[..], &["seq 10", "seq 90000"]].concat());
    if counts {
        assert!(!checked.err.contains(refusal), "{}", checked.err);
        let ran = project.expect(0, &["run", "bench.toml", "--json"]);
        assert!(ran.out.contains("\"work\""), "{}", ran.out);
        let first = benched.out.lines().next().unwrap();
        assert!(first.starts_with("seq 90000 takes "), "{}", benched.out);
        assert!(first.contains(" × the instructions of seq 10 ["), "{first}");
        return;
    }
    let said = format!("{}{}", checked.out, checked.err);
    assert!(said.contains(refusal), "{said}");
    let ran = project.run(&["run", "bench.toml"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains(refusal), "{}", ran.err);
    assert!(ran.err.contains("--counter callgrind"), "{}", ran.err);
    assert_eq!(benched.code, 2, "{}", benched.err);
    let wanted = "instructions cannot be counted here: ";
    assert!(benched.err.contains(wanted), "{}", benched.err);
    assert!(
        benched.err.contains("--counter callgrind"),
        "{}",
        benched.err
    );
    assert!(
        project
            .expect(0, &["list", "--json"])
            .json()
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn counts_are_not_written_as_hyperfines_times() {
    let project = Project::new();
    let ran = project.run(&[
        "bench",
        "--metric",
        "cycles",
        "--export-csv",
        "x.csv",
        "true",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("hyperfine's files hold times"),
        "{}",
        ran.err
    );
}

#[test]
fn a_field_that_nobody_counts_is_said_with_the_nearest_name() {
    let project =
        Project::with_spec(&SPEC.replace("resource:instructions", "resource:instruction"));
    let ran = project.run(&["check", "bench.toml"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("instructions"), "{said}");
}
