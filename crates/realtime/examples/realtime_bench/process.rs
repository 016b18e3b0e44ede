use std::fs;

use crate::Failure;

/// Clock ticks of a second in `/proc`.
const TICKS: f64 = 100.0;

/// A process of this machine, by its id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// Seconds of CPU that it has used.
    pub(crate) fn cpu(self) -> Result<f64, Failure> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0))?;
        let (_, fields) = stat.rsplit_once(") ").ok_or("no fields")?;
        let ticks: Vec<f64> = fields.split(' ').skip(11).take(2).flat_map(str::parse).collect();
        Ok(ticks.iter().sum::<f64>() / TICKS)
    }

    /// Bytes of memory that it has now.
    pub(crate) fn memory(self) -> Result<f64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no memory")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib * 1024.0)
    }
}
