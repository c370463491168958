//! Whom the files of a sandbox belong to where root starts it: a user that nothing else on this machine belongs to, another
//! one for each rollout. Root inside a namespace without rights is still root where the kernel looks at the user alone
//! (`/proc/sys`, `/etc/shadow`, the number of processes), so nobody inside is root in any namespace.

use std::fs;

/// From here on no system hands out numbers of users, up to the largest that all programs understand.
const UNUSED: u32 = 1_879_048_192;
/// How many of them are taken in turn.
const TURNS: u32 = 1 << 22;

/// A user and a group, as this machine numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl Owner {
    /// The owner for a sandbox of this process; absent where this process is not root, or has no other users to give.
    pub(super) fn of_this_process() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let read = |map: &str| fs::read_to_string(format!("/proc/self/{map}")).ok();
        let turn = std::process::id() % TURNS;
        Some(Self {
            uid: spare(&read("uid_map")?, turn)?,
            gid: spare(&read("gid_map")?, turn)?,
        })
    }
}

/// A number that nobody has, by the list of those that this process may give.
fn spare(map: &str, turn: u32) -> Option<u32> {
    let ranges = map.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let first: u32 = words.next()?.parse().ok()?;
        let count: u32 = words.nth(1)?.parse().ok()?;
        Some((first, count))
    });
    let (first, count) = ranges.max_by_key(|(_, count)| *count)?;
    let last = first.checked_add(count - 1)?;
    if first <= UNUSED && UNUSED + TURNS <= last {
        return Some(UNUSED + turn);
    }
    // A container's share of numbers: the upper half of it, where nobody lives.
    let half = count / 2;
    (half > 2).then(|| first + half + turn % (half - 1))
}

#[cfg(test)]
mod tests {
    use super::{UNUSED, spare};

    #[test]
    fn a_spare_number_is_one_that_may_be_given() {
        assert_eq!(spare("0 0 4294967295\n", 7), Some(UNUSED + 7));
        let of_container = spare("         0     100000      65536\n", 4_000_000).unwrap();
        assert!((32_768..65_536).contains(&of_container), "{of_container}");
        assert_eq!(spare("0 1000 1\n", 7), None);
        let two = spare("0 1000 1\n1 100000 65536\n", 0).unwrap();
        assert!((32_769..65_537).contains(&two));
        assert_eq!(spare("", 0), None);
    }
}
