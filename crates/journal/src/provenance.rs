//! Where a run happened: the machine, its tools, the state of the source.

mod host;

pub use host::host_name;
