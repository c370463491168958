//! Protocol buffers on the wire: numbered fields of four kinds. The few messages that results need are read by their
//! numbers; fields that nobody asks for are passed over.

/// A message: its fields one after the other.
#[derive(Debug)]
pub(crate) struct Message<'a>(pub(crate) &'a [u8]);

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

/// The bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

impl<'a> Wire<'a> {
    /// The bytes of a text or of a message inside; empty where it is neither.
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The text; what is no text in it is replaced.
    pub(crate) fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// The message inside.
    pub(crate) fn message(self) -> Message<'a> {
        Message(self.bytes())
    }

    /// A whole number.
    pub(crate) fn integer(self) -> i64 {
        match self {
            Self::Varint(value) => value as i64,
            _ => 0,
        }
    }

    /// A number with a point, of either length.
    pub(crate) fn float(self) -> Option<f64> {
        match self {
            Self::Fixed64(bits) => Some(f64::from_bits(bits)),
            Self::Fixed32(bits) => Some(f64::from(f32::from_bits(bits))),
            _ => None,
        }
    }
}

impl<'a> Iterator for Message<'a> {
    type Item = Result<(u32, Wire<'a>), Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or(Broken))
    }
}

impl<'a> Message<'a> {
    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0)?;
        let value = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.fixed()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(self.fixed()?)),
            _ => return None,
        };
        Some((number, value))
    }

    /// The first of packed whole numbers.
    pub(crate) fn first_varint(mut self) -> Option<u64> {
        self.varint()
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for place in 0..10 {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7F) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, Message, Wire};

    #[test]
    fn fields_come_one_by_one_and_broken_bytes_end_them() {
        let bytes = [
            0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1D, 0, 0, 0x80, 0x3F,
        ];
        let fields: Result<Vec<_>, _> = Message(&bytes).collect();
        let fields = fields.unwrap();
        assert_eq!(fields[0], (1, Wire::Varint(150)));
        assert_eq!(fields[1].1.text(), "hi");
        assert_eq!(fields[2].1.float(), Some(1.0));
        for broken in [
            &bytes[..2],
            &bytes[..5],
            &[0x0B],
            &[0x12, 0xFF, 0xFF],
            &[0x00],
        ] {
            let fields: Result<Vec<_>, _> = Message(broken).collect();
            assert_eq!(fields.unwrap_err(), Broken, "{broken:?}");
        }
    }
}
