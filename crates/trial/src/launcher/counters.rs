//! Counts what the processor does for programs. The launcher opens each counter on itself, where it counts nothing: what it
//! starts inherits it, and counts from the moment it becomes another program. What has ended is in the sum.
#![allow(
    unsafe_code,
    reason = "perf_event_open has no safe form among what we link"
)]

use fairtrial_model::HardwareCounter;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;

/// An event as the kernel takes it: the first version of its structure.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    address: u64,
}

const HARDWARE: u32 = 0;
const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const ENABLE_ON_EXEC: u64 = 1 << 12;
/// With the times that it was wanted and that it ran.
const WITH_TIMES: u64 = 3;
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// An event: its kind and its number in that.
type Event = (u32, u64);

const fn event(counter: HardwareCounter) -> Event {
    let number = match counter {
        HardwareCounter::Cycles => 0,
        HardwareCounter::Instructions => 1,
        HardwareCounter::CacheMisses => 3,
        HardwareCounter::BranchMisses => 5,
    };
    (HARDWARE, number)
}

/// Counters of this process, and of what it starts.
#[derive(Debug, Default)]
pub(super) struct Counters(BTreeMap<HardwareCounter, OfPrograms>);

impl Counters {
    /// Opens those that are not yet open.
    pub(super) fn open(
        &mut self,
        wanted: &[HardwareCounter],
    ) -> Result<(), (HardwareCounter, io::Error)> {
        for counter in wanted {
            if !self.0.contains_key(counter) {
                let counting = OfPrograms::open(event(*counter));
                let counting = counting.map_err(|error| (*counter, error))?;
                self.0.insert(*counter, counting);
            }
        }
        Ok(())
    }

    /// What was counted since the last time that this was asked, for those that are wanted; one that did not run is left out.
    pub(super) fn since_last(
        &mut self,
        wanted: &[HardwareCounter],
    ) -> BTreeMap<HardwareCounter, u64> {
        let open = self.0.iter_mut();
        let counted = open.map(|(counter, counting)| (*counter, counting.inherited.since_last()));
        let counted = counted.filter(|(counter, _)| wanted.contains(counter));
        counted
            .filter_map(|(counter, count)| Some((counter, count?)))
            .collect()
    }
}

/// A counter of what this process starts.
#[derive(Debug)]
struct OfPrograms {
    inherited: Counting,
    /// It never counts. While a process has one that is not inherited, the kernel does not swap its counters with those of a
    /// child when it switches between them, as it does with counters that are alike. Ours would then begin in the wrong process,
    /// and most programs would not be counted.
    _unlike: Counting,
}

impl OfPrograms {
    fn open(event: Event) -> io::Result<Self> {
        Ok(Self {
            _unlike: Counting::open(event, DISABLED)?,
            inherited: Counting::open(event, DISABLED | ENABLE_ON_EXEC | INHERIT)?,
        })
    }
}

#[derive(Debug)]
struct Counting {
    file: File,
    last: [u64; 3],
}

impl Counting {
    fn open((kind, config): Event, flags: u64) -> io::Result<Self> {
        let attributes = Attributes {
            kind,
            size: size_of::<Attributes>() as u32,
            config,
            read_format: WITH_TIMES,
            flags: flags | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..Attributes::default()
        };
        // This process, on every CPU, in no group.
        let (pid, cpu, group): (libc::pid_t, libc::c_int, libc::c_int) = (0, -1, -1);
        // SAFETY: the structure lives until the call returns and says its own size.
        let opened = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                pid,
                cpu,
                group,
                CLOSE_ON_EXEC,
            )
        };
        if opened < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            // SAFETY: the kernel has just made this descriptor, and nobody else has it.
            file: unsafe { File::from_raw_fd(opened as libc::c_int) },
            last: [0; 3],
        })
    }

    /// Where there are more events than the processor can count at once they take turns: the share that was seen stands for
    /// the whole.
    fn since_last(&mut self) -> Option<u64> {
        let mut bytes = [0; 24];
        self.file.read_exact(&mut bytes).ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let now = [words[0], words[1], words[2]].map(u64::from_ne_bytes);
        let [count, wanted, ran] = std::array::from_fn(|place| now[place] - self.last[place]);
        self.last = now;
        match ran {
            0 => None,
            ran if ran < wanted => Some((count as f64 * wanted as f64 / ran as f64) as u64),
            _ => Some(count),
        }
    }
}

/// Why this machine cannot count that, where it cannot.
pub fn cannot_count(counter: HardwareCounter) -> Option<String> {
    let counted = Counting::open(event(counter), 0).map(|mut counting| {
        // Something to count: also a miss of a cache takes a while.
        let work = std::hint::black_box(vec![1_u8; 1 << 20]);
        std::hint::black_box(work.iter().map(|it| u64::from(*it)).sum::<u64>());
        counting.since_last()
    });
    Some(match counted {
        Ok(Some(_)) => return None,
        Ok(None) => "the system opens its counter, which never runs".to_owned(),
        Err(error) => match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => {
                "you may not read the processor's counters (`sysctl kernel.perf_event_paranoid=2` allows it, or root)"
                    .to_owned()
            }
            Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => {
                "the processor shows no counters here, as in most virtual machines".to_owned()
            }
            _ => error.to_string(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{Counters, OfPrograms};
    use fairtrial_model::HardwareCounter;
    use std::process::Command;

    /// Nanoseconds of CPU time: counted by the kernel in software, on every machine.
    const TASK_CLOCK: (u32, u64) = (1, 1);

    /// The plumbing, by an event that every machine has. Not every container lets it be opened.
    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped test says why")]
    fn a_program_and_what_it_starts_are_counted_and_nothing_else() {
        let counting = match OfPrograms::open(TASK_CLOCK) {
            Ok(counting) => counting,
            Err(error) => return eprintln!("skipped: perf_event_open: {error}"),
        };
        let mut counters = Counters([(HardwareCounter::Instructions, counting)].into());
        let wanted = [HardwareCounter::Instructions];
        let mut of = |script: &str| {
            let status = Command::new("sh").args(["-c", script]).status().unwrap();
            assert!(status.success());
            counters.since_last(&wanted)[&HardwareCounter::Instructions]
        };
        // Every single one: a kernel that mixes up its counters loses most of them.
        for _ in 0..20 {
            of(":");
        }
        let little = of(":");
        let child = of("i=0; sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'");
        let again = of(":");
        // A loop of so many rounds takes tens of milliseconds, an empty shell about one.
        assert!(child > 5 * little.max(again), "{little} {child} {again}");
        // What nobody asks for is not said, and nothing is counted while nothing runs.
        assert!(counters.since_last(&[]).is_empty());
        assert!(counters.since_last(&wanted).is_empty());
    }
}
