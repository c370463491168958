//! The troubleshooting page: every symptom is brought about, and the program shows what the page says. One that another
//! test brings about, or that is about people, names it.

use crate::common::Project;
use std::collections::BTreeSet;

const PAGE: &str = "docs/guides/troubleshooting.md";

/// How a symptom is brought about.
enum Way {
    /// This script, in a folder with this spec, ends with this code and shows these words.
    Shown {
        spec: &'static str,
        script: &'static str,
        code: i32,
        words: &'static [&'static str],
    },
    /// Where else.
    Elsewhere(&'static str),
}
use Way::{Elsewhere, Shown};

const NUMBERS: &str = "shell = true\ncommand = \"echo m=$(( {x} * ({seed} % 3) + {seed} % 5 ))\"\n\
    metrics = { m = { from = \"stdout:m=([0-9]+)\", direction = \"up\" } }\n";

const SYMPTOMS: &[(&str, Way)] = &[
    (
        "`has no key`, `did you mean`",
        Shown {
            spec: "sedes = 3\ncommand = \"true\"\n",
            script: "fairtrial run bench.toml",
            code: 2,
            words: &["a spec has no key `sedes`", "did you mean `seeds`"],
        },
    ),
    (
        "exit code 2 before anything ran",
        Shown {
            spec: "",
            script: "fairtrial run absent.toml",
            code: 2,
            words: &["nothing was run"],
        },
    ),
    (
        "exit code 3 before anything ran",
        Elsewhere("unreadable::a_run_is_not_started_without_its_registration"),
    ),
    (
        "a registered plan that cannot be read",
        Shown {
            spec: "command = \"true\"\n",
            script: "echo { > bench.registered.json && fairtrial run bench.toml",
            code: 2,
            words: &["registered plan", "cannot be read", "--replace"],
        },
    ),
    (
        "`${NAME}` is not set",
        Shown {
            spec: "command = \"true ${NAME_OF_NOTHING}\"\n",
            script: "fairtrial run bench.toml",
            code: 2,
            words: &["`NAME_OF_NOTHING` is not set"],
        },
    ),
    (
        "the spec changed since the run was started",
        Shown {
            spec: "command = \"true\"\n",
            script: "fairtrial run bench.toml && echo 'command = \"true 1\"' > bench.toml && fairtrial run bench.toml --resume",
            code: 2,
            words: &[
                "the spec changed since run",
                "--reuse",
                "--resume --as-recorded",
            ],
        },
    ),
    (
        "no run of that name",
        Shown {
            spec: "",
            script: "fairtrial summarize absent",
            code: 2,
            words: &["there is no run named absent under"],
        },
    ),
    (
        "`failed: exit code N`",
        Shown {
            spec: "command = \"false\"\n",
            script: "fairtrial run bench.toml",
            code: 1,
            words: &["failed: exit code 1"],
        },
    ),
    (
        "`no value for required metric`",
        Shown {
            spec: "command = \"true\"\nmetrics = { m = { direction = \"up\" } }\n",
            script: "fairtrial run bench.toml",
            code: 1,
            words: &["no value for required metric `m` (metrics.jsonl is not there)"],
        },
    ),
    ("`the row is damaged`", Elsewhere("tables::damaged")),
    (
        "`timeout`",
        Shown {
            spec: "command = \"sleep 600\"\ntimeout = \"200ms\"\n",
            script: "fairtrial run bench.toml",
            code: 1,
            words: &["timeout: passed its time limit of 0.2 s"],
        },
    ),
    (
        "`oom`",
        Shown {
            spec: "shell = true\ncommand = '''echo '{\"fairtrial.oom\": \"1000000\"}' >> $FAIRTRIAL_METRICS; exit 1'''\n",
            script: "fairtrial run bench.toml",
            code: 1,
            words: &["1 oom"],
        },
    ),
    (
        "`infra`",
        Shown {
            spec: "shell = true\nretries = 0\ncommand = '''echo '{\"fairtrial.infra\": \"the disk is gone\"}' >> $FAIRTRIAL_METRICS; exit 1'''\n",
            script: "fairtrial run bench.toml",
            code: 3,
            words: &["infra: the disk is gone"],
        },
    ),
    (
        "`skipped`",
        Shown {
            spec: "[[tasks]]\nid = \"a\"\ncommand = \"false\"\n[[tasks]]\nid = \"b\"\ncommand = \"true\"\nneeds = [\"a\"]\n",
            script: "fairtrial run bench.toml",
            code: 1,
            words: &["1 skipped: task `a`, which it needs, did not succeed"],
        },
    ),
    (
        "works by hand, not here",
        Shown {
            spec: "command = \"echo {seed}\"\n",
            script: "fairtrial plan bench.toml",
            code: 0,
            words: &["echo 1072"],
        },
    ),
    (
        "`insufficient`",
        Shown {
            spec: "arms = { a = { x = 0 }, b = { x = 1 } }\nseeds = 1\n",
            script: "fairtrial run bench.toml",
            code: 0,
            words: &["m  insufficient", "one value on a side has no spread"],
        },
    ),
    (
        "`inconclusive`",
        Shown {
            spec: "arms = { a = { x = 0 }, b = { x = 1 } }\nseeds = 3\n",
            script: "fairtrial run bench.toml && fairtrial compare bench",
            code: 0,
            words: &["m  inconclusive"],
        },
    ),
    (
        "`identical`",
        Shown {
            spec: "arms = { a = { x = 0 }, b = { x = 0 } }\nseeds = 6\n",
            script: "fairtrial run bench.toml",
            code: 0,
            words: &["m  identical", "run the same command"],
        },
    ),
    (
        "a huge difference between arms in timings",
        Elsewhere("what else runs on a machine is not for a test to say"),
    ),
    (
        "`one process per side`",
        Elsewhere("the tests of fairtrial-analysis: compare::files"),
    ),
    (
        "pairs are missing",
        Shown {
            spec: "arms = { a = { x = 0 }, b = { x = 1 } }\nseeds = 6\n",
            script: "sed -i 's/echo m/[ {x}{seed} != 01072 ] \\&\\& echo m/' bench.toml && { fairtrial run bench.toml || true; } && fairtrial compare bench",
            code: 0,
            words: &["1 pair: seed 1072 (control: failed)"],
        },
    ),
    (
        "`compare` and yesterday's number differ",
        Shown {
            spec: "arms = { a = { x = 0 }, b = { x = 1 } }\nseeds = 2\n",
            script: "fairtrial run bench.toml && sed -i 's/x = 1/x = 2/' bench.toml && sleep 1 && fairtrial run bench.toml && ls data/rollouts/bench > stamps && fairtrial compare bench/$(sed -n 1p stamps) bench/$(sed -n 2p stamps) --json",
            code: 0,
            words: &["\"mismatches\""],
        },
    ),
    (
        "the gate is `invalid`",
        Shown {
            spec: "arms = { a = { x = 0 }, b = { x = 1 } }\nseeds = 6\n",
            script: "sed -i 's/echo m/exit 1; echo m/' bench.toml && { fairtrial run bench.toml || true; } && fairtrial gate bench --allow-inconclusive",
            code: 3,
            words: &["Invalid: "],
        },
    ),
    ("`?` in a table comparison", Elsewhere("tables::suite")),
    (
        "nothing moves",
        Elsewhere("leases, torture: `status` while a run goes on"),
    ),
    ("slots are idle", Elsewhere("leases")),
    ("Ctrl-C does not end it", Elsewhere("torture")),
    ("agents take turns", Elsewhere("agents::outcomes")),
    ("a run after a crash", Elsewhere("torture")),
    ("a damaged journal", Elsewhere("torture")),
    ("a full disk", Elsewhere("torture")),
    ("a report that does not verify", Elsewhere("report, chain")),
];

#[test]
fn the_page_has_no_symptom_that_nobody_brings_about() {
    let text = super::read(PAGE);
    let heads = text.lines().filter(|line| line.starts_with("| you see |"));
    assert!(heads.count() > 3);
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let rows = rows.map(|row| row.split('|').nth(1).unwrap().trim());
    let on_page: BTreeSet<&str> = rows.filter(|cell| *cell != "you see").collect();
    let known: BTreeSet<&str> = SYMPTOMS.iter().map(|(cell, _)| *cell).collect();
    assert_eq!(on_page, known);
    for (symptom, way) in SYMPTOMS {
        if let Elsewhere(place) = way {
            println!("{symptom}: {place}");
        }
    }
}

#[test]
fn every_symptom_shows_what_the_page_says() {
    for (symptom, way) in SYMPTOMS {
        let Shown {
            spec,
            script,
            code,
            words,
        } = way
        else {
            continue;
        };
        let numbers = if spec.starts_with("arms") {
            NUMBERS
        } else {
            ""
        };
        let project = Project::with_spec(&format!("{spec}{numbers}"));
        let ran = project.shell(script);
        let shown = ran.out + &ran.err;
        assert_eq!(ran.code, *code, "{symptom}: `{script}`\n{shown}");
        for word in *words {
            assert!(
                shown.contains(word),
                "{symptom}: `{word}` is not in\n{shown}"
            );
        }
    }
}
