//! What a small build leaves out (`cargo build --no-default-features`): a call that needs it says so by its name.

use fairtrial_experiment::Registry;

/// A part of the program that is a feature of the build, and whether it is in this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Its name for `cargo build --features`.
    pub name: &'static str,
    /// What cannot be done without it.
    pub what: &'static str,
    /// Whether this build has it.
    pub built_in: bool,
}

/// Reports as HTML pages.
pub const HTML: Feature = Feature {
    name: "html",
    what: "write HTML pages",
    built_in: cfg!(feature = "html"),
};

/// Charts as PNG pictures.
pub const PNG: Feature = Feature {
    name: "png",
    what: "write PNG pictures",
    built_in: cfg!(feature = "png"),
};

/// The live page.
pub const PAGE: Feature = Feature {
    name: "page",
    what: "serve a live page",
    built_in: cfg!(feature = "page"),
};

/// Buckets between machines that share no disk.
pub const STORE: Feature = Feature {
    name: "store",
    what: "reach a bucket as `engine.store`",
    built_in: cfg!(feature = "store"),
};

/// The experiments that come with the program.
pub const SUITE: Feature = Feature {
    name: "suite",
    what: "run built-in experiments",
    built_in: cfg!(feature = "suite"),
};

/// All of them.
pub(crate) const ALL: [Feature; 9] = [
    Feature {
        name: "gpu",
        what: "watch GPUs",
        built_in: cfg!(feature = "gpu"),
    },
    HTML,
    Feature {
        name: "judge",
        what: "ask a model as judge",
        built_in: cfg!(feature = "judge"),
    },
    PAGE,
    Feature {
        name: "perf",
        what: "profile native code",
        built_in: cfg!(feature = "perf"),
    },
    PNG,
    Feature {
        name: "server",
        what: "ask an MLflow server",
        built_in: cfg!(feature = "server"),
    },
    STORE,
    SUITE,
];

/// The experiments that come with the program.
#[cfg(feature = "suite")]
pub(crate) fn suite() -> Registry {
    fairtrial_suite::registry()
}

/// A small build has no experiments of its own.
#[cfg(not(feature = "suite"))]
pub(crate) fn suite() -> Registry {
    Registry::new()
}
