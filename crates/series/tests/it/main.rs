//! Curves of trials: what is packed is what the files hold, whatever happens to either.

mod columns;
mod lab;
mod same;
