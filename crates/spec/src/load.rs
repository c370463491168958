//! From a file to a validated spec: read, include, set, check, resolve, with every problem found on the way.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Kind, Node};
use crate::load_options::LoadOptions;
use crate::preset;
use crate::read::{Format, MAX_BYTES, TOO_LARGE, read};
use crate::resolve::{Origin, resolve};
use crate::set::apply;
use crate::shape::canonical::canonicalize;
use crate::shape::check::check_section;
use crate::shape::keys::ROOT;
use crate::shape::suggest::neighbour;
use crate::source::{Sources, Span};
use crate::spec::Spec;
use fairtrial_experiment::Catalogue;
use fairtrial_text::nearest::did_you_mean;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What loading gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The spec; absent where there is an error.
    pub spec: Option<Spec>,
    /// Every problem, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

impl Loaded {
    /// Whether there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Loads a spec from a file; its extension names the format. Registered experiments are taken as they are.
pub fn load(path: &Path, options: &LoadOptions) -> Loaded {
    Loader::default().load(path, options)
}

/// Loads a spec from a file and checks its registered experiments against a catalogue.
pub fn load_with(path: &Path, options: &LoadOptions, catalogue: &dyn Catalogue) -> Loaded {
    let loader = Loader {
        catalogue: Some(catalogue),
        ..Loader::default()
    };
    loader.load(path, options)
}

/// Loads a spec from a text. The name stands in diagnostics and gives the folder that relative paths start from.
pub fn load_text(name: &str, text: &str, format: Format, options: &LoadOptions) -> Loaded {
    let mut loader = Loader::default();
    let path = Path::new(name);
    let source = loader.sources.add(name, text);
    loader.chain.push(path.to_owned());
    let root = loader.document(source, format, path);
    loader.finish(root, path, options)
}

/// More files than this are not a spec.
const MAX_INCLUDES: usize = 64;

#[derive(Default)]
struct Loader<'a> {
    catalogue: Option<&'a dyn Catalogue>,
    sources: Sources,
    problems: Problems,
    /// The files that include one another, outermost first.
    chain: Vec<PathBuf>,
    included: usize,
}

impl Loader<'_> {
    fn load(mut self, path: &Path, options: &LoadOptions) -> Loaded {
        let root = self.file(path, &path.display().to_string(), None);
        self.finish(root, path, options)
    }

    fn finish(mut self, root: Option<Node>, path: &Path, options: &LoadOptions) -> Loaded {
        let spec = root.and_then(|mut root| {
            apply(
                &mut root,
                &options.set,
                &mut self.sources,
                &mut self.problems,
            );
            check_section(&root, &ROOT, &mut self.problems);
            let origin = Origin {
                path,
                files: options.files,
                sources: &self.sources,
                catalogue: self.catalogue,
            };
            resolve(&root, &origin, &mut self.problems)
        });
        let spec = spec.filter(|_| !self.problems.any_error());
        Loaded {
            spec,
            diagnostics: self.problems.finish(&self.sources),
            sources: self.sources,
        }
    }

    /// Reads a file; problems with the file itself point at `asked`, the place that names it.
    fn file(&mut self, path: &Path, name: &str, asked: Option<Span>) -> Option<Node> {
        let text = read_text(path)
            .map_err(|unreadable| {
                let (message, help) = match unreadable {
                    Unreadable::NoText { message } => {
                        (message, "save the file as UTF-8 in your editor".to_owned())
                    }
                    Unreadable::TooLarge => (
                        format!("it is {TOO_LARGE}"),
                        "name the file that holds the spec".to_owned(),
                    ),
                    Unreadable::NoFile(error) => (error.to_string(), missing(path, asked, &error)),
                };
                self.unreadable(name, asked, &message, &help);
            })
            .ok()?;
        let Some(format) = Format::of_path(path) else {
            let help = "name it .toml, .yaml, .yml or .json";
            self.unreadable(
                name,
                asked,
                "the extension of the file names no known format",
                help,
            );
            return None;
        };
        let source = self.sources.add(name, text);
        self.chain.push(identity(path));
        let root = self.document(source, format, path);
        self.chain.pop();
        root
    }

    fn unreadable(&mut self, name: &str, asked: Option<Span>, message: &str, help: &str) {
        let span = asked.unwrap_or_else(|| Span {
            source: self.sources.add(name, ""),
            start: 0,
            end: 0,
        });
        let problem = Diagnostic::new(
            Severity::Error,
            span,
            format!("cannot read `{name}`: {message}"),
        );
        self.problems.push(problem.help(help));
    }

    /// Reads a source and puts what it includes under it.
    fn document(&mut self, source: usize, format: Format, path: &Path) -> Option<Node> {
        let mut root = read(source, format, &self.sources, &mut self.problems)?;
        canonicalize(&mut root, &ROOT, &mut self.problems);
        let Kind::Map(map) = &mut root.kind else {
            return Some(root);
        };
        let Some(include) = map.remove("include") else {
            return Some(root);
        };
        let single = std::slice::from_ref(&include.value);
        let files = include.value.list().unwrap_or(single);
        let bases: Vec<Option<Node>> = files.iter().map(|file| self.include(file, path)).collect();
        for base in bases.into_iter().rev().flatten() {
            if let Kind::Map(base) = &base.kind {
                map.fill_from(base);
            }
        }
        Some(root)
    }

    fn include(&mut self, file: &Node, from: &Path) -> Option<Node> {
        let Some(name) = file.text() else {
            let message = format!("expected the path of a file, found {}", file.found());
            self.problems
                .push(Diagnostic::new(Severity::Error, file.span, message));
            return None;
        };
        self.included += 1;
        if self.included > MAX_INCLUDES {
            let message = format!("more than {MAX_INCLUDES} files are included");
            self.problems
                .push(Diagnostic::new(Severity::Error, file.span, message));
            return None;
        }
        if let Some(preset) = name.strip_prefix(preset::SCHEME) {
            return self.preset(name, preset, file);
        }
        let path = from.parent().unwrap_or(Path::new("")).join(name);
        if self.chain.contains(&identity(&path)) {
            let message = format!("`{name}` includes itself");
            let problem = Diagnostic::new(Severity::Error, file.span, message);
            self.problems.push(problem.help(format!(
                "the chain of includes: {}",
                self.chain_names(&path)
            )));
            return None;
        }
        self.file(&path, &path.display().to_string(), Some(file.span))
    }

    /// Definitions that come with the program, in the language that users write.
    fn preset(&mut self, name: &str, preset: &str, file: &Node) -> Option<Node> {
        let Some(text) = preset::text(preset) else {
            let message = format!("there is no preset `{preset}`");
            let help = did_you_mean(preset, preset::names()).unwrap_or_else(|| {
                format!(
                    "there is {}",
                    preset::names().collect::<Vec<_>>().join(", ")
                )
            });
            self.problems
                .push(Diagnostic::new(Severity::Error, file.span, message).help(help));
            return None;
        };
        let source = self.sources.add(name, text);
        self.document(source, Format::Toml, Path::new(name))
    }

    fn chain_names(&self, last: &Path) -> String {
        let file_name = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        let names = self
            .chain
            .iter()
            .map(|path| file_name(path))
            .chain([file_name(last)]);
        names.collect::<Vec<_>>().join(" → ")
    }
}

/// One name per file, however it is written.
fn identity(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// What to do about a file that cannot be read; `asked` is the place that names it.
fn missing(path: &Path, asked: Option<Span>, error: &io::Error) -> String {
    let meant = || match error.kind() {
        io::ErrorKind::NotFound => neighbour(path, |path| Format::of_path(path).is_some()),
        _ => None,
    };
    match asked {
        Some(_) => "check the path; an include is relative to the file that includes it".to_owned(),
        None => meant().unwrap_or_else(|| "check the path".to_owned()),
    }
}

/// Why there is no text.
enum Unreadable {
    NoFile(io::Error),
    TooLarge,
    NoText { message: String },
}

/// Opens a file that has an end: a pipe that nobody writes would be waited at for ever.
fn open_file(path: &Path) -> io::Result<File> {
    // What is piped to this very command (`/dev/stdin`, `<(...)`) comes to an end.
    let is_given = path.starts_with("/dev") || path.starts_with("/proc");
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() || is_given {
        return File::open(path);
    }
    let why = "it is not a regular file (a pipe, a socket or a device)";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

fn read_text(path: &Path) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    // One byte more than is allowed tells a file that is too large from one that just fits.
    let most = MAX_BYTES as u64 + 1;
    let read = open_file(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(Unreadable::NoFile)?;
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let message = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            "it is UTF-16 text, not UTF-8".to_owned()
        } else {
            let before = String::from_utf8_lossy(&bytes[..at]);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            format!(
                "it is not UTF-8 text: byte 0x{:02x} at line {line}, column {column}",
                bytes[at]
            )
        };
        Unreadable::NoText { message }
    })
}
