//! What a Python source imports, by reading it: nothing is executed. Names that only a running program knows are not
//! seen; `watch` says what else counts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// One import as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// Dots before the name: how far up from the file's own package.
    level: usize,
    /// The dotted name; empty for `from . import x`.
    module: String,
    /// What is taken from it, which may be modules too.
    names: Vec<String>,
}

/// The imports of a source.
pub(super) fn imports(source: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if !line.starts_with("import ") && !line.starts_with("from ") {
            continue;
        }
        let mut statement = without_comment(line).to_owned();
        // Over several lines, by brackets or backslashes.
        while statement.ends_with('\\') || (statement.contains('(') && !statement.contains(')')) {
            let Some(more) = lines.next() else { break };
            statement.truncate(statement.trim_end_matches('\\').len());
            statement.push(' ');
            statement.push_str(without_comment(more).trim());
        }
        for one in statement.split(';') {
            parse(one.trim(), &mut found);
        }
    }
    found
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim_end()
}

fn parse(statement: &str, found: &mut Vec<Import>) {
    // `import a as b` is about a.
    let listed = |names: &str| -> Vec<String> {
        let names = names.split([',', '(', ')']);
        let first = names.filter_map(|name| name.split_whitespace().next());
        first.map(str::to_owned).collect()
    };
    if let Some(names) = statement.strip_prefix("import ") {
        found.extend(listed(names).into_iter().map(|module| Import {
            level: 0,
            module,
            names: Vec::new(),
        }));
    } else if let Some((module, names)) = statement
        .strip_prefix("from ")
        .and_then(|rest| rest.split_once(" import"))
    {
        let module = module.trim();
        let name = module.trim_start_matches('.');
        found.push(Import {
            level: module.len() - name.len(),
            module: name.trim().to_owned(),
            names: listed(names),
        });
    }
}

impl Import {
    /// The files that it may mean, those that are there; `file` is the source that it stands in, `roots` are the folders of
    /// the project that Python looks in.
    pub(super) fn files(
        &self,
        file: &Path,
        roots: &[PathBuf],
        modules: &mut Compiled,
    ) -> Vec<PathBuf> {
        let own;
        let roots = if self.level == 0 {
            roots
        } else {
            own = file.ancestors().nth(self.level).map(Path::to_owned);
            own.as_slice()
        };
        let mut found = Vec::new();
        for root in roots {
            let mut at = root.clone();
            let before = found.len();
            if self.level > 0 {
                found.push(at.join("__init__.py"));
            }
            for part in self.module.split('.').filter(|part| !part.is_empty()) {
                at.push(part);
                found.push(at.with_extension("py"));
                found.push(at.join("__init__.py"));
            }
            for name in &self.names {
                found.push(at.join(format!("{name}.py")));
                found.push(at.join(name).join("__init__.py"));
            }
            let compiled: Vec<PathBuf> = found[before..]
                .iter()
                .filter_map(|path| modules.of(path))
                .collect();
            found.retain(|path| path.is_file());
            found.extend(compiled);
            // The first root that has it wins, as for Python.
            if found.len() > before {
                break;
            }
        }
        found
    }
}

/// The compiled modules of folders: `fast.cpython-311-x86_64-linux-gnu.so` stands where `fast.py` might.
#[derive(Debug, Default)]
pub(super) struct Compiled(HashMap<PathBuf, Vec<PathBuf>>);

impl Compiled {
    /// The one in the place of a source.
    fn of(&mut self, source: &Path) -> Option<PathBuf> {
        let module = format!("{}.", source.file_stem()?.to_str()?);
        let folder = source.parent()?;
        let known = self.0.entry(folder.to_owned());
        let known = known.or_insert_with(|| modules(folder));
        let is_it = |path: &&PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&module))
        };
        known.iter().find(is_it).cloned()
    }
}

/// The compiled modules in a folder, in order.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "so"))
        .collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn every_way_to_import_is_read() {
        let source = "import os, my.net as net  # the net\nfrom . import (\n    data,\n    loss as l,\n)\nfrom ..core import run\n\
                      def f():\n    import late; import later\nx = 'import no'\nfrom a \\\n  import b\n";
        let read: Vec<String> = imports(source)
            .iter()
            .map(|it| {
                format!(
                    "{}{}:{}",
                    ".".repeat(it.level),
                    it.module,
                    it.names.join(",")
                )
            })
            .collect();
        assert_eq!(
            read,
            [
                "os:",
                "my.net:",
                ".:data,loss",
                "..core:run",
                "late:",
                "later:",
                "a:b"
            ]
        );
    }
}
