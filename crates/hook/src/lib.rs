//! Hands JSON to a program that has limited time: a user's reporter or notification.
//!
//! The program runs in a process group of its own and is ended whole when its time is over. What it says is kept, the
//! end of it, for the message. Its failure is a value here and nothing more: whoever calls decides what it means.
#![forbid(unsafe_code)]

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of what the program says that are kept.
const KEPT: usize = 4096;
/// How often the end of the program is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// A program and what it is handed.
#[derive(Debug, Clone, Copy)]
pub struct Hook<'a> {
    /// Program and arguments.
    pub argv: &'a [String],
    /// Where it runs.
    pub dir: &'a Path,
    /// Variables added to the caller's.
    pub env: &'a [(&'a str, &'a str)],
    /// What it reads on standard input.
    pub input: &'a [u8],
    /// Its time.
    pub limit: Duration,
}

/// Why a program did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// It could not be started.
    #[error("`{program}` cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It ended with an error.
    #[error("`{program}` ended with {status}{}", said(.output))]
    Failed {
        /// The program.
        program: String,
        /// How.
        status: ExitStatus,
        /// The end of what it said.
        output: String,
    },
    /// Its time was over.
    #[error("`{program}` took longer than {} s and was ended{}", .limit.as_secs_f64(), said(.output))]
    TooSlow {
        /// The program.
        program: String,
        /// Its time.
        limit: Duration,
        /// The end of what it said.
        output: String,
    },
}

fn said(output: &str) -> String {
    match output.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

/// Runs the program to its end and gives the end of what it said.
pub fn run(hook: Hook<'_>) -> Result<String, HookError> {
    let program = hook.argv.first().cloned().unwrap_or_default();
    let started = Command::new(&program)
        .args(hook.argv.get(1..).unwrap_or_default())
        .current_dir(hook.dir)
        .envs(hook.env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(source) => return Err(HookError::Start { program, source }),
    };
    let (sender, said) = mpsc::channel();
    feed(&mut child, hook.input.to_vec());
    for stream in streams(&mut child) {
        let sender = sender.clone();
        // Not joined: a grandchild that keeps the pipe open would keep it from ending.
        thread::spawn(move || listen(stream, &sender));
    }
    drop(sender);
    let ended = wait(&mut child, hook.limit);
    let output = gather(&said);
    match ended {
        Some(status) if status.success() => Ok(output),
        Some(status) => Err(HookError::Failed {
            program,
            status,
            output,
        }),
        None => Err(HookError::TooSlow {
            program,
            limit: hook.limit,
            output,
        }),
    }
}

/// Writes the input on a thread: a program may read it late, or not at all.
fn feed(child: &mut Child, input: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read is free not to.
        thread::spawn(move || stdin.write_all(&input));
    }
}

fn streams(child: &mut Child) -> Vec<Box<dyn Read + Send>> {
    let out = child
        .stdout
        .take()
        .map(|stream| Box::new(stream) as Box<dyn Read + Send>);
    let err = child
        .stderr
        .take()
        .map(|stream| Box::new(stream) as Box<dyn Read + Send>);
    out.into_iter().chain(err).collect()
}

fn listen(mut stream: Box<dyn Read + Send>, sender: &mpsc::Sender<Vec<u8>>) {
    let mut chunk = [0; KEPT];
    while let Ok(read) = stream.read(&mut chunk) {
        if read == 0 || sender.send(chunk[..read].to_vec()).is_err() {
            return;
        }
    }
}

/// Waits for the end; a program that is too slow is ended with all that it started.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if began.elapsed() < limit => thread::sleep(LOOK),
            _ => break,
        }
    }
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    None
}

/// The end of what was said, as far as it has come.
fn gather(said: &mpsc::Receiver<Vec<u8>>) -> String {
    let mut bytes = Vec::new();
    // The streams end with the program, or are held open by something that it left behind.
    while let Ok(chunk) = said.recv_timeout(10 * LOOK) {
        bytes.extend(chunk);
        if bytes.len() > 2 * KEPT {
            bytes.drain(..bytes.len() - KEPT);
        }
    }
    let from = bytes.len().saturating_sub(KEPT);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Hook, HookError, run};
    use std::path::Path;
    use std::time::Duration;

    fn shell(script: &str, input: &[u8], limit: Duration) -> Result<String, HookError> {
        let argv = ["sh", "-c", script].map(str::to_owned);
        run(Hook {
            argv: &argv,
            dir: Path::new("/"),
            env: &[("GREETING", "hello")],
            input,
            limit,
        })
    }

    #[test]
    fn the_program_reads_its_input_and_sees_its_variables() {
        let said = shell("cat; echo $GREETING", b"{}", Duration::from_mins(1)).unwrap();
        assert_eq!(said, "{}hello\n");
    }

    #[test]
    fn a_program_that_does_not_read_is_no_error() {
        let long = vec![b'x'; 1 << 20];
        assert!(shell("exit 0", &long, Duration::from_mins(1)).is_ok());
    }

    #[test]
    fn failure_says_what_the_program_said() {
        let error = shell("echo no token >&2; exit 3", b"", Duration::from_mins(1)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("exit status: 3") && text.contains("no token"),
            "{text}"
        );
        let argv = ["no-such-program-here".to_owned()];
        let missing = run(Hook {
            argv: &argv,
            dir: Path::new("/"),
            env: &[],
            input: b"",
            limit: Duration::from_secs(1),
        });
        assert!(
            missing
                .unwrap_err()
                .to_string()
                .contains("cannot be started")
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; wait", pid.display());
        let error = shell(&script, b"", Duration::from_secs(1)).unwrap_err();
        assert!(matches!(error, HookError::TooSlow { .. }), "{error}");
        let pid = std::fs::read_to_string(pid).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        // A kill is on its way when it returns, not at its end: the test hangs here if it never arrives.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
