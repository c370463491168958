//! A page of the documentation: its fenced blocks, and what the comments above them say to the tests.
//!
//! A comment is on a line of its own, or on several, right above the fence; readers do not see it:
//!
//! - `<!-- not run: WHY -->`: the block cannot be run here;
//! - `<!-- exit: 1 -->`: the commands end with this code;
//! - `<!-- with: TEXT -->`: put before a part of a spec to make a whole one; `with: FILE.toml` puts a file there;
//! - `<!-- output -->`: the block is what the commands above it print;
//! - `<!-- before: COMMANDS -->`: run before the block, for what a reader has already.

use std::fmt;

/// A fenced block.
pub struct Block {
    /// The line of its fence, from 1.
    pub line: usize,
    /// `sh`, `toml`, ...; empty where the fence says nothing.
    pub language: String,
    /// The file that it is, where the fence names one behind the language.
    pub file: Option<String>,
    /// The comments above it.
    pub notes: Vec<Note>,
    /// What is in it.
    pub text: String,
}

/// What a comment above a block says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    NotRun(String),
    Exit(i32),
    With(String),
    Before(String),
    Output,
}

impl Note {
    /// What a comment says; nothing where it is not for the tests.
    fn read(text: &str) -> Option<Self> {
        if text == "output" {
            return Some(Self::Output);
        }
        let (key, value) = text.split_once(':')?;
        let value = value.trim().to_owned();
        match key.trim() {
            "not run" => Some(Self::NotRun(value)),
            "exit" => Some(Self::Exit(value.parse().expect("an exit code"))),
            "with" => Some(Self::With(value)),
            "before" => Some(Self::Before(value)),
            _ => None,
        }
    }
}

impl Block {
    /// Why it is not run.
    pub fn not_run(&self) -> Option<&str> {
        self.notes.iter().find_map(|note| match note {
            Note::NotRun(why) => Some(why.as_str()),
            _ => None,
        })
    }

    /// The code that its commands end with.
    pub fn exit(&self) -> i32 {
        let exit = self.notes.iter().find_map(|note| match note {
            Note::Exit(code) => Some(*code),
            _ => None,
        });
        exit.unwrap_or(0)
    }

    /// Whether it is a spec, or a part of one.
    pub fn is_spec(&self) -> bool {
        matches!(self.language.as_str(), "toml" | "yaml")
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ```{}\n{}", self.line, self.language, self.text)
    }
}

/// The blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut notes = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let inner = line.trim_start();
        let indent = &line[..line.len() - inner.len()];
        if let Some(begun) = inner.strip_prefix("<!--") {
            let mut comment = begun.to_owned();
            while !comment.contains("-->") {
                let (_, more) = lines.next().expect("a comment that ends");
                comment.push('\n');
                comment.push_str(more);
            }
            let comment = comment.split("-->").next().unwrap_or_default();
            notes.extend(Note::read(comment.trim()));
        } else if let Some(info) = inner.strip_prefix("```") {
            let mut words = info.split_whitespace().map(str::to_owned);
            let (language, file) = (words.next().unwrap_or_default(), words.next());
            let inside = lines.by_ref().map(|(_, line)| line);
            let inside = inside.take_while(|line| line.trim() != "```");
            let inside = inside.map(|line| line.strip_prefix(indent).unwrap_or(line));
            let text: String = inside.flat_map(|line| [line, "\n"]).collect();
            found.push(Block {
                line: number + 1,
                language,
                file,
                notes: std::mem::take(&mut notes),
                text,
            });
        } else if !inner.is_empty() {
            notes.clear();
        }
    }
    found
}

/// The commands of a `sh` block, one per line that does not go on.
pub fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_page_is_read() {
    let page = "a\n\n<!-- exit: 1 -->\n<!-- before: x -->\n```sh\na \\\n  b\n# c\nd\n```\n<!-- not run: no\nGPU -->\n\n```\ne\n```\n\n  ```toml f.toml\n  g = 1\n  ```\n";
    let found = blocks(page);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].exit(), 1);
    assert_eq!(found[0].notes[1], Note::Before("x".to_owned()));
    assert_eq!(commands(&found[0].text), ["a    b", "d"]);
    assert_eq!(found[1].not_run(), Some("no\nGPU"));
    assert_eq!(
        (found[2].line, found[2].file.as_deref()),
        (18, Some("f.toml"))
    );
    assert_eq!(found[2].text, "g = 1\n");
}
