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
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
  grep -q "^$set:.0000000000000000" /proc/self/status || won "a right: $set"
done
grep -q '^NoNewPrivs:.1' /proc/self/status || won "new rights"
grep -q '^Seccomp:.2' /proc/self/status || won "no filter"
test "$(id -u)" != 0 || won "root"
test "$(id -G)" = "$(id -g)" || won "further groups"
test "$(awk '{ print $6 }' /proc/self/stat)" != 0 || won "a session from outside"
awk '$6 !~ /(^|,)nosuid(,|$)/ { print "won: rights by a file in " $5 }' /proc/self/mountinfo
awk '$6 !~ /(^|,)nodev(,|$)/ && $5 !~ "^/dev/(null|zero|full|random|urandom|tty|pts)$" { print "won: devices in " $5 }' /proc/self/mountinfo
awk '$6 ~ /^rw/ && $5 !~ "^/(tmp|workspace|out|home/agent|proc|dev/(null|zero|full|random|urandom|tty|pts|shm))$" { print "won: changes in " $5 }' /proc/self/mountinfo
try "a mount made new" mount -o remount,rw,bind /usr
try "a mount taken off" umount /proc/sys
try "devices in a folder of ours" sh -c 'mknod /workspace/disk b 7 0 || mknod /workspace/null c 1 3'
kill -KILL 1 2> /dev/null; kill -TERM 1 2> /dev/null
(sh -c 'sleep 0.05 & sleep 0.05 &' &); sleep 0.3
grep -qs '^State:.Z' /proc/[0-9]*/status && sleep 2 && grep -qs '^State:.Z' /proc/[0-9]*/status && won "what nobody waits for stays"
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
cat > memory.py <<'PYTHON'
words = (b"canary-in-the-environment", b"canary-in-the-tests")
try:
    lines = open("/proc/1/maps").read().splitlines()
    memory = open("/proc/1/mem", "rb", 0)
except OSError:
    raise SystemExit(1)
for line in lines:
    start, end = (int(part, 16) for part in line.split()[0].split("-"))
    try:
        memory.seek(start)
        held = memory.read(end - start)
    except (OSError, OverflowError, ValueError):
        continue
    if any(word in held for word in words):
        raise SystemExit(0)
raise SystemExit(1)
PYTHON
try "a secret in the memory of the first process" /usr/bin/python3 memory.py
"#;

/// What is tighter where the sandbox is built by ourselves: its first process has neither rights nor files nor memory of
/// ours, and no part of `/proc` that is a setting of the machine can be written to.
const OURS: &str = r#"
test "$(tr '\0' ' ' < /proc/1/cmdline)" = "first " || won "another builder"
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
  grep -q "^$set:.0000000000000000" /proc/1/status || won "a right of the first process: $set"
done
grep -q '^NoNewPrivs:.1' /proc/1/status || won "new rights of the first process"
grep -q '^Seccomp:.2' /proc/1/status || won "no filter for the first process"
test "$(awk '/^Uid/ { print $2, $3, $4, $5 }' /proc/1/status)" = "$(awk '/^Uid/ { print $2, $3, $4, $5 }' /proc/self/status)" || won "another user"
for number in 3 4 5 6 7 8 9; do
  test ! -e /proc/$$/fd/$number || won "a file of ours: $(readlink /proc/$$/fd/$number)"
done
test -z "$(ls /proc/1/fd)" || won "a file of the first process"
grep -q fairtrial /proc/1/maps && won "a copy of ours"
for name in sys irq bus sysrq-trigger; do
  test ! -e /proc/$name || grep -q " /proc/$name ro," /proc/self/mountinfo || won "changes in /proc/$name"
done
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

/// A sandbox with a way to some places is built by `bwrap`, any other by ourselves: both confine as much.
fn whoever_builds_it_nothing_is_reached(ground: &Ground) {
    let listener = prepare(ground);
    let port = listener.local_addr().unwrap().port();
    let script = script(ground, port);
    let way = "network = { allow = [\"localhost:1\"] }";
    let left = ground.attack(&script, "", way);
    assert_eq!(left.log, "tried\n", "{}", left.ran.err);
    if !builds_itself() {
        eprintln!("skipped: this kernel has not all calls for it");
        return;
    }
    let script = script.replace("echo tried", &format!("{OURS}echo tried"));
    let left = ground.attack(&script, "", "");
    assert_eq!(left.log, "tried\n", "{}", left.ran.err);
}

/// Linux 5.12 has the last of the calls.
fn builds_itself() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse().unwrap_or(0));
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    cfg!(target_arch = "x86_64") && version >= (5, 12)
}

#[test]
fn both_builders_confine_as_much() {
    Ground::with(
        Arena::BubblewrapAsRoot,
        whoever_builds_it_nothing_is_reached,
    );
    Ground::with(
        Arena::BubblewrapAsUser,
        whoever_builds_it_nothing_is_reached,
    );
}

/// An agent that talks like the sandbox has run all the same: its failure is its own.
#[test]
fn an_agent_cannot_blame_the_sandbox() {
    let blame = |ground: &Ground| {
        ground.lab().task("t", &meta("t"));
        let said = "echo 'bwrap: setting up uid map: Permission denied'; exit 1";
        let left = ground.attack(said, "", "");
        assert_eq!(left.row["outcome"], "failed", "{}", left.row);
    };
    if builds_itself() {
        Ground::with(Arena::BubblewrapAsRoot, blame);
        Ground::with(Arena::BubblewrapAsUser, blame);
    }
}

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
