//! Parquet tables of pandas, Polars and DuckDB are read, and ours are read by them.

use crate::fixtures::path;
use fairtrial_interop::{Input, Parquet, ParquetColumn, read_parquet};
use std::process::Command;

fn csv(name: &str) -> (String, Vec<String>) {
    let table = read_parquet(Input::open(&path(name)).unwrap()).unwrap();
    (table.csv, table.notes)
}

#[test]
fn tables_of_other_programs_are_read_whatever_packs_them() {
    let wanted = std::fs::read_to_string(path("parquet/table.csv")).unwrap();
    for name in [
        "parquet/pyarrow_snappy.parquet",
        "parquet/pyarrow_v2_delta_gzip.parquet",
        "parquet/pyarrow_split_zstd.parquet",
        "parquet/polars_zstd.parquet",
        "parquet/duckdb_snappy.parquet",
    ] {
        let (text, notes) = csv(name);
        assert_eq!(text, wanted, "{name}");
        let nested = name.contains("nested");
        assert_eq!(notes.is_empty(), !nested, "{name}");
    }
    let (text, notes) = csv("parquet/pyarrow_nested.parquet");
    assert_eq!(text, "a\n1\n2\n");
    assert!(
        notes.iter().any(|note| note.contains("`tags`")),
        "{notes:?}"
    );
}

fn ours() -> Vec<u8> {
    let mut table = Parquet::default();
    table.column(
        "arm",
        ParquetColumn::Texts(vec![Some("a".into()), Some("b, \"c\"".into()), None]),
    );
    table.column("seed", ParquetColumn::Whole(vec![Some(1), None, Some(-3)]));
    table.column(
        "time",
        ParquetColumn::Numbers(vec![Some(0.1), Some(f64::NAN), None]),
    );
    table.to_bytes()
}

#[test]
fn what_is_written_is_read_back() {
    let bytes = ours();
    let table = read_parquet(Input::bytes("t.parquet", &bytes)).unwrap();
    assert_eq!(
        table.csv,
        "arm,seed,time\na,1,0.1\n\"b, \"\"c\"\"\",,NaN\n,-3,\n"
    );
    let empty = Parquet::default().to_bytes();
    assert!(read_parquet(Input::bytes("t", &empty)).is_ok());
    for end in 0..bytes.len() {
        assert!(read_parquet(Input::bytes("t", &bytes[..end])).is_err());
    }
}

#[test]
fn broken_tables_are_refused() {
    for name in [
        "parquet/pyarrow_snappy.parquet",
        "parquet/pyarrow_v2_delta_gzip.parquet",
        "parquet/polars_zstd.parquet",
    ] {
        let original = std::fs::read(path(name)).unwrap();
        for seed in 1..400_usize {
            let mut bytes = original.clone();
            for step in 1..4 {
                let at = seed.wrapping_mul(2_654_435_761).wrapping_mul(step) % bytes.len();
                bytes[at] ^= (seed * step) as u8 | 1;
            }
            // Either it is refused, or the change was in a value.
            let _ = read_parquet(Input::bytes("t", &bytes));
        }
    }
}

#[test]
fn pyarrow_reads_what_we_write() {
    let Some(python) = crate::mlflow_server::python_with("pyarrow.parquet") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.parquet");
    std::fs::write(&file, ours()).unwrap();
    let script = "import sys, pyarrow.parquet as p; t = p.read_table(sys.argv[1]); print(t.schema.names, t.to_pylist())";
    let output = Command::new(python)
        .args(["-c", script])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "['arm', 'seed', 'time'] [{'arm': 'a', 'seed': 1, 'time': 0.1}, {'arm': 'b, \"c\"', 'seed': None, 'time': nan}, \
         {'arm': None, 'seed': -3, 'time': None}]"
    );
}
