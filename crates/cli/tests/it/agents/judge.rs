//! A model as judge, played by a small server of our own.

use super::lab::{Lab, json_of, meta};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

/// Answers each request with the next of these, the last one for ever; gives the bodies it saw.
fn server(answers: Vec<(u16, String)>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, seen) = channel();
    std::thread::spawn(move || {
        let mut answers = answers.into_iter().peekable();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while reader.read_line(&mut head).unwrap() > 2 {}
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_lowercase()
                        .strip_prefix("content-length: ")?
                        .trim()
                        .parse()
                        .ok()
                })
                .unwrap_or(0);
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let _ = sender.send(format!("{head}{}", String::from_utf8_lossy(&body)));
            let (status, text) = answers.peek().cloned().unwrap();
            if answers.len() > 1 {
                answers.next();
            }
            let _ = write!(
                stream,
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
        }
    });
    (url, seen)
}

fn answer(content: &str) -> String {
    serde_json::json!({ "choices": [{ "message": { "content": content } }] }).to_string()
}

fn lab(url: &str) -> Lab {
    let lab = Lab::new();
    let mut meta = meta("t");
    meta["evaluation"]["test_scripts"]
        .as_array_mut()
        .unwrap()
        .pop();
    lab.task("t", &meta);
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\njudge = {{ model = \"j\", url = \"{url}\", key_env = \"JUDGE_KEY\" }}\nagent = {{ command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }}\n"
    ));
    lab
}

#[test]
fn the_judge_sees_the_diff_and_scores_what_no_test_does() {
    let good = answer(
        r#"Here: {"scores": {"right": {"score": 0.5, "reason": "r"}, "there": {"score": 0.8, "reason": "t"}}}"#,
    );
    let (url, seen) = server(vec![
        (429, "{}".into()),
        (200, answer("no json")),
        (200, good),
    ]);
    let lab = lab(&url);
    lab.run_with(0, &[("JUDGE_KEY", "judge-secret-key")]);
    let (row, dir) = &lab.rollouts("b")[0];
    // The test scores `right` (1.0 of 0.75), the judge `there` (0.8 of 0.25).
    assert!(
        (row["metrics"]["score"].as_f64().unwrap() - 0.95).abs() < 1e-12,
        "{row}"
    );
    assert!(
        (row["metrics"]["lm_score"].as_f64().unwrap() - 0.575).abs() < 1e-12,
        "{row}"
    );
    let results = json_of(dir, "evaluation_results.json");
    assert_eq!(
        results["evaluation"]["rubrics"]["there"]["scored_by"],
        "judge"
    );
    assert_eq!(results["lm_evaluation"]["model"], "j");
    let request = seen.iter().nth(2).unwrap();
    assert!(
        request.contains("+42")
            && request
                .to_lowercase()
                .contains("authorization: bearer judge-secret-key"),
        "{request}"
    );
}

#[test]
fn a_silent_judge_is_infra_and_not_zero() {
    let (url, _seen) = server(vec![(401, "{\"error\": \"bad key\"}".into())]);
    let lab = lab(&url);
    lab.run(3);
    let (row, _) = &lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "infra");
    assert!(row["metrics"].get("score").is_none());
    assert!(
        row["cause"]["message"]
            .as_str()
            .unwrap()
            .contains("status 401"),
        "{row}"
    );
}

#[test]
fn the_judges_key_is_a_secret_whatever_its_name() {
    let key = "plain-looking-value";
    let echo = || (401, format!("{{\"error\": \"no such key: {key}\"}}"));
    let (url, _seen) = server(vec![echo(), echo()]);
    let lab = lab(&url);
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&text.replace("JUDGE_KEY", "JK"));
    lab.project.write(
        "data/tasks/prepared/t/evaluate.sh",
        "test -z \"$JK\" || exit 9",
    );
    let ran = lab.run_with(3, &[("JK", key)]);
    assert!(!ran.err.contains(key), "{}", ran.err);
    let cause = lab.rollouts("b")[0].0["cause"].to_string();
    assert!(cause.contains("no such key: [redacted]"), "{cause}");
    let mut command = lab.project.command(&["eval", "b", "--latest"]);
    command.env("SANDBOX_BACKEND", "process").env("JK", key);
    let again = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(again.contains("no such key: [redacted]"), "{again}");
    let found = std::process::Command::new("grep")
        .args(["-rl", key, "data"])
        .current_dir(lab.project.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
}

#[test]
fn a_judge_is_told_what_its_diff_does_not_have() {
    let scores = r#"{"scores": {"right": 1, "there": 1}}"#;
    let (url, seen) = server(vec![(200, answer(scores))]);
    let lab = lab(&url);
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&text.replace("echo 42 > answer.txt", "truncate -s 3G model.bin"));
    lab.run(0);
    let request = seen.iter().next().unwrap();
    let told = "left out of this diff: model.bin (3.0 GiB; a file may have 16 MiB)";
    assert!(request.contains(told), "{request}");
    assert!(!request.contains("nothing was changed"), "{request}");
}
