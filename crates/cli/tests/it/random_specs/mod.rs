//! What `check` accepts, `run` runs: random specs made from the schema, with `true` as every program.
//!
//! `FAIRTRIAL_SPECS=10000 cargo test -p fairtrial --test it random_specs -- --nocapture` goes on until `check` has accepted
//! so many (from the spec of number `FAIRTRIAL_SPECS_FROM` on). A spec that is refused by both is no news; one that passes
//! `check` may end with exit code 1 only where its trials did, and with 2 only for what `check` said is missing on this
//! machine. Of one for a cluster, the dry run is made.

mod maker;
mod mend;

use crate::common::{Project, Ran};
use maker::{Engine, Kind, Maker};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many are accepted where nobody says.
const USUAL: usize = 30;
/// So many are made for one that is accepted, at most: the maker is to make few for nothing.
const MOST: usize = 2;
/// How often one that is refused is mended.
const MENDED: usize = 8;
const WORKERS: usize = 2;

/// What came of one spec.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Refused,
    NotHere,
    Ran,
}

/// Whether everything that `run` refuses was a warning of `check`.
fn was_told(refused: &str, warned: &str) -> bool {
    let errors = refused
        .lines()
        .filter_map(|line| line.strip_prefix("error: "));
    let mut errors = errors.filter(|error| !error.ends_with("nothing was run"));
    let told = |error: &str| warned.contains(error);
    errors.next().is_some_and(told) && errors.all(told)
}

/// A folder with what the specs name.
fn project() -> Project {
    let project = Project::new();
    let task = crate::docs::repository("examples/agents/tasks/sum");
    crate::docs::run::copy(&task, &project.path().join("tasks/sum"));
    std::fs::create_dir(project.path().join("queue")).unwrap();
    project
}

fn command(project: &Project, args: &[&str]) -> Ran {
    let mut command = project.command(args);
    let queue = project.path().join("queue");
    Ran::from(command.env("SCHEDULER_DIR", queue).output().unwrap())
}

/// The text of a spec without what `check` refuses; nothing where it refuses still.
fn accepted(project: &Project, mut spec: Value, seed: u64) -> Option<String> {
    for _ in 0..MENDED {
        let (text, lines) = mend::lines(&spec);
        project.write("spec.json", &text);
        let checked = command(project, &["check", "spec.json", "--json"]);
        if checked.code == 0 {
            return Some(text);
        }
        assert_eq!(checked.code, 2, "spec {seed}\n{text}\n{}", checked.err);
        if !mend::mend(&mut spec, &lines, &checked.json()) {
            return None;
        }
    }
    None
}

fn try_one(schema: &Value, seed: u64) -> (Kind, Engine, Came) {
    let mut maker = Maker::new(schema, seed);
    let (kind, engine) = (maker.kind, maker.engine);
    let project = project();
    let Some(spec) = accepted(&project, maker.spec(), seed) else {
        return (kind, engine, Came::Refused);
    };
    let mut args = vec!["run", "spec.json"];
    args.extend((engine == Engine::Elsewhere).then_some("--dry-run"));
    let ran = command(&project, &args);
    let warned = || command(&project, &["check", "spec.json"]).err;
    if ran.code == 2 && was_told(&ran.err, &warned()) {
        return (kind, engine, Came::NotHere);
    }
    assert!(
        ran.code <= 1,
        "`check` accepts it, `run` ends with {} (spec {seed}):\n{spec}\n{}\n{}",
        ran.code,
        ran.out,
        ran.err
    );
    (kind, engine, Came::Ran)
}

#[test]
fn what_check_accepts_runs() {
    let asked = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse().expect("a number of specs"))
    };
    let wanted: usize = asked("FAIRTRIAL_SPECS").unwrap_or(USUAL);
    let first: usize = asked("FAIRTRIAL_SPECS_FROM").unwrap_or(0);
    let schema = crate::docs::repository("docs/reference/spec.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let (next, accepted) = (AtomicUsize::new(first), AtomicUsize::new(0));
    let came = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while accepted.load(Ordering::Relaxed) < wanted {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + wanted * MOST {
                        return;
                    }
                    let one = try_one(&schema, seed as u64);
                    accepted.fetch_add(usize::from(one.2 == Came::Ran), Ordering::Relaxed);
                    *came.lock().unwrap().entry(one).or_insert(0) += 1;
                }
            });
        }
    });
    for ((kind, engine, came), count) in came.into_inner().unwrap() {
        println!("{kind:?}, {engine:?}: {came:?} {count}");
    }
    let (made, accepted) = (next.into_inner() - first, accepted.into_inner());
    println!("{made} specs, of which check accepts {accepted}, and all of these run");
    assert!(accepted >= wanted, "of {made} only {accepted} are accepted");
}
