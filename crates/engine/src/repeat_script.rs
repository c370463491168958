//! `command.sh` in a trial's folder: the trial again, outside of Fairtrial. It writes into a new folder, because what the trial
//! left is evidence; and it holds references to the caller's variables and not their values, because those may be secrets.

use fairtrial_spec::expand_env;
use fairtrial_text::shell_word::shell_word;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// What a trial is started with, its `${NAME}` references not yet resolved.
pub(crate) struct Repeated<'a> {
    /// Program and arguments.
    pub(crate) argv: &'a [String],
    /// Whether the words hold references, and not a shell's own.
    pub(crate) refers: bool,
    /// Its variables, as `NAME=value`.
    pub(crate) env: &'a [String],
    /// Its working directory.
    pub(crate) workdir: &'a Path,
    /// Its own folder, in whose place a new one is used.
    pub(crate) dir: &'a str,
    /// The folder in which it saves its state: by hand it begins from zero, in the new one.
    pub(crate) checkpoint: Option<&'a str>,
}

/// Around the name of a shell variable in a text that is not yet quoted; no text of a spec holds these.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];

const HEAD: &str = "#!/bin/sh
# This trial again, outside of Fairtrial: the same program, arguments, folder and variables. What it writes goes to a new
# folder, or to the one that you name: sh command.sh FOLDER. Other variables are those of your shell.
dir=${1:-$(mktemp -d)}
echo \"writes to $dir\" >&2
";

impl Repeated<'_> {
    /// The text of the script.
    pub(crate) fn script(&self) -> String {
        let mut text = HEAD.to_owned();
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "cd {} || exit 1",
            self.quoted(&self.workdir.to_string_lossy())
        );
        if self.checkpoint.is_some() {
            text.push_str("mkdir -p \"$dir/checkpoint\"\n");
        }
        for entry in self.env {
            let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
            let _ = writeln!(text, "export {name}={}", self.quoted(&referring(value)));
        }
        let word = |word: &String| {
            if self.refers {
                self.quoted(&referring(word))
            } else {
                self.quoted(word)
            }
        };
        let words: Vec<String> = self.argv.iter().map(word).collect();
        let _ = writeln!(text, "exec {}", words.join(" "));
        text
    }

    /// A word as a shell reads it back, with the new folder in the place of the trial's own.
    fn quoted(&self, word: &str) -> String {
        let [begin, end] = MARKS;
        let mut word = word.replace(self.dir, &format!("{begin}dir{end}"));
        if let Some(checkpoint) = self.checkpoint {
            word = word.replace(checkpoint, &format!("{begin}dir{end}/checkpoint"));
        }
        let mut parts = word.split(begin);
        let mut out = parts
            .next()
            .filter(|part| !part.is_empty())
            .map_or(String::new(), shell_word);
        for part in parts {
            let (name, rest) = part.split_once(end).unwrap_or((part, ""));
            let _ = write!(out, "\"${{{name}}}\"");
            if !rest.is_empty() {
                out.push_str(&shell_word(rest));
            }
        }
        if out.is_empty() { shell_word("") } else { out }
    }
}

/// A text whose `${NAME}` references are marked.
fn referring(text: &str) -> String {
    let [begin, end] = MARKS;
    let marked = |name: &str| Some(Cow::Owned(format!("{begin}{name}{end}")));
    expand_env(text, marked).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Repeated;
    use std::path::Path;

    fn script(argv: &[&str], refers: bool) -> String {
        let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        let repeated = Repeated {
            argv: &argv,
            refers,
            env: &[
                "KEY=${API_KEY}".to_owned(),
                "A=b c".to_owned(),
                "E=".to_owned(),
                "C=/data/checkpoints/x".to_owned(),
            ],
            workdir: Path::new("/w d"),
            dir: "/data/runs/x",
            checkpoint: Some("/data/checkpoints/x"),
        };
        repeated.script()
    }

    #[test]
    fn it_names_variables_and_a_new_folder_in_the_place_of_values_and_of_the_old_one() {
        let text = script(
            &["train", "--out=/data/runs/x/o u", "${HOME}/a", "it's"],
            true,
        );
        let lines: Vec<&str> = text.lines().skip(5).collect();
        assert_eq!(
            lines,
            [
                "cd '/w d' || exit 1",
                r#"mkdir -p "$dir/checkpoint""#,
                "export KEY=\"${API_KEY}\"",
                "export A='b c'",
                "export E=''",
                r#"export C="${dir}"/checkpoint"#,
                r#"exec train --out="${dir}"'/o u' "${HOME}"/a 'it'\''s'"#,
            ]
        );
    }

    #[test]
    fn a_script_of_a_shell_keeps_its_own_references() {
        let text = script(&["/bin/sh", "-c", "echo ${HOME} > /data/runs/x/out"], false);
        let last = text.lines().last().unwrap();
        assert_eq!(last, r#"exec /bin/sh -c 'echo ${HOME} > '"${dir}"/out"#);
    }
}
