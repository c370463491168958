//! The built-in agent: a model that a small server of ours plays, well or badly, and a shell in the sandbox.

use super::attacks::{Arena, Ground, in_each};
use super::lab::{Lab, json_of, meta};
use crate::common::Ran;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What the server does with one request.
#[derive(Clone)]
pub enum Act {
    /// Answers with this status and text.
    Say(u16, String),
    /// Begins to answer, and breaks off.
    Cut(String),
    /// Answers byte by byte.
    Slowly(String),
}

/// Acts on each request with the next of these, the last one for ever; gives the requests that it saw.
pub fn model(acts: Vec<Act>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, seen) = channel();
    std::thread::spawn(move || {
        let mut acts = acts.into_iter().peekable();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while reader.read_line(&mut head).unwrap() > 2 {}
            let length = head.lines().find_map(|line| {
                let line = line.to_lowercase();
                line.strip_prefix("content-length: ")?.trim().parse().ok()
            });
            let mut body = vec![0; length.unwrap_or(0)];
            reader.read_exact(&mut body).unwrap();
            let _ = sender.send(format!("{head}{}", String::from_utf8_lossy(&body)));
            let act = acts.peek().cloned().unwrap();
            if acts.len() > 1 {
                acts.next();
            }
            let begin = |status: u16, length: usize| {
                let more = if status == 429 {
                    "Retry-After: 1\r\n"
                } else {
                    ""
                };
                format!(
                    "HTTP/1.1 {status} X\r\n{more}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                )
            };
            // A client that has gone is its own affair.
            let _ = match act {
                Act::Say(status, text) => write!(stream, "{}{text}", begin(status, text.len())),
                Act::Cut(text) => write!(stream, "{}{text}", begin(200, text.len() + 50)),
                Act::Slowly(text) => {
                    let _ = write!(stream, "{}", begin(200, text.len()));
                    text.bytes()
                        .collect::<Vec<u8>>()
                        .chunks(40)
                        .try_for_each(|part| {
                            std::thread::sleep(Duration::from_millis(5));
                            stream.write_all(part)
                        })
                }
            };
        }
    });
    (url, seen)
}

const USAGE: (u64, u64) = (1_000_000, 100_000);

/// An answer of chat completions that wants a command run.
pub fn does(command: &str) -> Act {
    Act::Say(200, call("chat", command).to_string())
}

/// One that is done.
pub fn says(text: &str) -> Act {
    Act::Say(200, word("chat", text).to_string())
}

fn call(api: &str, command: &str) -> Value {
    let arguments = json!({ "command": command });
    let given = arguments.to_string();
    let (input, output) = USAGE;
    match api {
        "chat" => json!({
            "choices": [{ "message": { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "shell", "arguments": given } },
            ] } }],
            "usage": { "prompt_tokens": input, "completion_tokens": output },
        }),
        "responses" => json!({
            "output": [{ "type": "function_call", "call_id": "c1", "name": "shell", "arguments": given }],
            "usage": { "input_tokens": input, "output_tokens": output },
        }),
        _ => json!({
            "content": [{ "type": "tool_use", "id": "c1", "name": "shell", "input": arguments }],
            "usage": { "input_tokens": input, "output_tokens": output },
        }),
    }
}

fn word(api: &str, text: &str) -> Value {
    let (input, output) = USAGE;
    match api {
        "chat" => json!({
            "choices": [{ "message": { "role": "assistant", "content": text } }],
            "usage": { "prompt_tokens": input, "completion_tokens": output },
        }),
        "responses" => json!({
            "output": [{ "type": "message", "content": [{ "type": "output_text", "text": text }] }],
            "usage": { "input_tokens": input, "output_tokens": output },
        }),
        _ => json!({
            "content": [{ "type": "text", "text": text }],
            "usage": { "input_tokens": input, "output_tokens": output },
        }),
    }
}

fn lab(url: &str, more: &str) -> Lab {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nmodel = \"m\"\nretries = 0\nagent = {{ name = \"minimal\", url = \"{url}\", key_env = \"MK\", price = {{ input = 1.0, output = 10.0 }}{more} }}\n"
    ));
    lab
}

/// A server that misbehaves in every way that servers do, for each kind of endpoint: a patient person would get the work done.
#[test]
fn a_model_that_misbehaves_is_waited_for_and_every_answer_is_paid_for() {
    for (api, path) in [
        ("chat", "/v1/chat/completions"),
        ("responses", "/v1/responses"),
        ("anthropic", "/v1/messages"),
    ] {
        let good = |value: Value| Act::Say(200, value.to_string());
        let mut wordless = word(api, "");
        wordless["output"] = json!([]);
        wordless["content"] = json!([]);
        let (url, seen) = model(vec![
            Act::Say(429, "{}".to_owned()),
            Act::Say(500, "oops".to_owned()),
            Act::Cut(call(api, "echo cut").to_string()),
            Act::Say(200, "no json at all".to_owned()),
            good(wordless),
            Act::Slowly(
                call(
                    api,
                    "cat $MK answer.txt; echo 42 > answer.txt; echo key=$MK",
                )
                .to_string(),
            ),
            Act::Say(529, "overloaded".to_owned()),
            good(call(api, "cat answer.txt; exit 7")),
            good(word(api, "It is done.")),
        ]);
        let lab = lab(
            &url,
            &format!(", api = \"{api}\", params = {{ top_p = 0.5 }}"),
        );
        lab.run_with(0, &[("MK", "plain-looking-model-key")]);
        let (row, dir) = &lab.rollouts("b")[0];
        let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
        assert_eq!(
            (&row["outcome"], &row["metrics"]["score"]),
            (&json!("ok"), &json!(1.0)),
            "{row}\n{log}"
        );
        // Four answers that came whole: $1 read and $1 written in each.
        assert_eq!(row["metrics"]["tokens_total"], 4_400_000.0, "{row}");
        assert_eq!(row["metrics"]["cost_usd"], 8.0, "{row}");
        assert_eq!(row["metrics"]["tool_calls"], 2.0, "{row}");
        assert!(
            log.contains("[exit code 7]") && log.contains("It is done."),
            "{log}"
        );
        assert!(
            log.contains("key=\n"),
            "the key is not for the sandbox: {log}"
        );
        let requests: Vec<String> = seen.try_iter().collect();
        assert_eq!(requests.len(), 9);
        let last = requests.last().unwrap();
        assert!(
            last.contains(&format!("POST {path} ")) && last.contains("plain-looking-model-key"),
            "{last}"
        );
        assert!(
            last.contains("\"top_p\": 0.5") && last.contains("42") && !last.contains("temperature"),
            "{last}"
        );
        let trajectory = json_of(dir, "artifacts/trajectory.json");
        assert_eq!(trajectory["final_metrics"]["total_cost_usd"], 8.0);
        assert_eq!(
            trajectory["steps"].as_array().unwrap().len(),
            4,
            "{trajectory}"
        );
        let found = std::process::Command::new("grep")
            .args(["-rl", "plain-looking-model-key", "data"])
            .current_dir(lab.project.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    }
}

#[test]
fn limits_end_a_model_and_its_work_is_scored() {
    let (url, _seen) = model(vec![does("echo 42 > answer.txt")]);
    for (more, limit) in [
        (
            ", max_steps = 3",
            "its limit of 3 steps (`agent.max_steps`)",
        ),
        (", max_cost = 5.0", "its limit of $5 ($6.0000 spent)"),
    ] {
        let lab = lab(&url, more);
        lab.run(0);
        let (row, dir) = &lab.rollouts("b")[0];
        assert_eq!(row["metrics"]["score"], 1.0, "{row}");
        assert_eq!(json_of(dir, "results.json")["limited"], limit);
    }
    let full = json!({ "error": { "code": "context_length_exceeded" } }).to_string();
    let (url, _seen) = model(vec![does("echo 42 > answer.txt"), Act::Say(400, full)]);
    let lab = lab(&url, "");
    lab.run(0);
    assert_eq!(
        json_of(&lab.rollouts("b")[0].1, "results.json")["limited"],
        "the model's context"
    );
}

#[test]
fn a_refused_key_is_infra_and_its_keys_are_refused_elsewhere() {
    let (url, _seen) = model(vec![Act::Say(401, "{\"error\": \"bad key\"}".to_owned())]);
    let lab = lab(&url, "");
    lab.run(3);
    let row = &lab.rollouts("b")[0].0;
    assert_eq!(row["outcome"], "infra");
    assert!(row["cause"].to_string().contains("status 401"), "{row}");
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&text.replace("name = \"minimal\"", "name = \"codex\""));
    let ran = lab.project.expect(2, &["check", "configs/bench.toml"]);
    assert!(
        ran.err
            .contains("`url` goes with the agent `minimal`, this is `codex`"),
        "{}",
        ran.err
    );
}

in_each!(a_model_works_without_a_network);

/// The model is asked from outside: what its commands have of the network does not matter.
fn a_model_works_without_a_network(ground: &Ground) {
    let (url, _seen) = model(vec![
        does("echo 42 > answer.txt; grep -c : /proc/net/dev"),
        does("cat answer.txt"),
        says("done"),
    ]);
    ground.lab().task("t", &meta("t"));
    ground.lab().spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nmodel = \"m\"\nretries = 0\nsandbox = {{ {} }}\nagent = {{ name = \"minimal\", url = \"{url}\" }}\n",
        ground.sandbox("")
    ));
    let ran = Ran::from(
        ground
            .command(&["run", "configs/bench.toml"])
            .output()
            .unwrap(),
    );
    let (row, dir) = &ground.lab().rollouts("b")[0];
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap_or_default();
    assert_eq!(ran.code, 0, "{row}\n{log}\n{}", ran.err);
    assert_eq!(row["metrics"]["score"], 1.0, "{row}\n{log}");
    assert!(log.contains("\n1\n") && log.contains("\n42\n"), "{log}");
}
