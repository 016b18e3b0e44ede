//! How much memory the machine gives this process.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Bytes that are assumed where the machine does not tell.
const DEFAULT_MEMORY: u64 = 2 << 30;

/// Bytes of memory that this process can have: those of the machine, or the lowest limit of its
/// control groups.
pub(super) fn machine_memory() -> u64 {
    let limit = |file: PathBuf| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let all = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| total_memory(&text))
        .unwrap_or(DEFAULT_MEMORY);
    limit_files(&groups).into_iter().filter_map(limit).fold(all, u64::min)
}

/// The files that may limit the memory of a process: those of its control groups, such as
/// `0::/system.slice/banyan.service`, and those of their parents. In a container the path may be
/// that of the host, and the container's own group is the root.
fn limit_files(groups: &str) -> Vec<PathBuf> {
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

/// Bytes by a line such as `MemTotal:  16384 kB`.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_around_the_process_may_limit_its_memory() {
        let files =
            |groups| limit_files(groups).iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
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
}
