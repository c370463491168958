//! More of the machine than an agent may have: processes, disk, memory, and time after its own.

use super::{Arena, Ground, in_each};
use crate::agents::lab::meta;
use std::process::Command;

fn a_fork_bomb_ends_at_its_limit(ground: &Ground) {
    ground.lab().task("t", &meta("t"));
    let bomb = "echo 42 > answer.txt; i=0; while [ $i -lt 300 ]; do sleep 987654 & i=$((i+1)); done; echo all of them";
    let left = ground.attack(bomb, "limits = { processes = 40 }\ntimeout = \"20s\"", "");
    assert!(!left.log.contains("all of them"), "{}", left.log);
    let alive = Command::new("pgrep").args(["-fc", "sleep 987654"]).output();
    let alive = String::from_utf8(alive.unwrap().stdout).unwrap();
    assert_eq!(alive.trim(), "0", "{}", left.ran.err);
    if !ground.is_container() && ground.arena != Arena::BubblewrapAsUser {
        let told = "the limit of 40 processes was reached";
        assert!(left.notes().contains(told), "{}", left.notes());
    }
}

fn a_disk_is_not_filled(ground: &Ground) {
    ground.lab().task("t", &meta("t"));
    let flood = "echo 42 > answer.txt; mkdir -p WHERE; i=0; while [ $i -lt 4000 ]; do head -c 1000000 /dev/zero > WHERE/x$i || exit 3; i=$((i+1)); sleep 0.01; done; echo all of it";
    // Where a container keeps its own files, and where a sandbox without an image keeps temporary ones.
    let other = if ground.is_container() {
        "/big"
    } else {
        "/tmp"
    };
    for place in ["/workspace", "$FAIRTRIAL_OUT", "$HOME", other] {
        let left = ground.attack(
            &flood.replace("WHERE", place),
            "limits = { disk = \"40MiB\" }",
            "",
        );
        let limited = left.record()["facts"]["limited"].to_string();
        let told = "its limit of 40 MiB on disk";
        assert!(limited.contains(told), "{place}: {limited} {}", left.log);
        assert!(!left.log.contains("all of it"), "{}", left.log);
        assert_eq!(left.row["outcome"], "ok", "{}", left.row);
        if place != "/workspace" {
            assert_eq!(left.score(), 1.0, "{place}: what it did before counts");
        }
    }
}

fn nothing_is_left_running(ground: &Ground) {
    ground.lab().task("t", &meta("t"));
    // It leaves its session, its group and its parent, and waits for the tests.
    let daemon = "(setsid sh -c 'while :; do echo 42 > /workspace/answer.txt; sleep 0.05; done' > /dev/null 2>&1 & ) ; (trap '' TERM HUP INT; sleep 876543 & ); echo left";
    let left = ground.attack(daemon, "", "");
    assert!(left.log.contains("left"), "{}", left.log);
    let diff = std::fs::read_to_string(left.dir.join("artifacts/diff.patch")).unwrap();
    let wrote_before_its_end = diff.contains("+42");
    let wanted = if wrote_before_its_end { 1.0 } else { 0.0 };
    assert_eq!(left.score(), wanted, "{}", left.row);
    for daemon in ["sleep 876543", "/workspace/answer.txt; sleep 0.05"] {
        let alive = Command::new("pgrep").args(["-fc", daemon]).output();
        let alive = String::from_utf8(alive.unwrap().stdout).unwrap();
        assert_eq!(alive.trim(), "0", "{daemon}");
    }
}

in_each!(
    a_fork_bomb_ends_at_its_limit,
    a_disk_is_not_filled,
    nothing_is_left_running,
);

#[test]
fn caps_hold_without_a_sandbox_too() {
    Ground::with(Arena::Process, a_fork_bomb_ends_at_its_limit);
    Ground::with(Arena::Process, nothing_is_left_running);
}
