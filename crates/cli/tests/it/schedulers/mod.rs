//! Schedulers that are described already, on the real ones: Grid Engine and Ray, started on this host.
//! And Kubernetes: real `kubectl` against a stand-in of the API.

mod grid_engine;
mod kubernetes;
mod ray;
pub mod site;
