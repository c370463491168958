//! A living run on the whole screen of a terminal: slots, recent ends, the curve of a trial, its log, and a few keys.

mod frame;
mod keys;

use crate::console::Console;
use crate::exit::Failure;
use crate::printer::Printer;
use fairtrial_journal::RunDir;
use fairtrial_session::{CancelWait, Controls, RunView, Session};
use frame::{Frame, Shown};
use keys::{Key, Keys};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How often the run is looked at.
const LOOK: Duration = Duration::from_millis(400);
/// Lines of a log that are kept.
const LOG_LINES: usize = 200;

/// How the screen was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// The reader went away; the run goes on.
    ByKey,
    /// The run has no controller any more.
    RunEnded,
}

/// Whether there is a screen and somebody who can press keys.
pub(crate) fn is_possible() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    !dumb && io::stdin().is_terminal() && io::stderr().is_terminal() && io::stdout().is_terminal()
}

/// What the reader sees now.
struct Watch<'a> {
    session: &'a Session,
    run: &'a RunDir,
    view: RunView,
    /// Which of the trials that run is chosen.
    chosen: usize,
    /// Whether its log is shown.
    log: bool,
    /// Whether the run is to be cancelled once that is confirmed.
    asks: bool,
    said: String,
}

/// Shows a run until it ends or the reader leaves.
pub(crate) fn watch(session: &Session, run: &RunDir, console: &Console) -> Result<Left, Failure> {
    let mut watch = Watch {
        session,
        run,
        view: session.look(run.clone())?,
        chosen: 0,
        log: false,
        asks: false,
        said: String::new(),
    };
    let screen = |error: io::Error| Failure::machine(format!("cannot use the terminal: {error}"));
    let mut keys = Keys::begin().map_err(screen)?;
    let printer = console.printer;
    let _cleared = Cleared::begin(printer);
    let mut looked: Option<Instant> = None;
    loop {
        let pressed = keys.next().map_err(screen)?;
        if let Some(key) = pressed
            && watch.press(key)? == Some(Left::ByKey)
        {
            return Ok(Left::ByKey);
        }
        if pressed.is_some() || looked.is_none_or(|at| at.elapsed() >= LOOK) {
            looked = Some(Instant::now());
            watch.view.refresh()?;
            if !watch.view.is_live()? {
                return Ok(Left::RunEnded);
            }
            watch.draw(printer)?;
        }
    }
}

impl Watch<'_> {
    fn press(&mut self, key: Key) -> Result<Option<Left>, Failure> {
        if self.asks {
            self.asks = false;
            self.said.clear();
            if key == Key::Letter('y') {
                self.session
                    .cancel(self.run, CancelWait::No, &Controls::default())?;
                "the run was asked to stop".clone_into(&mut self.said);
            }
            return Ok(None);
        }
        match key {
            Key::Letter('q') | Key::Interrupt => return Ok(Some(Left::ByKey)),
            Key::Down => self.chosen += 1,
            Key::Up => self.chosen = self.chosen.saturating_sub(1),
            Key::Letter('l') | Key::Enter => self.log = !self.log,
            Key::Letter('c') => self.asks = true,
            Key::Letter('p') => {
                let paused = self.view.overview()?.paused;
                self.session.pause(self.run, !paused)?;
            }
            Key::Letter(_) => {}
        }
        Ok(None)
    }

    fn draw(&mut self, printer: Printer) -> Result<(), Failure> {
        let overview = self.view.overview()?;
        self.chosen = self.chosen.min(overview.in_flight.len().saturating_sub(1));
        let chosen = overview.in_flight.get(self.chosen);
        let (mut curve, mut log) = (Vec::new(), Vec::new());
        if let Some(flight) = chosen {
            let curves = self.view.curves_in_flight();
            let own = curves
                .into_iter()
                .find(|(row, _)| row.trial == flight.trial);
            curve = own
                .and_then(|(_, curves)| curves.into_iter().next())
                .map(|curve| curve.points.into_iter().map(|(_, value)| value).collect())
                .unwrap_or_default();
            let asked = (flight.trial, flight.attempt);
            let part = self
                .log
                .then(|| self.view.file_part(asked, "logs/stdout.log", None));
            if let Some(Ok(part)) = part {
                let lines = part.text.lines().rev().take(LOG_LINES);
                log = lines.map(str::to_owned).collect();
                log.reverse();
            }
        }
        let (width, height) = size();
        let frame = Frame {
            width,
            height,
            painted: printer.color_err(),
        };
        let lines = frame.lines(&Shown {
            overview: &overview,
            ended: self.view.newest_ends(frame::ENDS),
            chosen: self.chosen,
            curve: &curve,
            log: self.log.then_some(&log),
            asks: self.asks,
            said: &self.said,
        });
        // Each line takes the place of the one that stood there.
        let text: Vec<String> = lines.iter().map(|line| format!("{line}\x1b[K")).collect();
        printer.tell_raw(&format!("\x1b[H{}\x1b[J\x1b[A", text.join("\r\n")));
        Ok(())
    }
}

/// Columns and lines of the terminal.
fn size() -> (usize, usize) {
    let found = terminal_size::terminal_size();
    found.map_or((80, 24), |(width, height)| {
        (width.0.into(), height.0.into())
    })
}

/// The screen as it was, given back when dropped.
struct Cleared(Printer);

impl Cleared {
    fn begin(printer: Printer) -> Self {
        printer.tell_raw("\x1b[?1049h\x1b[?25l\x1b[2J");
        Self(printer)
    }
}

impl Drop for Cleared {
    fn drop(&mut self) {
        self.0.tell_raw("\x1b[?25h\x1b[?1049l");
    }
}
