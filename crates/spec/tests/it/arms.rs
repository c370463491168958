//! Arms and their parameters: dots in names, flags that only some have, and arms that do nothing.

use fairtrial_spec::{FileCheck, Format, LoadOptions, Loaded, Spec, Style, load_text, render};
use serde_json::json;

fn load(text: &str, set: &[&str]) -> Loaded {
    let options = LoadOptions {
        set: set.iter().map(|change| (*change).to_owned()).collect(),
        ..LoadOptions::default()
    };
    load_text("spec.toml", text, Format::Toml, &options)
}

fn said(loaded: &Loaded) -> String {
    render(&loaded.diagnostics, &loaded.sources, Style::default())
}

fn accepted(text: &str, set: &[&str]) -> Spec {
    let loaded = load(text, set);
    let said = said(&loaded);
    assert!(loaded.diagnostics.is_empty(), "{said}");
    loaded.spec.unwrap()
}

const HYDRA: &str = "command = \"train algo.optim.lr={algo.optim.lr} size={size}\"\nparams.size = 1\n\
                     [arms.control]\nalgo.optim.lr = 1e-3\nnet = { width = 4 }\n\
                     [arms.candidate]\nalgo.optim.lr = 1e-4\nalgo.optim.eps = 1\n\
                     [arms.candidate.net]\nwidth = 8\n";

#[test]
fn dotted_keys_of_an_arm_are_parameters_and_tables_stay_tables() {
    let spec = accepted(HYDRA, &[]);
    let params = |arm: usize, name: &str| spec.arms[arm].params.get(name).cloned();
    assert_eq!(params(0, "algo.optim.lr"), Some(json!(1e-3)));
    assert_eq!(params(1, "algo.optim.lr"), Some(json!(1e-4)));
    assert_eq!(params(1, "algo.optim.eps"), Some(json!(1)));
    assert_eq!(params(0, "net"), Some(json!({"width": 4})));
    assert_eq!(params(1, "net"), Some(json!({"width": 8})));
    let spec = accepted(HYDRA, &["arms.candidate.algo.optim.lr=0.5"]);
    assert_eq!(spec.arms[1].params.get("algo.optim.lr"), Some(&json!(0.5)));
    assert!(spec.arms[1].params.get("algo").is_none());
}

#[test]
fn dotted_keys_are_swept_and_are_parameters_of_tasks() {
    let text = "[[tasks]]\ncommand = \"train {a.b} {c.d} {e.f}\"\nparams.a.b = 1\nparams.c.d = [1, 2]\n[sweep]\ne.f = [3, 4]\n";
    let spec = accepted(text, &[]);
    assert_eq!(spec.tasks[0].params.get("a.b"), Some(&json!(1)));
    assert_eq!(spec.tasks[0].sweep.axes[0].name, "c.d");
    assert_eq!(spec.sweep.axes[0].name, "e.f");
}

#[test]
fn a_parameter_that_an_arm_lacks_must_be_optional() {
    let text = |command: &str| format!("command = \"{command}\"\n[arms.a]\n[arms.b]\nclip = 0.2\n");
    accepted(&text("train {clip?--clip=}"), &[]);
    let loaded = load(&text("train --clip={clip}"), &[]);
    assert!(
        said(&loaded).contains("`{clip?--clip=}`"),
        "{}",
        said(&loaded)
    );
    // A slip is one in every form.
    for command in ["train {clpi?--clip=} {clip?x}", "train {clpi...} {clip?x}"] {
        let loaded = load(&text(command), &[]);
        assert!(
            said(&loaded).contains("did you mean `{clip}`"),
            "{}",
            said(&loaded)
        );
    }
    let loaded = load(
        "command = \"true\"\nworkdir = \"{dirs...}\"\nparams.dirs = \"x\"\n",
        &[],
    );
    assert!(
        said(&loaded).contains("stands only in `command`"),
        "{}",
        said(&loaded)
    );
}

#[test]
fn arms_that_run_the_same_are_warned_about() {
    let text =
        "command = \"train --seed {seed}\"\n[arms.control]\nlr = 1\n[arms.candidate]\nlr = 2\n";
    let loaded = load(text, &[]);
    let said_of = said(&loaded);
    assert!(loaded.spec.is_some());
    assert!(
        said_of.contains("the arms `control` and `candidate` run the same command"),
        "{said_of}"
    );
    assert!(said_of.contains("did you forget `{lr}`?"), "{said_of}");
    for used in [
        "command = \"train {arm}\"",
        "command = \"train {lr}\"",
        "command = \"train\"\nenv.LR = \"{lr}\"",
        "command = \"train\"\nworkdir = \"{arm}\"",
    ] {
        let arms = "[arms.control]\nlr = 1\n[arms.candidate]\nlr = 2\n";
        accepted(&format!("{used}\n{arms}"), &[]);
    }
    // Equal by a parameter's value is the same, too; a third one that differs is not.
    let text = "command = \"train {lr}\"\n[arms.a]\nlr = 1\n[arms.b]\nlr = 1\n[arms.c]\nlr = 2\n";
    let loaded = load(text, &[]);
    assert_eq!(loaded.diagnostics.len(), 1, "{}", said(&loaded));
}

#[test]
fn signs_of_a_shell_that_no_shell_reads_are_warned_about() {
    for (command, sign) in [
        ("train {seed} | tee log", "|"),
        ("train {seed} && echo done", "&&"),
        ("train {seed} > out.txt", ">"),
        ("train {seed} 2>&1", "2>&1"),
    ] {
        let loaded = load(&format!("command = \"{command}\"\n"), &[]);
        let told = said(&loaded);
        assert!(loaded.spec.is_some(), "{told}");
        let message = format!("no shell reads this command: the program gets `{sign}` as a word");
        assert!(told.contains(&message), "{told}");
        assert!(told.contains("shell = true"), "{told}");
        accepted(&format!("shell = true\ncommand = \"{command}\"\n"), &[]);
    }
    accepted("command = [\"grep\", \"|\", \"file\"]\n", &[]);
    accepted("command = \"train --sep='a|b' 'x > y'\"\n", &[]);
}

#[test]
fn a_script_that_is_not_there_is_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spec.toml");
    let told = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let options = LoadOptions {
            files: FileCheck::Warn,
            ..LoadOptions::default()
        };
        let loaded = load_text(path.to_str().unwrap(), text, Format::Toml, &options);
        assert!(loaded.spec.is_some());
        said(&loaded)
    };
    let missing = told("command = \"python3.11 train.py --seed {seed}\"\n");
    assert!(
        missing.contains("there is no script `train.py`"),
        "{missing}"
    );
    for fine in [
        "command = \"python -m train\"\n",
        "command = \"python {script}.py\"\nparams.script = \"x\"\n",
        "command = \"mytool train.py\"\n",
        "[[tasks]]\nid = \"make\"\ncommand = \"cp a train.py\"\n[[tasks]]\nid = \"t\"\nneeds = [\"make\"]\ncommand = \"python train.py\"\n",
    ] {
        assert_eq!(told(fine), "", "{fine}");
    }
    std::fs::write(folder.path().join("train.py"), "").unwrap();
    assert_eq!(told("command = \"python train.py\"\n"), "");
}
