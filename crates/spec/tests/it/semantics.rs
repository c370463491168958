//! What specs mean: defaults, merging, ids, arms, sweeps, includes and changes.

use fairtrial_model::{EqualRule, Margin, MetricSource, SummaryKind, Tolerance, TrackerKind};
use fairtrial_spec::{
    FileCheck, Format, LoadOptions, Loaded, Order, Retries, Severity, Spec, Strategy, Style, Work,
    load, load_text, render,
};
use serde_json::json;
use std::fs;

fn try_toml(text: &str, set: &[&str]) -> Loaded {
    let set = set.iter().map(|change| (*change).to_owned()).collect();
    load_text(
        "spec.toml",
        text,
        Format::Toml,
        &LoadOptions {
            set,
            files: FileCheck::Ignore,
        },
    )
}

fn accept(loaded: Loaded) -> Spec {
    let shown = render(&loaded.diagnostics, &loaded.sources, Style::default());
    loaded.spec.unwrap_or_else(|| panic!("{shown}"))
}

fn toml(text: &str) -> Spec {
    accept(try_toml(text, &[]))
}

fn ids(spec: &Spec) -> Vec<&str> {
    spec.tasks.iter().map(|task| task.id.as_str()).collect()
}

#[test]
fn defaults_of_a_minimal_spec() {
    let spec = toml("command = 'python train.py'");
    let task = &spec.tasks[0];
    assert_eq!(
        (
            spec.name.as_str(),
            spec.parallel,
            spec.order,
            spec.order_seed
        ),
        ("spec", None, Order::Blocks, 0)
    );
    assert_eq!(spec.seeds, [1072]);
    assert_eq!(
        (
            task.id.as_str(),
            task.rollouts,
            task.log_limit,
            task.limits.grace_s
        ),
        ("python", 1, 16 << 20, 5.0)
    );
    assert_eq!(
        task.retries,
        Retries {
            infra: 2,
            failed: 0,
            timeout: 0,
            oom: 0
        }
    );
    assert_eq!(task.inherit_env.allow, ["*"]);
    let argv = vec!["python".to_owned(), "train.py".to_owned()];
    assert_eq!(task.work, Work::Command { argv, shell: false });
}

#[test]
fn three_formats_mean_the_same() {
    let toml = "seeds = 3\n[[tasks]]\ncommand = ['a', '{x}']\ntimeout = 90\n[sweep]\nx = [1, 2.5, 'three']\n";
    let yaml =
        "seeds: 3\ntasks:\n- command: [a, '{x}']\n  timeout: 90\nsweep:\n  x: [1, 2.5, three]\n";
    let json = r#"{"seeds": 3, "tasks": [{"command": ["a", "{x}"], "timeout": 90}], "sweep": {"x": [1, 2.5, "three"]}}"#;
    let read = |text: &str, format| {
        let mut spec = accept(load_text("s", text, format, &LoadOptions::default()));
        spec.tasks[0].place = 0;
        spec
    };
    let first = read(toml, Format::Toml);
    assert_eq!(first, read(yaml, Format::Yaml));
    assert_eq!(first, read(json, Format::Json));
    assert_eq!(
        first.sweep.axes[0].values,
        [json!(1), json!(2.5), json!("three")]
    );
}

#[test]
fn defaults_merge_under_every_task() {
    let spec = toml(
        "[defaults]\ncommand = 'run'\ntimeout = '1h'\nenv = { A = '1', B = '2' }\nparams = { lr = 1 }\nneeds = ['x']\n\
         [[tasks]]\nid = 'x'\nneeds = []\nenv = { B = '3' }\n[[tasks]]\nexperiment = 'flow'\nparams = { lr = 2, n = 3 }\n",
    );
    let (first, second) = (&spec.tasks[0], &spec.tasks[1]);
    assert_eq!(
        first
            .env
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect::<Vec<_>>(),
        ["A=1", "B=3"]
    );
    assert_eq!(
        (first.limits.wall_s, second.limits.wall_s),
        (Some(3600.0), Some(3600.0))
    );
    assert!(first.needs.is_empty());
    assert_eq!(second.needs, ["x"]);
    assert!(
        matches!(second.work, Work::Experiment { .. }),
        "the task's own kind of work wins"
    );
    assert_eq!(second.params.get("lr"), Some(&json!(2)));
}

#[test]
fn tasks_that_differ_only_in_model_share_their_id() {
    let task = |model: &str, timeout: &str| {
        format!("[[tasks]]\nprepared_dir = 'data/algo'\nmodel = '{model}'\ntimeout = '{timeout}'\n")
    };
    let text = [
        task("a", "1s"),
        task("b", "1s"),
        task("a", "2s"),
        task("b", "2s"),
        task("a", "1s"),
    ]
    .concat();
    let spec = toml(&text);
    assert_eq!(ids(&spec), ["algo", "algo", "algo-2", "algo-2", "algo-3"]);
    assert_eq!(arms(&spec), ["a", "b"]);
    assert_eq!(spec.tasks[1].arm.as_deref(), Some("b"));
}

fn arms(spec: &Spec) -> Vec<&str> {
    spec.arms.iter().map(|arm| arm.name.as_str()).collect()
}

#[test]
fn an_agent_task_that_is_listed_in_several_ways_has_an_arm_for_each() {
    let task = |dir: &str, model: &str, rest: &str| {
        format!("[[tasks]]\nprepared_dir = 'data/{dir}'\nmodel = '{model}'\n{rest}\n")
    };
    let env = |value: &str| format!("environment_variables = {{ T = '{value}', SAME = 'x' }}");
    let text = [
        task("algo", "a", &env("1")),
        task("algo", "b", &env("1")),
        task("algo", "a", &env("2")),
        task("sort", "a", &env("2")),
        task("algo", "a", &env("1")),
    ]
    .concat();
    let spec = toml(&text);
    assert_eq!(ids(&spec), ["algo", "algo", "algo", "sort", "algo-2"]);
    assert_eq!(arms(&spec), ["a T=1", "b T=1", "a T=2"]);
    assert_eq!(spec.tasks[3].arm.as_deref(), Some("a T=2"));
    assert_eq!(spec.arms[2].params.get("model"), Some(&json!("a")));
    // Overrides by the name of their file, which each task has in its own folder; keys are not shown.
    let text = [
        task(
            "algo",
            "a",
            "overrides = 'data/algo/short.json'\nenv = { API_KEY = 'first' }",
        ),
        task(
            "algo",
            "a",
            "overrides = 'data/algo/long.json'\nenv = { API_KEY = 'second' }",
        ),
        task("algo", "a", "apply_overrides = false"),
        task(
            "sort",
            "a",
            "overrides = 'data/sort/short.json'\nenv = { API_KEY = 'first' }",
        ),
    ]
    .concat();
    let spec = toml(&text);
    assert_eq!(ids(&spec), ["algo", "algo", "algo", "sort"]);
    assert_eq!(
        arms(&spec),
        [
            "a API_KEY=#1 overrides=short",
            "a API_KEY=#2 overrides=long",
            "a without API_KEY overrides=none"
        ]
    );
    // With ids of their own they are tasks of their own.
    let named = |id: &str, value: &str| task("algo", "a", &format!("id = '{id}'\n{}", env(value)));
    let spec = toml(&[named("short", "1"), named("long", "2")].concat());
    assert_eq!((ids(&spec).len(), arms(&spec)), (2, vec!["a"]));
}

#[test]
fn a_default_id_never_takes_a_written_one() {
    let spec = toml(
        "[[tasks]]\ncommand = './x.sh 1'\n[[tasks]]\ncommand = './x.sh 2'\n[[tasks]]\nid = 'x-2'\ncommand = 'y'\n",
    );
    assert_eq!(ids(&spec), ["x", "x-3", "x-2"]);
}

#[test]
fn with_declared_arms_the_model_is_a_parameter() {
    let spec = toml("prepared_dir = 'data/t'\nmodel = 'm'\n[arms.a]\nt = 1\n[arms.b]\nt = 2\n");
    assert_eq!(spec.tasks[0].arm, None);
    assert_eq!(spec.tasks[0].params.get("model"), Some(&json!("m")));
    assert_eq!(spec.control(), Some("a"));
}

#[test]
fn seeds_by_count_by_list_and_alone() {
    assert_eq!(toml("command = 'x'\nseeds = 3").seeds, [1072, 2043, 3014]);
    assert_eq!(toml("command = 'x'\nseeds = [7, 8]").seeds, [7, 8]);
    assert_eq!(toml("command = 'x'\nseed = 42").seeds, [42]);
    let spec = toml("seeds = 2\n[[tasks]]\ncommand = 'x'\nseed = 5\n[[tasks]]\ncommand = 'y'\n");
    assert_eq!(
        (spec.seeds_of(&spec.tasks[0]), spec.seeds_of(&spec.tasks[1])),
        (&[5][..], &[1072, 2043][..])
    );
    let yaml = load_text(
        "s.yaml",
        "command: x\nseed: null\nparams:\n",
        Format::Yaml,
        &LoadOptions::default(),
    );
    assert_eq!(accept(yaml).seeds, [1072]);
}

#[test]
fn sweeps_and_their_strategies() {
    let inside = toml("command = 'x {a}'\n[sweep]\na = [1, 2]\nstrategy = 'random'\nsamples = 5\n");
    assert_eq!(inside.sweep.strategy, Strategy::Random { samples: 5 });
    let axis = toml("command = 'x {strategy}'\n[sweep]\nstrategy = ['greedy', 'lazy']\n");
    assert_eq!(axis.sweep.axes[0].name, "strategy");
    let params =
        toml("experiment = 'e'\nstrategy = 'zip'\nparams = { a = [1, 2], b = [3, 4], c = 5 }\n");
    assert_eq!(
        (params.sweep.axes.len(), params.tasks[0].sweep.axes.len()),
        (0, 2)
    );
    assert_eq!(params.tasks[0].sweep.strategy, Strategy::Zip);
}

#[test]
fn metrics_in_every_form() {
    let spec = toml(
        "command = 'x'\n[metrics.a]\n[metrics.b]\nfrom = 'csv:out.csv#col'\ndirection = 'lower'\nmargin = 0.5\n\
         [metrics.c]\nfrom = 'json:r.json#/x/0'\nrequired = false\nsummary = 'max'\nmargin = '2%'\n\
         [metrics.d]\nfrom = 'wandb:#overview/reward'\n[metrics.e]\nfrom = 'stderr:t=([0-9]+)'\n",
    );
    let sources: Vec<&MetricSource> = spec.metrics.iter().map(|metric| &metric.source).collect();
    assert_eq!(sources[0], &MetricSource::Reported);
    assert_eq!(
        sources[1],
        &MetricSource::Csv {
            file: "out.csv".into(),
            column: "col".into()
        }
    );
    assert_eq!(
        sources[2],
        &MetricSource::Json {
            file: "r.json".into(),
            pointer: "/x/0".into()
        }
    );
    assert_eq!(
        sources[3],
        &MetricSource::Tracked {
            tracker: TrackerKind::Wandb,
            folder: "wandb".into(),
            key: "overview/reward".into()
        }
    );
    assert_eq!(
        sources[4],
        &MetricSource::Stderr {
            pattern: "t=([0-9]+)".into()
        }
    );
    assert_eq!(
        (spec.metrics[1].margin, spec.metrics[2].margin),
        (Some(Margin::Absolute(0.5)), Some(Margin::Relative(0.02)))
    );
    assert_eq!(
        spec.metrics[2].summary.as_ref().unwrap().kind,
        SummaryKind::Max
    );
    assert_eq!(
        (spec.metrics[0].required, spec.metrics[2].required),
        (true, false)
    );
}

#[test]
fn commands_with_braces_and_shells() {
    let spec = toml(
        "[[tasks]]\ncommand = \"awk '{print $1}' {dir}/x\"\n[[tasks]]\nshell = true\ncommand = 'echo ${HOME} | cat > {dir}/{{x}}'\n",
    );
    let argv = vec![
        "awk".to_owned(),
        "{print $1}".to_owned(),
        "{dir}/x".to_owned(),
    ];
    assert_eq!(spec.tasks[0].work, Work::Command { argv, shell: false });
    assert_eq!(spec.tasks[1].id, "echo");
    assert!(matches!(&spec.tasks[1].work, Work::Command { argv, shell: true } if argv.len() == 1));
}

#[test]
fn changes_from_the_command_line() {
    let text = "parallelism = 2\nseed = 1\n[[tasks]]\ncommand = 'x {lr}'\n[arms.a]\nlr = 1\n[arms.b]\nlr = 2\n";
    let spec = accept(try_toml(
        text,
        &[
            "parallel=8",
            "seeds=[4, 5]",
            "tasks.0.timeout=1h",
            "tasks.0.env.LEVEL=1.10",
            "arms.b.lr=0.5",
            "name=2024",
            "order=spec",
        ],
    ));
    assert_eq!(
        (spec.parallel, spec.name.as_str(), spec.order),
        (Some(8), "2024", Order::Spec)
    );
    assert_eq!(spec.seeds, [4, 5]);
    assert_eq!(spec.tasks[0].limits.wall_s, Some(3600.0));
    assert_eq!(spec.tasks[0].env["LEVEL"], "1.10");
    assert_eq!(spec.arms[1].params.get("lr"), Some(&json!(0.5)));
    assert_eq!(accept(try_toml(text, &["seed=9"])).seeds, [9]);
}

#[test]
fn included_files_are_defaults() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write(
        "base.toml",
        "include = 'deeper.yaml'\nseeds = 9\ntags = ['base']\n[defaults]\ntimeout = '1h'\nenv = { A = '1' }\n",
    );
    write(
        "deeper.yaml",
        "notes: from below\nseeds: 4\nparallelism: 3\n",
    );
    write("late.json", r#"{"tags": ["late"]}"#);
    write(
        "spec.toml",
        "include = ['base.toml', 'late.json']\nseed = 5\n[defaults]\nenv = { B = '2' }\n[[tasks]]\ncommand = 'x'\n",
    );
    let spec = accept(load(&dir.path().join("spec.toml"), &LoadOptions::default()));
    assert_eq!(
        (spec.seeds.as_slice(), spec.notes.as_str(), spec.parallel),
        (&[5][..], "from below", Some(3))
    );
    assert_eq!(spec.tags, ["late"]);
    assert_eq!(spec.tasks[0].env.len(), 2);
    assert_eq!(spec.tasks[0].limits.wall_s, Some(3600.0));
}

#[test]
fn problems_in_included_files_point_into_them() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write("base.toml", "seeds = 0\ninclude = ['spec.toml']\n");
    write("bad.txt", "x");
    write(
        "spec.toml",
        "include = ['base.toml', 'gone.toml', 'bad.txt']\ncommand = 'x'\n",
    );
    let loaded = load(&dir.path().join("spec.toml"), &LoadOptions::default());
    let found: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|d| {
            format!(
                "{}:{}: {}",
                d.file.rsplit('/').next().unwrap(),
                d.line(),
                d.message.replace(&*dir.path().to_string_lossy(), "")
            )
        })
        .collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    spec.toml:1: cannot read `/gone.toml`: No such file or directory (os error 2)
    spec.toml:1: cannot read `/bad.txt`: the extension of the file names no known format
    base.toml:1: `seeds`: expected a whole number from 1, found `0`
    base.toml:2: `spec.toml` includes itself
    ");
    assert!(
        loaded.diagnostics[3]
            .help
            .as_deref()
            .unwrap()
            .contains("spec.toml → base.toml → spec.toml")
    );
}

#[test]
fn files_that_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = dir.path().join("bytes.toml");
    fs::write(&bytes, b"name = '\xff'").unwrap();
    for path in [dir.path().join("gone.toml"), bytes, dir.path().to_owned()] {
        let loaded = load(&path, &LoadOptions::default());
        assert!(loaded.spec.is_none() && loaded.diagnostics.len() == 1);
        assert!(
            render(&loaded.diagnostics, &loaded.sources, Style::default()).contains("cannot read")
        );
    }
}

#[test]
fn a_file_in_another_encoding_is_told_where_it_is_not_utf8() {
    let dir = tempfile::tempdir().unwrap();
    let shown = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let loaded = load(&path, &LoadOptions::default());
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::default());
        shown.replace(&format!("{}/", dir.path().display()), "")
    };
    let all = [
        shown("latin.toml", b"name = 'x'\nnotes = 'caf\xe9'\n"),
        shown("wide.json", b"\xff\xfe{\0}\0"),
        shown("outer.toml", b"include = 'latin.toml'\n"),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn a_spec_that_is_not_there_is_asked_for_by_a_name_that_is() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("bandit.toml"), "").unwrap();
    let asked = |name: &str| {
        let loaded = load(&dir.path().join(name), &LoadOptions::default());
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::default());
        shown.replace(&format!("{}/", dir.path().display()), "")
    };
    let shown = ["bandi.toml", "other.toml", "bandit.toml"]
        .map(asked)
        .join("\n");
    insta::assert_snapshot!(shown, @r"
    error: cannot read `bandi.toml`: No such file or directory (os error 2)
    --> bandi.toml
     = help: did you mean `bandit.toml`?

    error: cannot read `other.toml`: No such file or directory (os error 2)
    --> other.toml
     = help: check the path

    error: the spec has no work
    --> bandit.toml
     = help: add [[tasks]] with `command`, `experiment` or `prepared_dir`, or one of these keys at the top level
    ");
}

#[test]
fn missing_files_are_as_bad_as_the_caller_says() {
    let text = "prepared_dir = 'no/such'\n";
    let severity = |files| {
        let loaded = load_text(
            "s.toml",
            text,
            Format::Toml,
            &LoadOptions {
                files,
                ..LoadOptions::default()
            },
        );
        assert_eq!(loaded.spec.is_some(), files != FileCheck::Require);
        loaded.diagnostics.first().map(|d| d.severity)
    };
    assert_eq!(severity(FileCheck::Ignore), None);
    assert_eq!(severity(FileCheck::Warn), Some(Severity::Warning));
    assert_eq!(severity(FileCheck::Require), Some(Severity::Error));
}

#[test]
fn yaml_aliases_and_merges() {
    let text = "defaults: &d\n  timeout: 1h\n  env: {A: '1'}\ntasks:\n- <<: *d\n  command: x\n- command: y\n  env: {B: '2'}\n";
    let spec = accept(load_text(
        "s.yaml",
        text,
        Format::Yaml,
        &LoadOptions::default(),
    ));
    assert_eq!(spec.tasks[0].limits.wall_s, Some(3600.0));
    assert_eq!(spec.tasks[1].env.len(), 2);
}

#[test]
fn budget_analysis_and_provenance() {
    let spec = toml(
        "command = 'x'\nseeds = 9\n[analysis]\nstop = { when = 'decided' }\n[budget]\nwall = '8h'\ntrials = 10\ncost = 2.5\n\
         [provenance]\nenv = ['CUDA_*']\nwatch = ['src/']\n",
    );
    let stop = spec.analysis.stop.unwrap();
    assert_eq!((stop.min, stop.max), (5, 9));
    assert_eq!(
        (spec.budget.wall_s, spec.budget.trials),
        (Some(28800.0), Some(10))
    );
    assert_eq!(spec.budget.cost.unwrap().metric, "cost_usd");
    assert_eq!(
        (spec.provenance.env.len(), spec.provenance.watch.len()),
        (1, 1)
    );
}

#[test]
fn fairness_rules_and_a_confirmation_are_read() {
    let spec = toml(
        "command = 'train'\n[sweep]\nlr = [1, 2]\n[metrics.loss]\ndirection = 'down'\n[analysis]\nconfirm = 15\n\
         [fairness]\nequal = { model_params = '1%', curriculum = 'exact', steps = 10 }",
    );
    let rule = |key: &str, tolerance| EqualRule {
        key: key.to_owned(),
        tolerance,
    };
    assert_eq!(
        spec.equal,
        [
            rule("model_params", Tolerance::Share(0.01)),
            rule("curriculum", Tolerance::Exact),
            rule("steps", Tolerance::Absolute(10.0)),
        ]
    );
    assert_eq!(spec.analysis.confirm, Some(15));
}

#[test]
fn the_metric_and_the_error_rate_that_decide() {
    let metrics = "command = 'p'\n[metrics.a]\ndirection = 'up'\n[metrics.b]\ndirection = 'down'\n";
    let spec = toml(metrics);
    assert_eq!(spec.primary_metric(), Some("a"));
    assert_eq!(spec.analysis.alpha(), 0.05);
    let named = toml(&format!(
        "{metrics}[analysis]\nmetric = 'b'\nalpha = 0.01\n"
    ));
    assert_eq!(named.primary_metric(), Some("b"));
    assert_eq!(named.primary_declaration().unwrap().name, "b");
    assert_eq!(named.analysis.alpha(), 0.01);
    // One that trials report without a declaration decides too; the spec knows no more of it than its name.
    let reported = toml("command = 'p'\n[analysis]\nmetric = 'c'\n");
    assert_eq!(reported.primary_metric(), Some("c"));
    assert_eq!(reported.primary_declaration(), None);
    assert_eq!(toml("command = 'p'").primary_metric(), None);
}

#[test]
fn no_more_than_the_limit_is_read_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spec.toml");
    let refused = |content: &str| {
        let loaded = load(&path, &LoadOptions::default());
        let problem = &loaded.diagnostics[0].message;
        let said = problem.contains("larger than 16 MiB");
        assert!(loaded.spec.is_none() && said, "{content}: {problem}");
    };
    // Nobody has the memory for this one.
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    refused("holes");
    // Cut where a letter is cut too.
    fs::write(&path, format!("#{}", "é".repeat(8 << 20))).unwrap();
    refused("letters of two bytes");
    let most = (16 << 20) - "command = 'p'\n#".len();
    fs::write(&path, format!("command = 'p'\n#{}", "x".repeat(most))).unwrap();
    accept(load(&path, &LoadOptions::default()));
}
