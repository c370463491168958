//! Programs that keep CPUs busy beside what is measured.

use std::io;
use std::process::{Child, Command};

/// Programs that are busy until this goes.
#[derive(Default)]
pub(super) struct Neighbours(Vec<Child>);

impl Neighbours {
    /// Starts one more: `work`, the program of the timing benchmark.
    pub(super) fn add(&mut self, mut work: Command) -> io::Result<()> {
        self.0.push(work.arg("busy").spawn()?);
        Ok(())
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
