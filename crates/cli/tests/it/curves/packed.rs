//! Long curves are packed beside the files that they are in, and those stay the truth.

use super::lab::{COMMAND, analyzed, fairtrial, json, ran, words};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// 4,000 points with a spike of one step.
const LONG: &str = r#"
BEGIN {
    srand(seed + length(arm))
    for (step = 0; step < 4000; step++) {
        reward = 10 * (1 - exp(-step / 900)) + rand() + (arm == "candidate")
        loss = step == 1234 && seed % 2 ? 777 : rand()
        printf("{\"step\": %d, \"reward\": %.6f, \"loss\": %.6f}\n", step, reward, loss) > ENVIRON["FAIRTRIAL_METRICS"]
    }
}
"#;

fn long() -> TempDir {
    let spec = format!(
        "seeds = 3\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nsummary = \"auc\"\n[metrics.loss]\n\
         summary = \"last\"\n[analysis]\nmetric = \"reward\""
    );
    let spec = spec.replace(" -v rollout={rollout}", "");
    ran(LONG, &spec)
}

fn trials(folder: &Path) -> Vec<PathBuf> {
    let runs = fs::read_dir(folder.join("data/runs")).unwrap();
    let mut runs: Vec<PathBuf> = runs.map(|run| run.unwrap().path()).collect();
    runs.sort();
    runs
}

fn report(folder: &Path) -> String {
    let made = fairtrial(folder, &["report", "t", "--md", "r.md"]);
    assert!(made.status.success(), "{}", words(&made));
    fs::read_to_string(folder.join("r.md")).unwrap()
}

fn alter(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_is_packed_gives_the_same_answers_and_is_made_again() {
    let home = long();
    let folder = home.path();
    let columns: Vec<PathBuf> = trials(folder)
        .iter()
        .map(|run| run.join("series.columns"))
        .collect();
    assert!(columns.iter().all(|file| file.is_file()));
    let (first, analysis) = (report(folder), words(&analyzed(folder, &[])));
    assert!(
        first.contains("first, lowest, highest and last point"),
        "{first}"
    );
    // As of a run of an earlier version.
    for file in &columns {
        fs::remove_file(file).unwrap();
    }
    assert_eq!(words(&analyzed(folder, &[])), analysis);
    assert!(columns.iter().all(|file| file.is_file()));
    assert_eq!(report(folder), first);
    for file in &columns {
        fs::write(file, "no columns").unwrap();
    }
    assert_eq!(report(folder), first);
    let checked = fairtrial(folder, &["verify", "t", "--report", "r.md"]);
    assert!(checked.status.success(), "{}", words(&checked));
}

#[test]
fn verify_reads_the_files_and_not_what_is_packed() {
    let home = long();
    let folder = home.path();
    fairtrial(folder, &["report", "t"]);
    let verify = || fairtrial(folder, &["verify", "t"]);
    let fine = verify();
    assert!(fine.status.success(), "{}", words(&fine));
    assert!(
        words(&fine).contains("6 files of curves"),
        "{}",
        words(&fine)
    );
    let run = &trials(folder)[2];
    // Forged with its checksums made right, columns would change a report: that is then not what the files give.
    let (own, other) = (run.join("series.columns"), run.join("metrics.jsonl"));
    alter(&own, |bytes| bytes.truncate(1000));
    assert!(verify().status.success());
    let text = fs::read_to_string(&other).unwrap();
    for changed in [
        text.replacen(": 0.", ": 9.", 1),
        text[..text.len() / 2].to_owned(),
    ] {
        fs::write(&other, changed).unwrap();
        let found = verify();
        assert_eq!(found.status.code(), Some(1), "{}", words(&found));
        let place = format!(
            "{}/metrics.jsonl, SHA-256",
            run.file_name().unwrap().display()
        );
        assert!(words(&found).contains(&place), "{}", words(&found));
    }
    fs::write(&other, text).unwrap();
    assert!(verify().status.success());
    fs::remove_file(&other).unwrap();
    let gone = words(&verify());
    assert!(gone.contains("1 file of curves gone"), "{gone}");
}

#[test]
fn a_record_has_the_digest_of_a_long_file_and_none_of_a_short_one() {
    let digests = |folder: &Path| -> Vec<bool> {
        let record = |run: PathBuf| fs::read_to_string(run.join("record.json")).unwrap();
        let records = trials(folder).into_iter().map(record);
        records
            .map(|record| record.contains("\"sha256\":\""))
            .collect()
    };
    let home = long();
    assert_eq!(digests(home.path()), [true; 6]);
    // Measuring again keeps it.
    let again = fairtrial(home.path(), &["remeasure", "t"]);
    assert!(again.status.success(), "{}", words(&again));
    assert!(json(&fairtrial(home.path(), &["verify", "t", "--json"])).is_object());
    let short = LONG.replace("4000", "40");
    let spec = "seeds = 3\ncommand = \"awk -v arm={arm} -v seed={seed} -f trial.awk\"\n[metrics.reward]\nsummary = \"auc\"";
    let home = ran(&short, spec);
    assert_eq!(digests(home.path()), [false; 6]);
    assert!(
        trials(home.path())
            .iter()
            .all(|run| !run.join("series.columns").exists())
    );
}
