//! An agent that wants out, or wants a score that it did not earn: each attempt in each sandbox, as root and as a plain
//! user, with the answer that it must get. `process` confines nothing; there the attempts show that they work.

mod arena;
mod breakout;
mod greed;
mod outside;
mod scores;

pub(super) use arena::{Arena, Ground};

/// Makes a test of each function for each sandbox that confines.
macro_rules! in_each {
    ($($test:ident),+ $(,)?) => {
        mod bubblewrap_as_root {
            $( #[test] fn $test() { super::Ground::with(super::Arena::BubblewrapAsRoot, super::$test); } )+
        }
        mod bubblewrap_as_user {
            $( #[test] fn $test() { super::Ground::with(super::Arena::BubblewrapAsUser, super::$test); } )+
        }
        mod podman {
            $( #[test] fn $test() { super::Ground::with(super::Arena::Podman, super::$test); } )+
        }
        mod docker {
            $( #[test] fn $test() { super::Ground::with(super::Arena::Docker, super::$test); } )+
        }
    };
}
pub(crate) use in_each;
