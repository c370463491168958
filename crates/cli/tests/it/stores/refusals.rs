//! What is wrong is said before anything is submitted, and nothing half-made is left.

use super::site::Site;

/// The words of a refused run, of which nothing is left.
fn refused(site: &Site) -> String {
    let ran = site.run(&["run", "bench.toml"]);
    assert_ne!(ran.code, 0, "{}", ran.out);
    let calls = std::fs::read_to_string(site.spool.path().join("queue/calls"));
    assert!(!calls.unwrap_or_default().contains("submit"), "{}", ran.err);
    assert_eq!(site.objects(), Vec::<String>::new());
    ran.err
}

#[test]
fn a_store_that_is_not_there_is_told() {
    let mut site = Site::new(2, "true", "");
    let spec = site.project.read("bench.toml");
    let gone = format!("{}/gone", site.url);
    site.project
        .write("bench.toml", &spec.replace(&site.url, &gone));
    assert!(refused(&site).contains("mount the disk"));
    site.url = gone;
    let found = site.run(&["doctor", "--store", &site.url]);
    assert!(
        found.code != 0 && found.out.contains("mount the disk"),
        "{}",
        found.out
    );
}

#[test]
fn what_cannot_travel_is_told() {
    let site = Site::new(2, "true", "");
    let spec = site.project.read("bench.toml");
    for (carry, words) in [
        ("", "no git repository tracks a file here"),
        ("'../elsewhere'", "the folder that travels"),
        ("'none'", "`none` is not there"),
    ] {
        let carried = format!("carry = [{carry}]");
        site.project
            .write("bench.toml", &spec.replace("carry = ['work.sh']", &carried));
        let said = refused(&site);
        assert!(said.contains(words), "{carry}: {said}");
    }
}

#[test]
fn a_spec_that_no_store_can_serve_is_refused_by_check() {
    let site = Site::new(2, "true", "");
    let spec = site.project.read("bench.toml");
    let check = |text: &str| {
        site.project.write("bench.toml", text);
        let ran = site.run(&["check", "bench.toml"]);
        assert_ne!(ran.code, 0, "{}", ran.out);
        ran.out + &ran.err
    };
    let said = check(&spec.replace(&site.url, "s3://KEY:SECRET@bucket/x"));
    assert!(
        said.contains("credentials come from the environment"),
        "{said}"
    );
    let said = check(&spec.replace("shell = true", "shell = true\ncheckpoint = true"));
    assert!(said.contains("checkpoint"), "{said}");
    let said = check(&spec.replace("shell = true", "shell = true\noutputs = ['model']"));
    assert!(said.contains("declares `outputs`"), "{said}");
    let said = check(&spec.replace("kind = 'template'", "kind = 'skypilot'"));
    assert!(said.contains("engine.skypilot.store"), "{said}");
    let said = check(&spec.replace("kind = 'template'", "kind = 'kubernetes'"));
    assert!(said.contains("cannot go by a store yet"), "{said}");
    // On this machine the store is not looked at.
    let local = spec.replace("kind = 'template'", "kind = 'local'");
    let local = local.replace(&site.url, "s3://no-such-bucket/x");
    site.project.write("bench.toml", &local);
    let ledger = site.ledger();
    std::fs::write(&ledger, "").unwrap();
    site.expect(0, &["check", "bench.toml"]);
    site.expect(0, &["run", "bench.toml"]);
    assert_eq!(site.ran().len(), 2);
}

#[test]
fn a_prefix_with_another_run_of_the_same_name_is_refused() {
    let site = Site::new(2, "true", "");
    let mut command = site.command(&["run", "bench.toml"]);
    command.env("FAIRTRIAL_FAILPOINT", "remote.after_stage");
    assert!(!command.output().unwrap().status.success());
    // Another machine, with a run in a folder of the same path and second: the note of who this is differs.
    let note = site.project.newest_run("bench").join("chunks/store.json");
    let text = std::fs::read_to_string(&note).unwrap();
    let owner = text.split("\"owner\":\"").nth(1).unwrap();
    let owner = owner.split('"').next().unwrap();
    std::fs::write(&note, text.replace(owner, "somebody-else")).unwrap();
    let ran = site.run(&["wait", "bench"]);
    assert_ne!(ran.code, 0);
    assert!(ran.err.contains("is another run's"), "{}", ran.err);
    let calls = std::fs::read_to_string(site.spool.path().join("queue/calls")).unwrap();
    assert!(!calls.contains("submit"), "{calls}");
}
