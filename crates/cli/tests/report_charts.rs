//! The charts of a report: that they show all there is, or say what they do not.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Project;

/// Half of the candidate's runs collapse and have a few steps without a value; one trial fails.
const COLLAPSE: &str = r#"
i=0
while [ $i -lt 100 ]; do
  value=60
  if [ "$1" = control ]; then value=50; fi
  if [ "$1" = candidate ] && [ $(($2 % 2)) = 0 ]; then value=5; fi
  if [ $value = 5 ] && [ $i -ge 50 ] && [ $i -lt 54 ]; then value=NaN; fi
  echo "{\"step\": $i, \"reward\": $value}" >> "$FAIRTRIAL_METRICS"
  i=$((i + 1))
done
if [ "$1$2" = control8 ]; then exit 3; fi
"#;

#[test]
fn runs_that_collapse_are_in_the_mean_and_what_is_missing_is_said() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = [1, 2, 3, 4, 5, 6, 7, 8]\ncommand = [\"sh\", \"t.sh\", \"{arm}\", \"{seed}\"]\n\
         [arms.control]\n[arms.candidate]\n[metrics.reward]\ndirection = \"up\"\n",
    );
    project.write("t.sh", COLLAPSE);
    project.expect(1, &["run", "bench.toml"]);
    project.expect(0, &["report", "--html", "r.html", "--md", "r.md"]);
    let html = project.read("r.html");
    assert!(
        html.contains("candidate: mean 32.5000 at step 99 over 8 runs"),
        "the mean is not over all runs"
    );
    for page in [html.as_str(), &project.read("r.md")] {
        assert!(
            page.contains("candidate: the mean has a gap wherever a run has no value (trials ")
        );
        assert!(page.contains("Without a value: 1 of 8 trials of control."));
        assert!(
            page.contains("control: mean of 7 of 8 trials; no curve of trial "),
            "{page}"
        );
    }
    let curves = project.expect(0, &["report", "--json"]).json()["curves"][0]["arms"][1].clone();
    assert_eq!((&curves["runs"], &curves["trials"]), (&8.into(), &8.into()));
}

#[test]
fn a_profile_counts_the_runs_on_the_better_side() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = [1, 2, 3]\n\
         [[tasks]]\nid = \"z\"\ncommand = [\"sh\", \"t.sh\", \"{loss}\", \"{seed}\"]\n\
         [[tasks]]\nid = \"a\"\ncommand = [\"sh\", \"t.sh\", \"{loss}\", \"{seed}\"]\n\
         [arms.control]\nloss = 20\n[arms.better]\nloss = 10\n\
         [metrics.loss]\ndirection = \"down\"\n",
    );
    project.write(
        "t.sh",
        "echo \"{\\\"loss\\\": $(($1 + $2))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let data = project.expect(0, &["report", "--json"]).json();
    // At 15 all runs of the better arm are below, and none of the control's.
    let thresholds = data["profile"]["thresholds"].as_array().unwrap();
    let at = thresholds
        .iter()
        .position(|value| value.as_f64().unwrap() > 15.0)
        .unwrap();
    let share = |arm: usize| data["profile"]["arms"][arm]["share"][at][0].as_f64();
    assert_eq!((share(0), share(1)), (Some(0.0), Some(1.0)));
    project.expect(0, &["report", "--html", "r.html"]);
    let html = project.read("r.html");
    assert!(html.contains(">share of runs below it<"), "{html}");
    // Groups stand in the spec's order, not in that of the shuffled records.
    let groups = data["distributions"][0]["groups"].as_array().unwrap();
    let names: Vec<&str> = groups
        .iter()
        .map(|group| group["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["z · control", "z · better", "a · control", "a · better"]
    );
}

#[test]
fn the_looks_of_a_sequential_run_have_a_unit_and_the_margin() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = 12\ncommand = [\"sh\", \"t.sh\", \"{seed}\", \"{lift}\"]\n\
         [arms.control]\nlift = 0\n[arms.candidate]\nlift = 1\n\
         [metrics.score]\ndirection = \"up\"\nunit = \"points\"\nmargin = \"10%\"\n",
    );
    project.write(
        "t.sh",
        "echo \"{\\\"score\\\": $((1000 + $1 % 7 + $2 * ($1 % 3)))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml", "--until", "decided"]);
    project.expect(0, &["report", "--html", "r.html"]);
    let html = project.read("r.html");
    assert!(html.contains(">difference in score (points)<"));
    assert!(html.contains(">too small to matter<"));
}

#[test]
fn every_chart_can_be_had_as_a_picture_and_wrong_endings_are_refused() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = 6\ncommand = [\"sh\", \"t.sh\", \"{seed}\", \"{lift}\"]\n\
         [arms.control]\nlift = 0\n[arms.candidate]\nlift = 1\n[metrics.score]\ndirection = \"up\"\n",
    );
    project.write(
        "t.sh",
        "echo \"{\\\"score\\\": $((10 + $1 % 7 + $2 * ($1 % 3)))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    for (kind, first) in [("svg", "<svg".as_bytes()), ("png", b"\x89PNG")] {
        let written = project.expect(
            0,
            &["report", "--charts", "figures", "--chart-format", kind],
        );
        let paths: Vec<&str> = written.out.lines().collect();
        assert_eq!(
            paths,
            [
                format!("figures/01-differences-from-the-control.{kind}"),
                format!("figures/02-score-every-trial.{kind}")
            ]
        );
        for path in paths {
            assert!(
                std::fs::read(project.path().join(path))
                    .unwrap()
                    .starts_with(first)
            );
        }
    }
    for (option, file) in [("--html", "x.png"), ("--md", "x.html"), ("--html", "x")] {
        let refused = project.expect(2, &["report", option, file]);
        assert!(refused.err.contains("must end in ."), "{}", refused.err);
        assert!(
            refused.err.contains("--chart-format png"),
            "{}",
            refused.err
        );
        assert!(!project.path().join(file).exists());
    }
}

#[test]
fn an_arm_without_any_value_does_not_vanish_from_the_charts() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = [1, 2]\ncommand = [\"sh\", \"t.sh\", \"{arm}\"]\n\
         [arms.control]\n[arms.candidate]\n[metrics.reward]\ndirection = \"up\"\n",
    );
    project.write(
        "t.sh",
        "for i in 1 2 3; do echo \"{\\\"step\\\": $i, \\\"reward\\\": $i}\" >> \"$FAIRTRIAL_METRICS\"; done\n\
         [ \"$1\" = control ]\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    project.expect(0, &["report", "--md", "r.md"]);
    let page = project.read("r.md");
    assert!(
        page.contains("Without a value: 2 of 2 trials of candidate."),
        "{page}"
    );
    assert!(
        page.contains("candidate: no mean of its 2 trials; no curve of trials "),
        "{page}"
    );
}
