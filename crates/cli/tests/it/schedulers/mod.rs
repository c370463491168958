//! Schedulers that are described already, on the real ones: Grid Engine and Ray, started on this host.

mod grid_engine;
mod ray;
pub mod site;
