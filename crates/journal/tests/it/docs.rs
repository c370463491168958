//! The journal shown in `docs/reference/files.md` is one that this version writes.

use crate::common::{finished, new_run, opened, session, started, time, write};
use fairtrial_journal::{DataRoot, Event, OutcomeCounts, RunStatus};
use fairtrial_model::Outcome;

#[test]
fn the_reference_shows_a_real_journal() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let note = "cut off an unfinished last line of 212 bytes".to_owned();
    let counts = OutcomeCounts {
        ok: 1,
        ..OutcomeCounts::default()
    };
    let events = [
        opened(&run, 1),
        session(false),
        started(0, 1),
        finished(0, 1, Outcome::Ok),
        Event::Submitting {
            batch: 0,
            engine: "slurm".into(),
            key: "ft-20250824-12-34-56-1a2b3c4d-0".into(),
            first: 0,
            chunks: 12,
            at: time(1.0),
        },
        Event::Submitted {
            batch: 0,
            handle: Some("4711".into()),
            at: time(1.5),
        },
        Event::Files {
            at: time(0.2),
            sha256: [("spec.resolved.json".to_owned(), "2".repeat(64))].into(),
        },
        Event::Note {
            at: time(2.0),
            text: note,
        },
        Event::Scored { at: time(2.5) },
        Event::Closed {
            at: time(3.0),
            status: RunStatus::Finished,
            counts,
        },
    ];
    write(&run.journal(), &events);
    let journal = std::fs::read_to_string(run.journal()).unwrap();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/files.md");
    let page = std::fs::read_to_string(page).unwrap();
    let shown: String = page
        .lines()
        .filter(|line| line.starts_with("{\"event\":"))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(
        shown, journal,
        "the page is out of date; the journal is:\n{journal}"
    );
}
