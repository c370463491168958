//! Hostile files: lengths that are only claimed, and databases that are broken. Files that are changed at random are fed to
//! every reader by `fuzz/`.

use crate::fixtures::path;
use fairtrial_interop::{format_named, parse};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    // A list of members whose only entry says that a long remark follows.
    let mut entry = b"PK\x01\x02".to_vec();
    entry.resize(46, 0);
    entry[32..34].fill(0xFF);
    let mut zip = [b"PK\x03\x04".as_slice(), &entry].concat();
    let (size, at) = (46_u32.to_le_bytes(), 4_u32.to_le_bytes());
    zip.extend([b"PK\x05\x06".as_slice(), &[0; 8], &size, &at, &[0; 2]].concat());
    assert!(read("inspect", &zip).is_err());
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
