//! The readers of agent tasks, and of what agents say that they used.

use crate::targets::{Target, folder, write};
use fairtrial_agent::findings::Findings;
use fairtrial_agent::format::{Reading, read_task};
use fairtrial_agent::usage::{Usage, UsageReader};
use fairtrial_spec::Price;
use std::fs;
use std::path::Path;

/// A task's folder: the file that is changed, and files that stay.
type Folder = (&'static str, &'static [(&'static str, &'static str)]);

const PREPARED: Folder = ("tb_meta.json", &[]);
const OVERRIDES: Folder = (
    "overrides.json",
    &[(
        "tb_meta.json",
        include_str!("../corpus/task-prepared/tb_meta.json"),
    )],
);
const HARBOR: Folder = (
    "task.toml",
    &[
        ("instruction.md", "<!-- canary -->\n\nWrite hello\n"),
        ("environment/Dockerfile", "FROM busybox\nWORKDIR /app\n"),
        ("tests/test.sh", "echo 1 > /logs/verifier/reward.txt\n"),
        ("steps/one/instruction.md", "One\n"),
        ("steps/two/instruction.md", "Two\n"),
    ],
);
const TERMINAL_BENCH: Folder = (
    "task.yaml",
    &[
        ("Dockerfile", "FROM busybox\n"),
        ("run-tests.sh", "true\n"),
        ("tests/test_outputs.py", "def test(): pass\n"),
        ("solution.sh", "true\n"),
    ],
);

/// A target for each.
pub(crate) fn agents() -> Vec<Target> {
    vec![
        usage(),
        task("task-prepared", PREPARED),
        task("task-overrides", OVERRIDES),
        task("task-harbor", HARBOR),
        task("task-terminal-bench", TERMINAL_BENCH),
    ]
}

fn usage() -> Target {
    let out = folder();
    Target::new("agent-usage", move |bytes| {
        let mut reader = UsageReader::default();
        reader.hear(&String::from_utf8_lossy(bytes));
        reader.end_line();
        for name in ["usage.json", "mini.traj.json"] {
            write(&out.path().join(name), bytes);
        }
        Usage::slips(out.path());
        let used = reader.usage().with_file(out.path());
        let price = Price {
            input: 1.0,
            cached: Some(0.1),
            output: 2.0,
        };
        let (cost, _) = used.cost(Some(price));
        assert!(cost.is_none_or(f64::is_finite), "{used:?} costs {cost:?}");
        let _ = used.tokens();
    })
}

fn task(name: &str, (changed, others): Folder) -> Target {
    let task = folder();
    for (file, text) in others {
        let path = task.path().join(file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap_or_default();
        write(&path, text.as_bytes());
    }
    Target::new(name, move |bytes| {
        write(&task.path().join(changed), bytes);
        let reading = Reading {
            dir: task.path(),
            overrides: None,
            apply_overrides: true,
            token: None,
        };
        let _ = read_task(&reading, &mut Findings::default());
    })
}
