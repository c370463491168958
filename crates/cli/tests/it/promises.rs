//! What `check` accepts runs: a spec that it calls valid does not fail for a reason that was knowable.

use crate::common::Project;

/// A spec that `check` and `run` both refuse, as the user's input, and what they say.
fn refused(spec: &str, words: &str) {
    let project = Project::with_spec(spec);
    for command in ["check", "run"] {
        let ran = project.expect(2, &[command, "bench.toml"]);
        assert!(ran.err.contains(words), "{command}: {}", ran.err);
    }
    let checked = project.run(&["check", "bench.toml", "--json"]).json();
    assert_eq!(checked["valid"], false);
    assert!(!project.path().join("data/rollouts").exists(), "{spec}");
}

#[test]
fn an_engine_has_what_its_kind_needs() {
    let template = |keys: &str| {
        format!("command = \"true\"\nengine = {{ kind = \"template\", template = {{ {keys} }} }}\n")
    };
    refused(
        &template("poll = \"q {handles}\""),
        "`engine.template.submit`",
    );
    refused(
        &template("submit = \"s {script}\""),
        "`engine.template.poll`",
    );
    refused(
        "command = \"true\"\nengine = \"template\"\n",
        "`engine.template.submit`",
    );
    // A profile brings the commands.
    let project = Project::with_spec(&template("profile = \"pbs\""));
    project.expect(0, &["check", "bench.toml"]);
    // The engine may be chosen when the run starts.
    let project = Project::with_spec("command = \"true\"\n");
    let ran = project.expect(2, &["run", "bench.toml", "--engine", "template"]);
    assert!(ran.err.contains("`engine.template.submit`"), "{}", ran.err);
}

#[test]
fn skypilot_is_asked_for_the_gpus_of_the_tasks() {
    let spec = |keys: &str| {
        format!(
            "command = \"true\"\nresources = {{ gpus = 4 }}\n\
             engine = {{ kind = \"skypilot\", skypilot = {{ {keys} }} }}\n"
        )
    };
    refused(&spec(""), "engine.skypilot.accelerators = \"H100:4\"");
    refused(&spec("accelerators = \"H100:1\""), "asks for 4 GPUs");
    for given in ["H100", "H100:4"] {
        let project = Project::with_spec(&spec(&format!("accelerators = \"{given}\"")));
        project.expect(0, &["check", "bench.toml"]);
        let shown = project.expect(0, &["run", "bench.toml", "--dry-run"]).out;
        assert!(shown.contains("accelerators: \"H100:4\""), "{shown}");
    }
}

#[test]
fn kubernetes_is_asked_for_nothing_that_it_cannot_give() {
    let spec = |keys: &str, more: &str| {
        format!(
            "command = \"true\"\n{more}\n[engine]\nkind = \"kubernetes\"\n[engine.kubernetes]\n{keys}\n"
        )
    };
    let whole = "image = \"b:1\"\nvolume = { claim = \"c\", path = \"/shared\" }";
    let project = Project::with_spec(&spec(whole, ""));
    project.expect(0, &["check", "bench.toml"]);
    for (keys, more, words) in [
        ("image = \"b:1\"", "", "needs `engine.kubernetes.volume`"),
        (
            "volume = { claim = \"c\", path = \"/c\" }",
            "",
            "needs `engine.kubernetes.image`",
        ),
        (
            "image = \"b:1\"\nvolume = { claim = \"c\", path = \"c\" }",
            "",
            "begins with `/`",
        ),
        (
            &format!("{whole}\ntolerations = [\"a:Never\"]"),
            "",
            "not `Never`",
        ),
        (&format!("{whole}\nuser = \"me\""), "", "`UID:GID`"),
        (
            whole,
            "resources = { exclusive = true }",
            "cannot keep other work from a node",
        ),
    ] {
        refused(&spec(keys, more), words);
    }
}

#[test]
fn a_pattern_that_matches_no_name_is_refused() {
    let spec = |allow: &str| format!("command = \"true\"\ninherit_env = {{ allow = [{allow}] }}\n");
    refused(&spec("\"PA*H\""), "`PA*H` matches no name");
    refused(&spec("\"PATH=/bin\""), "holds no `=`");
    refused(&spec("\"\""), "empty");
    let project = Project::with_spec(&spec("\"PATH\", \"CUDA_*\""));
    project.expect(0, &["run", "bench.toml"]);
}

#[test]
fn true_is_no_count() {
    refused(
        "command = \"true\"\nengine = { gpus = [true] }\n",
        "found `true`",
    );
    let sky = "command = \"true\"\nengine = { kind = \"skypilot\", skypilot = { cpus = true } }\n";
    refused(sky, "found `true`");
    let sky =
        "command = \"true\"\nengine = { kind = \"skypilot\", skypilot = { memory = \"lots\" } }\n";
    refused(sky, "`lots`");
}

#[test]
fn a_stopping_rule_is_checked_and_its_trials_are_counted() {
    let arms = "command = \"true\"\nseeds = 5\narms = { a = { x = 1 }, b = { x = 2 } }\n\
                metrics = { m = { direction = \"up\", from = \"resource:wall\" } }\n\
                analysis = { stop = { when = \"decided\", min = 5, max = 30 } }\n";
    let project = Project::with_spec(arms);
    let checked = project.expect(0, &["check", "bench.toml"]).out;
    assert_eq!(checked, "bench.toml is valid: at most 60 trials\n");
    let json = project.expect(0, &["check", "bench.toml", "--json"]).json();
    assert_eq!(json["trials"], 60);
    let stop =
        "command = \"true\"\nanalysis = { stop = { when = \"decided\", min = 5, max = 30 } }\n";
    refused(stop, "at least two arms");
}

#[test]
fn a_metric_that_cannot_be_read_is_refused_by_check_too() {
    let spec = "command = \"true\"\nmetrics = { m = { from = \"nowhere:loss\" } }\n";
    refused(spec, "`nowhere:` is not a source of metrics");
}

#[test]
fn a_registered_plan_that_cannot_be_read_ends_a_run_before_it_starts() {
    let spec = "command = \"true\"\narms = { a = { x = 1 }, b = { x = 2 } }\nmetrics = { m = { direction = \"up\", from = \"resource:wall\" } }\n";
    let project = Project::with_spec(spec);
    project.expect(0, &["register", "bench.toml"]);
    let registered = project.read("bench.registered.json");
    let tampered = registered.replace("\"a\"", "\"z\"");
    assert_ne!(tampered, registered);
    for text in ["", "{", &registered[..registered.len() / 2], &tampered] {
        project.write("bench.registered.json", text);
        for command in ["check", "run"] {
            let ran = project.expect(2, &[command, "bench.toml"]);
            assert!(ran.err.contains("bench.registered.json"), "{}", ran.err);
        }
        assert!(!project.path().join("data/rollouts").exists());
    }
    project.write("bench.registered.json", &registered);
    project.expect(0, &["run", "bench.toml"]);
}

#[test]
fn what_is_missing_here_is_told_by_check() {
    let project = Project::with_spec(
        "command = \"no-such-program\"\nworkdir = \"nowhere\"\nenv = { KEY = \"${NO_SUCH_VARIABLE}\" }\n",
    );
    let told = project.expect(0, &["check", "bench.toml"]).err;
    for words in ["no-such-program", "nowhere", "NO_SUCH_VARIABLE"] {
        assert!(told.contains(words), "{told}");
    }
    project.expect(2, &["run", "bench.toml"]);
}

#[test]
fn a_working_directory_that_depends_on_the_trial_is_there_or_is_made() {
    let spec = |workdir: &str| {
        format!(
            "command = \"pwd\"\nseeds = [1, 2]\nworkdir = \"{workdir}\"\nparams = {{ k = \"${{HOME}}\" }}\n"
        )
    };
    let project = Project::with_spec(&spec("work/{seed}"));
    project.write("work/1/note", "");
    let words = "work/2 is not there";
    let told = project.expect(0, &["check", "bench.toml"]).err;
    assert!(told.contains(words), "{told}");
    let refused = project.expect(2, &["run", "bench.toml"]).err;
    assert!(refused.contains(words), "{refused}");
    assert!(!project.path().join("data/rollouts").exists());
    project.write("work/2/note", "");
    assert_eq!(project.expect(0, &["check", "bench.toml"]).err, "");
    project.expect(0, &["run", "bench.toml"]);
    // Nobody can have made what only the run decides, but what is in the trial's own folder is made with it.
    let project = Project::with_spec(&spec("work/{run}"));
    let refused = project.expect(2, &["run", "bench.toml"]).err;
    assert!(refused.contains("work/{run} is not there"), "{refused}");
    let project = Project::with_spec(&spec("{dir}/a/{seed}"));
    project.expect(0, &["run", "bench.toml"]);
    let done = |event: &&serde_json::Value| event["outcome"] == "ok";
    assert_eq!(project.journal("bench").iter().filter(done).count(), 2);
    // What is looked up stands in the spec, not in a value.
    let project = Project::with_spec(&spec("{k}"));
    let refused = project.expect(2, &["run", "bench.toml"]).err;
    assert!(refused.contains("${HOME} is not there"), "{refused}");
    // A task that waits for another may find what that one made.
    let project = Project::with_spec(
        "[[tasks]]\nid = \"make\"\ncommand = \"mkdir -p w/{seed}\"\n\
         [[tasks]]\nid = \"use\"\ncommand = \"pwd\"\nworkdir = \"w/{seed}\"\nneeds = [\"make\"]\n",
    );
    project.expect(0, &["run", "bench.toml"]);
}

#[test]
fn what_others_look_for_is_not_named_by_the_attempt() {
    for key in ["outputs", "inputs"] {
        refused(
            &format!("command = \"true\"\n{key} = [\"{{dir}}/model.bin\"]\n"),
            "`{dir}` is another in every attempt",
        );
    }
}

#[test]
fn a_task_has_processes_enough_to_start() {
    for work in ["prepared_dir = \"tasks/sum\"", "experiment = \"noop\""] {
        let spec = format!("{work}\nlimits = {{ processes = 3 }}\n");
        refused(&spec, "`limits.processes` is too small");
    }
    let project = Project::with_spec("command = \"true\"\nlimits = { processes = 1 }\n");
    project.expect(0, &["check", "bench.toml"]);
}
