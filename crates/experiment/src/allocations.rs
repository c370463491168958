//! What the experiments of a worker allocate: counted by the allocator itself, because resident size does not show memory
//! that is used again.
//!
//! A program installs [`CountingAllocator`] as its global allocator; without it nothing is counted, and that is said.
#![allow(
    unsafe_code,
    reason = "the allocator's contract is unsafe; every call is handed on as it came"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// The system's allocator, which counts bytes once a worker asks it to.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

fn changed(bytes: i64) {
    if COUNTING.load(Relaxed) {
        let held = HELD.fetch_add(bytes, Relaxed) + bytes;
        if bytes > 0 {
            PEAK.fetch_max(held, Relaxed);
        }
    }
}

fn grown(block: *mut u8, bytes: usize) -> *mut u8 {
    if !block.is_null() {
        changed(bytes as i64);
    }
    block
}

// SAFETY: every call goes to the system's allocator with the arguments it came with.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        grown(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        grown(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) };
        changed(-(layout.size() as i64));
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            changed(size as i64 - layout.size() as i64);
        }
        moved
    }
}

/// Bytes that a piece of work allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocated {
    /// The most that it held at once, beyond what was there before.
    pub peak: u64,
    /// What it still holds with its result.
    pub kept: u64,
}

/// Does some work and counts what all threads allocate meanwhile; nothing where this program's allocator does not count.
/// One caller at a time.
pub fn allocated<T>(work: impl FnOnce() -> T) -> (T, Option<Allocated>) {
    if !is_counted() {
        return (work(), None);
    }
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let done = work();
    let bytes = |now: i64| u64::try_from(now - before).unwrap_or(0);
    let found = Allocated {
        peak: bytes(PEAK.load(Relaxed)),
        kept: bytes(HELD.load(Relaxed)),
    };
    (done, Some(found))
}

/// Starts to count, and says whether something is counted at all.
pub fn is_counted() -> bool {
    COUNTING.store(true, Relaxed);
    let before = HELD.load(Relaxed);
    let block = std::hint::black_box(vec![0_u8; 64]);
    let counted = HELD.load(Relaxed) != before;
    drop(block);
    counted
}
