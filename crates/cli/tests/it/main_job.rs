//! The main job as a user meets it: from a spec to a table, and again after a change of mind.

use crate::common::Project;

const PAIRED: &str = r#"
name = "paired"
seeds = 3
parallel = 2
[[tasks]]
id = "score"
command = ["sh", "-c", 'echo "{\"score\": $(( FAIRTRIAL_SEED % 7 + {bonus} ))}" >> "$FAIRTRIAL_METRICS"; echo said; echo wrong >&2']
[arms.control]
bonus = 0
[arms.candidate]
bonus = 2
[metrics.score]
direction = "up"
"#;

#[test]
fn a_comparison_ends_in_a_table_per_arm_and_a_complete_directory() {
    let project = Project::with_spec(PAIRED);
    let ran = project.expect(0, &["run", "bench.toml", "-v"]);
    assert!(
        ran.out.contains("control") && ran.out.contains("candidate"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("✓ all 6 trials have ended (6 ok)"),
        "{}",
        ran.err
    );
    let run = project.newest_run("paired");
    for file in [
        "spec.toml",
        "plan.json",
        "journal.jsonl",
        "manifest.json",
        "runs.txt",
        "environment.json",
        "summary.md",
    ] {
        assert!(run.join(file).is_file(), "{file}");
    }
    assert_eq!(
        std::fs::read_to_string(run.join("spec.toml")).unwrap(),
        PAIRED
    );
    assert!(run.join("task_results/score.json").is_file());
    let plan: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("plan.json")).unwrap()).unwrap();
    assert_eq!(plan["count"], 6);
    assert_eq!(plan["trials"].as_array().unwrap().len(), 6);
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap();
    for result in manifest["results"].as_array().unwrap() {
        let trial = project.path().join(result["run_dir"].as_str().unwrap());
        assert_eq!(
            std::fs::read_to_string(trial.join("logs/stdout.log")).unwrap(),
            "said\n"
        );
        assert_eq!(
            std::fs::read_to_string(trial.join("logs/stderr.log")).unwrap(),
            "wrong\n"
        );
        let record: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(trial.join("record.json")).unwrap())
                .unwrap();
        assert_eq!(record["outcome"], "ok");
        assert!(record["metrics"]["score"].is_number());
        assert!(record["resources"]["wall_s"].as_f64().unwrap() > 0.0);
        assert!(record["resources"]["peak_memory_bytes"].as_u64().unwrap() > 0);
    }
}

#[test]
fn summaries_status_and_list_agree_and_have_json() {
    let project = Project::with_spec(PAIRED);
    let ran = project.expect(0, &["run", "bench.toml", "--json"]).json();
    assert_eq!(ran["counts"]["ok"], 6);
    assert_eq!(ran["status"], "finished");
    let stamp = ran["stamp"].as_str().unwrap();
    let summary = project
        .expect(0, &["summarize", "paired", "--rollout", stamp, "--json"])
        .json();
    assert_eq!(summary["cells"].as_array().unwrap().len(), 2);
    assert_eq!(summary, ran["summary"]);
    let status = project.expect(0, &["status", "--json"]).json();
    assert_eq!(
        (&status["status"], &status["ended"]),
        (&"finished".into(), &6.into())
    );
    let list = project.expect(0, &["list", "--json"]).json();
    assert_eq!(list[0]["counts"]["ok"], 6);
    project.expect(2, &["summarize", "nobody"]);
    project.expect(
        2,
        &["summarize", "paired", "--rollout", "20010101__00-00-00"],
    );
}

#[test]
fn a_finished_run_is_resumed_without_running_anything() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    let before = project.journal("paired");
    let again = project
        .expect(0, &["run", "bench.toml", "--resume", "--json"])
        .json();
    assert_eq!((&again["ran"], &again["kept"]), (&0.into(), &6.into()));
    let started = |journal: &[serde_json::Value]| {
        journal
            .iter()
            .filter(|line| line["event"] == "started")
            .count()
    };
    assert_eq!(started(&project.journal("paired")), started(&before));
}

#[test]
fn a_changed_spec_is_explained_and_unchanged_trials_are_reused() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    project.write("bench.toml", &PAIRED.replace("bonus = 2", "bonus = 3"));
    let refused = project.expect(2, &["run", "bench.toml", "--resume"]);
    assert!(
        refused.err.contains("3 trials are the same, 3 changed"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("`params` differs in 3") && refused.err.contains("--reuse"),
        "{}",
        refused.err
    );
    let reused = project
        .expect(0, &["run", "bench.toml", "--reuse", "--json"])
        .json();
    assert_eq!((&reused["kept"], &reused["ran"]), (&3.into(), &3.into()));
    let taken: Vec<_> = project
        .journal("paired")
        .into_iter()
        .filter(|line| line["reused_from"].is_string())
        .collect();
    assert_eq!(taken.len(), 3);
    let old = project
        .expect(
            0,
            &[
                "run",
                "bench.toml",
                "--set",
                "arms.candidate.bonus=2",
                "--reuse",
                "--json",
            ],
        )
        .json();
    assert_eq!((&old["kept"], &old["ran"]), (&3.into(), &3.into()));
}

#[test]
fn a_run_whose_first_line_is_damaged_is_not_gone_on_with() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    let path = project.newest_run("paired").join("journal.jsonl");
    let mut journal = std::fs::read(&path).unwrap();
    journal[5] ^= 1;
    std::fs::write(&path, &journal).unwrap();
    // Nobody could tell that the records are of another plan.
    let other = PAIRED.replace("bonus = 2", "bonus = 3");
    project.write("bench.toml", &other);
    let refused = project.expect(3, &["run", "bench.toml", "--resume"]);
    assert!(
        refused.err.contains("first line") && refused.err.contains("--reuse"),
        "{}",
        refused.err
    );
    assert_eq!(std::fs::read(&path).unwrap(), journal, "nothing is written");
    let reused = project.expect(0, &["run", "bench.toml", "--reuse", "--json"]);
    assert_eq!(reused.json()["kept"], 3);
}

#[test]
fn no_journal_holds_a_secret_of_the_environment() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    for more in [&[][..], &["--reuse"]] {
        let set = ["--set", "arms.candidate.note=hunter2-hunter2"];
        let mut command = project.command(&[&["run", "bench.toml"], more, &set].concat());
        let ran = command.env("MY_API_KEY", "hunter2-hunter2").output();
        assert!(ran.unwrap().status.success());
        let journal = project.newest_run("paired").join("journal.jsonl");
        let journal = std::fs::read_to_string(journal).unwrap();
        assert!(!journal.contains("hunter2"), "{more:?}: {journal}");
    }
}

#[test]
fn what_goes_on_with_a_run_can_be_pasted() {
    let capped = format!("{PAIRED}[budget]\ntrials = 2\n");
    let project = Project::with_spec(&capped);
    let set = ["--set", "name=pilot", "--set", "arms.candidate.bonus=4"];
    let ran = project.expect(0, &[&["run", "bench.toml"][..], &set].concat());
    let (_, command) = ran.err.split_once("as by `fairtrial ").unwrap();
    let command = command.split('`').next().unwrap().replace("=N ", "=6 ");
    let words: Vec<&str> = command.split(' ').collect();
    let rest = project.expect(0, &words);
    assert!(rest.err.contains("all 6 trials have ended"), "{}", rest.err);
}

#[test]
fn seeds_that_are_added_after_a_verdict_are_told() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    // The same plan again, and one with another candidate, are no second look.
    for set in ["name=paired", "arms.candidate.bonus=3"] {
        let same = project.expect(0, &["run", "bench.toml", "--reuse", "--set", set]);
        let said = same.out + &same.err;
        assert!(!said.contains("adds"), "{set}");
        assert!(!said.contains("order of trials"), "{said}");
    }
    project.expect(0, &["run", "bench.toml", "--reuse"]);
    let more = ["run", "bench.toml", "--reuse", "--set", "seeds=6"];
    let more = project.expect(0, &more);
    assert!(
        more.err.contains("this adds 3 seeds to run paired"),
        "{}",
        more.err
    );
    assert!(
        more.out.contains("adds 3 seeds to the 3 of paired"),
        "{}",
        more.out
    );
    let compared = project.expect(0, &["compare", "paired"]);
    assert!(
        compared.out.contains("adds 3 seeds to the 3 of paired"),
        "{}",
        compared.out
    );
    project.expect(0, &["report", "paired", "--md", "page.md"]);
    let page = project.read("page.md");
    assert!(page.contains("adds 3 seeds to the 3 of paired"), "{page}");
}

#[test]
fn a_budget_that_was_looked_at_is_not_raised() {
    // A difference that is not the same for every seed, so that there is something to look at.
    let noisy = "{bonus} * (2 + FAIRTRIAL_SEED % 3) ))";
    let project = Project::with_spec(&PAIRED.replace("{bonus} ))", noisy));
    let until = ["run", "bench.toml", "--until", "decided"];
    project.expect(0, &until);
    let raised = [&until[..], &["--reuse", "--set", "seeds=30"]].concat();
    let refused = project.expect(2, &raised);
    assert!(
        refused
            .err
            .contains("was looked at with a budget of 3 seeds"),
        "{}",
        refused.err
    );
    let looser = [&until[..], &["--reuse", "--set", "analysis.alpha=0.2"]].concat();
    let refused = project.expect(2, &looser);
    assert!(
        refused.err.contains("`alpha` was 0.05 and is 0.2"),
        "{}",
        refused.err
    );
    project.expect(0, &[&until[..], &["--reuse"]].concat());
}

#[test]
fn parts_of_a_plan_are_selected_and_resumed_as_selected() {
    let project = Project::with_spec(PAIRED);
    let part = project
        .expect(
            0,
            &[
                "run",
                "bench.toml",
                "--only",
                "arm=candidate,seed=1072",
                "--json",
            ],
        )
        .json();
    assert_eq!(part["trials"], 1);
    let resumed = project
        .expect(0, &["run", "bench.toml", "--resume", "--json"])
        .json();
    assert_eq!(
        (&resumed["trials"], &resumed["ran"]),
        (&1.into(), &0.into())
    );
    let plan = project
        .expect(0, &["plan", "bench.toml", "--only", "0,3:5", "--json"])
        .json();
    assert_eq!(plan["count"], 3);
    project.expect(2, &["plan", "bench.toml", "--only", "9"]);
    let dry = project.expect(0, &["run", "bench.toml", "--dry-run"]);
    assert!(
        dry.out.contains("6 trials in order `blocks`"),
        "{}",
        dry.out
    );
}

#[test]
fn outcomes_decide_the_exit_code_and_stay_in_the_table() {
    let project = Project::with_spec(
        r#"
name = "ends"
[[tasks]]
id = "good"
command = "true"
[[tasks]]
id = "bad"
command = ["sh", "-c", "exit 3"]
[[tasks]]
id = "slow"
command = "sleep 60"
timeout = "200ms"
kill_grace = "100ms"
[[tasks]]
id = "mute"
command = "true"
needs = ["bad"]
"#,
    );
    let ran = project.expect(1, &["run", "bench.toml", "--json"]).json();
    let counts = &ran["counts"];
    assert_eq!(
        (
            &counts["ok"],
            &counts["failed"],
            &counts["timeout"],
            &counts["skipped"]
        ),
        (&1.into(), &1.into(), &1.into(), &1.into())
    );
    let causes: Vec<String> = project
        .journal("ends")
        .iter()
        .filter_map(|line| line["cause"]["kind"].as_str().map(str::to_owned))
        .collect();
    assert!(
        causes.contains(&"exit_code".into())
            && causes.contains(&"wall_time".into())
            && causes.contains(&"needs".into())
    );
    let table = project.expect(0, &["summarize", "ends"]);
    assert!(table.out.contains("timeout"), "{}", table.out);
}

#[test]
fn a_required_metric_that_is_missing_fails_the_trial() {
    let project = Project::with_spec("name = \"m\"\ncommand = \"true\"\n[metrics.score]\n");
    project.expect(1, &["run", "bench.toml"]);
    let finished = project
        .journal("m")
        .into_iter()
        .find(|line| line["event"] == "finished")
        .unwrap();
    assert_eq!(finished["outcome"], "failed");
    assert!(
        finished["cause"]["metrics"][0]
            .as_str()
            .unwrap()
            .contains("`score` (metrics.jsonl is not there)")
    );
}

#[test]
fn what_cannot_run_is_refused_before_anything_starts() {
    let program = Project::with_spec("name = \"p\"\ncommand = \"no-such-program-here\"\n");
    let refused = program.expect(2, &["run", "bench.toml"]);
    assert!(
        refused
            .err
            .contains("program `no-such-program-here` is not found in PATH"),
        "{}",
        refused.err
    );
    assert!(!program.path().join("data").exists());
    let variable = Project::with_spec(
        "name = \"v\"\ncommand = \"true\"\nenv = { TOKEN = \"${NOT_SET_ANYWHERE}\" }\n",
    );
    assert!(
        variable
            .expect(2, &["run", "bench.toml"])
            .err
            .contains("`NOT_SET_ANYWHERE` is not set")
    );
}

#[test]
fn a_trial_finds_its_context_in_the_environment() {
    let project = Project::with_spec(
        r#"
name = "context"
seeds = [7]
[[tasks]]
id = "t"
command = ["sh", "-c", 'cp "$FAIRTRIAL_PARAMS" "$FAIRTRIAL_DIR/p.json"; echo "$FAIRTRIAL_SEED $FAIRTRIAL_TRIAL $GREETING {lr} ${HIDDEN-hidden}"']
env = { GREETING = "hello ${WHO}" }
inherit_env = { deny = ["HIDDEN"] }
[sweep]
lr = [0.5]
"#,
    );
    let mut command = project.command(&["run", "bench.toml"]);
    let ran = command
        .env("WHO", "world")
        .env("HIDDEN", "x")
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let run_dir = project.read(&format!(
        "data/rollouts/context/{}/runs.txt",
        project
            .newest_run("context")
            .file_name()
            .unwrap()
            .to_string_lossy()
    ));
    let trial = run_dir.trim();
    let name = trial.rsplit('/').next().unwrap();
    assert_eq!(
        project.read(&format!("{trial}/logs/stdout.log")),
        format!("7 {name} hello world 0.5 hidden\n")
    );
    assert_eq!(project.read(&format!("{trial}/p.json")), "{\"lr\":0.5}");
}

#[test]
fn variables_in_the_words_of_a_command_are_the_callers() {
    let spec = "name = \"w\"\n[[tasks]]\nid = \"words\"\ncommand = \"echo --data=${DATASET} $${HOME}\"\n\
                [[tasks]]\nid = \"script\"\ncommand = ['sh', '-c', 'x=in; echo ${x}side']\n";
    let project = Project::with_spec(spec);
    let unset = project.expect(2, &["run", "bench.toml"]);
    assert!(unset.err.contains("DATASET"), "{}", unset.err);
    let ran = project
        .command(&["run", "bench.toml"])
        .env("DATASET", "/d 1")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let run = project.newest_run("w");
    let dirs = std::fs::read_to_string(run.join("runs.txt")).unwrap();
    let mut said: Vec<String> = dirs
        .lines()
        .map(|dir| project.read(&format!("{dir}/logs/stdout.log")))
        .collect();
    said.sort();
    assert_eq!(said, ["--data=/d 1 ${HOME}\n", "inside\n"]);
}

#[test]
fn secrets_of_the_environment_reach_no_file_of_ours() {
    let secret = "sk-planted-0123456789abcdef0123456789";
    let project = Project::with_spec(
        "name = \"s\"\ncommand = [\"/does/not/${X}exist\"]\nshell = false\nenv = { K = \"${MY_API_KEY}\" }\n[provenance]\nenv = [\"MY_*\"]\n",
    );
    let ran = project
        .command(&["run", "bench.toml", "--set", &format!("notes={secret}")])
        .env("MY_API_KEY", secret)
        .env("X", "")
        .output()
        .unwrap();
    let _ = ran;
    let mut left = vec![project.path().join("data")];
    let mut files = 0;
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.is_file()
            && path
                .file_name()
                .is_some_and(|name| name != "spec.resolved.json")
        {
            files += 1;
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(secret), "{}", path.display());
        }
    }
    assert!(files > 3);
}

#[test]
fn the_documented_analysis_snippet_runs_on_our_output() {
    if std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let project = Project::with_spec(
        "name = \"your_benchmark\"\nseeds = 2\n[[tasks]]\nid = \"t\"\ncommand = [\"sh\", \"-c\", 'echo \"{\\\"total_score\\\": 0.75}\" > {dir}/evaluation_results.json']\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let stamp = project
        .newest_run("your_benchmark")
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let snippet = format!(
        r#"
import json
from pathlib import Path
rollout_dir = Path("data/rollouts/your_benchmark/{stamp}")
manifest = json.loads((rollout_dir / "manifest.json").read_text())
for result in manifest["results"]:
    run_dir = Path(result["run_dir"])
    if (run_dir / "evaluation_results.json").exists():
        eval_data = json.loads((run_dir / "evaluation_results.json").read_text())
        print(f"Task: {{result['task_dir']}}")
        print(f"Score: {{eval_data.get('total_score', 'N/A')}}")
"#
    );
    let ran = std::process::Command::new("python3")
        .arg("-c")
        .arg(snippet)
        .current_dir(project.path())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "Task: t\nScore: 0.75\nTask: t\nScore: 0.75\n"
    );
}

#[test]
fn retries_keep_the_evidence_of_every_attempt() {
    let project = Project::with_spec(
        "name = \"r\"\n[[tasks]]\nid = \"t\"\ncommand = [\"sh\", \"-c\", 'echo try {attempt}; test {attempt} -ge 3']\nretries = { failed = 2 }\n",
    );
    let ran = project.expect(0, &["run", "bench.toml", "--json"]).json();
    assert_eq!(ran["counts"]["ok"], 1);
    let stamp = ran["stamp"].as_str().unwrap();
    for (attempt, suffix) in [(1, ""), (2, "-attempt2"), (3, "-attempt3")] {
        assert_eq!(
            project.read(&format!("data/runs/{stamp}-0{suffix}/logs/stdout.log")),
            format!("try {attempt}\n")
        );
    }
}

#[test]
fn a_cap_on_money_holds_over_all_sessions() {
    let project = Project::with_spec(
        "name = \"b\"\nseeds = 5\nparallel = 1\nshell = true\nbudget = { cost = 2.0 }\n\
         command = 'echo \"{\\\"cost_usd\\\": 1.0}\" >> $FAIRTRIAL_METRICS'\n",
    );
    let counts = |more: &[&str]| {
        let args = [&["run", "bench.toml", "--json"], more].concat();
        project.expect(0, &args).json()["counts"]["ok"].clone()
    };
    assert_eq!(counts(&[]), 2);
    assert_eq!(counts(&["--resume"]), 2, "it is spent");
    assert_eq!(counts(&["--resume", "--set", "budget.cost=4"]), 4);
}

#[test]
fn a_cap_given_by_hand_holds_until_another_is_given() {
    let project = Project::with_spec("name = \"b\"\nseeds = 5\ncommand = \"true\"\n");
    let run = |more: &[&str]| {
        let args = [&["run", "bench.toml"], more].concat();
        project.expect(0, &args).err
    };
    let told = run(&["--set", "budget.trials=2", "--set", "notes=x"]);
    let advice = "run bench.toml --set notes=x --set budget.trials=N --resume`";
    assert!(told.contains(advice), "{told}");
    let told = run(&["--resume"]);
    assert!(told.contains("the run keeps `budget.trials`"), "{told}");
    assert!(told.contains("2 of 5 trials"), "{told}");
    let told = run(&["--resume", "--set", "budget.trials=5"]);
    assert!(told.contains("all 5 trials have ended"), "{told}");
}

#[test]
fn the_advice_to_raise_a_cap_keeps_the_metric_that_it_counts() {
    let project = Project::with_spec(
        "name = \"b\"\nseeds = 5\nparallel = 1\nshell = true\nbudget = { cost = { max = 2.0, metric = \"euros\" } }\n\
         command = 'echo \"{\\\"euros\\\": 1.0}\" >> $FAIRTRIAL_METRICS'\n",
    );
    let stopped = project.expect(0, &["run", "bench.toml"]);
    let advice = "fairtrial run bench.toml --set budget.cost.max=N --resume";
    assert!(stopped.err.contains(advice), "{}", stopped.err);
    let words = advice.replace("=N", "=4");
    let words: Vec<&str> = words.split(' ').skip(1).collect();
    let resumed = project.expect(0, &words);
    let told = "cost budget spent: 4 of 5 trials are done";
    assert!(resumed.err.contains(told), "{}", resumed.err);
}

#[test]
fn a_run_that_was_ended_before_it_began_is_not_the_newest() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    let dead = project
        .command(&["run", "bench.toml"])
        .env("FAIRTRIAL_FAILPOINT", "journal.before_write")
        .output()
        .unwrap();
    assert!(!dead.status.success());
    let dir = project.newest_run("paired");
    assert_eq!(std::fs::read(dir.join("journal.jsonl")).unwrap(), b"");
    let stamp = dir.file_name().unwrap().to_str().unwrap();
    let told = format!("run paired {stamp} was ended before it began and is passed over");
    for args in [
        &["compare", "control", "candidate"][..],
        &["compare", "paired"],
        &["summarize"],
        &["status", "paired"],
        &["list"],
        &["list", "paired"],
        &["export", "paired", "--to", "csv"],
        &["verify", "paired"],
        &["report", "paired"],
        &["variance", "paired:control", "--json"],
    ] {
        let ran = project.expect(0, args);
        assert_eq!(ran.err.matches(&told).count(), 1, "{args:?}: {}", ran.err);
    }
    let named = project.expect(2, &["compare", &format!("paired/{stamp}")]);
    assert!(named.err.contains("--resume"), "{}", named.err);
    std::fs::remove_file(dir.join("journal.jsonl")).unwrap();
    let named = project.expect(3, &["compare", &format!("paired/{stamp}")]);
    assert!(named.err.contains("--resume"), "{}", named.err);
    let reused = project.expect(0, &["run", "bench.toml", "--reuse"]);
    assert!(reused.err.contains(&told), "{}", reused.err);
    assert!(
        reused.err.contains("6 trials are the same"),
        "{}",
        reused.err
    );
    // It can still be begun.
    let begun = project.expect(0, &["run", "bench.toml", "--resume", stamp]);
    assert!(begun.err.contains("it begins now"), "{}", begun.err);
}

#[test]
fn a_resume_that_is_refused_says_what_changed_beside_the_trials() {
    let project = Project::with_spec(PAIRED);
    project.expect(0, &["run", "bench.toml"]);
    let changed = PAIRED.replace(
        "id = \"score\"",
        "id = \"score\"\ninherit_env = { deny = [\"AWS_*\"] }",
    );
    project.write("bench.toml", &changed);
    let refused = project.expect(2, &["run", "bench.toml", "--resume"]);
    let said = "`tasks.score.inherit_env.deny` changed: `[]` before, `[\"AWS_*\"]` now";
    assert!(refused.err.contains(said), "{}", refused.err);
}
