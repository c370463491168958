//! `archive`: a run as one file that every command reads, and as folders again.

use crate::common::Project;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const SPEC: &str = r#"seeds = 4
keep_folders = true
[defaults]
shell = true
[[tasks]]
id = "learn"
command = '''
i=0; while [ $i -lt 40 ]; do echo "{\"step\": $i, \"loss\": $((100 + {bonus} + {index} % 5 - i))}" >> "$FAIRTRIAL_METRICS"; i=$((i + 1)); done
echo "score $((100 + {bonus} + {index} % 5))"; echo why >&2; mkdir -p out/empty; echo kept > out/model.txt'''
[arms.control]
bonus = 0
[arms.candidate]
bonus = 20
[metrics.score]
from = "stdout:score ([0-9.]+)"
direction = "up"
[metrics.loss]
direction = "down"
summary = "last"
"#;

/// What lies below a folder: each path with its content, permissions and time.
fn below(folder: &Path) -> BTreeMap<PathBuf, (String, u32, Option<std::time::SystemTime>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let seen = fs::symlink_metadata(&path).unwrap();
            let content = if seen.is_dir() {
                open.push(path.clone());
                String::from("a folder")
            } else if seen.is_symlink() {
                format!("to {}", fs::read_link(&path).unwrap().display())
            } else if !seen.is_file() {
                String::from("something else")
            } else {
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
            };
            let modified = seen.is_file().then(|| seen.modified().unwrap());
            found.insert(path, (content, seen.permissions().mode(), modified));
        }
    }
    // The lock is made anew by whoever takes it.
    found.retain(|path, _| path.file_name().unwrap() != "lock");
    found
}

/// All of the run: what lies under its stamp, wherever that is.
fn evidence(project: &Project) -> BTreeMap<PathBuf, (String, u32, Option<std::time::SystemTime>)> {
    let mut all = below(&project.path().join("data/rollouts"));
    let runs = project.path().join("data/runs");
    if runs.exists() {
        all.extend(below(&runs));
    }
    // A stamp stays taken, however its run is kept.
    all.retain(|path, _| !path.to_string_lossy().contains("/.stamps/"));
    all.retain(|path, _| path.is_file() || path.is_symlink() || path.ends_with("empty"));
    all
}

fn archive_of(project: &Project) -> PathBuf {
    let entries = fs::read_dir(project.path().join("data/rollouts/bench")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut archives = paths.filter(|path| path.to_string_lossy().ends_with(".tar.zst"));
    archives.next().unwrap()
}

/// Commands that read a run. What they say must not depend on how it is kept.
const READERS: [&[&str]; 18] = [
    &["list", "--json"],
    &["status", "bench", "--json"],
    &["summarize", "bench"],
    &["compare", "bench"],
    &[
        "analyze",
        "--control-run-ids",
        "bench:control",
        "--candidate-run-ids",
        "bench:candidate",
        "--metric",
        "loss",
        "--summary.percent",
        "1",
    ],
    &["variance", "bench:control", "--metric", "loss"],
    &["history", "bench"],
    &["power", "bench", "--metric", "score", "--effect", "5%"],
    &["logs", "bench", "--trial", "1"],
    &["logs", "bench", "--trial", "1", "--stderr"],
    &["sql", "select name, stamp, trials, ok from runs", "--json"],
    &[
        "sql",
        "select count(*) as n, sum(value) as s from metrics",
        "--json",
    ],
    &["export", "bench", "--to", "csv"],
    &["export", "bench", "--to", "csv", "--rows", "series"],
    &["gate", "bench"],
    &["explain", "bench", "--trial", "1"],
    &["report", "bench", "--md", "r.md"],
    &["report", "bench", "--html", "r.html"],
];

fn said(project: &Project) -> Vec<(i32, String)> {
    let mut all = Vec::new();
    for reader in READERS {
        let ran = project.run(reader);
        let page = reader.last().unwrap();
        let page = if page.starts_with("r.") {
            project.read(page)
        } else {
            String::new()
        };
        all.push((ran.code, format!("{}{page}", ran.out)));
    }
    all
}

#[test]
fn every_command_reads_an_archive_as_it_read_the_folders() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let before = said(&project);
    for (reader, (code, out)) in READERS.iter().zip(&before) {
        assert!([0, 1, 4].contains(code), "{reader:?}: {code} {out}");
    }
    let kept = evidence(&project);
    let packed = project.expect(0, &["archive", "bench", "--json"]).json();
    assert!(packed[0]["archive_bytes"].as_u64() < packed[0]["bytes"].as_u64());
    let archive = archive_of(&project);
    assert_eq!(evidence(&project).keys().collect::<Vec<_>>(), [&archive]);
    for (reader, (before, after)) in READERS.iter().zip(before.iter().zip(said(&project))) {
        // Only where the script lies is another place.
        let same = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains("again by hand"));
            lines.map(str::to_owned).collect::<Vec<String>>()
        };
        assert_eq!(
            (before.0, same(&before.1)),
            (after.0, same(&after.1)),
            "{reader:?}"
        );
    }
    let verified = project.expect(0, &["verify", "bench"]);
    assert!(verified.out.contains("archive"), "{}", verified.out);
    // A trial by its own name, and the archive by its path.
    let stamp = packed[0]["stamp"].as_str().unwrap();
    project.expect(0, &["logs", &format!("{stamp}-0")]);
    project.expect(0, &["summarize", "bench", "--rollout", stamp]);
    // What is unpacked may be removed at any time.
    fs::remove_dir_all(project.path().join("data/cache")).unwrap();
    project.expect(0, &["verify", "bench"]);

    let path = archive.to_string_lossy().into_owned();
    project.expect(0, &["archive", "--restore", &path]);
    assert_eq!(evidence(&project), kept);
    project.expect(0, &["verify", "bench"]);
    project.expect(0, &["run", "bench.toml", "--resume"]);
}

#[test]
fn nothing_is_written_into_an_archive_and_it_is_said_what_to_do() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["archive", "bench"]);
    let archive = archive_of(&project);
    let whole = fs::read(&archive).unwrap();
    for writer in [
        &["run", "bench.toml", "--resume"][..],
        &["remeasure", "bench"],
        &["eval", "bench"],
        &["unpack", "bench", "--all"],
        &["archive", "bench"],
    ] {
        let refused = project.expect(2, writer);
        assert!(
            refused.err.contains("is archived") && refused.err.contains("archive --restore bench/"),
            "{writer:?}: {}",
            refused.err
        );
    }
    // A report goes where its reader is.
    project.expect(0, &["report", "bench"]);
    assert!(project.path().join("report.md").is_file());
    assert_eq!(fs::read(&archive).unwrap(), whole);
    let names = fs::read_dir(archive.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1, "only the archive is there");
    // A new run of the same benchmark is one beside it.
    project.expect(0, &["run", "bench.toml"]);
    assert_eq!(
        project
            .expect(0, &["list", "--json"])
            .json()
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_run_that_can_go_on_is_not_archived_and_one_that_cannot_be_kept_whole_neither() {
    let project = Project::with_spec("seeds = 2\ncommand = \"true\"\nkeep_folders = true\n");
    project.expect(0, &["run", "bench.toml"]);
    let trial = fs::read_dir(project.path().join("data/runs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let pipe = trial.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let before = evidence(&project);
    let refused = project.run(&["archive", "bench"]);
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("pipe"), "{}", refused.err);
    assert_eq!(evidence(&project), before);
    fs::remove_file(&pipe).unwrap();
    // Long names, links and permissions are kept.
    let long = "n".repeat(200);
    fs::create_dir_all(trial.join(&long)).unwrap();
    fs::write(trial.join(&long).join(&long), "deep").unwrap();
    symlink("/nowhere", trial.join("link")).unwrap();
    fs::set_permissions(
        trial.join("logs/stdout.log"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    let before = evidence(&project);
    project.expect(0, &["archive", "bench", "--keep"]);
    let archive = archive_of(&project);
    let bytes = fs::read(&archive).unwrap();
    fs::remove_file(&archive).unwrap();
    assert_eq!(evidence(&project), before);
    fs::write(&archive, bytes).unwrap();
    // Beside its folder it is nothing but a copy.
    assert_eq!(
        project
            .expect(0, &["list", "--json"])
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    project.expect(0, &["archive", "--restore", "bench"]);
    assert_eq!(evidence(&project), before);
    project.expect(2, &["archive", "--restore", "bench"]);
    project.expect(0, &["archive", "bench"]);
    project.expect(0, &["archive", "--restore", "bench"]);
    assert_eq!(evidence(&project), before);
    // A run without its end can go on.
    let journal = project.newest_run("bench").join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let cut = text.trim_end().rfind('\n').unwrap();
    fs::write(&journal, &text[..=cut]).unwrap();
    let refused = project.expect(2, &["archive", "bench"]);
    assert!(refused.err.contains("did not end"), "{}", refused.err);
}

#[test]
fn other_programs_unpack_it() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let logs = below(&project.path().join("data/runs"));
    project.expect(0, &["archive", "bench"]);
    let tools = project.shell("command -v zstd && command -v tar");
    if tools.code != 0 {
        eprintln!("skipped: no zstd and tar to unpack with");
        return;
    }
    let archive = archive_of(&project);
    let command = format!(
        "mkdir other && zstd -qdc {} | tar -xf - -C other",
        archive.display()
    );
    let done = project.shell(&command);
    assert_eq!(done.code, 0, "{}", done.err);
    let found = below(&project.path().join("other/runs"));
    let contents = |all: &BTreeMap<PathBuf, (String, u32, Option<std::time::SystemTime>)>| {
        let texts = all.values().map(|(text, mode, _)| (text.clone(), *mode));
        texts.collect::<Vec<_>>()
    };
    assert_eq!(contents(&found), contents(&logs));
}

#[test]
fn damage_is_named_with_what_can_be_read() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["archive", "bench"]);
    let archive = archive_of(&project);
    let whole = fs::read(&archive).unwrap();
    let name = archive.file_name().unwrap().to_string_lossy().into_owned();
    for (place, expected) in [
        (whole.len() / 4, "damaged"),
        (whole.len() - 200, "index"),
        (whole.len() - 1, "no archive of a run"),
    ] {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        fs::write(&archive, &bytes).unwrap();
        let _ = fs::remove_dir_all(project.path().join("data/cache"));
        let found = project.run(&["verify", "bench"]);
        assert_ne!(found.code, 0, "{}", found.out);
        let said = format!("{}{}", found.out, found.err);
        assert!(
            said.contains(&name) && said.contains(expected),
            "{place}: {said}"
        );
        // Its restoring removes nothing.
        assert_ne!(project.run(&["archive", "--restore", "bench"]).code, 0);
        assert_eq!(fs::read(&archive).unwrap(), bytes);
        // Others are read.
        project.run(&["list"]);
    }
    // What is cut off is no archive, either.
    fs::write(&archive, &whole[..whole.len() / 2]).unwrap();
    assert_ne!(project.run(&["summarize", "bench"]).code, 0);
    fs::write(&archive, &whole).unwrap();
    project.expect(0, &["verify", "bench"]);
    // What was changed where it is unpacked is no evidence.
    let mut unpacked = fs::read_dir(project.path().join("data/cache/archives")).unwrap();
    let home = unpacked.next().unwrap().unwrap().path();
    let journal = below(&home)
        .into_keys()
        .find(|path| path.ends_with("journal.jsonl"))
        .unwrap();
    fs::write(&journal, "nothing").unwrap();
    project.expect(0, &["verify", "bench"]);
    project.expect(0, &["summarize", "bench"]);
}

#[test]
fn retention_takes_archives_for_runs() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["archive", "bench"]);
    project.expect(0, &["run", "bench.toml"]);
    let shown = project.expect(0, &["gc", "--keep-last", "1"]);
    assert!(shown.err.contains("1 run would go"), "{}", shown.err);
    project.expect(0, &["gc", "--keep-last", "1", "--yes"]);
    assert_eq!(
        project
            .expect(0, &["list", "--json"])
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let left = fs::read_dir(project.path().join("data/rollouts/bench"))
        .unwrap()
        .count();
    assert_eq!(left, 1);
    project.expect(0, &["verify", "bench"]);
}

#[test]
fn records_that_another_run_took_over_are_read_out_of_the_archive() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["run", "bench.toml", "--reuse"]);
    let before = project.expect(0, &["logs", "bench", "--trial", "2"]).out;
    let runs = project.expect(0, &["list", "--json"]).json();
    let stamps: Vec<&str> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["stamp"].as_str().unwrap())
        .collect();
    let first = stamps.iter().min().unwrap();
    project.expect(0, &["archive", &format!("bench/{first}")]);
    assert_eq!(
        project.expect(0, &["logs", "bench", "--trial", "2"]).out,
        before
    );
    project.expect(0, &["verify", "bench"]);
    let curves = ["variance", "bench:control", "--metric", "loss"];
    project.expect(0, &curves);
}
