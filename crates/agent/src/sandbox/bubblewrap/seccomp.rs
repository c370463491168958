//! The system calls that no task needs and that have opened sandboxes before: a filter for the kernel.
//!
//! It is a list of what is refused, not of what is allowed, because tasks run any program. What a program without rights
//! can still reach is refused (kernel keys, namespaces of its own, io_uring, files by their handles, performance
//! counters), and so is what only root may do, in case that a right slips through.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

/// Instructions of the filter's machine: load a word of the call, compare it, answer.
const LOAD: u16 = 0x20;
const EQUAL: u16 = 0x15;
const AT_LEAST: u16 = 0x35;
const ANY_BIT: u16 = 0x45;
const ANSWER: u16 = 0x06;

/// Answers: allowed, or refused with the error whose number is added.
const ALLOW: u32 = 0x7fff_0000;
const REFUSE: u32 = 0x0005_0000;

/// Where the parts of a call lie: its number, the kind of machine, the low halves of its first two arguments.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const FIRST: u32 = 16;
const SECOND: u32 = 24;

/// Flags of `clone` that make namespaces.
const NAMESPACES: u32 = 0x7e02_0000;

/// Refused as not permitted.
const FORBIDDEN: &[libc::c_long] = &[
    // Keys of the kernel, which know no namespaces.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Files by their handles, whatever folder they lie in.
    libc::SYS_open_by_handle_at,
    // Namespaces and mounts.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // Programs and probes in the kernel.
    libc::SYS_bpf,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_lookup_dcookie,
    libc::SYS_perf_event_open,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
    // The machine as a whole.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
];

/// Answered as if the kernel did not have them: programs know what to do instead. The flags of `clone3` lie in memory,
/// where a filter cannot look.
const UNKNOWN: [libc::c_long; 4] = [
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
];

/// Requests of `ioctl` that put letters into a terminal's input.
const TYPING: [u32; 2] = [0x5412, 0x541c];

/// Families of sockets that programs need: unix, both internets, and the kernel's word about them.
const SOCKETS: [libc::c_int; 4] = [
    libc::AF_UNIX,
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_NETLINK,
];

/// The kernel's word for the machine that this program was built for; absent where there is no filter for it.
const HERE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};

/// One instruction.
struct Step {
    code: u16,
    /// How many instructions are passed over where the comparison holds, and where it does not.
    skip: (u8, u8),
    value: u32,
}

/// The filter; absent where there is none for this machine.
pub(super) fn filter() -> Option<Vec<libc::sock_filter>> {
    let as_is = |step: Step| libc::sock_filter {
        code: step.code,
        jt: step.skip.0,
        jf: step.skip.1,
        k: step.value,
    };
    Some(steps(HERE?).into_iter().map(as_is).collect())
}

/// A filter as a file to be read by `bwrap`.
pub(super) fn file(filter: &[libc::sock_filter]) -> io::Result<OwnedFd> {
    let mut bytes = Vec::new();
    for step in filter {
        bytes.extend(step.code.to_ne_bytes());
        bytes.extend([step.jt, step.jf]);
        bytes.extend(step.k.to_ne_bytes());
    }
    // A pipe holds more than this before anybody reads.
    let (read, mut write) = io::pipe()?;
    write.write_all(&bytes)?;
    Ok(read.into())
}

fn steps(machine: u32) -> Vec<Step> {
    let load = |value| Step {
        code: LOAD,
        skip: (0, 0),
        value,
    };
    let answer = |value| Step {
        code: ANSWER,
        skip: (0, 0),
        value,
    };
    let unless = |code, value, passed| Step {
        code,
        skip: (0, passed),
        value,
    };
    let refuse = |error: i32| answer(REFUSE | error.unsigned_abs());
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    let when = |call, error| [unless(EQUAL, number(call), 1), refuse(error)];
    let mut steps = vec![
        load(MACHINE),
        Step {
            code: EQUAL,
            skip: (1, 0),
            value: machine,
        },
        refuse(libc::ENOSYS),
        load(NUMBER),
        // Calls of the same machine with short pointers have numbers of their own.
        unless(AT_LEAST, 0x4000_0000, 1),
        refuse(libc::ENOSYS),
    ];
    steps.extend(FORBIDDEN.iter().flat_map(|call| when(*call, libc::EPERM)));
    steps.extend(
        UNKNOWN
            .into_iter()
            .flat_map(|call| when(call, libc::ENOSYS)),
    );
    steps.extend([
        unless(EQUAL, number(libc::SYS_clone), 4),
        load(FIRST),
        unless(ANY_BIT, NAMESPACES, 1),
        refuse(libc::EPERM),
        answer(ALLOW),
    ]);
    let typing = TYPING.into_iter();
    let typing: Vec<Step> = typing
        .flat_map(|request| [unless(EQUAL, request, 1), refuse(libc::EPERM)])
        .collect();
    steps.push(unless(
        EQUAL,
        number(libc::SYS_ioctl),
        typing.len() as u8 + 2,
    ));
    steps.push(load(SECOND));
    steps.extend(typing);
    steps.push(answer(ALLOW));
    let sockets: Vec<Step> = SOCKETS
        .into_iter()
        .flat_map(|family| [unless(EQUAL, family.unsigned_abs(), 1), answer(ALLOW)])
        .collect();
    steps.push(unless(
        EQUAL,
        number(libc::SYS_socket),
        sockets.len() as u8 + 2,
    ));
    steps.push(load(FIRST));
    steps.extend(sockets);
    steps.push(refuse(libc::EAFNOSUPPORT));
    steps.push(answer(ALLOW));
    steps
}

#[cfg(test)]
mod tests {
    use super::{ALLOW, ANSWER, ANY_BIT, AT_LEAST, EQUAL, HERE, LOAD, REFUSE, steps};

    /// What the filter answers to a call, as the kernel would work it out.
    fn answer(machine: u32, call: libc::c_long, first: u32, second: u32) -> u32 {
        let steps = steps(HERE.unwrap());
        let (mut at, mut held) = (0, 0);
        loop {
            let step = &steps[at];
            let (yes, no) = (usize::from(step.skip.0), usize::from(step.skip.1));
            let holds = match step.code {
                ANSWER => return step.value,
                LOAD => {
                    held = match step.value {
                        0 => u32::try_from(call).unwrap(),
                        4 => machine,
                        16 => first,
                        24 => second,
                        other => panic!("{other}"),
                    };
                    false
                }
                EQUAL => held == step.value,
                AT_LEAST => held >= step.value,
                ANY_BIT => held & step.value != 0,
                other => panic!("{other}"),
            };
            at += 1 + if holds { yes } else { no };
        }
    }

    #[test]
    fn what_no_task_needs_is_refused_and_all_else_is_allowed() {
        let Some(here) = HERE else { return };
        let refused = |error: i32| REFUSE | error.unsigned_abs();
        for call in [libc::SYS_open_by_handle_at, libc::SYS_mount, libc::SYS_bpf] {
            assert_eq!(answer(here, call, 0, 0), refused(libc::EPERM), "{call}");
        }
        assert_eq!(answer(here, libc::SYS_clone3, 0, 0), refused(libc::ENOSYS));
        assert_eq!(answer(here, libc::SYS_clone, 17, 0), ALLOW);
        let user = answer(here, libc::SYS_clone, 0x1000_0011, 0);
        assert_eq!(user, refused(libc::EPERM));
        assert_eq!(answer(here, libc::SYS_ioctl, 0, 0x5401), ALLOW);
        assert_eq!(
            answer(here, libc::SYS_ioctl, 0, 0x5412),
            refused(libc::EPERM)
        );
        assert_eq!(answer(here, libc::SYS_socket, 2, 1), ALLOW);
        assert_eq!(
            answer(here, libc::SYS_socket, 40, 1),
            refused(libc::EAFNOSUPPORT)
        );
        for call in [
            libc::SYS_read,
            libc::SYS_execve,
            libc::SYS_ptrace,
            0x3fff_ffff,
        ] {
            assert_eq!(answer(here, call, 0, 0), ALLOW, "{call}");
        }
        // Another kind of machine, and the kind with short pointers.
        assert_eq!(answer(here + 1, 0, 0, 0), refused(libc::ENOSYS));
        assert_eq!(answer(here, 0x4000_0000, 0, 0), refused(libc::ENOSYS));
    }
}
