//! After a program's end: what it left behind is ended too, and what the whole trial used is added up.

use super::{Exit, Watch};
use crate::collect::REPORTED_FILE;
use crate::launcher::Launcher;
use crate::launcher::files;
use crate::launcher::output::Log;
use crate::launcher::reap::{self, Reaped, Usage};
use crate::wire::{Ended, LaunchFailure};
use fairtrial_process::cgroup::Group;
use std::time::{Duration, Instant};

/// How long what a trial leaves behind may take to end politely.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);

impl Watch<'_> {
    /// Reaps what the program left behind, completes the logs and adds up what was used.
    pub(super) fn finish(mut self, launcher: &mut Launcher, exit: Exit) -> (Ended, bool) {
        let Exit {
            wall,
            at_ns,
            status,
            mut usage,
            run_delay_ns,
            quiet,
        } = exit;
        if !quiet {
            self.drain(launcher);
        }
        let leftovers = self.end_leftovers(launcher, &mut usage);
        // Elsewhere a process that outlived the program is not seen.
        if !quiet || leftovers > 0 || !cfg!(target_os = "linux") {
            self.drain(launcher);
        }
        let notes = self.applied.told(&self.launch.limits);
        let mut log_failure = self.keep_failed(launcher, status);
        let ended_well = status == Some(0) && self.killed.is_none() && leftovers == 0;
        let held = self.held(launcher, ended_well);
        log_failure = log_failure.or(self.log_failure.take());
        let dropped = self.logs.map(|log| {
            let (dropped, failure) = log.finish();
            log_failure = log_failure.take().or(failure);
            dropped
        });
        let group = self.applied.group.as_ref();
        let unknown = || LaunchFailure {
            stage: "learn how the program ended".to_owned(),
            errno: libc::ECHILD,
            taken: false,
        };
        let ended = Ended {
            failure: status.is_none().then(unknown),
            status: status.unwrap_or_default(),
            killed: self.killed,
            wall_ns: wall.as_nanos() as u64,
            exit_ns: at_ns,
            busy_ns: 0,
            user_us: usage.user_us,
            sys_us: usage.sys_us,
            max_rss: usage.max_rss,
            rss_floor: launcher.own_peak(usage.max_rss),
            cgroup_peak: group.and_then(Group::peak),
            oom_kills: group.map_or(0, Group::oom_kills),
            minor_faults: usage.minor_faults,
            major_faults: usage.major_faults,
            voluntary: usage.voluntary,
            involuntary: usage.involuntary,
            blocks_in: usage.blocks_in,
            blocks_out: usage.blocks_out,
            run_delay_ns,
            leftovers,
            reported: self.launch.timed.is_none() && reported(launcher, &self.launch.dir),
            limits_by: self.applied.by,
            dropped,
            held,
            log_failure,
            counted: launcher.counters.since_last(&self.launch.counters),
            notes,
        };
        (ended, self.runner_gone)
    }

    /// What a program said that ended well, where that was held; of any other it is written now.
    fn held(&mut self, launcher: &mut Launcher, ended_well: bool) -> Option<[String; 2]> {
        if !self.holds {
            return None;
        }
        if ended_well
            && !self.runner_gone
            && let [Some(stdout), Some(stderr)] = self.logs.each_ref().map(Log::held_text)
        {
            return Some([stdout, stderr]);
        }
        self.lay_out(launcher);
        None
    }

    /// A timed program that failed leaves its directory and what it said; why not, where that cannot be.
    fn keep_failed(&mut self, launcher: &mut Launcher, status: Option<i32>) -> Option<String> {
        let timed = self.launch.timed.as_ref()?;
        if !timed.keeps_failed || status == Some(0) {
            return None;
        }
        match files::make_dir(self.launch, launcher) {
            Ok(()) => {
                self.logs.iter_mut().for_each(Log::release);
                None
            }
            Err(failure) => Some(format!("could not {}", failure.stage)),
        }
    }

    /// Ends everything that outlived the program; each is reaped and its usage counted in.
    fn end_leftovers(&mut self, launcher: &mut Launcher, usage: &mut Usage) -> u32 {
        let mut ended = 0;
        // A shell dies of the signal that its program saves its state after: the notice is the program's.
        let is_saving = self.launch.limits.notice.is_some() && self.force_at.is_some();
        let began = Instant::now();
        let mut asked = is_saving;
        loop {
            match reap::reap(-1) {
                Reaped::None => return ended,
                Reaped::One(_, used) => {
                    ended += 1;
                    usage.add(&used);
                    continue;
                }
                Reaped::Running => {}
            }
            let force_at = self.force_at.filter(|_| is_saving);
            if Instant::now() >= force_at.unwrap_or(began + LEFTOVER_GRACE) {
                self.signal_all(libc::SIGKILL);
            } else if !asked {
                self.signal_all(libc::SIGTERM);
                asked = true;
            }
            self.drain(launcher);
            self.hold_up_nothing(launcher);
            if is_saving {
                self.serve_now(launcher);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Looked for here, where the directory was just made: the runner, elsewhere and later, would pay more to find nothing.
fn reported(launcher: &Launcher, dir: &str) -> bool {
    let name = dir.rsplit('/').next().unwrap_or_default();
    let folder = launcher.folder.as_ref();
    folder.is_none_or(|folder| folder.may_hold(&format!("{name}/{REPORTED_FILE}")))
}
