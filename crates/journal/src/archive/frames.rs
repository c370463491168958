//! A stream in zstd frames of a limited size, each of which can be read without the others.

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Read, Write};
use std::thread;

/// Bytes of the stream in a frame.
pub(super) const FRAME: usize = 1 << 20;
/// Frames that are packed at once, at most.
const MOST_AT_ONCE: usize = 16;

/// Packs what is written to it.
pub(super) struct FrameWriter<W> {
    out: W,
    written: u64,
    stream: u64,
    /// What is not packed yet.
    held: Vec<u8>,
    at_once: usize,
    frames: Vec<(u64, u64)>,
}

impl<W: Write> FrameWriter<W> {
    pub(super) fn new(out: W) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            out,
            written: 0,
            stream: 0,
            held: Vec::new(),
            at_once: cores.min(MOST_AT_ONCE),
            frames: Vec::new(),
        }
    }

    /// Where the next byte stands in the stream.
    pub(super) fn place(&self) -> u64 {
        self.stream + self.held.len() as u64
    }

    /// Packs what is left; gives what was written to, and where the frames begin and end.
    pub(super) fn finish(mut self) -> io::Result<(W, Vec<(u64, u64)>)> {
        self.pack()?;
        self.frames.push((self.written, self.stream));
        Ok((self.out, self.frames))
    }

    fn pack(&mut self) -> io::Result<()> {
        let packed: Vec<Vec<u8>> = thread::scope(|scope| {
            let begun: Vec<_> = self
                .held
                .chunks(FRAME)
                .map(|part| scope.spawn(|| packed(part)))
                .collect();
            let ended = begun.into_iter().map(|thread| {
                let died = |_| io::Error::other("a thread that packs ended early");
                thread.join().map_err(died)
            });
            ended.collect::<io::Result<_>>()
        })?;
        for (frame, part) in packed.iter().zip(self.held.chunks(FRAME)) {
            self.frames.push((self.written, self.stream));
            self.out.write_all(frame)?;
            self.written += frame.len() as u64;
            self.stream += part.len() as u64;
        }
        self.held.clear();
        Ok(())
    }
}

impl<W: Write> Write for FrameWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.at_once * FRAME - self.held.len();
        let taken = bytes.len().min(room);
        self.held.extend_from_slice(&bytes[..taken]);
        if taken == room {
            self.pack()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// One frame of these bytes.
pub(super) fn packed(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// What a frame holds, which must be so many bytes.
pub(super) fn unpacked(frame: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    let wrong = |message: String| io::Error::new(io::ErrorKind::InvalidData, message);
    let decoder = StreamingDecoder::new(frame).map_err(|error| wrong(error.to_string()))?;
    let mut found = Vec::with_capacity(bytes);
    decoder.take(bytes as u64 + 1).read_to_end(&mut found)?;
    if found.len() == bytes {
        Ok(found)
    } else {
        Err(wrong(
            "a part of it has another size than its index says".to_owned(),
        ))
    }
}
