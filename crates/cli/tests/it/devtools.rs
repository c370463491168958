//! Chromium by its debugging protocol, over pipes: pages are opened, pressed, measured and printed as a person would.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long something on a page may take to appear.
const PATIENCE: Duration = Duration::from_mins(1);

/// Whether Chromium is here; where it is not, that is said, and in CI it must be.
pub fn have_chromium() -> bool {
    if Command::new("chromium").arg("--version").output().is_ok() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "chromium is not installed"
    );
    eprintln!("skipped: chromium is not installed (./test installs it)");
    false
}

/// One page in a browser without a screen.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    asked: u64,
    /// What the page complained about.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn new() -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken at descriptors 3 and 4.
        let script = "exec chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-dev-shm-usage \
             --hide-scrollbars --remote-debugging-pipe --user-data-dir=\"$1\" 3<&0 4>&1 1>/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script, "sh", &profile.path().display().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            input,
            output,
            session: None,
            asked: 0,
            complaints: Vec::new(),
            _profile: profile,
        };
        let made = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = made["targetId"].as_str().unwrap().to_owned();
        let attach = json!({ "targetId": target, "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.size(1280, 900);
        browser
    }

    /// Asks the browser for something.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method });
        message["params"] = params;
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut text = message.to_string().into_bytes();
        text.push(0);
        self.input.write_all(&text).unwrap();
        loop {
            let mut answer = Vec::new();
            let read = self.output.read_until(0, &mut answer).unwrap();
            assert!(read > 0, "chromium has gone");
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == self.asked {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            let event = answer["method"].as_str().unwrap_or_default();
            let is_error = answer["params"]["entry"]["level"] == "error";
            if event == "Runtime.exceptionThrown" || (event == "Log.entryAdded" && is_error) {
                self.complaints.push(answer["params"].to_string());
            }
        }
    }

    /// Opens an address.
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
        // Until the new page is there, what is asked would be asked of none.
        self.wait("document.body && document.readyState !== 'loading'");
    }

    /// What an expression is on the page.
    pub fn js(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked);
        let thrown = answer.get("exceptionDetails");
        assert!(thrown.is_none(), "{expression}: {thrown:?}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression holds.
    pub fn wait(&mut self, expression: &str) {
        let began = Instant::now();
        while self.js(&format!("!!({expression})")) != json!(true) {
            if began.elapsed() > PATIENCE {
                let shown = self.js("document.body.innerText.slice(0, 2000)");
                panic!("{expression}\n{shown}\n{}", self.complaints.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses what a selector finds first.
    pub fn click(&mut self, selector: &str) {
        self.js(&format!("document.querySelector({selector:?}).click()"));
    }

    /// Moves the pointer, or presses and lets go of its button.
    pub fn pointer(&mut self, kind: &str, (x, y): (f64, f64)) {
        let pressed = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": pressed, "clickCount": 1,
            "buttons": i32::from(kind != "mouseReleased" && kind != "mouseMoved") });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Types one key.
    pub fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key }),
            );
        }
    }

    /// Gives the window another size.
    pub fn size(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets what the reader prefers.
    pub fn scheme(&mut self, scheme: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": feature }));
    }

    /// Prints the page on paper of this size in inches; gives how long the PDF is, in letters of base64.
    pub fn printed(&mut self, (width, height): (f64, f64)) -> usize {
        let paper = json!({ "paperWidth": width, "paperHeight": height, "printBackground": true });
        let made = self.call("Page.printToPDF", paper);
        let pdf = made["data"].as_str().unwrap();
        assert!(pdf.starts_with("JVBERi"), "this is no PDF");
        pdf.len()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
