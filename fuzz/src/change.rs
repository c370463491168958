//! What becomes of files: cut off, overwritten, repeated, with pieces that break parsers.

use crate::random::Random;

/// Pieces of text that break parsers.
const ODD: [&str; 30] = [
    "NaN",
    "-Infinity",
    "1e400",
    "-1e-400",
    "99999999999999999999999",
    "18446744073709551615",
    "4294967295",
    "-9223372036854775808",
    "null",
    "true",
    "\"\\ud800\"",
    "{}",
    "[]",
    "\u{0}",
    "\u{feff}",
    "\u{fffe}",
    "\"",
    "\\",
    ",,,,",
    "\t\t",
    "\r\n",
    "&lt;<!-- ",
    "{seed}",
    "${HOME}",
    "../../",
    "&a *a",
    "!!binary",
    "\u{1b}[2J",
    "0-99999999",
    "|",
];

/// The bytes with one to five changes.
pub(crate) fn changed(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(12) {
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
            5 | 6 => {
                let piece = ODD[random.below(ODD.len())].bytes();
                bytes.splice(at..at, piece);
            }
            // What is read as one value is another.
            7 | 8 => replace_word(&mut bytes, at, random),
            9 if random.below(8) == 0 => {
                let open = [b'[', b'{', b'<', b'"', b'('][random.below(5)];
                bytes.splice(at..at, std::iter::repeat_n(open, 5000));
            }
            10 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(0xFF);
            }
            11 => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes[at..end].fill(0);
            }
            _ => swap_lines(&mut bytes, random),
        }
    }
    bytes
}

/// Puts an odd piece in the place of the word or number around a place.
fn replace_word(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+');
    let start = bytes[..at]
        .iter()
        .rposition(|byte| !is_word(byte))
        .map_or(0, |it| it + 1);
    let end = bytes[at..]
        .iter()
        .position(|byte| !is_word(byte))
        .map_or(bytes.len(), |it| at + it);
    bytes.splice(start..end, ODD[random.below(ODD.len())].bytes());
}

/// Puts one line in the place of another.
fn swap_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(one, other);
    *bytes = lines.join(&b'\n');
}
