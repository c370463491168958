//! Out of the sandbox: to the tests, to other rollouts, to the machine, to the network, to the caller's secrets.

use super::{Arena, Ground, in_each};
use crate::agents::lab::meta;
use std::net::TcpListener;

/// What every sandbox must refuse. Each attempt says `won: NAME` where it succeeds. These only look, so that they can be
/// made where nothing confines them.
const ATTEMPTS: &str = r#"
won() { echo "won: $1"; }
try() { name=$1; shift; if "$@" > /dev/null 2>&1; then won "$name"; fi; }
holds() { grep -qs canary-in-the-tests "$@"; }
try "the task's folder" holds PROJECT/data/tasks/prepared/t/tb_meta.json
try "the cached task" sh -c 'grep -qs canary-in-the-tests PROJECT/data/cache/tasks/*/task.json'
try "other rollouts" ls PROJECT/data/runs
try "the spec" cat PROJECT/configs/bench.toml
for process in /proc/[0-9]*; do
  try "the tests through $process/root" holds $process/root/PROJECT/data/tasks/prepared/t/tb_meta.json
  try "the tests through $process/cwd" holds $process/cwd/data/tasks/prepared/t/tb_meta.json
done
try "another process" kill -0 VICTIM
try "the caller's secret" sh -c 'env | grep -q canary-in-the-environment'
try "a secret of any process" sh -c 'cat /proc/[0-9]*/environ | grep -q canary-in-the-environment'
try "the network" sh -c 'echo x | nc -w 2 127.0.0.1 PORT || bash -c "echo x > /dev/tcp/127.0.0.1/PORT"'
echo tried
"#;

/// What changes something where it succeeds: only for sandboxes that are to confine it.
const CHANGES: &str = r#"
value=$(cat /proc/sys/kernel/core_pattern)
try "/proc/sys" sh -c "echo '$value' > /proc/sys/kernel/core_pattern"
try "/proc/sysrq-trigger" sh -c 'echo h > /proc/sysrq-trigger'
try "a mount" mount -t tmpfs none /mnt
try "a device" mknod /tmp/disk b 7 0
"#;

/// What only matters where the files are this machine's own.
const ON_THIS_MACHINE: &str = r#"
try "a namespace" unshare -U true
try "passwords" grep -q root /etc/shadow
try "the system" touch /usr/fairtrial-was-here
try "/etc" touch /etc/fairtrial-was-here
try "/dev" touch /dev/fairtrial-was-here
try "the root" touch /fairtrial-was-here
grep -q '^CapEff:.0000000000000000' /proc/self/status || won "a right"
grep -q '^CapBnd:.0000000000000000' /proc/self/status || won "a right to come"
grep -q '^NoNewPrivs:.1' /proc/self/status || won "new rights"
grep -q '^Seccomp:.2' /proc/self/status || won "no filter"
test "$(id -u)" != 0 || won "root"
awk '$1 == 0 && $2 == 0 && $3 > 1 { exit 1 }' /proc/self/uid_map || won "all users"
cat > handles.py <<'PYTHON'
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("kind", ctypes.c_int), ("handle", ctypes.c_char * 8)]
handle = Handle(8, 1, struct.pack("II", 2, 0))
root = libc.open_by_handle_at(os.open("/workspace", os.O_RDONLY), ctypes.byref(handle), os.O_RDONLY)
raise SystemExit(0 if root >= 0 else 1)
PYTHON
try "a file by its handle" /usr/bin/python3 handles.py
"#;

fn script(ground: &Ground, port: u16) -> String {
    let more = match ground.arena {
        Arena::Process => "",
        Arena::Podman | Arena::Docker => CHANGES,
        Arena::BubblewrapAsRoot | Arena::BubblewrapAsUser => &[CHANGES, ON_THIS_MACHINE].concat(),
    };
    let script = ATTEMPTS.replace("echo tried", &format!("{more}echo tried"));
    let project = ground.lab().project.path().display().to_string();
    script
        .replace("PROJECT", &project)
        .replace("VICTIM", &std::process::id().to_string())
        .replace("PORT", &port.to_string())
}

fn prepare(ground: &Ground) -> TcpListener {
    let mut task = meta("t");
    task["evaluation"]["test_scripts"][1]["content"] =
        "test -s answer.txt # canary-in-the-tests".into();
    ground.lab().task("t", &task);
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn nothing_outside_is_reached(ground: &Ground) {
    let listener = prepare(ground);
    let port = listener.local_addr().unwrap().port();
    let left = ground.attack(&script(ground, port), "", "");
    assert!(
        left.log.ends_with("tried\n"),
        "{}\n{}",
        left.log,
        left.ran.err
    );
    assert_eq!(left.log, "tried\n", "{:?}", ground.arena);
    assert_eq!(left.score(), 0.0);
}

in_each!(nothing_outside_is_reached);

/// The same attempts succeed where nothing is confined: they are real ones.
#[test]
fn without_a_sandbox_the_attempts_succeed() {
    Ground::with(Arena::Process, |ground| {
        let listener = prepare(ground);
        let port = listener.local_addr().unwrap().port();
        let left = ground.attack(&script(ground, port), "", "");
        for won in [
            "the task's folder",
            "the cached task",
            "other rollouts",
            "the spec",
            "another process",
            "the network",
        ] {
            assert!(left.log.contains(&format!("won: {won}\n")), "{}", left.log);
        }
        assert!(left.log.ends_with("tried\n"), "{}", left.log);
        // What is given is chosen in every sandbox.
        assert!(!left.log.contains("the caller's secret"), "{}", left.log);
    });
}
