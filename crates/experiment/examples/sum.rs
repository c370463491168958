//! A program with one experiment of its own. Build it and name it in a spec:
//!
//! ```toml
//! experiment = "sum"
//! params = { size = [1000, 10000] }
//! iterations = { warmup = 10, measured = 100 }
//! [experiments]
//! rust = ["./target/release/examples/sum"]
//! ```

use fairtrial_experiment::{
    Context, Experiment, Failure, Metrics, Param, ParamSchema, Registration, Registry,
};
use std::hint::black_box;
use std::process::ExitCode;

struct Sum {
    size: u64,
    numbers: Vec<u64>,
}

impl Experiment for Sum {
    fn setup(&mut self, _: &mut Context) -> Result<(), Failure> {
        self.numbers = (0..self.size).collect();
        Ok(())
    }

    fn execute_once(&mut self, _: &mut Context) -> Result<Metrics, Failure> {
        let sum: u64 = black_box(&self.numbers).iter().sum();
        Ok([("sum".to_owned(), sum.into())].into_iter().collect())
    }
}

fn main() -> ExitCode {
    let mut registry = Registry::new();
    registry.register(Registration {
        slug: "sum",
        summary: "Adds the first whole numbers.",
        tags: &["example"],
        params: ParamSchema::of([Param::whole("size", 1000)
            .at_least(1.0)
            .doc("How many numbers")]),
        metrics: Vec::new(),
        build: |params| {
            let size = params["size"].as_u64().ok_or("`size` is too large")?;
            Ok(Box::new(Sum {
                size,
                numbers: Vec::new(),
            }))
        },
    });
    fairtrial_experiment::main(&registry)
}
