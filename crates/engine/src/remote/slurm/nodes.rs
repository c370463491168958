//! What nodes a cluster has, as `sinfo` prints it.

use crate::remote::contract::JobNeeds;

/// A partition as `sinfo` shows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) name: String,
    /// Whether jobs go there that name none.
    pub(super) is_default: bool,
    /// CPUs that work or are free.
    pub(super) cpus: u64,
    /// CPUs of nodes that are down or drained.
    pub(super) cpus_away: u64,
    /// Minutes that a job may take; absent where there is no limit.
    pub(super) limit_min: Option<u64>,
}

/// The format for `sinfo`: partition, longest time, CPUs as allocated, idle, other, total.
pub(super) const SINFO: &str = "%P|%l|%C";

/// Rows of `sinfo -h -o` [`SINFO`].
pub(super) fn sinfo(text: &str) -> Vec<Partition> {
    let row = |line: &str| {
        let mut parts = line.trim().split('|');
        let (name, limit, cpus) = (parts.next()?, parts.next()?, parts.next()?);
        let mut counts = cpus.split('/').map(|part| part.parse::<u64>().ok());
        Some(Partition {
            name: name.trim_end_matches('*').to_owned(),
            is_default: name.ends_with('*'),
            cpus: counts.next()??.saturating_add(counts.next()??),
            cpus_away: counts.next()??,
            limit_min: minutes(limit),
        })
    };
    text.lines().filter_map(row).collect()
}

/// What a node has, whatever its state.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    cpus: u64,
    megabytes: u64,
    gpus: u64,
}

impl Node {
    /// Whether such a job could run there.
    pub(super) fn fits(&self, needs: &JobNeeds) -> bool {
        let memory = needs.memory_bytes.unwrap_or(0).div_ceil(1 << 20);
        let (cpus, gpus) = (needs.cpus.unwrap_or(1), needs.gpus);
        self.cpus >= u64::from(cpus) && self.megabytes >= memory && self.gpus >= u64::from(gpus)
    }
}

/// The format for `sinfo -N`: CPUs, megabytes and devices of a node.
pub(super) const NODES: &str = "%c|%m|%G";

/// Rows of `sinfo -h -N -o` [`NODES`].
pub(super) fn nodes(text: &str) -> Vec<Node> {
    // `gpu:2`, `gpu:a100:4(S:0-1)`, several of them.
    let gpus = |devices: &str| {
        let gpus = devices.split(',').filter(|one| one.starts_with("gpu:"));
        let last = |one: &str| {
            one.split('(')
                .next()?
                .rsplit(':')
                .next()?
                .parse::<u64>()
                .ok()
        };
        gpus.filter_map(last).fold(0, u64::saturating_add)
    };
    let row = |line: &str| {
        let mut parts = line.trim().splitn(3, '|');
        Some(Node {
            cpus: parts.next()?.parse().ok()?,
            megabytes: parts.next()?.parse().ok()?,
            gpus: gpus(parts.next()?),
        })
    };
    text.lines().filter_map(row).collect()
}

/// Minutes of `30:00`, `1:00:00` or `2-00:00:00`, rounded down; nothing for `infinite`.
fn minutes(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let seconds = match parts?.as_slice() {
        [hours, minutes, seconds] => hours
            .checked_mul(60)?
            .checked_add(*minutes)?
            .checked_mul(60)?
            .checked_add(*seconds)?,
        [minutes, seconds] => minutes.checked_mul(60)?.checked_add(*seconds)?,
        _ => return None,
    };
    let days = days.parse::<u64>().ok()?.checked_mul(24 * 60)?;
    days.checked_add(seconds / 60)
}

#[cfg(test)]
mod tests {
    use super::{JobNeeds, Partition, nodes, sinfo};

    #[test]
    fn partitions_and_nodes() {
        let part = |name: &str, is_default, (cpus, cpus_away), limit_min| Partition {
            name: name.to_owned(),
            is_default,
            cpus,
            cpus_away,
            limit_min,
        };
        let found = nodes("2|4000|(null)\n64|512000|gpu:a100:4(S:0-1),gpu:2\n?\n");
        let has = found
            .iter()
            .map(|node| (node.cpus, node.megabytes, node.gpus));
        assert_eq!(has.collect::<Vec<_>>(), [(2, 4000, 0), (64, 512_000, 6)]);
        let needs = JobNeeds {
            gpus: 6,
            ..JobNeeds::default()
        };
        assert!(!found[0].fits(&needs) && found[1].fits(&needs));
        assert_eq!(
            sinfo(
                "main*|infinite|2/10/0/12\nlow|1:00:00|1/1/2/4\nlong|2-12:30:00|0/0/4/4\nshort|30:00|0/1/0/1\n?\n"
            ),
            [
                part("main", true, (12, 0), None),
                part("low", false, (2, 2), Some(60)),
                part("long", false, (0, 4), Some(60 * 60 + 30)),
                part("short", false, (1, 0), Some(30)),
            ]
        );
    }
}
