//! Every command that writes is killed at random: `run`, `run --resume`, `cancel`, `gc` and `table update`. `eval`, and agents in
//! sandboxes and containers, are in `agents/cleaning.rs`.

use super::audit::audit;
use super::crash::nothing_ran_again;
use super::lab::Lab;
use crate::dice::{Dice, rounds};
use std::fs;
use std::thread::sleep;

/// Two tasks that feed two rows of a table.
const SPEC: &str = r#"
seeds = 6
parallel = 3
[defaults]
shell = true
kill_grace = "200ms"
table = "main"
[[tasks]]
id = "alpha"
command = '''
set -u
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
sleep 0.02
echo "{\"score\": 11}" >> "$FAIRTRIAL_METRICS"'''
[[tasks]]
id = "beta"
command = '''
set -u
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
echo "{\"score\": 22}" >> "$FAIRTRIAL_METRICS"'''
[metrics.score]
direction = "up"
[tables.main]
file = "main.csv"
[tables.main.columns]
"Score" = "score"
"#;

const TRIALS: u64 = 12;
const BEFORE: &str = "Experiment,Score\nalpha,1\nbeta,2\n";
const AFTER: &str = "Experiment,Score\nalpha,11\nbeta,22\n";
const UPDATE: [&str; 5] = ["table", "update", "main.csv", "--from", "torture"];
/// Commands that are killed before the run is left to finish.
const KILLS: u64 = 12;

#[test]
fn killed_at_random_no_command_leaves_anything_that_the_next_does_not_mend() {
    let mut dice = Dice::new("commands");
    let mut kills = 0;
    for _ in 0..rounds(2) {
        let lab = Lab::new(SPEC);
        fs::write(lab.path().join("main.csv"), BEFORE).unwrap();
        for _ in 0..KILLS {
            kills += kill_one(&lab, &mut dice);
        }
        lab.finish().assert_code(0);
        audit(&lab, TRIALS);
        lab.call(&UPDATE).assert_code(0);
        assert_eq!(table(&lab), AFTER);
        lab.call(&["verify", "torture"]).assert_code(0);
        assert_eq!(litter(&lab), Vec::<String>::new());
    }
    println!("{kills} kills");
}

/// Starts a command, kills it, and looks at what it left. How many processes were killed before their end.
fn kill_one(lab: &Lab, dice: &mut Dice) -> u64 {
    let known = lab.journal();
    let (answered, seen) = (known.answered(), lab.witnesses().len());
    let has_run = lab.run_dir().is_some();
    let mut killed = 0;
    match dice.between(0, 8) {
        5 if has_run => {
            let mut update = UPDATE.to_vec();
            update.push("--allow-part");
            let updating = lab.start(&update);
            sleep(dice.millis(0, 60));
            killed += u64::from(updating.kill().was_killed());
        }
        6 if has_run => {
            let cleaning = lab.start(&["gc"]);
            sleep(dice.millis(0, 60));
            killed += u64::from(cleaning.kill().was_killed());
        }
        7 => {
            let running = lab.start(lab.arguments());
            sleep(dice.millis(20, 200));
            let cancelling = lab.start(&["cancel", "torture"]);
            sleep(dice.millis(0, 60));
            killed += u64::from(cancelling.kill().was_killed());
            sleep(dice.millis(0, 100));
            killed += u64::from(running.kill().was_killed());
        }
        _ => {
            let running = lab.start(lab.arguments());
            sleep(dice.millis(5, 400));
            killed += u64::from(running.kill().was_killed());
        }
    }
    if !dice.once_in(4) {
        // Otherwise the next command comes while the last trials are still being ended.
        lab.wait_until_deserted();
    }
    lab.journal().assert_continues(&known);
    nothing_ran_again(&answered, &lab.witnesses()[seen..]);
    let table = table(lab);
    let whole = table.lines().count() == 3 && table.ends_with('\n');
    assert!(
        whole && table.starts_with("Experiment,Score\nalpha,"),
        "{table}"
    );
    killed
}

fn table(lab: &Lab) -> String {
    fs::read_to_string(lab.path().join("main.csv")).unwrap()
}

/// Hidden files beside the table: temporary ones of killed updates.
fn litter(lab: &Lab) -> Vec<String> {
    let names = fs::read_dir(lab.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.')).collect()
}
