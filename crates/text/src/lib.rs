//! One way to write for people: numbers, durations, sizes, lists, patterns, and the words of others made harmless.
//!
//! A leaf: it knows no run and no file. Every other crate writes through it, so that the same number looks the same
//! everywhere and nothing that a trial says is obeyed by a terminal, a browser, a spreadsheet or a pull request.
#![forbid(unsafe_code)]

pub mod bytes;
pub mod column;
pub mod count;
pub mod digits;
pub mod duration;
pub mod escape;
pub mod excerpt;
pub mod glob;
pub mod nearest;
pub mod number;
pub mod share;
pub mod shell_word;
pub mod significant;
pub mod tick;
