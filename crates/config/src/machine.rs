//! The machine that the stack runs on: how much memory it has, read once at a start as the
//! environment is.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Bytes of a machine that does not tell.
const UNKNOWN: u64 = 2 << 30;

/// Bytes of memory that this process can have: the machine's, or the least that one of its control
/// groups allows. Budgets that nobody sets are parts of it.
#[must_use]
pub fn memory() -> u64 {
    let limit = |file: PathBuf| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let all = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text)).unwrap_or(UNKNOWN);
    limits_of(&groups).into_iter().filter_map(limit).fold(all, u64::min)
}

/// The files that may limit the memory of a process: of its groups, such as
/// `0::/system.slice/banyan.service`, and of those around them. In a container the path may be that
/// of the host, and its own group is the root.
fn limits_of(groups: &str) -> Vec<PathBuf> {
    let files = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (root, file) = match parts.next() {
            Some("") => ("/sys/fs/cgroup", "memory.max"),
            Some(kinds) if kinds.split(',').any(|kind| kind == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let path = Path::new(parts.next().unwrap_or_default().trim_start_matches('/'));
        path.ancestors().map(|group| Path::new(root).join(group).join(file)).collect()
    });
    files.collect()
}

/// The line `MemTotal:  16384 kB`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_around_the_process_may_limit_its_memory() {
        let files =
            |groups| limits_of(groups).iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
        assert_eq!(
            files("1:name=systemd:/x\n0::/system.slice/banyan.service\n"),
            [
                "/sys/fs/cgroup/system.slice/banyan.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        assert_eq!(
            files("5:cpu,memory:/a\n4:cpuset:/a\n"),
            ["/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert_eq!(files("0::/"), ["/sys/fs/cgroup/memory.max"]);
    }

    #[test]
    fn the_machine_says_its_memory_in_kibibytes() {
        assert_eq!(total("MemTotal:        1016412 kB\nMemFree: 1 kB\n"), Some(1_016_412 << 10));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
