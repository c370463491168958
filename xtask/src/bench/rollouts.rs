//! What a rollout of an agent costs that does nothing, beside Inspect where it is installed: CPU time on top of the user's
//! own program. Start-up is left out: each tool runs few and many, and what the further ones took is divided among them.

use super::measure::{measure, median};
use super::table::Table;
use super::{Bench, version_of};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Rollouts of the short run, which pays for the start.
const FEW: u64 = 10;
/// Rollouts on top of that in the long run.
const MORE: u64 = 200;
/// An evaluation of Inspect's that does nothing in a local sandbox, without a model.
const INSPECT: &str = "from inspect_ai import Task, task\n\
from inspect_ai.dataset import Sample\n\
from inspect_ai.scorer import includes\n\
from inspect_ai.solver import solver\n\
from inspect_ai.util import sandbox\n\n\
@solver\ndef nothing():\n    async def solve(state, generate):\n        await sandbox().exec(['/bin/true'])\n        return state\n    return solve\n\n\
@task\ndef bench(count: int):\n    samples = [Sample(input='x', target='y', id=i) for i in range(1, count + 1)]\n    \
return Task(dataset=samples, solver=nothing(), scorer=includes(), sandbox='local')\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    /// The program alone.
    Program,
    Fairtrial(&'static str),
    Inspect,
}

/// Lets all take turns and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let mut tools = vec![
        ("/bin/true alone".to_owned(), Tool::Program),
        ("fairtrial, process".to_owned(), Tool::Fairtrial("process")),
        (
            "fairtrial, bubblewrap".to_owned(),
            Tool::Fairtrial("bubblewrap"),
        ),
    ];
    match version_of(bench.peer("inspect")) {
        Some(version) => tools.push((format!("inspect {version}, local"), Tool::Inspect)),
        None => println!("inspect is not installed"),
    }
    let mut costs = vec![Vec::new(); tools.len()];
    for _ in 0..bench.args.rounds {
        for ((_, tool), costs) in tools.iter().zip(&mut costs) {
            let [few, all] = [FEW, FEW + MORE].map(|count| cpu(bench, *tool, count));
            costs.push((all? - few?) / MORE as f64);
        }
    }
    let medians: Vec<f64> = costs.iter().map(|costs| median(costs)).collect();
    println!(
        "CPU of a rollout that does nothing: {MORE} rollouts, median of {} alternating rounds\n",
        bench.args.rounds
    );
    let mut table = Table::new(&["tool", "CPU ms/rollout", "on top of the program"]);
    for ((name, _), cost) in tools.iter().zip(&medians) {
        table.row(vec![
            name.clone(),
            format!("{:.2}", cost * 1e3),
            format!("{:.2}", (cost - medians[0]) * 1e3),
        ]);
    }
    table.print();
    Ok(())
}

/// CPU seconds of so many rollouts, with the start.
fn cpu(bench: &Bench<'_>, tool: Tool, count: u64) -> io::Result<f64> {
    let folder = bench.fresh()?;
    let mut command = match tool {
        Tool::Program => {
            let mut command = Bench::command("sh", &folder);
            let script = format!("i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done");
            command.args(["-c", &script]);
            command
        }
        Tool::Fairtrial(sandbox) => {
            write_task(&folder, sandbox, count)?;
            let mut command = bench.fairtrial(&folder);
            command.args(["run", "bench.toml"]);
            command
        }
        Tool::Inspect => {
            fs::write(folder.join("bench.py"), INSPECT)?;
            let mut command: Command = Bench::command(bench.peer("inspect"), &folder);
            let count = format!("count={count}");
            command.args(["eval", "bench.py", "--model", "mockllm/model", "-T", &count]);
            command.args(["--display", "none", "--log-dir", "logs"]);
            command
        }
    };
    Ok(measure(&mut command)?.cpu)
}

fn write_task(folder: &Path, sandbox: &str, count: u64) -> io::Result<()> {
    fs::create_dir(folder.join("task"))?;
    let meta = "{\"task_id\": \"nothing\", \"lm\": {\"instructions\": \"Do nothing\"}, \"evaluation\": {}}";
    fs::write(folder.join("task/tb_meta.json"), meta)?;
    let spec = format!(
        "name = \"bench\"\nparallel = {}\n[[tasks]]\nprepared_dir = \"task\"\nrollouts = {count}\n\
         agent = {{ command = \"/bin/true\" }}\nsandbox = \"{sandbox}\"\n",
        super::SLOTS
    );
    fs::write(folder.join("bench.toml"), spec)
}
