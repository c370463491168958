//! The `fairtrial` program; everything it does is in its library.

use fairtrial_experiment::allocations::CountingAllocator;

/// Counts what the built-in experiments allocate; elsewhere it only looks at a flag.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> std::process::ExitCode {
    fairtrial::main()
}
