//! The ways in which pages are packed.

use std::io::Read;

/// Bytes that a page may unpack to.
const MOST_PAGE: usize = 256 << 20;

/// Unpacks a page; `codec` is Parquet's number for the way.
pub(super) fn unpack(codec: i64, packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    if size > MOST_PAGE {
        return Err(format!("a page takes more than {} MiB", MOST_PAGE >> 20));
    }
    let read = |mut reader: Box<dyn Read + '_>| {
        let mut bytes = Vec::new();
        let read = reader.by_ref().take(size as u64).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| error.to_string())
    };
    let bytes = match codec {
        0 => packed.to_vec(),
        1 => snappy(packed, size).ok_or("a page is damaged (Snappy)")?,
        2 => read(Box::new(flate2::read::MultiGzDecoder::new(packed)))?,
        6 => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
            read(Box::new(decoder.map_err(|error| error.to_string())?))?
        }
        other => {
            let name = ["", "", "", "LZO", "Brotli", "LZ4", "", "LZ4"];
            let name = usize::try_from(other)
                .ok()
                .and_then(|place| name.get(place));
            return Err(format!(
                "its pages are packed with {}, which is not read here; write them with Zstandard or Snappy",
                name.unwrap_or(&"an unknown method")
            ));
        }
    };
    if bytes.len() < size {
        return Err("a page is shorter than it says".to_owned());
    }
    Ok(bytes)
}

/// Snappy's raw form: literals, and copies of what came before.
fn snappy(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut rest = packed;
    // The length stands first; the page says it too.
    while rest.first()? & 0x80 != 0 {
        rest = &rest[1..];
    }
    rest = &rest[1..];
    let mut out: Vec<u8> = Vec::with_capacity(size);
    while let Some((tag, behind)) = rest.split_first() {
        rest = behind;
        let mut take = |bytes: usize| -> Option<usize> {
            let (taken, behind) = rest.split_at_checked(bytes)?;
            rest = behind;
            Some(
                taken
                    .iter()
                    .rev()
                    .fold(0, |value, byte| value << 8 | usize::from(*byte)),
            )
        };
        let high = usize::from(tag >> 2);
        let (length, back) = match tag & 3 {
            0 => {
                let length = match high {
                    60..=63 => take(high - 59)?,
                    short => short,
                };
                let length = length.checked_add(1)?;
                let (literal, behind) = rest.split_at_checked(length)?;
                rest = behind;
                out.extend_from_slice(literal);
                (0, 1)
            }
            1 => ((high & 7) + 4, (high >> 3) << 8 | take(1)?),
            2 => (high + 1, take(2)?),
            _ => (high + 1, take(4)?),
        };
        if back == 0 || length > 0 && back > out.len() || out.len() + length > size {
            return None;
        }
        for _ in 0..length {
            out.push(out[out.len() - back]);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::snappy;

    #[test]
    fn snappy_copies_what_came_before() {
        // "abcabcabcx": a literal of 3, a copy of 6 from 3 back, a literal of 1.
        let packed = [10, 0b1000, b'a', b'b', b'c', 0b1001, 3, 0, b'x'];
        assert_eq!(snappy(&packed, 10).unwrap(), b"abcabcabcx");
        assert_eq!(snappy(&packed[..6], 10), None);
        assert_eq!(snappy(&[10, 0b1001, 3], 10), None);
        assert_eq!(snappy(&packed, 5), None);
    }
}
