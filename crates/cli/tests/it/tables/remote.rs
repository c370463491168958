//! The suite on another machine's scheduler: results come back into the table of this checkout.

use super::suite::{self, SUITE};
use std::path::Path;

/// The same suite, with the same table at its end, through an engine.
#[test]
fn an_engine_feeds_the_table_as_this_machine_does() {
    let here = suite::project();
    here.expect(1, &["run", "suite.toml"]);
    here.expect(1, &["table", "update", "--from", "suite"]);

    let there = suite::project();
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/template_engine/scheduler.sh");
    let queue = there.path().join("queue");
    std::fs::create_dir(&queue).unwrap();
    let script = format!("SCHEDULER_DIR={} {}", queue.display(), script.display());
    let engine = format!(
        "[engine]\nkind = 'template'\npoll = '500ms'\ngrace = '20s'\n\
         [engine.template]\n\
         submit = '{script} submit {{key}} {{script}} {{count}}'\n\
         handle = 'job (\\d+)'\n\
         find = '{script} find {{key}}'\n\
         poll = '{script} poll {{handles}}'\n\
         cancel = '{script} cancel {{handle}}'\n\
         states = {{ R = 'running', D = 'done', E = 'failed' }}\n"
    );
    there.write("suite.toml", &format!("{SUITE}{engine}"));
    let ran = there.expect(1, &["run", "suite.toml", "--json"]);
    assert_eq!(ran.json()["counts"]["failed"], 1, "{}", ran.out);
    assert_eq!(ran.json()["counts"]["timeout"], 1, "{}", ran.out);
    assert_eq!(ran.json()["counts"]["ok"], 3, "{}", ran.out);
    // The prerequisite went before the others, once.
    assert_eq!(there.read("pretrained").lines().count(), 1);
    let updated = there.expect(1, &["table", "update", "--from", "suite"]);
    assert!(
        updated
            .out
            .contains("! broken is left as it is: failed: exit code 3"),
        "{}",
        updated.out
    );
    assert_eq!(
        there.read("benchmarks/main.csv"),
        here.read("benchmarks/main.csv")
    );
    // The rows say which run and machine they came from.
    let blame = there
        .expect(0, &["table", "blame", "benchmarks/main.csv", "--json"])
        .json();
    assert_eq!(blame["rows"][0]["state"], "as_written");
}
