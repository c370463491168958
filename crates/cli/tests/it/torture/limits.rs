//! Limits on trials, and trials that try to get away.

use super::audit::audit;
use super::journal::outcome;
use super::lab::Lab;
use serde_json::Value;
use std::collections::BTreeMap;

/// One run with one hostile task per limit.
const HOSTILE: &str = r#"
seeds = 1
parallel = 4
[defaults]
shell = true
kill_grace = "200ms"
[[tasks]]
id = "slow"
timeout = "150ms"
kill_grace = "1m"
command = 'sleep 1000'
[[tasks]]
id = "deaf"
timeout = "2s"
command = 'trap "" TERM; while :; do sleep 0.05; done'
[[tasks]]
id = "hungry"
limits = { memory = "32MiB" }
command = 'head -c 200000000 /dev/zero | tail'
[[tasks]]
id = "coping"
limits = { memory = "32MiB" }
command = 'head -c 200000000 /dev/zero | tail | wc -c; echo went on'
[[tasks]]
id = "busy"
limits = { cpu_time = "1s" }
command = 'while :; do :; done'
[[tasks]]
id = "busy-family"
limits = { cpu_time = "1s" }
command = 'while :; do sh -c "i=0; while [ \$i -lt 20000 ]; do i=\$((i+1)); done"; done'
[[tasks]]
id = "fertile"
limits = { processes = 6 }
command = 'for child in 1 2 3 4 5 6 7 8 9 10; do sleep 20 & done; wait'
[[tasks]]
id = "loud"
log_limit = "64KiB"
command = 'echo first; head -c 3000000 /dev/zero; echo; echo last'
[[tasks]]
id = "runaway"
command = '''
(setsid sh -c 'trap "" TERM HUP; (sleep 1000 & sleep 1000 & wait) & wait' > /dev/null 2>&1 &)
(setsid sleep 1000 > /dev/null 2>&1 &)
sleep 2'''
[[tasks]]
id = "holder"
command = 'sleep 1000 & echo said'
"#;

#[test]
fn every_limit_holds_and_nothing_gets_away() {
    let lab = Lab::new(HOSTILE);
    lab.finish().assert_code(1);
    let journal = audit(&lab, 10);
    let records: BTreeMap<&str, &Value> = journal
        .effective()
        .into_values()
        .map(|record| (record["trial"]["task"].as_str().unwrap(), record))
        .collect();
    wall_time(records["slow"], 15);
    wall_time(records["deaf"], 9);
    cpu_time(records["busy"]);
    output_cap(&lab, records["loud"]);
    // The shell, its subshell and their two children, and one on its own.
    leftovers(records["runaway"], 5);
    leftovers(records["holder"], 1);
    if let Some(by) = only_rlimits(records["hungry"]) {
        assert!(std::env::var_os("CI").is_none(), "CI has control groups");
        eprintln!("skipped: limits on whole trials, because they are set by {by} here");
        return;
    }
    cpu_time(records["busy-family"]);
    memory(records["hungry"]);
    memory(records["coping"]);
    assert_eq!(records["coping"]["exit"]["code"], 0, "it went on");
    assert_eq!(records["coping"]["cause"]["went_on"], true);
    processes(&lab, records["fertile"]);
}

fn wall_time(record: &Value, signal: i32) {
    assert_eq!(outcome(record), "timeout", "{record}");
    assert_eq!(record["cause"]["kind"], "wall_time", "{record}");
    assert_eq!(record["exit"]["signal"], signal, "{record}");
}

fn cpu_time(record: &Value) {
    assert_eq!(outcome(record), "timeout", "{record}");
    assert_eq!(record["cause"]["kind"], "cpu_time", "{record}");
    let used = ["user_s", "sys_s"].map(|key| record["resources"][key].as_f64().unwrap());
    assert!(used[0] + used[1] > 0.5, "{record}");
}

fn memory(record: &Value) {
    assert_eq!(outcome(record), "oom", "{record}");
    assert_eq!(record["cause"]["kind"], "memory", "{record}");
    let peak = record["resources"]["peak_memory_bytes"].as_u64().unwrap();
    assert!((16 << 20..=32 << 20).contains(&peak), "{record}");
}

fn processes(lab: &Lab, record: &Value) {
    assert_eq!(outcome(record), "failed", "{record}");
    let dir = lab.data().join(record["dir"].as_str().unwrap());
    let said = std::fs::read_to_string(dir.join("logs/stderr.log")).unwrap();
    assert!(said.to_lowercase().contains("fork"), "{said}");
    let notes = record["notes"].to_string();
    assert!(
        notes.contains("the limit of 6 processes was reached"),
        "{record}"
    );
}

fn output_cap(lab: &Lab, record: &Value) {
    assert_eq!(outcome(record), "ok", "{record}");
    let dir = lab.data().join(record["dir"].as_str().unwrap());
    let log = std::fs::read(dir.join("logs/stdout.log")).unwrap();
    assert!(log.starts_with(b"first\n") && log.ends_with(b"\nlast\n"));
    assert!(log.len() < (64 << 10) + 100, "{} bytes", log.len());
    let said = record["notes"].to_string();
    assert!(said.contains("standard output were left out"), "{record}");
}

fn leftovers(record: &Value, count: u64) {
    assert_eq!(outcome(record), "ok", "{record}");
    let found = &record["resources"]["leftover_processes"];
    assert_eq!(found, count, "{record}");
}

/// What sets the limits where that is not a control group.
fn only_rlimits(record: &Value) -> Option<&str> {
    let by = record["resources"]["limits_by"].as_str().unwrap();
    (!by.starts_with("cgroup")).then_some(by)
}
