//! The script that a scheduler runs for each element: some lines of the user's, then this binary with a chunk's number.

use super::contract::{Batch, PlaceError, StoreRef};
use crate::chunk::SETUP;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_text::shell_word::shell_word;
use std::path::{Path, PathBuf};

/// What differs between schedulers.
pub(super) struct Script<'a> {
    /// The binary on the node.
    pub(super) program: &'a Path,
    /// The element's number, in the shell's words.
    pub(super) element: &'a str,
    /// Number of the first element.
    pub(super) first: u64,
    /// Lines that prepare the node.
    pub(super) setup: Option<&'a str>,
    /// Name under which the script keeps what it writes, where the scheduler does not.
    pub(super) log: Option<&'a str>,
}

/// The text of a batch's script.
pub(super) fn text(batch: &Batch, script: &Script<'_>) -> String {
    // Without a folder that both see, the scheduler keeps what a job writes, or nobody does.
    let log = script.log.filter(|_| batch.store.is_none());
    let log = log.map_or(String::new(), |name| {
        let start = batch.folder.join(format!("{name}-")).display().to_string();
        let element = format!("$(({} - {}))", script.element, script.first);
        format!("exec >>{}{element}.log 2>&1\n", shell_word(&start))
    });
    let offset = i128::from(batch.chunks.start) - i128::from(script.first);
    let chunk = format!("$(({} + {offset}))", script.element);
    let (shell, setup) = match script.setup {
        None => ("/bin/sh", String::new()),
        Some(setup) if batch.store.is_some() => (shell(), format!("set -e\n{setup}\nset +e\n")),
        Some(setup) => (shell(), guarded(batch, setup, &chunk, log.lines().count())),
    };
    let work = match &batch.store {
        Some(StoreRef { url, run }) => {
            format!("--store {} --run {}", shell_word(url), shell_word(run))
        }
        None => format!("--plan {}", shell_word(&batch.plan.display().to_string())),
    };
    // `exec`: the scheduler's signals must reach the runner, not a shell that waits for it.
    format!(
        "#!{shell}\n{log}{setup}exec {} exec {work} --chunk {chunk}\n",
        shell_word(&script.program.display().to_string()),
    )
}

/// What runs the lines that prepare a node: `module` is often a function that bash exports, and that other shells drop.
fn shell() -> &'static str {
    let bash = "/bin/bash";
    if Path::new(bash).exists() {
        bash
    } else {
        "/bin/sh"
    }
}

/// Exit statuses of what SIGHUP, SIGINT and SIGTERM ended: with these a scheduler ends a job that is cancelled, preempted
/// or put back into the queue, which is no failure of the lines. Only the scheduler knows why.
const ENDED: &str = "129:*|130:*|143:*";

/// The lines that prepare a node, with signs of life beside them. The first that fails ends the job and is named in the
/// chunk's folder; what fails inside of a function or of a file that is read in is theirs to judge, where the shell
/// tells them apart.
fn guarded(batch: &Batch, setup: &str, chunk: &str, lines_before: usize) -> String {
    let folder = shell_word(&batch.folder.display().to_string());
    let pause = batch.beat_s.ceil().max(1.0);
    // With a trap, who is told to stop ends what it writes first: an `mv` that outlived it would bring the file back.
    // A signal to bash itself ends it in the middle of a command, with the status of the one before: without an `exit`.
    let before = format!(
        r#"fairtrial_setup={folder}/{chunk}/{SETUP}
fairtrial_say() {{ echo "$@" >"$fairtrial_setup.new" && mv -f "$fairtrial_setup.new" "$fairtrial_setup"; }} 2>/dev/null
(trap 'kill $!; exit' TERM; n=0; while kill -0 $$; do n=$((n + 1)); fairtrial_say running $n; sleep {pause} & wait $!; done) >/dev/null 2>&1 &
fairtrial_beats=$!
fairtrial_stop() {{ kill $fairtrial_beats; wait $fairtrial_beats; }} 2>/dev/null
fairtrial_failed() {{ set +e; trap - EXIT; fairtrial_stop; case "$1:${{3:-exit}}" in {ENDED}) exit "$1";; 0:exit*) ;; 0:*) exit 143;; esac; fairtrial_say failed "$1" "$2" "$(uname -n)"; exit 3; }}
trap 'fairtrial_failed $? 0 "${{BASH_COMMAND:-exit}}"' EXIT
"#
    );
    // The shebang, what stands before, this line.
    let first = 1 + lines_before + before.lines().count() + 1;
    format!(
        r#"{before}if [ -n "${{BASH_VERSION:-}}" ]; then trap 'fairtrial_status=$?; [ ${{#BASH_SOURCE[@]}} -gt 1 ] || fairtrial_failed $fairtrial_status $((LINENO - {first}))' ERR; else set -e; fi
{setup}
set +e; trap - EXIT; [ -z "${{BASH_VERSION:-}}" ] || trap - ERR
fairtrial_stop
rm -f "$fairtrial_setup" "$fairtrial_setup.new"
"#
    )
}

/// Writes it beside the chunks, executable.
pub(super) fn write(batch: &Batch, script: &Script<'_>) -> Result<PathBuf, PlaceError> {
    use std::os::unix::fs::PermissionsExt;
    let path = batch.file("sh");
    write_atomic_bytes(&path, Durability::Content, text(batch, script).as_bytes())?;
    let allowed = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755));
    allowed.map_err(|source| fairtrial_journal::JournalError::Io {
        action: "make executable",
        path: path.clone(),
        source,
    })?;
    Ok(path)
}

/// What a job wrote into its log.
pub(super) fn read_log(engine: &'static str, path: &Path) -> Result<String, PlaceError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(PlaceError::Answer {
            engine,
            message: format!(
                "{}: {error}; the job may not have started yet",
                path.display()
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Script, text};
    use crate::chunk::{ChunkDir, Setup};
    use crate::remote::contract::{Batch, JobNeeds};
    use std::path::Path;
    use std::process::Command;

    /// What a script with these lines leaves under a shell, for its element 5 of chunk 2: whether the runner began, how
    /// the preparation stands, and what was printed.
    fn ran(shell: &str, setup: &str) -> (bool, Option<Setup>, String) {
        let folder = tempfile::tempdir().unwrap();
        let chunk = folder.path().join("2");
        std::fs::create_dir(&chunk).unwrap();
        let batch = Batch {
            key: "ft-1".into(),
            chunks: 2..3,
            needs: JobNeeds::default(),
            parallel: None,
            beat_s: 1.0,
            folder: folder.path().to_owned(),
            plan: folder.path().join("plan.json"),
            workdir: folder.path().to_owned(),
            store: None,
        };
        let script = Script {
            program: Path::new("/bin/echo"),
            element: "$1",
            first: 5,
            setup: Some(setup),
            log: None,
        };
        let file = folder.path().join("script");
        std::fs::write(&file, text(&batch, &script)).unwrap();
        let mut command = Command::new(shell);
        let output = command.arg(&file).arg("5").output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let began = out.contains("exec --plan");
        assert_eq!(output.status.success(), began, "{out}");
        (began, ChunkDir::at(chunk).setup(), out)
    }

    #[test]
    fn the_first_line_that_fails_ends_the_job_and_is_named() {
        let failed = |line: usize| move |setup: Option<Setup>| matches!(setup, Some(Setup::Failed { line: at, .. }) if at == line);
        for (setup, line) in [
            ("echo a\nno-such-command cuda/12\necho b", 2),
            ("for i in 1 2; do\n echo $i\ndone\nfalse\necho b", 4),
            (". /no/such/file\necho b", 1),
            ("exit 0", 0),
        ] {
            let (began, left, out) = ran("bash", setup);
            assert!(
                !began && failed(line)(left.clone()),
                "{setup}: {left:?} {out}"
            );
            // Without bash the line is not known, and nothing goes on all the same.
            let (began, left, out) = ran("dash", setup);
            assert!(!began && failed(0)(left.clone()), "{setup}: {left:?} {out}");
            assert!(!out.contains('b'), "{out}");
        }
    }

    #[test]
    fn a_job_that_is_ended_from_outside_names_no_failure() {
        for shell in ["bash", "dash"] {
            for signal in ["TERM", "HUP"] {
                // Where the shell itself is told, and where only the program is that it waits for.
                let told = format!("(sleep 0.3; kill -{signal} $$) & sleep 1; sleep 1");
                let program = format!("sh -c 'kill -{signal} $$'");
                for setup in [told, program] {
                    let (began, left, out) = ran(shell, &setup);
                    let failed = matches!(left, Some(Setup::Failed { .. }));
                    assert!(!began && !failed, "{shell} {setup}: {left:?} {out}");
                }
            }
        }
    }

    #[test]
    fn lines_that_end_well_leave_only_what_they_set() {
        let within = "f() { false; true; }\nf\nfalse || true\nif false; then :; fi\ncd /\npwd";
        for shell in ["bash", "dash"] {
            let setup = if shell == "bash" { within } else { "cd /\npwd" };
            let (began, left, out) = ran(shell, setup);
            assert!(began && left.is_none(), "{shell}: {left:?} {out}");
            assert!(out.starts_with("/\n"), "{out}");
            assert!(out.contains("--chunk 2"), "{out}");
        }
    }
}
