//! The values of one column: pages one after the other, in the encodings that writers use.

use super::thrift::{self, Struct};
use super::unpack::unpack;

/// One value of a column as text of a table; nothing where it is null.
pub(super) type Cell = Option<String>;

/// Parquet's numbers for kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Bool,
    Int32,
    Int64,
    Float,
    Double,
    Text,
}

impl ColumnKind {
    pub(super) fn of(number: i64) -> Option<Self> {
        Some(match number {
            0 => Self::Bool,
            1 => Self::Int32,
            2 => Self::Int64,
            4 => Self::Float,
            5 => Self::Double,
            6 => Self::Text,
            _ => return None,
        })
    }
}

/// A value on its way.
#[derive(Debug, Clone)]
enum Value {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Vec<u8>),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Bool(truth) => u8::from(*truth).to_string(),
            Self::Int(number) => number.to_string(),
            Self::Double(number) => fairtrial_model::Number(*number).to_string(),
            Self::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// What is known of a column before its pages.
pub(super) struct Column {
    pub(super) kind: ColumnKind,
    pub(super) codec: i64,
    pub(super) optional: bool,
    /// How many values it says to have.
    pub(super) count: usize,
}

impl Column {
    /// Reads the pages of a column.
    pub(super) fn read(&self, mut bytes: &[u8]) -> Result<Vec<Cell>, String> {
        let mut dictionary: Vec<Value> = Vec::new();
        let mut cells = Vec::new();
        while cells.len() < self.count {
            let (header, length) = thrift::read(bytes).ok_or("a page header is damaged")?;
            bytes = &bytes[length..];
            let size = |number| usize::try_from(header.int(number).unwrap_or(-1));
            let (Ok(unpacked), Ok(packed)) = (size(2), size(3)) else {
                return Err("a page has no size".to_owned());
            };
            let (page, rest) = bytes.split_at_checked(packed).ok_or("a page is cut off")?;
            bytes = rest;
            match header.int(1) {
                Some(2) => {
                    let page = unpack(self.codec, page, unpacked)?;
                    let count = header.inner(7).and_then(|inner| inner.int(1)).unwrap_or(0);
                    dictionary = self.plain(&page, usize::try_from(count).unwrap_or(0))?.0;
                }
                Some(0) => {
                    let page = unpack(self.codec, page, unpacked)?;
                    let inner = header.inner(5).ok_or("a page says nothing about itself")?;
                    self.first_version(&page, inner, &dictionary, &mut cells)?;
                }
                Some(3) => {
                    let inner = header.inner(8).ok_or("a page says nothing about itself")?;
                    self.second_version((page, unpacked), inner, &dictionary, &mut cells)?;
                }
                // An index, which nobody needs.
                _ => {}
            }
            if bytes.is_empty() && cells.len() < self.count {
                return Err(format!(
                    "there are {} of {} values",
                    cells.len(),
                    self.count
                ));
            }
        }
        Ok(cells)
    }

    fn first_version(
        &self,
        page: &[u8],
        header: &Struct,
        dictionary: &[Value],
        cells: &mut Vec<Cell>,
    ) -> Result<(), String> {
        let count = self.page_count(header.int(1))?;
        let encoding = header.int(2).unwrap_or(0);
        let mut rest = page;
        let mut present = vec![true; count];
        if self.optional {
            let (length, behind) = rest.split_first_chunk().ok_or("a page is too short")?;
            let length = u32::from_le_bytes(*length) as usize;
            let (levels, behind) = behind
                .split_at_checked(length)
                .ok_or("a page is too short")?;
            present = hybrid(levels, 1, count)
                .map(|levels| levels.iter().map(|level| *level == 1).collect())?;
            rest = behind;
        }
        self.values(rest, encoding, &present, dictionary, cells)
    }

    fn second_version(
        &self,
        (page, unpacked): (&[u8], usize),
        header: &Struct,
        dictionary: &[Value],
        cells: &mut Vec<Cell>,
    ) -> Result<(), String> {
        let count = self.page_count(header.int(1))?;
        let encoding = header.int(4).unwrap_or(0);
        let size = |number| usize::try_from(header.int(number).unwrap_or(0)).unwrap_or(0);
        let (definitions, repetitions) = (size(5), size(6));
        let levels = definitions + repetitions;
        let (levels, packed) = page.split_at_checked(levels).ok_or("a page is too short")?;
        let mut present = vec![true; count];
        if self.optional && definitions > 0 {
            let levels = hybrid(&levels[repetitions..], 1, count)?;
            present = levels.iter().map(|level| *level == 1).collect();
        }
        let is_packed = !matches!(header.get(7), Some(thrift::Value::Bool(false)));
        let codec = if is_packed { self.codec } else { 0 };
        let size = unpacked.saturating_sub(definitions + repetitions);
        let values = unpack(codec, packed, size)?;
        self.values(&values, encoding, &present, dictionary, cells)
    }

    /// How many values a page has; no page has more than its column.
    fn page_count(&self, count: Option<i64>) -> Result<usize, String> {
        let count = usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX);
        if count > self.count {
            return Err("a page has more values than its column".to_owned());
        }
        Ok(count)
    }

    fn values(
        &self,
        bytes: &[u8],
        encoding: i64,
        present: &[bool],
        dictionary: &[Value],
        cells: &mut Vec<Cell>,
    ) -> Result<(), String> {
        let count = present.iter().filter(|present| **present).count();
        let values: Vec<Value> = match encoding {
            0 => self.plain(bytes, count)?.0,
            2 | 8 => {
                let (bits, rest) = bytes.split_first().unwrap_or((&0, &[]));
                let places = hybrid(rest, *bits, count)?;
                let value = |place: &u64| dictionary.get(*place as usize).cloned();
                let values: Option<Vec<Value>> = places.iter().map(value).collect();
                values.ok_or("a value is not in the dictionary")?
            }
            3 if self.kind == ColumnKind::Bool => {
                let rest = bytes.get(4..).ok_or("a page is too short")?;
                let bits = hybrid(rest, 1, count)?;
                bits.iter().map(|bit| Value::Bool(*bit == 1)).collect()
            }
            5 if matches!(self.kind, ColumnKind::Int32 | ColumnKind::Int64) => {
                deltas(bytes, count)?.into_iter().map(Value::Int).collect()
            }
            9 if matches!(self.kind, ColumnKind::Float | ColumnKind::Double) => {
                self.split(bytes, count)?
            }
            other => return Err(format!("values in the encoding {other} are not read here")),
        };
        let mut values = values.into_iter();
        for present in present {
            let value = if *present { values.next() } else { None };
            cells.push(value.map(|value| value.text()));
        }
        Ok(())
    }

    /// Values one after the other, and how many bytes they took.
    fn plain(&self, bytes: &[u8], count: usize) -> Result<(Vec<Value>, usize), String> {
        let mut values = Vec::new();
        let mut rest = bytes;
        if self.kind == ColumnKind::Bool {
            for place in 0..count {
                let byte = bytes.get(place / 8).ok_or("a page is too short")?;
                values.push(Value::Bool(byte >> (place % 8) & 1 == 1));
            }
            return Ok((values, count.div_ceil(8)));
        }
        for _ in 0..count {
            let value = self.one(&mut rest).ok_or("a page is too short")?;
            values.push(value);
        }
        Ok((values, bytes.len() - rest.len()))
    }

    fn one(&self, rest: &mut &[u8]) -> Option<Value> {
        Some(match self.kind {
            ColumnKind::Bool => return None,
            ColumnKind::Int32 => Value::Int(i32::from_le_bytes(fixed(rest)?).into()),
            ColumnKind::Int64 => Value::Int(i64::from_le_bytes(fixed(rest)?)),
            ColumnKind::Float => Value::Double(f32::from_le_bytes(fixed(rest)?).into()),
            ColumnKind::Double => Value::Double(f64::from_le_bytes(fixed(rest)?)),
            ColumnKind::Text => {
                let length = u32::from_le_bytes(fixed(rest)?) as usize;
                let (text, behind) = rest.split_at_checked(length)?;
                *rest = behind;
                Value::Text(text.to_vec())
            }
        })
    }

    /// The first bytes of all values, then all second bytes, and so on.
    fn split(&self, bytes: &[u8], count: usize) -> Result<Vec<Value>, String> {
        let width = if self.kind == ColumnKind::Float { 4 } else { 8 };
        if bytes.len() < width * count {
            return Err("a page is too short".to_owned());
        }
        let mut values = Vec::new();
        for place in 0..count {
            let mut one: Vec<u8> = Vec::with_capacity(width);
            one.extend((0..width).map(|byte| bytes[byte * count + place]));
            values.extend(self.one(&mut one.as_slice()));
        }
        Ok(values)
    }
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for place in 0..10 {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        value |= u64::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Numbers of a few bits: runs of one number, and groups of eight side by side.
fn hybrid(mut rest: &[u8], bits: u8, count: usize) -> Result<Vec<u64>, String> {
    let mut found = Vec::new();
    if bits > 32 {
        return Err("a page is damaged".to_owned());
    }
    while found.len() < count {
        let header = varint(&mut rest).ok_or("a page is too short")?;
        let left = count - found.len();
        if header & 1 == 0 {
            let bytes = usize::from(bits).div_ceil(8);
            let (value, behind) = rest.split_at_checked(bytes).ok_or("a page is too short")?;
            rest = behind;
            let value = value
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte));
            let length = usize::try_from(header >> 1).unwrap_or(usize::MAX).min(left);
            if length == 0 {
                return Err("a page is damaged".to_owned());
            }
            found.extend(std::iter::repeat_n(value, length));
        } else {
            let groups = usize::try_from(header >> 1).unwrap_or(usize::MAX);
            let bytes = groups.saturating_mul(usize::from(bits)).min(rest.len());
            let (packed, behind) = rest.split_at(bytes);
            rest = behind;
            let length = groups.saturating_mul(8).min(left);
            if length == 0 {
                return Err("a page is damaged".to_owned());
            }
            for place in 0..length {
                found.push(bits_at(packed, place * usize::from(bits), bits));
            }
        }
    }
    Ok(found)
}

/// A number of some bits that begins at a bit; bits behind the end are 0.
fn bits_at(bytes: &[u8], at: usize, bits: u8) -> u64 {
    (0..usize::from(bits)).fold(0, |value, bit| {
        let place = at + bit;
        let byte = bytes.get(place / 8).copied().unwrap_or(0);
        value | u64::from(byte >> (place % 8) & 1) << bit
    })
}

/// Whole numbers as differences, in blocks whose smallest difference stands first.
fn deltas(bytes: &[u8], count: usize) -> Result<Vec<i64>, String> {
    let mut rest = bytes;
    let short = || "a page is too short".to_owned();
    let mut next = || varint(&mut rest).ok_or_else(short);
    let (block, minis) = (next()? as usize, next()? as usize);
    let total = next()? as usize;
    let zigzag = |value: u64| (value >> 1) as i64 ^ -((value & 1) as i64);
    let mut last = zigzag(next()?);
    if minis == 0 || block == 0 || !block.is_multiple_of(minis) || total < count {
        return Err("a page is damaged".to_owned());
    }
    let each = block / minis;
    let mut found = vec![last];
    while found.len() < count {
        let smallest = zigzag(varint(&mut rest).ok_or_else(short)?);
        let (widths, behind) = rest.split_at_checked(minis).ok_or_else(short)?;
        rest = behind;
        for width in widths {
            if *width > 64 {
                return Err("a page is damaged".to_owned());
            }
            let size = each.saturating_mul(usize::from(*width)).div_ceil(8);
            let (packed, behind) = rest.split_at(size.min(rest.len()));
            rest = behind;
            for place in 0..each.min(count - found.len()) {
                let delta = bits_at(packed, place * usize::from(*width), *width) as i64;
                last = last.wrapping_add(smallest).wrapping_add(delta);
                found.push(last);
            }
        }
    }
    found.truncate(count);
    Ok(found)
}
