//! Trials without a folder: every command works as if they had one, and whatever is not little keeps it.

use super::audit::audit;
use super::lab::Lab;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// One task per way to leave something.
const SPEC: &str = r#"
keep_folders = false
parallel = 2
seeds = [7]
order = "spec"
[defaults]
shell = true
[[tasks]]
id = "silent"
command = "true"
[[tasks]]
id = "slow"
command = "echo early; sleep 0.1; echo late >&2"
[[tasks]]
id = "says"
command = 'echo "hello {seed}"; echo "{\"loss\": 0.5}" >> "$FAIRTRIAL_METRICS"'
[[tasks]]
id = "file"
command = 'echo x > "$FAIRTRIAL_DIR/model.pt"; echo done'
[[tasks]]
id = "folder"
command = 'mkdir "$FAIRTRIAL_DIR/logs"; echo mine > "$FAIRTRIAL_DIR/logs/own.log"; echo done'
[[tasks]]
id = "curve"
command = 'echo "{\"step\": 1, \"curve\": 2}" >> "$FAIRTRIAL_METRICS"'
[[tasks]]
id = "much"
command = "head -c 100000 /dev/zero | tr '\\0' x"
[[tasks]]
id = "bytes"
command = 'printf "\\377"'
[[tasks]]
id = "fails"
command = "echo why >&2; exit 3"
[[tasks]]
id = "escapes"
command = "(sleep 9 &) ; echo left"
"#;

/// Those that leave little.
const PACKED: [&str; 4] = ["silent", "slow", "says", "escapes"];

fn by_task(lab: &Lab) -> BTreeMap<String, Value> {
    let journal = lab.journal();
    let named = |it: &Value| it["trial"]["task"].as_str().unwrap().to_owned();
    let records = journal.effective().into_values();
    records
        .map(|record| (named(record), record.clone()))
        .collect()
}

fn dir(lab: &Lab, record: &Value) -> PathBuf {
    lab.data().join(record["dir"].as_str().unwrap())
}

#[test]
fn what_leaves_little_has_no_folder_and_all_else_keeps_all_it_left() {
    let lab = Lab::new(SPEC);
    lab.finish().assert_code(1);
    let records = by_task(&lab);
    for (task, record) in &records {
        let packed = PACKED.contains(&task.as_str());
        assert_eq!(record["packed"].is_object(), packed, "{task}");
        let dir = dir(&lab, record);
        assert_eq!(dir.exists(), !packed, "{task}");
        if packed {
            continue;
        }
        for file in [
            "command.sh",
            "record.json",
            "logs/stdout.log",
            "logs/stderr.log",
        ] {
            assert!(dir.join(file).is_file(), "{task} has no {file}");
        }
    }
    let read = |task: &str, file: &str| fs::read(dir(&lab, &records[task]).join(file)).unwrap();
    assert_eq!(read("file", "logs/stdout.log"), b"done\n");
    assert_eq!(read("folder", "logs/own.log"), b"mine\n");
    assert_eq!(read("folder", "logs/stdout.log"), b"done\n");
    assert_eq!(read("much", "logs/stdout.log").len(), 100_000);
    assert_eq!(read("bytes", "logs/stdout.log"), [0xff]);
    assert_eq!(read("fails", "logs/stderr.log"), b"why\n");
    let audited = audit(&lab, 10);
    assert_eq!(audited.effective().len(), 10);
}

#[test]
fn commands_need_no_folder() {
    let lab = Lab::new(SPEC);
    lab.finish().assert_code(1);
    let records = by_task(&lab);
    let trial = |task: &str| records[task]["trial"]["index"].to_string();
    let said = |more: &[&str]| {
        let done = lab.call(&[&["logs", "torture", "--trial"], more].concat());
        done.assert_code(0).stdout
    };
    assert_eq!(said(&[&trial("says")]), "hello 7\n");
    assert_eq!(said(&[&trial("slow")]), "early\n");
    assert_eq!(said(&[&trial("slow"), "--stderr"]), "late\n");
    assert_eq!(said(&[&trial("silent")]).trim(), "");
    let explained = lab.call(&["explain", "torture", "--trial", &trial("says")]);
    assert!(explained.stdout.contains("hello 7"), "{explained:?}");
    assert!(
        explained.stdout.contains("fairtrial unpack"),
        "{explained:?}"
    );
    lab.call(&["report", "torture", "--html", "r.html"])
        .assert_code(0);
    let page = fs::read_to_string(lab.path().join("r.html")).unwrap();
    assert!(page.contains("hello 7") && page.contains("fairtrial unpack"));
    let name = records["says"]["dir"].as_str().unwrap();
    let name = name.rsplit('/').next().unwrap();
    let history = lab.call(&[
        "analyze",
        "--metric",
        "loss",
        "--control-run-ids",
        name,
        "--candidate-run-ids",
        name,
    ]);
    assert!(!history.stderr.contains("there is no run"), "{history:?}");
    // Metrics are read again from what was packed, and the trial is packed as before.
    let spec = lab.path().join("spec.toml");
    let text = fs::read_to_string(&spec).unwrap();
    let metric = "[metrics.seen]\nfrom = 'stdout:hello (\\d+)'\nrequired = false\n";
    fs::write(&spec, format!("{text}{metric}")).unwrap();
    lab.call(&["remeasure", "torture"]).assert_code(0);
    let again = &by_task(&lab)["says"];
    assert_eq!(again["metrics"]["seen"], 7.0, "{again}");
    assert!(again["packed"].is_object() && !dir(&lab, again).exists());
    lab.call(&["verify", "torture"]).assert_code(0);
}

#[test]
fn unpacked_a_trial_is_as_if_it_had_kept_its_folder() {
    let lab = Lab::new(SPEC);
    lab.finish().assert_code(1);
    let kept = Lab::new(&SPEC.replace("keep_folders = false", "keep_folders = true"));
    kept.finish().assert_code(1);
    let (packed, whole) = (by_task(&lab), by_task(&kept));
    for task in PACKED {
        let trial = packed[task]["trial"]["index"].to_string();
        let done = lab
            .call(&["unpack", "torture", "--trial", &trial])
            .assert_code(0);
        let (made, left) = (dir(&lab, &packed[task]), dir(&kept, &whole[task]));
        assert_eq!(
            done.stdout.trim(),
            made.canonicalize().unwrap().to_str().unwrap()
        );
        for file in ["logs/stdout.log", "logs/stderr.log", "metrics.jsonl"] {
            let read = |dir: &PathBuf| fs::read(dir.join(file)).ok();
            assert_eq!(read(&made), read(&left), "{task}: {file}");
        }
        // The two labs lie at other places and have other stamps.
        let script = |lab: &Lab, dir: &PathBuf| {
            let text = fs::read_to_string(dir.join("command.sh")).unwrap();
            let text = text.replace(lab.path().to_str().unwrap(), "LAB");
            let name = dir.file_name().unwrap().to_str().unwrap();
            let stamp = name.rsplit_once('-').unwrap().0;
            text.replace(name, "TRIAL").replace(stamp, "STAMP")
        };
        assert_eq!(script(&lab, &made), script(&kept, &left));
        let record = fs::read(made.join("record.json")).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        assert_eq!(record["id"], packed[task]["id"]);
    }
    lab.call(&["verify", "torture"]).assert_code(0);
    // A resumed run leaves alone what somebody unpacked.
    lab.finish().assert_code(1);
    assert!(dir(&lab, &packed["says"]).exists());
    let none = lab.call(&["unpack", "torture"]);
    none.assert_code(2);
    lab.call(&["unpack", "torture", "--trial", "99"])
        .assert_code(2);
}

#[test]
fn verify_finds_a_changed_byte_of_what_was_packed() {
    let lab = Lab::new(SPEC);
    lab.finish().assert_code(1);
    lab.call(&["verify", "torture"]).assert_code(0);
    let path = lab.run_dir().unwrap().join("packed.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("hello 7", "hello 8")).unwrap();
    let found = lab.call(&["verify", "torture"]);
    assert_ne!(found.status.code(), Some(0), "{found:?}");
    assert!(found.stdout.contains("packed"), "{found:?}");
    let trial = by_task(&lab)["says"]["trial"]["index"].to_string();
    let refused = lab.call(&["logs", "torture", "--trial", &trial]);
    assert_ne!(refused.status.code(), Some(0), "{refused:?}");
}

#[test]
fn large_runs_pack_and_small_ones_do_not() {
    for (seeds, packs) in [(1000, false), (1001, true)] {
        let spec =
            format!("parallel = 4\nseeds = {seeds}\n[[tasks]]\nid = \"t\"\ncommand = \"true\"\n");
        let lab = Lab::new(&spec);
        lab.finish().assert_code(0);
        let folders = fs::read_dir(lab.data().join("runs")).unwrap().count();
        assert_eq!(folders, if packs { 0 } else { seeds });
    }
}
