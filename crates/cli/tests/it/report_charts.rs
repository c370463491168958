//! The charts of a report: that they show all there is, or say what they do not.

use crate::common::Project;

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
fn times_have_a_density_and_a_bench_says_how_to_make_it_again() {
    let project = Project::new();
    project.expect(0, &["bench", "-N", "-r", "22", "true", "true 'a b'"]);
    let data = project.expect(0, &["report", "--json"]).json();
    let density = &data["densities"][0];
    assert_eq!(density["metric"], "wall");
    assert_eq!(density["iterations"], false);
    assert_eq!(density["groups"][1]["values"], 22);
    project.expect(0, &["report", "--md", "r.md"]);
    let page = project.read("r.md");
    assert!(page.contains("wall: density of trials"), "{page}");
    let again = r"fairtrial bench true 'true '\''a b'\'''";
    assert!(page.contains(again), "{page}");
    project.expect(0, &["verify"]);
}

#[test]
fn the_density_of_an_experiment_is_that_of_its_iterations() {
    let project = Project::with_spec(
        "experiment = \"noop\"\nprocesses = 2\niterations = { warmup = 0, measured = 12 }\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let data = project.expect(0, &["report", "--json"]).json();
    let density = &data["densities"][0];
    assert_eq!(density["iterations"], true, "{}", data["densities"]);
    assert_eq!(density["groups"][0]["values"], 24);
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
        "echo \"{\\\"score\\\": $((10 + $1 % 7 + $2 * ($1 % 3))), \\\"extra\\\": $1}\" >> \"$FAIRTRIAL_METRICS\"\n",
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
                format!("figures/02-score-candidate-minus-control-pair-by-pa.{kind}"),
                format!("figures/03-score-every-trial.{kind}")
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
    // What nobody declared has no chart, and its table is folded.
    project.expect(0, &["report", "--html", "r.html", "--md", "r.md"]);
    for (file, folded) in [
        ("r.html", "<details class=\"folded\">"),
        ("r.md", "<details>"),
    ] {
        let text = project.read(file);
        let fold = text.split_once(folded).unwrap_or_else(|| panic!("{text}"));
        assert!(fold.1.contains("Also logged: extra."), "{text}");
        let shown = fold.0.split_once("Results").unwrap().1;
        assert!(!shown.contains("extra"), "{shown}");
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
        "name = \"bench\"\nseeds = [1, 2]\ncommand = [\"sh\", \"t.sh\", \"{arm}\", \"{seed}\"]\n\
         [arms.control]\n[arms.candidate]\n[arms.other]\n[metrics.reward]\ndirection = \"up\"\n",
    );
    project.write(
        "t.sh",
        "k=$2; [ \"$1\" = other ] && k=$((3 * $2))\n\
         for i in 1 2 3; do echo \"{\\\"step\\\": $i, \\\"reward\\\": $(($i + $k))}\" >> \"$FAIRTRIAL_METRICS\"; done\n\
         [ \"$1\" != candidate ]\n",
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
    assert!(
        page.contains("Without a difference to draw: reward · candidate (insufficient)."),
        "{page}"
    );
}

#[test]
fn a_profile_says_what_it_leaves_out_and_keeps_the_looks_of_the_arms() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = [1, 2, 3]\n\
         [[tasks]]\nid = \"z\"\ncommand = [\"sh\", \"t.sh\", \"{arm}\", \"{seed}\", \"z\"]\n\
         [[tasks]]\nid = \"a\"\ncommand = [\"sh\", \"t.sh\", \"{arm}\", \"{seed}\", \"a\"]\n\
         [arms.control]\n[arms.broken]\n[arms.good]\n\
         [metrics.score]\ndirection = \"up\"\n",
    );
    // The second arm has no value in one task, the third fails once.
    project.write(
        "t.sh",
        "[ \"$1$3\" = brokenz ] && exit 3\n[ \"$1$2$3\" = good2a ] && exit 3\n\
         echo \"{\\\"score\\\": $((10 + $2 * 3))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    project.expect(0, &["report", "--md", "r.md"]);
    let page = project.read("r.md");
    for words in [
        "Without a value: 3 of 6 trials of broken; 1 of 6 trials of good.",
        "broken: no profile, a task has no value.",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    let names: Vec<String> = std::fs::read_dir(project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let profile = names.iter().find(|name| name.contains("profile"));
    let svg = project.read(profile.unwrap());
    // The third arm of the spec has the third look, though the second is not drawn.
    assert!(svg.contains("l s2 d2") && !svg.contains("l s1 d1"), "{svg}");
}

#[test]
fn metrics_without_a_share_of_the_control_are_named() {
    let metrics =
        ["score", "b", "c", "d"].map(|name| format!("[metrics.{name}]\ndirection = \"up\"\n"));
    let spec = format!(
        "name = \"bench\"\nseeds = 4\ncommand = [\"sh\", \"t.sh\", \"{{seed}}\", \"{{lift}}\"]\n\
         [arms.control]\nlift = 0\n[arms.candidate]\nlift = 1\n{}",
        metrics.concat()
    );
    let project = Project::with_spec(&spec);
    // Of the first one, the primary, the means are below zero.
    project.write(
        "t.sh",
        "x=$((10 + $1 % 7 + $2 * ($1 % 3)))\n\
         echo \"{\\\"score\\\": -$x, \\\"b\\\": $x, \\\"c\\\": $x, \\\"d\\\": $x}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["report", "--md", "r.md"]);
    let page = project.read("r.md");
    assert!(page.contains("not known): score (candidate)."), "{page}");
}

#[test]
fn runs_without_a_point_leave_a_gap_in_the_history_and_are_counted() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = [1, 2, 3]\ncommand = [\"sh\", \"t.sh\", \"{seed}\"]\n[metrics.score]\ndirection = \"up\"\n",
    );
    let reports = "echo \"{\\\"score\\\": $((10 + $1))}\" >> \"$FAIRTRIAL_METRICS\"\n";
    for place in 0..8 {
        let script = match place {
            2 => "exit 3".to_owned(),
            4 => format!("[ $1 = 1 ] && exit 3\n{reports}"),
            _ => reports.to_owned(),
        };
        project.write("t.sh", &script);
        project.run(&["run", "bench.toml"]);
    }
    // The seventh never came to its end.
    let runs = project.path().join("data/rollouts/bench");
    let mut runs: Vec<_> = std::fs::read_dir(runs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("journal.jsonl").exists())
        .collect();
    runs.sort();
    assert_eq!(runs.len(), 8);
    let journal = runs[6].join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines = text.split_inclusive('\n');
    let open: String = lines.filter(|line| !line.contains("\"closed\"")).collect();
    assert_ne!(open, text);
    std::fs::write(&journal, open).unwrap();
    let data = project.expect(0, &["report", "--json"]).json();
    let history = &data["history"][0];
    assert_eq!(history["runs"].as_array().unwrap().len(), 6);
    let whys = history["without"].as_array().unwrap().iter();
    let whys: Vec<_> = whys.map(|run| run["why"].clone()).collect();
    assert_eq!(whys, ["without a value", "not finished"]);
    project.expect(0, &["report", "--md", "r.md"]);
    let page = project.read("r.md");
    for words in [
        "No point, without a value: 1 run (",
        "No point, not finished: 1 run (",
        "Mean over a part of the trials: 1 run (",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    project.expect(0, &["report"]);
    project.expect(0, &["verify"]);
}
