//! Broken, cut and hostile files: no reader panics, hangs or fills the memory, and every refusal says where.
//!
//! Each fixture is changed in ways that files really break, and in ways that only an attacker would think of. The changes
//! depend on a seed alone, which a failure prints. `cargo xtask fuzz` goes on for as long as asked, with other seeds.

use crate::fixtures::path;
use fairtrial_interop::{FORMATS, Format, format_named, parse};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime};

/// Changed files of each seed file.
const ROUNDS: u64 = 150;

/// Files of each format that are changed: the ones that hold its numbers.
const SEEDS: [(&str, &str); 42] = [
    ("wandb", "wandb/run-sparse-seed2.wandb"),
    ("wandb", "wandb/run-old0166-s9.wandb"),
    (
        "tensorboard",
        "tensorboard/newstyle_seed1/events.out.tfevents.1794712744.vm.18120.0",
    ),
    (
        "tensorboard",
        "tensorboard/trxl_seed1072/events.out.tfevents.1794712744.vm",
    ),
    (
        "mlflow",
        "mlflow/mlruns/953398686852424932/286e446598ac4545bf4b645121307c2a/metrics/overview/reward",
    ),
    ("sacred", "sacred/1/metrics.json"),
    ("wandb-csv", "wandb-csv/chart.csv"),
    ("wandb-csv", "wandb-csv/runs.csv"),
    ("inspect", "inspect/sample_errors.eval"),
    ("inspect", "inspect/crashed_started.eval"),
    ("inspect", "inspect/sample_errors.json.gz"),
    (
        "harbor",
        "harbor/jobs/k2-mixed/no-reward__Pe4YqLF/result.json",
    ),
    ("terminal-bench", "terminal-bench/run/results.json"),
    ("swe-bench", "swe-bench/lab__model-a.demo.json"),
    ("swe-bench-predictions", "swe-bench/preds.jsonl"),
    ("lm-eval", "lm-eval/samples_arith_2026-11-18T05-13-22.jsonl"),
    (
        "lm-eval-results",
        "lm-eval/results_2026-11-18T05-13-22.json",
    ),
    ("promptfoo", "promptfoo/results.json.gz"),
    ("tau-bench", "tau-bench/results.json"),
    ("openai-evals", "openai-evals/log.jsonl"),
    ("hyperfine", "hyperfine/v1.20_param_scan.json"),
    ("hyperfine", "hyperfine/v2.0_param_list_env.json"),
    ("hyperfine-csv", "hyperfine/v1.20_param_scan.csv"),
    ("criterion", "criterion/fib/rec/10/new/sample.json"),
    ("cargo-criterion", "cargo-criterion/messages.json"),
    ("pytest-benchmark", "pytest-benchmark/v5.3.1_with_data.json"),
    ("pyperf", "pyperf/command_sleep.json"),
    (
        "asv",
        "asv/vm/6175725c-existing-py_tmp_sb_v_bin_python3.json",
    ),
    (
        "google-benchmark",
        "google-benchmark/v1.7.1_reps_nan_inf_error.json",
    ),
    ("google-benchmark-csv", "google-benchmark/v1.7.1.csv"),
    ("go-bench", "go-bench/bench.txt"),
    ("jmh", "jmh/results.json"),
    ("rebench", "rebench/v1.4.0_demo.data"),
    ("benchexec", "benchexec/v3.35_results.a.T.xml"),
    ("benchexec-table", "benchexec/table.csv"),
    ("runexec", "benchexec/runexec_stdout.txt"),
    ("catch2", "catch2/benchmarks.xml"),
    ("gnu-parallel", "gnu-parallel/results.csv"),
    ("snakemake", "snakemake/v9.27.1_benchmark_extended.tsv"),
    ("divan", "divan/stdout.txt"),
    (
        "github-action-benchmark",
        "github-action-benchmark/custom_smaller_is_better_to_schema.json",
    ),
    ("bmf", "bencher-bmf/example_to_schema.json"),
];

/// A small generator of numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Pieces of text that break parsers.
const ODD: [&str; 18] = [
    "NaN",
    "-Infinity",
    "1e400",
    "-1e-400",
    "99999999999999999999999",
    "null",
    "true",
    "\"\\ud800\"",
    "{}",
    "[]",
    "\u{0}",
    "\u{feff}",
    "\"",
    "\\",
    ",,,,",
    "\t\t",
    "&lt;<!-- ",
    "18446744073709551615",
];

fn changed(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(9) {
            // Cut off, as by a crash or a full disk.
            0 => bytes.truncate(at),
            1 | 2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.below(200)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            5 => {
                let piece = ODD[random.below(ODD.len())].bytes();
                bytes.splice(at..at, piece);
            }
            6 => {
                let open = [b'[', b'{', b'<', b'"'][random.below(4)];
                bytes.splice(at..at, std::iter::repeat_n(open, 5000));
            }
            7 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(0xFF);
            }
            _ => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes[at..end].fill(0);
            }
        }
    }
    bytes
}

/// Reads bytes and fails the test with the seed where a reader panics or does not say which file is wrong.
fn survives(format: &dyn Format, bytes: &[u8], what: &str) {
    let read = catch_unwind(AssertUnwindSafe(|| parse(format, "input", bytes)));
    match read {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            let message = error.to_string();
            assert!(
                message.contains("input"),
                "{what}: `{message}` names no file"
            );
        }
        Err(panic) => panic!("{what}: the reader panicked: {panic:?}"),
    }
}

/// A number of the environment.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

#[test]
fn readers_survive_files_that_are_broken() {
    let minutes = asked("FAIRTRIAL_FUZZ_MINUTES");
    let now = || SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() << 20;
    let first = asked("FAIRTRIAL_FUZZ_SEED").unwrap_or_else(|| minutes.map_or(1, |_| now()));
    let until = minutes.map(|minutes| Instant::now() + Duration::from_mins(minutes));
    let (mut from, mut files) = (first, 0);
    loop {
        for (name, file) in SEEDS {
            let format = format_named(name).unwrap();
            let original = fs::read(path(file)).unwrap();
            assert!(parse(format, "input", &original).is_ok(), "{file}");
            for seed in from..from + ROUNDS {
                let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                let bytes = changed(&original, &mut random);
                survives(format, &bytes, &format!("{file}, seed {seed}"));
                files += 1;
            }
        }
        from += ROUNDS;
        if until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
    }
    println!("{files} broken files, from seed {first}");
}

#[test]
fn every_format_that_reads_files_has_a_seed() {
    // A database is opened by its path and has a test of its own.
    for format in FORMATS
        .iter()
        .filter(|format| format.name() != "mlflow-sqlite")
    {
        let has = SEEDS.iter().any(|(name, _)| *name == format.name());
        assert!(has, "{} has no seed file", format.name());
    }
}

#[test]
fn files_of_other_formats_are_refused_or_read_and_never_break_a_reader() {
    for (_, file) in SEEDS {
        let bytes = fs::read(path(file)).unwrap();
        for format in FORMATS {
            survives(*format, &bytes, &format!("{file} as {}", format.name()));
        }
    }
    for bytes in [&b""[..], b"\n", b"\0", b"[", b"{", b"\"", b"<", b"\xFF\xFE"] {
        for format in FORMATS {
            survives(*format, bytes, &format!("{bytes:?} as {}", format.name()));
        }
    }
}

#[test]
fn lengths_that_are_only_claimed_take_no_memory() {
    let read = |format: &str, bytes: &[u8]| {
        let format = format_named(format).unwrap();
        parse(format, "input", bytes).map(|found| found.executions.len())
    };
    // An archive whose one member says that it is huge.
    let mut zip = b"PK\x03\x04".to_vec();
    zip.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    zip.extend(u32::MAX.to_le_bytes());
    zip.extend(u32::MAX.to_le_bytes());
    zip.extend([11, 0, 0, 0]);
    zip.extend(b"header.json");
    assert!(read("inspect", &zip).is_ok());
    // Iterations that are far apart.
    let text = "invocation\titeration\tvalue\tunit\tcriterion\tbenchmark\n\
        1\t4000000000\t1.0\tms\ttotal\tA\n1\t18446744073709551615\t1.0\tms\ttotal\tA\n";
    assert_eq!(read("rebench", text.as_bytes()).unwrap(), 1);
    // Values that nest without end are refused before the stack is.
    let deep = format!("{{\"results\": [{}", "[".repeat(1_000_000));
    assert!(read("hyperfine", deep.as_bytes()).is_err());
    // A kilobyte that unpacks to gigabytes of blanks.
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..64 {
        std::io::Write::write_all(&mut packer, &blanks).unwrap();
    }
    assert!(read("hyperfine", &packer.finish().unwrap()).is_err());
}

#[test]
fn a_database_that_is_broken_or_none_of_mlflow_is_refused() {
    use fairtrial_interop::{Collected, Keep, locate};
    let folder = tempfile::tempdir().unwrap();
    let packed = fs::File::open(path("mlflow/mlflow.db.gz")).unwrap();
    let mut whole = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut whole).unwrap();
    let file = folder.path().join("mlflow.db");
    let format = format_named("mlflow-sqlite").unwrap();
    for seed in 1..=60 {
        let mut random = Random(seed * 0x9E37_79B9);
        let mut bytes = whole.clone();
        for _ in 0..20 {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        if seed % 3 == 0 {
            bytes.truncate(random.below(whole.len()));
        }
        fs::write(&file, &bytes).unwrap();
        let read = catch_unwind(AssertUnwindSafe(|| {
            let located = locate(std::slice::from_ref(&file), Some(format))?;
            Collected::read(&located, Keep::Ends)
        }));
        assert!(read.is_ok(), "seed {seed}");
    }
}
