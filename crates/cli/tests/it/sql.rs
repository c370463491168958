//! `sql`: questions over runs, trials and metrics, driven through the built binary.

use crate::common::Project;

const SPEC: &str = r#"
name = "bench"
seeds = 3
command = "sh work.sh {level} {seed}"

[arms.low]
level = 1
[arms.high]
level = 2

[metrics.score]
direction = "up"
"#;

/// `.cargo/config.toml` says what SQLite is compiled without: full-text search, and reading programs from files.
#[test]
fn the_database_holds_only_what_questions_need() {
    let project = Project::new();
    let options = "select compile_options from pragma_compile_options";
    let has = project.expect(0, &["sql", options, "--csv"]).out;
    for left_out in ["FTS", "RTREE", "DBSTAT", "STAT4"] {
        assert!(!has.contains(left_out), "{left_out}: {has}");
    }
    assert!(has.contains("OMIT_LOAD_EXTENSION"), "{has}");
    let json = project.expect(
        0,
        &[
            "sql",
            "select json_extract('{\"a\":7}', '$.a') as a",
            "--csv",
        ],
    );
    assert_eq!(json.out.trim_end(), "a\n7");
}

#[test]
fn runs_trials_and_metrics_can_be_asked_for() {
    let project = Project::with_spec(SPEC);
    project.write(
        "work.sh",
        "test \"$1$2\" = 12 && exit 3; echo \"{\\\"score\\\": $1.5}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.run(&["run", "bench.toml"]);
    let rows = project
        .expect(
            0,
            &[
                "sql",
                "select name, trials, ok + failed as ended from runs",
                "--json",
            ],
        )
        .json();
    assert_eq!(
        rows,
        serde_json::json!([{"name": "bench", "trials": 6, "ended": 6}])
    );
    let by_arm = "select arm, avg(value) as mean from metrics join trials using (run, trial) where metric = 'score' \
                  group by arm order by arm";
    let ran = project.expect(0, &["sql", by_arm, "--csv"]);
    assert_eq!(ran.out.trim_end(), "arm,mean\nhigh,2.5\nlow,1.5");
    let ran = project.expect(0, &["sql", by_arm]);
    assert!(
        ran.out.contains("high") && ran.out.contains("2 rows"),
        "{}",
        ran.out
    );
    // The same numbers as the summary has.
    let count = "select outcome, count(*) as n from trials group by outcome order by outcome";
    let counted = project.expect(0, &["sql", count, "--json"]).json();
    let summary = project.expect(0, &["summarize", "bench", "--json"]).json();
    for row in counted.as_array().unwrap() {
        assert_eq!(
            summary["outcomes"][row["outcome"].as_str().unwrap()],
            row["n"],
            "{counted}"
        );
    }
}

#[test]
fn a_question_changes_nothing() {
    let project = Project::with_spec(SPEC);
    project.write("work.sh", "true\n");
    project.run(&["run", "bench.toml"]);
    for (question, said) in [
        ("delete from runs", "begins with select"),
        ("attach 'x.db' as x", "begins with select"),
        (
            "with a as (select 1) delete from runs",
            "nothing can be changed",
        ),
        (
            "select nme from runs",
            "there is no column `nme`; did you mean `name`?",
        ),
        (
            "select * from trails",
            "there is no table `trails`; did you mean `trials`?",
        ),
    ] {
        let ran = project.expect(2, &["sql", question]);
        assert!(ran.err.contains(said), "{question}: {}", ran.err);
    }
    assert!(!project.path().join("x.db").exists());
    let rows = project
        .expect(0, &["sql", "select count(*) as n from runs", "--json"])
        .json();
    assert_eq!(rows[0]["n"], 1);
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_one() {
    let project = Project::with_spec(SPEC);
    for (question, said) in [
        (
            "select stam from runs",
            "there is no column `stam`; did you mean `stamp`?",
        ),
        (
            "select t.outcom from trials t",
            "there is no column `t.outcom`; did you mean `outcome`?",
        ),
        (
            "select value from metric",
            "there is no table `metric`; did you mean `metrics`?",
        ),
        (
            "select zzz from metrics",
            "there is no column `zzz`; there are: run, trial, metric, value",
        ),
    ] {
        let ran = project.expect(2, &["sql", question]);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn the_largest_seeds_keep_all_their_digits() {
    let project = Project::with_spec(
        "name = \"bench\"\nseeds = [7, 18446744073709551615]\ncommand = \"true\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let question = "select seed from trials order by seed";
    let rows = project.expect(0, &["sql", question, "--json"]).json();
    assert_eq!(
        rows,
        serde_json::json!([{"seed": 7}, {"seed": "18446744073709551615"}])
    );
    let question = "select count(*) as n from trials where seed = '18446744073709551615'";
    let rows = project.expect(0, &["sql", question, "--json"]).json();
    assert_eq!(rows[0]["n"], 1);
}
