//! `report`, `register`, `verify`, reporters and notifications, driven through the built binary.

use crate::common::Project;
use std::path::{Path, PathBuf};

/// Two arms over six seeds with a curve each; one trial of the candidate fails and says why.
const SPEC: &str = r#"
name = "bench"
seeds = 6
notes = "with <angle> brackets & more"

[[tasks]]
id = "train"
command = ["sh", "train.sh", "{lift}", "{seed}"]

[arms.control]
lift = 0
[arms.candidate]
lift = 20

[metrics.reward]
direction = "up"
margin = "1%"
unit = "points"
[metrics.speed]
direction = "up"
[metrics.size]
direction = "down"
"#;

const TRAIN: &str = r#"
if [ "$1" = 20 ] && [ "$2" = 2043 ]; then echo "starting" >&2; echo "boom: <no> \"luck\" & $TOKEN_SECRET" >&2; exit 7; fi
i=0
while [ $i -lt 20 ]; do
  echo "{\"step\": $i, \"reward\": $((100 + $1 + ($2 + i * ($1 + 1)) % 3))}" >> "$FAIRTRIAL_METRICS"
  i=$((i + 1))
done
echo "{\"speed\": $((900 + $2 * ($1 + 1) % 7)), \"size\": $((50 + $2 * ($1 + 1) % 3))}" >> "$FAIRTRIAL_METRICS"
"#;

fn project(spec: &str) -> Project {
    let project = Project::with_spec(spec);
    project.write("train.sh", TRAIN);
    project
}

fn reported() -> (Project, PathBuf) {
    let project = project(SPEC);
    project.expect(1, &["run", "bench.toml", "--parallel", "2"]);
    project.expect(0, &["report", "bench"]);
    let run = project.newest_run("bench");
    (project, run)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_report_has_the_verdict_the_charts_the_failures_and_where_it_came_from() {
    let (_project, run) = reported();
    let html = read(&run.join("report.html"));
    for part in [
        "verdict",
        "comparison",
        "charts",
        "failures",
        "results",
        "trials",
        "provenance",
        "reproduce",
    ] {
        assert!(html.contains(&format!("id=\"{part}\"")), "no part {part}");
    }
    assert!(html.contains("boom: &lt;no&gt; &quot;luck&quot; &amp;"));
    assert!(html.contains("with &lt;angle&gt; brackets &amp; more"));
    assert!(html.contains("<code>--only 7</code>") && !html.contains("`--only"));
    assert!(html.contains("exit code 7") && html.contains("seed 2043"));
    assert!(html.matches("class=\"ft-chart\"").count() >= 6);
    let loads = ["src=", "http://", "https://", "@import", "url(http"];
    let page = html.replace("http://www.w3.org/2000/svg", "");
    assert!(
        loads.iter().all(|load| !page.contains(load)),
        "the page loads something"
    );
    let markdown = read(&run.join("report.md"));
    assert!(markdown.starts_with("# bench "));
    for (_, rest) in markdown
        .match_indices("](")
        .map(|(at, _)| markdown.split_at(at + 2))
    {
        let file = rest.split(')').next().unwrap();
        assert!(run.join(file).is_file(), "{file} is not there");
    }
    assert!(markdown.contains("fairtrial verify bench --rollout"));
}

#[test]
fn secrets_of_the_environment_do_not_reach_a_report() {
    let project = project(SPEC);
    let secret = "hunter2-very-secret";
    let run = project
        .command(&["run", "bench.toml"])
        .env("TOKEN_SECRET", secret)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    let report = project
        .command(&["report"])
        .env("TOKEN_SECRET", secret)
        .output()
        .unwrap();
    assert!(report.status.success());
    let dir = project.newest_run("bench");
    assert!(read(&dir.join("report.html")).contains("boom:"));
    for name in ["report.html", "report.md"] {
        assert!(!read(&dir.join(name)).contains(secret), "{name}");
    }
}

#[test]
fn verify_accepts_what_the_evidence_gives_and_finds_one_altered_digit() {
    let (project, run) = reported();
    let fine = project.expect(0, &["verify", "bench"]);
    assert_eq!(fine.out.matches('✓').count(), 3, "{}", fine.out);
    for name in ["report.html", "report.md"] {
        let path = run.join(name);
        let page = read(&path);
        // The estimate as a reader sees it.
        let at = page.find("improved, +").unwrap() + "improved, +".len();
        let digit = page[at..].find(|c: char| ('1'..='8').contains(&c)).unwrap() + at;
        let mut altered = page.clone();
        altered.replace_range(digit..=digit, "9");
        std::fs::write(&path, &altered).unwrap();
        let found = project.expect(1, &["verify", "bench"]);
        assert!(
            found.out.contains("✗") && found.out.contains("changed after it was made"),
            "{}",
            found.out
        );
        assert!(found.out.contains("improved, +"), "{}", found.out);
        std::fs::write(&path, &page).unwrap();
    }
    project.expect(0, &["verify", "bench"]);
}

#[test]
fn verify_finds_a_number_altered_in_the_data_of_a_page_that_was_sealed_again() {
    let (project, run) = reported();
    let path = run.join("report.html");
    let page = read(&path);
    let at = page.find("\"alpha\":0.05").unwrap();
    std::fs::write(
        &path,
        format!("{}\"alpha\":0.04{}", &page[..at], &page[at + 12..]),
    )
    .unwrap();
    let found = project.expect(1, &["verify", "bench", "--json"]).json();
    let text = found.to_string();
    assert!(text.contains("0.04") && text.contains("alpha"), "{text}");
}

#[test]
fn verify_finds_an_altered_record_even_with_its_checksum_made_right() {
    let (project, run) = reported();
    let path = run.join("journal.jsonl");
    let journal = read(&path);
    let line = journal
        .lines()
        .find(|line| line.contains("\"speed\":90"))
        .unwrap();
    let altered = line.replacen("\"speed\":90", "\"speed\":80", 1);
    std::fs::write(&path, journal.replace(line, &altered)).unwrap();
    let found = project.expect(1, &["verify", "bench"]);
    assert!(
        found.out.contains("checksum does not match"),
        "{}",
        found.out
    );
    // A forger who knows the form makes the checksum right: the numbers no longer are what the report says.
    let body = altered.rsplit_once(",\"crc\"").unwrap().0;
    let sound = format!(
        "{body},\"crc\":\"{:08x}\"}}",
        crc32fast::hash(body.as_bytes())
    );
    std::fs::write(&path, journal.replace(line, &sound)).unwrap();
    let found = project.expect(1, &["verify", "bench"]);
    assert!(!found.out.contains("checksum"), "{}", found.out);
    assert!(
        found.out.contains("metrics.1.") && found.out.contains("expected 80"),
        "{}",
        found.out
    );
}

#[test]
fn a_registered_plan_is_kept_to_or_its_deviations_are_listed() {
    let project = project(SPEC);
    let done = project.expect(0, &["register", "bench.toml"]);
    assert!(done.out.contains("bench.registered.json"));
    let again = project.expect(2, &["register", "bench.toml"]);
    assert!(again.err.contains("--replace"), "{}", again.err);
    project.expect(1, &["run", "bench.toml"]);
    project.expect(0, &["report"]);
    assert!(read(&project.newest_run("bench").join("report.md")).contains("As registered on"));
    project.expect(0, &["verify"]);
    project.write(
        "bench.toml",
        &SPEC.replace("margin = \"1%\"", "margin = \"4%\""),
    );
    let run = project.expect(1, &["run", "bench.toml"]);
    assert!(
        run.err
            .contains("deviates from its registered plan in 1 place, first in"),
        "{}",
        run.err
    );
    project.expect(0, &["report"]);
    let page = read(&project.newest_run("bench").join("report.html"));
    assert!(page.contains("metrics.reward.margin.relative: registered 0.01, used 0.04"));
    let found = project.expect(1, &["verify"]);
    assert!(
        found.out.contains("metrics.reward.margin.relative"),
        "{}",
        found.out
    );
}

#[test]
fn verify_knows_every_file_that_the_answers_rest_on() {
    let (project, run) = reported();
    let changed = |path: &Path, from: &str, to: &str| {
        let text = read(path);
        assert!(text.contains(from), "{from} in {}", path.display());
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
        project.expect(0, &["report", "bench"]);
        let found = project.expect(1, &["verify", "bench"]).out;
        std::fs::write(path, text).unwrap();
        found
    };
    let resolved = changed(&run.join("spec.resolved.json"), "0.01", "0.0001");
    assert!(
        resolved.contains("spec.resolved.json, SHA-256"),
        "{resolved}"
    );
    let machine = changed(
        &run.join("environment.json"),
        "\"name\"",
        "\"nom\": 1, \"name\"",
    );
    assert!(machine.contains("environment.json, SHA-256"), "{machine}");
    // A record changed together with its checksum and the report: the trial's own copy still tells.
    let journal = run.join("journal.jsonl");
    let text = read(&journal);
    let line = text.lines().find(|line| line.contains("\"speed\":90"));
    let line = line.unwrap();
    let body = line.rsplit_once(",\"crc\"").unwrap().0;
    let body = body.replacen("\"speed\":90", "\"speed\":95", 1);
    let crc = crc32fast::hash(body.as_bytes());
    let forged = changed(&journal, line, &format!("{body},\"crc\":\"{crc:08x}\"}}"));
    assert!(
        forged.contains("another record than the journal's"),
        "{forged}"
    );
    let spec = run.join("spec.toml");
    let text = read(&spec);
    std::fs::remove_file(&spec).unwrap();
    let gone = project.expect(1, &["verify", "bench"]).out;
    assert!(gone.contains("the spec's text"), "{gone}");
    std::fs::write(&spec, text).unwrap();
    project.expect(0, &["report", "bench"]);
    project.expect(0, &["verify", "bench"]);
}

/// Seeds on which the candidate is plainly better, and never fails.
fn plainly_better() -> Project {
    let project = project(&SPEC.replace("seeds = 6", "seeds = 16"));
    project.write(
        "train.sh",
        "echo \"{\\\"reward\\\": $((100 + $1 + $2 * ($1 + 3) % 7)), \\\"speed\\\": 1, \\\"size\\\": 1}\" >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project
}

#[test]
fn a_stopping_rule_of_the_command_line_is_kept_and_is_a_deviation() {
    let project = plainly_better();
    project.expect(0, &["register", "bench.toml"]);
    let ran = project.expect(0, &["run", "bench.toml", "--until", "decided"]);
    assert!(
        ran.err.contains("deviates from its registered plan"),
        "{}",
        ran.err
    );
    let run = project.newest_run("bench");
    assert!(read(&run.join("spec.resolved.json")).contains("\"decided\""));
    // The looks are made from the records, whatever else lies there.
    std::fs::remove_file(run.join("sequential.json")).unwrap();
    project.expect(0, &["report"]);
    let page = read(&run.join("report.md"));
    assert!(page.contains("Sequential: improved after"), "{page}");
    let found = project.expect(1, &["verify"]);
    assert!(found.out.contains("stop.when"), "{}", found.out);
    // Going on without the flag is going on by the same rule: nothing is left to do.
    let again = project.expect(0, &["run", "bench.toml", "--resume"]);
    assert!(again.out.contains("improved after"), "{}", again.out);
    // By another error rate or margin it would be looking again, at a price that nobody paid.
    let edited = [
        ("analysis.alpha=0.6", "`alpha` was 0.05 and is 0.6"),
        (
            "metrics.reward.margin=3%",
            "`metric.margin.relative` was 0.01 and is 0.03",
        ),
        (
            "analysis.metric=speed",
            "`metric.name` was reward and is speed",
        ),
        ("analysis.control=candidate", "`control` was "),
        (
            "metrics.reward.direction=down",
            "`metric.direction` was up and is down",
        ),
    ];
    let resume = ["run", "bench.toml", "--resume"];
    for (set, said) in edited {
        let refused = project.expect(2, &[&resume[..], &["--set", set]].concat());
        assert!(refused.err.contains(said), "{}", refused.err);
        assert!(refused.err.contains("--as-recorded"), "{}", refused.err);
        let recorded = [&resume[..], &["--as-recorded", "--set", set]].concat();
        project.expect(0, &recorded);
    }
    let shown = ["--set", "metrics.reward.precision=1"];
    project.expect(0, &[&resume[..], &shown].concat());
    // Asked as it was declared, its own answer stands; asked otherwise, there is none.
    let plain = project.expect(0, &["compare", "bench"]);
    assert!(plain.out.contains("improved"), "{}", plain.out);
    let other = project.expect(0, &["compare", "bench", "--method", "t"]);
    assert!(other.out.contains("stopped early"), "{}", other.out);
    assert!(!other.out.contains("improved"), "{}", other.out);
}

#[test]
fn a_template_of_the_user_replaces_ours() {
    let (project, _) = reported();
    project.write("own.jinja", "<title>{{ title }}</title>{% for v in verdicts %}<b>{{ v.word }}</b>{% endfor %}\n<p>{{ data.summary.alpha }}</p>\n<script>{{ seal }}</script>");
    project.expect(
        0,
        &["report", "--html", "own.html", "--template", "own.jinja"],
    );
    let page = project.read("own.html");
    assert!(
        page.contains("<b>improved</b>") && page.contains("<p>0.05</p>"),
        "{page}"
    );
    project.write("bad.jinja", "{% for %}");
    let bad = project.expect(
        2,
        &["report", "--html", "own.html", "--template", "bad.jinja"],
    );
    assert!(bad.err.contains("template"), "{}", bad.err);
}

#[test]
fn reporters_get_the_data_and_write_files_and_cannot_fail_a_run() {
    let spec = format!(
        "{SPEC}\n[reporters.count]\ncommand = \"sh -c 'wc -c > $FAIRTRIAL_OUTPUT/bytes.txt'\"\n\
         [reporters.broken]\ncommand = \"sh -c 'echo no idea >&2; exit 4'\"\n\
         [reporters.slow]\ncommand = \"sleep 100\"\ntimeout = \"1s\"\n"
    );
    let project = project(&spec);
    let run = project.expect(1, &["run", "bench.toml"]);
    let dir = project.newest_run("bench");
    let bytes: usize = read(&dir.join("reporters/count/bytes.txt"))
        .trim()
        .parse()
        .unwrap();
    assert!(bytes > 5_000, "{bytes}");
    assert!(
        run.err.contains("reporter `broken`") && run.err.contains("no idea"),
        "{}",
        run.err
    );
    assert!(run.err.contains("took longer than 1 s"), "{}", run.err);
    project.expect(0, &["report", "--reporter", "count"]);
    let unknown = project.expect(2, &["report", "--reporter", "cuont"]);
    assert!(
        unknown.err.contains("count, broken, slow"),
        "{}",
        unknown.err
    );
}

#[test]
fn a_python_function_is_a_reporter() {
    if std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_err()
    {
        assert!(std::env::var_os("CI").is_none(), "python3 is not installed");
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let project = project(&format!(
        "{SPEC}\n[reporters.words]\npython = \"reports:words\"\n"
    ));
    project.write(
        "reports.py",
        "import os\ndef words(result, output_dir):\n    with open(os.path.join(output_dir, 'words.txt'), 'w') as f:\n        f.write(result['run']['name'] + ' ' + str(result['failures']['total']))\n",
    );
    project.expect(1, &["run", "bench.toml"]);
    assert_eq!(
        read(
            &project
                .newest_run("bench")
                .join("reporters/words/words.txt")
        ),
        "bench 1"
    );
}

#[test]
fn those_who_want_to_know_are_told_how_a_run_ended() {
    let spec = format!(
        "on_finish = \"sh -c 'cat > finish.json'\"\non_failure = {{ command = \"sh -c 'cat > failure.json; exit 9'\", timeout = \"1m\" }}\n{SPEC}"
    );
    let project = project(&spec);
    let run = project.expect(1, &["run", "bench.toml"]);
    let told: serde_json::Value = serde_json::from_str(&project.read("finish.json")).unwrap();
    assert_eq!(told["status"], "finished");
    assert_eq!(told["counts"]["failed"], 1);
    assert!(project.path().join("failure.json").is_file());
    assert!(
        run.err.contains("on_failure") && run.err.contains("exit status: 9"),
        "{}",
        run.err
    );
    std::fs::remove_file(project.path().join("failure.json")).unwrap();
    project.write("train.sh", &TRAIN.replace("exit 7", "exit 0"));
    project.write("bench.toml", &spec.replace("seeds = 6", "seeds = 1"));
    project.expect(0, &["run", "bench.toml"]);
    assert!(!project.path().join("failure.json").exists());
}

#[test]
fn a_history_is_of_numbers_that_are_made_one_way() {
    let spec = "name = \"bench\"\nseeds = 2\ncommand = \"sh train.sh 0 {seed}\"\n[metrics.reward]\ndirection = \"up\"\n";
    let project = project(spec);
    for _ in 0..2 {
        project.expect(0, &["run", "bench.toml"]);
    }
    project.write(
        "bench.toml",
        &format!("{spec}summary = {{ type = \"max\" }}\n"),
    );
    for _ in 0..6 {
        project.expect(0, &["run", "bench.toml"]);
    }
    project.expect(0, &["report", "bench"]);
    let page = read(&project.newest_run("bench").join("report.html"));
    assert!(page.contains("reward: run by run"), "{page}");
    assert!(
        page.contains("reward was made in another way there"),
        "{page}"
    );
    project.expect(0, &["verify", "bench"]);
}

/// One arm is decided early, one never differs: each has its own words, numbers and level.
#[test]
fn every_arm_of_a_run_that_stops_by_looking_has_its_own_answer() {
    let project = Project::with_spec(
        r#"
name = "seq"
seeds = 8
shell = true
command = "echo score=$(( {seed} % 7 + {gain} * (10 + {seed} % 3) ))"

[arms.control]
gain = 0
[arms.candidate]
gain = 1
[arms.same]
gain = 0

[metrics.score]
from = "stdout:score=([0-9.]+)"
direction = "up"
margin = 0.3

[analysis]
stop = { when = "decided", min = 4, max = 8 }
"#,
    );
    let ran = project.expect(0, &["run", "bench.toml", "-v"]);
    let words = "Sequential: candidate improved after 4 pairs; same identical after 8 pairs.";
    assert!(ran.out.contains(words), "{}", ran.out);
    assert!(ran.out.contains("97.5 % repeated interval"), "{}", ran.out);
    project.expect(0, &["report"]);
    let page = read(&project.newest_run("seq").join("report.md"));
    for words in [
        "Improved after 4 pairs; difference in score +1",
        "(97.5 % repeated interval)",
        "Identical after 8 pairs.",
        "all intervals hold together at 95 %",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    // What never differs is no reason to block.
    let gate = project.expect(0, &["gate", "seq"]);
    assert!(
        gate.out.contains("identical: every value of 8 pairs"),
        "{}",
        gate.out
    );
}
