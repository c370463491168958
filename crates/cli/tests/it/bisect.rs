//! Which commit it was: repositories with planted changes, broken commits, kills in the middle, and ranges that are none.

use crate::bench::CTRL_C;
use crate::common::{Project, Ran};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A repository whose commits have these files each, tagged `c0`, `c1`, and so on. What they cost is counted by a stand-in of
/// valgrind: the number in the file `cost`.
struct Repository(Project);

impl Repository {
    fn with(commits: &[Vec<(&str, String)>]) -> Self {
        let repository = Self(Project::new());
        repository.git(&["init", "-q", "-b", "main"]);
        let mut stream = String::new();
        for (number, files) in commits.iter().enumerate() {
            let _ = writeln!(
                stream,
                "commit refs/heads/main\nmark :{}\ncommitter Ada <a@b> {} +0000",
                number + 1,
                1_700_000_000 + number
            );
            let _ = writeln!(stream, "{}deleteall", data(&format!("commit {number}")));
            for (name, text) in files {
                let _ = write!(stream, "M 100644 inline {name}\n{}", data(text));
            }
        }
        for number in 0..commits.len() {
            let _ = writeln!(stream, "reset refs/tags/c{number}\nfrom :{}\n", number + 1);
        }
        let mut import = Command::new("git")
            .args(["fast-import", "--quiet"])
            .current_dir(repository.0.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = import.stdin.take().unwrap();
        input.write_all(stream.as_bytes()).unwrap();
        drop(input);
        assert!(import.wait().unwrap().success());
        repository.git(&["checkout", "-q", "-f", "main"]);
        repository.0.write(".git/info/exclude", "data\nbin\n");
        let counts = "#!/bin/sh\nshift 2\n\"$@\" && echo \"==1== Collected : $(cat cost)\" >&2\n";
        repository.0.write("bin/valgrind", counts);
        let counter = repository.0.path().join("bin/valgrind");
        std::fs::set_permissions(counter, std::fs::Permissions::from_mode(0o755)).unwrap();
        repository
    }

    /// Commits of which each costs so much.
    fn of_costs(costs: impl IntoIterator<Item = u32>) -> Self {
        let files = |cost: u32| vec![("cost", format!("{cost}\n"))];
        Self::with(&costs.into_iter().map(files).collect::<Vec<_>>())
    }

    fn git(&self, args: &[&str]) -> String {
        let user = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let output = Command::new("git")
            .args(user.iter().chain(args))
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(&[&["bisect"], args].concat());
        let path = std::env::var("PATH").unwrap_or_default();
        let own = self.0.path().join("bin");
        command.env("PATH", format!("{}:{path}", own.display()));
        command
    }

    fn bisect(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// By counted instructions, which another run would give again.
    fn count(&self, ends: [&str; 2], more: &[&str]) -> Ran {
        let counter = ["--counter", "callgrind"];
        self.bisect(&[&ends[..], &counter, more, &["--", "true"]].concat())
    }

    /// Its lines of what was measured, and the file that holds them.
    fn measured(&self) -> (std::path::PathBuf, String) {
        let folder = self.0.path().join("data/cache/bisects");
        let mut entries = std::fs::read_dir(folder).unwrap();
        let file = entries
            .next()
            .unwrap()
            .unwrap()
            .path()
            .join("measured.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        (file, text)
    }
}

fn data(text: &str) -> String {
    format!("data {}\n{text}\n", text.len())
}

/// The subjects of the commits that changed something.
fn changes(ran: &Ran) -> Vec<String> {
    let found = ran.json();
    let each = found["changes"].as_array().unwrap().iter();
    each.map(|it| it["commit"]["subject"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_commit_is_found_among_64_and_the_users_files_are_left_alone() {
    let costs = (0..=64).map(|at| if at >= 41 { 105_000 } else { 100_000 });
    let repository = Repository::of_costs(costs);
    // What is not committed takes no part, and stays as it is.
    repository.0.write("cost", "1\n");
    repository.0.write("new", "mine\n");
    let before = repository.git(&["status", "--porcelain"]);
    let ran = repository.count(["c0", "c64"], &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let first = ran.out.lines().next().unwrap();
    assert!(
        first.contains("(commit 41) changed the instructions by +5.00 % (counted)"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("by Ada, 2023-11-14; probability > 99.9 %"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("building "), "{}", ran.err);
    assert_eq!(repository.git(&["status", "--porcelain"]), before);
    assert_eq!(repository.0.read("cost"), "1\n");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
    // Nothing is hidden: each step is a run.
    repository.0.expect(0, &["verify", "bisect"]);
    let found = repository.count(["c0", "c64"], &["--json"]).json();
    let builds = found["builds"].as_u64().unwrap();
    assert!(builds <= 10, "{builds}");
    assert_eq!(found["end"], "found");
    assert_eq!(found["commits"], 64);
    let runs = found["runs"].as_array().unwrap();
    assert!(runs[0].as_str().unwrap().starts_with("bisect/"), "{found}");
    let listed = repository.0.expect(0, &["list", "--json"]).json();
    assert_eq!(
        listed.as_array().unwrap().len(),
        runs.len(),
        "nothing was measured again"
    );
}

#[test]
fn ends_that_do_not_differ_are_said_to_be_so_before_anything_between_is_built() {
    let repository = Repository::of_costs([100_000, 200_000, 300_000, 100_100]);
    let log = repository.0.path().join("bin/builds");
    let build = format!("echo build >> {}", log.display());
    let ran = repository.count(["c0", "c3"], &["--build", &build]);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("does not differ by 1 %"), "{}", ran.out);
    assert_eq!(repository.0.read("bin/builds"), "build\nbuild\n");
    let found = repository
        .count(["c0", "c3"], &["--build", &build, "--json"])
        .json();
    assert_eq!(found["end"], "same");
    assert_eq!(found["builds"], 2);
}

#[test]
fn two_changes_are_told_apart() {
    let cost =
        |at: u32| 100_000 + if at >= 5 { 10_000 } else { 0 } + if at >= 20 { 20_000 } else { 0 };
    let repository = Repository::of_costs((0..=24).map(cost));
    let ran = repository.count(["c0", "c24"], &["--json"]);
    assert_eq!(changes(&ran), ["commit 5", "commit 20"], "{}", ran.out);
    let said = repository.count(["c0", "c24"], &[]).out;
    assert!(said.starts_with("2 changes in this range"), "{said}");
}

#[test]
fn commits_that_do_not_build_or_run_are_skipped_and_named_where_they_may_be_it() {
    let commit = |at: u32| {
        let mut files = vec![("cost", format!("{}\n", if at >= 9 { 200 } else { 100 }))];
        if [7, 8].contains(&at) {
            files.push(("broken", "x".to_owned()));
        }
        if at == 9 {
            files.push(("fails", "x".to_owned()));
        }
        files
    };
    let repository = Repository::with(&(0..=16).map(commit).collect::<Vec<_>>());
    let args = [
        "c0",
        "c16",
        "--counter",
        "callgrind",
        "--build",
        "test ! -e broken",
        "-N",
    ];
    let measured = ["--", "test", "!", "-e", "fails"];
    let ran = repository.bisect(&[&args[..], &measured].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("skipped "), "{}", ran.err);
    let found = repository.bisect(&[&args[..], &["--json"], &measured].concat());
    assert_eq!(changes(&found), ["commit 10"], "{}", found.out);
    let change = &found.json()["changes"][0];
    assert_eq!(change["before"]["subject"], "commit 6");
    let others = change["or"].as_array().unwrap().iter();
    let others: Vec<&Value> = others.map(|it| &it["subject"]).collect();
    assert_eq!(others, ["commit 7", "commit 8", "commit 9"]);
    assert!(
        ran.out.contains("or a skipped commit before it: "),
        "{}",
        ran.out
    );
    // An end that does not build leaves nothing to compare with.
    let ran = repository.bisect(&[&["c0", "c8"], &args[2..], &measured].concat());
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("an end of the range, does not build"),
        "{}",
        ran.err
    );
    let ran = repository.bisect(&[&["c0", "c9"], &args[2..], &measured].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("ended with exit code 1"), "{}", ran.err);
}

#[test]
fn a_time_is_found_and_a_killed_bisect_loses_no_block() {
    let commit = |at: u32| {
        vec![(
            "work.sh",
            format!("sleep {}\n", if at >= 3 { "0.5" } else { "0.02" }),
        )]
    };
    let repository = Repository::with(&(0..=4).map(commit).collect::<Vec<_>>());
    let args = ["c0", "c4", "--", "sh", "work.sh"];
    let mut command = repository.command(&args);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let blocks = || {
        let text = repository.0.path().join("data/cache/bisects");
        text.exists()
            .then(|| repository.measured().1.matches("block").count())
    };
    let began = Instant::now();
    while blocks().is_none_or(|blocks| blocks < 3) {
        assert!(
            began.elapsed() < Duration::from_mins(2),
            "nothing was measured"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (file, before) = repository.measured();
    // A line that was being written when the machine went down is none.
    let mut torn = std::fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .unwrap();
    torn.write_all(b"{\"block\":{\"run\":\"bi").unwrap();
    let ran = repository.bisect(&args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("resumed: "), "{}", ran.err);
    let first = ran.out.lines().next().unwrap();
    assert!(
        first.contains("(commit 3) changed the wall time by +"),
        "{}",
        ran.out
    );
    let (_, after) = repository.measured();
    assert!(after.starts_with(&before), "{before}\n{after}");
    // A line that is not as it was written is not taken for nothing.
    std::fs::write(&file, after.replacen("\"values\"", "\"valves\"", 1)).unwrap();
    let ran = repository.bisect(&args);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("is damaged"), "{}", ran.err);
}

#[test]
fn an_interrupted_bisect_says_how_it_goes_on() {
    let repository = Repository::of_costs([100, 100, 200]);
    let here = repository.0.path().display().to_string();
    let build = format!("test \"$(cat cost)\" = 200 || exit 0; cd {here}; {CTRL_C}");
    let mut command = repository.command(&[
        "c0",
        "c2",
        "--counter",
        "callgrind",
        "--build",
        &build,
        "--",
        "true",
    ]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    repository.0.write("pid", &child.id().to_string());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("the same command resumes it"),
        "{}",
        ran.out
    );
}

#[test]
fn what_is_no_range_is_refused_with_what_to_type() {
    let repository = Repository::of_costs([100, 110, 120]);
    repository.git(&["checkout", "-q", "-b", "side", "c0"]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "aside"]);
    for (ends, wanted) in [
        (["nowhere", "c2"], "no revision `nowhere`"),
        (["c0", "main~9"], "no revision `main~9`"),
        (["c1", "c1"], "are the same commit"),
        (["c2", "c0"], "`fairtrial bisect c0 c2`"),
        (
            ["side", "main"],
            "`side` is not an ancestor of `main`; they share the commit ",
        ),
    ] {
        let ran = repository.count(ends, &[]);
        assert_eq!(ran.code, 2, "{ends:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(wanted), "{ends:?}: {}", ran.err);
    }
    for (more, wanted) in [
        (["--alpha", "0.7"], "--alpha is an error chance"),
        (["--max-blocks", "3"], "3 is not in 10..=5000"),
        (["--metric", "cpu"], "cannot be used with"),
    ] {
        let ran = repository.count(["c0", "c2"], &more);
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.err);
        assert!(ran.err.contains(wanted), "{more:?}: {}", ran.err);
    }
    let ran = Project::new().run(&["bisect", "a", "b", "--", "true"]);
    assert!(ran.err.contains("is in no git repository"), "{}", ran.err);
    assert!(
        !repository.0.path().join("data").exists(),
        "nothing was run"
    );
}

#[test]
fn a_merge_is_one_commit_of_the_range() {
    let repository = Repository::of_costs([100, 100, 100]);
    repository.git(&["checkout", "-q", "-b", "side", "c1"]);
    for cost in ["150", "200"] {
        repository.0.write("cost", cost);
        repository.git(&["commit", "-qam", "aside"]);
    }
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    let found = repository.count(["c0", "main"], &["--json"]);
    assert_eq!(changes(&found), ["merge side"], "{}", found.out);
    assert_eq!(found.json()["commits"], 3);
    assert_eq!(found.json()["changes"][0]["commit"]["merge"], true);
}

#[test]
fn what_a_commit_says_is_not_obeyed() {
    let repository = Repository::of_costs([100, 200]);
    repository.git(&[
        "commit",
        "-q",
        "--amend",
        "-m",
        "\u{1b}[31mred\u{1b}[0m \u{7}",
    ]);
    let ran = repository.count(["c0", "main"], &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("red"), "{}", ran.out);
    for said in [&ran.out, &ran.err] {
        assert!(
            !said.contains('\u{1b}') && !said.contains('\u{7}'),
            "{said:?}"
        );
    }
}
