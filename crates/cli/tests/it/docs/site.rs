//! The site: built without a warning, every link inside it leading somewhere, every guide readable.

use super::{all_pages, read, repository};
use std::path::Path;
use std::process::Command;

/// The programs of the environment that `./test` makes for the site; nothing, with a reason, where it made none.
fn tool(name: &str) -> Option<Command> {
    let program = repository("target/tools/site/bin").join(name);
    if !program.exists() {
        assert!(std::env::var_os("CI").is_none(), "`./test` makes it");
        println!("skipped: `./test` has not made {}", program.display());
        return None;
    }
    let mut command = Command::new(program);
    command.current_dir(repository("."));
    Some(command)
}

fn passes(command: &mut Command) -> String {
    let ended = command.output().unwrap();
    let text = [ended.stdout, ended.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(ended.status.success(), "{text}");
    text
}

#[test]
fn the_site_builds_without_a_warning() {
    let Some(mut mkdocs) = tool("mkdocs") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    passes(
        mkdocs
            .args(["build", "--strict", "--quiet", "-d"])
            .arg(folder.path()),
    );
    // What a reader types first is there, and what is not for readers is not.
    let start = std::fs::read_to_string(folder.path().join("start/index.html")).unwrap();
    assert!(start.contains("fairtrial-demo/"));
    assert!(!folder.path().join("site").exists());
}

#[test]
fn every_guide_is_easy_to_read() {
    let Some(mut python) = tool("python") else {
        return;
    };
    println!("{}", passes(python.arg("docs/site/reading_ease.py")));
}

#[test]
fn every_link_leads_to_a_file_of_the_repository() {
    let others = [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "python/README.md",
    ];
    let pages = all_pages().into_iter().chain(others.map(str::to_owned));
    let (mut seen, mut lost) = (0, Vec::new());
    for path in pages {
        let folder = Path::new(&path).parent().unwrap().to_owned();
        for rest in read(&path).split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            seen += 1;
            if !repository(".").join(&folder).join(target).exists() {
                lost.push(format!("{path}: {target}"));
            }
        }
    }
    assert!(
        seen > 100 && lost.is_empty(),
        "{seen} links\n{}",
        lost.join("\n")
    );
}

/// What a page says that its reader has at its end.
const ENDS: [&str; 5] = [
    "you will ",
    "you can ",
    "you know ",
    "you have ",
    "you see ",
];

#[test]
fn every_page_begins_with_who_it_is_for_and_what_they_have_at_its_end() {
    let mut lacking = Vec::new();
    for path in all_pages() {
        if path == "README.md" || path.starts_with("docs/decisions/") {
            continue;
        }
        let page = read(&path);
        let first = page
            .split("\n\n")
            .map(str::trim)
            .find(|part| !part.is_empty() && !part.starts_with("# ") && !part.starts_with("<!--"));
        let first = first.unwrap_or_default().replace('\n', " ");
        let said = |end: &&str| first.to_lowercase().contains(*end);
        if !first.starts_with("For ") || !ENDS.iter().any(said) {
            lacking.push(format!("{path}: {first}"));
        }
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}

#[test]
fn pictures_of_terminals_keep_their_columns_in_browsers() {
    let xml = "http://www.w3.org/XML/1998/namespace";
    let (mut pictures, mut columns) = (0, 0);
    for entry in std::fs::read_dir(repository("docs/images")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let picture = roxmltree::Document::parse(&text).unwrap();
        pictures += 1;
        for node in picture
            .descendants()
            .filter(|node| node.has_tag_name("text"))
        {
            let parts = node.descendants().filter(roxmltree::Node::is_text);
            let words: String = parts.filter_map(|part| part.text()).collect();
            if words.contains("  ") {
                columns += 1;
                assert_eq!(node.attribute((xml, "space")), Some("preserve"), "{words}");
            }
        }
    }
    assert!(
        pictures > 2 && columns > 2,
        "{pictures} pictures, {columns} lines"
    );
}
