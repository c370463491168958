//! Writes the man pages, one per command, into a folder: `cargo run -p fairtrial --example man -- FOLDER`. An example, so
//! that the program itself does not carry what makes them.

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or_else(|| std::io::Error::other("the folder for the man pages is the one argument"))?;
    std::fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(fairtrial::command(), &folder)
}
