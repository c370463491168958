//! Profiles, answers and placeholders.

use super::profiles::{PROFILES, Profile};
use super::{Template, Values};
use crate::remote::contract::{Batch, Engine, JobNeeds, JobState, Submitted};
use fairtrial_spec::{TEMPLATE_PLACEHOLDERS, TemplateOptions};
use std::path::{Path, PathBuf};

fn batch(folder: &Path) -> Batch {
    Batch {
        key: "ft-1".into(),
        chunks: 4..7,
        needs: JobNeeds::default(),
        parallel: None,
        beat_s: 1.0,
        folder: folder.to_owned(),
        plan: folder.join("plan.json"),
        workdir: folder.to_owned(),
        store: None,
    }
}

fn submitted(handle: &str) -> Submitted {
    Submitted {
        key: "ft-1".into(),
        handle: Some(handle.into()),
        first: 0,
        elements: 3,
        folder: PathBuf::new(),
    }
}

#[test]
fn every_profile_is_complete() {
    assert_eq!(
        PROFILES.map(|profile| profile.name),
        fairtrial_spec::PROFILES
    );
    for Profile { name, program, .. } in PROFILES {
        let options = TemplateOptions {
            profile: Some(name.into()),
            ..TemplateOptions::default()
        };
        let engine = Template::new(&options, Path::new("/bin/fairtrial")).unwrap();
        match engine.probe() {
            Ok(probe) => assert!(!probe.version.is_empty()),
            // What has a program of this name may be another scheduler, or none that answers.
            Err(error) => {
                let told = error.to_string();
                let there = engine.shell.has(program);
                assert!(there || told.contains(program), "{told}");
                assert!(told.starts_with(name), "{told}");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let batch = batch(folder.path());
        let mut values = Values::of_batch(&batch, 0, Path::new("/p"));
        if let Some(text) = &engine.options.description {
            values.fill_plain(text).unwrap();
        }
        values
            .fill(engine.options.submit.as_deref().unwrap())
            .unwrap();
        values.list("handles", ["1"].into_iter());
        values.set("handle", "1");
        values.set("element", 0);
        for text in [
            &engine.options.poll,
            &engine.options.cancel,
            &engine.options.find,
            &engine.options.collect,
        ] {
            values.fill(text.as_deref().unwrap_or_default()).unwrap();
        }
    }
}

#[test]
fn answers_of_real_schedulers_are_read() {
    let cases = [
        (
            "htcondor",
            "12.0 - 12.2",
            "12",
            "12 1 2\n12 2 5\n",
            [(1, JobState::Running), (2, JobState::Held("5".into()))],
        ),
        (
            "pbs",
            "77[].server",
            "77",
            "77[1].server  ft-1  me  00:00:01 R workq\n77[2].server  ft-1  me  00:00:01 Q workq\n",
            [
                (1, JobState::Running),
                (2, JobState::Pending(String::new())),
            ],
        ),
        (
            "lsf",
            "Job <9> is submitted to queue <normal>.",
            "9",
            "9 2 RUN\n9 3 DONE\n",
            [(1, JobState::Running), (2, JobState::Done)],
        ),
    ];
    for (name, answer, handle, poll, expected) in cases {
        let options = TemplateOptions {
            profile: Some(name.into()),
            poll: Some(format!("printf %s '{poll}'")),
            ..TemplateOptions::default()
        };
        let engine = Template::new(&options, Path::new("/bin/fairtrial")).unwrap();
        assert_eq!(
            engine.found_handle(answer).as_deref(),
            Some(handle),
            "{name}"
        );
        let seen = engine.poll(&[submitted(handle)]).unwrap();
        for (element, state) in expected {
            assert_eq!(
                seen.get(&("ft-1".to_owned(), element)),
                Some(&state),
                "{name} {element}"
            );
        }
    }
}

#[test]
fn the_placeholders_that_check_knows_are_those_that_are_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    let batch = batch(folder.path());
    let values = Values::of_batch(&batch, 0, Path::new("/p"));
    let mut filled: Vec<&str> = values.0.into_keys().collect();
    filled.sort_unstable();
    for key in ["submit", "description"] {
        let (_, known) = TEMPLATE_PLACEHOLDERS
            .iter()
            .find(|(name, _)| *name == key)
            .unwrap();
        let mut known = known.to_vec();
        known.sort_unstable();
        assert_eq!(known, filled);
    }
    // The other commands, with all that they may have.
    let texts = TEMPLATE_PLACEHOLDERS.map(|(key, names)| {
        let words: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
        (key, Some(format!("true {}", words.join(" "))))
    });
    let text = |key| {
        texts
            .iter()
            .find(|(name, _)| *name == key)
            .unwrap()
            .1
            .clone()
    };
    let options = TemplateOptions {
        submit: Some("echo 1".into()),
        find: text("find"),
        poll: text("poll"),
        cancel: text("cancel"),
        logs: text("logs"),
        collect: text("collect"),
        ..TemplateOptions::default()
    };
    let engine = Template::new(&options, Path::new("/p")).unwrap();
    engine.adopt("k").unwrap();
    engine.poll(&[submitted("1")]).unwrap();
    engine.cancel(&submitted("1"), None).unwrap();
    engine.collect(&[submitted("1")]).unwrap();
    engine.logs(&submitted("1"), 0).unwrap();
}

#[test]
fn an_unknown_placeholder_is_told_with_the_known_ones() {
    let mut values = Values::default();
    values.set("key", "k");
    let message = values.fill("submit {kee}").unwrap_err().to_string();
    assert!(
        message.contains("{kee}") && message.contains("there are key"),
        "{message}"
    );
}
