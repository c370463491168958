//! What is left on the screen when a run has ended: the answer, in a few lines, with the verdict last.

use crate::common::{Project, Ran};

/// More lines than this are not read.
const MOST_LINES: usize = 15;

const TRAIN: &str = r#"
name = "train"
seeds = 6
parallel = 1
shell = true
command = 'echo "{\"reward\": $(({x} * 10 + {seed} * {x} % 7)), \"cost\": $(({seed} % 5))}" >> "$FAIRTRIAL_METRICS"'
[arms.control]
x = 1
[arms.candidate]
x = 2
[metrics]
reward = { direction = "up" }
cost = { direction = "down" }
"#;

/// The answer without what differs from run to run.
fn answer(project: &Project, ran: &Ran) -> String {
    let name = ran.out.lines().find(|line| line.contains("trials, "));
    let stamp = name.and_then(|line| line.split([' ', ':']).nth(1));
    let text = ran.out.replace(stamp.unwrap_or("?"), "STAMP");
    text.replace(&project.path().display().to_string(), "PROJECT")
}

fn lines(ran: &Ran) -> usize {
    ran.out.lines().count()
}

#[test]
fn a_comparison_ends_with_its_verdict() {
    let project = Project::with_spec(TRAIN);
    let ran = project.expect(0, &["run", "bench.toml"]);
    insta::assert_snapshot!("training", answer(&project, &ran));
    assert!(ran.err.contains("✓ candidate seed 1072 in "), "{}", ran.err);
    assert!(ran.err.contains("reward 22 [2/12"), "{}", ran.err);
}

#[test]
fn verbose_has_the_tables_and_ends_the_same_way() {
    let project = Project::with_spec(TRAIN);
    let ran = project.expect(0, &["run", "bench.toml", "-v"]);
    assert!(ran.out.contains("reward (higher is better)"), "{}", ran.out);
    assert!(ran.out.contains("Method: "), "{}", ran.out);
    let last = ran.out.lines().rev().find(|line| !line.is_empty()).unwrap();
    assert!(
        last.starts_with("more: `fairtrial report train` (or"),
        "{last}"
    );
}

#[test]
fn what_is_to_be_typed_next_finds_a_run_in_another_root() {
    let project = Project::with_spec(TRAIN);
    let ran = project.expect(0, &["run", "bench.toml", "--data-dir", "other place"]);
    let next = ran.out.split('`').nth(1).unwrap();
    assert!(next.ends_with("--data-dir 'other place'"), "{next}");
    let pasted = project.shell(next);
    assert_eq!(pasted.code, 0, "{next}: {}", pasted.err);
}

#[test]
fn failures_say_why_and_where_to_look() {
    let spec = TRAIN.replace(
        "command = '",
        "command = 'test {x}{seed} != 21072 || { echo \"ValueError: bad lr\" >&2; exit 3; }; ",
    );
    let project = Project::with_spec(&spec);
    let ran = project.expect(1, &["run", "bench.toml"]);
    for part in [
        "✗ 1 failed: exit code 3 (",
        "    ValueError: bad lr",
        "`fairtrial logs train --trial ",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
    let logged = project.expect(0, &["logs", "train", "--stderr"]);
    assert!(logged.out.contains("ValueError: bad lr"), "{}", logged.out);
}

#[test]
fn logs_without_a_trial_need_one_that_failed() {
    let project = Project::with_spec(TRAIN);
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(2, &["logs", "train"]);
    assert!(ran.err.contains("no trial of train failed"), "{}", ran.err);
    assert!(ran.err.contains("--trial N"), "{}", ran.err);
}

#[test]
fn many_arms_are_a_leaderboard() {
    let arms: Vec<String> = (1..=12)
        .map(|x| format!("[arms.a{x}]\nx = {x}\n"))
        .collect();
    let start = TRAIN.find("[arms.control]").unwrap();
    let end = TRAIN.find("[metrics]").unwrap();
    let spec = format!("{}{}{}", &TRAIN[..start], arms.concat(), &TRAIN[end..]);
    let project = Project::with_spec(&spec);
    let ran = project.expect(0, &["run", "bench.toml"]);
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
    assert!(ran.out.contains("12 arms by reward"), "{}", ran.out);
    assert!(ran.out.contains("1.  a12"), "{}", ran.out);
    // A place has one line on a narrow terminal, too.
    let named = spec.replace("[arms.a", "[arms.an_arm_with_a_rather_long_name_");
    let project = Project::with_spec(&named);
    project.expect(0, &["run", "bench.toml"]);
    let mut narrow = project.command(&["compare"]);
    let narrow = Ran::from(narrow.env("COLUMNS", "72").output().unwrap());
    let places: Vec<&str> = narrow
        .out
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .filter(|line| line.contains("_name_"))
        .collect();
    assert_eq!(places.len(), 6, "{}", narrow.out);
    assert!(
        places[0].contains("_12  ") && places[0].contains("  best"),
        "{}",
        narrow.out
    );
}

#[test]
fn without_arms_the_numbers_are_the_answer() {
    let start = TRAIN.find("[arms.control]").unwrap();
    let end = TRAIN.find("[metrics]").unwrap();
    let spec = format!("{}{}", &TRAIN[..start], &TRAIN[end..]).replace("{x}", "3");
    let project = Project::with_spec(&spec);
    let ran = project.expect(0, &["run", "bench.toml"]);
    insta::assert_snapshot!("one_arm", answer(&project, &ran));
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
}

#[test]
fn a_locale_without_utf_8_gets_letters() {
    let project = Project::with_spec(TRAIN);
    let mut command = project.command(&["run", "bench.toml"]);
    let ran = Ran::from(command.env("LC_ALL", "C").output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.is_ascii() && ran.err.is_ascii(),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(ran.err.contains("+ candidate seed 1072 in "), "{}", ran.err);
}

#[test]
fn a_comparison_is_a_few_lines_and_its_tables_are_asked_for() {
    let spec = TRAIN.replace("[arms.candidate]", "[arms.other]\nx = 3\n[arms.candidate]");
    let project = Project::with_spec(&spec);
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(0, &["compare", "train"]);
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
    let stamp = project.newest_run("train");
    let stamp = stamp.file_name().unwrap().to_str().unwrap();
    insta::assert_snapshot!("comparison", ran.out.replace(stamp, "STAMP"));
    let tables = project.expect(0, &["compare", "train", "-v"]);
    assert!(lines(&tables) > MOST_LINES, "{}", tables.out);
    assert!(tables.out.contains("Method: paired t"), "{}", tables.out);
    // The answer stands at the end of the tables, too.
    let verdicts = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.contains("pairs by seed"));
        let rows = rows.filter(|line| line.contains("  reward  "));
        rows.map(str::to_owned).collect()
    };
    assert_eq!(verdicts(&ran.out), verdicts(&tables.out));
    assert_eq!(verdicts(&ran.out).len(), 2, "{}", ran.out);
}

#[test]
fn what_is_to_be_typed_after_a_comparison_can_be_pasted() {
    let project = Project::with_spec(TRAIN);
    project.expect(0, &["run", "bench.toml", "--data-dir", "other place"]);
    project.write("a b.csv", "seed,score\n1,2.0\n2,2.5\n3,2.2\n");
    project.write("c.csv", "seed,score\n1,3.0\n2,3.5\n3,3.1\n");
    for words in [
        &["compare", "--data-dir", "other place"][..],
        &["compare", "train", "--data-dir", "other place"],
        &["compare", "a b.csv", "c.csv", "--direction", "up"],
    ] {
        let ran = project.expect(0, words);
        let next: Vec<&str> = ran.out.split('`').collect();
        let commands = next.iter().filter(|part| part.starts_with("fairtrial"));
        let commands: Vec<&&str> = commands.collect();
        assert!(commands[0].ends_with(" -v"), "{next:?}");
        let is_run = words[1] != "a b.csv";
        assert_eq!(commands.len(), 1 + usize::from(is_run), "{next:?}");
        for command in commands {
            let pasted = project.shell(command);
            assert_eq!(pasted.code, 0, "{command}: {}", pasted.err);
        }
    }
}

#[test]
fn many_comparisons_without_a_ranking_are_counted() {
    let mut arms: Vec<String> = (1..=7).map(|x| format!("[arms.a{x}]\nx = {x}\n")).collect();
    arms.insert(0, "[arms.control]\nx = 2\n".to_owned());
    let start = TRAIN.find("[arms.control]").unwrap();
    let spec = format!("{}{}[metrics.reward]\n", &TRAIN[..start], arms.concat());
    let project = Project::with_spec(&spec);
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(0, &["compare", "train"]);
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
    assert!(
        ran.out.contains("and 3 more comparisons: 3 inconclusive"),
        "{}",
        ran.out
    );
}

#[test]
fn failures_are_told_before_the_verdict() {
    let spec = TRAIN.replace(
        "command = '",
        "command = 'test {x}{seed} != 21072 || exit 3; ",
    );
    let project = Project::with_spec(&spec);
    project.expect(1, &["run", "bench.toml"]);
    let ran = project.expect(0, &["compare", "train"]);
    let at = |part: &str| {
        ran.out
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {}", ran.out))
    };
    assert!(
        at("✗ 1 of 6 trials of candidate failed") < at("reward  "),
        "{}",
        ran.out
    );
}

#[test]
fn notes_beside_a_verdict_that_is_held_back_are_shown() {
    let spec = TRAIN.replace("command = '", "command = 'test {seed} -gt 2000 || exit 3; ");
    let spec = spec.replace("seeds = 6", "seeds = [1, 2, 3000, 3001]");
    let project = Project::with_spec(&format!("{spec}[fairness]\nequal = {{ x = \"1%\" }}\n"));
    let ran = project.expect(1, &["run", "bench.toml"]);
    let compared = project.expect(0, &["compare", "train"]);
    for said in [&ran.out, &compared.out] {
        assert!(said.contains("reward  insufficient"), "{said}");
        assert!(
            said.contains("! 50 % of the pairs have a side missing"),
            "{said}"
        );
        assert!(said.contains("not alike in x"), "{said}");
    }
}

#[test]
fn a_brief_comparison_is_a_line_per_metric() {
    let project = Project::with_spec(TRAIN);
    project.expect(0, &["run", "bench.toml"]);
    let brief = project.expect(0, &["compare", "train", "--brief"]).out;
    let lines: Vec<&str> = brief.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2, "{brief}");
    assert!(lines[0].starts_with("reward  improved"), "{brief}");
    assert!(lines[1].starts_with("cost "), "{brief}");
}

/// Six kinds of runs, each as it ends on a screen: at most fifteen lines, the verdict near the last of them.
fn ends_as(name: &str, project: &Project, (code, spec): (i32, &str)) {
    let ran = project.expect(code, &["run", spec]);
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
    insta::assert_snapshot!(name, answer(project, &ran));
}

/// A starter of `init`, which must run as it is.
fn starter(kind: &str) -> Project {
    let project = Project::new();
    project.expect(0, &["init", "--kind", kind, "spec.toml"]);
    project
}

/// Numbers that no two runs share.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' | '.' if shown.ends_with('#') => {}
            '0'..='9' => shown.push('#'),
            c => shown.push(c),
        }
    }
    shown
}

#[test]
fn the_starter_for_training_ends_with_its_verdict() {
    let project = starter("training");
    ends_as("starter_training", &project, (0, "spec.toml"));
}

#[test]
fn the_starter_for_agents_ends_with_its_verdict() {
    let project = starter("agents");
    ends_as("starter_agents", &project, (0, "spec.toml"));
    // What is there is not touched.
    project.write("tasks/first/tb_meta.json", "{}");
    project.expect(0, &["init", "--kind", "agents", "other.toml"]);
    assert_eq!(project.read("tasks/first/tb_meta.json"), "{}");
}

#[test]
fn the_starter_for_timing_ends_with_its_verdict() {
    let project = starter("timing");
    let text = project.read("spec.toml");
    // A difference that no machine hides, so that the words are always the same.
    let text = text.replace("seq 20000 | sort {how}", "sleep {how}");
    let text = text
        .replace("how = \"-n\"", "how = 0.2")
        .replace("how = \"-r\"", "how = 0.01");
    project.write("spec.toml", &text.replace("seeds = 20 ", "seeds = 6 "));
    let ran = project.expect(0, &["run", "spec.toml"]);
    assert!(lines(&ran) <= MOST_LINES, "{}", ran.out);
    let line = without_numbers(&ran.out);
    assert!(
        line.contains("time  improved  -# s [-#, -#] (-# % [-#, -#])  # pairs by seed"),
        "{line}"
    );
}

#[test]
fn the_starter_for_tables_ends_with_its_numbers() {
    let project = starter("table");
    ends_as("starter_table", &project, (0, "spec.toml"));
}

#[test]
fn a_sweep_ends_with_its_best_point() {
    let project = Project::new();
    let spec = include_str!("../../../../examples/sweep/sweep.toml");
    project.write("sweep.toml", spec);
    let ran = project.expect(0, &["run", "sweep.toml"]);
    let first: String = ran.out.split("\n\n").next().unwrap().to_owned();
    assert!(first.lines().count() <= MOST_LINES, "{first}");
    insta::assert_snapshot!("sweep", answer(&project, &Ran { out: first, ..ran }));
    // The newest run tries the choice again, and sweeps nothing itself.
    let refused = project.expect(2, &["sweep"]);
    assert!(
        refused.err.contains("`fairtrial sweep sweep`"),
        "{}",
        refused.err
    );
    project.expect(0, &["sweep", "sweep"]);
}

#[test]
fn a_failing_run_names_each_kind_of_failure() {
    let project = Project::with_spec(
        "name = \"fails\"\nseeds = 8\nparallel = 1\ncommand = [\"sh\", \"train.sh\", \"{seed}\", \"{arm}\"]\n\
         [arms.control]\n[arms.candidate]\n[metrics.reward]\ndirection = \"up\"\n",
    );
    project.write(
        "train.sh",
        "case $2$1 in candidate1072) echo 'line one' >&2; echo 'CUDA out of memory' >&2; exit 7;;\n\
         candidate2043) echo 'KeyError: lr' >&2; exit 1;; control3014) exit 9;; esac\n\
         echo \"{\\\"reward\\\": $(($1 % 17))}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    ends_as("failing", &project, (1, "bench.toml"));
}

#[test]
fn a_dash_is_standard_output_and_leaves_no_file() {
    let project = Project::with_spec(TRAIN);
    project.expect(0, &["run", "bench.toml"]);
    let first = |args: &[&str]| {
        let out = project.expect(0, args).out;
        out.lines().next().unwrap_or_default().to_owned()
    };
    assert!(first(&["report", "--html", "-"]).starts_with("<!doctype html>"));
    assert!(first(&["report", "--md", "-"]).starts_with("# train "));
    assert!(first(&["gate", "--junit", "-"]).starts_with("<?xml"));
    assert!(first(&["compare", "train", "--csv", "-"]).starts_with("control,candidate,"));
    assert!(first(&["export", "train", "--to", "csv", "--output", "-"]).contains("seed"));
    let sides = ["train:control", "--metric", "reward", "--output", "-"];
    assert!(first(&[&["variance"], &sides[..]].concat()).starts_with("<svg"));
    let two = project.expect(2, &["gate", "--junit", "-", "--json"]);
    assert!(two.err.contains("room for one"), "{}", two.err);
    let left: Vec<_> = std::fs::read_dir(project.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| name == "bench.toml" || name == "data"),
        "{left:?}"
    );
}
