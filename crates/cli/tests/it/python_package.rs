//! The Python package by its own tests (`python/tests`), with the built binary: runs from Python, a notebook in a real
//! kernel, sessions of pytest with the plugin, and the wheel in an environment of its own.

use std::path::Path;
use std::process::Command;

/// Runs one file of tests in the environment that `./test` sets up.
fn passes(file: &str) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = repository.join("target/tools/python/bin/python");
    if !python.exists() {
        assert!(std::env::var_os("CI").is_none(), "`./test` makes it");
        println!("skipped: `./test` has not made {}", python.display());
        return;
    }
    let package = repository.join("python").canonicalize().unwrap();
    let ended = Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg(package.join("tests").join(file))
        .env("PYTHONPATH", &package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("FAIRTRIAL_BIN", env!("CARGO_BIN_EXE_fairtrial"))
        .current_dir(&package)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ended.stdout);
    assert!(
        ended.status.success(),
        "{out}\n{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}

#[test]
fn runs_verdicts_and_tables_from_python() {
    passes("test_runs.py");
}

#[test]
fn scripts_log_the_same_inside_and_outside_of_trials() {
    passes("test_trials.py");
}

#[test]
fn the_example_notebook_runs_in_a_kernel() {
    passes("test_notebook.py");
}

#[test]
fn a_pytest_session_ends_by_its_verdicts() {
    passes("test_pytest_plugin.py");
}

#[test]
fn the_recommended_configuration_keeps_its_database() {
    passes("test_recommended.py");
}

#[test]
fn the_wheel_works_where_nothing_else_is_installed() {
    passes("test_wheel.py");
}

#[test]
fn the_github_action_writes_one_comment_and_changes_it() {
    passes("test_action.py");
}
