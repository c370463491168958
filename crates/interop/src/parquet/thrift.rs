//! Thrift's compact protocol, in which Parquet writes what it says about itself: fields with numbers, of a few kinds.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    /// A whole number; short ones (32 bits) are another kind to strict readers.
    Short(i32),
    Int(i64),
    Double(f64),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Struct(Struct),
}

/// Fields by their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Struct(pub(super) Vec<(i16, Value)>);

impl Struct {
    pub(super) fn get(&self, number: i16) -> Option<&Value> {
        let found = self.0.iter().find(|(known, _)| *known == number);
        found.map(|(_, value)| value)
    }

    pub(super) fn int(&self, number: i16) -> Option<i64> {
        match self.get(number)? {
            Value::Int(value) => Some(*value),
            Value::Short(value) => Some((*value).into()),
            _ => None,
        }
    }

    pub(super) fn text(&self, number: i16) -> Option<String> {
        match self.get(number)? {
            Value::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    pub(super) fn list(&self, number: i16) -> &[Value] {
        match self.get(number) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    pub(super) fn inner(&self, number: i16) -> Option<&Self> {
        match self.get(number)? {
            Value::Struct(inner) => Some(inner),
            _ => None,
        }
    }

    /// Adds a short whole number.
    #[must_use]
    pub(super) fn with_short(mut self, number: i16, value: i32) -> Self {
        self.0.push((number, Value::Short(value)));
        self
    }

    /// Adds a whole number.
    #[must_use]
    pub(super) fn with_int(mut self, number: i16, value: i64) -> Self {
        self.0.push((number, Value::Int(value)));
        self
    }

    /// Adds a text.
    #[must_use]
    pub(super) fn with_text(mut self, number: i16, text: &str) -> Self {
        self.0
            .push((number, Value::Bytes(text.as_bytes().to_vec())));
        self
    }

    /// Adds something else.
    #[must_use]
    pub(super) fn with(mut self, number: i16, value: Value) -> Self {
        self.0.push((number, value));
        self
    }
}

/// Structs inside structs; Parquet's own go five deep.
const DEPTH: usize = 16;

/// Reads a struct from the beginning of bytes and gives how many it took; nothing where they are broken.
pub(super) fn read(bytes: &[u8]) -> Option<(Struct, usize)> {
    let mut reader = Reader { rest: bytes };
    let found = reader.structure(0)?;
    Some((found, bytes.len() - reader.rest.len()))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn structure(&mut self, depth: usize) -> Option<Struct> {
        let mut found = Struct::default();
        let mut last = 0_i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(found);
            }
            let number = match head >> 4 {
                0 => i16::try_from(self.zigzag()?).ok()?,
                step => last.checked_add(i16::from(step))?,
            };
            last = number;
            let value = match head & 0x0F {
                1 => Value::Bool(true),
                2 => Value::Bool(false),
                kind => self.value(kind, depth)?,
            };
            found.0.push((number, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        Some(match kind {
            1 | 2 => Value::Bool(self.byte()? == 1),
            3 => Value::Int(i64::from(self.byte()? as i8)),
            4 | 5 => Value::Short(i32::try_from(self.zigzag()?).ok()?),
            6 => Value::Int(self.zigzag()?),
            7 => {
                let (bytes, rest) = self.rest.split_first_chunk()?;
                self.rest = rest;
                Value::Double(f64::from_le_bytes(*bytes))
            }
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Value::Bytes(bytes.to_vec())
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => usize::try_from(self.varint()?).ok()?,
                    count => usize::from(count),
                };
                let mut list = Vec::new();
                for _ in 0..count {
                    // A count is a claim; every element takes a byte at least.
                    list.push(self.value(head & 0x0F, depth + 1)?);
                }
                Value::List(list)
            }
            12 => Value::Struct(self.structure(depth + 1)?),
            _ => return None,
        })
    }
}

/// Writes a struct.
pub(super) fn write(value: &Struct, out: &mut Vec<u8>) {
    let mut last = 0;
    for (number, value) in &value.0 {
        let kind = match value {
            Value::Bool(true) => 1,
            Value::Bool(false) => 2,
            other => kind(other),
        };
        let step = number - last;
        if (1..=15).contains(&step) {
            out.push((step as u8) << 4 | kind);
        } else {
            out.push(kind);
            varint(zigzag(i64::from(*number)), out);
        }
        last = *number;
        if !matches!(value, Value::Bool(_)) {
            write_value(value, out);
        }
    }
    out.push(0);
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 2,
        Value::Short(_) => 5,
        Value::Int(_) => 6,
        Value::Double(_) => 7,
        Value::Bytes(_) => 8,
        Value::List(_) => 9,
        Value::Struct(_) => 12,
    }
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Bool(truth) => out.push(if *truth { 1 } else { 2 }),
        Value::Short(number) => varint(zigzag((*number).into()), out),
        Value::Int(number) => varint(zigzag(*number), out),
        Value::Double(number) => out.extend(number.to_le_bytes()),
        Value::Bytes(bytes) => {
            varint(bytes.len() as u64, out);
            out.extend(bytes);
        }
        Value::List(list) => {
            let of = list.first().map_or(12, kind);
            match list.len() {
                count @ 0..=14 => out.push((count as u8) << 4 | of),
                count => {
                    out.push(0xF0 | of);
                    varint(count as u64, out);
                }
            }
            for value in list {
                write_value(value, out);
            }
        }
        Value::Struct(inner) => write(inner, out),
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::{Struct, Value, read, write};

    #[test]
    fn what_is_written_is_read_back_and_broken_bytes_are_nothing() {
        let list = Value::List((0..20).map(Value::Int).collect());
        let inner = Struct::default()
            .with_text(3, "é")
            .with(40, Value::Bool(true));
        let value = Struct::default()
            .with_short(1, -5)
            .with(2, list)
            .with(5, Value::Struct(inner))
            .with(6, Value::Double(0.5));
        let mut bytes = Vec::new();
        write(&value, &mut bytes);
        assert_eq!(read(&bytes), Some((value, bytes.len())));
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), None);
        }
        assert_eq!(read(&[0x19, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]), None);
    }
}
