//! Headers of tar, as POSIX describes them (`pax`): for those who unpack an archive with another program.

use super::index::{Content, Member};

/// Everything in a tar is a multiple of this.
pub(super) const BLOCK: usize = 512;

/// A tar ends with so many zeros.
pub(super) const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// What the fields of a header have room for.
const LONGEST_NAME: usize = 100;
const LARGEST: u64 = 0o77_777_777_777;

/// Zeros after content of this size.
pub(super) fn padding(bytes: u64) -> usize {
    (BLOCK - (bytes % BLOCK as u64) as usize) % BLOCK
}

/// The header of a member; two where its names or its size need more room.
pub(super) fn header(member: &Member) -> Vec<u8> {
    let (kind, size, link) = match &member.content {
        Content::Folder => (b'5', 0, ""),
        Content::Link(to) => (b'2', 0, to.as_str()),
        Content::File { bytes, .. } => (b'0', *bytes, ""),
    };
    let mut long = Vec::new();
    for (key, value) in [("path", member.path.as_str()), ("linkpath", link)] {
        if value.len() > LONGEST_NAME {
            long.extend(line(key, value));
        }
    }
    if size > LARGEST {
        long.extend(line("size", &size.to_string()));
    }
    let mut blocks = Vec::new();
    if !long.is_empty() {
        blocks.extend(block(b'x', "PaxHeaders", 0o644, long.len() as u64, 0, ""));
        let after = padding(long.len() as u64);
        blocks.extend(long);
        blocks.resize(blocks.len() + after, 0);
    }
    let modified = member.modified.0.max(0) as u64;
    blocks.extend(block(kind, &member.path, member.mode, size, modified, link));
    blocks
}

/// A line of an extended header begins with its own length.
fn line(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while rest.len() + length.to_string().len() != length {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}").into_bytes()
}

fn block(kind: u8, name: &str, mode: u32, size: u64, modified: u64, link: &str) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    let cut = |text: &str| text.as_bytes()[..text.len().min(LONGEST_NAME)].to_vec();
    put(0, &cut(name));
    put(100, format!("{:07o}\0", mode & 0o7777).as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", size.min(LARGEST)).as_bytes());
    put(136, format!("{:011o}\0", modified.min(LARGEST)).as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(157, &cut(link));
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_counts_itself() {
        assert_eq!(line("path", "abc"), b"12 path=abc\n");
        // With one digit more it is longer by one.
        for length in 80..110 {
            let text = line("path", &"x".repeat(length));
            let said = String::from_utf8(text.clone()).unwrap();
            let said: usize = said.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(said, text.len());
        }
    }
}
