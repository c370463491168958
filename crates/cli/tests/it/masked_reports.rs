//! Secrets that programs wrote into their logs: masked in a report by the environment of its maker, and no difference to
//! whoever verifies it in another one.

use crate::common::{Project, Ran};
use std::path::PathBuf;

const SECRET: &str = "hunter2-\"very\" <secret> & long";

/// One trial that fails and says a secret on its way.
const SPEC: &str = r#"
name = "bench"
seeds = 1

[[tasks]]
id = "login"
command = ["sh", "login.sh"]
"#;

const LOGIN: &str = r#"
echo "starting the service" >&2
echo "boom: <no> --> luck with $TOKEN_SECRET, & twice $TOKEN_SECRET" >&2
echo "bye bye" >&2
exit 7
"#;

struct Failed {
    project: Project,
    log: PathBuf,
}

/// A run that failed with the secret in its log.
fn failed() -> Failed {
    let project = Project::with_spec(SPEC);
    project.write("login.sh", LOGIN);
    let ran = project
        .command(&["run", "bench.toml"])
        .env("TOKEN_SECRET", SECRET)
        .output();
    assert_eq!(ran.unwrap().status.code(), Some(1));
    let trials = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    let trial = trials.map(|entry| entry.unwrap().path()).next().unwrap();
    let log = trial.join("logs/stderr.log");
    assert!(std::fs::read_to_string(&log).unwrap().contains(SECRET));
    Failed { project, log }
}

impl Failed {
    /// A command in an environment with these variables.
    fn expect(&self, code: i32, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.project.command(args);
        command.env_remove("TOKEN_SECRET");
        command.envs(variables.iter().copied());
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, code, "{}\n{}", ran.out, ran.err);
        ran
    }

    fn page(&self, name: &str) -> String {
        let path = self.project.newest_run("bench").join(name);
        std::fs::read_to_string(path).unwrap()
    }
}

const OWN: &[(&str, &str)] = &[("TOKEN_SECRET", SECRET)];

#[test]
fn a_report_verifies_where_its_maker_s_secrets_are_not_known() {
    let failed = failed();
    failed.expect(0, &["report", "bench"], OWN);
    for name in ["report.html", "report.md"] {
        let page = failed.page(name);
        assert!(!page.contains("hunter2"), "{name}");
        assert!(page.contains("luck with [redacted], &"), "{name}");
    }
    let others: [&[(&str, &str)]; 3] = [&[], OWN, &[("DB_PASSWORD", "starting the")]];
    for environment in others {
        let fine = failed.expect(0, &["verify", "bench"], environment);
        assert_eq!(fine.out.matches('✓').count(), 3, "{}", fine.out);
    }
    // A secret of whoever verifies stood in the report when it was made: it is what the evidence gives.
    failed.expect(0, &["report", "bench"], &[]);
    assert!(failed.page("report.md").contains(SECRET));
    for environment in others {
        failed.expect(0, &["verify", "bench"], environment);
    }
}

#[test]
fn a_log_that_was_changed_beside_what_is_masked_is_found_and_the_secret_is_not_told() {
    let failed = failed();
    failed.expect(0, &["report", "bench"], OWN);
    let log = std::fs::read_to_string(&failed.log).unwrap();
    let changes = [
        ("another line", log.replace("bye bye", "bye now")),
        ("the masked line", log.replace("boom", "bang")),
        ("its middle", log.replace(", & twice", ", & thrice")),
        ("its end", log.replace("long\nbye", "long again\nbye")),
        ("without the secret", log.replace(SECRET, "")),
        ("a further line", format!("{log}what now?\n")),
        ("a line before", format!("first\n{log}")),
        ("fewer lines", log.replace("starting the service\n", "")),
    ];
    for (what, changed) in changes {
        assert_ne!(changed, log, "{what}");
        std::fs::write(&failed.log, changed).unwrap();
        for environment in [&[], OWN] {
            let found = failed.expect(1, &["verify", "bench"], environment);
            assert_eq!(found.out.matches('✗').count(), 2, "{what}\n{}", found.out);
            assert!(!found.out.contains("hunter2"), "{what}\n{}", found.out);
        }
    }
    std::fs::write(&failed.log, log).unwrap();
    failed.expect(0, &["verify", "bench"], &[]);
}

#[test]
fn a_report_whose_masks_were_widened_does_not_verify() {
    let failed = failed();
    failed.expect(0, &["report", "bench"], OWN);
    let run = failed.project.newest_run("bench");
    let page = failed.page("report.md").replace("boom:", "[redacted]:");
    std::fs::write(run.join("report.md"), page).unwrap();
    let found = failed.expect(1, &["verify", "bench"], &[]);
    assert!(
        found.out.contains("changed after it was made"),
        "{}",
        found.out
    );
}
