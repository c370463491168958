//! Launch throughput: Fairtrial, the floor in C, and peers that are installed, taking turns.

use super::measure::{Cost, measure, median};
use super::table::Table;
use super::{Bench, version_of, write_spec};
use std::io;
use std::path::Path;

/// Trials per turn of a peer that is much slower.
const FEW: u64 = 300;

/// One program under comparison.
struct Contender {
    name: String,
    trials: u64,
    costs: Vec<Cost>,
    turn: Turn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The floor, without folders and files.
    Records,
    /// The floor, with a folder and two files per trial.
    Folders,
    Fairtrial,
    Hyperfine,
    GnuParallel,
}

/// Lets all contenders take turns and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let floor = bench.compiled("benches/launch/floor.c")?;
    let mut contenders = contenders(bench);
    for _ in 0..bench.args.rounds {
        for contender in &mut contenders {
            let cost = take_turn((bench, &floor), contender.turn, contender.trials)?;
            contender.costs.push(cost);
        }
    }
    println!(
        "Launch throughput: /bin/true, {} slots, {} trials, median of {} alternating rounds\n",
        bench.args.slots, bench.args.trials, bench.args.rounds
    );
    print(&contenders);
    Ok(())
}

fn contenders(bench: &Bench<'_>) -> Vec<Contender> {
    let trials = bench.args.trials;
    let ours = |turn, name: &str| Contender {
        name: name.to_owned(),
        trials,
        costs: Vec::new(),
        turn,
    };
    let mut all = vec![
        ours(Turn::Records, "C floor A: vfork, JSON record"),
        ours(Turn::Folders, "C floor B: and a folder with two files"),
        ours(Turn::Fairtrial, "fairtrial run"),
    ];
    let peers = [
        (Turn::Hyperfine, "hyperfine", "serial"),
        (Turn::GnuParallel, "parallel", "--joblog"),
    ];
    for (turn, program, how) in peers {
        if let Some(version) = version_of(program) {
            let peer = ours(turn, &format!("{version} ({how})"));
            all.push(Contender {
                trials: FEW.min(trials),
                ..peer
            });
        } else {
            println!("{program} is not installed");
        }
    }
    all
}

fn take_turn((bench, floor): (&Bench<'_>, &Path), turn: Turn, trials: u64) -> io::Result<Cost> {
    let folder = bench.fresh()?;
    let (trials_text, slots) = (trials.to_string(), bench.args.slots.to_string());
    let floor = |mode: &str| {
        let mut command = Bench::command(floor, &folder);
        command.args([mode, &trials_text, &slots]).arg(&folder);
        command
    };
    let mut command = match turn {
        Turn::Records => floor("records"),
        Turn::Folders => floor("folders"),
        Turn::Fairtrial => {
            write_spec(&folder, trials, bench.args.slots)?;
            let mut command = bench.fairtrial(&folder);
            command.args(["run", "bench.toml"]);
            command
        }
        Turn::Hyperfine => {
            let mut command = Bench::command("hyperfine", &folder);
            command.args([
                "--shell=none",
                "--style=none",
                "--runs",
                &trials_text,
                "/bin/true",
            ]);
            command
        }
        Turn::GnuParallel => {
            let mut command = Bench::command("parallel", &folder);
            command.args(["--jobs", &slots, "--joblog", "joblog", "/bin/true", ":::"]);
            command.args((0..trials).map(|trial| trial.to_string()));
            command
        }
    };
    measure(&mut command)
}

fn print(contenders: &[Contender]) {
    let floor = contenders
        .iter()
        .find(|contender| contender.turn == Turn::Folders);
    let floor_cpu = floor.map_or(f64::NAN, |floor| per_trial(floor).1);
    let mut table = Table::new(&[
        "program",
        "trials/s",
        "of floor B",
        "CPU µs/trial",
        "floor B's CPU / its CPU",
    ]);
    for contender in contenders {
        let (wall, cpu) = per_trial(contender);
        table.row(vec![
            contender.name.clone(),
            format!("{:.0}", 1.0 / wall),
            format!("{:.2}", paired_ratio(floor, contender)),
            format!("{:.0}", cpu * 1e6),
            format!("{:.2}", floor_cpu / cpu),
        ]);
    }
    table.print();
}

/// Median wall and CPU seconds of one trial.
fn per_trial(contender: &Contender) -> (f64, f64) {
    let of = |pick: fn(&Cost) -> f64| {
        let values: Vec<f64> = contender.costs.iter().map(pick).collect();
        median(&values) / contender.trials as f64
    };
    (of(|cost| cost.wall), of(|cost| cost.cpu))
}

/// Throughput as a share of the floor's: the ratio of each round, then the middle one, so that a machine that slows
/// down during the comparison slows both.
fn paired_ratio(floor: Option<&Contender>, contender: &Contender) -> f64 {
    let Some(floor) = floor else { return f64::NAN };
    let pairs = floor.costs.iter().zip(&contender.costs);
    let ratio = |(floor_cost, cost): (&Cost, &Cost)| {
        (floor_cost.wall / floor.trials as f64) / (cost.wall / contender.trials as f64)
    };
    let ratios: Vec<f64> = pairs.map(ratio).collect();
    median(&ratios)
}
