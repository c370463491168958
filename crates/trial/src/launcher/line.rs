//! The launcher's end of the socket: what it is to run, and what it has to tell.
//!
//! The runner may order several short programs at once, and their ends may be told together: waking the runner for each
//! costs more than such a program. None of this may hold anything up, so a program that turns out to take long has what
//! ended before it told, and what waits behind it returned, for a slot that is free.

use crate::wire::{self, Ended, Inbox, Launch, Order, Report};
use crate::words::Words;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;

/// What is ordered and not begun, and what has ended and is not told.
pub(super) struct Line {
    socket: UnixStream,
    inbox: Inbox,
    inherited: Rc<Words>,
    waiting: VecDeque<Waiting>,
    /// Nothing more is to be started.
    refuses: bool,
    untold: Vec<Ended>,
    outbox: Vec<u8>,
}

/// An order that is not begun.
pub(super) struct Waiting {
    /// The variables that it inherits.
    pub(super) inherited: Rc<Words>,
    pub(super) launch: Box<Launch>,
    /// The runner wants it no more.
    pub(super) cancelled: bool,
}

/// What a look at the socket brought.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Heard {
    /// How often the runner asked for an end.
    pub(super) kills: u32,
    /// Nobody is at the other end.
    pub(super) gone: bool,
}

impl Line {
    /// To the runner at the other end of `socket`.
    pub(super) fn new(socket: UnixStream) -> Self {
        Self {
            socket,
            inbox: Inbox::default(),
            inherited: Rc::default(),
            waiting: VecDeque::new(),
            refuses: false,
            untold: Vec::new(),
            outbox: Vec::new(),
        }
    }

    /// Becomes readable when the runner has something to say or is gone.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// What to run next; waits for it. `None` when the runner is gone.
    pub(super) fn next(&mut self) -> io::Result<Option<Waiting>> {
        loop {
            if let Some(next) = self.waiting.pop_front() {
                return Ok(Some(next));
            }
            self.tell()?;
            // A kill that crossed the end of the last program has nothing left to do.
            if self.look()?.gone {
                return Ok(None);
            }
        }
    }

    /// Takes in what the runner says; waits where that is nothing.
    pub(super) fn look(&mut self) -> io::Result<Heard> {
        let gone = !self.inbox.fill(&self.socket)?;
        let mut kills = 0;
        while let Some(order) = self.inbox.next()? {
            match order {
                Order::Inherit(list) => self.inherited = Rc::new(list),
                Order::Run(launch) => self.waiting.push_back(Waiting {
                    inherited: Rc::clone(&self.inherited),
                    launch,
                    cancelled: self.refuses,
                }),
                Order::Refuse => self.refuses = true,
                Order::Kill => {
                    kills += 1;
                    for waiting in &mut self.waiting {
                        waiting.cancelled = true;
                    }
                }
            }
        }
        Ok(Heard { kills, gone })
    }

    /// Keeps an end to be told with others, while at least as many are still to come; where the runner waits for all of
    /// them, while any is.
    pub(super) fn ended(&mut self, ended: Ended, together: bool) -> io::Result<()> {
        self.untold.push(ended);
        let still_to_come = if together { 0 } else { self.untold.len() };
        if self.waiting.len() <= still_to_come {
            return self.tell();
        }
        Ok(())
    }

    /// Passes output on.
    pub(super) fn output(&mut self, stderr: bool, bytes: &[u8]) -> io::Result<()> {
        let report = Report::Output {
            stderr,
            bytes: bytes.to_vec(),
        };
        self.put_untold()?;
        wire::encode(&report, &mut self.outbox)?;
        self.send()
    }

    /// Whether a program that takes long holds anything up.
    pub(super) fn is_held_up(&self) -> bool {
        self.may_start() || !self.untold.is_empty()
    }

    /// Whether anything waits that is not cancelled.
    fn may_start(&self) -> bool {
        self.waiting.back().is_some_and(|last| !last.cancelled)
    }

    /// Tells what ended, and returns what waits.
    pub(super) fn let_go(&mut self) -> io::Result<()> {
        self.put_untold()?;
        // After a kill nothing is ordered that may start, so all are cancelled or none; and what is cancelled is no
        // other slot's either.
        if self.may_start() {
            wire::encode(&Report::Returned(self.waiting.len()), &mut self.outbox)?;
            self.waiting.clear();
        }
        self.send()
    }

    fn tell(&mut self) -> io::Result<()> {
        self.put_untold()?;
        self.send()
    }

    fn put_untold(&mut self) -> io::Result<()> {
        for ended in self.untold.drain(..) {
            wire::encode(&Report::Ended(Box::new(ended)), &mut self.outbox)?;
        }
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        if !self.outbox.is_empty() {
            self.socket.write_all(&self.outbox)?;
            self.outbox.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, Inbox, Line, Order, Report, UnixStream, Write, wire};

    /// How many ends the runner knows after each of three programs.
    fn told(together: bool) -> [usize; 3] {
        let (mut runner, launcher) = UnixStream::pair().unwrap();
        runner.set_nonblocking(true).unwrap();
        let mut orders = Vec::new();
        for _ in 0..3 {
            let order = Order::Run(Box::default());
            wire::encode(&order, &mut orders).unwrap();
        }
        runner.write_all(&orders).unwrap();
        let (mut line, mut inbox, mut told) = (Line::new(launcher), Inbox::default(), 0);
        [(); 3].map(|()| {
            line.next().unwrap().unwrap();
            line.ended(Ended::default(), together).unwrap();
            if let Ok(true) = inbox.fill(&runner) {
                while let Some(Report::Ended(_)) = inbox.next().unwrap() {
                    told += 1;
                }
            }
            told
        })
    }

    #[test]
    fn who_waits_for_all_is_woken_once() {
        assert_eq!(told(true), [0, 0, 3]);
        assert_eq!(told(false), [0, 2, 3]);
    }
}
