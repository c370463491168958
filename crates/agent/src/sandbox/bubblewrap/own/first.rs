//! The first process of a sandbox. It does nothing but reap what nobody else waits for, and holds nothing: whatever is
//! inside may look into it, so it must not be a copy of ours. A program of 200 bytes is started quicker than any other.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

/// What it does. It is started with `SIGCHLD` blocked.
const CODE: [u8; 62] = [
    0x48, 0x8d, 0x3d, 0x2f, 0, 0, 0, // wait:  lea rdi, [rip + signals]
    0x31, 0xf6, //                             xor esi, esi
    0x31, 0xd2, //                             xor edx, edx
    0x41, 0xba, 8, 0, 0, 0, //                 mov r10d, 8
    0xb8, 128, 0, 0, 0, //                     mov eax, rt_sigtimedwait
    0x0f, 0x05, //                             syscall
    0x48, 0xc7, 0xc7, 0xff, 0xff, 0xff, 0xff, // reap:  mov rdi, -1
    0x31, 0xf6, //                             xor esi, esi
    0xba, 1, 0, 0, 0, //                       mov edx, WNOHANG
    0x45, 0x31, 0xd2, //                       xor r10d, r10d
    0xb8, 61, 0, 0, 0, //                      mov eax, wait4
    0x0f, 0x05, //                             syscall
    0x85, 0xc0, //                             test eax, eax
    0x7f, 0xe4, //                             jg reap
    0xeb, 0xca, //                             jmp wait
    0, 0, 1, 0, 0, 0, 0, 0, //       signals:  SIGCHLD
];
/// Where it lies in memory.
const PLACE: u64 = 0x40_0000;
/// The lengths of the two heads of a program.
const HEADS: [u16; 2] = [64, 56];

/// The program as a file without a name.
pub(super) fn program() -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = memfd_create(c"first", flags)?;
    let mut file = File::from(file);
    file.write_all(&bytes())?;
    let all = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, all)?;
    Ok(file.into())
}

/// The program as the kernel reads it: one part, which is read and run.
fn bytes() -> Vec<u8> {
    let [head, part] = HEADS;
    let start = u64::from(head + part);
    let whole = start + CODE.len() as u64;
    // Magic, 64 bits, little end first, version 1.
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // A program for x86-64, version 1.
    bytes.extend(2u16.to_le_bytes());
    bytes.extend(62u16.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    // Where it begins, where the heads of its parts lie, that it has no sections, no flags.
    for number in [PLACE + start, u64::from(head), 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(0u32.to_le_bytes());
    // The lengths of the heads, one part, no sections.
    for number in [head, part, 1, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    // The part is loaded, to be read and run, from the beginning of the file.
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(5u32.to_le_bytes());
    for number in [0, PLACE, PLACE, whole, whole, 4096] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(CODE);
    bytes
}

#[cfg(test)]
mod tests {
    use super::program;
    use std::os::fd::AsRawFd;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;
    use std::time::Duration;

    /// It waits until it is killed; what it reaps, the attacks see.
    #[test]
    fn the_first_process_waits_for_its_end() {
        let file = program().unwrap();
        let place = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        let mut first = Command::new(place).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(first.try_wait().unwrap(), None);
        first.kill().unwrap();
        assert_eq!(first.wait().unwrap().signal(), Some(9));
    }
}
