//! Writing a table: one group of rows, plain values, nothing packed. Every reader of Parquet reads it.

use super::thrift::{self, Struct, Value, varint};

/// What a file begins and ends with.
pub(super) const MAGIC: &[u8; 4] = b"PAR1";
/// Parquet's numbers for kinds of values.
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
/// "This text is UTF-8", in the older and the newer form.
const UTF8: i32 = 0;
const OPTIONAL: i32 = 1;

/// The values of a column; nothing where a row has none.
#[derive(Debug, Clone, PartialEq)]
pub enum ParquetColumn {
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Texts.
    Texts(Vec<Option<String>>),
}

/// A table to write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parquet {
    columns: Vec<(String, ParquetColumn)>,
}

impl Parquet {
    /// Adds a column; all have the same number of rows.
    pub fn column(&mut self, name: &str, values: ParquetColumn) {
        self.columns.push((name.to_owned(), values));
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let rows = self.columns.first().map_or(0, |(_, column)| column.len());
        let mut chunks = Vec::new();
        let mut total = 0;
        for (name, column) in &self.columns {
            let start = out.len();
            column.write(&mut out);
            let size = (out.len() - start) as i64;
            total += size;
            let about = Struct::default()
                .with_short(1, column.kind())
                .with(2, Value::List(vec![Value::Short(0), Value::Short(3)]))
                .with(
                    3,
                    Value::List(vec![Value::Bytes(name.clone().into_bytes())]),
                )
                .with_short(4, 0)
                .with_int(5, rows as i64)
                .with_int(6, size)
                .with_int(7, size)
                .with_int(9, start as i64);
            let chunk = Struct::default()
                .with_int(2, start as i64)
                .with(3, Value::Struct(about));
            chunks.push(Value::Struct(chunk));
        }
        let group = Struct::default()
            .with(1, Value::List(chunks))
            .with_int(2, total)
            .with_int(3, rows as i64);
        let footer = Struct::default()
            .with_short(1, 1)
            .with(2, Value::List(self.schema()))
            .with_int(3, rows as i64)
            .with(4, Value::List(vec![Value::Struct(group)]))
            .with_text(6, "fairtrial");
        let start = out.len();
        thrift::write(&footer, &mut out);
        let size = (out.len() - start) as u32;
        out.extend(size.to_le_bytes());
        out.extend(MAGIC);
        out
    }

    fn schema(&self) -> Vec<Value> {
        let root = Struct::default()
            .with_text(4, "schema")
            .with_short(5, self.columns.len() as i32);
        let mut elements = vec![Value::Struct(root)];
        for (name, column) in &self.columns {
            let mut element = Struct::default()
                .with_short(1, column.kind())
                .with_short(3, OPTIONAL)
                .with_text(4, name);
            if column.kind() == BYTE_ARRAY {
                let string = Struct::default().with(1, Value::Struct(Struct::default()));
                element = element.with_short(6, UTF8).with(10, Value::Struct(string));
            }
            elements.push(Value::Struct(element));
        }
        elements
    }
}

impl ParquetColumn {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    fn kind(&self) -> i32 {
        match self {
            Self::Numbers(_) => DOUBLE,
            Self::Whole(_) => INT64,
            Self::Texts(_) => BYTE_ARRAY,
        }
    }

    fn present(&self) -> Vec<bool> {
        match self {
            Self::Numbers(values) => values.iter().map(Option::is_some).collect(),
            Self::Whole(values) => values.iter().map(Option::is_some).collect(),
            Self::Texts(values) => values.iter().map(Option::is_some).collect(),
        }
    }

    /// One page: which rows have a value, then the values.
    fn write(&self, out: &mut Vec<u8>) {
        let mut page = Vec::new();
        let levels = levels(&self.present());
        page.extend((levels.len() as u32).to_le_bytes());
        page.extend(levels);
        match self {
            Self::Numbers(values) => {
                for value in values.iter().flatten() {
                    page.extend(value.to_le_bytes());
                }
            }
            Self::Whole(values) => {
                for value in values.iter().flatten() {
                    page.extend(value.to_le_bytes());
                }
            }
            Self::Texts(values) => {
                for value in values.iter().flatten() {
                    page.extend((value.len() as u32).to_le_bytes());
                    page.extend(value.as_bytes());
                }
            }
        }
        let data = Struct::default()
            .with_short(1, self.len() as i32)
            .with_short(2, 0)
            .with_short(3, 3)
            .with_short(4, 3);
        let header = Struct::default()
            .with_short(1, 0)
            .with_short(2, page.len() as i32)
            .with_short(3, page.len() as i32)
            .with(5, Value::Struct(data));
        thrift::write(&header, out);
        out.extend(page);
    }
}

/// Runs of rows with and without a value.
fn levels(present: &[bool]) -> Vec<u8> {
    let mut out = Vec::new();
    for run in present.chunk_by(|a, b| a == b) {
        varint((run.len() as u64) << 1, &mut out);
        out.push(u8::from(run[0]));
    }
    out
}
