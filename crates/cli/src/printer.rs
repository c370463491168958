//! The one owner of standard output and standard error. Output is data, error is talk.
//!
//! Both may hold words of trials: whatever a terminal would obey is written out, colours of ours excepted.

use crate::locale;
use fairtrial_report::console::{Color, Terminal};
use fairtrial_text::escape::{
    JsonWriter, terminal, terminal_line, terminal_line_painted, terminal_painted,
};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::sync::OnceLock;

/// Columns where there is no terminal to ask.
const PIPE_WIDTH: usize = 120;

/// Why data did not arrive, the first time that it did not: a printer is copied everywhere, the stream is one.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Where a command writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    color_out: bool,
    color_err: bool,
    /// Whether the locale has letters only.
    plain: bool,
    answers: Answers,
}

/// Where a command's answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    /// To standard output.
    Out,
    /// To standard error, because a file that was asked for has standard output.
    Aside,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[allow(
    clippy::unused_self,
    reason = "who has no printer has no business with the streams"
)]
impl Printer {
    /// A printer for this process's streams.
    pub(crate) fn new(choice: ColorChoice) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let decide = |terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && wanted && !dumb,
        };
        Self {
            color_out: decide(io::stdout().is_terminal()),
            color_err: decide(io::stderr().is_terminal()),
            plain: locale::is_plain(),
            answers: Answers::Out,
        }
    }

    /// The same for a command of which a file has standard output.
    pub(crate) fn aside(self) -> Self {
        Self {
            answers: Answers::Aside,
            color_out: self.color_err,
            ..self
        }
    }

    /// Whether standard error may be coloured.
    pub(crate) fn color_err(self) -> bool {
        self.color_err
    }

    /// Columns of the terminal; a pipe is given a generous page.
    pub(crate) fn width(self) -> usize {
        let columns = std::env::var("COLUMNS")
            .ok()
            .and_then(|text| text.parse().ok());
        let terminal = terminal_size::terminal_size().map(|(width, _)| width.0.into());
        columns.or(terminal).unwrap_or(PIPE_WIDTH)
    }

    /// What reports need to know of standard output.
    pub(crate) fn terminal(self) -> Terminal {
        let color = if self.color_out {
            Color::On
        } else {
            Color::Off
        };
        Terminal {
            width: self.width(),
            color,
        }
    }

    /// A line of output: a name that holds a line end makes no second one.
    pub(crate) fn line(self, text: impl AsRef<str>) {
        let text = text.as_ref();
        let text = if self.color_out {
            terminal_line_painted(text)
        } else {
            terminal_line(text)
        };
        self.say(&text);
    }

    /// Lines of output.
    pub(crate) fn page(self, text: impl AsRef<str>) {
        self.say(&shown(text.as_ref(), self.color_out));
    }

    fn say(self, text: &str) {
        let text = self.lettered(text);
        if self.answers == Answers::Aside {
            let _ = writeln!(io::stderr().lock(), "{text}");
        } else {
            note(writeln!(io::stdout().lock(), "{text}"));
        }
    }

    /// Data as JSON.
    pub(crate) fn json<T: Serialize>(self, value: &T) {
        self.stream(|out| {
            serde_json::to_writer_pretty(JsonWriter(&mut *out), value)?;
            writeln!(out)
        });
    }

    /// What a trial wrote, for whoever asks for just that: a file gets it as it is, a terminal obeys no more than colours.
    pub(crate) fn log(self, text: &str) {
        let mut out = io::stdout().lock();
        note(if out.is_terminal() {
            writeln!(out, "{}", terminal_painted(text))
        } else {
            writeln!(out, "{text}")
        });
    }

    /// Data that is too much to hold at once. A reader that went away ends it.
    pub(crate) fn stream(
        self,
        fill: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) {
        let mut out = BufWriter::new(io::stdout().lock());
        note(fill(&mut out).and_then(|()| out.flush()));
    }

    /// Sends off what is held back; why data did not arrive, if some did not.
    pub(crate) fn finish(self) -> Option<&'static io::Error> {
        note(io::stdout().lock().flush());
        LOST.get()
    }

    /// A line for the person at the terminal.
    pub(crate) fn tell(self, text: impl AsRef<str>) {
        self.tell_raw(&continued(text.as_ref()));
    }

    /// The same for text that is painted already.
    pub(crate) fn tell_painted(self, text: impl AsRef<str>) {
        self.tell_raw(&shown(text.as_ref(), self.color_err));
    }

    /// A line as it is.
    pub(crate) fn tell_raw(self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{}", self.lettered(text));
    }

    /// A warning.
    pub(crate) fn warn(self, text: impl AsRef<str>) {
        self.labelled("warning", "\x1b[33;1m", text.as_ref());
    }

    /// What went wrong, and what to do.
    pub(crate) fn error(self, message: &str, hint: Option<&str>) {
        self.labelled("error", "\x1b[31;1m", message);
        if let Some(hint) = hint {
            self.labelled(" help", "\x1b[36;1m", hint);
        }
    }

    /// Text in the letters of the locale.
    fn lettered(self, text: &str) -> Cow<'_, str> {
        if self.plain {
            locale::plain(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    fn labelled(self, label: &str, color: &str, text: &str) {
        let (on, off) = if self.color_err {
            (color, "\x1b[0m")
        } else {
            ("", "")
        };
        self.tell_raw(&format!("{on}{label}{off}: {}", continued(text)));
    }
}

/// Text of which a terminal obeys nothing but colours, where it may show them.
fn shown(text: &str, color: bool) -> Cow<'_, str> {
    if color {
        terminal_painted(text)
    } else {
        terminal(text)
    }
}

/// Lines after the first are set in: none of them can be taken for a message of its own.
fn continued(text: &str) -> String {
    let mut lines = terminal(text).into_owned();
    if lines.contains('\n') {
        let set_in = |line: &str| match line.chars().next() {
            Some(c) if c != ' ' => format!("  {line}"),
            _ => line.to_owned(),
        };
        let (first, rest) = lines.split_once('\n').unwrap_or((&lines, ""));
        let rest: Vec<String> = rest.split('\n').map(set_in).collect();
        lines = format!("{first}\n{}", rest.join("\n"));
    }
    lines
}

/// Remembers what kept data from arriving. A reader that went away (`| head`) is no error of ours.
fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        // The first one is told.
        let _ = LOST.set(error);
    }
}
