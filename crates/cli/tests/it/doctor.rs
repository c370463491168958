//! `doctor --tune` on a machine of files: settings are changed when asked for, and put back, also after a kill.

use crate::common::{Project, Ran};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

const GOVERNOR: &str = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
const JOURNAL: &str = "run/fairtrial-tuning.json";

/// A machine whose one setting is this file.
fn machine(project: &Project) -> PathBuf {
    let root = project.path().join("machine");
    project.write(&format!("machine/{GOVERNOR}"), "powersave\n");
    project.write("machine/run/here", "");
    root
}

fn on_machine(project: &Project, args: &[&str]) -> Ran {
    let mut command = project.command(args);
    command.env("FAIRTRIAL_MACHINE_ROOT", project.path().join("machine"));
    Ran::from(command.output().unwrap())
}

#[test]
fn settings_are_changed_when_asked_for_said_and_put_back() {
    let project = Project::new();
    machine(&project);
    let governor = || {
        project
            .read(&format!("machine/{GOVERNOR}"))
            .trim()
            .to_owned()
    };
    let ran = on_machine(&project, &["doctor"]);
    assert!(
        ran.out.contains("the speed of CPUs varies (powersave)"),
        "{}",
        ran.out
    );
    assert_eq!(governor(), "powersave");
    let ran = on_machine(&project, &["doctor", "--tune"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(governor(), "performance");
    let ran = on_machine(&project, &["bench", "-N", "-r", "2", "--no-save", "true"]);
    assert!(
        ran.err
            .contains("1 setting of the machine changed by `doctor --tune`"),
        "{}",
        ran.err
    );
    let ran = on_machine(&project, &["doctor", "--tune"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    let ran = on_machine(&project, &["doctor", "--tune", "off"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("performance → powersave"), "{}", ran.out);
    assert_eq!(governor(), "powersave");
    let ran = on_machine(&project, &["doctor", "--tune", "off"]);
    assert!(ran.out.contains("nothing was changed"), "{}", ran.out);
}

/// The setting is a pipe: it can be read once, and then holds up who changes it, until the kill.
#[test]
fn a_kill_between_the_journal_and_the_change_is_said_and_put_back() {
    let project = Project::new();
    let root = machine(&project);
    let setting = root.join(GOVERNOR);
    std::fs::remove_file(&setting).unwrap();
    assert_eq!(
        project
            .shell(&format!("mkfifo '{}'", setting.display()))
            .code,
        0
    );
    let mut command = project.command(&["doctor", "--tune"]);
    command.env("FAIRTRIAL_MACHINE_ROOT", &root);
    let mut tuning = command.spawn().unwrap();
    let mut pipe = std::fs::OpenOptions::new()
        .write(true)
        .open(&setting)
        .unwrap();
    pipe.write_all(b"powersave\n").unwrap();
    drop(pipe);
    while !root.join(JOURNAL).exists() {
        assert!(
            tuning.try_wait().unwrap().is_none(),
            "it ended without a journal"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    tuning.kill().unwrap();
    tuning.wait().unwrap();
    std::fs::remove_file(&setting).unwrap();
    project.write(&format!("machine/{GOVERNOR}"), "powersave\n");
    for args in [
        &["doctor"][..],
        &["bench", "-N", "-r", "2", "--no-save", "true"],
    ] {
        let ran = on_machine(&project, args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(
            said.contains("by a `doctor --tune` that was cut off"),
            "{said}"
        );
    }
    let ran = on_machine(&project, &["doctor", "--tune", "off"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(
        project.read(&format!("machine/{GOVERNOR}")).trim(),
        "powersave"
    );
    assert!(!root.join(JOURNAL).exists());
}
