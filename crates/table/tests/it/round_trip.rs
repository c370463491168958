//! The promise of an update: only the bytes of the cells that change. Held against every published revision of the
//! tables this was made for, and against arbitrary text.

use fairtrial_table::{Change, NewCell, NewColumn, RowUpdate, Table, Update, Value, diff};
use fairtrial_text::column::read_number;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// The published tables, where this machine has them.
fn published() -> Vec<(String, Vec<u8>)> {
    let shared = std::env::var_os("FAIRTRIAL_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let mut found = Vec::new();
    for folder in ["benchmarks", "history"] {
        let folder = shared.join("fixtures/upstream/tbp").join(folder);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "csv")
            {
                let name = entry.path().display().to_string();
                found.push((name, fs::read(entry.path()).unwrap()));
            }
        }
    }
    if found.is_empty() {
        eprintln!("skipped: the published tables (fixtures/upstream/tbp) are not here");
    }
    found
}

/// Tables of the same kinds that are always here.
fn written() -> Vec<(String, Vec<u8>)> {
    let tables = [
        "Experiment,% Correct,Rotation Error (radians),Run Time,Episode Run Time (s)\r\na,99.06%,0.23,25m,33s\r\nb,68.13%,1.8,2h56m,2s",
        "Experiment,Correct (%)|align right, Mean Graphs per Object|align right,Num Episodes|hidden\na,100.00,1.1,140\nb,0.0,1.44,100\nc,98.27,1.5,77\n",
        "Year,   Temp. (°C),  Pirates|align right|hover Pirate Count\n1800,   14.3,                   50 000\n2020,   15.3,                      200",
        "\u{feff}name,note,\"x, y\"\n\"a, b\",\"say \"\"hi\"\"\",1.50\n\nc,,2.25\n",
        "k,v\ra,1\rb,2\r",
    ];
    let named = tables.into_iter().enumerate();
    named
        .map(|(place, text)| (format!("table {place}"), text.as_bytes().to_vec()))
        .collect()
}

fn all() -> Vec<(String, Vec<u8>)> {
    written().into_iter().chain(published()).collect()
}

fn number(title: &str, value: f64, unit: &str) -> NewCell {
    NewCell {
        title: title.to_owned(),
        value: Value::Number {
            value,
            unit: Some(unit.to_owned()),
            decimals: None,
            precision: None,
        },
    }
}

fn one_cell(row: &str, cell: NewCell) -> Update {
    Update {
        rows: vec![RowUpdate {
            key: row.to_owned(),
            cells: vec![cell],
            ..RowUpdate::default()
        }],
        ..Update::default()
    }
}

/// Every cell of a table with the number it holds.
fn numbers(table: &Table) -> Vec<(String, String, usize, f64, String)> {
    let mut found = Vec::new();
    for row in table.rows() {
        for (place, column) in table.columns().iter().enumerate().skip(1) {
            let text = row.cell(place).unwrap_or_default();
            if let Some(read) = read_number(&text) {
                found.push((row.key(), column.title.clone(), place, read.value, text));
            }
        }
    }
    found
}

#[test]
fn unchanged_values_leave_every_byte() {
    for (name, bytes) in all() {
        let table = Table::parse(bytes.clone()).unwrap();
        let mut update = Update::default();
        for (row, title, _, value, _) in numbers(&table) {
            update
                .rows
                .extend(one_cell(&row, number(&title, value, "s")).rows);
        }
        assert!(!update.rows.is_empty(), "{name}");
        let updated = table.update(&update).unwrap();
        assert_eq!(updated.changes, [], "{name}");
        assert_eq!(updated.bytes, bytes, "{name}");
    }
}

#[test]
fn one_changed_cell_changes_only_that_cell() {
    for (name, bytes) in all() {
        let table = Table::parse(bytes.clone()).unwrap();
        for (row, title, _, value, text) in numbers(&table) {
            // Far enough that every way of writing shows it.
            let update = one_cell(&row, number(&title, value + 3600.0, "s"));
            let updated = table.update(&update).unwrap();
            let [Change::Cell { before, after, .. }] = &updated.changes[..] else {
                panic!("{name}: {:?}", updated.changes)
            };
            assert_eq!(before, text.trim(), "{name}");
            let now = Table::parse(updated.bytes.clone()).unwrap();
            let changed = diff(&table, &now);
            assert_eq!(changed.cells.len(), 1, "{name} {row} {title}");
            assert_eq!(changed.cells[0].after, *after);
            let (prefix, suffix) = shared_ends(&bytes, &updated.bytes);
            let middle = &updated.bytes[prefix..updated.bytes.len() - suffix];
            assert!(
                !middle.contains(&b',') && !middle.contains(&b'\n') && !middle.contains(&b'\r'),
                "{name} {row} {title}: {}",
                String::from_utf8_lossy(middle)
            );
            // Put back, the file is what it was.
            let back = now
                .update(&one_cell(&row, number(&title, value, "s")))
                .unwrap();
            let again = Table::parse(back.bytes).unwrap();
            assert!(
                diff(&table, &again).cells.is_empty(),
                "{name} {row} {title}"
            );
        }
    }
}

fn shared_ends(a: &[u8], b: &[u8]) -> (usize, usize) {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let left = (a.len() - prefix).min(b.len() - prefix);
    let ends = a.iter().rev().zip(b.iter().rev());
    (prefix, ends.take(left).take_while(|(x, y)| x == y).count())
}

fn updated(text: &str, update: &Update) -> String {
    let updated = Table::parse(text).unwrap().update(update).unwrap();
    String::from_utf8(updated.bytes).unwrap()
}

#[test]
fn a_new_row_stands_where_the_suite_has_it() {
    let row = |key: &str, value: f64| RowUpdate {
        key: key.to_owned(),
        cells: vec![number("v", value, "s")],
        ..RowUpdate::default()
    };
    let order = ["n0", "a", "n1", "n2", "b", "n3"]
        .map(str::to_owned)
        .to_vec();
    let update = Update {
        rows: vec![
            row("n0", 0.0),
            row("n1", 1.0),
            row("n2", 2.0),
            row("n3", 3.0),
        ],
        order,
        ..Update::default()
    };
    let found = updated("k,v,w\r\na,5,x\r\nb,6,y", &update);
    assert_eq!(
        found,
        "k,v,w\r\nn0,0,\r\na,5,x\r\nn1,1,\r\nn2,2,\r\nb,6,y\r\nn3,3,"
    );
    let found = updated("k,v\n", &update);
    assert_eq!(found, "k,v\nn0,0\nn1,1\nn2,2\nn3,3\n");
}

#[test]
fn a_renamed_row_keeps_its_place_and_a_new_column_comes_when_asked() {
    let update = Update {
        rows: vec![RowUpdate {
            key: "new".to_owned(),
            was: vec!["older".to_owned(), "old".to_owned()],
            cells: vec![
                number("v", 7.0, "s"),
                NewCell {
                    title: "from".to_owned(),
                    value: Value::Text("run, 1".to_owned()),
                },
            ],
        }],
        columns: vec![NewColumn {
            header: "from|hidden".to_owned(),
        }],
        order: Vec::new(),
    };
    let found = updated("k,v\nold,5\nz\nb,6", &update);
    assert_eq!(found, "k,v,from|hidden\nnew,7,\"run, 1\"\nz,,\nb,6,");
    let mut without = update.clone();
    without.columns.clear();
    let table = Table::parse("k,v\nold,5\n").unwrap();
    let refused = table.update(&without).unwrap_err();
    assert_eq!(refused.to_string(), "there is no column `from`");
}

#[test]
fn a_new_row_before_a_row_that_is_renamed() {
    let update = Update {
        rows: vec![
            RowUpdate {
                key: "n".to_owned(),
                ..RowUpdate::default()
            },
            RowUpdate {
                key: "b".to_owned(),
                was: vec!["old".to_owned()],
                ..RowUpdate::default()
            },
        ],
        order: ["a", "n", "b"].map(str::to_owned).to_vec(),
        ..Update::default()
    };
    assert_eq!(updated("k,v\na,5\nold,6\n", &update), "k,v\na,5\nn,\nb,6\n");
}

#[test]
fn a_row_and_a_column_added_to_a_table_without_last_newline() {
    let update = Update {
        rows: vec![RowUpdate {
            key: "c".to_owned(),
            cells: vec![number("v", 1.0, "s"), number("w", 2.5, "s")],
            ..RowUpdate::default()
        }],
        columns: vec![NewColumn {
            header: "w".to_owned(),
        }],
        order: Vec::new(),
    };
    assert_eq!(
        updated("k,v\na,5\nb,", &update),
        "k,v,w\na,5,\nb,,\nc,1,2.5"
    );
}

#[test]
fn what_is_not_clear_is_refused() {
    let refuse = |text: &str, cell: NewCell| {
        let table = Table::parse(text).unwrap();
        table.update(&one_cell("a", cell)).unwrap_err().to_string()
    };
    assert_eq!(
        refuse("k,v\na,1\na,2\n", number("v", 1.0, "s")),
        "lines 2 and 3 both have the key `a`: it is not known which one is meant"
    );
    assert_eq!(
        refuse("k,v,v\na,1,2\n", number("v", 1.0, "s")),
        "two columns are called `v`: it is not known which one is meant"
    );
    assert_eq!(
        refuse("k,Correct (%)\na,1\n", number("Correct(%)", 1.0, "s")),
        "there is no column `Correct(%)` (did you mean `Correct (%)`?)"
    );
    assert_eq!(
        refuse("k,v\na,2h5m\n", number("v", 1.0, "deg")),
        "row `a`, column `v` holds durations like `2h56m`, and the unit of the new value is not known: give the metric a `unit`"
    );
    assert_eq!(
        refuse("k,v\na,1\n", number("v", f64::NAN, "s")),
        "row `a`, column `v`: NaN is not a finite number"
    );
    assert_eq!(
        refuse("k,v,w\na,1\n", number("w", 1.0, "s")),
        "line 2: the row ends before the column `w`"
    );
    assert_eq!(
        Table::parse("k,v\n\"a,1\n").unwrap_err().to_string(),
        "line 2: a quotation mark is not closed"
    );
    assert_eq!(
        Table::parse("").unwrap_err().to_string(),
        "the table has no title line"
    );
}

proptest! {
    /// Any bytes: parsing never panics, and what parses comes back whole when nothing is changed.
    #[test]
    fn any_bytes_survive(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(table) = Table::parse(bytes.clone()) {
            prop_assert_eq!(table.update(&Update::default()).unwrap().bytes, bytes);
        }
    }

    /// Text that is nearly a table: an update of one cell with another text is read back from its place.
    #[test]
    fn a_cell_that_is_written_is_read_back(
        rows in proptest::collection::vec(proptest::collection::vec("[a-z0-9 ,\"\n\r|.%]{0,6}", 3), 1..6),
        text in "[a-z0-9,\"\n.]{1,8}",
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        row in 0usize..6,
    ) {
        let quote = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let mut source = format!("k,a,b{ending}");
        for (number, cells) in rows.iter().enumerate() {
            let cells: Vec<String> = cells.iter().map(quote).collect();
            write!(source, "r{number},{}{ending}", cells.join(",")).unwrap();
        }
        let table = Table::parse(source.clone()).unwrap();
        let key = format!("r{}", row % rows.len());
        let text = format!("x{text}x");
        let update = one_cell(&key, NewCell { title: "a".to_owned(), value: Value::Text(text.clone()) });
        let now = Table::parse(table.update(&update).unwrap().bytes).unwrap();
        for (number, cells) in rows.iter().enumerate() {
            let found = now.find(&format!("r{number}")).unwrap().unwrap();
            let expected = if key == format!("r{number}") { &text } else { &cells[0] };
            let first = found.cell(1).unwrap();
            prop_assert_eq!(first.trim(), expected.trim());
            prop_assert_eq!(&found.cell(2).unwrap(), &cells[1]);
            prop_assert_eq!(&found.cell(3).unwrap(), &cells[2]);
        }
    }
}
