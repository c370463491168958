//! The live page from outside: who gets an answer, what leaves, and that nothing is written.

use crate::common::Project;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A server of a project's runs, ended when dropped.
pub struct Server {
    child: Child,
    /// The address that it printed.
    pub url: String,
}

impl Server {
    pub fn start(project: &Project, flags: &[&str]) -> Self {
        let mut child = project
            .command(&[&["serve", "--port", "0"], flags].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut url)
            .unwrap();
        let url = url.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Self { child, url }
    }

    /// `127.0.0.1:PORT` and the secret.
    fn parts(&self) -> (&str, &str) {
        let rest = self.url.strip_prefix("http://").unwrap();
        let (address, token) = rest.split_once('/').unwrap();
        (address, token.trim_end_matches('/'))
    }

    /// Sends bytes as they are; gives the status and the whole answer.
    fn raw(&self, text: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.parts().0).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_mins(1)))
            .unwrap();
        // A server that refuses may close before it has read everything.
        let _ = stream.write_all(text.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.unwrap_or(0), answer)
    }

    /// Asks for a path inside of the page, with these headers besides.
    fn ask(&self, method: &str, path: &str, headers: &[&str]) -> (u16, String) {
        let (address, token) = self.parts();
        let more: String = headers.iter().flat_map(|line| [*line, "\r\n"]).collect();
        self.raw(&format!(
            "{method} /{token}/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{more}\r\n"
        ))
    }

    /// The content of an answer that must be there.
    pub fn get(&self, path: &str) -> String {
        let (status, answer) = self.ask("GET", path, &[]);
        assert_eq!(status, 200, "{path}\n{answer}");
        let (_, content) = answer.split_once("\r\n\r\n").unwrap();
        content.to_owned()
    }

    pub fn json(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.get(path)).unwrap()
    }

    fn post(&self, path: &str) -> (u16, String) {
        self.ask("POST", path, &["Content-Length: 0"])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SPEC: &str = r#"
name = "bench"
seeds = 6
[[tasks]]
id = "t"
shell = true
command = '''
echo "<script>alert(1)</script>"
echo "<script>alert(2)</script>" > "$FAIRTRIAL_DIR/page.html"
echo "{{\"m\": $(({seed} % 7 + {lift}))}}" >> $FAIRTRIAL_METRICS
'''
[arms.control]
lift = 0
[arms.candidate]
lift = 3
[metrics.m]
direction = "up"
"#;

/// The project with a finished run, and the run as the page names it.
fn finished() -> (Project, String) {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let run = project.newest_run("bench");
    let stamp = run.file_name().unwrap().to_str().unwrap().to_owned();
    (project, format!("bench/{stamp}"))
}

#[test]
fn only_who_has_the_secret_is_answered_and_no_other_page_is() {
    let (project, run) = finished();
    let server = Server::start(&project, &[]);
    let (address, token) = server.parts();
    let ask = |head: &str| {
        server
            .raw(&format!("{head}\r\nConnection: close\r\n\r\n"))
            .0
    };
    assert_eq!(
        ask(&format!("GET /{token}/ HTTP/1.1\r\nHost: {address}")),
        200
    );
    assert_eq!(
        ask(&format!("GET /{token}/ HTTP/1.1\r\nHost: localhost:1")),
        200,
        "through ssh -L"
    );
    for path in [
        "/".to_owned(),
        "/api/runs".to_owned(),
        format!("/x{token}/"),
        format!("/{}/", &token[..20]),
    ] {
        assert_eq!(
            ask(&format!("GET {path} HTTP/1.1\r\nHost: {address}")),
            403,
            "{path}"
        );
    }
    for host in [
        "Host: evil.example",
        "Host: localhost.evil.example:80",
        "X-No: host",
    ] {
        assert_eq!(
            ask(&format!("GET /{token}/ HTTP/1.1\r\n{host}")),
            421,
            "{host}"
        );
    }
    let foreign = [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ];
    for header in foreign {
        let path = format!("api/run?run={run}");
        assert_eq!(server.ask("GET", &path, &[header]).0, 403, "{header}");
    }
    let own = format!("Origin: http://{address}");
    assert_eq!(
        server
            .ask("GET", "", &[&own, "Sec-Fetch-Site: same-origin"])
            .0,
        200
    );
}

#[test]
fn what_is_no_question_is_refused_plainly() {
    let (project, run) = finished();
    let server = Server::start(&project, &[]);
    let (address, token) = server.parts();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        assert_eq!(server.ask(method, "api/runs", &[]).0, 405, "{method}");
        let control = format!("api/control?run={run}&do=cancel");
        assert_eq!(
            server.ask(method, &control, &["Content-Length: 0"]).0,
            405,
            "{method}"
        );
    }
    let head = |more: &str| format!("GET /{token}/ HTTP/1.1\r\nHost: {address}\r\n{more}\r\n\r\n");
    assert_eq!(server.raw(&head("Content-Length: 100000000")).0, 413);
    assert_eq!(server.raw(&head("Transfer-Encoding: chunked")).0, 411);
    assert_eq!(
        server.raw(&head(&format!("X: {}", "y".repeat(100_000)))).0,
        431
    );
    assert_eq!(server.raw(&head(&"X: y\r\n".repeat(500))).0, 431);
    assert_eq!(server.raw(&head("Host: evil.example")).0, 400, "two hosts");
    assert_eq!(server.raw("\u{1}\u{2}\u{3} nonsense\r\n\r\n").0, 400);
    assert_eq!(
        server
            .raw(&format!(
                "GET http://evil.example/{token}/ HTTP/1.1\r\nHost: {address}\r\n\r\n"
            ))
            .0,
        400
    );
    let outside = [
        "../../etc/passwd",
        "..%2f..%2fetc/passwd",
        "file?run=../../../etc/20250824__12-34-56&trial=0&path=passwd",
        "api/run?run=/etc/20250824__12-34-56",
        "api/run?run=bench",
        "api/trial?trial=0",
        "api/history?name=../../results.csv",
        "api/history?name=",
        "nothing",
    ];
    for path in outside {
        let (status, answer) = server.ask("GET", path, &[]);
        assert_eq!(status, 404, "{path}\n{answer}");
    }
    let trial = format!("api/trial?run={run}&trial=99");
    assert_eq!(server.ask("GET", &trial, &[]).0, 404);
    assert_eq!(
        server.ask("GET", &format!("api/trial?run={run}"), &[]).0,
        400
    );
}

#[test]
fn nothing_that_a_trial_wrote_is_run_and_nothing_outside_of_its_folder_is_read() {
    let (project, run) = finished();
    let server = Server::start(&project, &[]);
    let detail = server.json(&format!("api/trial?run={run}&trial=0"));
    let dir = project
        .path()
        .join("data")
        .join(detail["dir"].as_str().unwrap());
    project.write("secret.txt", "the secret");
    symlink(project.path().join("secret.txt"), dir.join("link.txt")).unwrap();
    symlink(project.path(), dir.join("up")).unwrap();
    let file = |what: &str, path: &str| {
        server.ask("GET", &format!("{what}?run={run}&trial=0&path={path}"), &[])
    };
    for what in ["api/text", "file"] {
        for path in [
            "link.txt",
            "up/secret.txt",
            "../../../secret.txt",
            "%2fetc%2fpasswd",
            "logs",
            "logs/../../../../secret.txt",
            "",
        ] {
            let (status, answer) = file(what, path);
            assert_eq!(status, 404, "{what} {path}\n{answer}");
            assert!(!answer.contains("the secret"), "{path}");
        }
    }
    let (status, page) = file("file", "page.html");
    assert_eq!(status, 200, "{page}");
    for header in [
        "Content-Type: application/octet-stream",
        "Content-Disposition: attachment",
        "X-Content-Type-Options: nosniff",
        "sandbox",
    ] {
        assert!(page.contains(header), "{header}\n{page}");
    }
    let (_, log) = file("api/text", "logs/stdout.log");
    assert!(
        log.contains("Content-Type: application/json") && log.contains("<script>alert(1)"),
        "{log}"
    );
    // Each answer says what may run: of ours only what is ours.
    for path in [
        "",
        "app.js",
        "api/runs",
        "nothing",
        &format!("report?run={run}"),
    ] {
        let (_, answer) = server.ask("GET", path, &[]);
        let policy = answer
            .lines()
            .find(|line| line.starts_with("Content-Security-Policy: default-src 'none'"));
        let policy = policy.unwrap_or_else(|| panic!("{path}: {answer}"));
        let (_, scripts) = policy.split_once("script-src").unwrap_or_default();
        let scripts = scripts.split(';').next().unwrap();
        assert!(!scripts.contains("unsafe"), "{path}: {policy}");
    }
}

/// Every file below a folder, with its size and when it changed.
fn files(folder: &Path, found: &mut BTreeMap<String, (u64, SystemTime)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let data = entry.metadata().unwrap();
        if data.is_dir() {
            files(&entry.path(), found);
        } else {
            let name = entry.path().display().to_string();
            found.insert(name, (data.len(), data.modified().unwrap()));
        }
    }
}

#[test]
fn looking_writes_nothing_into_a_run() {
    let (project, run) = finished();
    let folders = ["data/rollouts", "data/runs"].map(|name| project.path().join(name));
    let all = || {
        let mut found = BTreeMap::new();
        for folder in &folders {
            files(folder, &mut found);
        }
        found
    };
    // What is made from the journal may be gone: whoever looks does not make it again.
    std::fs::remove_file(project.newest_run("bench").join("summary.md")).unwrap();
    let before = all();
    let server = Server::start(&project, &[]);
    for path in [
        "api/runs".to_owned(),
        format!("api/run?run={run}"),
        format!("api/trials?run={run}"),
        format!("api/trial?run={run}&trial=1"),
        format!("report?run={run}"),
        format!("api/compare?run={run}&a=control&b=candidate"),
        format!("api/compare?a={run}&b={run}"),
    ] {
        server.get(&path);
    }
    assert_eq!(before, all());
}

#[test]
fn a_damaged_run_shows_what_is_readable_and_what_is_not() {
    let (project, run) = finished();
    let folder = project.newest_run("bench");
    let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    let damaged: Vec<String> = journal
        .lines()
        .enumerate()
        .map(|(line, text)| {
            if line == 4 {
                text.replace("\"index\":", "\"index\":9")
            } else {
                text.to_owned()
            }
        })
        .collect();
    std::fs::write(folder.join("journal.jsonl"), damaged.join("\n") + "\n").unwrap();
    std::fs::write(folder.join("spec.resolved.json"), "{").ok();
    let server = Server::start(&project, &[]);
    let seen = server.json(&format!("api/run?run={run}"));
    let problems = seen["problems"].to_string();
    assert!(problems.contains("line 5"), "{problems}");
    let rows = server.json(&format!("api/trials?run={run}"));
    assert!(rows["total"].as_u64().unwrap() >= 11, "{rows}");
    // A journal that is none, and a run without any.
    std::fs::write(folder.join("journal.jsonl"), "garbage\n").unwrap();
    std::fs::create_dir_all(folder.with_file_name("20250824__12-34-56")).unwrap();
    for run in [run.as_str(), "bench/20250824__12-34-56"] {
        let (status, answer) = server.ask("GET", &format!("api/run?run={run}"), &[]);
        assert!(matches!(status, 200 | 404), "{answer}");
    }
    assert_eq!(server.ask("GET", "api/runs", &[]).0, 200);
}

#[test]
fn with_control_runs_are_paused_cancelled_and_resumed() {
    let project =
        Project::with_spec("name = \"slow\"\nseeds = 900\nparallel = 1\ncommand = \"sleep 0.2\"\n");
    let mut child = project
        .command(&["run", "bench.toml"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server::start(&project, &["--control"]);
    let mut run = String::new();
    let began = Instant::now();
    while run.is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1));
        let runs = server.json("api/runs");
        if let Some(row) = runs["rows"].get(0).filter(|row| row["live"] == true) {
            run = format!("slow/{}", row["stamp"].as_str().unwrap());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let status = || server.json(&format!("api/run?run={run}"));
    let until = |what: &dyn Fn(&serde_json::Value) -> bool| {
        let began = Instant::now();
        loop {
            let seen = status();
            if what(&seen) {
                return seen;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "{seen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let control = |what: &str| server.post(&format!("api/control?run={run}&do={what}"));
    assert_eq!(control("resume").0, 404, "it is running");
    assert_eq!(control("priority").0, 409);
    assert_eq!(control("explode").0, 400);
    assert_eq!(
        server
            .ask("GET", &format!("api/control?run={run}&do=cancel"), &[])
            .0,
        405
    );
    assert_eq!(control("pause").0, 200);
    // What the controller was about to start when it was asked still ends; after that nothing starts.
    let at_rest = || until(&|seen| seen["status"] == "paused" && seen["running"] == 0);
    let (mut paused, began) = (at_rest(), Instant::now());
    loop {
        std::thread::sleep(Duration::from_millis(600));
        let now = at_rest();
        if now["counts"] == paused["counts"] {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{now}");
        paused = now;
    }
    assert_eq!(control("continue").0, 200);
    until(&|seen| seen["counts"] != paused["counts"]);
    assert_eq!(control("cancel").0, 200);
    child.wait().unwrap();
    let cancelled = until(&|seen| seen["status"] == "cancelled");
    assert_eq!(control("pause").0, 404, "it is not running");
    let (code, said) = control("resume");
    assert_eq!(code, 200, "{said}");
    until(&|seen| {
        seen["live"] == true && seen["counts"]["ok"].as_u64() > cancelled["counts"]["ok"].as_u64()
    });
    assert_eq!(control("cancel").0, 200);
    until(&|seen| seen["live"] == false);
}
