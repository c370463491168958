//! Tables of the documents that say what the code says: exit codes, and the flags of `analyze` with their defaults.

use super::read;
use crate::common::Project;

/// The first cells of the rows of the first table with this head.
fn first_column(page: &str, head: &str) -> Vec<String> {
    let text = read(page);
    let lines = text.lines().skip_while(|line| !line.starts_with(head));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').nth(1).unwrap().trim().to_owned())
        .collect()
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let codes = first_column("docs/reference/exit-codes.md", "| code |");
    assert_eq!(codes, ["0", "1", "2", "3", "4", "130"]);
    // The help says the same in short.
    let help = Project::new().expect(0, &["--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = help.split("Exit codes: ").nth(1).unwrap();
    for code in codes {
        assert!(said.contains(&format!("{code} ")), "{code}: {said}");
    }
    let of_gate = first_column("docs/guides/gate.md", "| code |");
    assert_eq!(of_gate, ["0", "1", "2", "3", "4"]);
}
