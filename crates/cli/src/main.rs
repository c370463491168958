//! The `fairtrial` program; everything it does is in its library.

fn main() -> std::process::ExitCode {
    fairtrial::main()
}
