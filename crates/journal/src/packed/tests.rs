//! What is packed is read back, and what is damaged is noticed.

use super::{FilesOfTrials, FolderFiles, Packer, SCRIPT_NAME};
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_model::{Access, Params, Record, TrialId, TrialKey, UtcTime};
use std::fs;
use std::io::{Read as _, Write as _};

const NOON: UtcTime = UtcTime::from_micros(1_756_038_896_000_000);

struct Lab {
    _home: tempfile::TempDir,
    root: DataRoot,
    run: RunDir,
}

fn lab() -> Lab {
    let home = tempfile::tempdir().unwrap();
    let root = DataRoot::at(home.path().join("data"));
    let run = RunDir::create(&root, "bench", Access::Owner, NOON).unwrap();
    Lab {
        _home: home,
        root,
        run,
    }
}

fn files(index: u64, says: &str) -> FolderFiles {
    let script = format!("export FAIRTRIAL_SEED={index}\nexec true\n");
    [
        (SCRIPT_NAME, script.as_str()),
        ("logs/stdout.log", says),
        ("logs/stderr.log", ""),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into()
}

fn packed(lab: &Lab, packer: &Packer, index: u64, says: &str) -> Record {
    let key = TrialKey {
        index,
        task: "t".to_owned(),
        arm: None,
        point: Params::new(),
        seed: index,
        rollout: 0,
    };
    let dir = DataRoot::trial_dir_relative(lab.run.stamp(), index, 1);
    let name = dir.rsplit('/').next().unwrap();
    let packed = packer.pack(name, &key, files(index, says)).unwrap();
    let id = TrialId(format!("{index:032x}"));
    Record {
        packed,
        dir,
        ..Record::of(key, id, 1, NOON)
    }
}

fn read(lab: &Lab, record: &Record, name: &str) -> String {
    let files = FilesOfTrials::of(&lab.root).files(record).unwrap();
    let mut text = String::new();
    files.open(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn each_trial_reads_its_own_files_and_those_that_said_nothing_take_no_room() {
    let lab = lab();
    let packer = Packer::new(&lab.run);
    let records: Vec<Record> = (0..50)
        .map(|index| {
            packed(
                &lab,
                &packer,
                index,
                if index == 7 { "hello\n" } else { "" },
            )
        })
        .collect();
    for record in &records {
        let says = if record.trial.index == 7 {
            "hello\n"
        } else {
            ""
        };
        assert_eq!(read(&lab, record, "logs/stdout.log"), says);
        assert_eq!(read(&lab, record, "logs/stderr.log"), "");
        let script = format!("export FAIRTRIAL_SEED={}\nexec true\n", record.trial.index);
        assert_eq!(read(&lab, record, SCRIPT_NAME), script);
        let copy: Record = serde_json::from_str(&read(&lab, record, "record.json")).unwrap();
        assert_eq!(copy, *record);
    }
    let lines = fs::read_to_string(lab.run.packed()).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    // What stands in a folder goes first: whoever made one may have changed it.
    let files = FilesOfTrials::of(&lab.root).files(&records[7]).unwrap();
    files.unpack(Access::Owner).unwrap();
    fs::write(files.dir().join("logs/stdout.log"), "mine\n").unwrap();
    assert_eq!(read(&lab, &records[7], "logs/stdout.log"), "mine\n");
}

#[test]
fn a_line_that_was_cut_off_is_nobodys_and_the_next_controller_goes_on_behind_it() {
    let lab = lab();
    let before = packed(&lab, &Packer::new(&lab.run), 0, "first\n");
    let mut torn = fs::File::options()
        .append(true)
        .open(lab.run.packed())
        .unwrap();
    torn.write_all(b"{\"dir\":\"20250824__12-34-56-1\",\"fil")
        .unwrap();
    let after = packed(&lab, &Packer::new(&lab.run), 2, "third\n");
    assert_eq!(read(&lab, &before, "logs/stdout.log"), "first\n");
    assert_eq!(read(&lab, &after, "logs/stdout.log"), "third\n");
}

#[test]
fn a_changed_byte_is_noticed_wherever_it_is() {
    let lab = lab();
    let record = packed(&lab, &Packer::new(&lab.run), 0, "hello\n");
    let whole = fs::read(lab.run.packed()).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(lab.run.packed(), changed).unwrap();
        let found = FilesOfTrials::of(&lab.root).files(&record);
        assert!(found.is_err(), "byte {at}");
    }
    fs::write(lab.run.packed(), &whole[..whole.len() - 1]).unwrap();
    assert!(FilesOfTrials::of(&lab.root).files(&record).is_err());
}
