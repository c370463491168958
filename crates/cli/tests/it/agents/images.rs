//! Images from the Dockerfiles of tasks: built once per content, kept, never mixed up, and told of when they fail.

use super::lab::{json_of, meta};
use super::pod::{BASE, Pod, with_each};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

with_each!(
    an_image_is_built_once_reused_and_dropped_by_gc,
    tasks_of_the_same_name_have_their_own_images,
    the_version_of_an_agent_in_an_image_is_in_its_records,
    a_failed_build_is_infra_with_what_was_said_and_tried_again_on_resume,
);

/// A task whose image says when it was built, and whose rollouts tell that as their answer.
fn task(pod: &Pod, folder: &str, id: &str, more: &str) {
    let mut meta = meta(id);
    meta["evaluation"]["test_scripts"] = json!([
        { "path": "t.sh", "rubric_id": "right", "content": "cmp -s answer.txt /built" },
    ]);
    pod.lab.task(folder, &meta);
    let text = format!("FROM {BASE}\nRUN cat /proc/sys/kernel/random/uuid > /built\n{more}");
    pod.lab
        .project
        .write(&format!("data/tasks/prepared/{folder}/Dockerfile"), &text);
}

fn spec(pod: &Pod, folders: &[&str], rollouts: u32) {
    let mut text = format!(
        "name = \"b\"\nparallel = 4\n[defaults]\nretries = 0\nsandbox = {{ kind = \"{}\", network = false }}\nagent = {{ command = [\"sh\", \"-c\", \"cp /built answer.txt; test ! -e /files || ls -A /files > $FAIRTRIAL_OUT/files.txt\"] }}\n",
        pod.word()
    );
    for folder in folders {
        let _ = write!(
            text,
            "[[tasks]]\nid = \"{folder}\"\nprepared_dir = \"data/tasks/prepared/{folder}\"\nrollouts = {rollouts}\n"
        );
    }
    pod.lab.spec(&text);
}

/// What the rollouts of the newest run say of when their images were built.
fn built(pod: &Pod) -> BTreeSet<String> {
    let line = |dir: &std::path::Path| {
        let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
        let line = diff
            .lines()
            .find(|line| line.starts_with('+') && !line.starts_with("+++"));
        line.unwrap().to_owned()
    };
    let rollouts = pod.lab.rollouts("b");
    rollouts
        .iter()
        .map(|(row, dir)| {
            assert_eq!(row["metrics"]["score"], 1.0, "{row}");
            line(dir)
        })
        .collect()
}

fn an_image_is_built_once_reused_and_dropped_by_gc(pod: &Pod) {
    task(pod, "t", "t", "COPY . /files\n");
    for (name, text) in [("solution.sh", "x"), (".env", "KEY=1"), ("extra.txt", "x")] {
        pod.lab
            .project
            .write(&format!("data/tasks/prepared/t/{name}"), text);
    }
    spec(pod, &["t"], 4);
    let checked = pod.expect(0, &["check", "configs/bench.toml"]);
    assert!(!checked.err.contains("Dockerfile"), "{}", checked.err);
    pod.expect(0, &["run", "configs/bench.toml"]);
    let first = built(pod);
    assert_eq!(first.len(), 1, "four rollouts at once built one image");
    let (_, dir) = &pod.lab.rollouts("b")[0];
    let files = std::fs::read_to_string(dir.join("artifacts/files.txt")).unwrap();
    assert_eq!(
        files, "Dockerfile\nextra.txt\noverlay_repo_files\n",
        "what an agent must not see"
    );

    spec(pod, &["t"], 1);
    pod.expect(0, &["run", "configs/bench.toml"]);
    assert_eq!(built(pod), first, "the next run uses it again");
    pod.expect(0, &["eval", "b", "--latest"]);
    let gone = pod.expect(0, &["gc", "--json"]).json();
    assert_eq!(gone["images"], json!([]), "only where it is asked for");
    let gone = pod.expect(0, &["gc", "--images", "--json"]).json();
    let name = gone["images"][0]["name"].as_str().unwrap();
    assert!(name.starts_with("localhost/fairtrial/t:"), "{gone}");
    assert_eq!(
        pod.words(&["images", "-q", "--filter", "label=fairtrial.image"]),
        Vec::<String>::new()
    );
    pod.expect(0, &["run", "configs/bench.toml"]);
    assert_eq!(built(pod).len(), 1);
}

fn tasks_of_the_same_name_have_their_own_images(pod: &Pod) {
    task(pod, "one", "same", "");
    task(pod, "two", "same", "RUN true\n");
    spec(pod, &["one", "two"], 2);
    pod.expect(0, &["run", "configs/bench.toml"]);
    // The first steps are the same, so their layers may be shared; the images are two.
    built(pod);
    let images = pod.words(&[
        "images",
        "--format",
        "{{.Repository}}:{{.Tag}}",
        "--filter",
        "label=fairtrial.image",
    ]);
    let own: BTreeSet<&String> = images
        .iter()
        .filter(|name| name.contains("/fairtrial/same:"))
        .collect();
    assert_eq!(own.len(), 2, "{images:?}");
    let text = pod.lab.project.read("configs/bench.toml");
    pod.lab.spec(&text.replace(
        &format!("\"{}\", network = false", pod.word()),
        "\"process\"",
    ));
    let checked = pod.expect(0, &["check", "configs/bench.toml"]);
    assert!(
        checked
            .err
            .contains("`Dockerfile` is built for the sandboxes podman"),
        "{}",
        checked.err
    );
}

fn a_failed_build_is_infra_with_what_was_said_and_tried_again_on_resume(pod: &Pod) {
    task(
        pod,
        "t",
        "t",
        "RUN echo the mirror is down >&2; test -e /cured\n",
    );
    let text = pod.lab.project.read("data/tasks/prepared/t/Dockerfile");
    pod.lab.project.write(
        "data/tasks/prepared/t/Dockerfile",
        &text.replace(BASE, "localhost/moving:1"),
    );
    pod.ask(&["tag", BASE, "localhost/moving:1"]);
    spec(pod, &["t"], 3);
    pod.expect(3, &["run", "configs/bench.toml"]);
    let rollouts = pod.lab.rollouts("b");
    assert_eq!(rollouts.len(), 3);
    for (row, dir) in &rollouts {
        assert_eq!(row["outcome"], "infra");
        let cause = json_of(dir, "record.json")["cause"]["message"].to_string();
        assert!(
            cause.contains("the mirror is down") && cause.contains(".log"),
            "{cause}"
        );
    }
    let cache = pod.lab.project.path().join("data/cache/images");
    let logs: Vec<_> = std::fs::read_dir(cache)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "log"))
        .collect();
    let log = std::fs::read_to_string(&logs[0]).unwrap();
    assert_eq!(
        (logs.len(), log.matches("the mirror is down\n").count()),
        (1, 1),
        "{log}"
    );

    pod.lab.project.write(
        "cure/Dockerfile",
        &format!("FROM {BASE}\nRUN touch /cured\n"),
    );
    let words = ["build", "-q", "-t", "localhost/moving:1", "cure"];
    let words: Vec<&str> = words.iter().chain(pod.build_options()).copied().collect();
    let cured = pod.ask(&words);
    assert!(cured.status.success(), "{cured:?}");
    pod.expect(0, &["run", "configs/bench.toml", "--resume"]);
    assert_eq!(built(pod).len(), 1);
}

fn the_version_of_an_agent_in_an_image_is_in_its_records(pod: &Pod) {
    let mut meta = meta("t");
    meta["evaluation"] = json!({});
    pod.lab.task("t", &meta);
    let folder = "data/tasks/prepared/t";
    pod.lab.project.write(
        &format!("{folder}/codex"),
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo; echo codex-cli 0.98.7; else cp /bin/codex answer.txt; fi\n",
    );
    let text = format!("FROM {BASE}\nCOPY codex /bin/codex\nRUN chmod 755 /bin/codex\n");
    pod.lab
        .project
        .write(&format!("{folder}/Dockerfile"), &text);
    pod.lab.spec(&format!(
        "name = \"b\"\nparallel = 2\n[defaults]\nretries = 0\nmodel = \"m\"\nsandbox = {{ kind = \"{}\", network = false }}\n[[tasks]]\nid = \"t\"\nprepared_dir = \"{folder}\"\nrollouts = 3\n[arms.one]\nagent = \"codex\"\n[arms.none]\nagent = \"nop\"\n",
        pod.word()
    ));
    pod.expect(0, &["run", "configs/bench.toml"]);
    let mut seen = BTreeSet::new();
    for (_, dir) in pod.lab.rollouts("b") {
        let facts = &json_of(&dir, "record.json")["facts"];
        let [agent, version] = ["agent", "agent_version"].map(|name| facts[name].to_string());
        seen.insert((agent, version));
    }
    let words = |agent: &str, version: &str| (agent.to_owned(), version.to_owned());
    assert_eq!(
        seen,
        BTreeSet::from([
            words("\"codex\"", "\"codex-cli 0.98.7\""),
            words("\"nop\"", "null")
        ])
    );
    assert_eq!(pod.containers(), Vec::<String>::new());
}
