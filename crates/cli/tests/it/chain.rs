//! A journal in which a line was removed, moved, changed or added is noticed by `verify`, `report` and `gate`, and the hash of
//! its last line can be kept elsewhere.

use crate::common::{Project, Ran};
use std::path::PathBuf;

const SPEC: &str = r#"
name = "bench"
seeds = 3
parallel = 2
[[tasks]]
id = "train"
shell = true
command = 'echo "{\"speed\": {seed}}" >> "$FAIRTRIAL_METRICS"'
[metrics.speed]
direction = "up"
"#;

fn finished() -> (Project, PathBuf) {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let journal = project.newest_run("bench").join("journal.jsonl");
    (project, journal)
}

/// A line with a checksum that is right again.
fn sound(line: &str) -> String {
    let body = line.rsplit_once(",\"crc\"").unwrap().0;
    let crc = crc32fast::hash(body.as_bytes());
    format!("{body},\"crc\":\"{crc:08x}\"}}")
}

fn lines(journal: &PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(journal).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn write(journal: &PathBuf, lines: &[String]) {
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    std::fs::write(journal, text).unwrap();
}

fn hash(project: &Project) -> String {
    let verified = project.expect(0, &["verify", "bench", "--json"]).json();
    verified["hash"].as_str().unwrap().to_owned()
}

#[test]
fn a_line_that_is_removed_moved_changed_or_added_is_noticed() {
    let (project, journal) = finished();
    project.expect(0, &["verify", "bench"]);
    let good = lines(&journal);
    let last = good.len() - 1;
    let mut forged: Vec<(String, Vec<String>)> = Vec::new();
    for place in 0..last {
        let mut removed = good.clone();
        removed.remove(place);
        forged.push((format!("line {place} removed"), removed));
        let mut moved = good.clone();
        moved.swap(place, place + 1);
        forged.push((format!("line {place} moved"), moved));
        let mut changed = good.clone();
        changed[place] = sound(&good[place].replacen("{\"event\"", "{ \"event\"", 1));
        forged.push((format!("line {place} changed"), changed));
    }
    for place in 0..=last {
        let mut added = good.clone();
        added.push(good[place].clone());
        forged.push((format!("line {place} added again"), added));
    }
    let record = good
        .iter()
        .find(|line| line.contains("\"finished\",\"schema\""));
    let record = record.unwrap();
    // One that carries the right hash: no controller writes a record after the line that closes the run.
    let (body, _) = record.rsplit_once(",\"prev\"").unwrap();
    let chained = format!("{body},\"prev\":\"{}\",\"crc\":\"\"}}", hash(&project));
    let mut added = good.clone();
    added.push(sound(&chained));
    forged.push(("a chained record added".to_owned(), added));
    let mut torn = good.clone();
    torn.push("{\"event\":".to_owned());
    forged.push(("a broken line added".to_owned(), torn));
    for (what, lines) in forged {
        write(&journal, &lines);
        let ran = project.run(&["verify", "bench"]);
        assert!(
            ran.code == 1 || ran.code == 3,
            "{what}: {}\n{}",
            ran.out,
            ran.err
        );
    }
    write(&journal, &good);
    project.expect(0, &["verify", "bench"]);
}

#[test]
fn gate_report_and_the_others_say_so_too() {
    let (project, journal) = finished();
    let mut lines = lines(&journal);
    let record = lines
        .iter()
        .position(|line| line.contains("\"finished\",\"schema\""));
    lines.remove(record.unwrap());
    write(&journal, &lines);
    let gate = project.expect(3, &["gate", "bench", "--save-baseline", "b"]);
    assert!(gate.err.contains("lost records"), "{}", gate.err);
    let said = "does not follow the line before it";
    project.expect(0, &["report", "bench"]);
    let report = journal.with_file_name("report.md");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains(said), "{report}");
    for command in ["summarize", "status"] {
        let ran = project.run(&[command, "bench"]);
        assert!(
            ran.err.contains(said) || ran.out.contains(said),
            "{command}: {}\n{}",
            ran.out,
            ran.err
        );
    }
    let list = project.expect(0, &["list"]);
    assert!(list.err.contains("fairtrial verify bench"), "{}", list.err);
}

#[test]
fn a_changed_line_is_noticed_where_size_and_time_are_as_before() {
    let (project, journal) = finished();
    let seal = journal.with_file_name("sealed.json");
    assert!(seal.exists(), "a finished run is known to be whole");
    let said = "does not follow the line before it";
    let summary = project.expect(0, &["summarize", "bench"]);
    assert!(!summary.out.contains(said), "{}", summary.out);
    let whole = hash(&project);
    let modified = journal.metadata().unwrap().modified().unwrap();
    let mut forged = lines(&journal);
    let record = forged
        .iter()
        .position(|line| line.contains("\"finished\",\"schema\""));
    let record = record.unwrap();
    // The same number of bytes, and a checksum that fits.
    let from = forged[record].find("\"speed\":").unwrap() + "\"speed\":".len();
    let mut line = forged[record].clone();
    let digit = if line.as_bytes()[from] == b'9' {
        "8"
    } else {
        "9"
    };
    line.replace_range(from..=from, digit);
    forged[record] = sound(&line);
    write(&journal, &forged);
    let file = std::fs::File::options().write(true).open(&journal).unwrap();
    file.set_modified(modified).unwrap();
    let ran = project.run(&["summarize", "bench"]);
    assert!(ran.out.contains(said), "{}\n{}", ran.out, ran.err);
    project.expect(1, &["verify", "bench"]);
    // Nor does `verify` believe what stands beside the journal.
    let (project, journal) = finished();
    std::fs::remove_file(journal.with_file_name("sealed.json")).unwrap();
    project.expect(0, &["summarize", "bench"]);
    project.expect(0, &["verify", "bench"]);
    assert_ne!(hash(&project), whole, "another run has another last line");
}

#[test]
fn a_resumed_run_goes_on_with_the_chain_of_a_sealed_journal() {
    let (project, journal) = finished();
    let before = hash(&project);
    let seal = journal.with_file_name("sealed.json");
    let sealed = std::fs::read_to_string(&seal).unwrap();
    project.expect(0, &["run", "bench.toml", "--resume"]);
    project.expect(0, &["verify", "bench"]);
    assert_ne!(hash(&project), before);
    let ran = project.expect(0, &["summarize", "bench"]);
    assert!(!ran.out.contains("does not follow"), "{}", ran.out);
    assert_ne!(std::fs::read_to_string(&seal).unwrap(), sealed);
}

#[test]
fn an_unfinished_last_line_is_said_wherever_numbers_are_shown() {
    let (project, journal) = finished();
    let mut text = std::fs::read_to_string(&journal).unwrap();
    text.push_str("{\"event\":\"fini");
    std::fs::write(&journal, text).unwrap();
    for command in ["summarize", "status", "list"] {
        let ran = project.expect(0, &[command]);
        let said = format!("{}{}", ran.out, ran.err);
        let told = said.contains("not finished") || said.contains("unfinished");
        assert!(told, "{command}: {said}");
    }
    project.expect(1, &["verify", "bench"]);
}

/// Two arms and two points, so that every command has something to say.
const WHOLE: &str = r#"
name = "whole"
seeds = 4
[arms.control]
shift = 0
[arms.candidate]
shift = 5
[sweep]
lr = [1, 2]
[[tasks]]
id = "train"
shell = true
table = "main"
row = "{arm}"
command = 'for i in $(seq 80); do echo "{\"speed\": $(({seed} * {lr} + {shift} + i)), \"step\": $i}"; done >> "$FAIRTRIAL_METRICS"'
[metrics.speed]
direction = "up"
[tables.main]
file = "main.csv"
[tables.main.columns]
"Speed" = "speed"
"#;

/// Commands that show numbers of a run, each with the exit codes that it may have where lines are missing.
const SHOWS: [(&str, &[i32]); 14] = [
    ("summarize whole", &[0]),
    ("status whole", &[0]),
    ("list", &[0]),
    ("compare whole --only lr=1", &[0]),
    ("gate whole", &[1, 3]),
    ("verify whole", &[1]),
    ("report whole --md report.md", &[0]),
    ("export whole --to csv", &[0]),
    (
        "variance whole:control --only lr=1 --metric speed --json",
        &[0],
    ),
    ("power whole --effect 100", &[0, 2]),
    ("sweep whole", &[0]),
    (
        "analyze --control-run-ids whole:control --candidate-run-ids whole:candidate --metric speed --only lr=1",
        &[0],
    ),
    ("table update main.csv --from whole --dry-run", &[0, 1]),
    ("reproduce whole", &[2]),
];

#[test]
fn every_command_that_shows_numbers_says_what_its_journal_lacks() {
    let project = Project::with_spec(WHOLE);
    project.write("main.csv", "Name,Speed\ncontrol,1\ncandidate,2\n");
    project.shell(
        "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -q -m start",
    );
    project.expect(0, &["run", "bench.toml"]);
    let journal = project.newest_run("whole").join("journal.jsonl");
    let good = lines(&journal);
    let is_record = |line: &String| line.contains("\"finished\",\"schema\"");
    let mut removed = good.clone();
    removed.remove(good.iter().position(is_record).unwrap());
    let said = [
        "does not follow the line before it",
        "fairtrial verify whole",
        "lost records",
    ];
    lacks(&project, (&journal, &removed), &said);
    // Cut off in the middle of a line, as by a kill: a run that can go on.
    let mut torn = good[..good.len() - 1].to_vec();
    let half = torn.pop().unwrap();
    write(&journal, &torn);
    let mut text = std::fs::read_to_string(&journal).unwrap();
    text.push_str(&half[..half.len() / 2]);
    std::fs::write(&journal, text).unwrap();
    let said = ["not finished", "unfinished", "cut off"];
    for (line, _) in SHOWS {
        let ran = project.run(&line.split(' ').collect::<Vec<_>>());
        told(&project, line, &ran, &said);
    }
}

/// Gives a run another journal; every command says one of these words.
fn lacks(project: &Project, (journal, journal_lines): (&PathBuf, &[String]), said: &[&str]) {
    write(journal, journal_lines);
    for (line, codes) in SHOWS {
        let ran = project.run(&line.split(' ').collect::<Vec<_>>());
        assert!(
            codes.contains(&ran.code),
            "{line}: {}: {}{}",
            ran.code,
            ran.out,
            ran.err
        );
        told(project, line, &ran, said);
    }
}

fn told(project: &Project, line: &str, ran: &Ran, said: &[&str]) {
    let mut text = format!("{}{}", ran.out, ran.err).replace('\n', " ");
    if line.ends_with("report.md") && ran.code == 0 {
        text += &project.read("report.md");
    }
    assert!(
        said.iter().any(|words| text.contains(words)),
        "{line}: {text}"
    );
}

#[test]
fn the_hash_of_the_last_line_is_compared_with_one_that_was_kept() {
    let (project, journal) = finished();
    let kept = hash(&project);
    let against =
        |code: i32, what: &str| project.expect(code, &["verify", "bench", "--against", what]);
    against(0, &kept);
    let stamp = journal
        .parent()
        .unwrap()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    project.write(
        "paper.txt",
        &format!("bench {stamp}: {kept}\nanother: {}\n", "0".repeat(32)),
    );
    against(0, "paper.txt");
    project.write("two.txt", &format!("{kept}\n{}\n", "0".repeat(32)));
    against(2, "two.txt");
    against(2, "nothing-of-that-name");
    let found = against(1, &"0".repeat(32));
    assert!(found.out.contains("without the kept line"), "{}", found.out);
    // A line that was removed from the end leaves no trace in the file.
    let good = lines(&journal);
    write(&journal, &good[..good.len() - 1]);
    project.expect(0, &["verify", "bench"]);
    against(1, &kept);
    write(&journal, &good);
    project.shell(
        "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m start",
    );
    let tag = format!("git -c user.name=a -c user.email=a@b tag -a v1 -m 'results {stamp} {kept}'");
    project.shell(&tag);
    against(0, "v1");
    // Whoever resumes it adds lines, and says so.
    project.expect(0, &["run", "bench.toml", "--resume"]);
    let found = against(1, "v1");
    assert!(found.out.contains("follow"), "{}", found.out);
    assert_ne!(hash(&project), kept);
}

#[test]
fn a_journal_of_an_earlier_version_is_read_and_said_to_be_unchained() {
    let (project, journal) = finished();
    let old: Vec<String> = lines(&journal)
        .iter()
        .map(|line| match line.rsplit_once(",\"prev\"") {
            Some((body, _)) => sound(&format!("{body},\"crc\":\"\"}}")),
            None => line.clone(),
        })
        .collect();
    write(&journal, &old);
    let verified = project.expect(0, &["verify", "bench"]);
    assert!(verified.out.contains("not chained"), "{}", verified.out);
    project.expect(0, &["run", "bench.toml", "--resume"]);
    let verified = project.expect(0, &["verify", "bench"]);
    assert!(verified.out.contains("not chained"), "{}", verified.out);
}
