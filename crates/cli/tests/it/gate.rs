//! `gate`, driven through the built binary: every exit code, every kind of baseline, every form of the answer.

use crate::common::Project;

/// One arm over eight seeds; what it measures is read from a file, so that a "commit" can change it.
const SPEC: &str = r#"
name = "bench"
seeds = 8
command = "sh work.sh {seed}"

[metrics.score]
direction = "up"
margin = "2%"
"#;

fn project() -> Project {
    let project = Project::with_spec(SPEC);
    work(&project, "1000");
    project
}

/// Makes the benchmark score around this.
fn work(project: &Project, score: &str) {
    let script = format!(
        "echo \"{{\\\"score\\\": $(({score} + $1 * {score} / 100 % 7))}}\" >> \"$FAIRTRIAL_METRICS\"\n"
    );
    project.write("work.sh", &script);
}

fn run(project: &Project) -> String {
    project.expect(0, &["run", "bench.toml"]);
    let dir = project.newest_run("bench");
    format!("bench/{}", dir.file_name().unwrap().to_str().unwrap())
}

#[test]
fn the_exit_code_is_the_answer() {
    let project = project();
    let first = run(&project);
    let same = run(&project);
    let ran = project.expect(0, &["gate", &same, "--baseline", &first]);
    assert!(ran.out.starts_with("Equivalent"), "{}", ran.out);
    work(&project, "900");
    let worse = run(&project);
    let ran = project.expect(
        1,
        &[
            "gate",
            &worse,
            "--baseline",
            &first,
            "--md",
            "s.md",
            "--junit",
            "j.xml",
        ],
    );
    assert!(ran.out.starts_with("Regressed: score"), "{}", ran.out);
    assert!(project.read("s.md").starts_with("# ❌ Regressed"));
    let junit = project.read("j.xml");
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("<failure message="),
        "{junit}"
    );
    project.expect(
        0,
        &["gate", &worse, "--baseline", &first, "--rule", "score=20%"],
    );
    let back = project
        .expect(0, &["gate", &first, "--baseline", &worse, "--json"])
        .json();
    assert_eq!(back["word"], "improved");
    // Numbers without any order: neither worse nor shown to be equal.
    project.write(
        "work.sh",
        "echo \"{\\\"score\\\": $(($1 * 7919 % 1000))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    let noisy = run(&project);
    project.write(
        "work.sh",
        "echo \"{\\\"score\\\": $(($1 * 104729 % 1000))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    let other = run(&project);
    project.expect(4, &["gate", &other, "--baseline", &noisy]);
    project.expect(
        0,
        &["gate", &other, "--baseline", &noisy, "--allow-inconclusive"],
    );
}

#[test]
fn a_baseline_is_a_name_a_file_a_run_or_a_branch() {
    let project = project();
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git")
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.org",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(args)
            .current_dir(project.path())
            .output();
        done.is_ok_and(|output| output.status.success())
    };
    let has_git = git(&["init", "-q"]) && git(&["add", "."]) && git(&["commit", "-qm", "one"]);
    assert!(
        has_git || std::env::var_os("CI").is_none(),
        "git is not installed"
    );
    let first = run(&project);
    project.expect(0, &["gate", &first, "--save-baseline", "main"]);
    project.expect(0, &["gate", &first, "--save-baseline", "kept/main.json"]);
    let bad = project.expect(2, &["gate", &first, "--save-baseline", "../evil"]);
    assert!(bad.err.contains("no name for a baseline"), "{}", bad.err);
    // Whoever forgot to run anything since must not pass.
    for saved in ["main", "kept/main.json"] {
        let own = project.expect(2, &["gate", "bench", "--baseline", saved]);
        assert!(own.err.contains("its own baseline"), "{}", own.err);
    }
    if has_git {
        assert!(git(&["checkout", "-qb", "feature"]));
    }
    work(&project, "900");
    run(&project);
    let folder = project.newest_run("bench");
    let folder = folder.to_str().unwrap();
    for baseline in ["main", "kept/main.json", &first] {
        project.expect(1, &["gate", "bench", "--baseline", baseline]);
    }
    let own = project.expect(2, &["gate", "bench", "--baseline", folder]);
    assert!(own.err.contains("its own baseline"), "{}", own.err);
    // A program of that name does not stand before the run.
    project.write("bench", "#!/bin/sh\n");
    project.expect(0, &["gate", &first, "--baseline", "bench"]);
    let rule = ["--baseline", "main", "--rule", "time=5%:down"];
    let unknown = project.expect(2, &[&["gate", "bench"], &rule[..]].concat());
    assert!(
        unknown.err.contains("of a rule; there are score\n"),
        "{}",
        unknown.err
    );
    // A file of an earlier version does not say when its run was opened.
    let text = project.read("kept/main.json");
    let (before, rest) = text.split_once("\"opened\":").unwrap();
    let (_, after) = rest.split_once(",\"metrics\"").unwrap();
    project.write("old.json", &format!("{before}\"metrics\"{after}"));
    project.expect(1, &["gate", "bench", "--baseline", "old.json"]);
    let own = project.expect(2, &["gate", &first, "--baseline", "old.json"]);
    assert!(own.err.contains("its own baseline"), "{}", own.err);
    let none = project.expect(2, &["gate", "bench", "--baseline", "mian"]);
    assert!(none.err.contains("--save-baseline"), "{}", none.err);
    if has_git {
        let ran = project.expect(1, &["gate", "bench", "--baseline", "branch:main"]);
        assert!(ran.err.contains("recorded on branch `main`"), "{}", ran.err);
        project.expect(2, &["gate", "bench", "--baseline", "branch:other"]);
        // The run that was meant is not passed over because it cannot be read.
        let journal = project.path().join("data/rollouts").join(&first);
        let journal = journal.join("journal.jsonl");
        std::fs::remove_file(&journal).unwrap();
        std::fs::create_dir(&journal).unwrap();
        let spoiled = project.expect(3, &["gate", "bench", "--baseline", "branch:main"]);
        assert!(spoiled.err.contains("cannot read"), "{}", spoiled.err);
    } else {
        eprintln!("skipped: git is not installed");
    }
}

#[test]
fn arms_of_one_run_are_judged_without_a_baseline() {
    let spec = SPEC.replace("sh work.sh {seed}", "sh work.sh {seed} {cost}")
        + "\n[arms.control]\ncost = 0\n[arms.candidate]\ncost = 90\n";
    let project = Project::with_spec(&spec);
    project.write(
        "work.sh",
        "echo \"{\\\"score\\\": $((1000 - $2 + $1 * ($2 + 3) % 7))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(1, &["gate"]);
    assert!(ran.out.contains("candidate against control"), "{}", ran.out);
    let alone = Project::with_spec(SPEC);
    work(&alone, "1000");
    alone.expect(0, &["run", "bench.toml"]);
    let ran = alone.expect(2, &["gate"]);
    assert!(ran.err.contains("--baseline"), "{}", ran.err);
}

#[test]
fn a_machine_that_breaks_trials_and_a_run_that_is_not_finished_are_invalid() {
    let project = project();
    let first = run(&project);
    // It is there and may be run, but the program that it names to run it is not.
    project.write("broken.sh", "#!/no/such/interpreter\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.path().join("broken.sh"), executable).unwrap();
    project.write(
        "bench.toml",
        &SPEC.replace("sh work.sh {seed}", "./broken.sh"),
    );
    project.expect(3, &["run", "bench.toml"]);
    let ran = project.expect(3, &["gate", "bench", "--baseline", &first]);
    assert!(
        ran.out.starts_with("Invalid") || ran.err.contains("not finished"),
        "{}{}",
        ran.out,
        ran.err
    );
    project.write("bench.toml", &format!("budget = {{ trials = 2 }}\n{SPEC}"));
    project.run(&["run", "bench.toml"]);
    let ran = project.expect(3, &["gate", "bench", "--baseline", &first]);
    assert!(ran.err.contains("--resume"), "{}", ran.err);
    let asked = [
        "gate",
        "bench",
        "--baseline",
        &first,
        "--json",
        "--md",
        "gate.md",
    ];
    let answer = project.expect(3, &asked).json();
    assert_eq!(answer["word"], "invalid", "{answer}");
    assert!(
        answer["reasons"][0]["why"]
            .as_str()
            .unwrap()
            .contains("is not finished")
    );
    assert!(project.read("gate.md").contains("nvalid"));
}

#[test]
fn a_margin_that_the_change_itself_loosens_does_not_hold() {
    let project = project();
    let first = run(&project);
    work(&project, "900");
    project.write("bench.toml", &SPEC.replace("\"2%\"", "\"50%\""));
    let worse = run(&project);
    let ran = project.expect(1, &["gate", &worse, "--baseline", &first]);
    let said = "the baseline says a margin of 2 %, the run a margin of 50 %";
    assert!(ran.out.contains(said), "{}", ran.out);
    let rule = ["--rule", "score=50%"];
    project.expect(
        0,
        &[["gate", &worse, "--baseline", &first].as_slice(), &rule].concat(),
    );
    project.write("bench.toml", &SPEC.replace("\"up\"", "\"down\""));
    let turned = run(&project);
    let ran = project.expect(2, &["gate", &turned, "--baseline", &first]);
    assert!(ran.err.contains("--rule score:up"), "{}", ran.err);
}

/// Two arms, of which the candidate scores more and crashes on three of four seeds.
fn crashing(stop: &str) -> Project {
    let spec = SPEC
        .replace("seeds = 8", "seeds = 24")
        .replace("sh work.sh {seed}", "sh work.sh {seed} {lift}")
        + "\n[arms.control]\nlift = 0\n[arms.candidate]\nlift = 200\n"
        + stop;
    let project = Project::with_spec(&spec);
    project.write(
        "work.sh",
        "if [ $2 -gt 0 ] && [ $(($1 % 4)) -gt 0 ]; then exit 9; fi\n\
         echo \"{\\\"score\\\": $((1000 + $2 + $1 * ($2 + 3) % 7))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project
}

#[test]
fn a_candidate_that_mostly_crashes_does_not_pass_however_the_run_stops() {
    for stop in [
        "",
        "[analysis]\nstop = { when = \"decided\", min = 4, max = 24 }\n",
    ] {
        let project = crashing(stop);
        project.expect(1, &["run", "bench.toml"]);
        let ran = project.expect(1, &["gate"]);
        assert!(ran.out.starts_with("Regressed: failures"), "{}", ran.out);
        if !stop.is_empty() {
            for option in [
                ["--alpha", "0.2"],
                ["--pairing", "none"],
                ["--rule", "score"],
            ] {
                let refused = project.expect(2, &[["gate"].as_slice(), &option].concat());
                assert!(refused.err.contains(option[0]), "{}", refused.err);
            }
            project.expect(0, &["report"]);
            let page = project.newest_run("bench").join("report.md");
            let page = std::fs::read_to_string(page).unwrap();
            assert!(page.contains("of 24 trials of candidate"), "{page}");
        }
    }
}

#[test]
fn a_candidate_without_one_working_trial_is_never_excused() {
    let spec = SPEC
        .replace("seeds = 8", "seeds = 2")
        .replace("sh work.sh {seed}", "sh work.sh {seed} {works}")
        + "\n[arms.control]\nworks = \"true\"\n[arms.candidate]\nworks = \"false\"\n";
    let project = Project::with_spec(&spec);
    project.write(
        "work.sh",
        "$2 || exit 1\necho \"{\\\"score\\\": $1}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    let ran = project.expect(3, &["gate", "--allow-inconclusive"]);
    let words = ran.out.replace('\n', " ");
    assert!(
        words.contains("2 of 2 trials of the candidate fail"),
        "{words}"
    );
}

/// Both sides of a broken benchmark fail alike, which is no regression, and no pass either.
#[test]
fn a_benchmark_that_is_broken_is_invalid_whatever_is_allowed() {
    let arms = "\n[arms.control]\nlift = 0\n[arms.candidate]\nlift = 1\n";
    let stop = "[analysis]\nstop = { when = \"decided\", min = 4, max = 15 }\n";
    let score = "echo \"{\\\"score\\\": $((1000 + $1 % 7))}\" >> \"$FAIRTRIAL_METRICS\"\n";
    let broken = [
        // Every trial fails.
        ("seeds = 15", "", "exit 1\n".to_owned()),
        ("seeds = 15", stop, "exit 1\n".to_owned()),
        // Most trials fail.
        (
            "seeds = 15",
            "",
            format!("[ $(($1 % 3)) -gt 0 ] && exit 1\n{score}"),
        ),
        // The number is not reported any more.
        ("seeds = 15", "", "true\n".to_owned()),
        // One trial on a side says nothing.
        ("seeds = 1", "", score.replace("$1 % 7", "$2")),
    ];
    for (seeds, stop, work) in broken {
        let spec = SPEC
            .replace("seeds = 8", seeds)
            .replace("sh work.sh {seed}", "sh work.sh {seed} {lift}");
        let project = Project::with_spec(&format!("{spec}{arms}{stop}"));
        project.write("work.sh", &work);
        let ran = project.run(&["run", "bench.toml"]);
        assert!(ran.code <= 1, "{work}\n{}", ran.err);
        for allowed in [&["gate"][..], &["gate", "--allow-inconclusive"]] {
            let judged = project.expect(3, allowed);
            assert!(judged.out.starts_with("Invalid"), "{work}\n{}", judged.out);
        }
    }
}

#[test]
fn what_must_be_known_before_trusting_it_stands_in_every_form_of_the_answer() {
    let spec = SPEC
        .replace("seeds = 8", "seeds = 5")
        .replace("sh work.sh {seed}", "sh work.sh {seed} {cost}")
        + "\n[arms.control]\ncost = 0\n[arms.candidate]\ncost = 90\n";
    let project = Project::with_spec(&spec);
    project.write(
        "work.sh",
        "echo \"{\\\"score\\\": $((1000 - $2 + $1 * ($2 + 3) % 7))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let few = project.expect(1, &["gate"]).out.replace('\n', " ");
    assert!(few.contains("score: few units: "), "{few}");
    project.expect(0, &["run", "bench.toml", "--set", "seeds=8", "--reuse"]);
    let ran = project.expect(1, &["gate", "--md", "g.md"]);
    for text in [ran.out.replace('\n', " "), project.read("g.md")] {
        assert!(text.contains("adds 3 seeds to the 5 of"), "{text}");
    }
}

/// Changes one digit in some of the records of a journal, as a bad disk would.
fn damage(journal: &std::path::Path, some: usize) {
    let text = std::fs::read_to_string(journal).unwrap();
    let mut left = some;
    let lines = text.lines().map(|line| {
        if left > 0 && line.starts_with("{\"event\":\"finished\"") {
            left -= 1;
            return line.replacen("\"attempt\":1", "\"attempt\":7", 1) + "\n";
        }
        line.to_owned() + "\n"
    });
    let damaged: String = lines.collect();
    assert_ne!(damaged, text);
    std::fs::write(journal, damaged).unwrap();
}

#[test]
fn a_finished_run_that_lost_records_decides_nothing_and_is_no_baseline() {
    let project = project();
    let first = run(&project);
    let same = run(&project);
    let journal = project.newest_run("bench").join("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    damage(&journal, 2);
    let ran = project.expect(
        3,
        &["gate", &same, "--baseline", &first, "--junit", "j.xml"],
    );
    assert!(ran.out.starts_with("Invalid: "), "{}", ran.out);
    let said = ran.out.replace('\n', " ");
    let lost = "2 lines of its journal are damaged, and 2 of 8 trials have no record";
    assert!(said.contains(lost), "{said}");
    assert!(project.read("j.xml").contains("errors=\"1\""));
    // Nor is anything held against it.
    let ran = project.expect(3, &["gate", &first, "--baseline", &same]);
    assert!(ran.out.starts_with("Invalid: "), "{}", ran.out);
    let ran = project.expect(3, &["gate", &same, "--save-baseline", "main"]);
    assert!(ran.err.contains("has lost records"), "{}", ran.err);
    assert!(!project.path().join("data/baselines/main.json").exists());
    // Lines that are gone leave no damage behind.
    let records = |line: &&str| line.starts_with("{\"event\":\"finished\"");
    let gone = whole.lines().find(records).unwrap();
    std::fs::write(&journal, whole.replace(&format!("{gone}\n"), "")).unwrap();
    let ran = project.expect(3, &["gate", &same, "--baseline", &first]);
    let said = ran.out.replace('\n', " ");
    assert!(said.contains("1 of 8 trials have no record"), "{said}");
    // A new run takes over what is left.
    project.expect(0, &["run", "bench.toml", "--reuse"]);
    project.expect(0, &["gate", "bench", "--baseline", &first]);
}

#[test]
fn numbers_that_are_made_differently_are_not_compared() {
    let project = project();
    let first = run(&project);
    project.expect(0, &["gate", &first, "--save-baseline", "base.json"]);
    let rounded = SPEC.replace("margin = \"2%\"", "margin = \"2%\"\nround = 0");
    project.write("bench.toml", &rounded);
    let second = run(&project);
    for baseline in [first.as_str(), "base.json"] {
        let ran = project.expect(2, &["gate", &second, "--baseline", baseline]);
        assert!(
            ran.err
                .contains("make the numbers of `score` differently (round: none and 0)"),
            "{}",
            ran.err
        );
    }
    let accepted = [
        "gate",
        &second,
        "--baseline",
        "base.json",
        "--accept-definition",
    ];
    let ran = project.expect(0, &accepted);
    assert!(ran.out.contains("score: round (none | 0)"), "{}", ran.out);
    let ran = project.expect(0, &["compare", &first, &second]);
    let out = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "--accept definition overrides",
        "The sides make the numbers of a metric differently: score: round (none | 0).",
    ] {
        assert!(out.contains(sentence), "{out}");
    }
    let ran = project.expect(0, &["compare", &first, &second, "--accept", "definition"]);
    assert!(ran.out.contains("identical"), "{}", ran.out);
}

/// Two tasks, of which the second got worse.
const TWO_TASKS: &str = r#"
name = "bench"
seeds = 8
[defaults]
command = "sh work.sh {task} {seed}"
[[tasks]]
id = "easy"
[[tasks]]
id = "hard"
[arms.old]
drop = 0
[arms.new]
drop = 100
[metrics.score]
direction = "up"
margin = "2%"
"#;

#[test]
fn a_part_of_the_trials_can_be_judged_alone_and_that_is_said() {
    let spec = TWO_TASKS.replace("{seed}", "{seed} {drop}");
    let project = Project::with_spec(&spec);
    project.write(
        "work.sh",
        "loss=0; test $1 = easy || loss=$3; echo \"{\\\"score\\\": $((1000 + $2 % 7 - loss))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    project.expect(1, &["gate", "bench", "--only", "task=hard"]);
    let ran = project.expect(0, &["gate", "bench", "--only", "task=easy", "--json"]);
    assert_eq!(ran.json()["word"], "equivalent", "{}", ran.out);
    let ran = project.expect(0, &["compare", "bench", "--only", "task=easy"]);
    let words = "only `task=easy` is looked at: 16 of 32 trials";
    assert!(ran.out.contains(words), "{}", ran.out);
    assert!(!ran.out.contains("regressed"), "{}", ran.out);
    let ran = project.expect(2, &["compare", "bench", "--only", "task=none"]);
    assert!(ran.err.contains("no trial of"), "{}", ran.err);
}

#[test]
fn revisions_are_timed_and_judged_in_one_command() {
    let project = Project::new();
    let set_up = "git init -q -b main . && git config user.name you && git config user.email you@example.com && \
                  printf data/ > .gitignore && echo 'sleep 0.002' > work.sh && git add . && git commit -qm quick && \
                  echo 'sleep 0.3' > work.sh";
    assert_eq!(project.shell(set_up).code, 0);
    let gate = ["gate", "--rev", "main", "--build", "cp work.sh built.sh"];
    let command = ["--", "sh", "built.sh"];
    let files = ["--json", "--md", "summary.md"];
    let ran = project.run(&[&gate[..], &files, &command].concat());
    assert_eq!(ran.code, 1, "slower: {}{}", ran.out, ran.err);
    assert_eq!(ran.json()["word"], "regressed", "{}", ran.out);
    assert!(project.read("summary.md").contains("regressed"));
    // The run is kept: it can be judged again, with the same answer.
    project.expect(1, &["gate", "bench"]);
    // What cannot be is said before anything is built.
    for (args, wanted) in [
        (&["--rule", "wall=5%"][..], "cannot be used with"),
        (&["--baseline", "x"], "cannot be used with"),
    ] {
        let ran = project.run(&[&gate[..], args, &command].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(wanted), "{}", ran.err);
    }
    for (args, wanted) in [
        (
            &["gate", "--rev", "main"][..],
            "there is no command to time",
        ),
        (
            &["gate", "bench", "--margin", "5%"],
            "--margin is about what `gate --rev",
        ),
        (&["gate", "--", "true"], "--rev"),
    ] {
        let ran = project.run(args);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(wanted), "{}", ran.err);
    }
    // A revision whose command fails is not judged.
    let failing = [&gate[..], &["--", "sh", "-c", "echo broken >&2; exit 3"]].concat();
    let ran = project.run(&failing);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("broken"), "{}", ran.err);
}

#[test]
fn the_headline_of_several_rules_leads_with_numbers() {
    let spec = format!("{SPEC}\n[metrics.speed]\ndirection = \"up\"\nmargin = \"5%\"\n");
    let project = Project::with_spec(&spec);
    let work = |score: &str| {
        let number = format!("$(({score} + $1 * {score} / 100 % 7))");
        let line = format!("{{\\\"score\\\": {number}, \\\"speed\\\": {number}}}");
        project.write(
            "work.sh",
            &format!("echo \"{line}\" >> \"$FAIRTRIAL_METRICS\"\n"),
        );
    };
    work("1000");
    let first = run(&project);
    work("900");
    let worse = run(&project);
    let rules = ["--rule", "score", "--rule", "speed", "--junit", "j.xml"];
    let gate = ["gate", &worse, "--baseline", &first];
    let ran = project.expect(1, &[&gate[..], &rules].concat());
    let headline: String = ran.out.lines().take(2).collect::<Vec<_>>().join(" ");
    let (size, others) = headline.split_once("; ").unwrap();
    assert!(size.starts_with("Regressed: score -10"), "{headline}");
    assert!(
        size.contains(" % [-1") && size.ends_with("margin 2 %"),
        "{headline}"
    );
    assert!(others.starts_with("also speed."), "{headline}");
    let junit = project.read("j.xml");
    assert!(junit.contains("message=\"score -10"), "{junit}");
}

#[test]
fn sides_that_never_failed_are_no_reason() {
    let spec = SPEC.replace("sh work.sh {seed}", "sh work.sh {seed} {said}")
        + "\n[metrics.speed]\ndirection = \"up\"\nrequired = false\n[arms.control]\nsaid = \"speed\"\n[arms.candidate]\nsaid = \"other\"\n";
    let project = Project::with_spec(&spec);
    project.write(
        "work.sh",
        "echo \"{\\\"score\\\": $((1000 + $1 % 7)), \\\"$2\\\": $1}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(3, &["gate", "bench", "--rule", "score", "--rule", "speed"]);
    assert!(ran.out.starts_with("Invalid: speed: "), "{}", ran.out);
    assert!(!ran.out.contains("0 of 8 trials"), "{}", ran.out);
}
